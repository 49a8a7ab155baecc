//! Compares the solver with its peers in one run: `cargo bench -p stiction-benches --bench compare [-- PART...]`.
//!
//! Parts: `sweeps`, `residuals`, `scaling`, `worlds`, `published`, `rolling`. `STICTION_DRAW=1` stores the tables
//! in `benches/results`, in a folder for this kind of machine; `host-tests/repo-checks/tests/speed.rs` makes figures
//! and text from them.

use stiction::{LocalRule, MethodChoice, Real, Settings, SweepOrder};
use stiction_benches::projection::{Outcome, Projection, SWEEPS};
use stiction_benches::published;
use stiction_benches::race::race;
use stiction_benches::rolling;
use stiction_benches::subjects::{Ours, RULES, STACK_BYTES, cold, cost, cost_of, lanes, sweeps, warm_wall};
use stiction_benches::table::{Table, figure, keep};
use stiction_counts::small_worlds::SmallWorlds;
use stiction_lanes::scalar::LaneScalar;
use stiction_lanes::{Lanes, Level};
use stiction_testkit::island::Island;
use stiction_testkit::rfc3d::Rfc3d;
use stiction_testkit::walls::wall_of;

const ROUNDS: usize = 40;
/// Passes over all competitors; the fastest pass of each counts.
const PASSES: usize = 4;

/// A part's name and the function that measures it.
type Part = (&'static str, fn() -> Result<(), String>);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let is_wanted = |part: &str| wanted.is_empty() || wanted.iter().any(|word| word == part);
    stiction_testkit::large_stack::on_large_stack(STACK_BYTES, || -> Result<(), String> {
        let parts: [Part; 6] = [
            ("sweeps", compare_sweeps),
            ("residuals", time_to_residuals),
            ("scaling", scaling),
            ("worlds", compare_worlds),
            ("published", compare_published),
            ("rolling", compare_rolling),
        ];
        keep("machine.txt", &machine());
        parts.iter().filter(|(name, _)| is_wanted(name)).try_for_each(|(_, part)| part())
    })??;
    Ok(())
}

/// The machine and the compilers, as far as the system reports them.
fn machine() -> String {
    let first_line = |program: &str| {
        let output = std::process::Command::new(program).arg("--version").output().ok()?;
        String::from_utf8_lossy(&output.stdout).lines().next().map(str::to_string)
    };
    let processors = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let lines = [model.map(str::to_string), Some(format!("{cores} cores")), first_line("rustc"), first_line("cc")];
    lines.into_iter().flatten().map(|line| line + "\n").collect()
}

/// Sweeps of all rules in both precisions, beside the projection rule in C.
fn compare_sweeps() -> Result<(), String> {
    let mut table = Table::new(
        "sweeps",
        "subject,solver,precision,contacts,ns a contact and sweep,ns a contact around them,residual after 60 sweeps,sliding,bytes a contact,times the C peer",
    );
    let mut subjects = cold();
    subjects.push(("wall of 1,000, warm", warm_wall()));
    for (precision, real) in [("f32", "float"), ("f64", "double")] {
        let peer = Projection::compile(real);
        if let Err(reason) = &peer {
            println!("C peer left out: {reason}");
        }
        for (name, island) in &subjects {
            let contacts = island.contacts.len().to_string();
            // Competitors alternate: a shared machine can be slow for some time and then fast again.
            let mut theirs: Option<Outcome> = None;
            let mut ours: [Option<Outcome>; RULES.len()] = [None; RULES.len()];
            let in_lanes = in_lanes();
            let mut ours_in_lanes = vec![None; in_lanes.len()];
            for _ in 0..PASSES {
                if let Ok(peer) = &peer {
                    theirs = Some(peer.solve(island, ROUNDS)?.or_faster(theirs));
                }
                for ((rule, _), ours) in RULES.into_iter().zip(&mut ours) {
                    let measured =
                        if precision == "f32" { measured::<f32>(island, rule) } else { measured::<f64>(island, rule) };
                    *ours = Some(measured.or_faster(*ours));
                }
                for (competitor, ours) in in_lanes.iter().zip(&mut ours_in_lanes) {
                    let measured = if precision == "f32" {
                        competitor.measured::<f32>(island)
                    } else {
                        competitor.measured::<f64>(island)
                    };
                    *ours = Some(measured.or_faster(*ours));
                }
            }
            let mut row = |solver: &str, outcome: &Outcome| {
                let times = theirs.map_or(String::new(), |theirs| figure(outcome.sweep / theirs.sweep));
                table.row(&[
                    format!("\"{name}\""),
                    solver.into(),
                    precision.into(),
                    contacts.clone(),
                    figure(outcome.sweep),
                    figure(outcome.prepare),
                    figure(outcome.residual),
                    outcome.sliding.map_or(String::new(), |sliding| sliding.to_string()),
                    outcome.bytes.to_string(),
                    times,
                ]);
            };
            theirs.iter().for_each(|theirs| row("C projection", theirs));
            for ((_, rule), ours) in RULES.into_iter().zip(ours.iter().flatten()) {
                row(rule, ours);
            }
            for (competitor, ours) in in_lanes.iter().zip(ours_in_lanes.iter().flatten()) {
                row(&competitor.name(), ours);
            }
        }
    }
    table.keep();
    Ok(())
}

/// Exact sweeps in an order, in lanes at a level or one by one.
struct InLanes {
    level: Option<Level>,
    order: SweepOrder,
}

/// Those that are compared: with the instructions of every processor of this kind, and with AVX2 if this one has it.
fn in_lanes() -> Vec<InLanes> {
    let in_order = |order| levels().into_iter().map(move |level| InLanes { level: Some(level), order });
    let one_by_one = InLanes { level: None, order: SweepOrder::Colours };
    let (list, colours) = (in_order(Settings::<f32>::default().order), in_order(SweepOrder::Colours));
    list.chain([one_by_one]).chain(colours).collect()
}

impl InLanes {
    fn name(&self) -> String {
        let exact = if self.order == SweepOrder::Colours { "exact by colours" } else { "exact" };
        match self.level {
            None => exact.to_string(),
            Some(level) if Lanes::<f32, 1, 1, 1>::with_level(level).level() == "AVX2" => {
                format!("{exact} in lanes (AVX2)")
            }
            Some(_) => format!("{exact} in lanes (baseline)"),
        }
    }

    fn measured<T: LaneScalar + 'static>(&self, island: &Island) -> Outcome {
        let ours = || match self.level {
            Some(level) => Ours::<T>::in_lanes(island, lanes(level)),
            None => Ours::new(island),
        };
        let settings = Settings { order: self.order, ..sweeps(SWEEPS, LocalRule::Exact) };
        let (sweep, prepare) = cost_of([ours(), ours()], island, &settings, ROUNDS);
        Outcome { prepare, sweep, ..result(ours(), &settings) }
    }
}

fn measured<T: Real>(island: &Island, rule: LocalRule) -> Outcome {
    let (sweep, prepare) = cost::<T>(island, rule, ROUNDS);
    Outcome { prepare, sweep, ..result(Ours::<T>::new(island), &sweeps(SWEEPS, rule)) }
}

/// What sweeps reach, without times.
fn result<T: Real>(mut ours: Ours<T>, settings: &Settings<T>) -> Outcome {
    let report = ours.solve(settings);
    let bytes = size_of::<stiction::Solver<T, 64, 2048>>() - size_of::<stiction::Solver<T, 64, 1024>>();
    let (residual, sliding) = (report.residual.natural.to_f64(), Some(ours.sliding()));
    Outcome { prepare: 0.0, sweep: 0.0, bytes: bytes / 1024, residual, sliding }
}

/// Sweeps and time to a residual, from a cold start. The other rules solve a different problem: where contacts slide
/// they never reach it.
fn time_to_residuals() -> Result<(), String> {
    let mut table =
        Table::new("residuals", "subject,solver,precision,residual asked,reached,sweeps,residual,microseconds");
    for (name, island) in &cold() {
        for (rule, rule_name) in RULES {
            for tolerance in [1e-4, 1e-6] {
                for (precision, (sweeps, left, time)) in
                    [("f32", until::<f32>(island, rule, tolerance)), ("f64", until::<f64>(island, rule, tolerance))]
                {
                    let reached = if left <= tolerance { "yes" } else { "no" };
                    table.row(&[
                        format!("\"{name}\""),
                        rule_name.into(),
                        precision.into(),
                        figure(tolerance),
                        reached.into(),
                        sweeps.to_string(),
                        figure(left),
                        figure(time),
                    ]);
                }
            }
        }
    }
    table.keep();
    Ok(())
}

fn until<T: Real>(island: &Island, local: LocalRule, tolerance: f64) -> (u32, f64, f64) {
    // A rule that needs more sweeps than this counts as not converging.
    let (sweeps, tolerance) = (5000, T::lit(tolerance));
    let settings = Settings { sweeps, local, tolerance, method: MethodChoice::Sweeps, ..Settings::default() };
    let mut ours = Ours::<T>::new(island);
    let report = ours.solve(&settings);
    let rounds = if report.sweeps > 500 { 3 } else { 20 };
    let [time] = race(rounds, [&mut || ours.run(&settings)]);
    (report.sweeps, report.residual.natural.to_f64(), time * 1e-3)
}

/// Cost against the number of contacts, cold and warm.
fn scaling() -> Result<(), String> {
    let mut table = Table::new("scaling", "contacts,start,ns a contact and sweep,ns a contact around them");
    let mut curves = [Vec::new(), Vec::new()];
    for power in 0..=12 {
        let contacts = 1 << power;
        let island = wall_of(contacts, 0.5);
        let mut solver = Ours::<f32>::new(&island);
        solver.solve(&Settings { sweeps: 2000, tolerance: 1e-6, method: MethodChoice::Sweeps, ..Settings::default() });
        let warm = solver.warmed(&island);
        for ((name, island), curve) in [("cold", &island), ("warm", &warm)].into_iter().zip(&mut curves) {
            let rounds = if contacts < 64 { 20 * ROUNDS } else { ROUNDS };
            let (sweep, around) = cost::<f32>(island, LocalRule::Exact, rounds);
            table.row(&[contacts.to_string(), name.into(), figure(sweep), figure(around)]);
            curve.push(sweep);
        }
    }
    table.keep();
    let [cold, warm] = curves;
    println!(
        "4,096 contacts / 64 contacts, a contact and sweep: cold {:.2}, warm {:.2}",
        cold[12] / cold[6],
        warm[12] / warm[6]
    );
    against_sweeps()
}

/// Cost against the number of sweeps, cold and warm.
fn against_sweeps() -> Result<(), String> {
    let mut table = Table::new("against-sweeps", "sweeps,start,microseconds");
    let cold = wall_of(1024, 0.5);
    let mut solver = Ours::<f32>::new(&cold);
    solver.solve(&Settings { sweeps: 2000, tolerance: 1e-6, method: MethodChoice::Sweeps, ..Settings::default() });
    let warm = solver.warmed(&cold);
    for (start, island) in [("cold", &cold), ("warm", &warm)] {
        let mut ours = Ours::<f32>::new(island);
        for count in [0, 1, 2, 5, 10, 20, 50, 100, 200] {
            let settings = sweeps(count, LocalRule::Exact);
            let [time] = race(ROUNDS, [&mut || ours.run(&settings)]);
            table.row(&[count.to_string(), start.into(), figure(time * 1e-3)]);
        }
    }
    table.keep();
    Ok(())
}

/// Many small worlds, one by one and side by side.
fn compare_worlds() -> Result<(), String> {
    // A round is short, so that some rounds are not interrupted on a busy machine.
    const WORLDS: usize = 256;
    let header = "speed,settings,solver,precision,sweeps a world,worlds a second,times one by one";
    let mut table = Table::new("worlds", header);
    let all: [(&str, Settings<f32>); 3] = [
        ("20 sweeps", sweeps(20, LocalRule::Exact)),
        ("50 sweeps", sweeps(50, LocalRule::Exact)),
        ("default", Settings::default()),
    ];
    for speed in [0.05, 1.0] {
        let mut alone = SmallWorlds::<f32>::new(WORLDS, speed, Level::baseline());
        let mut others = levels().map(|level| SmallWorlds::<f32>::new(WORLDS, speed, level));
        let names = ["one by one", "side by side (baseline)", "side by side (AVX2)"];
        for (name, settings) in &all {
            let mut counts = [0; 3];
            let ([one, two, three], [baseline, wide]) = (&mut counts, &mut others);
            let times = race(
                5 * ROUNDS,
                [
                    &mut || *one = alone.one_by_one(settings),
                    &mut || *two = baseline.side_by_side(settings),
                    &mut || *three = wide.side_by_side(settings),
                ],
            );
            for ((solver, time), count) in names.into_iter().zip(times).zip(counts) {
                let a_second = WORLDS as f64 / (time * 1e-9);
                let cells = [figure(speed), (*name).into(), solver.into(), "f32".into()];
                let rest =
                    [figure(f64::from(count) / WORLDS as f64), format!("{a_second:.0}"), figure(times[0] / time)];
                table.row(&[&cells[..], &rest[..]].concat());
            }
        }
    }
    table.keep();
    Ok(())
}

/// The instructions that every processor of this kind has, and AVX2 if this one has it.
fn levels() -> [Level; 2] {
    let baseline = Level::baseline();
    #[cfg(target_arch = "x86_64")]
    return [baseline, Level::new().as_avx2().map_or(baseline, Level::Avx2)];
    #[cfg(not(target_arch = "x86_64"))]
    [baseline, Level::new()]
}

/// Published problems, beside Siconos' published times.
fn compare_published() -> Result<(), String> {
    if published::folder().is_none() {
        println!("published problems left out: none beside the project, and STICTION_FCLIB names no folder");
        return Ok(());
    }
    let here = published::siconos().unwrap_or_else(|reason| {
        println!("Siconos left out: {reason}");
        Vec::new()
    });
    let header =
        "problem,contacts,ms to 1e-4,sweeps,factorisations,natural_rel_q,ms of Siconos as published,ms of Siconos here";
    let mut table = Table::new("published", header);
    let mut ratios: Vec<f64> = Vec::new();
    for (name, theirs) in published::PUBLISHED {
        let (problem, outcome) = published::solve(name, 1e-4, 20)?;
        let measured = here.iter().find(|(other, _)| other == name).map(|(_, time)| *time);
        ratios.extend(measured.map(|time| time / theirs));
        table.row(&[
            name.into(),
            problem.len().to_string(),
            figure(outcome.milliseconds),
            outcome.work.0.to_string(),
            outcome.work.1.to_string(),
            figure(outcome.residual),
            figure(theirs),
            measured.map_or(String::new(), figure),
        ]);
    }
    ratios.sort_by(f64::total_cmp);
    if !ratios.is_empty() {
        let median = 0.5 * (ratios[(ratios.len() - 1) / 2] + ratios[ratios.len() / 2]);
        println!("calibration: Siconos here takes {median:.2} of its published times (median)");
    }
    table.keep();
    Ok(())
}

/// Problems with rolling friction to 1e-8, beside the solvers of Siconos.
fn compare_rolling() -> Result<(), String> {
    let Some(folder) = rolling::folder() else {
        println!("rolling problems left out: none beside the project, and STICTION_ROLLING names no folder");
        return Ok(());
    };
    let here = rolling::siconos(&folder).unwrap_or_else(|reason| {
        println!("Siconos left out: {reason}");
        Vec::new()
    });
    let header = "problem,contacts,solver,ms,sweeps or iterations,Newton and interior steps,unit_rel_q";
    let mut table = Table::new("rolling", header);
    for path in rolling::problems(&folder) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let problem = Rfc3d::parse(&bytes)?;
        let contacts = problem.len().to_string();
        // The order of Siconos, and the residual that it is asked for.
        let alike = Settings { order: SweepOrder::Forward, tolerance: 1e-8, ..Settings::default() };
        for (solver, settings) in [("ours", Settings::default()), ("ours forward to 1e-8", alike)] {
            let (report, time, left) = rolling::solve(&problem, &settings, 500)?;
            let steps = report.direct.newton_steps + report.direct.interior_steps;
            let start = [name.clone(), contacts.clone(), solver.into()];
            let rest = [figure(time), report.sweeps.to_string(), steps.to_string(), figure(left)];
            table.row(&[&start[..], &rest].concat());
        }
        for (_, theirs) in here.iter().filter(|(other, _)| *other == name) {
            let start = [name.clone(), contacts.clone(), format!("Siconos {}", theirs.solver)];
            let cells = theirs.figures.map_or([const { String::new() }; 4], |(time, iterations, left)| {
                [figure(time), iterations.to_string(), "0".into(), figure(left)]
            });
            table.row(&[&start[..], &cells].concat());
        }
    }
    table.keep();
    Ok(())
}
