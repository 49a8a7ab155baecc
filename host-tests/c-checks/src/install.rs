//! `cargo install-c`: header, libraries, and the files that CMake and pkg-config need to find them.

use std::path::{Path, PathBuf};
use std::process::Command;

use stiction_tasks::{Check, Outcome, setup};

use crate::archive::{self, Library};
use crate::run;

const VERSION: &str = env!("CARGO_PKG_VERSION");
const LIBDIR: &str = "lib";

/// Destination.
struct Destination {
    /// Where files will be used.
    prefix: String,
    /// Where they are put now: `DESTDIR` before the prefix.
    folder: PathBuf,
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let fail = |error| format!("{}: {error}", to.display());
    std::fs::create_dir_all(to.parent().unwrap_or(to)).map_err(fail)?;
    // The old file is removed first: a program that runs with the old library keeps it.
    let _ = std::fs::remove_file(to);
    std::fs::copy(from, to).map(|_| ()).map_err(fail)
}

/// Writes a template with its placeholders filled in.
fn fill(from: &Path, to: &Path, destination: &Destination) -> Result<(), String> {
    let text = std::fs::read_to_string(from).map_err(|error| format!("{}: {error}", from.display()))?;
    let pointer = size_of::<usize>().to_string();
    let filled = [
        ("@VERSION@", VERSION),
        ("@PREFIX@", &destination.prefix),
        ("@LIBDIR@", LIBDIR),
        ("@POINTER_BYTES@", &pointer),
    ]
    .iter()
    .fold(text, |text, (name, value)| text.replace(name, value));
    let fail = |error| format!("{}: {error}", to.display());
    std::fs::create_dir_all(to.parent().unwrap_or(to)).map_err(fail)?;
    std::fs::write(to, filled).map_err(fail)
}

#[cfg(unix)]
fn link(name: &str, at: &Path) -> Result<(), String> {
    let _ = std::fs::remove_file(at);
    std::os::unix::fs::symlink(name, at).map_err(|error| format!("{}: {error}", at.display()))
}

#[cfg(not(unix))]
fn link(name: &str, at: &Path) -> Result<(), String> {
    copy(&at.with_file_name(name), at)
}

fn put(root: &Path, library: &Library, destination: &Destination) -> Result<(), String> {
    let (capi, lib) = (root.join("kernel/capi"), destination.folder.join(LIBDIR));
    for header in ["stiction.h", "stiction.hpp"] {
        copy(&capi.join("include").join(header), &destination.folder.join("include").join(header))?;
    }
    copy(&library.archive, &lib.join("libstiction.a"))?;
    let shared = format!("libstiction.so.{VERSION}");
    copy(&library.shared, &lib.join(&shared))?;
    link(&shared, &lib.join(archive::soname()))?;
    link(&archive::soname(), &lib.join("libstiction.so"))?;
    fill(&capi.join("packaging/stiction.pc.in"), &lib.join("pkgconfig/stiction.pc"), destination)?;
    for file in ["stiction-config.cmake", "stiction-config-version.cmake"] {
        fill(&capi.join("packaging").join(format!("{file}.in")), &lib.join("cmake/stiction").join(file), destination)?;
    }
    Ok(())
}

/// Installs below `DESTDIR` and a prefix, from `--destdir` and `--prefix` or the environment.
pub fn command(root: &Path, arguments: &[String]) -> Result<(), String> {
    let usage = || "usage: cargo install-c [--prefix /usr/local] [--destdir FOLDER]".to_string();
    let (mut prefix, mut destdir) = ("/usr/local".to_string(), std::env::var("DESTDIR").unwrap_or_default());
    for pair in arguments.chunks(2) {
        match pair {
            [name, value] if name == "--prefix" => prefix.clone_from(value),
            [name, value] if name == "--destdir" => destdir.clone_from(value),
            _ => return Err(usage()),
        }
    }
    if !prefix.starts_with('/') {
        return Err(format!("--prefix {prefix}: must be an absolute path"));
    }
    let folder = if destdir.is_empty() { PathBuf::from(&prefix) } else { PathBuf::from(format!("{destdir}{prefix}")) };
    println!("building the library (a minute or two)");
    let library = archive::host(root)?;
    put(root, &library, &Destination { prefix, folder: folder.clone() })?;
    println!("installed below {}", folder.display());
    Ok(())
}

/// Installs into a folder and builds a program against it, by CMake and by pkg-config.
pub fn check(root: &Path, library: &Library) -> Check {
    let staged = root.join("target/c/staged");
    let _ = std::fs::remove_dir_all(&staged);
    let destination = Destination { prefix: "/usr".into(), folder: staged.join("usr") };
    put(root, library, &destination)?;
    let consumer = root.join("kernel/capi/packaging/consumer");
    let mut left_out = Vec::new();
    match setup::program("cmake", "cmake") {
        Ok(()) => {
            let build = staged.join("build");
            let find = format!("-DCMAKE_PREFIX_PATH={}", destination.folder.display());
            run(Command::new("cmake").arg("-S").arg(&consumer).arg("-B").arg(&build).arg(find))?;
            run(Command::new("cmake").arg("--build").arg(&build))?;
            run(Command::new("ctest").arg("--output-on-failure").arg("--test-dir").arg(&build))?;
            println!("    installed package: found by CMake, built and run");
        }
        Err(reason) => left_out.push(format!("package for CMake: {reason}")),
    }
    match setup::program("pkg-config", "pkg-config") {
        Ok(()) => by_pkg_config(&staged, &destination, &consumer.join("main.c"))?,
        Err(reason) => left_out.push(format!("package for pkg-config: {reason}")),
    }
    Ok(if left_out.is_empty() {
        Outcome::Passed
    } else {
        Outcome::Skipped(format!("all but the {}", left_out.join("; the ")))
    })
}

fn by_pkg_config(staged: &Path, destination: &Destination, source: &Path) -> Result<(), String> {
    let lib = destination.folder.join(LIBDIR);
    let mut ask = Command::new("pkg-config");
    ask.args(["--define-prefix", "--cflags", "--libs", "stiction"]).env("PKG_CONFIG_PATH", lib.join("pkgconfig"));
    let flags = run(&mut ask)?;
    let program = staged.join("by-pkg-config");
    run(Command::new("cc").arg("-std=c99").arg(source).args(flags.split_whitespace()).arg("-o").arg(&program))?;
    run(Command::new(&program).env("LD_LIBRARY_PATH", &lib))?;
    println!("    installed package: found by pkg-config, built and run with the shared library");
    Ok(())
}
