//! The cost of a call from C: no allocation, and hardly more instructions than a call from Rust.

use std::path::Path;
use std::process::Command;

use crate::run;
use crate::workshop::{PLAIN, Recipe, Workshop};

/// Allowed extra instructions of a solve from C relative to Rust, in per cent. The position of functions in the program
/// changes it by 0.06, and how a sweep is compiled in the archive by 0.5.
const MOST_OVERHEAD: f64 = 2.6;

fn repeat(workshop: &Workshop) -> Result<std::path::PathBuf, String> {
    workshop.build("repeat", &Recipe { compiler: "cc", flags: PLAIN, sources: &["checks/repeat.c"], libraries: &[] })
}

/// Counts allocations with a library that is loaded before the program.
pub fn allocations(workshop: &Workshop) -> Result<(), String> {
    let counter = workshop.out.join("libcount.so");
    let source = workshop.capi.join("checks/count_allocations.c");
    run(Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror"])
        .arg(source)
        .arg("-o")
        .arg(&counter)
        .arg("-ldl"))?;
    let counted =
        |program: &Path, arguments: &[&str]| run(Command::new(program).args(arguments).env("LD_PRELOAD", &counter));
    let said = counted(&repeat(workshop)?, &["1000"])?;
    // A control shows that the counter works: this program allocates once.
    let control = workshop.out.join("control.c");
    std::fs::write(&control, CONTROL).map_err(|error| format!("{}: {error}", control.display()))?;
    let program = workshop.out.join("control");
    run(Command::new("cc").arg("-O0").arg(&control).arg("-o").arg(&program))?;
    if !counted(&program, &[])?.contains("allocations 1") {
        return Err("the allocation counter does not work here".into());
    }
    if !said.contains("allocations 0") {
        return Err(format!("solves from C allocate: {said}"));
    }
    println!("    1000 solves: no allocation (a control that makes one was counted)");
    Ok(())
}

const CONTROL: &str = r#"#include <stdio.h>
#include <stdlib.h>
extern unsigned long counted_allocations(void) __attribute__((weak));
int main(void) {
    unsigned long before = counted_allocations ? counted_allocations() : 0;
    void *volatile memory = malloc(10);
    unsigned long after = counted_allocations ? counted_allocations() : 0;
    printf("allocations %lu\n", after - before);
    free(memory);
    return 0;
}
"#;

/// Instructions of a solve: those of 1,100 less those of 100, over 1,000.
fn instructions_of(program: &Path) -> Result<(f64, String), String> {
    let mut counts = [0.0; 2];
    let mut digest = String::new();
    for (count, times) in counts.iter_mut().zip(["100", "1100"]) {
        let mut command = Command::new("valgrind");
        command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program).arg(times);
        let said = run(&mut command)?;
        let collected = said.lines().find_map(|line| line.split("Collected : ").nth(1));
        let number = collected.and_then(|number| number.trim().parse().ok());
        *count = number.ok_or(format!("callgrind said no count: {said}"))?;
        digest = said.lines().find(|line| line.len() == 16).unwrap_or("").into();
    }
    Ok(((counts[1] - counts[0]) / 1000.0, digest))
}

/// Compares a solve of eight contacts from C with the same from Rust; gives both counts.
pub fn instructions(root: &Path, workshop: &Workshop) -> Result<(u64, u64), String> {
    run(Command::new("cargo").current_dir(root).args([
        "build",
        "--release",
        "-p",
        "stiction-c",
        "--example",
        "repeat",
    ]))?;
    let (from_rust, rust_digest) = instructions_of(&root.join("target/release/examples/repeat"))?;
    let (from_c, c_digest) = instructions_of(&repeat(workshop)?)?;
    if rust_digest != c_digest || c_digest.is_empty() {
        return Err(format!("C gives {c_digest}, Rust {rust_digest}"));
    }
    let overhead = 100.0 * (from_c - from_rust) / from_rust;
    println!(
        "    a solve of eight contacts: {from_c:.0} instructions from C, {from_rust:.0} from Rust ({overhead:+.2} %)"
    );
    if overhead > MOST_OVERHEAD {
        return Err(format!("a call from C costs {overhead:.2} % more, at most {MOST_OVERHEAD} % is allowed"));
    }
    Ok((from_c as u64, from_rust as u64))
}
