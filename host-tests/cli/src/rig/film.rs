//! A run that other languages can repeat: settings, bodies, and for every step its length, its manifolds and a digest
//! of the world after it. The same input to the same kernel gives the same bits.
//!
//! All numbers are little-endian, scalars `f32` or `f64`:
//!
//! | part | numbers |
//! |---|---|
//! | head | `FILM`, bytes of a scalar, bodies, number of contacts that the memory for direct methods can hold |
//! | settings | 9 words: method, local rule, bounce, order, position correction, and four limits |
//! | | 7 scalars; gravity, margin, cell; substeps |
//! | a body | 31 scalars: inverse mass, inertia (9), position, orientation (4), velocities (6), load (6), μ, e |
//! | a step | word 1, length, substeps, number of manifolds, manifolds, 64-bit digest |
//! | a manifold | a, b, number of points, whether it has a material; normal, μ, restitution; points |
//! | a point | kind, feature; on a, on b, depth |
//! | the end | word 0 |

use stiction::Manifold;
use stiction::PointId;
use stiction::{ContactRows, Real, RigidBody, StepSettings, World};
use stiction_scenes::digest::Digest;

/// Bytes of an unfinished film.
#[derive(Debug, Clone, Default)]
pub struct Film {
    bytes: Vec<u8>,
}

impl Film {
    /// Head, settings and bodies.
    pub fn begin<T: Real, const NB: usize, R: ContactRows>(
        settings: &StepSettings<T>,
        world: &World<T, NB, R>,
        direct_contacts: u32,
    ) -> Self {
        let mut film = Film::default();
        film.words(&[u32::from_le_bytes(*b"FILM"), T::BYTES as u32, world.len() as u32, direct_contacts]);
        let solver = &settings.solver;
        film.words(&[solver.method as u32, solver.local as u32, solver.bounce as u32, solver.order as u32]);
        film.words(&[solver.position_correction as u32, solver.sweeps, solver.factorisations]);
        film.words(&[solver.min_sweeps, solver.normal_sweeps]);
        film.scalars(&[solver.relaxation, solver.accelerated_relaxation, solver.tolerance]);
        film.scalars(&[solver.restitution_threshold, solver.error_reduction, solver.slop, solver.max_correction_speed]);
        film.scalars(settings.gravity.as_slice());
        film.scalars(&[settings.contact_margin, settings.cache_cell]);
        film.words(&[settings.substeps]);
        (0..world.len()).filter_map(|index| world.get(index)).for_each(|body| film.body(&body));
        film
    }

    fn body<T: Real>(&mut self, body: &RigidBody<T>) {
        self.scalars(&[body.inverse_mass]);
        self.scalars(body.inverse_inertia_body.as_slice());
        self.scalars(body.position.as_slice());
        self.scalars(body.orientation.quaternion().coords.as_slice());
        for vector in [&body.linear_velocity, &body.angular_velocity, &body.load.force, &body.load.torque] {
            self.scalars(vector.as_slice());
        }
        self.scalars(&[body.material.mu, body.material.restitution]);
    }

    /// A step that was taken.
    pub fn step<T: Real, const NB: usize, R: ContactRows>(
        &mut self,
        (dt, substeps): (T, u32),
        manifolds: &[Manifold<T>],
        world: &World<T, NB, R>,
    ) {
        self.words(&[1]);
        self.scalars(&[dt]);
        self.words(&[substeps, manifolds.len() as u32]);
        manifolds.iter().for_each(|manifold| self.manifold(manifold));
        let mut digest = Digest::default();
        digest.add_world(world);
        self.bytes.extend(digest.0.to_le_bytes());
    }

    fn manifold<T: Real>(&mut self, manifold: &Manifold<T>) {
        let has_material = u32::from(manifold.material.is_some());
        self.words(&[manifold.a as u32, manifold.b as u32, manifold.points.len() as u32, has_material]);
        self.scalars(manifold.normal.as_slice());
        let material = manifold.material.unwrap_or(stiction::Material::SMOOTH);
        self.scalars(&[material.mu, material.restitution]);
        for point in &manifold.points {
            let (kind, feature) = match point.id {
                PointId::Feature(feature) => (0, feature),
                PointId::Proximity => (1, 0),
            };
            self.words(&[kind, feature]);
            self.scalars(point.on_a.as_slice());
            self.scalars(point.on_b.as_slice());
            self.scalars(&[point.depth]);
        }
    }

    /// The whole film.
    pub fn end(mut self) -> Vec<u8> {
        self.words(&[0]);
        self.bytes
    }

    fn words(&mut self, words: &[u32]) {
        words.iter().for_each(|word| self.bytes.extend(word.to_le_bytes()));
    }

    fn scalars<T: Real>(&mut self, values: &[T]) {
        values.iter().for_each(|value| self.bytes.extend(&value.to_le_padded()[..T::BYTES]));
    }
}
