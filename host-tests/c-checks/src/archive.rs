//! The library as C links it, and its contents.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::read::archive::ArchiveFile;
use object::{Object, ObjectSymbol};

use stiction_tasks::{draws, read, setup};

/// Functions that C may call, one per line.
const SYMBOLS: &str = "kernel/capi/symbols.txt";

/// Undefined symbols that the archive may have.
const ALLOWED: [&str; 3] = ["memcpy", "memmove", "memset"];

/// Words that no symbol of the library may contain.
const FORBIDDEN: [&str; 4] = ["panic", "unwind", "alloc", "eh_personality"];

/// Name of the shared library for programs that use it, with the part of the version that marks breaking changes:
/// before 1.0 that is two numbers.
pub fn soname() -> String {
    let (major, minor) = (env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"));
    if major == "0" { format!("libstiction.so.0.{minor}") } else { format!("libstiction.so.{major}") }
}

/// The library for this machine.
pub struct Library {
    /// `libstiction_c.a`.
    pub archive: PathBuf,
    /// `libstiction_c.so`.
    pub shared: PathBuf,
}

fn cargo(root: &Path, types: &str) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root).args(["rustc", "--package", "stiction-c", "--features", "archive", "--profile", "c"]);
    cargo.args(["--crate-type", types, "--target-dir"]).arg(root.join("target/c"));
    cargo
}

/// Builds it for this machine.
pub fn host(root: &Path) -> Result<Library, String> {
    let mut build = cargo(root, "staticlib,cdylib");
    build.args(["--", "-C", &format!("link-arg=-Wl,-soname,{}", soname())]);
    crate::run(&mut build)?;
    let folder = root.join("target/c/c");
    let archive = without_strangers(&folder.join("libstiction_c.a"), &root.join("target/c/libstiction.a"))?;
    Ok(Library { archive, shared: folder.join("libstiction_c.so") })
}

/// A copy of an archive without the compiler's routines that it does not use: on this machine that is all of them.
fn without_strangers(archive: &Path, to: &Path) -> Result<PathBuf, String> {
    let members = members(archive)?;
    let mut kept: Vec<&Member> = members.iter().filter(|member| member.own).collect();
    for _ in 0..members.len() {
        let wanted: BTreeSet<&String> = kept.iter().flat_map(|member| &member.wanted).collect();
        let is_kept = |member: &Member| kept.iter().any(|kept| kept.name == member.name);
        let next = members.iter().find(|m| !is_kept(m) && m.defined.iter().any(|name| wanted.contains(name)));
        match next.filter(|_| !kept.is_empty()) {
            Some(member) => kept.push(member),
            None => break,
        }
    }
    let strangers: Vec<&str> = members
        .iter()
        .filter(|member| !kept.iter().any(|kept| kept.name == member.name))
        .map(|member| member.name.as_str())
        .collect();
    std::fs::copy(archive, to).map_err(|error| format!("{}: {error}", to.display()))?;
    crate::run(Command::new("ar").arg("dD").arg(to).args(strangers))?;
    Ok(to.to_path_buf())
}

/// Builds the archive for the microcontroller.
pub fn board(root: &Path) -> Result<PathBuf, String> {
    setup::target(setup::BOARD)?;
    crate::run(cargo(root, "staticlib").args(["--target", setup::BOARD]))?;
    Ok(root.join("target/c").join(setup::BOARD).join("c/libstiction_c.a"))
}

/// An object of an archive.
struct Member {
    name: String,
    /// Whether it is the library's own and not one of the compiler's routines.
    own: bool,
    defined: BTreeSet<String>,
    wanted: BTreeSet<String>,
    all: BTreeSet<String>,
}

fn members(archive: &Path) -> Result<Vec<Member>, String> {
    let bytes = std::fs::read(archive).map_err(|error| format!("{}: {error}", archive.display()))?;
    let file = ArchiveFile::parse(&*bytes).map_err(|error| error.to_string())?;
    let mut members = Vec::new();
    for member in file.members() {
        let member = member.map_err(|error| error.to_string())?;
        let data = member.data(&*bytes).map_err(|error| error.to_string())?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        let own = name.starts_with("stiction_c");
        let [mut defined, mut wanted, mut all] = [const { BTreeSet::new() }; 3];
        if let Ok(object) = object::File::parse(data) {
            for symbol in object.symbols() {
                let Some(name) = symbol.name().ok().filter(|name| !name.is_empty()) else { continue };
                all.insert(name.to_string());
                if symbol.is_undefined() {
                    wanted.insert(name.to_string());
                } else if symbol.is_global() {
                    defined.insert(name.to_string());
                }
            }
        }
        members.push(Member { name, own, defined, wanted, all });
    }
    Ok(members)
}

/// Symbols of a program whose names are wanted.
pub fn symbols(program: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<String>, String> {
    let bytes = std::fs::read(program).map_err(|error| format!("{}: {error}", program.display()))?;
    let object = object::File::parse(&*bytes).map_err(|error| error.to_string())?;
    let names = object.symbols().filter_map(|symbol| symbol.name().ok().map(String::from));
    Ok(names.filter(|name| is_wanted(name)).collect())
}

fn forbid(members: &[Member]) -> Result<(), String> {
    let mut all = members.iter().flat_map(|member| &member.all);
    match all.find(|name| FORBIDDEN.iter().any(|word| name.contains(word))) {
        Some(name) => Err(format!("the archive contains {name}")),
        None => Ok(()),
    }
}

/// The microcontroller's archive: the same, but it contains copying, filling and the arithmetic that the processor
/// lacks.
pub fn check_board(archive: &Path) -> Result<(), String> {
    let members = members(archive)?;
    forbid(&members)?;
    let defined: BTreeSet<&String> = members.iter().flat_map(|member| &member.defined).collect();
    let own = members.iter().filter(|member| member.own).flat_map(|member| &member.wanted);
    match own.into_iter().find(|name| !defined.contains(name)) {
        Some(name) => Err(format!("the archive for the board needs {name}")),
        None => Ok(()),
    }
}

/// No panic, no allocator, only copying and filling from the C library, and exactly the documented functions.
pub fn check(root: &Path, archive: &Path) -> Result<(), String> {
    let members = members(archive)?;
    forbid(&members)?;
    let defined: BTreeSet<&String> = members.iter().flat_map(|member| &member.defined).collect();
    let wanted: BTreeSet<&String> = members.iter().flat_map(|member| &member.wanted).collect();
    let missing: Vec<&str> = wanted.difference(&defined).map(|name| name.as_str()).collect();
    if let Some(name) = missing.iter().find(|name| !ALLOWED.contains(name)) {
        return Err(format!("the archive needs {name}"));
    }
    let exported: Vec<&str> =
        defined.iter().map(|name| name.as_str()).filter(|name| name.starts_with("stiction_")).collect();
    let fresh = exported.join("\n") + "\n";
    let path = root.join(SYMBOLS);
    if draws() {
        std::fs::write(&path, &fresh).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let kept = read(&path)?;
    if kept != fresh {
        return Err(format!(
            "{SYMBOLS} is not what the archive exports: that is another ABI (STICTION_DRAW=1 updates it)"
        ));
    }
    println!("    {} functions; needs {} only; no panic, no allocator", exported.len(), missing.join(" and "));
    Ok(())
}
