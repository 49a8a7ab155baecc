//! Problems with rolling friction: the reader, the residuals, and the kernel on the published ones.

use std::path::{Path, PathBuf};

use nalgebra::{Matrix5, Vector5};
use stiction::{Settings, Status};
use stiction_testkit::capacity::solve_rolling;
use stiction_testkit::rfc3d::{Rfc3d, published_folder};
use stiction_testkit::rng::Rng;

/// A ball of 1 kg, I = 0.01 kg m² and radius 0.1 m that lands at 1 m/s and rolls, beside one that slides on ice.
const TWO: &str = "\
RFC3D-TEXT 1
# two balls

contacts 2
mu 0.5 0.1
mu_r 0.02 0
q
-1 0.5 0 0 5
-2 1 0 0 0
blocks 3
0 0 1 0 0 0 0 0 2 0 0 -10 0 0 2 10 0 0 0 10 100 0 0 -10 0 0 100
0 1 0.25 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
1 1 1 0 0 0 0 0 2 0 0 0 0 0 2 0 0 0 0 0 100 0 0 0 0 0 100
end
";

fn rejected(text: &str) -> String {
    let line = Rfc3d::parse(text.as_bytes()).expect_err("a rejected problem");
    assert_eq!(line.lines().count(), 1, "{line}");
    line
}

/// The text of a problem.
fn written(problem: &Rfc3d) -> String {
    let line = |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
    let mut out = format!("RFC3D-TEXT 1\ncontacts {}\n", problem.len());
    out += &format!("mu {}\nmu_r {}\nq\n", line(&problem.mu), line(&problem.mu_r));
    problem.q.iter().for_each(|q| out += &(line(q.as_slice()) + "\n"));
    out += &format!("blocks {}\n", problem.blocks.len());
    for i in 0..problem.len() {
        for k in problem.row_starts[i]..problem.row_starts[i + 1] {
            let block = problem.blocks[k].transpose();
            out += &format!("{i} {} {}\n", problem.columns[k], line(block.as_slice()));
        }
    }
    out + "end\n"
}

#[test]
fn a_rolling_problem_is_read_as_it_is_written() {
    let problem = Rfc3d::parse(TWO.as_bytes()).unwrap();
    assert_eq!((problem.mu.as_slice(), problem.mu_r.as_slice()), (&[0.5, 0.1][..], &[0.02, 0.0][..]));
    assert_eq!(problem.q[0], Vector5::new(-1.0, 0.5, 0.0, 0.0, 5.0));
    assert_eq!((problem.row_starts.as_slice(), problem.columns.as_slice()), (&[0, 2, 3][..], &[0, 1, 1][..]));
    // Row by row: velocity along t2 of a moment about t1.
    assert_eq!((problem.blocks[0][(2, 3)], problem.blocks[0][(1, 4)]), (10.0, -10.0));
    assert_eq!(Rfc3d::parse(written(&problem).as_bytes()).unwrap(), problem);
    let none = Rfc3d::parse(b"RFC3D-TEXT 1\r\ncontacts 0\r\nmu\r\nmu_r\r\nq\r\nblocks 0\r\nend").unwrap();
    assert!(none.is_empty());
    assert_eq!(solve_rolling(&none, &Settings::<f64>::default()).unwrap().report.status, Status::Converged);
}

#[test]
fn a_rejected_rolling_problem_names_the_field() {
    let cases = [
        ("RFC3D-TEXT 1", "RFC3D-TEXT 2", "header: the file does not begin with RFC3D-TEXT 1"),
        ("contacts 2", "contacts -2", "contacts: \"-2\" is not a count or an index"),
        ("contacts 2", "contacts", "contacts: a number is missing"),
        ("contacts 2", "contacts 2 2", "contacts: \"2\" is too much"),
        ("contacts 2", "contacts 3", "mu: 2 numbers for 3 contacts"),
        ("contacts 2", "contacts 4294967295", "mu: 2 numbers for 4294967295 contacts"),
        ("contacts 2", "contact 2", "contacts: missing, \"contact\" is in its place"),
        ("mu 0.5 0.1", "mu 0.5 x", "mu[1]: \"x\" is not a number"),
        ("mu_r 0.02 0", "mu_r 0.02", "mu_r: 1 numbers for 2 contacts"),
        ("mu_r 0.02 0", "mu_r 0.02 inf", "mu_r[1]: \"inf\", must be a finite number"),
        ("q\n", "q 1\n", "q: \"1\" is too much"),
        ("q\n", "", "q: missing, \"-1\" is in its place"),
        ("-2 1 0 0 0", "-2 1 0 0", "q[1]: 4 numbers, must be 5"),
        ("-2 1 0 0 0", "-2 NaN 0 0 0", "q[1]: \"NaN\", must be a finite number"),
        ("-2 1 0 0 0", "-2 1e999 0 0 0", "q[1]: \"1e999\", must be a finite number"),
        ("blocks 3", "blocks 4", "blocks[3]: \"end\" is not a count or an index"),
        ("blocks 3", "blocks 2", "blocks: the diagonal block (1, 1) is missing"),
        ("0 1 0.25", "0 2 0.25", "blocks[1]: contact 2 does not exist, there are 2"),
        ("0 1 0.25", "0 0 0.25", "blocks[1]: (0, 0) is out of order"),
        ("0 1 0.25", "1 1 0.25", "blocks[2]: (1, 1) is out of order"),
        ("0 1 0.25", "0 1 0.25 0", "blocks[1] (0, 1): 26 numbers, must be 25"),
        ("0 1 0.25", "0 1 nan", "blocks[1] (0, 1): \"nan\", must be a finite number"),
        ("0 1 0.25", "0 1 0,25", "blocks[1] (0, 1): \"0,25\" is not a number"),
        ("1 1 1 0 0", "1 0 1 0 0", "blocks: the diagonal block (1, 1) is missing"),
        ("end\n", "", "end: missing, the file ends before it"),
        ("end\n", "end 1\n", "end: \"1\" is too much"),
        ("end\n", "end\nmore\n", "end: there is more text after it"),
        ("end\n", "\u{7}\n", "end: missing, \"\\u{7}\" is in its place"),
    ];
    for (from, to, line) in cases {
        assert!(TWO.contains(from));
        assert_eq!(rejected(&TWO.replacen(from, to, 1)), line);
    }
    assert!(rejected("").starts_with("header: "));
    assert!(Rfc3d::parse(b"RFC3D-TEXT 1\n\xff").unwrap_err().starts_with("text: not UTF-8"));
    assert!(rejected(&TWO.replacen("mu 0.5", &format!("mu {}", "x".repeat(1000)), 1)).len() < 100);
}

/// What the kernel rejects has the names and indices of the file, although its own arrays are longer.
#[test]
fn the_kernel_s_errors_name_contacts_of_the_rolling_problem() {
    let cases = [
        ("mu_r 0.02 0", "mu_r 0.02 -1", "mu_r[1]: -1 is below 0"),
        ("mu 0.5 0.1", "mu 0.5 -1", "mu[1]: -1 is below 0"),
        ("-2 1 0 0 0", "-2 1e300 0 0 0", "q[1]: "),
        ("1 1 1 0 0", "1 1 -1 0 0", "blocks[1]: must have no negative eigenvalue"),
    ];
    for (from, to, start) in cases {
        let problem = Rfc3d::parse(TWO.replacen(from, to, 1).as_bytes()).unwrap();
        let line = solve_rolling(&problem, &Settings::<f64>::default()).unwrap_err().to_string();
        assert!(line.starts_with(start), "{line}");
    }
}

#[test]
fn mutated_rolling_problems_are_answered_or_rejected_and_never_panic() {
    const PIECES: [&[u8]; 10] = [b"-", b"e9", b"0", b"1e308", b"nan", b"\n", b" ", b"#", b"9", b"\x00"];
    let mut rng = Rng::new(15);
    let (mut answered, mut rejected) = (0, 0);
    for _ in 0..20_000 {
        let mut bytes = TWO.as_bytes().to_vec();
        for _ in 0..1 + rng.below(3) {
            let at = rng.below(bytes.len());
            match rng.below(4) {
                0 => bytes[at] = rng.bits() as u8,
                1 => drop(bytes.remove(at)),
                2 => drop(bytes.splice(at..at, PIECES[rng.below(PIECES.len())].iter().copied())),
                _ => bytes[at] = b"0123456789"[rng.below(10)],
            }
        }
        let solved = Rfc3d::parse(&bytes).and_then(|problem| {
            let settings = Settings::<f64> { sweeps: 20, ..Settings::default() };
            let solved = solve_rolling(&problem, &settings).map_err(|error| error.to_string())?;
            assert!(solved.impulses.iter().all(|x| x.iter().all(|part| part.is_finite())));
            problem.published_residuals(&solved.impulses);
            Ok(())
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
    assert!(answered > 1000 && rejected > 1000);
}

/// One contact: `K = diag(1, 4, 4, 16, 16)`, so `L = 1/2` and the mean of the diagonal is 17/5.
fn one(mu: f64, mu_r: f64, q: [f64; 5]) -> Rfc3d {
    Rfc3d {
        mu: vec![mu],
        mu_r: vec![mu_r],
        q: vec![Vector5::from(q)],
        blocks: vec![Matrix5::from_diagonal(&Vector5::new(1.0, 4.0, 4.0, 16.0, 16.0))],
        row_starts: vec![0, 1],
        columns: vec![0],
    }
}

fn is_close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-14 * expected.abs().max(1.0), "{found} instead of {expected}");
}

#[test]
fn residuals_of_one_contact_are_those_computed_by_hand() {
    // Without impulses u = q, and z = -(q + g e_n) is below the cone or in it.
    let problem = one(0.5, 0.25, [-1.0, 0.0, 0.0, 0.0, 0.0]);
    let residuals = problem.published_residuals(&[Vector5::zeros()]);
    // x - P(0 + 1) = -1, over |q| = 1 and over the largest of 1, 0, 1. In one unit k·(0 - 1/k) = -1 as well.
    is_close(residuals.siconos, 1.0);
    is_close(residuals.natural_rel_q, 1.0);
    is_close(residuals.unit_rel_q, 1.0);

    // With x = (1, 0, 0, 0, 0.5) and q = (-1, 0, 0, 0, -4): u = (0, 0, 0, 0, 4), g = 0.25·4 = 1.
    // z = x - u - g = (0, 0, 0, 0, -3.5): on the rim N = (0.25·3.5)/(1 + 1/16) = 14/17, moment -0.25·14/17 = -7/34.
    // x - P = (3/17, 0, 0, 0, 1/2 + 7/34) = (3/17, 0, 0, 0, 12/17): the length is √153/17.
    let problem = one(0.5, 0.25, [-1.0, 0.0, 0.0, 0.0, -4.0]);
    let x = Vector5::new(1.0, 0.0, 0.0, 0.0, 0.5);
    let residuals = problem.published_residuals(&[x]);
    let own = 153.0_f64.sqrt() / 17.0;
    is_close(residuals.natural_rel_q, own / 17.0_f64.sqrt());
    is_close(residuals.siconos, own / 17.0_f64.sqrt());
    // In one unit: x = (1, 1), u = (0, 2), coefficient 0.5, g = 1, k = 3.4: z = (1 - 1/3.4, 1 - 2/3.4) = (12/17, 7/17).
    // 7/17 > 0.5·12/17: N = (12 + 3.5)/17/1.25 = 12.4/17, moment 6.2/17; x - P = (4.6, 10.8)/17; times 3.4: (0.92, 2.16).
    // |q| in that unit: (-1, -2).
    is_close(residuals.unit_rel_q, (0.92_f64.powi(2) + 2.16_f64.powi(2)).sqrt() / 5.0_f64.sqrt());

    // A solution: x_n = 1 stops the normal velocity, x_t and x_r on their rims, against velocities that remain.
    let problem = one(0.5, 0.25, [-1.0, 3.0, 0.0, 5.0, 0.0]);
    let solution = Vector5::new(1.0, -0.5, 0.0, -0.25, 0.0);
    let residuals = problem.published_residuals(&[solution]);
    assert!(residuals.siconos < 1e-15 && residuals.natural_rel_q < 1e-15 && residuals.unit_rel_q < 1e-15);
    let solved = solve_rolling(&problem, &Settings::<f64>::default()).unwrap();
    assert!((solved.impulses[0] - solution).norm() < 1e-12, "{:?}", solved.impulses);
}

#[test]
fn a_contact_without_rolling_friction_has_no_moment() {
    let problem = Rfc3d::parse(TWO.as_bytes()).unwrap();
    let solved = solve_rolling(&problem, &Settings::<f64>::default()).unwrap();
    let x = &solved.impulses;
    // The second is alone: 2 N s, of which friction is a tenth. A quarter of its impulse moves the first one's normal.
    assert!((x[1] - Vector5::new(2.0, -0.2, 0.0, 0.0, 0.0)).norm() < 1e-9, "{x:?}");
    assert!((x[0][0] - 0.5).abs() < 1e-9 && (x[0][4] + 0.01).abs() < 1e-9, "{x:?}");
    assert!(problem.published_residuals(x).unit_rel_q < 1e-9);
    assert_eq!((solved.states.len(), solved.couplings.len()), (2, 2));
    assert!(solved.report.residual.worst_contact.is_some_and(|contact| contact < 2));
}

fn folder() -> Option<PathBuf> {
    let folder = published_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.."));
    if folder.is_none() {
        println!(
            "skipped: the problems with rolling friction are not here, and STICTION_ROLLING names no folder of them"
        );
    }
    folder
}

#[test]
fn published_rolling_problems_are_solved() {
    let Some(folder) = folder() else { return };
    let names = ["RFC3D_sphere_1", "rfc3d_sphere_from_grfc3d", "RFC3D_cube_1", "rockfall_14_25792", "gen_pyramid14"];
    for name in names {
        let bytes = std::fs::read(folder.join(format!("{name}.rfc3d"))).expect("a readable problem");
        let problem = Rfc3d::parse(&bytes).expect("a valid problem");
        let settings = Settings::<f64>::default();
        let solved = solve_rolling(&problem, &settings).expect("a problem that validation accepts");
        let (report, residuals) = (&solved.report, problem.published_residuals(&solved.impulses));
        println!("{name}: {:?} after {} sweeps, {residuals:?}", report.status, report.sweeps);
        assert!(residuals.unit_rel_q < 1e-8, "{name}: {residuals:?}");
        // Sweeps alone take thousands on the last two.
        let steps = report.direct.newton_steps + report.direct.interior_steps;
        assert!(steps < 100, "{name}: {steps} steps");
        for (ours, kernel) in
            [(residuals.unit_rel_q, report.unit_rel_q), (residuals.natural_rel_q, report.natural_rel_q)]
        {
            assert!((ours - kernel).abs() <= 1e-15 + 1e-12 * ours, "{name}: {ours:e}, the kernel reports {kernel:e}");
        }
    }
}
