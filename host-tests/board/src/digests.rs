//! One digest of all scenes on every machine: here, on microcontrollers with and without floating point, in
//! WebAssembly.

use std::path::Path;
use std::process::Command;

use stiction_scenes::digest::{PINNED, of_everything};

use crate::emulator::{self, Machine};
use crate::firmware::Build;

/// Compares all of them at each optimisation level, and on these emulated boards.
pub fn compare(root: &Path, levels: &[&str], boards: &[(&str, Machine)]) -> Result<(), String> {
    check("this machine, as this program was built", [of_everything::<f32>(), of_everything::<f64>()])?;
    for level in levels {
        on_host(root, level)?;
        println!("    this machine, opt-level {level}: the pinned digests");
        check(&format!("wasm32, opt-level {level}"), in_wasm(root, level)?)?;
        for (target, machine) in boards {
            let package = "stiction-digest";
            let build = Build { package, program: "digest", level, target, ..Build::default() };
            let written = emulator::run(*machine, &build.build(root)?)?;
            check(&format!("{target}, opt-level {level}"), parse(&String::from_utf8_lossy(&written))?)?;
        }
    }
    Ok(())
}

fn check(what: &str, digests: [u64; 2]) -> Result<(), String> {
    for ((precision, pinned), digest) in ["f32", "f64"].iter().zip(PINNED).zip(digests) {
        if digest != pinned {
            return Err(format!("{what}: {precision} gives {digest:016x}, pinned is {pinned:016x}"));
        }
    }
    println!("    {what}: f32 {:016x}, f64 {:016x}", digests[0], digests[1]);
    Ok(())
}

/// Two lines, `f32 HEX` and `f64 HEX`.
fn parse(text: &str) -> Result<[u64; 2], String> {
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok()).ok_or(format!("no {name} in '{text}'"))
    };
    Ok([value("f32")?, value("f64")?])
}

/// The scenes' own test against the pinned digests, built at a level.
fn on_host(root: &Path, level: &str) -> Result<(), String> {
    let output = Command::new("cargo")
        .current_dir(root)
        .args(["test", "--release", "--package", "stiction-scenes", "--test", "robot", "--target-dir"])
        .arg(if level == "3" { root.join("target") } else { root.join("target/board").join(level) })
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", level)
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stdout).into_owned()) }
}

fn in_wasm(root: &Path, level: &str) -> Result<[u64; 2], String> {
    let (target, target_dir) = ("wasm32-unknown-unknown", root.join("target/board").join(level));
    let output = Command::new("cargo")
        .current_dir(root.join("embedded-example"))
        .args(["build", "--release", "--locked", "--package", "stiction-digest", "--lib", "--target", target])
        .arg("--target-dir")
        .arg(&target_dir)
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", level)
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("wasm32: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let module = target_dir.join(target).join("release/stiction_digest.wasm");
    let bytes = std::fs::read(&module).map_err(|error| format!("{}: {error}", module.display()))?;
    let engine = wasmi::Engine::default();
    let module = wasmi::Module::new(&engine, &bytes).map_err(|error| error.to_string())?;
    let mut store = wasmi::Store::new(&engine, ());
    let linker = wasmi::Linker::new(&engine);
    let instance = linker.instantiate_and_start(&mut store, &module).map_err(|error| error.to_string())?;
    let mut call = |name: &str| {
        let function = instance.get_typed_func::<(), u64>(&store, name).map_err(|error| error.to_string())?;
        function.call(&mut store, ()).map_err(|error| error.to_string())
    };
    Ok([call("digest_f32")?, call("digest_f64")?])
}
