//! Scratch.
#![allow(warnings)]
use std::time::Instant;
use stiction::*;
use stiction_testkit::capacity::solve_delassus;
use stiction_testkit::fc3d::Fc3d;
use stiction_testkit::random_islands::FAMILIES;
use stiction_testkit::rng::Rng;
fn main() {
    let cap: u32 = std::env::var("CAP").map_or(200, |s| s.parse().unwrap());
    for family in FAMILIES {
        for method in [MethodChoice::Auto, MethodChoice::Direct] {
            let mut rng = Rng::new(2026);
            let settings = Settings::<f64> { method, sweeps: 1000, factorisations: cap, ..Settings::default() };
            let t = Instant::now();
            let r: Vec<_> = (0..1000)
                .map(|_| {
                    let s = family.island(&mut rng).solve(&settings).unwrap().report;
                    (s.residual.natural, s.direct.newton_steps + s.direct.interior_steps)
                })
                .collect();
            println!(
                "{family:?} {method:?} 1e-4 {:.3} 1e-8 {:.3} factorisations {:.1} time {:.2}",
                r.iter().filter(|x| x.0 <= 1e-4).count() as f64 / 1e3,
                r.iter().filter(|x| x.0 <= 1e-8).count() as f64 / 1e3,
                r.iter().map(|x| x.1).sum::<u32>() as f64 / 1e3,
                t.elapsed().as_secs_f64()
            );
        }
    }
    let mut paths: Vec<_> = std::fs::read_dir("/work/shared/fclib")
        .unwrap()
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "fc3d"))
        .collect();
    paths.sort();
    for p in paths {
        let problem = Fc3d::parse(&std::fs::read(&p).unwrap()).unwrap();
        for tol in [1e-9, 1e-4] {
            let settings = Settings::<f64> { factorisations: cap, tolerance: tol, ..Settings::default() };
            let t = Instant::now();
            let s = solve_delassus(&problem, &settings).unwrap();
            let e = t.elapsed().as_secs_f64();
            let (a, b) = problem.published_residuals(&s.impulses);
            print!(
                "{} {} {:.1e} {}+{}+{} {:.1} ms; ",
                p.file_stem().unwrap().to_string_lossy(),
                problem.len(),
                a.max(b),
                s.report.sweeps,
                s.report.direct.newton_steps,
                s.report.direct.interior_steps,
                e * 1e3
            );
        }
        println!();
    }
}
