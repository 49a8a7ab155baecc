//! Random large structures of four kinds, cold, with up to 500 contacts: more contacts than their loads determine, so
//! that many distributions of impulses are solutions.

use nalgebra::{Matrix3, Rotation3, Vector3};
use stiction::{Body, Contact};

use crate::island::Island;
use crate::known_answers::{DT, GRAVITY};
use crate::rng::Rng;

/// The largest number of contacts of a structure.
pub const MOST_CONTACTS: usize = 500;

/// A kind of structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Structure {
    /// Columns of boxes of about a metre, side by side; neighbours touch, some boxes are missing.
    BoxStacks,
    /// Barrel vaults of wedges, one to five arches deep, with loads on some wedges.
    Vaults,
    /// Rocks in a heap, with one to three contacts between neighbours.
    RockPiles,
    /// Capsules in any direction in a heap; those that overlap touch.
    Capsules,
}

/// All of them.
pub const STRUCTURES: [Structure; 4] =
    [Structure::BoxStacks, Structure::Vaults, Structure::RockPiles, Structure::Capsules];

impl Structure {
    /// One of them, with at most [`MOST_CONTACTS`] contacts; further ones are left out.
    pub fn island(self, rng: &mut Rng) -> Island {
        let mut builder = Builder::new(rng);
        match self {
            Structure::BoxStacks => builder.box_stacks(),
            Structure::Vaults => builder.vault(),
            Structure::RockPiles => builder.rock_pile(),
            Structure::Capsules => builder.capsules(),
        }
        let Builder { mut island, .. } = builder;
        island.contacts.truncate(MOST_CONTACTS);
        island
    }
}

/// A structure under construction. Body 0 is the ground, whose centre is the origin.
struct Builder<'a> {
    rng: &'a mut Rng,
    island: Island,
    centres: Vec<Vector3<f64>>,
    mu: (f64, f64),
    /// Velocity that gravity adds in a step.
    fall: Vector3<f64>,
    /// Random part of the velocities, m/s and rad/s.
    kick: f64,
}

impl<'a> Builder<'a> {
    fn new(rng: &'a mut Rng) -> Self {
        let low = rng.range(0.2, 0.7);
        let high = if rng.chance(0.5) { low } else { low + 0.3 };
        let tilt = if rng.chance(0.5) { rng.range(0.0, 0.3) } else { 0.0 };
        let kick = if rng.chance(0.5) { rng.log_range(0.01, 1.0) } else { 0.0 };
        let fall = Vector3::new(tilt.sin(), 0.0, -tilt.cos()) * (GRAVITY * DT);
        let island = Island { bodies: vec![Body::fixed()], contacts: Vec::new() };
        Builder { rng, island, centres: vec![Vector3::zeros()], mu: (low, high), fall, kick }
    }

    /// Adds a body with a box's inertia; returns its index.
    fn body(&mut self, centre: Vector3<f64>, mass: f64, size: Vector3<f64>, axes: &Matrix3<f64>) -> usize {
        let square = size.component_mul(&size);
        let inertia = Vector3::new(square.y + square.z, square.x + square.z, square.x + square.y) * (mass / 12.0);
        let inverse = axes * Matrix3::from_diagonal(&inertia.map(|inertia| 1.0 / inertia)) * axes.transpose();
        self.island.bodies.push(Body {
            linear_velocity: self.fall + self.rng.direction() * self.kick,
            angular_velocity: self.rng.direction() * self.kick,
            ..Body::from_inverse(1.0 / mass, (inverse + inverse.transpose()) * 0.5)
        });
        self.centres.push(centre);
        self.centres.len() - 1
    }

    /// Adds a contact at a point; the normal points from `a` to `b`.
    fn touch(&mut self, a: usize, b: usize, normal: Vector3<f64>, point: Vector3<f64>) {
        let mu = self.rng.range(self.mu.0, self.mu.1);
        let (r_a, r_b) = (point - self.centres[a], point - self.centres[b]);
        self.island.contacts.push(Contact::new(a, b, normal.normalize(), r_a, r_b, mu));
    }

    /// Adds four contacts at the corners of a rectangle.
    fn touch_face(&mut self, a: usize, b: usize, normal: Vector3<f64>, centre: Vector3<f64>, half: [Vector3<f64>; 2]) {
        for (u, v) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            self.touch(a, b, normal, centre + half[0] * u + half[1] * v);
        }
    }

    fn box_stacks(&mut self) {
        let (columns, rows) = (1 + self.rng.below(8), 2 + self.rng.below(14));
        let (joined, missing) = (self.rng.chance(0.6), if self.rng.chance(0.3) { 0.1 } else { 0.0 });
        let ratio = if self.rng.chance(0.3) { 30.0 } else { 2.0 };
        let (x, y, z) = (Vector3::x() * 0.5, Vector3::y() * 0.5, Vector3::z() * 0.5);
        let mut left = vec![None; rows];
        for column in 0..columns {
            let mut below = Some(0);
            for (row, left) in left.iter_mut().enumerate() {
                // A column ends where a box is missing.
                let full = self.island.contacts.len() + 8 > MOST_CONTACTS || self.rng.chance(missing);
                let Some(support) = below.filter(|_| !full) else {
                    (below, *left) = (None, None);
                    continue;
                };
                let centre = Vector3::new(column as f64, 0.0, row as f64 + 0.5);
                let mass = self.rng.log_range(1.0 / ratio, ratio);
                let body = self.body(centre, mass, Vector3::repeat(1.0), &Matrix3::identity());
                self.touch_face(support, body, Vector3::z(), centre - z, [x, y]);
                if let Some(neighbour) = left.filter(|_| joined) {
                    self.touch_face(neighbour, body, Vector3::x(), centre - x, [y, z]);
                }
                (below, *left) = (Some(body), Some(body));
            }
        }
    }

    fn vault(&mut self) {
        let (wedges, arches) = (5 + self.rng.below(20), 1 + self.rng.below(5));
        let (radius, thickness) = (self.rng.range(3.0, 8.0), self.rng.range(0.6, 1.5));
        let loaded = if self.rng.chance(0.5) { 0.2 } else { 0.0 };
        let angle = core::f64::consts::PI / wedges as f64;
        let (outward, along) =
            (|a: f64| Vector3::new(-a.cos(), 0.0, a.sin()), |a: f64| Vector3::new(a.sin(), 0.0, a.cos()));
        let mut beside = vec![None; wedges];
        for arch in 0..arches {
            if self.island.contacts.len() + 4 + 8 * wedges > MOST_CONTACTS {
                break;
            }
            let depth = Vector3::y() * arch as f64;
            let mut before = 0;
            for (wedge, beside) in beside.iter_mut().enumerate() {
                let (joint, middle) = (angle * wedge as f64, angle * (wedge as f64 + 0.5));
                let centre = outward(middle) * radius + depth;
                let axes = Matrix3::from_columns(&[outward(middle), Vector3::y(), along(middle)]);
                let size = Vector3::new(thickness, 1.0, angle * radius);
                let mass = size.product() * if self.rng.chance(loaded) { self.rng.range(1.0, 30.0) } else { 1.0 };
                let body = self.body(centre, mass, size, &axes);
                let half = [outward(joint) * (thickness * 0.5), Vector3::y() * 0.5];
                self.touch_face(before, body, along(joint), outward(joint) * radius + depth, half);
                if let Some(neighbour) = *beside {
                    let half = [axes * Vector3::x() * (thickness * 0.5), axes * Vector3::z() * (size.z * 0.4)];
                    self.touch_face(neighbour, body, Vector3::y(), centre - Vector3::y() * 0.5, half);
                }
                (before, *beside) = (body, Some(body));
            }
            let end = angle * wedges as f64;
            let half = [outward(end) * (thickness * 0.5), Vector3::y() * 0.5];
            self.touch_face(before, 0, along(end), outward(end) * radius + depth, half);
        }
    }

    fn rock_pile(&mut self) {
        let (side, layers) = (2 + self.rng.below(4), 1 + self.rng.below(6));
        let (reach, ratio) = (self.rng.range(1.15, 1.4), if self.rng.chance(0.3) { 100.0 } else { 5.0 });
        for layer in 0..layers {
            // Each layer is shifted by half a rock and shrinks, as in a heap.
            let rocks = if side > layer { side - layer } else { 1 };
            for (i, j) in (0..rocks).flat_map(|i| (0..rocks).map(move |j| (i, j))) {
                let jitter = self.rng.direction() * 0.15;
                let offset = 0.5 * layer as f64;
                let centre = Vector3::new(i as f64 + offset, j as f64 + offset, 0.75 * layer as f64 + 0.5) + jitter;
                let mass = self.rng.log_range(1.0 / ratio, ratio);
                let size = Vector3::from_fn(|_, _| self.rng.range(0.6, 1.2));
                let axes = self.rng.rotation();
                let body = self.body(centre, mass, size, &axes);
                if layer == 0 {
                    for _ in 0..1 + self.rng.below(3) {
                        let aside = Vector3::new(self.rng.range(-0.4, 0.4), self.rng.range(-0.4, 0.4), -centre.z);
                        self.touch(0, body, Vector3::z(), centre + aside);
                    }
                }
            }
        }
        for b in 1..self.centres.len() {
            for a in 1..b {
                let between = self.centres[b] - self.centres[a];
                if between.norm() > reach {
                    continue;
                }
                let normal = between.normalize() + self.rng.direction() * 0.3;
                for _ in 0..1 + self.rng.below(3) {
                    let point = (self.centres[a] + self.centres[b]) * 0.5 + self.rng.direction() * 0.25;
                    self.touch(a, b, normal, point);
                }
            }
        }
    }

    fn capsules(&mut self) {
        let count = 5 + self.rng.below(150);
        let (half_length, radius) = (self.rng.range(0.3, 1.0), 0.3);
        // Room for each capsule, so that there are two to five contacts on one.
        let room = (count as f64 * self.rng.range(0.35, 0.7)).cbrt();
        let mut axes: Vec<Vector3<f64>> = vec![Vector3::zeros()];
        for _ in 0..count {
            let flat = Vector3::new(1.0, 1.0, 0.4);
            let axis = self.rng.direction().component_mul(&flat).normalize() * half_length;
            let (x, y) = (self.rng.range(-room, room), self.rng.range(-room, room));
            let centre = Vector3::new(x, y, radius + self.rng.range(0.0, 0.8 * room));
            let turn = Rotation3::rotation_between(&Vector3::x(), &axis).unwrap_or_else(Rotation3::identity);
            let size = Vector3::new(2.0 * (half_length + radius), 1.7 * radius, 1.7 * radius);
            let mass = self.rng.log_range(0.3, 3.0);
            let body = self.body(centre, mass, size, turn.matrix());
            for end in [-1.0, 1.0] {
                let tip = centre + axis * end;
                if tip.z < 1.2 * radius {
                    self.touch(0, body, Vector3::z(), tip - Vector3::z() * radius);
                }
            }
            axes.push(axis);
        }
        for b in 1..self.centres.len() {
            for a in 1..b {
                let (p, q) = closest(self.centres[a], axes[a], self.centres[b], axes[b]);
                let gap = (q - p).norm();
                if gap < 2.2 * radius && gap > 1e-6 {
                    self.touch(a, b, q - p, (p + q) * 0.5);
                }
            }
        }
    }
}

/// The closest points of two segments, each given by its centre and half of it: alternating projections.
fn closest(a: Vector3<f64>, d: Vector3<f64>, b: Vector3<f64>, e: Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
    let on = |centre: Vector3<f64>, half: Vector3<f64>, point: Vector3<f64>| {
        centre + half * ((point - centre).dot(&half) / half.norm_squared()).clamp(-1.0, 1.0)
    };
    let mut p = on(a, d, b);
    for _ in 0..60 {
        p = on(a, d, on(b, e, p));
    }
    (p, on(b, e, p))
}
