//! A problem in double precision that tests rotate, swap, scale and round as they need.

use nalgebra::{DMatrix, DVector, Matrix3, MatrixView3x6, Rotation3, Vector3};
use stiction::{Bodies, Body, Contact, ContactConstraint, Contacts, Real, Report, Settings, WarmStart};

use crate::capacity::{CapacityError, Solved, solve};
use crate::fc3d::Fc3d;
use crate::oracle::Whole;
use crate::tolerance;

/// Time step of the problems here, s.
pub const DT: f64 = 1.0 / 60.0;

/// Bodies and contacts.
#[derive(Debug, Clone, PartialEq)]
pub struct Island {
    /// The bodies.
    pub bodies: Vec<Body<f64>>,
    /// The contacts.
    pub contacts: Vec<Contact<f64>>,
}

fn round_body<T: Real>(body: &Body<f64>) -> Body<T> {
    Body {
        inverse_mass: T::lit(body.inverse_mass),
        inverse_inertia_world: body.inverse_inertia_world.map(T::lit),
        linear_velocity: body.linear_velocity.map(T::lit),
        angular_velocity: body.angular_velocity.map(T::lit),
    }
}

fn round_contact<T: Real>(contact: &Contact<f64>) -> Contact<T> {
    Contact {
        a: contact.a,
        b: contact.b,
        normal: contact.normal.map(T::lit),
        r_a: contact.r_a.map(T::lit),
        r_b: contact.r_b.map(T::lit),
        mu: T::lit(contact.mu),
        restitution: T::lit(contact.restitution),
        depth: T::lit(contact.depth),
        pre_impact_normal_velocity: contact.pre_impact_normal_velocity.map(T::lit),
        warm: WarmStart {
            normal_impulse: T::lit(contact.warm.normal_impulse),
            tangent_impulse: contact.warm.tangent_impulse.map(T::lit),
        },
    }
}

impl Island {
    /// The problem rounded to a precision.
    pub fn rounded<T: Real>(&self) -> (Vec<Body<T>>, Vec<Contact<T>>) {
        (self.bodies.iter().map(round_body).collect(), self.contacts.iter().map(round_contact).collect())
    }

    /// The rounded problem in the kernel's columns.
    ///
    /// # Panics
    /// When the kernel rejects it.
    pub fn columns<T: Real, const NB: usize, const NC: usize>(&self) -> (Bodies<T, NB>, Contacts<T, NC>) {
        let (mut bodies, mut contacts) = (Bodies::new(), Contacts::new());
        let (all_bodies, all_contacts) = self.rounded::<T>();
        for body in all_bodies {
            bodies.push(body).expect("a valid body");
        }
        for contact in all_contacts {
            contacts.push(contact).expect("a valid contact");
        }
        (bodies, contacts)
    }

    /// Solves the rounded problem for a step of [`DT`].
    pub fn solve<T: Real>(&self, settings: &Settings<T>) -> Result<Solved<T>, CapacityError<T>> {
        self.solve_for(settings, T::lit(DT))
    }

    /// Solves the rounded problem for a step of `dt` seconds.
    pub fn solve_for<T: Real>(&self, settings: &Settings<T>, dt: T) -> Result<Solved<T>, CapacityError<T>> {
        let (bodies, contacts) = self.rounded::<T>();
        solve(&bodies, &contacts, settings, dt)
    }

    /// The same problem in a rotated world.
    pub fn rotated(&self, rotation: &Matrix3<f64>) -> Island {
        let rotate_body = |body: &Body<f64>| Body {
            inverse_mass: body.inverse_mass,
            inverse_inertia_world: rotation * body.inverse_inertia_world * rotation.transpose(),
            linear_velocity: rotation * body.linear_velocity,
            angular_velocity: rotation * body.angular_velocity,
        };
        let rotate_contact = |contact: &Contact<f64>| Contact {
            normal: rotation * contact.normal,
            r_a: rotation * contact.r_a,
            r_b: rotation * contact.r_b,
            warm: WarmStart {
                normal_impulse: contact.warm.normal_impulse,
                tangent_impulse: rotation * contact.warm.tangent_impulse,
            },
            ..*contact
        };
        Island {
            bodies: self.bodies.iter().map(rotate_body).collect(),
            contacts: self.contacts.iter().map(rotate_contact).collect(),
        }
    }

    /// The same problem with A and B exchanged in every contact.
    pub fn swapped(&self) -> Island {
        let swap = |contact: &Contact<f64>| Contact {
            a: contact.b,
            b: contact.a,
            normal: -contact.normal,
            r_a: contact.r_b,
            r_b: contact.r_a,
            warm: WarmStart {
                normal_impulse: contact.warm.normal_impulse,
                tangent_impulse: -contact.warm.tangent_impulse,
            },
            ..*contact
        };
        Island { bodies: self.bodies.clone(), contacts: self.contacts.iter().map(swap).collect() }
    }

    /// The same problem with all masses multiplied, and warm starts with them.
    pub fn heavier(&self, factor: f64) -> Island {
        let body = |body: &Body<f64>| Body {
            inverse_mass: body.inverse_mass / factor,
            inverse_inertia_world: body.inverse_inertia_world / factor,
            ..*body
        };
        let contact = |contact: &Contact<f64>| Contact {
            warm: WarmStart {
                normal_impulse: contact.warm.normal_impulse * factor,
                tangent_impulse: contact.warm.tangent_impulse * factor,
            },
            ..*contact
        };
        Island { bodies: self.bodies.iter().map(body).collect(), contacts: self.contacts.iter().map(contact).collect() }
    }

    /// The same problem without restitution.
    pub fn without_bounce(&self) -> Island {
        let contact = |contact: &Contact<f64>| Contact { restitution: 0.0, ..*contact };
        Island { bodies: self.bodies.clone(), contacts: self.contacts.iter().map(contact).collect() }
    }

    /// The same problem without warm starts.
    pub fn cold(&self) -> Island {
        let contact = |contact: &Contact<f64>| Contact { warm: WarmStart::cold(), ..*contact };
        Island { bodies: self.bodies.clone(), contacts: self.contacts.iter().map(contact).collect() }
    }

    /// The problem in Delassus form, with a block for each two contacts that act on each other.
    pub fn sparse_delassus(&self) -> Fc3d {
        let rows: Vec<_> = self
            .contacts
            .iter()
            .map(|contact| ContactConstraint::new(contact).expect("a valid contact").jacobian())
            .collect();
        let ends = |i: usize| {
            let Contact { a, b, .. } = self.contacts[i];
            [(a, rows[i].fixed_view::<3, 6>(0, 0)), (b, rows[i].fixed_view::<3, 6>(0, 6))]
        };
        let coupling = |i: usize, j: usize| {
            let mut block = None;
            for (body, row) in ends(i) {
                let Body { inverse_mass, inverse_inertia_world, .. } = self.bodies[body];
                let movable = inverse_mass > 0.0 || inverse_inertia_world != Matrix3::zeros();
                for (_, column) in ends(j).into_iter().filter(|(other, _)| movable && *other == body) {
                    let linear = row.fixed_columns::<3>(0) * column.fixed_columns::<3>(0).transpose() * inverse_mass;
                    let angular = row.fixed_columns::<3>(3) * inverse_inertia_world;
                    let angular = angular * column.fixed_columns::<3>(3).transpose();
                    *block.get_or_insert_with(Matrix3::zeros) += linear + angular;
                }
            }
            block
        };
        let velocity = |i: usize| -> Vector3<f64> {
            let part = |(body, row): (usize, MatrixView3x6<'_, f64, _, _>)| -> Vector3<f64> {
                let Body { linear_velocity, angular_velocity, .. } = self.bodies[body];
                row.fixed_columns::<3>(0) * linear_velocity + row.fixed_columns::<3>(3) * angular_velocity
            };
            ends(i).into_iter().map(part).sum()
        };
        let count = self.contacts.len();
        let mut problem = Fc3d {
            mu: self.contacts.iter().map(|contact| contact.mu).collect(),
            q: (0..count).map(velocity).collect(),
            blocks: Vec::new(),
            row_starts: vec![0],
            columns: Vec::new(),
        };
        for i in 0..count {
            for (j, block) in (0..count).filter_map(|j| Some((j, coupling(i, j)?))) {
                problem.blocks.push(block);
                problem.columns.push(j as u32);
            }
            problem.row_starts.push(problem.columns.len() as u32);
        }
        problem
    }

    /// The same problem in Delassus form, with each contact's tangents rotated by an angle (0 where none is given).
    pub fn delassus(&self, angles: &[f64]) -> Whole {
        let (nb, nc) = (self.bodies.len(), self.contacts.len());
        let mut j = DMatrix::zeros(3 * nc, 6 * nb);
        let mut inverse_mass = DMatrix::zeros(6 * nb, 6 * nb);
        let mut velocity = DVector::zeros(6 * nb);
        for (i, body) in self.bodies.iter().enumerate() {
            inverse_mass.fixed_view_mut::<3, 3>(6 * i, 6 * i).fill_diagonal(body.inverse_mass);
            inverse_mass.fixed_view_mut::<3, 3>(6 * i + 3, 6 * i + 3).copy_from(&body.inverse_inertia_world);
            velocity.fixed_rows_mut::<3>(6 * i).copy_from(&body.linear_velocity);
            velocity.fixed_rows_mut::<3>(6 * i + 3).copy_from(&body.angular_velocity);
        }
        for (c, contact) in self.contacts.iter().enumerate() {
            let rotation = Rotation3::from_axis_angle(&Vector3::x_axis(), angles.get(c).copied().unwrap_or(0.0));
            let rows = rotation.matrix() * ContactConstraint::new(contact).expect("a valid contact").jacobian();
            j.fixed_view_mut::<3, 6>(3 * c, 6 * contact.a).copy_from(&rows.fixed_columns::<6>(0));
            j.fixed_view_mut::<3, 6>(3 * c, 6 * contact.b).copy_from(&rows.fixed_columns::<6>(6));
        }
        let w = &j * inverse_mass * j.transpose();
        Whole { w, q: &j * velocity, mu: self.contacts.iter().map(|c| c.mu).collect() }
    }
}

/// Kinetic energy in double precision, by inverting each inverse inertia on the subspace where it is not zero.
pub fn kinetic_energy<T: Real>(bodies: &[Body<T>], velocities: &[(Vector3<T>, Vector3<T>)]) -> f64 {
    kinetic_energy_and_rounding(bodies, velocities).0
}

/// The same, and how far the rounding of masses and velocities to `T` can have moved it.
pub fn kinetic_energy_and_rounding<T: Real>(bodies: &[Body<T>], velocities: &[(Vector3<T>, Vector3<T>)]) -> (f64, f64) {
    let rounding = 16.0 * T::EPSILON.to_f64();
    let energy = |(body, (linear, angular)): (&Body<T>, &(Vector3<T>, Vector3<T>))| {
        let inverse_mass = body.inverse_mass.to_f64();
        let linear: Vector3<f64> = linear.map(T::to_f64);
        let translation = if inverse_mass > 0.0 { 0.5 * linear.norm_squared() / inverse_mass } else { 0.0 };
        let (rotation, uncertain) = rotation_energy(body, &angular.map(T::to_f64), rounding);
        (translation + rotation, rounding * translation + uncertain)
    };
    let add = |sum: (f64, f64), part: (f64, f64)| (sum.0 + part.0, sum.1 + part.1);
    bodies.iter().zip(velocities).map(energy).fold((0.0, 0.0), add)
}

/// Rotational energy, and its rounding. A diagonal inverse inertia has entries that are each exact; one that was
/// rotated is off by some rounding of its largest entry, and nothing can be said about an axis with less than that.
fn rotation_energy<T: Real>(body: &Body<T>, angular: &Vector3<f64>, rounding: f64) -> (f64, f64) {
    let tensor = body.inverse_inertia_world.map(T::to_f64);
    let diagonal = Matrix3::from_diagonal(&tensor.diagonal());
    // The kernel's own limit: what is heavier than the heaviest, largest body cannot rotate.
    let least = 1.0 / (T::INVERSE_MASS_LIMIT.to_f64() * T::LENGTH_LIMIT.to_f64().powi(2));
    let (values, along, noise) = if tensor == diagonal {
        (tensor.diagonal(), *angular, 0.0)
    } else {
        let eigen = tensor.symmetric_eigen();
        (eigen.eigenvalues, eigen.eigenvectors.tr_mul(angular), rounding * eigen.eigenvalues.amax())
    };
    let parts = values.iter().zip(&along).filter(|(value, _)| **value > noise && **value > least);
    let energies = parts.map(|(value, along)| (0.5 * along * along / value, rounding.max(noise / value)));
    energies.fold((0.0, 0.0), |sum, (part, share)| (sum.0 + part, sum.1 + share * part))
}

/// Velocities of all bodies.
pub type Velocities<T> = [(Vector3<T>, Vector3<T>)];

/// Checks the reported energies of a solve against sums in double precision over the bodies before and after, and
/// passivity against these sums. Returns the gain relative to the energy before; the error says what is off.
pub fn check_energies<T: Real>(report: &Report<T>, bodies: &[Body<T>], after: &Velocities<T>) -> Result<f64, String> {
    check_sums(bodies, after, (report.energy_before.to_f64(), report.energy_after.to_f64()))
        .map_err(|reason| format!("{reason}: {report:?}"))
}

/// The same for reported energies before and after.
pub fn check_sums<T: Real>(bodies: &[Body<T>], after: &Velocities<T>, reported: (f64, f64)) -> Result<f64, String> {
    let before: Vec<_> = bodies.iter().map(|body| (body.linear_velocity, body.angular_velocity)).collect();
    let (before, rounding_before) = kinetic_energy_and_rounding(bodies, &before);
    let (after, rounding_after) = kinetic_energy_and_rounding(bodies, after);
    // A speed whose square underflows has an energy in double precision only: at most this, of the heaviest and largest
    // body.
    let smallest = if T::BYTES == 4 { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
    let heaviest = T::INVERSE_MASS_LIMIT.to_f64() * T::LENGTH_LIMIT.to_f64().powi(2).max(1.0);
    let vanished = 6.0 * bodies.len() as f64 * smallest * heaviest;
    for (sum, rounding, reported) in [(before, rounding_before, reported.0), (after, rounding_after, reported.1)] {
        // NaN is never within.
        let within = (reported - sum).abs() <= rounding + vanished;
        if !within {
            return Err(format!("{reported:e} J are reported, the bodies have {sum:e} J"));
        }
    }
    let gain = after - before;
    let passive = gain <= tolerance::of::<T>("passivity") * before + vanished;
    if !passive {
        return Err(format!("{gain:e} J are gained on {before:e} J"));
    }
    Ok(if gain <= vanished { 0.0 } else { gain / before })
}
