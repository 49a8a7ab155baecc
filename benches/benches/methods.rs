//! Time to a residual of 1e-6 on stacks: plain sweeps against `auto` with memory for direct methods. Ratios within one
//! run.

use std::time::{Duration, Instant};
use stiction::Hooks;

use stiction::DirectMemory;
use stiction::{MethodChoice, Report, Settings, Solver, Status};
use stiction_testkit::island::Island;
use stiction_testkit::known_answers::stack;
use stiction_testkit::rng::Rng;

const NB: usize = 21;
const NC: usize = 80;
/// Maximum number of plain sweeps.
const CAP: u32 = 200_000;
/// Solves of each kind, alternating; the fastest counts.
const ROUNDS: usize = 5;

struct Bench {
    solver: Box<Solver<f64, NB, NC>>,
    direct_memory: Box<DirectMemory<f64, NC, 1000>>,
}

impl Bench {
    fn time(&mut self, island: &Island, settings: &Settings<f64>) -> (Duration, Report<f64>) {
        let (mut bodies, contacts) = island.columns::<f64, NB, NC>();
        let start = Instant::now();
        let report = self.solver.solve_with(
            &mut bodies,
            &contacts,
            settings,
            1.0 / 60.0,
            Hooks::with_direct(self.direct_memory.view()),
        );
        (start.elapsed(), report.expect("a valid island"))
    }
}

fn main() {
    let mut bench = Bench { solver: Box::new(Solver::new()), direct_memory: Box::new(DirectMemory::new()) };
    println!("boxes  top      motion   plain sweeps  auto: sweeps + factorisations  time of auto / plain");
    for boxes in [4, 8, 20] {
        for top in [1.0, 10.0, 100.0, 1000.0] {
            for motion in ["rest", "kicked"] {
                let mut island = stack(boxes, top, 0.5);
                let mut rng = Rng::new(7);
                for body in island.bodies.iter_mut().skip(1).filter(|_| motion == "kicked") {
                    body.linear_velocity += rng.direction() * 0.5;
                    body.angular_velocity += rng.direction() * 0.5;
                }
                let auto = Settings { tolerance: 1e-6, ..Settings::default() };
                let plain = Settings { method: MethodChoice::Sweeps, sweeps: CAP, ..auto };
                let (mut fastest, mut reports) = ([Duration::MAX; 2], [None; 2]);
                for _ in 0..ROUNDS {
                    for (i, settings) in [plain, auto].iter().enumerate() {
                        let (time, report) = bench.time(&island, settings);
                        fastest[i] = fastest[i].min(time);
                        reports[i] = Some(report);
                    }
                }
                let [Some(plain), Some(auto)] = reports else { continue };
                let factorisations = auto.direct.newton_steps + auto.direct.interior_steps;
                let ratio = fastest[1].as_secs_f64() / fastest[0].as_secs_f64();
                let ended = if plain.status == Status::Converged { "" } else { " (given up)" };
                println!(
                    "{boxes:>5}  {top:<7}  {motion:<7}  {:>7}{ended:<11}  {:>3} + {factorisations:<3} {:<16} {ratio:.3}",
                    plain.sweeps,
                    auto.sweeps,
                    if auto.status == Status::Converged { "" } else { "(not reached)" }
                );
            }
        }
    }
}
