//! Many small worlds, and the two ways to solve them: one by one, and side by side.

use std::hint::black_box;

use nalgebra::{Matrix3, Vector3};
use stiction::{Bodies, Body, Contact, Contacts, Settings, Solver};
use stiction_lanes::scalar::LaneScalar;
use stiction_lanes::{Level, Worlds};
use stiction_testkit::island::Island;
use stiction_testkit::rng::Rng;

/// Bodies of a world, the ground among them.
pub const BODIES: usize = 5;
/// Contacts of a world.
pub const CONTACTS: usize = 8;

/// Which bodies touch.
const PAIRS: [(usize, usize); CONTACTS] = [(0, 1), (0, 1), (0, 2), (1, 2), (2, 3), (2, 3), (3, 4), (1, 4)];

/// Four bodies on the ground and on each other after a step of gravity, with random speeds, normals and points.
fn random_world(rng: &mut Rng, speed: f64) -> Island {
    let mut bodies = vec![Body::fixed()];
    for _ in 1..BODIES {
        bodies.push(Body {
            linear_velocity: rng.direction() * speed - Vector3::z() * 0.16,
            angular_velocity: rng.direction() * speed,
            ..Body::from_mass(1.0, Matrix3::identity() * 0.1)
        });
    }
    let mut contact = |(a, b)| {
        let normal = (Vector3::z() + rng.direction() * 0.3).normalize();
        let (r_a, r_b) = (rng.direction() * 0.3 + Vector3::z() * 0.4, rng.direction() * 0.3 - Vector3::z() * 0.4);
        Contact::new(a, b, normal, r_a, r_b, 0.5)
    };
    let contacts = PAIRS.into_iter().map(&mut contact).collect();
    Island { bodies, contacts }
}

/// Small worlds with memory to solve them.
pub struct SmallWorlds<T: LaneScalar> {
    start: Vec<Bodies<T, BODIES>>,
    worlds: Vec<(Bodies<T, BODIES>, Contacts<T, CONTACTS>)>,
    solver: Box<Solver<T, BODIES, CONTACTS>>,
    memory: Box<Worlds<T, BODIES, CONTACTS>>,
}

impl<T: LaneScalar> SmallWorlds<T> {
    /// So many worlds, whose bodies move at a speed in m/s.
    pub fn new(count: usize, speed: f64, level: Level) -> Self {
        let mut rng = Rng::new(3);
        let worlds: Vec<_> = (0..count).map(|_| random_world(&mut rng, speed).columns()).collect();
        let start = worlds.iter().map(|(bodies, _)| Bodies::clone(bodies)).collect();
        let (solver, memory) = (Box::new(Solver::new()), Box::new(Worlds::with_level(level)));
        SmallWorlds { start, worlds, solver, memory }
    }

    /// Only the velocities: a copy of all bodies would take as long as some sweeps.
    fn restart(&mut self) {
        for ((bodies, _), start) in self.worlds.iter_mut().zip(&self.start) {
            let velocities = start.linear_velocities().iter().zip(start.angular_velocities());
            for (index, (linear, angular)) in velocities.enumerate() {
                bodies.set_velocity(index, *linear, *angular).expect("a valid velocity");
            }
        }
    }

    /// Solves all worlds one by one; returns the sum of their sweeps.
    ///
    /// # Panics
    /// When the kernel rejects one.
    pub fn one_by_one(&mut self, settings: &Settings<T>) -> u32 {
        self.restart();
        let (dt, solver) = (T::lit(1.0 / 60.0), &mut self.solver);
        let sweeps = self.worlds.iter_mut().map(|(bodies, contacts)| {
            solver.solve(bodies, contacts, black_box(settings), dt).expect("a valid world").sweeps
        });
        sweeps.sum()
    }

    /// The same side by side.
    ///
    /// # Panics
    /// When the kernel rejects one.
    pub fn side_by_side(&mut self, settings: &Settings<T>) -> u32 {
        self.restart();
        let (dt, mut sweeps) = (T::lit(1.0 / 60.0), 0);
        let queue = self.worlds.iter_mut().map(|(bodies, contacts)| (bodies, &*contacts));
        self.memory.solve_all(queue, black_box(settings), dt, |_, report, _| {
            sweeps += report.expect("a valid world").sweeps;
        });
        sweeps
    }
}
