//! Writes the linker's memory map for QEMU's boards.

use std::path::PathBuf;

fn main() {
    let target = std::env::var("TARGET").unwrap_or_default();
    let flash = match target.as_str() {
        // mps2-an385, Cortex-M3.
        "thumbv7m-none-eabi" => "FLASH : ORIGIN = 0x00000000, LENGTH = 4M",
        // netduinoplus2, an STM32F405.
        "thumbv7em-none-eabihf" | "thumbv7em-none-eabi" => "FLASH : ORIGIN = 0x08000000, LENGTH = 1024K",
        _ => return,
    };
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    let memory = format!("MEMORY\n{{\n  {flash}\n  RAM : ORIGIN = 0x20000000, LENGTH = 128K\n}}\n");
    std::fs::write(out.join("memory.x"), memory).expect("a writable folder");
    println!("cargo:rustc-link-search={}", out.display());
    for argument in ["-Tlink.x", "--nmagic"] {
        println!("cargo:rustc-link-arg-bins={argument}");
    }
    println!("cargo:rerun-if-changed=build.rs");
}
