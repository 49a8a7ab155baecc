//! Worlds side by side: contact `k` of each in row `k`, body `j` of each in row `j`.
use stiction::solve::world_phase::{Velocity, store_velocities, target};
use stiction::{Bodies, Contacts, Settings};

use crate::scalar::LaneScalar;
use crate::worlds::row::{BodyRow, Row, body};

/// The most lanes that a scalar has.
pub(super) const MOST: usize = 8;

/// As many worlds as a register has lanes. A row is unused in the lanes of worlds with fewer contacts.
pub(super) struct Set<T: LaneScalar, const NB: usize, const NC: usize> {
    pub rows: [Row<T>; NC],
    pub bodies: [BodyRow<T>; NB],
    pub velocities: [[Velocity<T>; NB]; MOST],
    /// Velocities that no impulse can change, in driven worlds.
    pub fixed: [[Velocity<T>; NB]; MOST],
    /// Contacts of each world.
    contacts: [usize; MOST],
    /// Bodies of each world.
    body_counts: [usize; MOST],
}

impl<T: LaneScalar, const NB: usize, const NC: usize> Set<T, NB, NC> {
    pub const EMPTY: Self = Set {
        rows: [Row::unused(NB); NC],
        bodies: [BodyRow::NONE; NB],
        velocities: [[Velocity::ZERO; NB]; MOST],
        fixed: [[Velocity::ZERO; NB]; MOST],
        contacts: [0; MOST],
        body_counts: [0; MOST],
    };

    /// How many rows some world uses.
    pub fn used(&self) -> usize {
        self.contacts.iter().copied().max().unwrap_or(0).min(NC)
    }

    /// How many bodies some world has.
    pub fn used_bodies(&self) -> usize {
        self.body_counts.iter().copied().max().unwrap_or(0).min(NB)
    }

    /// How many contacts a world has.
    pub fn contacts(&self, lane: usize) -> usize {
        self.contacts[lane]
    }

    /// No row has a target until a world with one is put in.
    pub fn forget_targets(&mut self) {
        self.rows.iter_mut().for_each(|row| row.group.has_targets = false);
    }

    /// Takes a world out.
    pub fn remove(&mut self, lane: usize) {
        self.resize(lane, 0, 0);
    }

    /// Makes room for a world in a lane.
    fn resize(&mut self, lane: usize, bodies: usize, contacts: usize) {
        for row in self.rows.iter_mut().take(self.contacts[lane]).skip(contacts) {
            row.clear(lane, (lane * NB) as u16);
        }
        for row in self.bodies.iter_mut().take(self.body_counts[lane]).skip(bodies) {
            row.take(lane, &BodyRow::NONE, 0);
        }
        self.velocities[lane].iter_mut().skip(bodies).for_each(|velocity| *velocity = Velocity::ZERO);
        (self.contacts[lane], self.body_counts[lane]) = (contacts, bodies);
    }

    /// Takes a world of checked pairs into a lane, not yet prepared.
    pub fn put(
        &mut self,
        lane: usize,
        bodies: &Bodies<T, NB>,
        contacts: &Contacts<T, NC>,
        settings: &Settings<T>,
        dt: T,
    ) {
        self.resize(lane, bodies.len(), contacts.len());
        self.load_velocities(lane, bodies);
        for (index, row) in self.bodies.iter_mut().enumerate() {
            let Some(body) = bodies.get(index) else { break };
            row.put(lane, &body);
        }
        for (index, row) in self.rows.iter_mut().enumerate() {
            let Some(contact) = contacts.get(index) else { break };
            row.put(lane, &contact, target(&contact, settings, dt));
            row.put_bodies(lane, &self.bodies, (contact.a, contact.b), lane * NB);
        }
    }

    /// Takes the velocities of a world's bodies.
    pub fn load_velocities(&mut self, lane: usize, bodies: &Bodies<T, NB>) {
        let velocities = bodies.linear_velocities().iter().zip(bodies.angular_velocities());
        for (to, (v, w)) in self.velocities[lane].iter_mut().zip(velocities) {
            *to = Velocity::from_fours([[v.x, v.y, v.z, T::ZERO], [w.x, w.y, w.z, T::ZERO]]);
        }
    }

    /// Sets the velocities that no impulse can change, of a prepared world that has not been pushed.
    pub fn fix_velocities(&mut self, lane: usize) {
        let velocities = self.fixed[lane].iter_mut().zip(&self.velocities[lane]);
        for ((to, velocity), row) in velocities.zip(&self.bodies) {
            let [linear, angular] = velocity.fours();
            let changes = |at: usize| row.numbers[at].as_ref()[lane] > T::ZERO;
            let fixed = |changes: bool, velocity| if changes { [T::ZERO; 4] } else { velocity };
            let linear = fixed(changes(body::INVERSE_MASS), linear);
            *to = Velocity::from_fours([linear, fixed(changes(body::PIVOTS), angular)]);
        }
    }

    /// Copies a prepared world from a lane of another set.
    pub fn take(&mut self, lane: usize, from: &Self, from_lane: usize) {
        let (bodies, contacts) = (from.body_counts[from_lane], from.contacts[from_lane]);
        self.resize(lane, bodies, contacts);
        (self.velocities[lane], self.fixed[lane]) = (from.velocities[from_lane], from.fixed[from_lane]);
        for (to, from) in self.bodies.iter_mut().zip(&from.bodies).take(bodies) {
            to.take(lane, from, from_lane);
        }
        // Bodies are numbered through all lanes.
        let (old, new) = ((from_lane * NB) as u16, (lane * NB) as u16);
        for (to, from) in self.rows.iter_mut().zip(&from.rows).take(contacts) {
            let index = |body: u16| body.wrapping_sub(old).wrapping_add(new);
            let moved = [index(from.group.a[from_lane]), index(from.group.b[from_lane])];
            to.take(lane, from, from_lane, moved);
        }
    }

    /// Gives a world its new velocities.
    pub fn store(&self, lane: usize, bodies: &mut Bodies<T, NB>) {
        let velocities = &self.velocities[lane];
        store_velocities(bodies, &velocities[..bodies.len().min(NB)]);
    }
}
