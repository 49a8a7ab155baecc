//! The required tests: every row of `docs/required-tests.md` names a change of the kernel, and with that change its
//! tests must fail.
//!
//! All changes are compiled into one copy of the workspace, each behind its switch, and each test is run alone with
//! the changes of its rows.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::Fallible;
use crate::changes::{CHANGES, Row, rows};
use crate::copy::{copy_tree, with_switch, write_if_different};
use crate::suite::{self, End, Test};
use crate::switch;

/// The page that lists the required tests.
const PAGE: &str = "docs/required-tests.md";
/// The packages whose tests the page names.
const PACKAGES: [&str; 2] = ["stiction", "stiction-cli"];

/// Time that a test with a change may take, as a multiple of its time without, and in addition. A scene test that fails
/// is run again and recorded.
const LONGEST: (f64, Duration) = (10.0, Duration::from_secs(60));

/// Builds the copy, runs the tests with their changes, and says which rows are not caught.
pub fn required(repository: &Path, copy: &Path) -> Fallible<()> {
    let rows = rows(&fs::read_to_string(repository.join(PAGE))?)?;
    write_copy(repository, copy)?;
    let tests = tests_of(&rows, copy)?;
    let pairs = pairs_of(&rows)?;
    println!("{} rows, {} changes, {} tests, {} runs", rows.len(), CHANGES.len(), tests.len(), pairs.len());
    let caught = run_all(&tests, &pairs)?;
    let missed: Vec<String> = rows.iter().flat_map(|row| missed_by(row, &caught)).collect();
    missed.iter().for_each(|line| println!("{line}"));
    let bad: BTreeSet<_> = missed.iter().filter_map(|line| line.split(": ").next()).collect();
    println!("{} of {} rows are caught", rows.len() - bad.len(), rows.len());
    if bad.is_empty() { Ok(()) } else { Err("some rows would pass without what they name".into()) }
}

/// Copies the repository with all changes behind switches.
fn write_copy(repository: &Path, copy: &Path) -> Fallible<()> {
    let kernel = repository.join("kernel/src");
    copy_tree(repository, copy, &|path| path == kernel)?;
    copy_tree(&kernel, &copy.join("kernel/src"), &|path| path.extension().is_some_and(|e| e == "rs"))?;
    write_sources(&kernel, &copy.join("kernel/src"), "kernel/src")?;
    write_if_different(&copy.join("kernel/src/mutant.rs"), &switch::module(CHANGES.len()))
}

fn write_sources(from: &Path, to: &Path, name: &str) -> Fallible<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let (path, file) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        let name = format!("{name}/{}", file.to_string_lossy());
        if path.is_dir() {
            write_sources(&path, &to.join(file), &name)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = switched(&fs::read_to_string(path)?, &name)?;
            let text = if name == "kernel/src/lib.rs" { with_switch(&text) } else { text };
            write_if_different(&to.join(file), &text)?;
        }
    }
    Ok(())
}

/// A file with its changes behind switches. Several changes may be of the same expression.
fn switched(text: &str, file: &str) -> Fallible<String> {
    let mut sites = BTreeMap::<(usize, usize), String>::new();
    for (number, change) in CHANGES.iter().enumerate().filter(|(_, change)| change.file == file) {
        let (wanted, part) = change.site();
        let mut found = text.match_indices(&wanted);
        let (Some((at, _)), None) = (found.next(), found.next()) else {
            return Err(format!("{file} does not have this exactly once: {wanted}").into());
        };
        let case = format!("if crate::mutant::on({number}) {{ {} }} else ", change.new);
        sites.entry((at + part.start, at + part.end)).or_default().push_str(&case);
    }
    let (mut out, mut last) = (String::new(), 0);
    for ((at, end), cases) in sites {
        if at < last {
            return Err(format!("changes of {file} overlap at: {}", &text[at..end]).into());
        }
        let old = &text[at..end];
        let chain = format!("{cases}{{ {old} }}");
        // A statement needs no value, and parentheses would make it an expression.
        let chain = if old.starts_with("for ") { chain } else { format!("({chain})") };
        out += &format!("{}{chain}", &text[last..at]);
        last = end;
    }
    Ok(out + &text[last..])
}

/// A test as the page names it: a macro may have put a module for each precision in between.
fn reference(name: &str) -> String {
    let words: Vec<&str> = name.split("::").collect();
    format!("{}::{}", words[0], words[words.len() - 1])
}

/// The tests that the page names, one for each precision, with their times without a change.
fn tests_of(rows: &[Row], copy: &Path) -> Fallible<BTreeMap<String, Vec<Test>>> {
    let wanted: BTreeSet<&String> = rows.iter().flat_map(|row| &row.tests).collect();
    let mut tests = BTreeMap::<String, Vec<Test>>::new();
    for (program, folder) in suite::programs(copy, &PACKAGES)? {
        for name in suite::names(&program, &folder)? {
            let reference = reference(&name);
            if !wanted.contains(&reference) {
                continue;
            }
            let (program, folder) = (program.clone(), folder.clone());
            let mut test = Test { program, folder, name, seconds: 0.0, reached: BTreeSet::new() };
            let start = Instant::now();
            if test.run(None, None, Duration::from_secs(600))? != End::Passed {
                return Err(format!("{} fails without a change", test.name).into());
            }
            test.seconds = start.elapsed().as_secs_f64();
            tests.entry(reference).or_default().push(test);
        }
    }
    match wanted.into_iter().find(|name| !tests.contains_key(*name)) {
        Some(missing) => Err(format!("there is no test {missing}").into()),
        None => Ok(tests),
    }
}

/// Every test with the number of every change of its rows.
fn pairs_of(rows: &[Row]) -> Fallible<BTreeSet<(String, usize)>> {
    let mut pairs = BTreeSet::new();
    for row in rows {
        for says in &row.fails {
            let number = CHANGES.iter().position(|change| change.says == says);
            let number = number.ok_or_else(|| format!("{}: no change says: {says}", row.name))?;
            pairs.extend(row.tests.iter().map(|test| (test.clone(), number)));
        }
    }
    Ok(pairs)
}

/// Runs all pairs, on all cores; returns those that fail, by the change's words.
fn run_all(
    tests: &BTreeMap<String, Vec<Test>>,
    pairs: &BTreeSet<(String, usize)>,
) -> Fallible<BTreeSet<(String, &'static str)>> {
    let (pairs, next): (Vec<_>, _) = (pairs.iter().collect(), AtomicUsize::new(0));
    let caught = Mutex::new(BTreeSet::new());
    let failed = Mutex::new(None);
    let work = || {
        while let Some((name, number)) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
            match all_fail(&tests[name], *number) {
                Ok(true) => drop(caught.lock().expect("no panic").insert((name.clone(), CHANGES[*number].says))),
                Ok(false) => {}
                Err(error) => *failed.lock().expect("no panic") = Some(error.to_string()),
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    match failed.into_inner()? {
        Some(error) => Err(error.into()),
        None => Ok(caught.into_inner()?),
    }
}

/// Whether a test fails with a change, in every precision. One that only takes too long does not.
fn all_fail(tests: &[Test], change: usize) -> Fallible<bool> {
    for test in tests {
        let most = Duration::from_secs_f64(LONGEST.0 * test.seconds) + LONGEST.1;
        if test.run(Some(change), None, most)? != End::Failed {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What is wrong with a row: a test that none of its changes makes fail, or a change that none of its tests notices.
fn missed_by(row: &Row, caught: &BTreeSet<(String, &str)>) -> Vec<String> {
    let fails = |test: &String, says: &String| caught.contains(&(test.clone(), says.as_str()));
    let tests = row.tests.iter().filter(|test| !row.fails.iter().any(|says| fails(test, says)));
    let changes = row.fails.iter().filter(|says| !row.tests.iter().any(|test| fails(test, says)));
    let tests = tests.map(|test| format!("{}: {test} passes with every change of its row", row.name));
    tests.chain(changes.map(|says| format!("{}: no test fails when {says}", row.name))).collect()
}
