//! The tables of `docs/speed.md`, and what the README repeats of them, are those of the committed results. Times are of one run on
//! one machine: nothing here measures.

use std::path::Path;

use stiction_host::document::part;

/// A table of results: its lines, cell by cell.
struct Table {
    name: &'static str,
    lines: Vec<Vec<String>>,
}

impl Table {
    fn read(name: &'static str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/results/x86_64-linux").join(name);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Table { name, lines: text.lines().map(cells).collect() }
    }

    /// The line that begins so.
    fn line(&self, beginning: &[&str]) -> &[String] {
        let found = self.lines.iter().find(|line| line.iter().zip(beginning).all(|(cell, begins)| cell == begins));
        found.unwrap_or_else(|| panic!("{} has no line {beginning:?}", self.name))
    }

    fn number(&self, beginning: &[&str], column: &str) -> f64 {
        let at = self.lines[0].iter().position(|cell| cell == column);
        let at = at.unwrap_or_else(|| panic!("{} has no column {column}", self.name));
        self.line(beginning)[at].parse().unwrap_or_else(|error| panic!("{} {beginning:?}: {error}", self.name))
    }
}

/// The cells of a line; those with commas are in quotes.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            _ => cells.last_mut().expect("a cell").push(c),
        }
    }
    cells
}

fn row(cells: &[&str]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

const WALLS: [(&str, &str); 3] = [
    ("wall of 1,000 contacts, warm", "wall of 1,000, warm"),
    ("wall of 1,000 contacts, cold", "wall of 1,000"),
    ("the same, shoved: three in four contacts slide", "wall of 1,000, shoved"),
];

/// Times of the exact rule over those of the C peer, warm, cold and shoved.
fn times_the_peer(sweeps: &Table) -> [f64; 3] {
    WALLS.map(|(_, subject)| sweeps.number(&[subject, "exact", "f32"], "times the C peer"))
}

#[test]
fn the_tables_are_the_committed_results() {
    let sweeps = Table::read("sweeps.csv");
    let mut rows = String::from(
        "| problem | exact, ns | projection in C, ns | ratio | residual after 60 sweeps, exact / C |\n|---|---|---|---|---|\n",
    );
    for ((name, subject), ratio) in WALLS.into_iter().zip(times_the_peer(&sweeps)) {
        let of = |solver: &str, column: &str| sweeps.number(&[subject, solver, "f32"], column);
        let time = |solver| format!("{:.0}", of(solver, "ns a contact and sweep"));
        let left = |solver| format!("{:.1e}", of(solver, "residual after 60 sweeps"));
        let peer = if subject.ends_with("warm") { "from nothing".into() } else { left("C projection") };
        let ratio = if ratio > 1.0 { format!("**{ratio:.2}**") } else { format!("{ratio:.2}") };
        let residuals = format!("{} / {peer}", left("exact"));
        rows += &row(&[name, &time("exact"), &time("C projection"), &ratio, &residuals]);
    }
    part("speed.md", "sweeps", &rows, "speed");
    part("speed.md", "growth", &growth(&Table::read("scaling.csv")), "speed");
    part("speed.md", "engines", &engines(&Table::read("engines.csv"), &sweeps), "speed");
    part("speed.md", "published", &published(&Table::read("published.csv")), "speed");
}

fn growth(scaling: &Table) -> String {
    let time = |contacts, start| scaling.number(&[contacts, start], "ns a contact and sweep");
    let around = |start| scaling.number(&["1024", start], "ns a contact around them") / 1000.0;
    let [cold, warm] = ["cold", "warm"].map(|start| time("4096", start) / time("64", start));
    assert!(cold <= 1.5 && warm <= 1.5, "a contact costs {cold} and {warm} times as much among 4,096 as among 64");
    format!(
        "A contact and sweep takes {cold:.2} times as long among 4,096 contacts as among 64 when cold, {warm:.2} when warm. Around its \
         sweeps a solve of\n1,024 takes {:.1} µs a contact warm, {:.1} cold: rows, residual, energies, guard.\n",
        around("warm"),
        around("cold")
    )
}

fn engines(engines: &Table, sweeps: &Table) -> String {
    let mut rows = String::from(
        "| scene | solver | µs a frame | approach, m/s | penetration, mm | drift, mm | allocations a frame |\n\
         |---|---|---:|---:|---:|---:|---:|\n",
    );
    for line in engines.lines.iter().skip(1) {
        let beginning = [line[0].as_str(), line[1].as_str()];
        let of = |column| engines.number(&beginning, column);
        rows += &row(&[
            &line[0],
            &line[1],
            &format!("{:.0}", of("microseconds a frame")),
            &format!("{:.1e}", of("approach m/s")),
            &format!("{:.1}", 1e3 * of("penetration m")),
            &format!("{:.0}", 1e3 * of("drift m")),
            &format!("{:.0}", of("allocations a frame")),
        ]);
    }
    let time = |scene, solver| engines.number(&[scene, solver], "microseconds a frame");
    rows += "\nFor each of Rapier's, the fastest of ours that approaches no faster, is no deeper and drifts no farther:\n\n";
    for line in engines.lines.iter().skip(1).filter(|line| line[1].starts_with("Rapier")) {
        let of = |solver: &str, column| engines.number(&[&line[0], solver], column);
        let as_good = |ours: &str| {
            ["approach m/s", "penetration m", "drift m"].iter().all(|column| of(ours, column) <= of(&line[1], column))
        };
        let ours = engines.lines.iter().filter(|other| other[0] == line[0] && other[1].starts_with("ours"));
        let fastest = ours
            .map(|other| other[1].as_str())
            .filter(|name| as_good(name))
            .min_by(|one, other| time(&line[0], one).total_cmp(&time(&line[0], other)));
        let told = fastest.map_or("none".into(), |name| {
            format!("{name}, **{:.1} times** its time", time(&line[0], name) / time(&line[0], &line[1]))
        });
        rows += &format!("- {}, {}: {told}\n", line[0], line[1]);
    }
    let ours = ["stack-16", "ours 1 x up to 32"];
    let visits = engines.number(&ours, "iterations") * engines.number(&ours, "contacts");
    let visit = sweeps.number(&["stack of 16", "exact", "f32"], "ns a contact and sweep") / 1000.0;
    let share = 100.0 * visits * visit / time(ours[0], ours[1]);
    rows + &format!("\nOf our frame of the stack with 32 sweeps, sweeps are about {share:.0} %.\n")
}

fn published(published: &Table) -> String {
    let mut rows = String::from("| problem | ours, ms | Siconos here, ms | as published, ms |\n|---|---:|---:|---:|\n");
    let (mut faster, mut calibration) = (0, Vec::new());
    for line in published.lines.iter().skip(1) {
        let of = |column| published.number(&[line[0].as_str()], column);
        let (ours, here, told) = (of("ms to 1e-4"), of("ms of Siconos here"), of("ms of Siconos as published"));
        faster += i32::from(ours < here);
        calibration.push(here / told);
        rows += &row(&[&line[0], &format!("{ours}"), &format!("{here}"), &format!("{told}")]);
    }
    calibration.sort_by(f64::total_cmp);
    let problems = calibration.len();
    assert!(faster >= 10, "faster on {faster} of {problems}");
    let median = calibration[problems / 2];
    rows + &format!(
        "\nFaster on {faster} of {problems}. Siconos took {median:.2} of its published times here (median): the calibration.\n"
    )
}

#[test]
fn the_readme_repeats_the_committed_ratios() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = std::fs::read_to_string(path).expect("the README");
    let [warm, cold, shoved] = times_the_peer(&Table::read("sweeps.csv"));
    let told =
        format!("{shoved:.1} times its time where three in four do, {cold:.1} on a cold wall, {warm:.1} on a warm");
    assert!(readme.contains(&told), "the README does not say: {told}");
}
