//! The module that is added to the copy of the kernel: the switch, and the record of which mutants a run reached.

/// The module's text for a number of mutants. `STICTION_MUTANT` is the number of the active mutant. At the end, the
/// first numbers of the reached sites are appended to the file `STICTION_REACHED`. Both are read and written outside of
/// `main`, so that a test of the switch costs a load, a store and a comparison.
pub fn module(mutants: usize) -> String {
    format!("const MUTANTS: usize = {mutants};\n{TEXT}")
}

const TEXT: &str = r#"
extern crate std;
use std::format;
use std::io::Write;
use std::string::String;
use core::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};

static ACTIVE: AtomicU32 = AtomicU32::new(u32::MAX);
static REACHED: [AtomicU8; MUTANTS] = [const { AtomicU8::new(0) }; MUTANTS];

#[inline(always)]
pub fn at(number: u32) -> u32 {
    REACHED[number as usize].store(1, Relaxed);
    ACTIVE.load(Relaxed).wrapping_sub(number)
}

#[allow(dead_code)]
#[inline(always)]
pub fn on(number: u32) -> bool {
    at(number) == 0
}

/// How often this was called before: for a change that makes results depend on the past.
#[allow(dead_code)]
pub fn calls() -> i16 {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    (CALLS.fetch_add(1, Relaxed) & 0xff) as i16
}

#[allow(dead_code)]
#[inline(always)]
pub fn like<A>(_: &A, base: A) -> A {
    base
}

extern "C" fn begin() {
    if let Some(number) = std::env::var("STICTION_MUTANT").ok().and_then(|text| text.parse().ok()) {
        ACTIVE.store(number, Relaxed);
    }
}

extern "C" fn end() {
    let Some(path) = std::env::var_os("STICTION_REACHED") else { return };
    let Ok(mut file) = std::fs::OpenOptions::new().append(true).create(true).open(path) else { return };
    let mut text = String::new();
    for (number, reached) in REACHED.iter().enumerate() {
        if reached.load(Relaxed) != 0 {
            text += &format!("{number}\n");
        }
    }
    let _ = file.write_all(text.as_bytes());
}

#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: extern "C" fn() = begin;
#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = end;
"#;
