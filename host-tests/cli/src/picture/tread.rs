//! How much of its friction a contact uses, also where friction depends on the direction.

use nalgebra::Vector3;

use crate::rig::frame::ContactRow;
use crate::rig::scene::Scene;
use crate::rig::world::BodyState;

/// Of every body: friction across its direction, and the direction in body axes if it has one.
pub(super) struct Treads(Vec<(f64, Option<Vector3<f64>>)>);

impl Treads {
    pub fn of(scene: &Scene) -> Self {
        let direction = |body: &crate::rig::scene::SceneBody| body.friction_direction.map(Vector3::from);
        Treads(scene.bodies.iter().map(|body| (body.mu_across.unwrap_or(body.mu), direction(body))).collect())
    }

    /// Friction over what the bound allows; none without friction or pressure. Directions are those after the step.
    pub fn used(&self, contact: &ContactRow, bodies: &[BodyState]) -> Option<f64> {
        let [_, _, mu, normal, _, t1, t2] = contact.numbers;
        let turned = |body: usize| Some(bodies.get(body)?.orientation * self.0.get(body)?.1?);
        let [a, b] = contact.bodies;
        let (along, across, mu_across) = match turned(a).or_else(|| turned(b)) {
            None => (t1, t2, mu),
            Some(direction) => {
                let [up, _, _, e1, e2] = contact.vectors;
                let flat = (direction - up * up.dot(&direction)).normalize();
                let friction = e1 * t1 + e2 * t2;
                let mu_across = (self.0.get(a)?.0 * self.0.get(b)?.0).sqrt();
                (friction.dot(&flat), friction.dot(&up.cross(&flat)), mu_across)
            }
        };
        let used = (along / (mu * normal)).hypot(across / (mu_across * normal));
        (mu * normal > 0.0 && used.is_finite()).then_some(used)
    }
}
