//! Tables: printed row by row, and stored as CSV for the kind of machine that they were measured on.

use std::path::PathBuf;

/// Rows under a header.
pub struct Table {
    name: &'static str,
    lines: Vec<String>,
}

/// The folder with the results of this kind of machine.
pub fn folder() -> PathBuf {
    let kind = format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS);
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("results").join(kind)
}

impl Table {
    /// Begins a table.
    pub fn new(name: &'static str, header: &str) -> Self {
        println!("\n{name}\n{header}");
        Table { name, lines: vec![header.to_string()] }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: &[String]) {
        let line = cells.join(",");
        println!("{line}");
        self.lines.push(line);
    }

    /// Stores it if results are to be stored: `STICTION_DRAW=1`.
    ///
    /// # Panics
    /// When the file cannot be written.
    pub fn keep(&self) {
        keep(&format!("{}.csv", self.name), &format!("{}\n", self.lines.join("\n")));
    }
}

/// Stores a file among the results if results are to be stored.
///
/// # Panics
/// When the file cannot be written.
pub fn keep(name: &str, content: &str) {
    if std::env::var_os("STICTION_DRAW").is_some() {
        std::fs::create_dir_all(folder()).expect("the folder of results");
        std::fs::write(folder().join(name), content).expect("a file of results");
    }
}

/// A figure with three digits.
pub fn figure(value: f64) -> String {
    if value == 0.0 || (0.01..1e5).contains(&value.abs()) {
        let digits = (2 - value.abs().max(1e-9).log10().floor() as i32).clamp(0, 4) as usize;
        format!("{value:.digits$}")
    } else {
        format!("{value:.2e}")
    }
}
