//! Contact-space state that both ways into the solver share: blocks, cones and impulses, in columns.
//!
//! Impulses and preloads are in velocity units: N s times the contact's `impulse_scale`.
use core::ops::Range;

use nalgebra::Vector3;

use crate::local::block::{Block, Coupling, InverseBlock};
use crate::local::cone::Cone;
use crate::local::frame::Frame;
use crate::local::moment_block::MomentBlock;
use crate::local::moment_law::{MomentLaw, Six};
use crate::math::real::{Real, larger};
use crate::math::vector::{VectorOps, tangent_length, zero3};
use crate::problem::contact_rows::{Column, ContactRows, ThreeRows};
use crate::problem::report::ContactState;
use crate::sweep::contact_space::ContactSpace;
use crate::sweep::lane_memory::at;
use crate::sweep::moment_row::{MomentRow, Role, six};

/// Columns of up to `NC` contacts.
pub(crate) struct Rows<T: Real, const NC: usize, R: ContactRows = ThreeRows> {
    len: usize,
    /// The rows that loops run over: all of them, or one island's.
    window: (usize, usize),
    pub block: [Block<T>; NC],
    /// `K⁻¹` for velocities in the axes of the sweep.
    pub inverse_in_axes: [InverseBlock<T>; NC],
    pub cone: [Cone<T>; NC],
    pub impulse: [Vector3<T>; NC],
    pub impulse_scale: [T; NC],
    /// Target normal velocity in the current phase, m/s.
    pub target: [T; NC],
    /// Where an accelerated sweep began, and the direction of its steps (see `acceleration`).
    pub before: [Vector3<T>; NC],
    /// Whether no accelerated sweep was made yet: until then `before` has the velocities, less targets, where the phase
    /// began.
    pub starts_kept: bool,
    pub direction: [Vector3<T>; NC],
    /// Where a sliding contact's `σ` was found last (see `local`).
    pub sigma: [T; NC],
    /// Whether the block is not that of the contact, which was singular or indefinite up to rounding, but a safe one.
    pub is_replaced: [bool; NC],
    /// Contacts with moments.
    pub moments: R::Column<MomentRow<T>, NC>,
}

impl<T: Real, const NC: usize, R: ContactRows> Rows<T, NC, R> {
    pub const fn new() -> Self {
        let zero = zero3();
        Rows {
            len: 0,
            window: (0, 0),
            block: [Block::EMPTY; NC],
            inverse_in_axes: [[T::ZERO; 10]; NC],
            cone: [Cone::EMPTY; NC],
            impulse: [zero; NC],
            impulse_scale: [T::ONE; NC],
            target: [T::ZERO; NC],
            before: [zero; NC],
            starts_kept: false,
            direction: [zero; NC],
            sigma: [T::ZERO; NC],
            is_replaced: [false; NC],
            moments: R::Column::PLAIN,
        }
    }

    /// Number of contacts, visibly within capacity: loops up to it need no bounds checks.
    #[inline(always)]
    pub fn len(&self) -> usize {
        if self.len < NC { self.len } else { NC }
    }

    /// The rows of the window, visibly within capacity.
    #[inline(always)]
    pub fn window(&self) -> Range<usize> {
        let end = if self.window.1 < NC { self.window.1 } else { NC };
        self.window.0..end
    }

    /// Whether a contact of the window has moments.
    pub fn has_moments(&self) -> bool {
        R::HAS_MOMENTS && self.window().any(|row| self.role(row) == Role::First)
    }

    /// How many contacts the window has.
    #[inline(always)]
    pub fn contacts(&self) -> usize {
        let rows = self.window();
        let seconds =
            if R::HAS_MOMENTS { rows.clone().filter(|row| self.role(*row) == Role::Second).count() } else { 0 };
        rows.len() - seconds
    }

    /// Restricts loops to some rows.
    pub fn select(&mut self, rows: Range<usize>) {
        let end = if rows.end < self.len { rows.end } else { self.len };
        self.window = (rows.start, end);
    }

    /// Resets to `len` contacts, all at rest, all in the window.
    #[inline(never)]
    pub fn reset(&mut self, len: usize) {
        self.len = len;
        self.window = (0, len);
        for i in 0..self.len() {
            self.impulse[i] = Vector3::zeros();
            self.target[i] = T::ZERO;
            self.sigma[i] = T::ZERO;
            self.cone[i].preload = T::ZERO;
        }
    }

    /// Sets the number of contacts; those that were there stay as they are.
    pub fn resize(&mut self, len: usize) {
        self.len = len;
        self.window = (0, len);
    }

    /// Exchanges two contacts.
    pub fn swap(&mut self, one: usize, other: usize) {
        self.block.swap(one, other);
        self.inverse_in_axes.swap(one, other);
        self.cone.swap(one, other);
        self.impulse.swap(one, other);
        self.impulse_scale.swap(one, other);
        self.sigma.swap(one, other);
        self.is_replaced.swap(one, other);
        self.moments.exchange(one, other);
    }

    /// Sets one contact's block, the scale of its impulses and its friction coefficient. Its velocities are in the axes
    /// of `frame`.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    pub fn set(&mut self, index: usize, block: Block<T>, impulse_scale: T, mu: T, frame: &Frame<T>) {
        if index < self.len() {
            self.inverse_in_axes[index] = block.inverse_in_axes(frame);
            self.block[index] = block;
            self.cone[index].mu = mu;
            self.impulse_scale[index] = impulse_scale;
        }
    }

    /// Notes whether the block was made from a safe matrix instead of the contact's own.
    #[inline(always)]
    pub fn note_replaced(&mut self, index: usize, is_replaced: bool) {
        if let Some(slot) = self.is_replaced.get_mut(index) {
            *slot = is_replaced;
        }
    }

    /// How many blocks of the window were replaced by safe ones.
    pub fn safe_blocks(&self) -> u32 {
        self.is_replaced.get(self.window()).unwrap_or(&[]).iter().map(|replaced| u32::from(*replaced)).sum()
    }

    /// How strongly a row's normal and friction are coupled.
    pub fn coupling(&self, row: usize) -> Option<Coupling<T>> {
        let (block, is_replaced) = self.block.get(row).zip(self.is_replaced.get(row).copied())?;
        Some(Coupling { is_replaced, ..block.coupling() })
    }

    /// Fills in the numbers of a row as sweeps in lanes have them, from its packed jacobian; none if there is no such
    /// row.
    #[inline(always)]
    pub fn fill_lane(&self, row: usize, jacobian: &[T; at::INVERSE], numbers: &mut [T; at::COUNT]) -> Option<()> {
        let (block, cone) = (self.block.get(row)?, self.cone.get(row)?);
        let (from_jacobian, rest) = numbers.split_first_chunk_mut()?;
        let (from_inverse, rest) = rest.split_first_chunk_mut()?;
        let (mu, rest) = rest.split_first_mut()?;
        let (changing, from_block) = rest.split_first_chunk_mut()?;
        (*from_jacobian, *from_inverse) = (*jacobian, *self.inverse_in_axes.get(row)?.first_chunk::<9>()?);
        (*mu, *changing) = (cone.mu, self.changing(row));
        *from_block.first_chunk_mut()? = block.lane_numbers();
        Some(())
    }

    /// The numbers of a row that change between sweeps, as lanes have them.
    #[inline(always)]
    pub fn changing(&self, row: usize) -> [T; at::CHANGING] {
        if row >= NC {
            return [T::ZERO; at::CHANGING];
        }
        let x = &self.impulse[row];
        [self.cone[row].preload, x.x, x.y, x.z, self.target[row], self.sigma[row]]
    }

    /// Whether no contact of the window has friction.
    pub fn is_frictionless(&self) -> bool {
        self.cone.get(self.window()).is_some_and(|cones| cones.iter().all(|cone| !(cone.mu > T::ZERO)))
    }

    /// Scales the impulses of the window.
    #[inline(never)]
    pub fn scale_impulses(&mut self, scale: T) {
        if scale < T::ONE {
            for i in self.window() {
                scale_impulse(&mut self.impulse[i], scale);
            }
        }
    }

    /// Sets the normal impulses of the window, with zero friction.
    #[inline(never)]
    pub fn set_normal_impulses(&mut self, normal: &[T; NC]) {
        for i in self.window() {
            set_impulse(&mut self.impulse[i], normal[i]);
        }
    }

    /// The window's normal impulses become preloads, and its impulses become zero.
    #[inline(never)]
    pub fn turn_impulses_into_preloads(&mut self) {
        for i in self.window() {
            self.cone[i].preload = self.impulse[i].x;
            set_impulse(&mut self.impulse[i], T::ZERO);
        }
    }

    /// A contact's velocity minus its target: the velocity in Coulomb's law.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    pub fn relative_velocity(&self, space: &impl ContactSpace<T>, index: usize) -> Vector3<T> {
        let mut u = space.velocity(index);
        if let Some(target) = self.target.get(index) {
            u.x -= *target;
        }
        u
    }

    /// Whether every impulse is finite and in its cone up to rounding. Holds after every sweep. Lengths whose squares
    /// underflow count as 0.
    pub fn are_admissible(&self) -> bool {
        self.window().all(|i| match self.role(i) {
            Role::Alone => self.is_admissible(i, &self.impulse[i]),
            Role::First => self.is_admissible_in_six(i),
            Role::Second => true,
        })
    }

    /// Whether an impulse is one that a contact can have.
    pub fn is_admissible(&self, index: usize, x: &Vector3<T>) -> bool {
        let Some(cone) = self.cone.get(index) else { return false };
        let beyond = cone.excess(x) - T::lit(64.0) * T::EPSILON * cone.radius(x.x);
        let within = x.x >= T::ZERO && (beyond <= T::ZERO || beyond * beyond == T::ZERO);
        within && x.iter().all(|part| part.is_finite())
    }

    /// What a row is.
    #[inline(always)]
    pub fn role(&self, index: usize) -> Role {
        self.moments.at(index).map_or(Role::Alone, |row| row.role)
    }

    /// Whether a row is that of a contact with sliding friction only.
    #[inline(always)]
    pub fn is_plain(&self, index: usize) -> bool {
        self.moments.at(index).is_none_or(|row| !row.is_on_surface)
    }

    /// Whether all contacts of the window have sliding friction only.
    #[inline(always)]
    pub fn are_plain(&self) -> bool {
        !R::HAS_MOMENTS || self.window().all(|row| self.is_plain(row))
    }

    /// A contact's law with its preload, if the row is the first of a contact with moments.
    #[inline(always)]
    pub fn law(&self, index: usize) -> Option<MomentLaw<T>> {
        let row = self.moments.at(index).filter(|row| row.role == Role::First)?;
        Some(MomentLaw { preload: self.cone.get(index)?.preload, ..row.law })
    }

    /// Makes a row the first of a contact with moments, and the next its second.
    pub fn join(&mut self, index: usize, block: MomentBlock<T>, law: MomentLaw<T>) {
        if let Some(slot) = self.moments.at_mut(index) {
            *slot = MomentRow { role: Role::First, is_on_surface: true, block, law, sigma: [T::ZERO; 3] };
        }
        if let Some(slot) = self.moments.at_mut(index + 1) {
            (slot.role, slot.is_on_surface) = (Role::Second, true);
        }
    }

    /// A contact's impulse in both rows.
    #[inline(always)]
    pub fn impulse_in_six(&self, index: usize) -> Six<T> {
        match (self.impulse.get(index), self.impulse.get(index + 1)) {
            (Some(first), Some(second)) => six(first, second),
            _ => [T::ZERO; 6],
        }
    }

    /// Whether the impulse in both rows is one that the contact can have.
    pub fn is_admissible_in_six(&self, index: usize) -> bool {
        let (x, Some(law)) = (self.impulse_in_six(index), self.law(index)) else { return false };
        let [normal, ..] = x;
        let radius = law.radii(normal).into_iter().fold(T::ZERO, larger);
        let beyond = law.excess(&x) - T::lit(64.0) * T::EPSILON * radius;
        normal >= T::ZERO && beyond <= T::ZERO && x.iter().all(|part| part.is_finite())
    }

    /// Whether friction is on the rim of its cone; false without friction, where sliding and rest cannot be
    /// distinguished.
    #[inline(always)]
    pub fn slides(&self, index: usize) -> bool {
        let (Some(cone), Some(x)) = (self.cone.get(index), self.impulse.get(index)) else { return false };
        let radius = cone.radius(x.x);
        let rim = radius * radius * (T::ONE - T::lit(32.0) * T::EPSILON);
        radius > T::ZERO && x.y * x.y + x.z * x.z >= rim
    }

    /// State of a contact, read from its impulse.
    pub fn state(&self, index: usize) -> ContactState {
        if index < self.len() { state_of(&self.cone[index], &self.impulse[index]) } else { ContactState::Open }
    }
}

/// State of a contact with an impulse.
#[cfg_attr(not(target_os = "none"), inline(always))]
pub(crate) fn state_of<T: Real>(cone: &Cone<T>, x: &Vector3<T>) -> ContactState {
    if !(x.x + cone.preload > T::ZERO) {
        ContactState::Open
    } else if tangent_length(x) < cone.radius(x.x) * (T::ONE - T::lit(16.0) * T::EPSILON) {
        ContactState::Stick
    } else {
        ContactState::Slide
    }
}

/// Not inlined, like the next: its loop would be unrolled.
#[inline(never)]
fn set_impulse<T: Real>(impulse: &mut Vector3<T>, normal: T) {
    *impulse = Vector3::new(normal, T::ZERO, T::ZERO);
}

/// Scaling by 0 must give 0 even if the impulse overflowed (0·∞ is NaN).
#[inline(never)]
fn scale_impulse<T: Real>(impulse: &mut Vector3<T>, scale: T) {
    let scaled = impulse.scaled(scale);
    *impulse = if scaled.iter().all(|part| part.is_finite()) { scaled } else { Vector3::zeros() };
}
