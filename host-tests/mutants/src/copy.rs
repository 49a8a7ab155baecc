//! A copy of the repository whose kernel has all mutants in it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use crate::Fallible;
use crate::list::{self, Mutant};
use crate::render::{Mark, Renderer, Rewritten};
use crate::sites::{self, Shape, Site};
use crate::suite;
use crate::switch;

/// The state of a mutant before any test ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It compiles.
    Viable,
    /// It does not.
    Unviable,
    /// It is in code that cannot be switched at run time.
    Skipped,
}

impl Standing {
    /// As a word of the tables.
    pub fn word(self) -> &'static str {
        match self {
            Standing::Viable => "viable",
            Standing::Unviable => "unviable",
            Standing::Skipped => "skipped",
        }
    }
}

struct Source {
    /// Relative to the repository.
    file: String,
    text: String,
    sites: Vec<Site>,
}

/// Copies the repository, rewrites its kernel until it compiles, and says which mutants are left.
pub fn prepare(mutants: &[Mutant], repository: &Path, copy: &Path) -> Fallible<Vec<Standing>> {
    copy_tree(repository, copy, &|_| false)?;
    let mut standings = vec![Standing::Viable; mutants.len()];
    let sources = sources(mutants, copy, &mut standings)?;
    add_switch(mutants.len(), copy)?;
    let binding = sources.iter().flat_map(|source| &source.sites).filter(|site| matches!(site.shape, Shape::Binding));
    let mut dropped: BTreeSet<usize> = binding.flat_map(|site| site.mutants.clone()).collect();
    loop {
        let rewritten = rewrite(&sources, mutants, &dropped, copy)?;
        let rejected = rejected(&sources, &rewritten, copy)?;
        println!("{} mutants do not compile; {} more", dropped.len(), rejected.len());
        if rejected.is_empty() {
            break;
        }
        dropped.extend(rejected);
    }
    for number in dropped {
        standings[number] = Standing::Unviable;
    }
    Ok(standings)
}

/// Copies everything but build output, the git history and what is skipped.
pub fn copy_tree(from: &Path, to: &Path, skipped: &dyn Fn(&Path) -> bool) -> Fallible<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == ".git" || name == "target" || skipped(&entry.path()) {
            continue;
        }
        let target = to.join(&name);
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target, skipped)?;
        } else if fs::read(&target).ok() != Some(fs::read(entry.path())?) {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

fn sources(mutants: &[Mutant], copy: &Path, standings: &mut [Standing]) -> Fallible<Vec<Source>> {
    let files: BTreeSet<_> = mutants.iter().map(|m| m.file.clone()).collect();
    let mut sources = Vec::new();
    for file in files {
        let text = fs::read_to_string(copy.join(&file))?;
        let mut positions = list::by_position(mutants, &file);
        let sites = sites::find(&syn::parse_file(&text)?, &mut positions);
        for number in positions.into_values().flatten() {
            standings[number] = Standing::Skipped;
        }
        sources.push(Source { file, text, sites });
    }
    Ok(sources)
}

fn add_switch(mutants: usize, copy: &Path) -> Fallible<()> {
    fs::write(copy.join("kernel/src/mutant.rs"), switch::module(mutants))?;
    let root = copy.join("kernel/src/lib.rs");
    let text = with_switch(&fs::read_to_string(&root)?);
    fs::write(root, text)?;
    Ok(())
}

/// The crate's root with the module of the switch.
pub fn with_switch(root: &str) -> String {
    root.replace("#![forbid(unsafe_code)]", "") + "\nmod mutant;\n"
}

/// Writes a file unless it has this text: cargo builds what is newer than its output.
pub fn write_if_different(path: &Path, text: &str) -> Fallible<()> {
    if fs::read_to_string(path).ok().as_deref() != Some(text) {
        fs::write(path, text)?;
    }
    Ok(())
}

fn rewrite(sources: &[Source], mutants: &[Mutant], dropped: &BTreeSet<usize>, copy: &Path) -> Fallible<Vec<Rewritten>> {
    let mut all = Vec::new();
    for source in sources {
        let rewritten = Renderer { source: &source.text, sites: &source.sites, mutants, dropped }.file();
        fs::write(copy.join(&source.file), &rewritten.text)?;
        all.push(rewritten);
    }
    Ok(all)
}

/// The mutants whose text the compiler rejects.
fn rejected(sources: &[Source], rewritten: &[Rewritten], copy: &Path) -> Fallible<BTreeSet<usize>> {
    let output = suite::cargo(copy)?
        .args(["check", "--offline", "--package", "stiction", "--message-format=json"])
        .stderr(Stdio::null())
        .output()?;
    let mut rejected = BTreeSet::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        let message: Value = serde_json::from_str(line)?;
        let message = &message["message"];
        if message["level"] != "error" || message["spans"].as_array().is_none_or(Vec::is_empty) {
            continue;
        }
        let numbers = blamed(message, sources, rewritten);
        if numbers.is_empty() {
            return Err(format!("no mutant explains this: {}", message["rendered"]).into());
        }
        rejected.extend(numbers);
    }
    if rejected.is_empty() && !output.status.success() {
        return Err("the copy does not build, and no mutant is to blame".into());
    }
    Ok(rejected)
}

/// The mutants under the main spans of a message; failing those, under any.
fn blamed(message: &Value, sources: &[Source], rewritten: &[Rewritten]) -> Vec<usize> {
    let spans: Vec<_> = message["spans"].as_array().into_iter().flatten().collect();
    let at = |primary: bool| -> Vec<usize> {
        let chosen = spans.iter().filter(|span| !primary || span["is_primary"] == true);
        chosen.filter_map(|span| under(span, sources, rewritten)).flatten().collect()
    };
    let first = at(true);
    if first.is_empty() { at(false) } else { first }
}

fn under(span: &Value, sources: &[Source], rewritten: &[Rewritten]) -> Option<Vec<usize>> {
    let name = PathBuf::from(span["file_name"].as_str()?);
    let which = sources.iter().position(|source| Path::new(&source.file).file_name() == name.file_name())?;
    match rewritten[which].mark_at(span["byte_start"].as_u64()? as usize)? {
        Mark::Mutant(number) => Some(vec![number]),
        Mark::Site(first) => {
            let site = sources[which].sites.iter().find(|site| site.mutants[0] == first)?;
            Some(site.mutants.clone())
        }
    }
}
