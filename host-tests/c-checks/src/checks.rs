//! The C interface as its users see it: header, library, behaviour, examples, package, engines.

use std::path::{Path, PathBuf};
use std::process::Command;

use stiction_tasks::{Check, Outcome, figures, setup};

use crate::workshop::{PLAIN, Recipe, SANITIZED, Workshop};
use crate::{archive, cost, examples, header, install, run};

/// Header, layout, symbols.
pub fn check_library(root: &Path) -> Result<(), String> {
    header::check(root)?;
    let library = archive::host(root)?;
    archive::check(root, &library.archive)?;
    for (compiler, language) in [("cc", "c"), ("c++", "c++")] {
        let mut command = Command::new(compiler);
        command.args(["-fsyntax-only", "-x", language, "-D_Static_assert=static_assert"]);
        if language == "c" {
            command.args(["-std=c11", "-U_Static_assert"]);
        }
        command.arg("-I").arg(root.join("kernel/capi/include")).arg(root.join("kernel/capi/checks/layout.c"));
        run(&mut command)?;
    }
    println!("    header is fresh; sizes and offsets are those of Rust, in C and in C++");
    check_layout_of_32_bits(root)
}

/// Sizes and offsets with pointers of 32 bits, by a compiler that has them: the firmware's, or this machine's with
/// `double` aligned as on ARM.
fn check_layout_of_32_bits(root: &Path) -> Result<(), String> {
    let compile = |(compiler, flags): &(&str, &[&str]), source: &Path| {
        let mut command = Command::new(compiler);
        command.args(*flags).args(["-std=c11", "-ffreestanding", "-fsyntax-only", "-I"]);
        run(command.arg(root.join("kernel/capi/include")).args(["-x", "c"]).arg(source))
    };
    let compilers: [(&str, &[&str]); 2] = [("arm-none-eabi-gcc", &[]), ("cc", &["-m32", "-malign-double"])];
    let Some(compiler) = compilers.iter().find(|compiler| compile(compiler, Path::new("/dev/null")).is_ok()) else {
        println!("    not for 32 bits: there is no arm-none-eabi-gcc, and cc has no -m32");
        return Ok(());
    };
    compile(compiler, &root.join("kernel/capi/checks/layout.c"))?;
    println!("    and those of 32 bits, by {}", compiler.0);
    Ok(())
}

/// Same bits, errors, bad input, allocations, cost of a call.
pub fn check_behaviour(root: &Path) -> Check {
    let library = archive::host(root)?;
    let workshop = Workshop::new(root, &library.archive)?;
    let films = same_bits(root, &workshop)?;
    same_bits_with_moments(root, &workshop)?;
    let input_errors =
        Recipe { compiler: "cc", flags: SANITIZED, sources: &["checks/input_errors.c"], libraries: &["-lm"] };
    run(&mut Command::new(workshop.build("input_errors", &input_errors)?))?;
    println!("    errors by name, under AddressSanitizer and UBSan");
    let fuzz = |flags| Recipe { compiler: "cc", flags, sources: &["checks/fuzz.c"], libraries: &["-lm"] };
    for (name, flags, calls) in [("fuzz-sanitized", SANITIZED, "200000"), ("fuzz", PLAIN, "1000000")] {
        let said = run(Command::new(workshop.build(name, &fuzz(flags))?).arg(calls))?;
        println!("    {name}: {}", said.lines().next().unwrap_or(""));
    }
    cost::allocations(&workshop)?;
    if let Err(reason) = setup::program("valgrind", "valgrind") {
        return Ok(Outcome::Skipped(format!("all but the cost of a call: {reason}")));
    }
    let (from_c, from_rust) = cost::instructions(root, &workshop)?;
    let counts = [("films", films), ("from_c", from_c), ("from_rust", from_rust)];
    figures::compare(root, "kernel/capi/cost.txt", &counts.map(|(name, count)| (name.to_string(), count)), 0.03, 0)?;
    Ok(Outcome::Passed)
}

/// A program in C and the same in C++, both under AddressSanitizer and UBSan.
fn in_both_languages(workshop: &Workshop, name: &str) -> Result<[PathBuf; 2], String> {
    let (c, cpp) = (format!("checks/{name}.c"), format!("checks/{name}.cpp"));
    let in_c = Recipe { compiler: "cc", flags: SANITIZED, sources: &[&c], libraries: &["-lm"] };
    let in_cpp = Recipe {
        compiler: "c++",
        flags: &[
            "-std=c++17",
            "-O1",
            "-g",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fsanitize=address,undefined",
            "-fno-sanitize-recover=all",
        ],
        sources: &[&cpp],
        libraries: &[],
    };
    Ok([workshop.build(&format!("{name}-c"), &in_c)?, workshop.build(&format!("{name}-cpp"), &in_cpp)?])
}

/// Repeats all films in C and C++; returns their number.
fn same_bits(root: &Path, workshop: &Workshop) -> Result<u64, String> {
    let mut write = Command::new("cargo");
    write.current_dir(root).args(["run", "--quiet", "--package", "stiction-cli", "--bin", "films", "--"]);
    let written = run(write.arg(workshop.out.join("films")))?;
    let films: Vec<&str> = written.lines().filter(|line| line.ends_with(".film")).collect();
    for program in in_both_languages(workshop, "film")? {
        let said = run(Command::new(&program).args(&films))?;
        let same = said.lines().filter(|line| line.ends_with("every bit the same")).count();
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        if same != films.len() {
            return Err(format!("{name}: {said}"));
        }
        println!("    {name}: {same} films of scenes repeated, every bit the same as in Rust");
    }
    Ok(films.len() as u64)
}

/// Solves random problems with torsion, rolling and anisotropic friction in C and C++.
fn same_bits_with_moments(root: &Path, workshop: &Workshop) -> Result<(), String> {
    let problems = workshop.out.join("moments.problems");
    let mut write = Command::new("cargo");
    write.current_dir(root).args(["run", "--quiet", "--package", "stiction-c", "--example", "moments", "--"]);
    run(write.arg(&problems))?;
    for program in in_both_languages(workshop, "moments")? {
        let said = run(Command::new(&program).arg(&problems))?;
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        println!("    {name}: {} as in Rust", said.trim());
    }
    Ok(())
}

/// Examples in C and C++, and the installed package.
pub fn check_examples(root: &Path) -> Check {
    let library = archive::host(root)?;
    examples::host(&Workshop::new(root, &library.archive)?)?;
    install::check(root, &library)
}

/// The solver under another engine.
pub fn check_bullet(root: &Path) -> Check {
    let library = archive::host(root)?;
    examples::bullet(&Workshop::new(root, &library.archive)?)
}

/// The example in C on the microcontroller.
pub fn check_firmware(root: &Path) -> Result<(), String> {
    let library = archive::host(root)?;
    let board = archive::board(root)?;
    archive::check_board(&board)?;
    examples::firmware(&Workshop::new(root, &library.archive)?, &board)
}
