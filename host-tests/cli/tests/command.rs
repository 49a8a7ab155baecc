//! The `stiction solve` command as external tests use it: answers, exit status, and a one-line error for rejected
//! input.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::{Value, json};
use stiction_cli::problem::{Problem, SettingsEntry};
use stiction_cli::rig::scene::Scene;
use stiction_testkit::fc3d::Fc3d;
use stiction_testkit::known_answers::{sliding_cube, thrown_sphere};
use stiction_testkit::rng::Rng;

fn scratch(name: &str, bytes: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).expect("a writable target folder");
    path
}

fn stiction(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stiction")).args(arguments).output().expect("the binary runs")
}

fn solve(name: &str, bytes: &[u8], more: &[&str]) -> Output {
    let path = scratch(name, bytes);
    let mut arguments = vec!["solve", path.to_str().expect("a plain path")];
    arguments.extend(more);
    stiction(&arguments)
}

fn answer(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON on standard output")
}

/// Checks for exit status 2, empty standard output and one line on standard error; returns that line.
fn error(output: &Output) -> String {
    let line = String::from_utf8(output.stderr.clone()).expect("a readable line");
    assert_eq!(output.status.code(), Some(2), "{line}");
    assert!(output.stdout.is_empty());
    assert_eq!(line.lines().count(), 1, "{line}");
    line.trim_end().to_string()
}

fn example() -> Value {
    json!({
        "bodies": [
            { "inverse_mass": 0 },
            { "inverse_mass": 1.0, "inverse_inertia": [[6,0,0],[0,6,0],[0,0,6]], "linear": [6,0,-0.16], "angular": [0,0,0] }
        ],
        "contacts": [
            { "a": 0, "b": 1, "normal": [0,0,1], "r_a": [0,0,0], "r_b": [0.5,0.5,-0.5], "mu": 0.5, "restitution": 0.0,
              "depth": 0.0, "pre_impact_normal_velocity": null, "warm": { "normal": 0.0, "tangent": [0,0,0] } }
        ],
        "settings": { "local": "exact", "bounce": "together", "order": "alternating", "relaxation": 1.0, "sweeps": 50,
                      "tolerance": 1e-9, "restitution_threshold": 0.5, "dt": 0.016666666666666666, "stabilisation": "none" }
    })
}

#[test]
fn the_formats_example_is_answered_with_every_field() {
    let answer = answer(&solve("example.json", example().to_string().as_bytes(), &[]));
    assert_eq!(answer["status"], "converged");
    assert_eq!(answer["method"], "block_pgs");
    assert_eq!(answer["contacts"][0]["state"], "slide");
    for pointer in [
        "/sweeps",
        "/residual/natural",
        "/residual/approach",
        "/residual/cone",
        "/residual/worst_contact",
        "/energy_before",
        "/energy_after",
        "/passivity_guard",
        "/bodies/1/linear/2",
        "/bodies/1/angular/0",
        "/contacts/0/bounce",
        "/contacts/0/normal",
        "/contacts/0/tangent/2",
    ] {
        assert!(answer.pointer(pointer).is_some_and(|v| !v.is_null()), "{pointer} is missing");
    }
}

#[test]
fn only_the_required_fields_are_required() {
    let least = json!({
        "bodies": [ { "inverse_mass": 0 }, { "inverse_mass": 2 } ],
        "contacts": [ { "a": 0, "b": 1, "normal": [0,0,1], "r_a": [0,0,0], "r_b": [0,0,0], "mu": 0 } ]
    });
    assert_eq!(answer(&solve("least.json", least.to_string().as_bytes(), &[]))["status"], "converged");
}

#[test]
fn numbers_read_back_to_the_bits_of_the_library_in_both_precisions() {
    let island = sliding_cube(6.0, 0.7, 0.5);
    let file = serde_json::to_vec(&Problem::from_island(&island, SettingsEntry::default())).unwrap();
    let double = answer(&solve("bits64.json", &file, &[]));
    let single = answer(&solve("bits32.json", &file, &["--precision", "f32"]));
    let ours = island.solve(&stiction::Settings::<f64>::default()).unwrap();
    let ours32 = island.solve(&stiction::Settings::<f32>::default()).unwrap();
    for axis in 0..3 {
        let read = double["bodies"][1]["linear"][axis].as_f64().unwrap();
        assert_eq!(read.to_bits(), ours.velocities[1].0[axis].to_bits());
        let read = single["bodies"][1]["linear"][axis].as_f64().unwrap();
        assert_eq!((read as f32).to_bits(), ours32.velocities[1].0[axis].to_bits());
        assert_eq!(f64::from(read as f32), read);
    }
}

#[test]
fn every_named_choice_is_understood() {
    let choices = [
        ("local", &["exact", "hold_and_resolve", "projection", "box"][..]),
        ("bounce", &["together", "sequential"]),
        ("order", &["alternating", "forward", "colours"]),
        ("stabilisation", &["none", "split_impulse", "bias"]),
    ];
    for (setting, names) in choices {
        for name in names {
            let mut problem = example();
            problem["settings"][setting] = json!(name);
            answer(&solve(&format!("choice-{setting}-{name}.json"), problem.to_string().as_bytes(), &[]));
        }
    }
}

/// Every setting of the library has a field, in problems and in scenes: none keeps its default.
#[test]
fn every_setting_can_be_given() {
    let all = json!({
        "method": "sweeps", "local": "projection", "bounce": "sequential", "order": "forward", "relaxation": 0.9,
        "accelerated_relaxation": 0.8, "sweeps": 7, "factorisations": 3, "least_sweeps": 2, "normal_sweeps": 11,
        "tolerance": 1e-3, "restitution_threshold": 0.125, "stabilisation": "bias", "error_reduction": 0.375,
        "slop": 0.0625, "max_correction_speed": 0.75
    });
    let expected = stiction::Settings {
        method: stiction::MethodChoice::Sweeps,
        local: stiction::LocalRule::Projection,
        bounce: stiction::BounceMode::Sequential,
        order: stiction::SweepOrder::Forward,
        relaxation: 0.9,
        accelerated_relaxation: 0.8,
        sweeps: 7,
        factorisations: 3,
        min_sweeps: 2,
        normal_sweeps: 11,
        tolerance: 1e-3,
        restitution_threshold: 0.125,
        position_correction: stiction::PositionCorrection::Bias,
        error_reduction: 0.375,
        slop: 0.0625,
        max_correction_speed: 0.75,
    };
    let entry: SettingsEntry = serde_json::from_value(all.clone()).unwrap();
    assert_eq!(entry.settings(stiction::Settings::<f64>::default()), expected);
    let mut problem = example();
    problem["settings"] = all.clone();
    answer(&solve("all-settings.json", problem.to_string().as_bytes(), &[]));
    let mut scene = json!({ "bodies": [], "settings": all });
    scene["settings"]["contact_margin"] = json!(0.03125);
    scene["settings"]["cache_cell"] = json!(0.015625);
    let step = Scene::parse(&scene.to_string()).unwrap().step_settings::<f64>().unwrap();
    assert_eq!((step.solver, step.contact_margin, step.cache_cell), (expected, 0.03125, 0.015625));
}

/// Everything that the library tells about a solve is in the answer, to the bit.
#[test]
fn the_answer_has_all_results_of_the_library() {
    let mut island = sliding_cube(6.0, 0.7, 0.5);
    for contact in &mut island.contacts {
        (contact.depth, contact.restitution) = (0.25, 0.5);
        contact.pre_impact_normal_velocity = Some(-1.0);
    }
    let settings = json!({ "stabilisation": "split_impulse", "error_reduction": 0.5, "sweeps": 20 });
    let entry: SettingsEntry = serde_json::from_value(settings).unwrap();
    let file = serde_json::to_vec(&Problem::from_island(&island, entry.clone())).unwrap();
    let answer = answer(&solve("results.json", &file, &[]));
    let ours = island.solve(&entry.settings(stiction::Settings::<f64>::default())).unwrap();
    let number = |pointer: &str| answer.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("{pointer}"));
    let report = &ours.report;
    let (wrench, correction, coupling) = (&ours.wrenches[1], &ours.corrections[1], &ours.couplings[3]);
    for (pointer, expected) in [
        ("/bounce_sweeps", f64::from(report.bounce_sweeps)),
        ("/bounce_missing", report.bounce_missing),
        ("/bounce_work", report.bounce_work),
        ("/contact_work", report.contact_work),
        ("/friction_work", report.friction_work),
        ("/bias_work", report.bias_work),
        ("/safe_blocks", f64::from(report.safe_blocks)),
        ("/bodies/1/force/0", wrench.force.x),
        ("/bodies/1/torque/1", wrench.torque.y),
        ("/bodies/1/correction/linear/2", correction.linear.z),
        ("/bodies/1/correction/angular/0", correction.angular.x),
        ("/contacts/3/coupling", coupling.normal_tangent_ratio),
        ("/contacts/3/condition", coupling.condition),
    ] {
        assert_eq!(number(pointer).to_bits(), expected.to_bits(), "{pointer}");
    }
    assert_eq!(answer["bounce_dropped"], json!(report.bounce_dropped));
    assert_eq!(answer["contacts"][3]["block_replaced"], json!(coupling.is_replaced));
    assert!(correction.linear.z > 0.0 && wrench.force.x < 0.0 && coupling.normal_tangent_ratio > 0.1);
}

#[test]
fn bad_fields_are_rejected_by_name() {
    let cases: &[(&str, Value, &str)] = &[
        ("/contacts/0/normal", json!([0, 0, 0.98]), "contacts[0].normal: length 0.98, must be 1 within 1e-3"),
        ("/contacts/0/normal", json!([0, 0]), "contacts[0].normal"),
        ("/contacts/0/normal", json!("up"), "contacts[0].normal"),
        ("/contacts/0/a", json!(1), "contacts[0].b: is the same body as a"),
        ("/contacts/0/a", json!(7), "contacts[0].a: body 7 does not exist, there are 2"),
        ("/contacts/0/a", json!(-1), "contacts[0].a"),
        ("/contacts/0/a", json!(1e300), "contacts[0].a"),
        ("/contacts/0/mu", json!(-0.5), "contacts[0].mu: -0.5 is below 0"),
        ("/contacts/0/mu", json!(1e200), "contacts[0].mu"),
        ("/contacts/0/mu", json!(null), "contacts[0].mu"),
        ("/contacts/0/restitution", json!(1.5), "contacts[0].restitution: 1.5 is above 1"),
        ("/contacts/0/depth", json!(-1), "contacts[0].depth"),
        ("/contacts/0/r_b", json!([1e300, 0, 0]), "contacts[0].r_b"),
        ("/contacts/0/warm/normal", json!(1e300), "contacts[0].warm.normal"),
        ("/contacts/0/warm", json!({ "norml": 1 }), "contacts[0].warm.norml"),
        ("/bodies/1/inverse_mass", json!(0), "bodies[1].inverse_inertia"),
        ("/bodies/1/inverse_mass", json!(-1), "bodies[1].inverse_mass: -1 is below 0"),
        ("/bodies/1/inverse_inertia", json!([[1, 2, 0], [2, 1, 0], [0, 0, 1]]), "bodies[1].inverse_inertia"),
        ("/bodies/1/linear", json!([1e200, 0, 0]), "bodies[1].linear"),
        ("/bodies/1", json!({ "inverse_mass": 0 }), "contacts[0]: neither body can move"),
        ("/bodies/1", json!({ "mass": 1 }), "bodies[1].mass"),
        ("/settings/local", json!("magic"), "settings.local"),
        ("/settings/sweeps", json!(-1), "settings.sweeps"),
        ("/settings/sweeps", json!(2.5), "settings.sweeps"),
        ("/settings/relaxation", json!(3), "settings.relaxation"),
        ("/settings/dt", json!(0), "settings.dt"),
        ("/settings/tolerance", json!(-1), "settings.tolerance"),
        ("/settings", json!({ "speed": 1 }), "settings.speed"),
        ("/bodies", json!(null), "bodies"),
        ("/contacts", json!({}), "contacts"),
    ];
    for (i, (pointer, value, expected)) in cases.iter().enumerate() {
        let mut problem = example();
        *problem.pointer_mut(pointer).expect("a field of the example") = value.clone();
        let line = error(&solve(&format!("bad-{i}.json"), problem.to_string().as_bytes(), &[]));
        assert!(line.starts_with(expected), "{line}, expected {expected}");
    }
}

#[test]
fn files_that_are_not_problems_are_rejected_in_one_line() {
    let deep = "[".repeat(100_000);
    let cases: &[&[u8]] = &[
        b"",
        b"{",
        b"[]",
        b"null",
        b"{} {}",
        br#"[[{"inverse_mass":1}],[]]"#,
        br#"{"bodies":[[1]],"contacts":[]}"#,
        b"\xff\xfe\x00",
        deep.as_bytes(),
        br#"{"bodies":[],"contacts":[],"bodies":[]}"#,
        br#"{"bodies":[],"contacts":[],"extra":1}"#,
        br#"{"bodies":[{"inverse_mass":1e999}],"contacts":[]}"#,
        br#"{"bodies":[{"inverse_mass":NaN}],"contacts":[]}"#,
        b"FC3DBSR1",
        b"FC3DBSR1\xff\xff\xff\xff\xff\xff\xff\xff",
    ];
    for (i, bytes) in cases.iter().enumerate() {
        error(&solve(&format!("nothing-{i}.json"), bytes, &[]));
    }
    error(&solve("empty.fc3d", b"", &[]));
    error(&stiction(&["solve", "does-not-exist.json"]));
    error(&stiction(&["solve"]));
    error(&stiction(&[]));
    error(&stiction(&["juggle"]));
    let example = example().to_string();
    error(&solve("options.json", example.as_bytes(), &["--precision", "f16"]));
    error(&solve("options.json", example.as_bytes(), &["--sweeps", "5"]));
    error(&solve("options.json", example.as_bytes(), &["--unknown"]));
    error(&solve("options.json", example.as_bytes(), &["second.json"]));
}

#[test]
fn a_mass_that_vanishes_in_single_precision_is_rejected_there() {
    for mass in [1e-50, -1e-50] {
        let mut problem = example();
        problem["bodies"][1]["inverse_mass"] = json!(mass);
        problem["bodies"][1]["inverse_inertia"] = json!([[0, 0, 0], [0, 0, 0], [0, 0, 0]]);
        let line = error(&solve("vanishing.json", problem.to_string().as_bytes(), &["--precision", "f32"]));
        assert!(line.starts_with("bodies[1].inverse_mass"), "{line}");
    }
}

#[test]
fn more_bodies_or_contacts_than_fit_are_rejected() {
    let bodies = vec![json!({ "inverse_mass": 1 }); 9000];
    let line = error(&solve("many.json", json!({ "bodies": bodies, "contacts": [] }).to_string().as_bytes(), &[]));
    assert_eq!(line, "bodies: 9000, at most 8192 fit");
}

/// A byte string changed at a few random positions.
fn mutated(rng: &mut Rng, bytes: &[u8]) -> Vec<u8> {
    const PIECES: [&[u8]; 12] = [b"-", b"e9", b"0", b"1e308", b"null", b"[", b"]", b",", b"{", b"}", b"\"", b"\x00"];
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + rng.below(4) {
        let at = rng.below(bytes.len());
        match rng.below(4) {
            0 => bytes[at] = rng.bits() as u8,
            1 => drop(bytes.remove(at)),
            2 => drop(bytes.splice(at..at, PIECES[rng.below(PIECES.len())].iter().copied())),
            _ => bytes.truncate(bytes.len() - rng.below(bytes.len() / 8 + 1)),
        }
    }
    bytes
}

/// A problem with one to three of its numbers replaced by others, many of them extreme.
pub fn renumbered(rng: &mut Rng, problem: &Value) -> Vec<u8> {
    fn numbers<'a>(value: &'a mut Value, out: &mut Vec<&'a mut Value>) {
        match value {
            Value::Number(_) => out.push(value),
            Value::Array(items) => items.iter_mut().for_each(|item| numbers(item, out)),
            Value::Object(fields) => fields.values_mut().for_each(|field| numbers(field, out)),
            _ => {}
        }
    }
    let mut problem = problem.clone();
    let mut positions = Vec::new();
    numbers(&mut problem, &mut positions);
    for _ in 0..1 + rng.below(3) {
        let at = rng.below(positions.len());
        let size = rng.log_range(1e-12, 1e9);
        let choices = [0.0, -0.0, 1.0, -1.0, 1e-300, 5e-324, 1e300, -1e8, 1e38, size, -size, 1e-30];
        *positions[at] = json!(choices[rng.below(choices.len())]);
    }
    problem.to_string().into_bytes()
}

#[test]
fn mutated_problems_are_answered_or_rejected_and_never_panic() {
    let mut rng = Rng::new(11);
    let island = thrown_sphere(3.0, 2.0, 0.4, 0.5);
    let seed = serde_json::to_vec(&Problem::from_island(&island, SettingsEntry::default())).unwrap();
    let example: Value = serde_json::from_slice(&seed).unwrap();
    let (mut answered, mut rejected) = (0, 0);
    for case in 0..40_000 {
        let bytes = if case % 2 == 0 { mutated(&mut rng, &seed) } else { renumbered(&mut rng, &example) };
        let parsed = std::str::from_utf8(&bytes).map_err(|e| e.to_string()).and_then(Problem::parse);
        let outcome = parsed.and_then(|problem| {
            let single = problem.solve::<f32>();
            let double = problem.solve::<f64>()?;
            if let Ok(single) = single {
                let finite = single.velocities.iter().all(|(v, w)| v.iter().chain(w.iter()).all(|x| x.is_finite()));
                assert!(finite && single.report.residual.natural.is_finite());
            }
            let finite = double.velocities.iter().all(|(v, w)| v.iter().chain(w.iter()).all(|x| x.is_finite()));
            assert!(finite && double.report.residual.natural.is_finite());
            Ok(())
        });
        match outcome {
            Ok(()) => answered += 1,
            Err(line) => {
                assert_eq!(line.lines().count(), 1, "{line}");
                rejected += 1;
            }
        }
    }
    println!("{answered} answered, {rejected} rejected");
    assert!(answered > 5000 && rejected > 5000);
}

/// One contact in Delassus form.
fn small_fc3d() -> Vec<u8> {
    let mut bytes = b"FC3DBSR1".to_vec();
    bytes.extend([2u32, 2].iter().flat_map(|x| x.to_le_bytes()));
    let numbers = [0.5, 0.3, -1.0, 0.2, 0.1, -0.5, 1.0, 0.0];
    let blocks = [2.0, 0.1, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0, 1.5];
    bytes.extend(numbers.iter().chain(&blocks).chain(&blocks).flat_map(|x: &f64| x.to_le_bytes()));
    bytes.extend([0u32, 1, 2, 0, 1].iter().flat_map(|x| x.to_le_bytes()));
    bytes
}

#[test]
fn a_delassus_problem_is_answered_and_its_impulses_are_written() {
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("impulses.f64");
    let options = ["--sweeps", "30", "--tolerance", "0", "--order", "forward", "--impulses", out.to_str().unwrap()];
    let answer = answer(&solve("small.fc3d", &small_fc3d(), &options));
    assert_eq!((&answer["status"], &answer["sweeps"]), (&json!("sweep_limit"), &json!(30)));
    assert!(answer["residual"]["natural_rel_q"].as_f64().unwrap() < 1e-14);
    assert!(answer["residual"]["unit_rel_q"].as_f64().unwrap() < 1e-14);
    let impulses = std::fs::read(&out).unwrap();
    assert_eq!(impulses.len(), 48);
    let first = f64::from_le_bytes(impulses[..8].try_into().unwrap());
    assert_eq!(first, answer["contacts"][0]["normal"].as_f64().unwrap());
    error(&solve("small.fc3d", &small_fc3d(), &["--impulses", "no/such/folder/x.f64"]));
    error(&solve("small.fc3d", &small_fc3d(), &["--tolerance", "nan"]));
}

#[test]
fn mutated_delassus_problems_are_answered_or_rejected_and_never_panic() {
    let mut rng = Rng::new(12);
    let seed = small_fc3d();
    let (mut answered, mut rejected) = (0, 0);
    for _ in 0..50_000 {
        let mut bytes = seed.clone();
        for _ in 0..1 + rng.below(3) {
            let at = rng.below(bytes.len());
            bytes[at] = rng.bits() as u8;
        }
        let solved = Fc3d::parse(&bytes).and_then(|problem| {
            let settings = stiction::Settings::<f64>::default();
            let solved = stiction_testkit::capacity::solve_delassus(&problem, &settings).map_err(|e| e.to_string())?;
            assert!(solved.impulses.iter().all(|x| x.iter().all(|v| v.is_finite())));
            Ok(())
        });
        match solved {
            Ok(()) => answered += 1,
            Err(_) => rejected += 1,
        }
    }
    println!("{answered} answered, {rejected} rejected");
    assert!(answered > 100 && rejected > 100);
}
