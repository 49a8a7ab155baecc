//! The numbers of worlds side by side: a contact of each, and a body of each.
use stiction::solve::world_phase::ContactAxes;
use stiction::sweep::lane_memory::at;
use stiction::{Body, Contact};

use crate::group::Group;
use crate::scalar::LaneScalar;

/// Offsets in a row's numbers besides those of a visit.
pub(super) mod own {
    /// 1 where the world has this contact, else 0.
    pub const PRESENT: usize = 0;
    /// What impulses in N s are multiplied by.
    pub const SCALE: usize = 1;
    /// A third of the block's trace.
    pub const SIZE: usize = 2;
    /// The velocity, less the target, where the phase began.
    pub const BEFORE: usize = 3;
    pub const COUNT: usize = 6;
}

/// Offsets in a body's numbers.
pub(super) mod body {
    /// 0 where the world has no such body.
    pub const INVERSE_MASS: usize = 0;
    /// `xx, yy, zz, yx, zx, zy`.
    pub const INVERSE_INERTIA: usize = 1;
    /// The axis of each pivot: 0, 1 or 2.
    pub const ORDER: usize = 7;
    /// `l10, l20, l21`.
    pub const BELOW: usize = 10;
    pub const PIVOTS: usize = 13;
    /// Diagonal entries that the pivots are left over from.
    pub const ENTRIES: usize = 16;
    pub const COUNT: usize = 19;
}

/// A contact of each world.
#[derive(Clone, Copy)]
pub(super) struct Row<T: LaneScalar> {
    /// What a visit needs. Before it is prepared: the normal in place of the frame, and inverse inertias in place of
    /// `I⁻¹(r×d)`.
    pub group: Group<T>,
    /// See [`own`].
    pub own: [T::Array; own::COUNT],
}

/// A body of each world: mass, inertia, and the factor of the inertia (see the kernel's `ldlt3`).
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(super) struct BodyRow<T: LaneScalar> {
    /// See [`body`].
    pub numbers: [T::Array; body::COUNT],
}

/// Copies a lane of some numbers.
#[inline(always)]
fn copy<A: AsRef<[T]> + AsMut<[T]>, T: Copy>((to, lane): (&mut [A], usize), (from, from_lane): (&[A], usize)) {
    for (to, from) in to.iter_mut().zip(from) {
        to.as_mut()[lane] = from.as_ref()[from_lane];
    }
}

/// Sets a lane of some numbers.
#[inline(always)]
fn set<A: AsMut<[T]>, T: Copy>(to: &mut [A], lane: usize, values: &[T]) {
    for (to, value) in to.iter_mut().zip(values) {
        to.as_mut()[lane] = *value;
    }
}

impl<T: LaneScalar> Row<T> {
    /// Without contacts. Every lane has bodies of its own: `bodies` apart.
    pub const fn unused(bodies: usize) -> Self {
        let mut group = Group::UNUSED;
        group.count = T::WIDTH as u8;
        let mut lane = 0;
        while lane < 8 {
            group.a[lane] = (lane * bodies) as u16;
            lane += 1;
        }
        group.b = group.a;
        Row { group, own: [T::ZEROS; own::COUNT] }
    }

    /// A lane's axes, cone and scale.
    pub fn axes(&self, lane: usize) -> ContactAxes<T> {
        let number = |at: usize| self.group.number(at::FRAME + at, lane);
        let vector = |from: usize| [number(from), number(from + 1), number(from + 2)];
        let (mu, scale) = (self.group.number(at::MU, lane), self.own[own::SCALE].as_ref()[lane]);
        ContactAxes { frame: [vector(0), vector(3), vector(6)], mu, scale }
    }

    /// A lane's normal velocity, less its target, where the phase began.
    pub fn start_normal_velocity(&self, lane: usize) -> T {
        self.own[own::BEFORE].as_ref()[lane]
    }

    /// A lane's impulse.
    pub fn impulse(&self, lane: usize) -> [T; 3] {
        let part = |k: usize| self.group.number(at::IMPULSE + k, lane);
        [part(0), part(1), part(2)]
    }

    /// Sets a lane's impulse.
    pub fn set_impulse(&mut self, lane: usize, impulse: [T; 3]) {
        set(&mut self.group.numbers[at::IMPULSE..], lane, &impulse);
    }

    /// Takes a lane out of use.
    pub fn clear(&mut self, lane: usize, body: u16) {
        copy((&mut self.group.numbers, lane), (&Group::<T>::UNUSED.numbers, 0));
        set(&mut self.own, lane, &[T::ZERO; own::COUNT]);
        (self.group.a[lane], self.group.b[lane]) = (body, body);
    }

    /// Copies a lane of another row. `moved` are its bodies here.
    pub fn take(&mut self, lane: usize, from: &Self, from_lane: usize, moved: [u16; 2]) {
        copy((&mut self.group.numbers, lane), (&from.group.numbers, from_lane));
        copy((&mut self.own, lane), (&from.own, from_lane));
        [self.group.a[lane], self.group.b[lane]] = moved;
        self.group.has_targets |= from.group.has_targets;
    }

    /// Takes a contact of a world, not yet prepared.
    pub fn put(&mut self, lane: usize, contact: &Contact<T>, target: T) {
        let numbers = &mut self.group.numbers;
        set(&mut numbers[at::FRAME..], lane, contact.normal.as_slice());
        set(&mut numbers[at::R_A..], lane, contact.r_a.as_slice());
        set(&mut numbers[at::R_B..], lane, contact.r_b.as_slice());
        let zero = T::ZERO;
        set(&mut numbers[at::MU..], lane, &[contact.mu, zero, zero, zero, zero, target, zero]);
        self.own[own::PRESENT].as_mut()[lane] = T::ONE;
        self.group.has_targets |= target != T::ZERO;
    }

    /// Takes the bodies of a contact from their rows; `first` is the index of the lane's first body.
    pub fn put_bodies(&mut self, lane: usize, bodies: &[BodyRow<T>], (a, b): (usize, usize), first: usize) {
        let numbers = &mut self.group.numbers;
        for (index, mass, turn) in [(a, at::INV_MASS_A, at::TURN_A), (b, at::INV_MASS_B, at::TURN_B)] {
            let Some(row) = bodies.get(index) else { continue };
            numbers[mass].as_mut()[lane] = row.numbers[body::INVERSE_MASS].as_ref()[lane];
            copy((&mut numbers[turn..turn + 6], lane), (&row.numbers[body::INVERSE_INERTIA..], lane));
        }
        (self.group.a[lane], self.group.b[lane]) = ((first + a) as u16, (first + b) as u16);
    }
}

impl<T: LaneScalar> BodyRow<T> {
    /// No bodies.
    pub const NONE: Self = BodyRow { numbers: [T::ZEROS; body::COUNT] };

    /// Takes a body of a world, without its factor.
    pub fn put(&mut self, lane: usize, body: &Body<T>) {
        let m = &body.inverse_inertia_world;
        set(&mut self.numbers, lane, &[body.inverse_mass, m.m11, m.m22, m.m33, m.m21, m.m31, m.m32]);
    }

    /// Copies a lane of another row.
    pub fn take(&mut self, lane: usize, from: &Self, from_lane: usize) {
        copy((&mut self.numbers, lane), (&from.numbers, from_lane));
    }
}
