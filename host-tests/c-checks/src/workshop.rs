//! Programs in C and C++ compiled against the library.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run;

/// How a program is compiled.
pub struct Recipe<'a> {
    /// Its name.
    pub compiler: &'a str,
    /// Before the sources.
    pub flags: &'a [&'a str],
    /// From the interface's folder.
    pub sources: &'a [&'a str],
    /// After the sources.
    pub libraries: &'a [&'a str],
}

/// C under AddressSanitizer and UBSan.
pub const SANITIZED: &[&str] = &[
    "-std=gnu11",
    "-O1",
    "-g",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
];
/// C as most people compile it.
pub const PLAIN: &[&str] = &["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror"];
/// C++ as engines compile it.
pub const CPP: &[&str] =
    &["-std=c++17", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fno-exceptions", "-fno-rtti"];

/// A folder to build programs in, and the library that they link.
pub struct Workshop {
    /// The interface's folder.
    pub capi: PathBuf,
    /// Where programs go.
    pub out: PathBuf,
    archive: PathBuf,
}

impl Workshop {
    /// In `target/c/programs`, with an archive.
    pub fn new(root: &Path, archive: &Path) -> Result<Self, String> {
        let out = root.join("target/c/programs");
        std::fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
        Ok(Workshop { capi: root.join("kernel/capi"), out, archive: archive.to_path_buf() })
    }

    /// Compiles a program against the archive; sources are named from the interface's folder.
    pub fn build(&self, name: &str, recipe: &Recipe) -> Result<PathBuf, String> {
        let program = self.out.join(name);
        let mut command = Command::new(recipe.compiler);
        command.args(recipe.flags).arg("-I").arg(self.capi.join("include"));
        command.args(recipe.sources.iter().map(|source| self.capi.join(source))).arg(&self.archive);
        command.args(["-Wl,--gc-sections"]).args(recipe.libraries).arg("-o").arg(&program);
        run(&mut command)?;
        Ok(program)
    }
}
