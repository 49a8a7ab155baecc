//! The committed PTX is the present kernel's, and says nothing that could change bits. Needs neither a graphics processor nor the
//! compiler's components for one.

use std::fs;

use stiction_ptx::{PTX, RECORD, names, record, root, sources};

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_committed_ptx_is_that_of_the_present_sources() {
    record::check(&read(PTX), &read(RECORD), &sources::digest(&root()).unwrap()).unwrap();
}

#[test]
fn another_ptx_or_another_source_is_noticed() {
    let (ptx, built, digest) = (read(PTX), read(RECORD), sources::digest(&root()).unwrap());
    assert!(record::check(&ptx, &built, "0").unwrap_err().contains("stale"));
    let contracted = ptx.replacen("add.rn.f32", "add.f32", 1);
    assert!(record::check(&contracted, &built, &digest).unwrap_err().contains("contract"));
    let longer = format!("{ptx}\n");
    assert!(record::check(&longer, &built, &digest).unwrap_err().contains("not the one"));
}

#[test]
fn the_committed_ptx_names_no_folder_and_no_hash() {
    let ptx = read(PTX);
    assert_eq!(names::shortened(&ptx), ptx);
    assert!(!ptx.contains("_R") && !ptx.contains('/'));
}
