//! `stiction solve` and `stiction compare` on contacts with torsion, rolling and anisotropic friction: closed forms,
//! rejected fields, and files of published problems.

use std::path::Path;

use serde_json::{Value, json};
use stiction_cli::problem::Problem;
use stiction_testkit::capacity::Solved;
use stiction_testkit::rfc3d::published_folder;
use stiction_testkit::rng::Rng;

use crate::command::renumbered;
use crate::tool::{answer, error, folder};

/// A ball of 1 kg, radius 0.1 m and I = 0.004 kg m² on the ground, which gravity of one step presses on it.
fn ball(linear: [f64; 3], angular: [f64; 3]) -> Value {
    json!({
        "bodies": [
            { "inverse_mass": 0 },
            { "inverse_mass": 1, "inverse_inertia": [[250, 0, 0], [0, 250, 0], [0, 0, 250]],
              "linear": linear, "angular": angular }
        ],
        "contacts": [
            { "a": 0, "b": 1, "normal": [0, 0, 1], "r_a": [0, 0, 0], "r_b": [0, 0, -0.1], "mu": 0.5 }
        ]
    })
}

fn write(folder: &Path, problem: &Value) {
    std::fs::write(folder.join("problem.json"), problem.to_string()).expect("a writable folder");
}

fn solved(folder: &Path, problem: &Value, more: &[&str]) -> Value {
    write(folder, problem);
    let words = [&["solve", "problem.json"], more].concat();
    serde_json::from_str(&answer(folder, &words)).expect("JSON")
}

fn rejected(folder: &Path, problem: &Value) -> String {
    write(folder, problem);
    error(folder, &["solve", "problem.json"])
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|part| part.as_f64().expect("a number")).collect()
}

fn is_near(found: &Value, expected: &[f64], tolerance: f64) {
    let found = numbers(found);
    let worst = found.iter().zip(expected).map(|(found, expected)| (found - expected).abs()).fold(0.0, f64::max);
    assert!(found.len() == expected.len() && worst <= tolerance, "{found:?} instead of {expected:?}");
}

#[test]
fn a_spinning_ball_gets_the_largest_moment_of_its_torsion() {
    let folder = folder("torsion");
    let mut problem = ball([0.0, 0.0, -0.2], [0.0, 0.0, 30.0]);
    problem["contacts"][0]["torsion"] = json!(0.05);
    for (precision, tolerance) in [("f64", 1e-12), ("f32", 1e-6)] {
        let answer = solved(&folder, &problem, &["--precision", precision]);
        assert_eq!(answer["status"], "converged");
        let contact = &answer["contacts"][0];
        assert!((contact["normal"].as_f64().unwrap() - 0.2).abs() < tolerance);
        is_near(&contact["moment"], &[0.0, 0.0, -0.05 * 0.2], tolerance);
        is_near(&answer["bodies"][1]["angular"], &[0.0, 0.0, 30.0 - 250.0 * 0.01], 100.0 * tolerance);
        assert_eq!(contact["reached"], json!({ "sliding": false, "spinning": true, "rolling": false }));
        // Torque times the mean speed, 28.75 rad/s; no other friction does work.
        let by = &answer["friction_work_by"];
        assert!((by["spinning"].as_f64().unwrap() + 0.01 * 28.75).abs() < 100.0 * tolerance, "{by}");
        assert_eq!((by["sliding"].as_f64(), by["rolling"].as_f64()), (Some(0.0), Some(0.0)), "{by}");
    }
}

#[test]
fn a_rolling_ball_is_slowed_by_its_rolling_friction() {
    let folder = folder("rolling");
    let (rho, g) = (0.005, 0.2);
    let mut problem = ball([1.0, 0.0, -g], [0.0, 10.0, 0.0]);
    problem["contacts"][0]["rolling"] = json!(rho);
    let answer = solved(&folder, &problem, &[]);
    is_near(&answer["contacts"][0]["moment"], &[0.0, -rho * g, 0.0], 1e-12);
    // It rolls on, slower by ρ g/(1.4 r).
    let slower = rho * g / (1.4 * 0.1);
    is_near(&answer["bodies"][1]["linear"], &[1.0 - slower, 0.0, 0.0], 1e-12);
    // From the answer, the next solve needs no sweep.
    let contact = &answer["contacts"][0];
    problem["contacts"][0]["warm"] =
        json!({ "normal": contact["normal"], "tangent": contact["tangent"], "moment": contact["moment"] });
    let again = solved(&folder, &problem, &[]);
    assert_eq!((&again["status"], &again["sweeps"]), (&json!("converged"), &json!(0)));
    is_near(&again["contacts"][0]["moment"], &numbers(&contact["moment"]), 1e-12);
}

#[test]
fn friction_along_and_across_a_direction_has_its_own_coefficients() {
    let folder = folder("across");
    for (linear, mu) in [([3.0, 0.0, -0.2], 0.5), ([0.0, 3.0, -0.2], 0.125)] {
        let mut problem = ball(linear, [0.0; 3]);
        // The part along the normal does not count.
        problem["contacts"][0]["friction_direction"] = json!([2, 0, 7]);
        problem["contacts"][0]["mu_across"] = json!(0.125);
        problem["contacts"][0]["r_b"] = json!([0, 0, 0]);
        let answer = solved(&folder, &problem, &[]);
        let tangent = linear.map(|speed| if speed > 0.0 { -mu * 0.2 } else { 0.0 });
        is_near(&answer["contacts"][0]["tangent"], &tangent, 1e-12);
        is_near(&answer["contacts"][0]["moment"], &[0.0; 3], 0.0);
        assert_eq!(answer["contacts"][0]["state"], "slide");
    }
}

/// Two balls: only the second one's contact has a moment, and the worst contact is named by its own index.
#[test]
fn every_contact_has_a_moment_if_one_can_have_it() {
    let folder = folder("mixed");
    let mut problem = ball([1.0, 0.0, -0.2], [0.0; 3]);
    let (body, contact) = (problem["bodies"][1].clone(), problem["contacts"][0].clone());
    for b in 2..4 {
        problem["bodies"].as_array_mut().unwrap().push(body.clone());
        let mut contact = contact.clone();
        contact["b"] = json!(b);
        contact["rolling"] = json!(0.01);
        problem["contacts"].as_array_mut().unwrap().push(contact);
    }
    let answer = solved(&folder, &problem, &[]);
    let moments: Vec<Vec<f64>> = (0..3).map(|i| numbers(&answer["contacts"][i]["moment"])).collect();
    assert_eq!(moments[0], [0.0; 3]);
    assert!((moments[1][1] + 0.002).abs() < 1e-12 && moments[1] == moments[2], "{moments:?}");
    assert!(answer["residual"]["worst_contact"].as_u64().unwrap() < 3);
    let plain = solved(&folder, &ball([1.0, 0.0, -0.2], [0.0; 3]), &[]);
    assert!(plain["contacts"][0].get("moment").is_none());
    for part in ["linear", "angular"] {
        is_near(&answer["bodies"][1][part], &numbers(&plain["bodies"][1][part]), 1e-12);
    }
}

#[test]
fn rejected_fields_of_moments_and_directions_are_named() {
    let folder = folder("fields");
    let cases = [
        (json!({ "torsion": -1 }), "contacts[0].torsion: -1 is below 0"),
        (json!({ "rolling": 1e300 }), "contacts[0].rolling: "),
        (json!({ "torsion": "1" }), "contacts[0].torsion: invalid type"),
        (json!({ "mu_across": 0.5 }), "contacts[0].friction_direction: missing, mu_across is given"),
        (json!({ "friction_direction": [1, 0, 0] }), "contacts[0].mu_across: missing, friction_direction is given"),
        (
            json!({ "friction_direction": [0, 0, 1], "mu_across": 1 }),
            "contacts[0].friction_direction: must not be zero or along",
        ),
        (
            json!({ "friction_direction": [0, 0, 0], "mu_across": 1 }),
            "contacts[0].friction_direction: must not be zero or along",
        ),
        (json!({ "friction_direction": [1, 0], "mu_across": 1 }), "contacts[0].friction_direction"),
        (json!({ "friction_direction": [1, 0, 0], "mu_across": -1 }), "contacts[0].mu_across: -1 is below 0"),
        (json!({ "warm": { "moment": [0, 0, 1e300] } }), "contacts[0].warm.moment: "),
        (json!({ "warm": { "moments": [0, 0, 1] } }), "contacts[0].warm.moments: unknown field"),
        (json!({ "rollling": 1 }), "contacts[0].rollling: unknown field"),
    ];
    for (fields, start) in cases {
        let mut problem = ball([0.0, 0.0, -0.2], [0.0; 3]);
        let contact = problem["contacts"][0].as_object_mut().unwrap();
        contact.extend(fields.as_object().unwrap().clone());
        let line = rejected(&folder, &problem);
        assert!(line.starts_with(start), "{fields}: {line}");
    }
    let mut problem = ball([0.0, 0.0, -0.2], [0.0; 3]);
    let mut contact = problem["contacts"][0].clone();
    contact["rolling"] = json!(0.1);
    problem["contacts"] = json!(vec![contact; 4097]);
    let line = rejected(&folder, &problem);
    assert_eq!(line, "contacts, those with moments counted twice: 8194, at most 8192 fit");
}

fn is_finite<T: stiction::Real>(solved: &Solved<T>) {
    let velocities = solved.velocities.iter().flat_map(|(v, w)| v.iter().chain(w.iter()));
    let moments = solved.moments.iter().flat_map(|moment| moment.iter());
    assert!(velocities.chain(moments).all(|x| x.is_finite()) && solved.report.residual.natural.is_finite());
}

#[test]
fn problems_with_moments_and_extreme_numbers_are_answered_or_rejected_and_never_panic() {
    let mut seed = ball([1.0, 0.5, -0.2], [3.0, 2.0, 30.0]);
    let contact = seed["contacts"][0].as_object_mut().unwrap();
    let fields = json!({
        "torsion": 0.05, "rolling": 0.01, "mu_across": 0.25, "friction_direction": [1, 2, 0],
        "warm": { "normal": 0.1, "tangent": [0.01, 0, 0], "moment": [0, 0, 0.001] }
    });
    contact.extend(fields.as_object().unwrap().clone());
    let mut rng = Rng::new(16);
    let (mut answered, mut rejected) = (0, 0);
    for _ in 0..5_000 {
        let text = String::from_utf8(renumbered(&mut rng, &seed)).unwrap();
        let solved = Problem::parse(&text).and_then(|problem| {
            let _ = problem.solve::<f32>().map(|solved| is_finite(&solved));
            problem.solve::<f64>().map(|solved| is_finite(&solved))
        });
        match solved {
            Ok(()) => answered += 1,
            Err(line) => {
                assert_eq!(line.lines().count(), 1, "{line}");
                rejected += 1;
            }
        }
    }
    println!("{answered} answered, {rejected} rejected");
    assert!(answered > 500 && rejected > 500);
}

#[test]
fn methods_are_compared_on_contacts_with_moments() {
    let folder = folder("compared");
    let mut problem = ball([1.0, 0.0, -0.2], [0.0; 3]);
    problem["contacts"][0]["rolling"] = json!(0.01);
    write(&folder, &problem);
    std::fs::write(folder.join("problem.rfc3d"), SMALL).expect("a writable folder");
    for file in ["problem.json", "problem.rfc3d"] {
        let table = answer(&folder, &["compare", file]);
        assert!(table.contains("sweeps") && table.contains("accelerated"), "{table}");
    }
}

/// A ball that lands, slides and rolls.
const SMALL: &str = "\
RFC3D-TEXT 1
contacts 1
mu 0.5
mu_r 0.02
q
-1 3 0 0 5
blocks 1
0 0 1 0 0 0 0 0 3.5 0 0 -25 0 0 3.5 25 0 0 0 25 250 0 0 -25 0 0 250
end
";

#[test]
fn a_problem_with_rolling_friction_is_answered_and_its_impulses_are_written() {
    let folder = folder("small");
    std::fs::write(folder.join("small.rfc3d"), SMALL).expect("a writable folder");
    let options =
        ["--sweeps", "30", "--tolerance", "0", "--order", "forward", "--method", "sweeps", "--impulses", "x.f64"];
    let words = [&["solve", "small.rfc3d"], &options[..]].concat();
    let answer: Value = serde_json::from_str(&answer(&folder, &words)).expect("JSON");
    assert_eq!((&answer["status"], &answer["sweeps"]), (&json!("sweep_limit"), &json!(30)));
    for residual in ["siconos", "natural_rel_q", "unit_rel_q"] {
        assert!(answer["residual"][residual].as_f64().unwrap() < 1e-13, "{residual}: {answer}");
    }
    let written = std::fs::read(folder.join("x.f64")).expect("impulses");
    let written: Vec<f64> = written.chunks(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap())).collect();
    let contact = &answer["contacts"][0];
    let normal = contact["normal"].as_f64().unwrap();
    assert_eq!(written, [vec![normal], numbers(&contact["tangent"]), numbers(&contact["moment"])].concat());
    assert_eq!(written.len(), 5);
    assert!((normal - 1.0).abs() < 1e-12 && answer["residual"]["worst_contact"] == 0);
    let single: Value =
        serde_json::from_str(&self::answer(&folder, &["solve", "small.rfc3d", "--precision", "f32"])).unwrap();
    assert!(single["residual"]["unit_rel_q"].as_f64().unwrap() < 1e-5, "{single}");

    let line = error(&folder, &["solve", "small.rfc3d", "--impulses", "no/such/folder/x.f64"]);
    assert!(line.starts_with("--impulses: "), "{line}");
    std::fs::write(folder.join("wrong.rfc3d"), SMALL.replace("mu_r 0.02", "mu_r -1")).expect("a writable folder");
    assert_eq!(error(&folder, &["solve", "wrong.rfc3d"]), "mu_r[0]: -1 is below 0");
    std::fs::write(folder.join("short.rfc3d"), "RFC3D").expect("a writable folder");
    assert!(error(&folder, &["solve", "short.rfc3d"]).starts_with("header: "));
}

#[test]
fn published_problems_with_rolling_friction_are_answered() {
    let Some(problems) = published_folder(&stiction_repo_checks::root().join("..")) else {
        println!(
            "skipped: the problems with rolling friction are not here, and STICTION_ROLLING names no folder of them"
        );
        return;
    };
    let folder = folder("published-rolling");
    for name in ["RFC3D_sphere_1", "rfc3d_sphere_from_grfc3d", "RFC3D_cube_1"] {
        let path = problems.join(format!("{name}.rfc3d"));
        let words = ["solve", path.to_str().expect("a plain path"), "--sweeps", "5000"];
        let answer: Value = serde_json::from_str(&answer(&folder, &words)).expect("JSON");
        assert!(answer["residual"]["unit_rel_q"].as_f64().unwrap() < 1e-8, "{name}: {answer}");
        assert_eq!(answer["status"], "converged", "{name}");
    }
}
