//! Writes the linker's memory map for the board.

use std::path::PathBuf;

/// STM32F405: 1 MiB of flash; of its 192 KiB of RAM the contiguous 128 KiB.
const F405: &str = "MEMORY
{
  FLASH : ORIGIN = 0x08000000, LENGTH = 1024K
  RAM : ORIGIN = 0x20000000, LENGTH = 128K
}
";

/// RP2350: flash is outside the chip; its image must begin with a block that the boot ROM looks for.
const RP2350: &str = "MEMORY
{
  FLASH : ORIGIN = 0x10000000, LENGTH = 2048K
  RAM : ORIGIN = 0x20000000, LENGTH = 512K
}

SECTIONS {
  .start_block : ALIGN(4)
  {
    __start_block_addr = .;
    KEEP(*(.start_block));
  } > FLASH
} INSERT AFTER .vector_table;

_stext = ADDR(.start_block) + SIZEOF(.start_block);

SECTIONS {
  .end_block : ALIGN(4)
  {
    __end_block_addr = .;
    KEEP(*(.end_block));
  } > FLASH
} INSERT AFTER .uninit;
";

fn main() {
    let rp2350 = std::env::var_os("CARGO_FEATURE_RP2350").is_some();
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    std::fs::write(out.join("memory.x"), if rp2350 { RP2350 } else { F405 }).expect("a writable folder");
    println!("cargo:rustc-link-search={}", out.display());
    for argument in ["-Tlink.x", "-Tdefmt.x", "--nmagic"] {
        println!("cargo:rustc-link-arg-bins={argument}");
    }
    println!("cargo:rerun-if-changed=build.rs");
}
