//! Contacts with friction beyond sliding: their rows, their warm start, their results.
//!
//! # Friction that depends on the direction
//!
//! Coefficients `μ1` along a direction and `μ2` across it bound friction by an ellipse. With `x_i = (μ_i/μ) y_i` and any
//! `μ` the ellipse becomes the circle `‖y‖ ≤ μ x_n`, the power `x·u` becomes `y·w` with `w_i = (μ_i/μ) u_i`, and the most
//! dissipation on the one is the most on the other. So the tangents are multiplied by `μ_i/μ`, and all else is as for a
//! round cone. `μ` is the larger of the two: no row is longer than the normal's, and the residual is relative to the
//! speeds that there are. With `μ = √(μ1 μ2)` sliding across a skate would count a thousand times, and the answer would
//! be called solved while contacts still approach.
//!
//! # Moments
//!
//! Angular velocities about `n, t1, t2` are a second row of three numbers. Lengths `ℓ_s` and `ℓ_r` turn them into
//! velocities, and moments into impulses: `u = ℓ ω`, `x = τ/ℓ`, with the bound `ρ/ℓ` for a radius `ρ`. The lengths make
//! a moment move its body about as much as an impulse, `ℓ² = K_tt/K_rr`, rounded to powers of two.
//!
//! A disc that slides and spins has one bound for both. With `ℓ_s = ρ_t/μ` it is a sphere: `‖(x_t, x_s)‖ ≤ μ x_n`. If
//! that length is greater than the one above, spinning would count too much, as sliding across a skate. Then `ℓ_s` is
//! the length above, and the tangents are multiplied by a factor that makes their coefficient `ρ_t/ℓ_s`.
use nalgebra::{Matrix3, Matrix6, Vector3};

use crate::local::block::Block;
use crate::local::frame::Frame;
use crate::local::moment_block::MomentBlock;
use crate::local::moment_law::MomentLaw;
use crate::math::real::{Real, larger};
use crate::math::vector::VectorOps;
use crate::problem::bodies::Bodies;
use crate::problem::contact_rows::{Column, ContactRows, Element};
use crate::problem::contacts::{Contacts, Site};
use crate::problem::surface::{Surface, Tread, across};
use crate::solve::partition::Islands;
use crate::space::jacobian::ContactJacobian;
use crate::sweep::moment_row::MomentRow;
use crate::sweep::rows::Rows;

/// The smaller of two coefficients is at least this part of the larger: without it the block is singular.
const LEAST_RATIO: f64 = 1e-6;

/// Inverse mass and inverse inertia of a body.
type MassProperties<'a, T> = (T, &'a Matrix3<T>);

/// Fills in the rows of contacts with friction beyond sliding; the others have theirs.
pub(crate) fn prepare_surfaces<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    bodies: &Bodies<T, NB>,
    contacts: &Contacts<T, NC, R>,
    islands: &Islands<NB, NC>,
    jacobians: &mut [ContactJacobian<T, R>; NC],
    rows: &mut Rows<T, NC, R>,
) {
    for row in 0..rows.len() {
        let contact = islands.contact_of(row);
        if islands.is_second(row) {
            continue;
        }
        if let Some(slot) = rows.moments.at_mut(row) {
            *slot = MomentRow::PLAIN;
        }
        let Some(surface) = contacts.surface(contact).filter(|surface| **surface != Surface::PLAIN) else { continue };
        let Some(site) = contacts.site(contact) else { break };
        let (a, b) = (usize::from(site.pair.0), usize::from(site.pair.1));
        let (Some(a), Some(b)) = (bodies.mass_properties(a), bodies.mass_properties(b)) else { continue };
        prepare_surface(row, contacts.friction(contact), surface, &site, (a, b), jacobians, rows);
    }
}

/// Fills in the rows of one contact with friction beyond sliding.
pub(crate) fn prepare_surface<T: Real, const NC: usize, R: ContactRows>(
    row: usize,
    mu: T,
    surface: &Surface<T>,
    site: &Site<'_, T>,
    (a, b): (MassProperties<'_, T>, MassProperties<'_, T>),
    jacobians: &mut [ContactJacobian<T, R>; NC],
    rows: &mut Rows<T, NC, R>,
) {
    let tread = Treaded::of(site, mu, surface);
    let pair = jacobians.get_mut(row..).unwrap_or(&mut []);
    if surface.has_moments() {
        prepare_moments(row, &tread, surface, site, (a, b), pair, rows);
    } else if let Some(slot) = pair.first_mut() {
        let (k, is_replaced) = slot.pack_in(&tread.scaled, tread.squares, site, a, b);
        let (block, impulse_scale) = Block::new(&k);
        slot.set_impulse_scale(impulse_scale);
        rows.set(row, block, impulse_scale, tread.mu, &tread.scaled);
        rows.note_replaced(row, is_replaced);
        if let Some(slot) = rows.moments.at_mut(row) {
            slot.is_on_surface = true;
        }
    }
}

/// The frame of a contact whose friction may depend on the direction.
struct Treaded<T> {
    /// With unit tangents.
    frame: Frame<T>,
    /// With tangents times `μ_i/μ`.
    scaled: Frame<T>,
    /// `(μ_i/μ)²`.
    squares: [T; 2],
    mu: T,
}

impl<T: Real> Treaded<T> {
    fn of(site: &Site<'_, T>, mu: T, surface: &Surface<T>) -> Self {
        let frame = Frame::on(site.normal);
        let Some(Tread { direction, mu_across }) = surface.tread else {
            return Treaded { scaled: frame, squares: [T::ONE; 2], frame, mu };
        };
        let Some(t1) = across(&direction, &frame.n) else {
            // A body's direction that has turned into the normal: the same friction in all directions.
            let mu = (mu * mu_across).sqrt_or_zero();
            return Treaded { scaled: frame, squares: [T::ONE; 2], frame, mu };
        };
        let frame = Frame { t1, t2: frame.n.cross(&t1), ..frame };
        let least = T::lit(LEAST_RATIO) * larger(mu, mu_across);
        let (along, across) = (larger(mu, least), larger(mu_across, least));
        if !(along > T::ZERO) {
            return Treaded { scaled: frame, squares: [T::ONE; 2], frame, mu: T::ZERO };
        }
        let mu = larger(along, across);
        let (along, across) = (along / mu, across / mu);
        let scaled = Frame { t1: frame.t1.scaled(along), t2: frame.t2.scaled(across), ..frame };
        Treaded { frame, scaled, squares: [along * along, across * across], mu }
    }

    /// The same with shorter tangents, so that their coefficient is `mu`.
    fn with_coefficient(&self, mu: T) -> Self {
        let factor = larger(self.mu / mu, T::lit(LEAST_RATIO));
        let Frame { n, t1, t2 } = self.scaled;
        let scaled = Frame { n, t1: t1.scaled(factor), t2: t2.scaled(factor) };
        Treaded { frame: self.frame, scaled, squares: self.squares.map(|square| square * factor * factor), mu }
    }
}

/// Fills in both rows of a contact with moments.
fn prepare_moments<T: Real, const NC: usize, R: ContactRows>(
    row: usize,
    tread: &Treaded<T>,
    surface: &Surface<T>,
    site: &Site<'_, T>,
    (a, b): (MassProperties<'_, T>, MassProperties<'_, T>),
    jacobians: &mut [ContactJacobian<T, R>],
    rows: &mut Rows<T, NC, R>,
) {
    let [first, second, ..] = jacobians else { return };
    let (own, mut is_replaced) = first.pack_in(&tread.scaled, tread.squares, site, a, b);
    let turns = second.pack_moments(site.pair, &tread.frame, a, b);
    let mut k = own;
    let spinning = surface.torsion / length(T::HALF * (own.m22 + own.m33), turns.m11);
    let shorter;
    let tread = if surface.is_joined && spinning.is_finite() && spinning > tread.mu && tread.mu > T::ZERO {
        shorter = tread.with_coefficient(spinning);
        (k, is_replaced) = first.pack_in(&shorter.scaled, shorter.squares, site, a, b);
        &shorter
    } else {
        tread
    };
    let (law, lengths) = law_and_lengths(tread.mu, surface, &own, &turns);
    let Frame { n, t1, t2 } = tread.frame;
    let lengths = Frame { n: n.scaled(lengths.x), t1: t1.scaled(lengths.y), t2: t2.scaled(lengths.z) };
    let moments = second.pack_moments(site.pair, &lengths, a, b);
    let whole = joined_block(&k, &first.coupling(second), &moments);
    let (block, impulse_scale) = MomentBlock::new(&whole, &law);
    first.set_impulse_scale(impulse_scale);
    second.set_impulse_scale(impulse_scale);
    let own_block = Block::new(&k).0;
    rows.set(row, own_block, impulse_scale, tread.mu, &tread.scaled);
    // The lengths make both rows of one size. The coefficient is above 0: the island has friction.
    rows.set(row + 1, own_block, impulse_scale, T::ONE, &lengths);
    rows.note_replaced(row, is_replaced || block.is_replaced());
    rows.note_replaced(row + 1, false);
    rows.join(row, block, law);
}

/// A contact's law, and the lengths of its moments, from the blocks of both rows; the second without lengths.
pub(crate) fn law_and_lengths<T: Real>(
    mu: T,
    surface: &Surface<T>,
    own: &Matrix3<T>,
    turns: &Matrix3<T>,
) -> (MomentLaw<T>, Vector3<T>) {
    let sliding = T::HALF * (own.m22 + own.m33);
    let is_joined = surface.is_joined && mu > T::ZERO && surface.torsion > T::ZERO;
    let spin = if is_joined { surface.torsion / mu } else { length(sliding, turns.m11) };
    let roll = length(sliding, T::HALF * (turns.m22 + turns.m33));
    let coefficient = |radius: T, length: T| if length > T::ZERO { radius / length } else { T::ZERO };
    let (torsion, rolling) = (coefficient(surface.torsion, spin), coefficient(surface.rolling, roll));
    (MomentLaw { mu, torsion, rolling, preload: T::ZERO, is_joined }, Vector3::new(spin, roll, roll))
}

/// The length at which a moment moves its body as much as an impulse; 0 if it moves none.
fn length<T: Real>(sliding: T, turning: T) -> T {
    let square = sliding / turning;
    if turning > T::ZERO && square.is_finite() { square.sqrt_or_zero().power_of_two_below() } else { T::ZERO }
}

/// The 6×6 block of a contact's own rows, of its moments, and of how the one moves the other.
pub(crate) fn joined_block<T: Real>(own: &Matrix3<T>, between: &Matrix3<T>, moments: &Matrix3<T>) -> Matrix6<T> {
    let part = |m: &Matrix3<T>, i: usize, j: usize| m.get((i, j)).copied().unwrap_or(T::ZERO);
    let columns: [[T; 6]; 6] = core::array::from_fn(|j| {
        core::array::from_fn(|i| match (i < 3, j < 3) {
            (true, true) => part(own, i, j),
            (true, false) => part(between, i, j - 3),
            (false, true) => part(between, j, i - 3),
            (false, false) => part(moments, i - 3, j - 3),
        })
    });
    Matrix6::from(columns)
}
