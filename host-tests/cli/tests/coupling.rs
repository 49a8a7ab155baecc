//! How strongly the normal and the friction of contacts are coupled, over all scenes and the published problems, and
//! what that costs rules that ignore it. Writes the tables and pictures of the book's page.

use nalgebra::Vector3;
use stiction::{ContactState, LocalRule, MethodChoice, Settings};
use stiction_cli::problem::LocalEntry;
use stiction_cli::rig::frame::{Detail, Frame};
use stiction_cli::rig::run::{Plan, run};
use stiction_cli::rig::scenes::{ALL, Named};
use stiction_cli::rig::simulation::Precision;
use stiction_pictures::histogram::{Histogram, histograms};
use stiction_repo_checks::{part, whole};
use stiction_testkit::capacity::solve_delassus;
use stiction_testkit::fc3d::Fc3d;

use crate::convergence::published;

const PAGE: &str = "docs/book/src/coupling.md";
/// Of each scene, s.
const SECONDS: f64 = 2.0;

/// A contact with friction that carries an impulse.
#[derive(Clone, Copy)]
struct Sample {
    /// `‖K_nt‖/K_nn`.
    coupling: f64,
    condition: f64,
    slides: bool,
    /// Steps that it has slid for.
    frames: u8,
}

fn samples_of(frame: &Frame) -> Vec<Sample> {
    let contacts = frame.solves.iter().flat_map(|solve| &solve.contacts);
    let loaded = contacts.filter(|contact| contact.numbers[2] > 0.0 && contact.numbers[3] > 0.0);
    let sample = loaded.filter_map(|contact| {
        let ((coupling, condition, _), (_, frames)) = (contact.diagnosis.block?, contact.diagnosis.sliding?);
        Some(Sample { coupling, condition, slides: contact.state == ContactState::Slide, frames })
    });
    sample.collect()
}

/// A scene by a local rule: its samples, the sweeps of a frame on average, the worst approach left (m/s), and the
/// largest gain of energy in a frame (J).
fn play(named: &Named, local: LocalEntry) -> (Vec<Sample>, f64, f64, f64) {
    let mut scene = named.scene();
    scene.seconds = scene.seconds.min(SECONDS);
    scene.settings.local = Some(local);
    let plan = Plan { title: named.name.into(), scene, precision: Precision::Double, record: None };
    let (mut samples, mut approach) = (Vec::new(), 0.0_f64);
    let summary = run(&plan, Detail::Full, |frame| {
        samples.extend(samples_of(frame));
        approach = approach.max(frame.report.closing_speed);
    });
    let summary = summary.expect("a valid scene");
    (samples, summary.sweeps.mean, approach, summary.energy.largest_gain_in_a_step)
}

/// The value below which a part of the samples lies.
fn quantile(samples: &[Sample], part: f64, of: fn(&Sample) -> f64) -> f64 {
    let mut values: Vec<f64> = samples.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values.get(((values.len().saturating_sub(1)) as f64 * part).round() as usize).copied().unwrap_or(0.0)
}

fn share(samples: &[Sample], is: impl Fn(&Sample) -> bool) -> f64 {
    samples.iter().filter(|sample| is(sample)).count() as f64 / samples.len().max(1) as f64
}

const COUPLINGS: [f64; 9] = [0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0];
const CONDITIONS: [f64; 8] = [1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 100.0, 1e4];

/// Shares of the samples between limits, and beyond the last one.
fn bins(samples: &[Sample], limits: &[f64], of: fn(&Sample) -> f64) -> Vec<(String, f64)> {
    let bin = |(at, low): (usize, &f64)| {
        let high = limits.get(at + 1).copied().unwrap_or(f64::INFINITY);
        (low.to_string(), share(samples, |sample| (*low..high).contains(&of(sample))))
    };
    limits.iter().enumerate().map(bin).collect()
}

fn draw(file: &str, title: &str, caption: &str, samples: &[Sample]) {
    let panels = [
        Histogram { title: "K_nt/K_nn, % of contacts".into(), bins: bins(samples, &COUPLINGS, |s| s.coupling) },
        Histogram {
            title: "Condition number of K, % of contacts".into(),
            bins: bins(samples, &CONDITIONS, |s| s.condition),
        },
    ];
    assert!(panels.iter().all(|panel| (panel.bins.iter().map(|(_, share)| share).sum::<f64>() - 1.0).abs() < 1e-9));
    whole(&format!("docs/book/src/pictures/{file}.svg"), &histograms(title, caption, &panels));
}

/// Contacts of the scenes, and a table of what each scene has.
/// Blocks of three rows are all that contacts of these scenes have.
fn plain_scenes() -> impl Iterator<Item = &'static Named> {
    ALL.iter().filter(|named| !named.scene().has_surfaces() && named.scene().joints.is_empty())
}

#[test]
fn coupling_of_the_scenes() {
    let mut all = Vec::new();
    let mut rows = String::from(
        "| scene | contacts | K_nt/K_nn: median | 95 % below | largest | condition: median | largest | slide, % | for ten steps or longer, % |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for named in plain_scenes() {
        let (samples, ..) = play(named, LocalEntry::Exact);
        if samples.is_empty() {
            continue;
        }
        let coupling = |part| quantile(&samples, part, |sample| sample.coupling);
        let condition = |part| quantile(&samples, part, |sample| sample.condition);
        rows += &format!(
            "| `{}` | {} | {:.3} | {:.3} | {:.3} | {:.1} | {:.1} | {:.0} | {:.0} |\n",
            named.name,
            samples.len(),
            coupling(0.5),
            coupling(0.95),
            coupling(1.0),
            condition(0.5),
            condition(1.0),
            100.0 * share(&samples, |sample| sample.slides),
            100.0 * share(&samples, |sample| sample.frames >= 10),
        );
        if named.name == "slide-axis" {
            // The corner of a cube of side a: K_nn = 4/m, K_nt = 6·(a/2)·(a/√2)/(m a²), eigenvalues 1/m and 5.5/m.
            let expected = 1.5 * 2_f64.sqrt() / 4.0;
            assert!((coupling(0.5) - expected).abs() < 1e-9 && (condition(0.5) - 5.5).abs() < 1e-9);
        }
        all.extend(samples);
    }
    part(PAGE, "scenes", &rows);
    let caption = format!(
        "{} contacts with friction that carry an impulse, of all scenes with sliding friction only, up to {SECONDS} s of each",
        all.len()
    );
    draw("coupling-scenes", "Coupling of the built-in scenes", &caption, &all);
    let large = share(&all, |sample| sample.coupling > 0.05);
    println!("{:.1} % of {} contacts have K_nt/K_nn above 5 %", 100.0 * large, all.len());
    let very_large = share(&all, |sample| sample.coupling > 0.3);
    let percent = [large, very_large].map(|share| (100.0 * share).round());
    assert_eq!(percent, [61.0, 45.0], "the page says so");
    assert!(all.iter().all(|sample| sample.condition < 7.05 && sample.condition.is_finite()));
}

/// Scenes by projection beside the exact rule.
#[test]
fn what_projection_costs_in_scenes() {
    let mut rows = String::from(
        "| scene | sweeps a frame: exact | projection | approach left, m/s: exact | projection | largest gain, J: exact | projection |\n|---|---:|---:|---:|---:|---:|---:|\n",
    );
    let number = |value: f64| if value < 1e-9 { "0".to_string() } else { format!("{value:.1e}") };
    for named in plain_scenes() {
        let exact = play(named, LocalEntry::Exact);
        if !exact.0.iter().any(|sample| sample.slides) {
            continue;
        }
        let projection = play(named, LocalEntry::Projection);
        rows += &format!(
            "| `{}` | {:.1} | {:.1} | {} | {} | {} | {} |\n",
            named.name,
            exact.1,
            projection.1,
            number(exact.2),
            number(projection.2),
            number(exact.3),
            number(projection.3)
        );
    }
    part(PAGE, "rules", &rows);
}

/// A published contact on its own: the velocity that it has without its own impulse.
fn alone(problem: &Fc3d, impulses: &[Vector3<f64>], contact: usize) -> Fc3d {
    let (mut free, mut own) = (problem.q[contact], nalgebra::Matrix3::zeros());
    for k in problem.row_starts[contact] as usize..problem.row_starts[contact + 1] as usize {
        let other = problem.columns[k] as usize;
        if other == contact {
            own += problem.blocks[k];
        } else {
            free += problem.blocks[k] * impulses[other];
        }
    }
    Fc3d { mu: vec![problem.mu[contact]], q: vec![free], blocks: vec![own], row_starts: vec![0, 1], columns: vec![0] }
}

/// The distance of a rule's impulse from the exact one, relative to the exact one.
fn error_of(rule: LocalRule, alone: &Fc3d) -> f64 {
    let answer = |local| {
        let settings =
            Settings { local, method: MethodChoice::Sweeps, sweeps: 1, tolerance: 0.0, ..Settings::<f64>::default() };
        solve_delassus(alone, &settings).expect("a valid problem").impulses[0]
    };
    let exact = answer(LocalRule::Exact);
    (answer(rule) - exact).norm() / exact.norm()
}

/// Contacts of the published problems, and how wrong a sliding contact's impulse is by projection.
#[test]
fn coupling_of_the_published_problems() {
    let problems = published();
    if problems.is_empty() {
        return;
    }
    let (mut all, mut errors) = (Vec::new(), Vec::new());
    for (_, problem) in &problems {
        let solved = solve_delassus(problem, &Settings::<f64>::default()).expect("a valid problem");
        for (i, coupling) in solved.couplings.iter().enumerate() {
            if solved.impulses[i].x <= 0.0 || problem.mu[i] == 0.0 {
                continue;
            }
            let slides = solved.states[i] == ContactState::Slide;
            let sample =
                Sample { coupling: coupling.normal_tangent_ratio, condition: coupling.condition, slides, frames: 0 };
            all.push(sample);
            if slides {
                let alone = alone(problem, &solved.impulses, i);
                let of = |rule| error_of(rule, &alone);
                errors.push((sample.coupling, of(LocalRule::Projection), of(LocalRule::HoldAndResolve)));
            }
        }
    }
    let caption = format!("{} contacts that carry an impulse, of twelve published problems", all.len());
    assert_eq!((100.0 * share(&all, |sample| sample.coupling > 0.05)).round(), 81.0, "the page says so");
    draw("coupling-published", "Coupling of the published problems", &caption, &all);
    let mut rows = String::from(
        "| K_nt/K_nn | contacts, % | sliding | projection: median error, % | largest | hold and resolve: median error, % | largest |\n|---|---:|---:|---:|---:|---:|---:|\n",
    );
    for (at, low) in COUPLINGS.iter().enumerate() {
        let range = *low..COUPLINGS.get(at + 1).copied().unwrap_or(f64::INFINITY);
        let of = |pick: fn(&(f64, f64, f64)) -> f64| {
            let mut values: Vec<f64> = errors.iter().filter(|e| range.contains(&e.0)).map(pick).collect();
            values.sort_by(f64::total_cmp);
            values
        };
        let (projection, hold) = (of(|e| e.1), of(|e| e.2));
        let percent = |value: Option<&f64>| value.map_or("-".to_string(), |value| format!("{:.1}", 100.0 * value));
        let name = if range.end.is_finite() { format!("{low} to {}", range.end) } else { format!("{low} or more") };
        rows += &format!(
            "| {name} | {:.1} | {} | {} | {} | {} | {} |\n",
            100.0 * share(&all, |sample| range.contains(&sample.coupling)),
            projection.len(),
            percent(projection.get(projection.len() / 2)),
            percent(projection.last()),
            percent(hold.get(hold.len() / 2)),
            percent(hold.last()),
        );
    }
    part(PAGE, "published", &rows);
    let range = |pick: fn(&(f64, f64, f64)) -> f64| {
        let medians = COUPLINGS[1..].iter().zip(COUPLINGS[2..].iter().chain([&f64::INFINITY])).map(|(low, high)| {
            let mut values: Vec<f64> = errors.iter().filter(|e| (*low..*high).contains(&e.0)).map(pick).collect();
            values.sort_by(f64::total_cmp);
            100.0 * values[values.len() / 2]
        });
        medians.fold((f64::INFINITY, 0.0), |(low, high), median| (f64::min(low, median), f64::max(high, median)))
    };
    let (projection, hold) = (range(|e| e.1), range(|e| e.2));
    assert_eq!(
        [projection.0, projection.1, hold.0, hold.1].map(f64::round),
        [12.0, 543.0, 2.0, 59.0],
        "the page says so"
    );
}
