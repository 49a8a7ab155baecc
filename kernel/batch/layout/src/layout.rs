//! Where the numbers of a problem are, in one array of scalars and one of 32-bit words.
//!
//! All problems of a batch have the same capacity, so every number has a fixed place `k` within its problem. Problems
//! stand one after the other, or [`BLOCK`] side by side, number beside number, so that the threads of a warp read whole
//! lines. With `s` problems side by side and `w` numbers a problem, number `k` of problem `i` is at
//!
//! ```text
//! (⌊i/s⌋ w + k) s + i mod s
//! ```
//!
//! Numbers of the input, in this order:
//!
//! | | each |
//! |---|---|
//! | scalars of a body | inverse mass; inverse inertia, row by row; linear and angular velocity: 16 |
//! | scalars of a contact | normal, `r_a`, `r_b`; μ, restitution, depth, normal velocity before impact; warm impulse: normal, tangent: 17 |
//! | scalars of a surface, if there are any | torsion, rolling; direction and `mu_across`; warm moment: 9 |
//! | words of a problem | how many bodies and contacts it has: 2 |
//! | words of a contact | a, b, flags ([`flag`]): 3 |
//!
//! and of the answer:
//!
//! | | each |
//! |---|---|
//! | scalars of all bodies | linear velocities, then angular ones: 6 |
//! | scalars of all contacts | normal impulses; tangent impulses, world axes; bounce impulses; with surfaces moments: 5 or 8 |
//! | scalars of a problem | [`FIGURES`] |
//! | words of a problem | [`COUNTS`], then the states of contacts |
use core::ops::Range;

/// Problems side by side in a block.
pub const BLOCK: usize = 1 << BLOCK_BITS;

const BLOCK_BITS: u32 = 5;

/// Scalars of a body in the input.
pub const BODY: usize = 16;
/// Scalars of a contact in the input.
pub const CONTACT: usize = 17;
/// Scalars of a contact's friction beyond sliding in the input.
pub const SURFACE: usize = 9;
/// Words of a problem in the input, before those of its contacts.
pub const HEAD: usize = 2;
/// Words of a contact in the input.
pub const CONTACT_WORDS: usize = 3;

/// Bits of a contact's flags.
pub mod flag {
    /// The normal velocity before impact is given.
    pub const PRE_IMPACT: u32 = 1;
    /// Friction depends on the direction.
    pub const TREAD: u32 = 2;
    /// Sliding and torsion share one bound.
    pub const JOINED: u32 = 4;
}

/// Scalars of a report in the answer, in their order.
pub const FIGURES: [&str; 11] = [
    "residual",
    "residual_scale",
    "closing_speed",
    "cone",
    "energy_before",
    "energy_after",
    "bounce_work",
    "contact_work",
    "friction_work",
    "bias_work",
    "bounce_missing",
];

/// Words of a report in the answer, in their order.
pub const COUNTS: [&str; 6] = ["status", "method", "sweeps", "bounce_sweeps", "safe_blocks", "flags"];

/// The arrangement of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Bodies of each problem, at most.
    pub bodies: usize,
    /// Contacts of each problem, at most.
    pub contacts: usize,
    /// Whether contacts can have friction beyond sliding.
    pub has_surfaces: bool,
    /// The binary logarithm of the number of problems side by side. A graphics processor has no instruction for division of
    /// integers, and every number that is read or written asks for its place.
    side_bits: u32,
}

impl Layout {
    /// Problem after problem.
    pub const fn rows(bodies: usize, contacts: usize) -> Self {
        Layout { bodies, contacts, has_surfaces: false, side_bits: 0 }
    }

    /// The same in blocks of problems side by side.
    pub const fn blocks(bodies: usize, contacts: usize) -> Self {
        Layout { side_bits: BLOCK_BITS, ..Layout::rows(bodies, contacts) }
    }

    /// The same with friction beyond sliding.
    pub const fn with_surfaces(self) -> Self {
        Layout { has_surfaces: true, ..self }
    }

    /// Problems side by side: 1 or [`BLOCK`].
    pub const fn side_by_side(&self) -> usize {
        1 << self.side_bits
    }

    /// Scalars of a problem in the input.
    pub const fn input_scalars(&self) -> usize {
        self.surface_at(0) + if self.has_surfaces { SURFACE * self.contacts } else { 0 }
    }

    /// Words of a problem in the input.
    pub const fn input_words(&self) -> usize {
        HEAD + CONTACT_WORDS * self.contacts
    }

    /// Scalars of a problem in the answer.
    pub const fn answer_scalars(&self) -> usize {
        self.figures_at() + FIGURES.len()
    }

    /// Words of a problem in the answer.
    pub const fn answer_words(&self) -> usize {
        COUNTS.len() + self.contacts
    }

    /// The first scalar of a body in the input.
    pub const fn body_at(body: usize) -> usize {
        BODY * body
    }

    /// The first scalar of a contact in the input.
    pub const fn contact_at(&self, contact: usize) -> usize {
        BODY * self.bodies + CONTACT * contact
    }

    /// The first scalar of a contact's surface in the input.
    pub const fn surface_at(&self, contact: usize) -> usize {
        self.contact_at(self.contacts) + SURFACE * contact
    }

    /// Linear velocities in the answer.
    pub const fn linear(&self) -> Range<usize> {
        0..3 * self.bodies
    }

    /// Angular velocities in the answer.
    pub const fn angular(&self) -> Range<usize> {
        3 * self.bodies..6 * self.bodies
    }

    /// Normal impulses in the answer.
    pub const fn normal(&self) -> Range<usize> {
        let start = 6 * self.bodies;
        start..start + self.contacts
    }

    /// Tangent impulses in the answer.
    pub const fn tangent(&self) -> Range<usize> {
        let start = self.normal().end;
        start..start + 3 * self.contacts
    }

    /// Bounce impulses in the answer.
    pub const fn bounce(&self) -> Range<usize> {
        let start = self.tangent().end;
        start..start + self.contacts
    }

    /// Moments in the answer; empty without surfaces.
    pub const fn moment(&self) -> Range<usize> {
        let start = self.bounce().end;
        start..start + if self.has_surfaces { 3 * self.contacts } else { 0 }
    }

    /// The first figure in the answer.
    pub const fn figures_at(&self) -> usize {
        self.moment().end
    }

    /// The place of a figure in the answer.
    pub fn figure(&self, name: &str) -> Option<usize> {
        FIGURES.iter().position(|figure| *figure == name).map(|at| self.figures_at() + at)
    }

    /// How many numbers an array has that holds `each` of them for every problem. Blocks are whole.
    pub const fn length(&self, each: usize, problems: usize) -> usize {
        problems.div_ceil(self.side_by_side()) * self.side_by_side() * each
    }

    /// The place of number `k` of `each` of a problem.
    #[inline(always)]
    pub const fn at(&self, each: usize, problem: usize, k: usize) -> usize {
        let (block, place) = (problem >> self.side_bits, problem & (self.side_by_side() - 1));
        (((block * each) + k) << self.side_bits) + place
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec;

    use super::*;

    #[test]
    fn every_number_has_a_place_of_its_own() {
        for layout in [Layout::rows(3, 4), Layout::blocks(3, 4), Layout::blocks(1, 2).with_surfaces()] {
            let (each, problems) = (layout.input_scalars(), 70);
            let mut seen = vec![false; layout.length(each, problems)];
            for problem in 0..problems {
                for k in 0..each {
                    assert!(
                        !core::mem::replace(&mut seen[layout.at(each, problem, k)], true),
                        "{layout:?} {problem} {k}"
                    );
                }
            }
            assert_eq!(seen.iter().filter(|seen| **seen).count(), problems * each);
        }
    }

    #[test]
    fn fields_of_an_answer_follow_each_other() {
        let layout = Layout::rows(2, 3).with_surfaces();
        let fields =
            [layout.linear(), layout.angular(), layout.normal(), layout.tangent(), layout.bounce(), layout.moment()];
        let lengths = fields.each_ref().map(|range| range.len());
        assert_eq!(lengths, [6, 6, 3, 9, 3, 9]);
        assert!(fields.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert_eq!(layout.figure("energy_after"), Some(36 + 5));
        assert_eq!(layout.figure("energy"), None);
    }
}
