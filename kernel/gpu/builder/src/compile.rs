//! The compiler and its flags.
//!
//! The target for PTX has no compiled `core`, so `core` is compiled as well; that and the calling convention of entries are
//! unstable, and a stable compiler has them behind `RUSTC_BOOTSTRAP`. A linker of LLVM's bitcode, a component of rustup, makes one
//! program of all crates and writes the PTX. Nothing of CUDA is needed.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Flags of the compiler. The processor is the oldest one that runs threads of a warp independently; drivers compile its PTX
/// for every newer one.
pub const FLAGS: [&str; 4] =
    ["-Ctarget-cpu=sm_70", "-Zunstable-options", "-Clink-self-contained=+linker", "-Clinker-flavor=llbc"];
const TARGET: &str = "nvptx64-nvidia-cuda";

/// How components are installed.
const INSTALL: &str = "rustup component add rust-src llvm-bitcode-linker llvm-tools";

/// Compiles the device's code; returns its PTX as the compiler wrote it.
pub fn ptx(root: &Path) -> Result<String, String> {
    components()?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from).join("ptx");
    let ended = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(root.join("kernel/gpu/device"))
        .args(["build", "--release", "--lib", "--locked", "--target", TARGET, "-Zbuild-std=core", "--target-dir"])
        .arg(&target)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\x1f"))
        .status();
    match ended {
        Ok(status) if status.success() => {}
        Ok(status) => return Err(format!("the compiler ended with {status}")),
        Err(error) => return Err(format!("cargo: {error}")),
    }
    let path = target.join(TARGET).join("release/stiction_gpu_device.ptx");
    fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Whether the compiler has what it needs; the reason if not.
pub fn components() -> Result<(), String> {
    let library = PathBuf::from(asked(&["--print", "sysroot"])?).join("lib/rustlib");
    let tools = library.join(asked(&["--print", "host-tuple"])?).join("bin");
    let needed = [
        ("rust-src", library.join("src/rust/library/core")),
        ("llvm-bitcode-linker", tools.join("self-contained/llvm-bitcode-linker")),
        ("llvm-tools", tools.join("llc")),
    ];
    let exists = |path: &Path| path.exists() || path.with_extension("exe").exists();
    match needed.iter().find(|(_, path)| !exists(path)) {
        Some((name, _)) => Err(format!("the compiler's component {name} is missing: {INSTALL}")),
        None => Ok(()),
    }
}

/// The compiler's name and version.
pub fn compiler() -> Result<String, String> {
    asked(&["--version"])
}

/// What the compiler says.
fn asked(arguments: &[&str]) -> Result<String, String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let said = Command::new(rustc).args(arguments).output().map_err(|error| format!("rustc: {error}"))?;
    if !said.status.success() {
        return Err(format!("rustc {}: {}", arguments.join(" "), String::from_utf8_lossy(&said.stderr).trim()));
    }
    Ok(String::from_utf8_lossy(&said.stdout).trim().to_string())
}
