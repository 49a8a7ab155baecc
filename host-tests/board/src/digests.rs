//! One digest of all scenes on every machine: here, on microcontrollers with and without floating point, in
//! WebAssembly.

use std::path::Path;
use std::process::Command;

use stiction_scenes::digest::{PINNED, PINNED_JOINTS, of_everything, of_joints};

use crate::emulator::{self, Machine};
use crate::firmware::Build;

/// Compares all of them at each optimisation level, and on these emulated boards.
pub fn compare(root: &Path, levels: &[&str], boards: &[(&str, Machine)]) -> Result<(), String> {
    let here = [of_everything::<f32>(), of_everything::<f64>(), of_joints::<f32>(), of_joints::<f64>()];
    check("this machine, as this program was built", here)?;
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

/// What a digest is of, in the order in which they are compared.
const NAMES: [&str; 4] = ["f32", "f64", "joints_f32", "joints_f64"];

fn check(what: &str, digests: [u64; 4]) -> Result<(), String> {
    for ((name, pinned), digest) in NAMES.iter().zip(PINNED.into_iter().chain(PINNED_JOINTS)).zip(digests) {
        if digest != pinned {
            return Err(format!("{what}: {name} gives {digest:016x}, pinned is {pinned:016x}"));
        }
    }
    let [single, double, joints_single, joints_double] = digests;
    println!("    {what}: f32 {single:016x}, f64 {double:016x}; joints {joints_single:016x}, {joints_double:016x}");
    Ok(())
}

/// A line for each name, `NAME HEX`.
fn parse(text: &str) -> Result<[u64; 4], String> {
    let mut digests = [0; 4];
    for (digest, name) in digests.iter_mut().zip(NAMES) {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let hex = line.ok_or(format!("no {name} in '{text}'"))?;
        *digest = u64::from_str_radix(hex.trim(), 16).map_err(|_| format!("{name}: '{hex}' is no digest"))?;
    }
    Ok(digests)
}

/// The scenes' own test against the pinned digests, built at a level.
fn on_host(root: &Path, level: &str) -> Result<(), String> {
    let output = Command::new("cargo")
        .current_dir(root)
        .args(["test", "--release", "--package", "stiction-scenes", "--test", "robot", "--test", "leg", "--target-dir"])
        .arg(if level == "3" { root.join("target") } else { root.join("target/board").join(level) })
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", level)
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stdout).into_owned()) }
}

fn in_wasm(root: &Path, level: &str) -> Result<[u64; 4], String> {
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
    let mut digests = [0; 4];
    for (digest, name) in digests.iter_mut().zip(NAMES) {
        *digest = call(&format!("digest_{name}"))?;
    }
    Ok(digests)
}
