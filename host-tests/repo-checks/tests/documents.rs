//! Documents are correct: links have targets, the README is short, and its figures are those of other tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use stiction_repo_checks::{part, root};

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every document of the repository, without build output.
fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() && !name.starts_with('.') && !["target", "node_modules", "corpus"].contains(&name.as_str()) {
            documents(&path, found);
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

/// The targets of a document's links, without other sites and anchors; code is skipped.
fn links(text: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut in_code = false;
    for line in text.lines() {
        in_code ^= line.trim_start().starts_with("```");
        if !in_code {
            plain.extend(line.split('`').step_by(2).chain(["\n"]));
        }
    }
    plain
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter(|link| !link.contains("://") && !link.starts_with('#'))
        .map(|link| link.split('#').next().unwrap_or("").to_string())
        .collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut found = Vec::new();
    documents(&root(), &mut found);
    assert!(found.len() > 30, "{} documents", found.len());
    let mut count = 0;
    for document in &found {
        let folder = document.parent().expect("a folder");
        for link in links(&read(document)) {
            assert!(folder.join(&link).exists(), "{}: {link} has no target", document.display());
            count += 1;
        }
    }
    assert!(count > 80, "{count} links");
}

#[test]
fn the_books_contents_are_its_chapters() {
    let source = root().join("docs/book/src");
    let mut found = Vec::new();
    documents(&source, &mut found);
    let listed: Vec<PathBuf> = links(&read(&source.join("SUMMARY.md"))).iter().map(|link| source.join(link)).collect();
    for chapter in found.iter().filter(|path| !path.ends_with("SUMMARY.md")) {
        assert!(listed.contains(chapter), "{} is not in the contents", chapter.display());
    }
    for chapter in &listed {
        for line in read(chapter).lines().filter_map(|line| line.trim().strip_prefix("{{#include ")) {
            let file = line.trim_end_matches('}').split(':').next().unwrap_or("");
            assert!(chapter.parent().expect("a folder").join(file).exists(), "{}: {file}", chapter.display());
        }
    }
}

#[test]
fn the_readme_is_short() {
    let lines = read(&root().join("README.md")).lines().count();
    assert!(lines <= 110, "{lines} lines");
}

/// Rows of the README's table: what it is, its name in the file, its unit, and its limit.
const BOARD: [(&str, &str, &str, Option<u64>); 23] = [
    ("one contact, one sweep, sticking", "stick_visit", "instructions", Some(400)),
    ("the same, sliding", "slide_visit", "instructions", Some(650)),
    ("with torsion, sticking", "moments_stick_visit_4", "instructions", None),
    ("the same, sliding", "moments_slide_visit_4", "instructions", None),
    ("with torsion and rolling, sticking", "moments_stick_visit_6", "instructions", None),
    ("the same, sliding", "moments_slide_visit_6", "instructions", None),
    ("eight contacts, ten sweeps, sticking, all around it", "stick_8_contacts_10_sweeps", "instructions", Some(60_000)),
    ("the same, sliding", "slide_8_contacts_10_sweeps", "instructions", Some(60_000)),
    ("the same with default settings", "slide_default_settings_10_sweeps", "instructions", Some(60_200)),
    ("closing a solve after the deadline", "deadline_closing", "instructions", Some(8 * 1200)),
    ("past 100 µs, with that kept in reserve", "deadline_overrun", "instructions", Some(8 * 650)),
    ("a step of the robot, mean", "robot_bare_mean", "instructions", Some(16_000)),
    ("the same, at most", "robot_bare_most", "instructions", Some(45_000)),
    ("with the flight recorder, mean", "robot_step_mean", "instructions", Some(30_000)),
    ("solver, bodies and contacts", "memory", "bytes", Some(4096)),
    ("stack of a solve, of a step", "solve_stack_without_friction", "bytes", Some(808)),
    ("stack of a solve that bounces with friction", "solve_stack_bouncing", "bytes", Some(808)),
    ("stack of a solve with torsion and rolling", "moments_stack", "bytes", None),
    ("memory for eight contacts with torsion and rolling", "moments_memory", "bytes", None),
    ("code of a solve at opt-level 3", "solve_code_3", "bytes", Some(28 * 1024 + 768)),
    ("the same at opt-level s", "solve_code_s", "bytes", Some(16 * 1024)),
    ("firmware without its log at opt-level s", "firmware_code_s", "bytes", Some(48 * 1024)),
    ("the same at opt-level 3", "firmware_code_3", "bytes", Some(48 * 1024)),
];

/// Figures by name, from a committed file of them.
fn figures(file: &str) -> BTreeMap<String, u64> {
    let text = read(&root().join(file));
    text.lines()
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(name, figure)| Some((name.to_string(), figure.parse().ok()?)))
        .collect()
}

#[test]
fn what_a_call_from_c_costs_is_the_committed_count() {
    let figures = figures("kernel/capi/cost.txt");
    let (films, from_c, from_rust) = (figures["films"], figures["from_c"], figures["from_rust"]);
    let share = 100.0 * (from_c as f64 / from_rust as f64 - 1.0);
    let hundreds = |count: u64| grouped((count + 50) / 100 * 100);
    let guarantees = format!(
        "{films} films of scenes, a million bad calls, sanitizers, symbols, {} instructions a solve of 8 contacts ({share:.1} %)",
        hundreds(from_c - from_rust)
    );
    let engines = format!(
        "{} instructions from C, {} from Rust as `cargo build --release` makes it: +{share:.1} %",
        hundreds(from_c),
        hundreds(from_rust)
    );
    for (document, words) in [("docs/guarantees.md", guarantees), ("docs/engines.md", engines)] {
        assert!(read(&root().join(document)).contains(&words), "{document} does not say: {words}");
    }
}

#[test]
fn what_direct_methods_cost_on_the_board_is_the_committed_count() {
    let figures = figures("embedded-example/golden/budgets.txt");
    let of = |name: &str| grouped(figures[name]);
    let rows = format!(
        "| | instructions | factorisations |\n|---|---:|---:|\n| at rest | {} | {} |\n| kicked | {} | {} |\n\n\
         {} bytes of memory for everything, {} of stack.\n",
        of("direct_instructions"),
        of("direct_factorisations"),
        of("direct_kicked_instructions"),
        of("direct_kicked_factorisations"),
        of("direct_memory"),
        of("direct_stack")
    );
    part("docs/convergence.md", "direct", &rows);
}

/// Constants that documents repeat: the document and its words.
#[test]
fn documents_repeat_constants_as_they_are() {
    let settings = stiction::Settings::<f64>::default();
    let steps = stiction::StepSettings::<f64>::default();
    let centimetres = |metres: f64| format!("{:.0} cm", 100.0 * metres);
    let repeated = [
        ("docs/book/src/choosing.md", format!("{} by default", centimetres(steps.contact_margin))),
        ("docs/book/src/choosing.md", format!("{} by default", centimetres(settings.slop))),
        ("docs/book/src/choosing.md", format!("{} in a bare solve, with split", settings.error_reduction)),
        ("docs/book/src/choosing.md", format!("1/{:.0} in a substep", 1.0 / steps.solver.error_reduction)),
        ("docs/book/src/error-reduction.md", format!("Bare solve: {}, and split", settings.error_reduction)),
        (
            "docs/book/src/error-reduction.md",
            format!("Step: 1/{:.0} in each substep", 1.0 / steps.solver.error_reduction),
        ),
        ("docs/book/src/error-reduction.md", format!("default limit of {} sweeps", settings.sweeps)),
        ("docs/book/src/differences.md", format!("{} in a bare solve, 1/", settings.error_reduction)),
        (
            "docs/book/src/differences.md",
            format!("| {} in a bare solve; in a step {}", settings.sweeps, steps.solver.sweeps),
        ),
        ("docs/book/src/differences.md", format!("{:e} in `f64`", settings.tolerance)),
        ("docs/book/src/differences.md", format!("{:e} in `f32`", stiction::Settings::<f32>::default().tolerance)),
        ("docs/reliability.md", format!("`MAX_NEWTON_STEPS` ({})", stiction::local::MAX_NEWTON_STEPS)),
    ];
    for (document, words) in repeated {
        assert!(read(&root().join(document)).contains(&words), "{document} does not say: {words}");
    }
}

/// What *What differs from the design documents* says of surfaces.
#[test]
fn bodies_have_smooth_surfaces_unless_they_are_given() {
    let movable = stiction::RigidBody::<f64>::from_mass(1.0, stiction::nalgebra::Matrix3::identity());
    for body in [stiction::RigidBody::<f64>::fixed(), movable] {
        assert_eq!(body.material, stiction::Material::SMOOTH);
    }
}

/// What the same page says of loads.
#[test]
fn a_load_acts_until_it_is_changed() {
    use stiction::nalgebra::{Matrix3, Vector3};
    let settings = stiction::StepSettings { gravity: Vector3::zeros(), ..stiction::StepSettings::<f64>::default() };
    let (mut pipeline, mut world) = (stiction::Pipeline::<f64, 1, 1>::new(settings), stiction::World::<f64, 1>::new());
    let load = stiction::Wrench { force: Vector3::x(), ..stiction::Wrench::NONE };
    world.push(stiction::RigidBody { load, ..stiction::RigidBody::from_mass(1.0, Matrix3::identity()) }).unwrap();
    let mut speed = || {
        pipeline.step(&mut world, stiction::manifolds(&[]), 1.0).unwrap();
        if world.bodies().linear_velocities()[0].x > 1.5 {
            world.set_load(0, stiction::Wrench::NONE).unwrap();
        }
        world.bodies().linear_velocities()[0].x
    };
    assert_eq!([speed(), speed(), speed()], [1.0, 2.0, 2.0]);
}

#[test]
fn the_readmes_board_is_the_committed_one() {
    let figures = figures("embedded-example/golden/budgets.txt");
    let mut rows = String::from("| | | limit |\n|---|---:|---:|\n");
    for (what, name, unit, limit) in BOARD {
        let figure = figures[name];
        let mut cell = format!("{} {unit}", grouped(figure));
        if name == "solve_stack_without_friction" {
            cell = format!("{}, {} {unit}", grouped(figure), grouped(figures["step_stack"]));
        }
        if limit.is_some_and(|limit| figure > limit) {
            cell = format!("**{cell}**");
        }
        let limit = limit.map_or_else(String::new, |limit| match name {
            "solve_stack_without_friction" => format!("{}, {}", grouped(limit), grouped(1536)),
            _ => grouped(limit),
        });
        rows += &format!("| {what} | {cell} | {limit} |\n");
    }
    part("docs/boards.md", "board", &rows);
    let kept = |row: &&str| README_ROWS.iter().any(|kept| row.starts_with(kept));
    let short: String = rows.lines().filter(kept).map(|row| format!("{row}\n")).collect();
    part("README.md", "board", &short);
}

/// Rows of the leg's table: what it is, its name in the file, its unit.
const LEG: [(&str, &str, &str); 9] = [
    ("one free hinge, one sweep", "leg_hinge_visit", "instructions"),
    ("the same with a servo", "leg_hinge_servo_visit", "instructions"),
    ("one free slider, one sweep", "leg_slider_visit", "instructions"),
    ("the same with a servo", "leg_slider_servo_visit", "instructions"),
    ("a step, mean", "leg_step_mean", "instructions"),
    ("the same, at most", "leg_step_most", "instructions"),
    ("world and pipeline", "leg_memory", "bytes"),
    ("stack of a step", "leg_stack", "bytes"),
    ("firmware without its log at opt-level 3", "leg_code", "bytes"),
];

#[test]
fn the_legs_board_is_the_committed_one() {
    let figures = figures("embedded-example/golden/budgets.txt");
    let mut rows = String::from("| | with a factor | without |\n|---|---:|---:|\n");
    for (what, name, unit) in LEG {
        let without =
            figures.get(&format!("{name}_without_factor")).map(|figure| format!("{} {unit}", grouped(*figure)));
        rows += &format!("| {what} | {} {unit} | {} |\n", grouped(figures[name]), without.unwrap_or_default());
    }
    let share = |name: &str| format!("{:.0} %", figures[name] as f64 / 1680.0);
    rows += &format!(
        "\nIn instructions over the 168,000 cycles of a millisecond a step is {}, {} at most; without a factor {}, {} at most.\n",
        share("leg_step_mean"),
        share("leg_step_most"),
        share("leg_step_mean_without_factor"),
        share("leg_step_most_without_factor")
    );
    part("docs/boards.md", "leg", &rows);
}

/// Beginnings of the rows that the README repeats.
const README_ROWS: [&str; 6] =
    ["| | |", "|---", "| one contact, one sweep", "| eight contacts", "| solver, bodies", "| stack of a solve, of"];

/// With commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Figures that the README repeats from elsewhere: how many scenes, and how many mutants were noticed.
#[test]
fn readme_counts_match_the_sources() {
    let (readme, guarantees) = (read(&root().join("README.md")), read(&root().join("docs/guarantees.md")));
    let built_in = read(&root().join("host-tests/cli/src/rig/scenes.rs"));
    let scenes = built_in
        .lines()
        .filter(|line| line.trim_start().trim_start_matches("Named { ").starts_with("name: \""))
        .count();
    assert!(readme.contains(&format!("one of {scenes} scenes")), "{scenes} scenes");
    let on_page =
        read(&root().join("docs/playground/page/scenes.json")).lines().filter(|line| line.starts_with('{')).count();
    assert!(guarantees.contains(&format!("{on_page} scenes in a headless Chromium")), "{on_page} scenes on the page");
    let mutants = read(&root().join("docs/mutants.md"));
    let noticed =
        mutants.split(" that compile are noticed: ").nth(1).and_then(|rest| rest.split('.').next()).expect("a share");
    assert!(guarantees.contains(&format!("{noticed} % of mutants noticed")), "{noticed} % of mutants");
}
