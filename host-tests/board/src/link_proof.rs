//! The linker proof: a firmware whose panic handler cannot be linked links only if no panic is reachable.
//!
//! Then its symbols are read: no allocator, and no double-precision arithmetic in the single-precision build. A control
//! build with one line that can panic must fail to link; otherwise the proof is void.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use object::{Object, ObjectSymbol};

use stiction_tasks::setup::BOARD;

/// The symbol that the panic handler needs and that is not defined.
const MISSING: &str = "a_panic_is_reachable";

fn build(root: &Path, features: &str, level: &str) -> Result<(Output, PathBuf), String> {
    let target = root.join("target/link-proof");
    let binary = target.join(BOARD).join("release/stiction-link-proof");
    // A stale program must not be taken for a new one.
    let _ = std::fs::remove_file(&binary);
    let output = Command::new("cargo")
        .args(["build", "--release", "--target", BOARD, "--features", features])
        .arg("--manifest-path")
        .arg(root.join("kernel/link-proof/Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", level)
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    Ok((output, binary))
}

/// Runs the proof in both precisions at each optimisation level.
pub fn prove(root: &Path, levels: &[&str]) -> Result<(), String> {
    let (control, _) = build(root, "f32,control", "3")?;
    let complaint = String::from_utf8_lossy(&control.stderr).into_owned();
    if control.status.success() || !complaint.contains(MISSING) {
        return Err(format!("the control, which can panic, was not rejected by the linker: {complaint}"));
    }
    println!("    control: a program that can panic is rejected, as it must be");
    for precision in ["f32", "f64"] {
        for level in levels {
            let (output, binary) = build(root, precision, level)?;
            if !output.status.success() {
                return Err(format!("{precision} at opt-level {level}: {}", String::from_utf8_lossy(&output.stderr)));
            }
            let size = inspect(&binary, precision)?;
            println!("    {precision} at opt-level {level}: links, {size} bytes of code and constants");
        }
    }
    Ok(())
}

/// Whether a symbol is a soft-float routine on doubles, by its EABI or its compiler name.
pub fn is_double_routine(name: &str) -> bool {
    let eabi = name
        .strip_prefix("__aeabi_")
        .is_some_and(|rest| rest.starts_with('d') || rest.starts_with("cd") || rest.ends_with("2d"));
    let compiler =
        name.starts_with("__") && ["df", "df2", "df3", "dfsf2", "dfsi", "dfdi"].iter().any(|s| name.ends_with(s));
    eabi || compiler
}

/// Rejects forbidden symbols and returns the size in flash.
fn inspect(binary: &Path, precision: &str) -> Result<u64, String> {
    use object::ObjectSection;
    let bytes = std::fs::read(binary).map_err(|error| format!("{}: {error}", binary.display()))?;
    let file = object::File::parse(&*bytes).map_err(|error| error.to_string())?;
    let mut doubles = 0;
    for symbol in file.symbols() {
        let name = symbol.name().unwrap_or("");
        let allocator = ["__rust_alloc", "__rust_realloc", "__rg_alloc", "malloc"].iter().any(|s| name.contains(s));
        let double = is_double_routine(name);
        if allocator || (double && precision == "f32") {
            return Err(format!("{precision}: the program contains {name}"));
        }
        doubles += u32::from(double);
    }
    if precision == "f64" && doubles == 0 {
        return Err("f64: no double-precision routine found, so the check of f32 is void".into());
    }
    Ok(file
        .sections()
        .filter(|s| matches!(s.kind(), object::SectionKind::Text | object::SectionKind::ReadOnlyData))
        .map(|s| s.size())
        .sum())
}
