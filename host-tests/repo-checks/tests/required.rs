//! The page of required tests: every test that it names exists, and every row names a change of the kernel that can be
//! made. That the tests fail with these changes is checked by `stiction-mutants required`.

use std::collections::{BTreeMap, BTreeSet};
use stiction_repo_checks::{read, tests_in};

#[path = "../../mutants/src/changes.rs"]
mod changes;

use changes::{CHANGES, Row};

fn rows() -> Vec<Row> {
    changes::rows(&read("docs/required-tests.md")).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_required_test_is_shown_by_tests_that_exist() {
    let (rows, mut sources) = (rows(), BTreeMap::new());
    assert!(rows.len() > 100, "only {} rows", rows.len());
    let names: BTreeSet<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names.len(), rows.len(), "a name occurs twice");
    for (row, reference) in rows.iter().flat_map(|row| row.tests.iter().map(move |test| (row, test))) {
        let (file, test) = reference.split_once("::").unwrap_or_else(|| panic!("not file::test: {reference}"));
        let source = sources.entry(file.to_string()).or_insert_with(|| tests_in(file));
        let exists = source.contains(&format!("fn {test}(")) || source.contains(&format!("=> {test},"));
        assert!(exists, "{}: {reference} does not exist", row.name);
    }
}

#[test]
fn every_required_test_names_a_change_and_every_change_is_named() {
    let rows = rows();
    let listed: BTreeSet<&str> = CHANGES.iter().map(|change| change.says).collect();
    assert_eq!(listed.len(), CHANGES.len(), "two changes say the same");
    let named: BTreeSet<&str> = rows.iter().flat_map(|row| row.fails.iter().map(String::as_str)).collect();
    let unknown: Vec<_> = named.difference(&listed).collect();
    assert!(unknown.is_empty(), "no change says {unknown:?}");
    let unused: Vec<_> = listed.difference(&named).collect();
    assert!(unused.is_empty(), "no row names {unused:?}");
}

#[test]
fn every_change_is_of_an_expression_that_occurs_once_in_its_file() {
    let mut taken = BTreeMap::<&str, BTreeSet<(usize, usize)>>::new();
    for change in CHANGES {
        let ((wanted, part), text) = (change.site(), read(change.file));
        let found: Vec<usize> = text.match_indices(&wanted).map(|(at, _)| at).collect();
        assert_eq!(found.len(), 1, "{} must have exactly once: {wanted}", change.file);
        assert!(!wanted[part.clone()].is_empty() && wanted[part.clone()] != *change.new, "{}", change.says);
        taken.entry(change.file).or_default().insert((found[0] + part.start, found[0] + part.end));
    }
    for (file, ranges) in taken {
        let overlap = ranges.iter().zip(ranges.iter().skip(1)).find(|(one, next)| next.0 < one.1);
        assert!(overlap.is_none(), "changes of {file} overlap");
    }
}
