//! The peer that a good programmer writes by hand: `peers/projection.c`, compiled for this machine and run in the same
//! benchmark.

use std::path::{Path, PathBuf};
use std::process::Command;

use stiction::{Frame, Settings, WarmStart};
use stiction_testkit::island::Island;

/// Number of sweeps in every measurement.
pub const SWEEPS: u32 = 60;

/// The compiled peer.
pub struct Projection {
    program: PathBuf,
    folder: PathBuf,
}

/// Cost and result of a rule.
#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    /// Nanoseconds a contact for its preparation.
    pub prepare: f64,
    /// Nanoseconds a contact and sweep.
    pub sweep: f64,
    /// Bytes it keeps a contact.
    pub bytes: usize,
    /// Our residual of its impulses, in double precision.
    pub residual: f64,
    /// How many contacts slide, if known.
    pub sliding: Option<usize>,
}

impl Outcome {
    /// The same with the shorter times of two rounds.
    #[must_use]
    pub fn or_faster(self, other: Option<Self>) -> Self {
        let other = other.unwrap_or(self);
        Outcome { prepare: self.prepare.min(other.prepare), sweep: self.sweep.min(other.sweep), ..self }
    }
}

impl Projection {
    /// Compiles it for `float` or `double`; the error says why that failed.
    pub fn compile(real: &str) -> Result<Self, String> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = here.join("../target/peers");
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let program = folder.join(format!("projection-{real}"));
        let output = Command::new("cc")
            .args(["-O3", "-march=native", &format!("-DREAL={real}"), "-o"])
            .arg(&program)
            .arg(here.join("peers/projection.c"))
            .arg("-lm")
            .output()
            .map_err(|error| format!("no C compiler: cc: {error}"))?;
        if !output.status.success() {
            return Err(format!("cc: {}", String::from_utf8_lossy(&output.stderr)));
        }
        Ok(Projection { program, folder })
    }

    /// Solves an island, `rounds` times.
    pub fn solve(&self, island: &Island, rounds: usize) -> Result<Outcome, String> {
        let (input, output) = (self.folder.join("problem.bin"), self.folder.join("answer.bin"));
        let failed = |error: std::io::Error| format!("projection: {error}");
        std::fs::write(&input, bytes(island)).map_err(failed)?;
        let run = Command::new(&self.program)
            .arg(&input)
            .args([SWEEPS.to_string(), rounds.to_string()])
            .arg(&output)
            .output()
            .map_err(failed)?;
        let words = String::from_utf8_lossy(&run.stdout).into_owned();
        let figures: Vec<f64> = words.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let [prepare, sweep, bytes] = figures[..] else { return Err(format!("projection printed {words:?}")) };
        let contacts = island.contacts.len() as f64;
        let answer = std::fs::read(&output).map_err(failed)?;
        Ok(Outcome {
            prepare: prepare / contacts,
            sweep: sweep / contacts / f64::from(SWEEPS),
            bytes: bytes as usize,
            residual: residual(island, &numbers(&answer)),
            sliding: None,
        })
    }
}

/// The island as the peer reads it.
fn bytes(island: &Island) -> Vec<u8> {
    let mut numbers = vec![island.bodies.len() as f64, island.contacts.len() as f64];
    for body in &island.bodies {
        numbers.push(body.inverse_mass);
        let parts =
            body.inverse_inertia_world.iter().chain(body.linear_velocity.iter()).chain(body.angular_velocity.iter());
        numbers.extend(parts);
    }
    for contact in &island.contacts {
        numbers.extend([contact.a as f64, contact.b as f64]);
        let frame = Frame::from_normal(&contact.normal).expect("a unit normal");
        for vector in [&frame.n(), &frame.t1(), &frame.t2(), &contact.r_a, &contact.r_b] {
            numbers.extend(vector.iter());
        }
        let WarmStart { normal_impulse: normal, tangent_impulse: tangent } = &contact.warm;
        numbers.extend([contact.mu, *normal, frame.t1().dot(tangent), frame.t2().dot(tangent)]);
    }
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn numbers(bytes: &[u8]) -> Vec<f64> {
    let (whole, _) = bytes.as_chunks::<8>();
    whole.iter().map(|number| f64::from_le_bytes(*number)).collect()
}

/// Our residual of the answer's impulses: a solve that starts with them and makes no sweep. `inf` where it cannot be
/// computed.
fn residual(island: &Island, answer: &[f64]) -> f64 {
    let mut warm = island.clone();
    let impulses = answer.get(6 * island.bodies.len()..).unwrap_or(&[]).as_chunks::<3>().0;
    for (contact, [normal, t1, t2]) in warm.contacts.iter_mut().zip(impulses) {
        let frame = Frame::from_normal(&contact.normal).expect("a unit normal");
        contact.warm = WarmStart { normal_impulse: *normal, tangent_impulse: frame.t1() * *t1 + frame.t2() * *t2 };
    }
    let settings = Settings::<f64> { sweeps: 0, tolerance: 0.0, ..Settings::default() };
    warm.solve(&settings).map_or(f64::INFINITY, |solved| solved.report.residual.natural)
}
