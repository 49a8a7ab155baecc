//! A hand: a damped spring between a point of a body and a target. It is a load, so its work is in the ledger.

use nalgebra::{Matrix3, Vector3};
use stiction::{RigidBody, World, Wrench};

use crate::draft::{BODIES, Rows};

/// A spring, per mass of what it pulls.
struct Spring {
    /// Natural frequency, rad/s.
    rate: f32,
    /// Damping ratio.
    damping: f32,
    /// The largest acceleration, m/s².
    strongest: f32,
}

/// For a body without joints: soft.
const FREE: Spring = Spring { rate: 10.0, damping: 0.8, strongest: 120.0 };
/// For a body with joints, which others may hang from: a forearm of 1.5 kg can lift its ragdoll of 72 kg, also at its end,
/// where it feels like a quarter of its mass. A load is constant within a step of 1/60 s, so a spring with damping must
/// stay below the rate of steps.
const JOINTED: Spring = Spring { rate: 45.0, damping: 0.7, strongest: 3000.0 };

/// A body that is pulled at one of its points.
pub(crate) struct Pull {
    pub body: usize,
    /// In body axes, from the centre of mass.
    arm: Vector3<f32>,
    /// In world coordinates.
    pub towards: Vector3<f32>,
}

impl Pull {
    /// Takes a body at a point in world coordinates; none if it cannot move.
    pub fn at(world: &World<f32, BODIES, Rows>, body: usize, at: Vector3<f32>) -> Option<Self> {
        let held = world.get(body).filter(|held| held.inverse_mass > 0.0)?;
        let arm = held.orientation.inverse() * (at - held.position);
        Some(Pull { body, arm, towards: at })
    }

    /// Its force where bodies are; none if there is no such body.
    pub fn load(&self, world: &World<f32, BODIES, Rows>) -> Option<Wrench<f32>> {
        let body = world.get(self.body)?;
        let has_joints = world.joints().any(|joint| joint.a == self.body || joint.b == self.body);
        let Spring { rate, damping, strongest } = if has_joints { JOINTED } else { FREE };
        let arm = body.orientation * self.arm;
        let velocity = body.linear_velocity + body.angular_velocity.cross(&arm);
        let acceleration = (self.towards - body.position - arm) * (rate * rate) - velocity * (2.0 * damping * rate);
        let size = acceleration.norm();
        let within = acceleration * if size > strongest { strongest / size } else { 1.0 };
        let force = if has_joints { force_at(&body, &arm, &within)? } else { within / body.inverse_mass };
        Some(Wrench { force, torque: arm.cross(&force) })
    }
}

/// The force that gives a point of a body an acceleration, if nothing else acts: at the end of a rod it turns, it feels
/// a quarter of the rod's mass.
fn force_at(body: &RigidBody<f32>, arm: &Vector3<f32>, acceleration: &Vector3<f32>) -> Option<Vector3<f32>> {
    let turn = body.orientation.to_rotation_matrix();
    let inverse_inertia = turn * body.inverse_inertia_body * turn.transpose();
    let cross = arm.cross_matrix();
    let mobility = Matrix3::identity() * body.inverse_mass - cross * inverse_inertia * cross;
    Some(mobility.try_inverse()? * acceleration)
}
