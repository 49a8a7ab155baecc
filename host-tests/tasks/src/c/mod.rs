//! The C interface as its users meet it: header, library, examples, package, engines.

pub mod archive;
mod cost;
mod examples;
mod films;
pub mod header;
pub mod install;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{counts, setup};

/// Runs a command; the error shows what it said.
fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.success() { Ok(said) } else { Err(format!("{command:?} ended with {}: {said}", output.status)) }
}

/// How a program is compiled.
struct Recipe<'a> {
    compiler: &'a str,
    flags: &'a [&'a str],
    sources: &'a [&'a str],
    /// What follows the sources: libraries.
    libraries: &'a [&'a str],
}

const SANITIZED: &[&str] = &[
    "-std=gnu11",
    "-O1",
    "-g",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
];
const PLAIN: &[&str] = &["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror"];
const CPP: &[&str] =
    &["-std=c++17", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fno-exceptions", "-fno-rtti"];

/// A folder to build programs in, and the library that they link.
struct Workshop {
    capi: PathBuf,
    out: PathBuf,
    archive: PathBuf,
}

impl Workshop {
    fn new(root: &Path, archive: &Path) -> Result<Self, String> {
        let out = root.join("target/c/programs");
        std::fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
        Ok(Workshop { capi: root.join("kernel/capi"), out, archive: archive.to_path_buf() })
    }

    /// Compiles a program against the archive; sources are named from the interface's folder.
    fn build(&self, name: &str, recipe: &Recipe) -> Result<PathBuf, String> {
        let program = self.out.join(name);
        let mut command = Command::new(recipe.compiler);
        command.args(recipe.flags).arg("-I").arg(self.capi.join("include"));
        command.args(recipe.sources.iter().map(|source| self.capi.join(source))).arg(&self.archive);
        command.args(["-Wl,--gc-sections"]).args(recipe.libraries).arg("-o").arg(&program);
        run(&mut command)?;
        Ok(program)
    }
}

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
    Ok(())
}

/// Same bits, refusals, bad input, allocations, cost of a call.
pub fn check_behaviour(root: &Path) -> Result<(), String> {
    let library = archive::host(root)?;
    let workshop = Workshop::new(root, &library.archive)?;
    let films = same_bits(&workshop)?;
    let doors = Recipe { compiler: "cc", flags: SANITIZED, sources: &["checks/doors.c"], libraries: &["-lm"] };
    run(&mut Command::new(workshop.build("doors", &doors)?))?;
    println!("    refusals by name, under AddressSanitizer and UBSan");
    let fuzz = |flags| Recipe { compiler: "cc", flags, sources: &["checks/fuzz.c"], libraries: &["-lm"] };
    for (name, flags, calls) in [("fuzz-sanitized", SANITIZED, "200000"), ("fuzz", PLAIN, "1000000")] {
        let said = run(Command::new(workshop.build(name, &fuzz(flags))?).arg(calls))?;
        println!("    {name}: {}", said.lines().next().unwrap_or(""));
    }
    cost::allocations(&workshop)?;
    let Some((from_c, from_rust)) = cost::instructions(root, &workshop)? else { return Ok(()) };
    let counts = [("films", films), ("from_c", from_c), ("from_rust", from_rust)];
    counts::compare(root, "kernel/capi/cost.txt", &counts.map(|(name, count)| (name.to_string(), count)))
}

/// Repeats all films in C and C++; gives their number.
fn same_bits(workshop: &Workshop) -> Result<u64, String> {
    let films = films::write(&workshop.out.join("films"))?;
    let in_c = Recipe { compiler: "cc", flags: SANITIZED, sources: &["checks/film.c"], libraries: &["-lm"] };
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
        sources: &["checks/film.cpp"],
        libraries: &[],
    };
    for (name, recipe) in [("film-c", &in_c), ("film-cpp", &in_cpp)] {
        let said = run(Command::new(workshop.build(name, recipe)?).args(&films))?;
        let same = said.lines().filter(|line| line.ends_with("every bit the same")).count();
        if same != films.len() {
            return Err(format!("{name}: {said}"));
        }
        println!("    {name}: {same} films of scenes repeated, every bit the same as in Rust");
    }
    Ok(films.len() as u64)
}

/// Examples in C and C++, the installed package, an engine.
pub fn check_examples(root: &Path) -> Result<Option<String>, String> {
    let library = archive::host(root)?;
    let workshop = Workshop::new(root, &library.archive)?;
    examples::host(&workshop)?;
    install::check(root, &library)?;
    examples::bullet(&workshop)
}

/// The example in C on the microcontroller.
pub fn check_firmware(root: &Path) -> Result<(), String> {
    let library = archive::host(root)?;
    let board = archive::board(root)?;
    archive::check_board(&board)?;
    examples::firmware(&Workshop::new(root, &library.archive)?, &board)
}

/// What the checks need, or why they cannot run.
pub fn compilers() -> Result<(), String> {
    setup::program("cc", "gcc")?;
    setup::program("c++", "g++")
}
