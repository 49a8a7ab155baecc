//! Small problems in batches, from Rust and from Python, and the solvers of Pinocchio, MuJoCo and Siconos on the same
//! problems: `cargo bench -p stiction-benches --bench batches`.
//!
//! `STICTION_PYTHON` is a Python with the package `stiction`, and with `pin` and `mujoco` if these are wanted;
//! `STICTION_SICONOS_PYTHON` is one with Siconos. What is missing is left out, with its reason. Rust and Python take
//! turns. Speeds are those of the fastest turns; Python's additional time is the median over the turns, because the
//! fastest ones differ by chance. Instructions do not differ by chance: valgrind counts those of both, one thread each.
//! `STICTION_DRAW=1` stores the tables in `benches/results`; `STICTION_ONLY` names the one that is wanted alone: `speeds`,
//! `instructions` or `peers`.

use std::path::Path;

use stiction::{MethodChoice, Settings};
use stiction_batch::{Answers, Control, Packed, solve_all, solve_all_with_direct};
use stiction_benches::batches::{Python, count_python, count_rust, export, packed};
use stiction_benches::table::{Table, figure};
use stiction_lanes::scalar::LaneScalar;
use stiction_testkit::small_problems::{BODIES, CONTACTS, SmallProblem};

/// Problems of a batch.
const PROBLEMS: usize = 65_536;
/// Problems of a batch whose instructions are counted, and how often two processes solve it: their difference is without what
/// a process does once.
const COUNTED: usize = 2048;
const COUNTED_TIMES: [usize; 2] = [1, 3];
/// The argument by which this program runs itself.
const COUNT: &str = "count";
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
    assert_eq!(answers.len(), problems.len());
    seconds
}

/// Solves a batch so many times: what valgrind counts.
fn solve_times<T: LaneScalar + Send + Sync>(kind: SmallProblem, effort: &str, times: usize) {
    let problems = packed::<T>(kind, COUNTED);
    (0..times).for_each(|_| {
        solve(&problems, effort, 1);
    });
}

/// Instructions a problem, from Rust and from Python.
fn instructions(kind: SmallProblem, name: &str, folder: &Path, table: &mut Table) {
    if let Err(reason) = export(kind, COUNTED, folder) {
        println!("instructions left out: {reason}");
        return;
    }
    for precision in ["f32", "f64"] {
        for effort in EFFORTS {
            let count = |times: usize| -> Result<[f64; 2], String> {
                let rust = count_rust(&[COUNT, name, precision, effort, &times.to_string()])?;
                Ok([rust, count_python(folder, &[precision, effort, &times.to_string()])?])
            };
            let counted = count(COUNTED_TIMES[0]).and_then(|less| Ok((less, count(COUNTED_TIMES[1])?)));
            match counted {
                Ok((less, more)) => {
                    let solved = (COUNTED * (COUNTED_TIMES[1] - COUNTED_TIMES[0])) as f64;
                    let [rust, python] = [0, 1].map(|k: usize| (more[k] - less[k]) / solved);
                    let numbers = [rust, python].map(|count| format!("{count:.0}"));
                    let more = format!("{:.2}", 100.0 * (python / rust - 1.0));
                    table.row(&[&[name, precision, effort].map(str::to_string)[..], &numbers, &[more]].concat());
                }
                Err(reason) => println!("instructions of {name} {precision} {effort} left out: {reason}"),
            }
        }
    }
}

/// Whether a table is wanted.
fn is_wanted(table: &str) -> bool {
    std::env::var("STICTION_ONLY").map_or(true, |only| only == table)
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
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [first, name, precision, effort, times] = &words[..]
        && first == COUNT
    {
        let (kind, _) = KINDS.into_iter().find(|(_, known)| known == name).expect("a kind of problems");
        let times = times.parse().expect("a number of times");
        return match precision.as_str() {
            "f32" => solve_times::<f32>(kind, effort, times),
            _ => solve_times::<f64>(kind, effort, times),
        };
    }
    let folder = std::env::temp_dir().join(format!("stiction-batches-{}", std::process::id()));
    if is_wanted("instructions") {
        let mut table = Table::new("batches-instructions", "problems,precision,effort,from Rust,from Python,% more");
        KINDS.into_iter().for_each(|(kind, name)| instructions(kind, name, &folder, &mut table));
        table.keep();
    }
    if is_wanted("speeds") {
        speeds(&folder);
    }
    if is_wanted("peers") {
        peers(&folder);
    }
    // It is not there if no table was wanted that has problems.
    let _ = std::fs::remove_dir_all(&folder);
}

/// From Rust and from Python, in turns.
fn speeds(folder: &Path) {
    let header = "problems,precision,effort,threads,thousands a second from Rust,from Python,% more time from Python,bytes a problem that Python adds";
    let mut table = Table::new("batches", header);
    for (kind, name) in KINDS {
        export(kind, PROBLEMS, folder).expect("a folder for problems");
        let mut python = Python::start(folder).map_err(|reason| println!("Python left out: {reason}")).ok();
        let single = compare::<f32>(kind, "f32", &mut python, name);
        single.into_iter().chain(compare::<f64>(kind, "f64", &mut python, name)).for_each(|row| table.row(&row));
    }
    table.keep();
}

/// By other solvers, and by ours from Python.
fn peers(folder: &Path) {
    let header = "problems,solver,microseconds a problem,iterations,solved,median residual,largest residual";
    let mut table = Table::new("batches-peers", header);
    for (kind, name) in KINDS {
        export(kind, FOR_PEERS, folder).expect("a folder for problems");
        of_peers(folder, name).iter().for_each(|row| table.row(row));
    }
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
