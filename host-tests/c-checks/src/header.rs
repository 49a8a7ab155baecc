//! `stiction.h`, made from the Rust sources by cbindgen and committed: a user needs neither cbindgen nor Rust to read
//! it.

use std::path::{Path, PathBuf};

use cbindgen::{Builder, Config};
use stiction_tasks::{draws, read};

/// Where the header is kept.
pub const HEADER: &str = "kernel/capi/include/stiction.h";

/// Files with types and functions that C sees, in the order of the header.
const SOURCES: [&str; 22] = [
    "sizes",
    "error",
    "view",
    "choices",
    "report",
    "place",
    "hooks",
    "input",
    "output",
    "world",
    "body_surface",
    "joint",
    "manifold",
    "direct_memory",
    "lanes",
    "solver",
    "pipeline",
    "kept",
    "diagnostics",
    "delassus",
    "text",
    "f32",
];

/// Constants, by how their names begin.
const CONSTANTS: [&str; 6] = ["ALIGNMENT", "ABI", "NO_CONTACT", "FIELD_BYTES", "F32_", "F64_"];

/// The header as it should be.
pub fn generate(root: &Path) -> Result<String, String> {
    let config = root.join("kernel/capi/cbindgen.toml");
    let mut builder = Builder::new().with_config(Config::from_file(config.to_string_lossy().as_ref())?);
    for source in SOURCES {
        builder = builder.with_src(root.join(format!("kernel/capi/src/{source}.rs")));
    }
    let builder = builder.with_src(double_precision(root)?);
    let bindings = builder.generate().map_err(|error| error.to_string())?;
    let mut text = Vec::new();
    bindings.write(&mut text);
    let text = String::from_utf8(text).map(|text| polished(&text)).map_err(|error| error.to_string())?;
    // Not every compiler accepts other characters.
    match text.lines().find(|line| !line.is_ascii()) {
        Some(line) => Err(format!("{HEADER} would not be plain ASCII: {line}")),
        None => Ok(text),
    }
}

/// The functions of double precision, as `kernel/capi/build.rs` makes them.
fn double_precision(root: &Path) -> Result<PathBuf, String> {
    let single = read(&root.join("kernel/capi/src/f32.rs"))?;
    let path = root.join("target/c/f64.rs");
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(failed)?;
    std::fs::write(&path, single.replace("f32", "f64")).map_err(failed)?;
    Ok(path)
}

/// Constants in capitals, and enumerations as plain 32-bit integers for every compiler: C compilers for
/// microcontrollers make enumerations as short as they can.
fn polished(text: &str) -> String {
    let mut out = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("enum ") {
            out += &format!("typedef uint32_t {name};\nenum {{\n");
            let body = lines.by_ref().skip_while(|line| line.trim() != "{").skip(1);
            let mut end = false;
            for line in body.take_while(|line| !line.starts_with("#endif // __cplusplus")) {
                end |= line == "};";
                if !end || line == "};" {
                    out += line;
                    out.push('\n');
                }
            }
        } else {
            out += line;
            out.push('\n');
        }
    }
    let out = with_own_functions(&out);
    CONSTANTS.iter().fold(out, |out, name| out.replace(&format!("Stiction{name}"), &format!("STICTION_{name}")))
}

/// The comments of a double-precision type name the functions of double precision. In the Rust sources both precisions
/// are one type with one comment, which names those of single precision.
fn with_own_functions(text: &str) -> String {
    let own = |item: &str| {
        let code = || item.lines().filter(|line| !line.trim_start().starts_with("//"));
        let is_double = code().any(|line| line.contains("F64")) && !code().any(|line| line.contains("F32"));
        if is_double { item.replace("stiction_f32_", "stiction_f64_") } else { item.to_string() }
    };
    // Items are separated by empty lines.
    text.split("\n\n").map(own).collect::<Vec<_>>().join("\n\n")
}

/// Compares the committed header with the sources, or updates it.
pub fn check(root: &Path) -> Result<(), String> {
    let path = root.join(HEADER);
    let fresh = generate(root)?;
    if draws() {
        return std::fs::write(&path, fresh).map_err(|error| format!("{}: {error}", path.display()));
    }
    let kept = read(&path)?;
    if kept == fresh {
        Ok(())
    } else {
        Err(format!("{HEADER} is stale: STICTION_DRAW=1 cargo verify \"C interface\" updates it"))
    }
}
