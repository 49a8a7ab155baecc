//! What we link, and the oldest compiler that builds it.
//!
//! Licences come from what `.cargo/deny.toml` allows, so that `cargo deny` and this agree; the kernel's own dependencies are
//! those that `docs/reliability.md` lists, no more and no fewer. Advisories need a network and are `cargo deny`'s.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::setup::output;

/// Heading of the kernel's dependencies in the document; they follow in backquotes.
const HEADING: &str = "## What the kernel links";

/// Runs all of it; the first thing wrong is the error.
pub fn check(root: &Path) -> Result<(), String> {
    for folder in [".", "kernel/link-proof", "embedded-example", "host-tests/fuzz", "host-tests/mutants"] {
        let folder = root.join(folder);
        if folder.join("Cargo.toml").exists() {
            println!("    {}: {} packages", folder.display(), check_licences(root, &folder)?);
        }
    }
    check_kernel(root)
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn allowed(root: &Path) -> Result<BTreeSet<String>, String> {
    let path = root.join(".cargo/deny.toml");
    let table: toml::Table = read(&path)?.parse().map_err(|error| format!("{}: {error}", path.display()))?;
    let list = table.get("licenses").and_then(|licences| licences.get("allow")).and_then(|list| list.as_array());
    let list = list.ok_or_else(|| format!("{}: no licenses.allow", path.display()))?;
    Ok(list.iter().filter_map(|one| one.as_str()).map(String::from).collect())
}

/// Every package may be used under a licence that is allowed, and comes from the registry or from here.
fn check_licences(root: &Path, folder: &Path) -> Result<usize, String> {
    let allowed = allowed(root)?;
    let metadata =
        output(Command::new("cargo").args(["metadata", "--format-version", "1", "--locked"]).current_dir(folder))?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|error| error.to_string())?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata names no packages")?;
    for package in packages {
        let text = |field: &str| package[field].as_str();
        let name = text("name").unwrap_or("a package without a name");
        if text("source").is_some_and(|source| !source.starts_with("registry+") && !source.starts_with("sparse+")) {
            return Err(format!("{name} comes from {}", text("source").unwrap_or("nowhere")));
        }
        let licence = text("license").ok_or_else(|| format!("{name} names no licence"))?;
        let expression = spdx::Expression::parse_mode(licence, spdx::ParseMode::LAX)
            .map_err(|error| format!("{name}: licence '{licence}': {error}"))?;
        if !expression.evaluate(|requirement| allowed.contains(&requirement.to_string())) {
            return Err(format!("{name}: licence '{licence}' is not among those that .cargo/deny.toml allows"));
        }
    }
    Ok(packages.len())
}

/// The kernel links what the document says.
fn check_kernel(root: &Path) -> Result<(), String> {
    let arguments =
        ["tree", "--package", "stiction", "--edges", "normal", "--prefix", "none", "--format", "{p}", "--locked"];
    let tree = output(Command::new("cargo").args(arguments).current_dir(root))?;
    let linked: BTreeSet<&str> = tree
        .lines()
        .filter_map(|line| line.split(' ').next())
        .filter(|name| !["", "stiction"].contains(name))
        .collect();
    let path = root.join("docs/reliability.md");
    let document = read(&path)?;
    let listed = document.split(HEADING).nth(1).ok_or_else(|| format!("{}: no '{HEADING}'", path.display()))?;
    let listed = listed.split("\n## ").next().unwrap_or("");
    let listed: BTreeSet<&str> =
        listed.lines().filter(|line| line.starts_with("| `")).filter_map(|line| line.split('`').nth(1)).collect();
    if linked != listed {
        return Err(format!("the kernel links {linked:?}, and docs/reliability.md lists {listed:?}"));
    }
    println!("    the kernel links {} packages, as listed", linked.len());
    Ok(())
}

/// Builds what users link with the oldest compiler that the manifest names; the error says why that was not possible.
pub fn oldest_compiler(root: &Path) -> Result<Result<(), String>, String> {
    let manifest: toml::Table =
        read(&root.join("Cargo.toml"))?.parse().map_err(|error| format!("Cargo.toml: {error}"))?;
    let version =
        manifest["workspace"]["package"]["rust-version"].as_str().ok_or("Cargo.toml names no rust-version")?;
    let install = ["toolchain", "install", version, "--profile", "minimal"];
    if let Err(reason) = output(Command::new("rustup").args(install)) {
        return Ok(Err(format!("Rust {version} could not be installed: {}", reason.lines().last().unwrap_or(""))));
    }
    let status = Command::new("rustup")
        .args(["run", version, "cargo", "check", "--locked", "--package", "stiction", "--package", "stiction-c"])
        .args(["--target-dir", "target/oldest"])
        .current_dir(root)
        .status()
        .map_err(|error| error.to_string())?;
    if !status.success() {
        return Err(format!("Rust {version} does not build what Cargo.toml says it does"));
    }
    println!("    Rust {version} builds the kernel and the C library");
    Ok(Ok(()))
}
