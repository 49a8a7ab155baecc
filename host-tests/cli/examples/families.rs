//! Scratch.
#![allow(warnings)]
use std::time::Instant;
use stiction::{MethodChoice, Settings};
use stiction_testkit::capacity::{solve, solve_delassus};
use stiction_testkit::fc3d::Fc3d;
use stiction_testkit::random_structures::STRUCTURES;
use stiction_testkit::rng::Rng;
fn main() {
    let mut args = std::env::args().skip(1);
    let n: usize = args.next().map_or(100, |a| a.parse().unwrap());
    let form = args.next().unwrap_or("both".into());
    let only = args.next();
    let seed: u64 = args.next().map_or(2026, |a| a.parse().unwrap());
    let method = match std::env::var("METHOD").as_deref() {
        Ok("direct") => MethodChoice::Direct,
        Ok("sweeps") => MethodChoice::Sweeps,
        _ => MethodChoice::Auto,
    };
    let sweeps: u32 = std::env::var("SWEEPS").map_or(1000, |s| s.parse().unwrap());
    let settings = Settings::<f64> {
        method,
        sweeps,
        factorisations: std::env::var("CAP").map_or(200, |s| s.parse().unwrap()),
        tolerance: std::env::var("TOL").map_or(Settings::<f64>::default().tolerance, |s| s.parse().unwrap()),
        ..Settings::default()
    };
    let verbose = std::env::var("V").is_ok();
    for family in STRUCTURES {
        if let Some(o) = &only {
            if o != "all" && *o != format!("{family:?}") {
                continue;
            }
        }
        for f in ["bodies", "delassus"] {
            if form != "both" && form != f {
                continue;
            }
            let work = move |from: usize| {
                let mut rng = Rng::new(seed);
                let mut out = vec![];
                for k in 0..n {
                    let island = family.island(&mut rng);
                    if k % 2 != from {
                        continue;
                    }
                    if let Ok(o) = std::env::var("K") {
                        if o.parse::<usize>().unwrap() != k {
                            continue;
                        }
                        eprintln!(
                            "bodies {} contacts {} mu {} kick {:?}",
                            island.bodies.len(),
                            island.contacts.len(),
                            island.contacts[0].mu,
                            island.bodies[1].linear_velocity
                        );
                    }
                    let (res, steps, t, small);
                    let nc = island.contacts.len();
                    if f == "bodies" {
                        let b: Vec<_> = island.bodies.clone();
                        let t0 = Instant::now();
                        if std::env::var("F32").is_ok() {
                            let settings = Settings::<f32> {
                                method,
                                sweeps,
                                factorisations: settings.factorisations,
                                tolerance: 1e-5,
                                ..Settings::default()
                            };
                            let (b, c) = island.rounded::<f32>();
                            let s = solve(&b, &c, &settings, 1.0f32 / 60.0).unwrap();
                            out.push((
                                k,
                                nc,
                                s.report.residual.natural as f64,
                                (s.report.sweeps, s.report.direct.newton_steps, s.report.direct.interior_steps),
                                t0.elapsed().as_secs_f64(),
                                s.report.direct.memory_too_small,
                            ));
                            continue;
                        }
                        let s = solve(&b, &island.contacts, &settings, 1.0 / 60.0).unwrap();
                        t = t0.elapsed().as_secs_f64();
                        res = s.report.residual.natural;
                        steps = (s.report.sweeps, s.report.direct.newton_steps, s.report.direct.interior_steps);
                        small = s.report.direct.memory_too_small;
                    } else {
                        let p = Fc3d::of_island(&island);
                        let t0 = Instant::now();
                        let s = solve_delassus(&p, &settings).unwrap();
                        t = t0.elapsed().as_secs_f64();
                        let (a, b) = p.published_residuals(&s.impulses);
                        res = a.max(b);
                        steps = (s.report.sweeps, s.report.direct.newton_steps, s.report.direct.interior_steps);
                        small = s.report.direct.memory_too_small;
                    }
                    let m: Vec<f64> =
                        island.bodies.iter().filter(|b| b.inverse_mass > 0.0).map(|b| 1.0 / b.inverse_mass).collect();
                    let ratio = m.iter().cloned().fold(0.0, f64::max) / m.iter().cloned().fold(1e9, f64::min);
                    if verbose {
                        println!("{k} nc {nc} nb {} ratio {ratio:.0} res {res:.1e} {steps:?}", m.len());
                    }
                    out.push((k, nc, res, steps, t, small));
                }
                out
            };
            let other = std::thread::spawn(move || work(1));
            let mut all = work(0);
            all.extend(other.join().unwrap());
            all.sort_by_key(|x| x.0);
            let part = |l: f64| all.iter().filter(|x| x.2 <= l).count() as f64 / all.len() as f64;
            let mean = all.iter().map(|x| x.1).sum::<usize>() as f64 / all.len() as f64;
            let max = all.iter().map(|x| x.1).max().unwrap();
            let mut t: Vec<f64> = all.iter().map(|x| x.4).collect();
            t.sort_by(f64::total_cmp);
            let fac = all.iter().map(|x| x.3.1 + x.3.2).sum::<u32>() as f64 / all.len() as f64;
            let direct = all.iter().filter(|x| x.3.1 + x.3.2 > 0).count();
            println!(
                "{family:?} {f}: contacts mean {mean:.0} max {max}; 1e-4 {:.3} 1e-5 {:.3} 1e-6 {:.3} 1e-8 {:.4}; too small {}; direct used {direct}, factorisations {fac:.1}; ms median {:.2} p95 {:.1} max {:.0} total {:.1} s",
                part(1e-4),
                part(1.0001e-5),
                part(1e-6),
                part(1e-8),
                all.iter().filter(|x| x.5).count(),
                1e3 * t[t.len() / 2],
                1e3 * t[t.len() * 95 / 100],
                1e3 * t[t.len() - 1],
                t.iter().sum::<f64>()
            );
            if verbose {
                for x in all.iter().filter(|x| !(x.2 <= 1e-8)) {
                    println!("   {x:?}");
                }
            }
        }
    }
}
