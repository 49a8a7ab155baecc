//! Bodies with shapes over many frames: the kernel's world and pipeline with a detector around them.

use nalgebra::Vector3;
use stiction::Hooks;
use stiction::Manifold;
use stiction::{
    ContactCollector, ContactRows, InputError, Pipeline, Real, RigidBody, StepReport, StepSettings, ThreeRows, World,
};

use crate::detector::{Ahead, Detector, Part};
use crate::pairs::Manifolds;
use crate::touch::{MOST_PARTS, Outlook, Rules};

/// Bodies in motion. With `SixRows` their surfaces can have friction beyond sliding.
pub struct Moving<T: Real, const NB: usize, const NC: usize, R: ContactRows = ThreeRows> {
    /// The kernel's bodies: positions are centres of mass.
    pub world: Box<World<T, NB, R>>,
    /// The kernel's stepper.
    pub pipeline: Box<Pipeline<T, NB, NC, NC, R>>,
    detector: Detector,
    /// Time step, s.
    dt: T,
    substeps: u32,
}

/// Everything optional about one frame.
pub struct FrameHooks<'a, T: Real, const NB: usize, const NC: usize, R: ContactRows = ThreeRows> {
    /// Hooks of every solve.
    pub hooks: Hooks<'a, T>,
    /// Receives every part of the step after it was taken.
    pub watch: Option<Watch<'a, T, NB, NC, R>>,
}

/// A part of a step that was taken.
pub struct TakenPart<'a, T: Real, const NB: usize, const NC: usize, R: ContactRows = ThreeRows> {
    /// Its length, s.
    pub length: T,
    /// Where bodies touched.
    pub manifolds: &'a [Manifold<T>],
    /// The world after it.
    pub world: &'a World<T, NB, R>,
    /// The stepper after it.
    pub pipeline: &'a Pipeline<T, NB, NC, NC, R>,
}

/// A callback for parts of steps.
pub type Watch<'a, T, const NB: usize, const NC: usize, R> = &'a mut dyn FnMut(&TakenPart<'_, T, NB, NC, R>);

/// A manifold without the points that will bounce later in the step.
fn without_later_bounces<T: Real>(manifold: &Manifold<T>, outlook: &Outlook) -> Manifold<T> {
    let wide = |v: &Vector3<T>| v.map(T::to_f64);
    let mut now = manifold.clone();
    now.points.retain(|point| {
        let (pair, normal) = ((manifold.a, manifold.b), wide(&manifold.normal));
        let gap = -point.depth.to_f64();
        gap <= 0.0
            || !outlook.bounces_later(&Ahead { pair, normal, on_a: wide(&point.on_a), on_b: wide(&point.on_b), gap })
    });
    now
}

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> Moving<T, NB, NC, R> {
    /// Bodies and their shapes, in steps of `dt` seconds; settings that the kernel rejects are rejected here.
    pub fn new(
        bodies: Vec<(RigidBody<T>, Part)>,
        settings: StepSettings<T>,
        dt: f64,
        of_pair: Manifolds,
    ) -> Result<Self, InputError<T>> {
        let mut world = Box::new(World::empty());
        let mut parts = Vec::with_capacity(bodies.len());
        for (body, part) in bodies {
            world.push(body)?;
            parts.push(part);
        }
        let (dt, substeps) = (T::lit(dt), settings.substeps);
        let mut pipeline = Box::new(Pipeline::with_factor_memory(settings));
        pipeline.step(&mut Box::new(World::<T, NB, R>::empty()), stiction::manifolds(&[]), dt)?;
        // That step was only to validate the settings.
        pipeline.clear_cache();
        Ok(Moving { world, pipeline, detector: Detector::new(parts, of_pair), dt, substeps })
    }

    /// One time step, in as many parts as bounces begin in it.
    pub fn step(&mut self, mut frame: FrameHooks<'_, T, NB, NC, R>) -> Result<StepReport<T>, InputError<T>> {
        let mut report = StepReport::open(&self.world, &self.pipeline.settings.gravity);
        let mut left = self.dt.to_f64();
        for number in 1..=MOST_PARTS {
            let outlook = Outlook::new(&self.world, self.rules(), left);
            let last = number == MOST_PARTS;
            let touch = if last { None } else { outlook.first_touch(&self.world, &self.detector) };
            let length = touch.unwrap_or(left);
            report.append(&self.part(length, (!last).then_some(&outlook), &mut frame)?);
            left -= length;
            if touch.is_none() {
                break;
            }
        }
        Ok(report)
    }

    fn rules(&self) -> Rules {
        let settings = &self.pipeline.settings;
        Rules {
            gravity: settings.gravity.map(T::to_f64),
            threshold: settings.solver.restitution_threshold.to_f64(),
            margin: settings.contact_margin.to_f64(),
        }
    }

    /// One part of `length` seconds. With an outlook, points that will bounce later are not contacts yet.
    fn part(
        &mut self,
        length: f64,
        outlook: Option<&Outlook>,
        frame: &mut FrameHooks<'_, T, NB, NC, R>,
    ) -> Result<StepReport<T>, InputError<T>> {
        // Substeps are no longer than in a whole step.
        let substeps = (length / self.dt.to_f64() * f64::from(self.substeps)).ceil();
        self.pipeline.settings.substeps = (substeps as u32).clamp(1, self.substeps);
        let way = self.pipeline.search_margin(&self.world, T::lit(length)).to_f64();
        let margin = way + self.detector.spin_way(&self.world, length);
        let detector = &mut self.detector;
        let (mut seen, watched) = (Vec::new(), frame.watch.is_some());
        let manifolds = |world: &World<T, NB, R>, collector: &mut ContactCollector<'_, T, NB, NC, R>| {
            let found = |manifold: &Manifold<T>| {
                let sooner = outlook.map(|outlook| without_later_bounces(manifold, outlook));
                let manifold = sooner.as_ref().unwrap_or(manifold);
                if watched {
                    seen.push(manifold.clone());
                }
                collector.push(manifold)
            };
            detector.manifolds(world.positions(), world.orientations(), margin, found)
        };
        let length = T::lit(length);
        let report = self.pipeline.step_with(&mut self.world, manifolds, length, frame.hooks.reborrow())?;
        if let Some(watch) = &mut frame.watch {
            watch(&TakenPart { length, manifolds: &seen, world: &self.world, pipeline: &self.pipeline });
        }
        Ok(report)
    }

    /// Kinetic and potential energy, J.
    pub fn energy(&self) -> f64 {
        let gravity = self.pipeline.settings.gravity;
        (self.world.kinetic_energy() + self.world.potential_energy(&gravity)).to_f64()
    }

    /// Digest of all state bits: FNV-1a, 64 bits, body by body.
    pub fn digest(&self) -> u64 {
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        let mut take = |value: T| {
            for byte in &value.to_le_padded()[..T::BYTES] {
                hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        };
        for body in (0..self.world.len()).filter_map(|i| self.world.get(i)) {
            let orientation = body.orientation.quaternion().coords;
            let values = body
                .position
                .iter()
                .chain(orientation.iter())
                .chain(body.linear_velocity.iter())
                .chain(body.angular_velocity.iter());
            values.for_each(|value| take(*value));
        }
        hash
    }
}
