//! Parts of documents that tests write and compare.

/// Compares a part of a document in `docs`, between `<!-- part -->` and `<!-- end of part -->`; writes it instead where
/// `STICTION_DRAW` is set. `test` is the test program that does so.
///
/// # Panics
/// Where it differs.
pub fn part(document: &str, part: &str, rows: &str, test: &str) {
    println!("{rows}");
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(document);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("docs/{document}: {error}"));
    let (begin, end) = (format!("<!-- {part} -->\n"), format!("<!-- end of {part} -->"));
    let from = text.find(&begin).unwrap_or_else(|| panic!("docs/{document} has no part {part}")) + begin.len();
    let to = text.find(&end).unwrap_or_else(|| panic!("docs/{document} does not end its part {part}"));
    if std::env::var_os("STICTION_DRAW").is_some() {
        std::fs::write(&path, format!("{}{rows}{}", &text[..from], &text[to..]))
            .unwrap_or_else(|error| panic!("docs/{document}: {error}"));
    } else {
        let again = format!("STICTION_DRAW=1 cargo test --release -p stiction-host --test {test} -- --test-threads 1");
        assert!(&text[from..to] == rows, "docs/{document} is not what is so; write it anew: {again}");
    }
}

/// Compares a whole file, by its path from the workspace; writes it instead where `STICTION_DRAW` is set. `test` is the test program
/// that does so.
///
/// # Panics
/// Where it differs.
pub fn whole(file: &str, text: &str, test: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    if std::env::var_os("STICTION_DRAW").is_some() {
        return std::fs::write(&path, text).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
    let again = format!("STICTION_DRAW=1 cargo test --release -p stiction-host --test {test} -- --test-threads 1");
    assert!(kept == text, "{file} is not what is so; write it anew: {again}");
}
