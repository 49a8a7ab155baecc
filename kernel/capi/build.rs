//! Generates the functions of the double-precision interface from those of `f32.rs`. cbindgen does not expand macros,
//! so the source text is generated.

use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=src/f32.rs");
    let single = fs::read_to_string("src/f32.rs").expect("src/f32.rs");
    // An included file cannot have inner doc comments.
    let lines = single.lines().filter(|line| !line.starts_with("//!"));
    let double = lines.collect::<Vec<_>>().join("\n").replace("f32", "f64");
    let out = env::var_os("OUT_DIR").expect("OUT_DIR");
    fs::write(Path::new(&out).join("f64.rs"), double).expect("f64.rs");
}
