//! Many consecutive solves, monitored: random stacks pushed, dropped and slid, frame after frame with their caches.
//!
//! Every solve must add no energy, by its report and by sums in double precision, and must not report convergence that
//! it did not reach. Every step must end with finite numbers, a balanced ledger, and a cache that can be saved and
//! restored. For quantities without a limit, such as the penetration of a stack, mean and worst are recorded.

use nalgebra::Vector3;
use stiction::Hooks;
use stiction::Observer;
use stiction::{Real, Report, RigidBody, Status, StepReport};
use stiction_scenes::boxes::{Boxes, Pair, material, solid, vector};

use stiction_testkit::rng::Rng;

/// Bodies of a scene, the ground among them.
const BODIES: usize = 6;
/// Contacts of a scene.
const CONTACTS: usize = 20;
/// Phases of a step: a bounce and a contact phase in each of eight substeps, each with its own rounding and tolerance.
const PHASES: f64 = 16.0;

/// Frames that a scene is simulated for.
const FRAMES: u64 = 400;
/// Frames between two cache copies by way of bytes.
const SAVED_EVERY: u64 = 50;

/// Mean and worst of a quantity.
#[derive(Debug, Default, Clone, Copy)]
pub struct Watched {
    count: u64,
    sum: f64,
    /// The largest seen.
    pub worst: f64,
}

impl Watched {
    /// The largest of values would skip NaN: values that are not finite are rejected.
    fn see(&mut self, value: f64) -> Result<(), String> {
        let value = finite(value)?;
        self.count += 1;
        self.sum += value;
        self.worst = self.worst.max(value);
        Ok(())
    }

    /// The mean of all.
    pub fn mean(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }
}

fn finite(value: f64) -> Result<f64, String> {
    if value.is_finite() { Ok(value) } else { Err(format!("{value} is not finite")) }
}

impl std::fmt::Display for Watched {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "mean {:.2e}, worst {:.2e}", self.mean(), self.worst)
    }
}

/// Kinetic and potential energy that steps added, without position correction, relative to the scene's.
#[derive(Debug, Default, Clone, Copy)]
pub struct Added {
    /// Steps whose islands were all solved, without a bounce.
    pub solved: Watched,
    /// Steps with a bounce, all solved.
    pub bounced: Watched,
    /// Steps with a solve that ended at its cap, or that the guard scaled back.
    pub cut: Watched,
}

/// The results.
#[derive(Debug, Default)]
pub struct Soak {
    /// Time steps.
    pub steps: u64,
    /// Islands that were solved.
    pub solves: u64,
    /// Scenes.
    pub scenes: u64,
    /// Residual of solves, relative.
    pub residual: Watched,
    /// Sweeps of a solve.
    pub sweeps: Watched,
    /// Kinetic energy that a solve added, relative to what it found.
    pub gain: Watched,
    /// Kinetic and potential energy of a scene above what it started with and position correction added, relative.
    pub rise: Watched,
    /// Energy that steps added, by kind of step.
    pub added: Added,
    /// Deepest penetration, m.
    pub depth: Watched,
    /// Scenes that fell over, and were not simulated further.
    pub fallen: u64,
    /// How far bodies that were at rest halfway through a scene crept in its second half, m.
    pub creep: Watched,
    /// Points in the cache.
    pub cached: Watched,
    /// Solves that ended at their cap of sweeps.
    pub unsolved: u64,
    /// Solves whose impulses the guard scaled back.
    pub guarded: u64,
}

impl Added {
    fn see(&mut self, energy: f64, cut: bool, bounced: bool) -> Result<(), String> {
        let of = match (cut, bounced) {
            (true, _) => &mut self.cut,
            (false, true) => &mut self.bounced,
            (false, false) => &mut self.solved,
        };
        of.see(energy)
    }
}

impl std::fmt::Display for Soak {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(
            f,
            "{} solves, {} steps, {} scenes ({} fell over)",
            self.solves, self.steps, self.scenes, self.fallen
        )?;
        writeln!(f, "residual              {}", self.residual)?;
        writeln!(f, "sweeps                {}", self.sweeps)?;
        writeln!(f, "gain of a solve, of E {}", self.gain)?;
        writeln!(f, "scene above its start {}", self.rise)?;
        writeln!(f, "  by a solved step    {}", self.added.solved)?;
        writeln!(f, "  by one that bounced {}", self.added.bounced)?;
        writeln!(f, "  by one cut short    {}", self.added.cut)?;
        writeln!(f, "penetration, m        {}", self.depth)?;
        writeln!(f, "creep at rest, m      {}", self.creep)?;
        writeln!(f, "points in the cache   {}", self.cached)?;
        write!(f, "at the cap {}, scaled back by the guard {}", self.unsolved, self.guarded)
    }
}

/// A stack of a few boxes of any size, mass and surface, that falls or is pushed.
fn scene<T: Real>(rng: &mut Rng) -> Boxes<T, BODIES, CONTACTS> {
    let surface = |rng: &mut Rng| {
        let bounce = if rng.chance(0.5) { 0.0 } else { rng.range(0.0, 1.0) };
        material::<T>(if rng.chance(0.1) { 0.0 } else { rng.range(0.05, 1.2) }, bounce)
    };
    let rates = [1.0 / 1000.0, 1.0 / 240.0, 1.0 / 60.0];
    let mut boxes = Boxes::new(surface(rng), rates[rng.below(3)]);
    boxes.pipeline.settings.solver.sweeps = [10, 50, 200][rng.below(3)];
    let (mut top, rests) = (if rng.chance(0.5) { 0.0 } else { rng.range(0.0, 0.5) }, rng.chance(0.3));
    for index in 1..=1 + rng.below(BODIES - 1) {
        let half = vector(rng.range(0.2, 0.6), rng.range(0.2, 0.6), rng.range(0.1, 0.5));
        let mut body = solid(T::lit(rng.log_range(0.1, 10.0)), &half, surface(rng));
        body.position.z = T::lit(top) + half.z;
        top += 2.0 * half.z.to_f64();
        if !rests {
            let mut speed = |most: f64| vector(rng.range(-most, most), rng.range(-most, most), rng.range(-most, most));
            (body.linear_velocity, body.angular_velocity) = (speed(2.0), speed(0.5));
        }
        if boxes.try_add(body, half).is_err() {
            break;
        }
        boxes.pairs.push(match index {
            1 => Pair::BoxOnPlane { ground: 0, body: 1, normal: Vector3::z() },
            _ => Pair::BoxOnBox { lower: index - 1, upper: index },
        });
    }
    boxes
}

impl Soak {
    /// Runs until the given number of solves is reached, and reports progress now and then. The error says what was
    /// wrong.
    pub fn run<T: Real>(&mut self, seed: u64, solves: u64, mut progress: impl FnMut(u64)) -> Result<(), String> {
        let mut rng = Rng::new(seed);
        let (begun, mut next) = (self.solves, 0);
        while self.solves - begun < solves {
            let number = self.scenes;
            self.follow(&mut scene::<T>(&mut rng)).map_err(|error| format!("seed {seed}, scene {number}: {error}"))?;
            self.scenes += 1;
            if self.solves - begun >= next {
                progress(self.solves - begun);
                next += solves.div_ceil(20);
            }
        }
        Ok(())
    }

    fn follow<T: Real>(&mut self, boxes: &mut Boxes<T, BODIES, CONTACTS>) -> Result<(), String> {
        let mut halfway = None;
        let (start, mut given) = (boxes.energy(), 0.0);
        for frame in 0..FRAMES {
            let tolerance = boxes.pipeline.settings.solver.tolerance;
            let before = boxes.energy();
            let mut islands = Islands::new(self, tolerance);
            let report = boxes
                .step_with(Hooks::with_observer(&mut islands))
                .map_err(|error| format!("frame {frame}: {error}"))?;
            if let Some(complaint) = islands.complaint {
                return Err(format!("frame {frame}: {complaint}"));
            }
            let ledger = &report.ledger;
            let contacts = (ledger.bounce + ledger.normal + ledger.friction).to_f64();
            let scale = (ledger.kinetic_before + ledger.kinetic_after).to_f64() + contacts.abs();
            if (contacts - islands.work).abs() > 1e3 * T::EPSILON.to_f64() * scale {
                return Err(format!("frame {frame}: islands report {} J, the step {contacts} J", islands.work));
            }
            if report.passivity_guard != islands.guarded {
                return Err(format!("frame {frame}: the step does not say that the guard acted: {report:?}"));
            }
            let (cut, bounced) = (islands.cut, report.ledger.bounce != T::ZERO);
            self.look_at(boxes, &report).map_err(|error| format!("frame {frame}: {error}: {report:?}"))?;
            let corrected = report.ledger.position_correction.to_f64();
            given += corrected;
            let added = finite((boxes.energy() - before - corrected) / start)?.max(0.0);
            self.added.see(added, cut, bounced)?;
            // Without a bounce, only the error that the tolerance allows may add energy.
            if added > PHASES * tolerance.to_f64() && !cut && !bounced {
                return Err(format!("frame {frame}: a solved step added {added:e} of the scene's energy: {report:?}"));
            }
            self.rise.see(finite((boxes.energy() - start - given) / start)?.max(0.0))?;
            if frame == FRAMES / 2 && all(boxes, at_rest) {
                halfway = Some(boxes.world.positions().to_vec());
            }
            if frame % SAVED_EVERY == 0 {
                replace_cache_by_its_bytes(boxes)?;
            }
            if !all(boxes, is_upright) {
                self.fallen += 1;
                return Ok(());
            }
        }
        if let Some(then) = halfway {
            let crept = boxes.world.positions().iter().zip(&then).map(|(now, then)| (now - then).norm().to_f64());
            self.creep.see(crept.map(finite).try_fold(0.0, |most, way| Ok::<_, String>(f64::max(most, way?)))?)?;
        }
        Ok(())
    }

    /// Checks what a step left behind.
    fn look_at<T: Real>(&mut self, boxes: &Boxes<T, BODIES, CONTACTS>, report: &StepReport<T>) -> Result<(), String> {
        self.steps += 1;
        let bodies = boxes.world.bodies();
        let numbers =
            boxes.world.positions().iter().chain(bodies.linear_velocities()).chain(bodies.angular_velocities());
        if !numbers.flat_map(|v| v.iter()).all(|x| x.is_finite()) {
            return Err("a number is not finite".into());
        }
        if report.contacts > 0 {
            self.depth.see(report.depth.to_f64())?;
            self.cached.see(boxes.pipeline.cache().len() as f64)?;
        }
        Ok(())
    }

    /// Checks an island's report.
    fn judge<T: Real>(&mut self, report: &Report<T>, tolerance: T) -> Result<(), String> {
        self.solves += 1;
        let (before, after) = (report.energy_before.to_f64(), report.energy_after.to_f64());
        let gain = (after - before) / before.max(f64::MIN_POSITIVE);
        self.gain.see(finite(gain)?.max(0.0))?;
        let passive = gain <= PHASES * stiction_testkit::tolerance::of::<T>("passivity");
        if !passive {
            return Err(format!("gained energy: {report:?}"));
        }
        let residual = report.residual.natural.to_f64();
        let solved = residual <= tolerance.to_f64().max(1e3 * T::EPSILON.to_f64());
        if report.status == Status::Converged && !solved {
            return Err(format!("called converged, and is not: {report:?}"));
        }
        self.residual.see(residual)?;
        self.sweeps.see(f64::from(report.sweeps))?;
        self.unsolved += u64::from(report.status == Status::SweepLimit);
        self.guarded += u64::from(report.passivity_guard);
        Ok(())
    }
}

/// Receives the report of every island that is solved.
struct Islands<'a, T> {
    soak: &'a mut Soak,
    tolerance: T,
    /// Whether one was not solved.
    cut: bool,
    /// Whether one was scaled back.
    guarded: bool,
    complaint: Option<String>,
    /// Work of contacts that the islands report, J.
    work: f64,
}

impl<'a, T: Real> Islands<'a, T> {
    fn new(soak: &'a mut Soak, tolerance: T) -> Self {
        Islands { soak, tolerance, cut: false, guarded: false, complaint: None, work: 0.0 }
    }
}

impl<T: Real> Observer<T> for Islands<'_, T> {
    fn report(&mut self, _: usize, report: &Report<T>) {
        self.work += (report.energy_after - report.energy_before).to_f64();
        self.guarded |= report.passivity_guard;
        self.cut |= report.status != Status::Converged || report.passivity_guard;
        if let Err(complaint) = self.soak.judge(report, self.tolerance) {
            self.complaint.get_or_insert(complaint);
        }
    }
}

fn all<T: Real>(boxes: &Boxes<T, BODIES, CONTACTS>, holds: fn(&RigidBody<T>) -> bool) -> bool {
    (0..boxes.world.len()).filter_map(|index| boxes.world.get(index)).all(|body| holds(&body))
}

fn at_rest<T: Real>(body: &RigidBody<T>) -> bool {
    body.linear_velocity.norm() < T::lit(1e-3) && body.angular_velocity.norm() < T::lit(1e-3)
}

/// The geometry is only for boxes that lie on each other: a scene in which one tips over is not simulated further.
fn is_upright<T: Real>(body: &RigidBody<T>) -> bool {
    (body.orientation * Vector3::z()).z > T::lit(0.95)
}

/// Saves the cache as bytes and restores it; it must be the same.
fn replace_cache_by_its_bytes<T: Real>(boxes: &mut Boxes<T, BODIES, CONTACTS>) -> Result<(), String> {
    let before = boxes.pipeline.cache().clone();
    let mut bytes = vec![0; before.saved_bytes()];
    let length = before.save(&mut bytes).ok_or("the buffer is too small for the cache")?;
    boxes.pipeline.clear_cache();
    boxes.pipeline.restore_cache(&bytes[..length]).map_err(|error| error.to_string())?;
    if *boxes.pipeline.cache() == before { Ok(()) } else { Err("the restored cache differs".into()) }
}
