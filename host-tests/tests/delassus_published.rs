//! Published problems, where a folder of them is available (`STICTION_FCLIB`): block Gauss–Seidel with an exact local
//! step has
//! known residuals after k sweeps, and ours must match them.

use std::path::PathBuf;

use stiction::{Settings, SweepOrder};
use stiction_testkit::capacity::solve_delassus;
use stiction_testkit::fc3d::{Fc3d, published_folder};

/// `natural_rel_q` after 1, 2, 5, 10 and 20 forward sweeps from zero.
const TABLE: [(&str, [f64; 5]); 12] = [
    ("Box_Stacks-i0122-82-5", [1.760e-01, 7.158e-02, 3.651e-03, 2.780e-04, 2.440e-06]),
    ("BoxesStack1-i100000-32", [5.000e-01, 2.795e-01, 1.165e-01, 6.408e-02, 3.646e-02]),
    ("Capsules-i100-889", [2.555e-03, 1.221e-03, 3.634e-04, 1.294e-04, 3.703e-05]),
    ("Capsules-i122-1617", [1.606e-03, 6.752e-04, 1.907e-04, 7.793e-05, 3.049e-05]),
    ("Confeti-ex03-Fc3D-SBM", [2.330e-01, 6.117e-02, 1.210e-02, 3.594e-03, 7.393e-04]),
    ("OneObject-i100000-316", [1.757e-03, 1.652e-03, 1.649e-03, 1.503e-03, 1.158e-03]),
    ("OneObject-i1028-138", [7.906e-03, 6.182e-03, 4.198e-03, 3.231e-03, 2.361e-03]),
    ("Spheres-i099-356-679", [3.039e-01, 1.452e-01, 6.546e-02, 4.194e-02, 2.112e-02]),
    ("gen_boxst-s00030-415", [6.615e-01, 4.464e-01, 2.126e-01, 8.925e-02, 3.033e-02]),
    ("gen_ncubes-s01200-68", [7.721e-03, 2.852e-03, 4.473e-04, 6.394e-05, 4.661e-05]),
    ("gen_vault-s00300-151", [6.450e-01, 5.342e-01, 3.946e-01, 2.943e-01, 2.108e-01]),
    ("rockfall_14_25792", [1.023e-01, 1.020e-01, 5.159e-04, 2.359e-04, 5.946e-05]),
];

fn folder() -> Option<PathBuf> {
    let folder = published_folder(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../.."));
    if folder.is_none() {
        println!("skipped: the published problems are not here, and STICTION_FCLIB names no folder of them");
    }
    folder
}

fn read(folder: &std::path::Path, name: &str) -> Fc3d {
    let bytes = std::fs::read(folder.join(format!("{name}.fc3d"))).expect("a readable problem");
    Fc3d::parse(&bytes).expect("a valid problem")
}

#[test]
fn residuals_after_k_sweeps_are_those_of_exact_block_gauss_seidel() {
    let Some(folder) = folder() else { return };
    let mut failures = Vec::new();
    for (name, expected) in TABLE {
        let problem = read(&folder, name);
        for (sweeps, expected) in [1, 2, 5, 10, 20].into_iter().zip(expected) {
            let settings =
                Settings { sweeps, tolerance: 0.0, order: SweepOrder::Forward, ..Settings::<f64>::default() };
            let solved = solve_delassus(&problem, &settings).expect("a problem that validation accepts");
            let (natural, _) = problem.published_residuals(&solved.impulses);
            let guard = solved.report.passivity_guard;
            println!("{name} k={sweeps}: {natural:.3e} expected {expected:.3e} guard {guard}");
            assert_eq!(solved.report.sweeps, sweeps);
            assert!((solved.report.natural_rel_q / natural - 1.0).abs() < 1e-6, "the report differs from the answer");
            if (natural / expected - 1.0).abs() > 6e-4 {
                failures.push(format!("{name} after {sweeps} sweeps: {natural:.3e}, published {expected:.3e}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// One row of `docs/published-problems.md`.
fn row(name: &str, problem: &Fc3d) -> String {
    let residual = |order, precision: &str| {
        let (natural, unit) = match precision {
            "f64" => after_a_thousand_sweeps::<f64>(problem, order),
            _ => after_a_thousand_sweeps::<f32>(problem, order),
        };
        format!("{natural:.2e} / {unit:.2e}")
    };
    format!(
        "| {name} | {} | {} | {} | {} |",
        problem.len(),
        residual(SweepOrder::Forward, "f64"),
        residual(SweepOrder::Alternating, "f64"),
        residual(SweepOrder::Alternating, "f32"),
    )
}

fn after_a_thousand_sweeps<T: stiction::Real>(problem: &Fc3d, order: SweepOrder) -> (f64, f64) {
    let settings = Settings { sweeps: 1000, tolerance: T::ZERO, order, ..Settings::<T>::default() };
    let solved = solve_delassus(problem, &settings).expect("a problem that validation accepts");
    let impulses: Vec<_> = solved.impulses.iter().map(|x| x.map(T::to_f64)).collect();
    problem.published_residuals(&impulses)
}

#[test]
fn documented_residuals_after_a_thousand_sweeps_are_reproduced() {
    let Some(folder) = folder() else { return };
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/published-problems.md");
    let document = std::fs::read_to_string(path).expect("docs/published-problems.md");
    let rows: Vec<String> = TABLE.iter().map(|(name, _)| row(name, &read(&folder, name))).collect();
    println!("{}", rows.join("\n"));
    for row in &rows {
        assert!(document.contains(row), "docs/published-problems.md does not contain\n{row}");
    }
}
