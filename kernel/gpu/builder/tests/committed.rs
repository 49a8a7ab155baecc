//! The committed PTX is the present kernel's, and says nothing that could change bits. Needs neither a graphics processor nor the
//! compiler's components for one.

use std::fs;

use stiction_ptx::{RECORD, committed, names, record, root, sources};

type Texts = Vec<(String, String)>;

fn texts() -> Texts {
    committed(&root()).unwrap()
}

fn built() -> String {
    fs::read_to_string(root().join(RECORD)).unwrap_or_else(|error| panic!("{RECORD}: {error}"))
}

/// The same with another first text.
fn changed(texts: &Texts, change: impl Fn(&str) -> String) -> Texts {
    let mut texts = texts.clone();
    texts[0].1 = change(&texts[0].1);
    texts
}

#[test]
fn the_committed_ptx_is_that_of_the_present_sources() {
    record::check(&texts(), &built(), &sources::digest(&root()).unwrap()).unwrap();
}

#[test]
fn another_ptx_or_another_source_is_noticed() {
    let (texts, built, digest) = (texts(), built(), sources::digest(&root()).unwrap());
    let said = |texts: &Texts, digest: &str| record::check(texts, &built, digest).unwrap_err();
    assert!(said(&texts, "0").contains("stale"));
    assert!(said(&changed(&texts, |ptx| ptx.replacen("add.rn.f32", "add.f32", 1)), &digest).contains("contract"));
    assert!(said(&changed(&texts, |ptx| format!("{ptx}\n")), &digest).contains("not the one"));
    // As long as before.
    assert!(said(&changed(&texts, |ptx| ptx.replacen("add.rn.f32", "sub.rn.f32", 1)), &digest).contains("not the one"));
    assert!(said(&texts[1..].to_vec(), &digest).contains("not the one"));
}

#[test]
fn the_committed_ptx_names_no_folder_and_no_hash() {
    for (name, ptx) in texts() {
        assert_eq!(names::shortened(&ptx), ptx, "{name}");
        assert!(!ptx.contains("_R") && !ptx.contains('/'), "{name}");
    }
}
