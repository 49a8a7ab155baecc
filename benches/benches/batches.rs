//! Small problems in batches, from Rust and from Python, and the solvers of Pinocchio, MuJoCo and Siconos on the same
//! problems: `cargo bench -p stiction-benches --bench batches`.
//!
//! `STICTION_PYTHON` is a Python with the package `stiction`, and with `pin` and `mujoco` if these are wanted;
//! `STICTION_SICONOS_PYTHON` is one with Siconos. What is missing is left out, with its reason. Rust and Python take
//! turns. Speeds are those of the fastest turns; Python's additional time is the median over the turns, because the
//! fastest ones differ by chance. `STICTION_DRAW=1` stores the tables in `benches/results`.

use std::path::Path;

use stiction::{MethodChoice, Settings};
use stiction_batch::{Answers, Control, Packed, solve_all, solve_all_with_direct};
use stiction_benches::batches::{Python, export, packed};
use stiction_benches::table::{Table, figure};
use stiction_lanes::scalar::LaneScalar;
use stiction_testkit::small_problems::{BODIES, CONTACTS, SmallProblem};

/// Problems of a batch.
const PROBLEMS: usize = 65_536;
/// Problems that peers solve, one by one.
const FOR_PEERS: usize = 512;
/// Turns, at least, and the seconds that they take, at least.
const TURNS: usize = 5;
const SECONDS: f64 = 3.0;
const DT: f64 = 1.0 / 60.0;
const BLOCKS: usize = CONTACTS * (CONTACTS + 1) / 2;
const KINDS: [(SmallProblem, &str); 2] = [(SmallProblem::Feet, "feet"), (SmallProblem::Linked, "linked")];
/// How far problems are solved, by the names that the script of Python knows.
const EFFORTS: [&str; 3] = ["sweeps10", "default", "sweeps"];

fn settings<T: LaneScalar>(effort: &str) -> Settings<T> {
    match effort {
        "sweeps10" => Settings { sweeps: 10, tolerance: T::ZERO, ..Settings::default() },
        "sweeps" => Settings { method: MethodChoice::Sweeps, ..Settings::default() },
        _ => Settings::default(),
    }
}

/// Seconds of a batch from packed problems to answers.
fn solve<T: LaneScalar + Send + Sync>(problems: &Packed<T>, effort: &str, threads: usize) -> f64 {
    let (settings, control) = (settings::<T>(effort), Control::on(threads));
    let begin = std::time::Instant::now();
    let answers: Answers<T> = if effort == "default" {
        solve_all_with_direct::<T, BODIES, CONTACTS, BLOCKS>(problems, &settings, T::lit(DT), &control)
    } else {
        solve_all::<T, BODIES, CONTACTS>(problems, &settings, T::lit(DT), &control)
    }
    .expect("valid problems");
    let seconds = begin.elapsed().as_secs_f64();
    assert_eq!(answers.len(), PROBLEMS);
    seconds
}

fn compare<T: LaneScalar + Send + Sync>(
    kind: SmallProblem,
    precision: &str,
    python: &mut Option<Python>,
    name: &str,
) -> Vec<Vec<String>> {
    let problems = packed::<T>(kind, PROBLEMS);
    let mut rows = Vec::new();
    for effort in EFFORTS {
        for threads in [1, 2] {
            let mut turns = Turns::default();
            while !turns.are_enough() {
                let ours = solve(&problems, effort, threads);
                turns.add(ours, python.as_mut().map(|it| it.ask(&format!("{precision} {effort} {threads}"))));
            }
            let [ours, theirs] =
                [&turns.ours, &turns.theirs].map(|all| all.iter().copied().fold(f64::INFINITY, f64::min));
            let rate = |seconds: f64| figure(1e-3 * PROBLEMS as f64 / seconds);
            let of_python = match python {
                Some(_) => [rate(theirs), figure(100.0 * turns.more()), figure(turns.bytes)],
                None => [const { String::new() }; 3],
            };
            let words = [name, precision, effort, &threads.to_string()].map(str::to_string);
            rows.push([&words[..], &[rate(ours)], &of_python].concat());
        }
    }
    rows
}

/// Seconds of turns, and the most memory that Python added, bytes a problem.
#[derive(Default)]
struct Turns {
    ours: Vec<f64>,
    theirs: Vec<f64>,
    bytes: f64,
}

impl Turns {
    fn add(&mut self, ours: f64, python: Option<[f64; 2]>) {
        self.ours.push(ours);
        if let Some([seconds, bytes]) = python {
            self.theirs.push(seconds);
            self.bytes = self.bytes.max(bytes);
        }
    }

    fn are_enough(&self) -> bool {
        self.ours.len() >= TURNS && self.ours.iter().sum::<f64>() >= SECONDS
    }

    /// How much longer Python takes, as a part of our time: the median over the turns.
    fn more(&self) -> f64 {
        let mut all: Vec<f64> = self.ours.iter().zip(&self.theirs).map(|(ours, theirs)| theirs / ours - 1.0).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    }
}

fn main() {
    let folder = std::env::temp_dir().join(format!("stiction-batches-{}", std::process::id()));
    let mut speeds = Table::new(
        "batches",
        "problems,precision,effort,threads,thousands a second from Rust,from Python,% more time from Python,bytes a problem that Python adds",
    );
    let mut peers = Vec::new();
    for (kind, name) in KINDS {
        export(kind, PROBLEMS, &folder).expect("a folder for problems");
        let mut python = Python::start(&folder).map_err(|reason| println!("Python left out: {reason}")).ok();
        let single = compare::<f32>(kind, "f32", &mut python, name);
        single.into_iter().chain(compare::<f64>(kind, "f64", &mut python, name)).for_each(|row| speeds.row(&row));
        peers.extend(of_peers(&folder, name));
        std::fs::remove_dir_all(&folder).expect("the folder of problems");
    }
    speeds.keep();
    let mut table = Table::new(
        "batches-peers",
        "problems,solver,microseconds a problem,iterations,solved,median residual,largest residual",
    );
    peers.iter().for_each(|row| table.row(row));
    table.keep();
}

/// What peers need for the first problems, and we for the same, one thread each.
fn of_peers(folder: &Path, name: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for peer in ["stiction", "pinocchio", "siconos", "mujoco"] {
        match stiction_benches::batches::peer(folder, peer, FOR_PEERS) {
            Ok(found) => rows.extend(found.into_iter().map(|row| [vec![name.to_string()], row].concat())),
            Err(reason) => println!("{peer} left out: {reason}"),
        }
    }
    rows
}
