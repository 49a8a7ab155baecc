//! A contact's impulse over a frame, summed over the parts that the frame was solved in.

use std::collections::BTreeMap;

use nalgebra::Vector3;

use crate::rig::frame::Frame;

/// A contact's impulse over a frame.
pub(super) struct Push {
    /// On this body.
    pub body: usize,
    /// From its centre of mass.
    pub arm: Vector3<f64>,
    /// Along the normal, N s.
    pub normal: f64,
    /// All of it.
    pub impulse: Vector3<f64>,
}

/// Impulses of all contacts over the parts of a frame.
pub(super) fn pushes(frame: &Frame) -> Vec<Push> {
    let mut sums: BTreeMap<_, Push> = BTreeMap::new();
    for solve in &frame.solves {
        for (i, contact) in solve.contacts.iter().enumerate() {
            let [n, _, arm, t1, t2] = contact.vectors;
            let [_, _, _, normal, _, along_1, along_2] = contact.numbers;
            let body = contact.bodies[1];
            // Without a feature id, a contact is identified by its position in the list.
            let key = (contact.bodies, contact.feature, contact.feature.map_or(i, |_| 0));
            let push = sums.entry(key).or_insert(Push { body, arm, normal: 0.0, impulse: Vector3::zeros() });
            push.arm = arm;
            push.normal += normal;
            push.impulse += n * normal + t1 * along_1 + t2 * along_2;
        }
    }
    sums.into_values().filter(|push| push.normal > 0.0).collect()
}
