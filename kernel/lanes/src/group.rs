//! The numbers of contacts that are visited side by side.
use stiction::sweep::lane_memory::{LaneRow, at};

use crate::scalar::LaneScalar;

/// A group: one array of lanes for each number of a row.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
pub struct Group<T: LaneScalar> {
    /// See [`at`].
    pub numbers: [T::Array; at::COUNT],
    /// Body A of each lane; lanes that are not used have that of the first.
    pub a: [u16; 8],
    /// Body B of each lane.
    pub b: [u16; 8],
    /// A checksum of these indices: a flipped bit must not change a body of another island.
    pub check: u16,
    /// The row of each lane.
    pub rows: [u16; 8],
    /// How many lanes are used.
    pub count: u8,
    /// Whether a contact of it has a target.
    pub has_targets: bool,
}

impl<T: LaneScalar> Group<T> {
    /// A group without contacts.
    pub const EMPTY: Self = Group {
        numbers: [T::ZEROS; at::COUNT],
        a: [0; 8],
        b: [0; 8],
        check: 0,
        rows: [0; 8],
        count: 0,
        has_targets: false,
    };

    /// A group whose lanes are all unused.
    pub const UNUSED: Self = {
        let mut group = Self::EMPTY;
        group.numbers[at::MU] = T::ONES;
        group.numbers[at::IMPULSE] = T::ONES;
        group
    };

    /// Makes it empty. Unused lanes stick and do not change: their impulse is 1 along the normal, friction is 1, and
    /// all other numbers are 0.
    pub fn clear(&mut self) {
        self.numbers = Self::UNUSED.numbers;
        (self.count, self.has_targets) = (0, false);
    }

    /// Adds a contact in the next lane.
    pub fn push(&mut self, row: u16, contact: &LaneRow<T>) {
        let lane = usize::from(self.count);
        if lane >= T::WIDTH {
            return;
        }
        for (to, from) in self.numbers.iter_mut().zip(&contact.numbers) {
            to.as_mut()[lane] = *from;
        }
        let [a, b] = contact.bodies;
        if lane == 0 {
            // Lanes that are not used read a velocity, and change nothing.
            (self.a, self.b, self.rows) = ([a; 8], [b; 8], [row; 8]);
        } else if lane < 8 {
            (self.a[lane], self.b[lane], self.rows[lane]) = (a, b, row);
        }
        self.check = self.checksum();
        self.has_targets |= contact.numbers[at::TARGET] != T::ZERO;
        self.count += 1;
    }

    /// Sets the numbers of a lane that change between sweeps.
    pub fn set_changing(&mut self, lane: usize, numbers: [T; at::CHANGING]) {
        for (to, from) in self.numbers[at::PRELOAD..].iter_mut().zip(numbers) {
            to.as_mut()[lane] = from;
        }
        self.has_targets |= numbers[at::TARGET - at::PRELOAD] != T::ZERO;
    }

    /// Changes with every single bit of an index.
    #[inline(always)]
    fn checksum(&self) -> u16 {
        self.a.iter().chain(&self.b).fold(0, |sum, index| sum ^ index)
    }

    /// Whether its indices are those that it was given.
    #[inline(always)]
    pub fn is_intact(&self) -> bool {
        self.check == self.checksum()
    }

    /// The rows of the lanes that are used.
    #[inline(always)]
    pub fn used_rows(&self) -> &[u16] {
        self.rows.get(..usize::from(self.count).min(T::WIDTH)).unwrap_or(&[])
    }

    /// A number of a lane.
    #[inline(always)]
    pub fn number(&self, at: usize, lane: usize) -> T {
        self.numbers[at].as_ref().get(lane).copied().unwrap_or(T::ZERO)
    }

    /// All numbers of a lane.
    pub fn row(&self, lane: usize) -> [T; at::COUNT] {
        let mut numbers = [T::ZERO; at::COUNT];
        for (at, number) in numbers.iter_mut().enumerate() {
            *number = self.number(at, lane);
        }
        numbers
    }
}
