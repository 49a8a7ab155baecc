//! Small problems for batches: packed for Rust, exported for Python and for peers, which `peers/batches.py` runs.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use stiction::{Body, Contact, Real};
use stiction_batch::{Layout, Packed};
use stiction_testkit::island::Island;
use stiction_testkit::small_problems::{BODIES, CONTACTS, SmallProblem};

/// A problem with a number. Contacts neither overlap nor have gaps: peers treat these differently.
fn problem(kind: SmallProblem, number: usize) -> Island {
    let mut island = kind.island(number as u64);
    island.contacts.iter_mut().for_each(|contact| contact.depth = 0.0);
    island
}

/// The first problems of a kind, in a precision.
///
/// # Panics
/// If they do not fit, which the batch's tests exclude.
pub fn packed<T: Real>(kind: SmallProblem, count: usize) -> Packed<T> {
    let mut problems = Packed::new(Layout::rows(BODIES, CONTACTS), count);
    for index in 0..count {
        let (bodies, contacts) = problem(kind, index).rounded::<T>();
        problems.set(index, &bodies, &contacts).expect("a problem of this size");
    }
    problems
}

/// Writes the first problems of a kind into a new folder, as raw arrays with the names that the Python package has.
pub fn export(kind: SmallProblem, count: usize, folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let islands: Vec<Island> = (0..count).map(|index| problem(kind, index)).collect();
    let of_bodies = |name: &str, numbers: &dyn Fn(&Body<f64>) -> Vec<f64>| {
        write(folder, name, islands.iter().flat_map(|island| &island.bodies).flat_map(numbers))
    };
    let of_contacts = |name: &str, numbers: &dyn Fn(&Contact<f64>) -> Vec<f64>| {
        write(folder, name, islands.iter().flat_map(|island| &island.contacts).flat_map(numbers))
    };
    std::fs::write(folder.join("shape"), format!("{count} {BODIES} {CONTACTS}"))?;
    of_bodies("inverse_mass", &|body| vec![body.inverse_mass])?;
    of_bodies("inverse_inertia", &|body| body.inverse_inertia_world.transpose().iter().copied().collect())?;
    of_bodies("linear", &|body| body.linear_velocity.iter().copied().collect())?;
    of_bodies("angular", &|body| body.angular_velocity.iter().copied().collect())?;
    of_contacts("a", &|contact| vec![contact.a as f64])?;
    of_contacts("b", &|contact| vec![contact.b as f64])?;
    of_contacts("mu", &|contact| vec![contact.mu])?;
    of_contacts("normal", &|contact| contact.normal.iter().copied().collect())?;
    of_contacts("r_a", &|contact| contact.r_a.iter().copied().collect())?;
    of_contacts("r_b", &|contact| contact.r_b.iter().copied().collect())
}

fn write(folder: &Path, name: &str, numbers: impl Iterator<Item = f64>) -> std::io::Result<()> {
    std::fs::write(folder.join(name), numbers.flat_map(f64::to_le_bytes).collect::<Vec<u8>>())
}

fn script() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("peers/batches.py")
}

/// The Python of a variable, or the one that the system has.
fn interpreter(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| "python3".into())
}

/// Our package in a process of its own, which solves a batch whenever it is asked to.
pub struct Python {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Python {
    /// Starts it; the error says why it cannot.
    pub fn start(folder: &Path) -> Result<Self, String> {
        let mut command = Command::new(interpreter("STICTION_PYTHON"));
        command.arg(script()).arg(folder).arg("ours").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else { return Err("no pipes".into()) };
        let mut python = Python { child, to, from: BufReader::new(from) };
        let mut line = String::new();
        match python.from.read_line(&mut line) {
            Ok(_) if line.trim() == "ready" => Ok(python),
            _ => Err("its Python has no package stiction (STICTION_PYTHON names one)".into()),
        }
    }

    /// The figures that it answers to a line.
    ///
    /// # Panics
    /// When the process has ended.
    pub fn ask<const N: usize>(&mut self, line: &str) -> [f64; N] {
        writeln!(self.to, "{line}").expect("a running Python");
        let mut answer = String::new();
        self.from.read_line(&mut answer).expect("an answer");
        let figures: Vec<f64> = answer.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        figures.try_into().expect("figures from Python")
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Instructions of this program with other arguments, by valgrind; the error says why there are none.
pub fn count_rust(words: &[&str]) -> Result<f64, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    instructions(Command::new("valgrind").args(COUNTER).arg(program).args(words))
}

/// Instructions of a process that solves the batch of a folder with our package so many times.
pub fn count_python(folder: &Path, words: &[&str]) -> Result<f64, String> {
    let mut command = Command::new("valgrind");
    // The order of sets of strings, and so the work of an import, would be another in each process.
    command.env("PYTHONHASHSEED", "0");
    command.args(COUNTER).arg(interpreter("STICTION_PYTHON")).arg(script()).arg(folder).arg("count").args(words);
    instructions(&mut command)
}

/// How valgrind counts all instructions, and keeps nothing else.
const COUNTER: [&str; 2] = ["--tool=callgrind", "--callgrind-out-file=/dev/null"];

fn instructions(command: &mut Command) -> Result<f64, String> {
    let output = command.output().map_err(|error| format!("valgrind: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let number = said.lines().rev().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok());
    number.filter(|_| output.status.success()).ok_or_else(|| said.trim().to_string())
}

/// What a solver needs for the first problems of a folder, by rows of a table; the error says why it is left out.
pub fn peer(folder: &Path, name: &str, count: usize) -> Result<Vec<Vec<String>>, String> {
    let variable = if name == "siconos" { "STICTION_SICONOS_PYTHON" } else { "STICTION_PYTHON" };
    let mut command = Command::new(interpreter(variable));
    let output = command.arg(script()).arg(folder).arg(name).arg(count.to_string()).output();
    let output = output.map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_string());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().map(|line| line.split(',').map(str::to_string).collect()).collect())
}
