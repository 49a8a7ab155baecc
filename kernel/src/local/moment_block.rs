//! A contact's own 6×6 block `K = J M⁻¹ Jᵀ` with moment rows, prepared for the local step.
//!
//! Scaled and regularised as the 3×3 [`block`](mod@crate::local::block) is, by the trace of its first three rows.
//! Eliminating the normal row of `u = û + Kx` at `u_n = 0` leaves, for the friction rows `y = t1, t2, s, r1, r2`,
//!
//! ```text
//! S = K_yy − K_yn K_ny / K_nn,   a = K_yn / K_nn,   b = û_y − a û_n
//! ```
//!
//! Of `K` the symmetric part is used. Rows of groups that the contact lacks are decoupled: 1 on the diagonal of `S`, 0
//! elsewhere and in `b`, so that their impulse is 0 and one code path serves contacts with four, five and six rows. A
//! group whose diagonal is zero up to rounding is lacking as well: no moment turns bodies that cannot turn. So is a group
//! whose coefficient is below rounding.
//!
//! If `S` is singular or indefinite up to rounding, more is added to its diagonal. If that does not help, `K` was no
//! Delassus matrix, and only the diagonal is kept. Sweeps use the block to convert a velocity into an impulse *change*,
//! so this slows convergence and does not change the solution.
use nalgebra::Matrix6;

use crate::local::moment_factors::{Factors5, Symmetric5};
use crate::local::moment_law::{Five, MomentLaw, Six};
use crate::math::real::{Real, positive_part};

/// A contact's own block with moments, normalised. Build one from any `K` that is positive semidefinite and whose first
/// three rows are not zero.
///
/// ```
/// use nalgebra::Matrix6;
/// use stiction::local::{MomentBlock, MomentLaw, exact_with_moments};
/// let law = MomentLaw { mu: 0.5, torsion: 0.1, rolling: 0.0, preload: 0.0, is_joined: false };
/// let (block, impulse_scale) = MomentBlock::new(&(Matrix6::identity() * 2.0), &law);
/// let spinning = [-3.0, 0.0, 0.0, 4.0, 0.0, 0.0]; // falls, and spins about the normal
/// let impulse = exact_with_moments(&block, &law, &spinning).impulse.map(|x| x / impulse_scale);
/// assert!((impulse[0] - 1.5_f64).abs() < 1e-12 && (impulse[3] + 0.15).abs() < 1e-12);
/// assert!(!block.is_replaced());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MomentBlock<T> {
    /// `K_nn` with regularisation, over `impulse_scale`, and its inverse.
    pub(crate) normal: T,
    pub(crate) inverse_normal: T,
    /// `a`: decrease of the normal impulse per friction impulse.
    pub(crate) row: Five<T>,
    /// `S`.
    pub(crate) schur: Symmetric5<T>,
    /// `S⁻¹`, for contacts that stick; zero if `S` is so ill-conditioned that a visit could not do without refinement.
    inverse: Symmetric5<T>,
    /// 1 for the rows `t`, `s`, `r` that the contact has, else 0.
    has: [T; 3],
    is_replaced: bool,
}

impl<T: Real> MomentBlock<T> {
    /// A placeholder.
    pub(crate) const EMPTY: Self = MomentBlock {
        normal: T::ZERO,
        inverse_normal: T::ZERO,
        row: [T::ZERO; 5],
        schur: Symmetric5::ZERO,
        inverse: Symmetric5::ZERO,
        has: [T::ZERO; 3],
        is_replaced: false,
    };

    /// Prepares `K` for a law; returns the block and the `impulse_scale` that `K` was divided by.
    ///
    /// `K` must be finite, positive semidefinite up to rounding, and its first three rows must have a positive trace.
    pub fn new(k: &Matrix6<T>, law: &MomentLaw<T>) -> (Self, T) {
        let third_of_trace = (k.m11 + k.m22 + k.m33) / T::lit(3.0);
        let impulse_scale = third_of_trace.power_of_two_below();
        let k = k * (T::ONE / impulse_scale);
        let regularisation = T::RELATIVE_CFM * third_of_trace / impulse_scale;
        let on_diagonal = |entry: T| positive_part(entry) + regularisation;
        let floor = T::lit(4.0) * regularisation;
        let flag = |is_there: bool| if is_there { T::ONE } else { T::ZERO };
        let [mu, torsion, rolling] = law.coefficients().map(|c| c > T::EPSILON * T::lit(1.0 / 1024.0));
        let slides = flag(mu && k.m22 + k.m33 > floor);
        let spins = flag(torsion && law.torsion > T::ZERO && k.m44 > floor);
        let rolls = flag(rolling && k.m55 + k.m66 > floor);
        let middle = |above: T, below: T| if above == below { above } else { (above + below) * T::HALF };
        let normal = on_diagonal(k.m11);
        let inverse_normal = T::ONE / normal;
        // `K_ny`, without the rows that are lacking.
        let n = [
            middle(k.m12, k.m21) * slides,
            middle(k.m13, k.m31) * slides,
            middle(k.m14, k.m41) * spins,
            middle(k.m15, k.m51) * rolls,
            middle(k.m16, k.m61) * rolls,
        ];
        let row = n.map(|entry| entry * inverse_normal);
        let [n1, n2, n3, n4, n5] = n;
        let [a1, a2, a3, a4, a5] = row;
        let diagonal = |entry: T, there: T| if there > T::ZERO { on_diagonal(entry) } else { T::ONE };
        let schur = Symmetric5 {
            t11: diagonal(k.m22, slides) - n1 * a1,
            t12: middle(k.m23, k.m32) * slides - n1 * a2,
            t22: diagonal(k.m33, slides) - n2 * a2,
            st1: middle(k.m42, k.m24) * (slides * spins) - n3 * a1,
            st2: middle(k.m43, k.m34) * (slides * spins) - n3 * a2,
            ss: diagonal(k.m44, spins) - n3 * a3,
            rt11: middle(k.m52, k.m25) * (slides * rolls) - n4 * a1,
            rt12: middle(k.m53, k.m35) * (slides * rolls) - n4 * a2,
            rt21: middle(k.m62, k.m26) * (slides * rolls) - n5 * a1,
            rt22: middle(k.m63, k.m36) * (slides * rolls) - n5 * a2,
            rs1: middle(k.m54, k.m45) * (spins * rolls) - n4 * a3,
            rs2: middle(k.m64, k.m46) * (spins * rolls) - n5 * a3,
            r11: diagonal(k.m55, rolls) - n4 * a4,
            r12: middle(k.m56, k.m65) * rolls - n4 * a5,
            r22: diagonal(k.m66, rolls) - n5 * a5,
        };
        let has = [slides, spins, rolls];
        let (inverse, is_replaced) = (Symmetric5::ZERO, normal <= floor);
        let block = MomentBlock { normal, inverse_normal, row, schur, inverse, has, is_replaced };
        let block = block.made_safe(floor);
        (MomentBlock { inverse: block.schur.inverse().unwrap_or(Symmetric5::ZERO), ..block }, impulse_scale)
    }

    /// The impulse at which a contact with the impulse `x` and the velocity `u` comes to rest; none if it is not known.
    #[inline(always)]
    pub(crate) fn resting(&self, u: &Six<T>, x: &Six<T>) -> Option<Six<T>> {
        if !(self.inverse.ss > T::ZERO) {
            return None;
        }
        let with = MomentFree::new(self, u);
        let [c1, c2, c3, c4, c5] = self.inverse.times(&with.b);
        let [n, t1, t2, s, r1, r2] = *x;
        let pulled = self.pull(&[c1, c2, c3, c4, c5]);
        Some([n - (with.lift - pulled), t1 - c1, t2 - c2, s - c3, r1 - c4, r2 - c5])
    }

    /// Replaces what rounding made singular or indefinite.
    fn made_safe(mut self, floor: T) -> Self {
        let smallest = |schur: &Symmetric5<T>| Factors5::smallest_pivot(schur);
        self.is_replaced |= !(smallest(&self.schur) > floor);
        if smallest(&self.schur) > floor * T::lit(0.125) {
            return self;
        }
        self.schur = self.schur.raised(T::lit(8.0) * floor);
        if !(smallest(&self.schur) > floor) {
            // Not even nearly positive semidefinite, or not finite.
            self.row = [T::ZERO; 5];
            self.schur = self.schur.diagonal_only(floor);
        }
        self
    }

    /// Whether `K` was singular or indefinite up to rounding, and a safe block is used instead.
    pub fn is_replaced(&self) -> bool {
        self.is_replaced
    }

    /// `K_yy`.
    pub(crate) fn friction_block(&self) -> Symmetric5<T> {
        let (a, scaled) = (self.row, self.row.map(|entry| entry * self.normal));
        self.schur.plus_product(&a, &scaled)
    }

    /// A third of the trace of the first three rows: the block's typical size.
    pub fn size(&self) -> T {
        let ([a1, a2, ..], schur) = (self.row, &self.schur);
        (self.normal * (T::ONE + (a1 * a1 + a2 * a2)) + schur.t11 + schur.t22) * T::lit(1.0 / 3.0)
    }

    /// `a·y`.
    #[inline(always)]
    pub(crate) fn pull(&self, y: &Five<T>) -> T {
        dot(&self.row, y)
    }
}

/// Sum of products.
#[inline(always)]
pub(crate) fn dot<T: Real>([a1, a2, a3, a4, a5]: &Five<T>, [b1, b2, b3, b4, b5]: &Five<T>) -> T {
    (*a1 * *b1 + *a2 * *b2) + (*a3 * *b3 + (*a4 * *b4 + *a5 * *b5))
}

/// A contact's velocity without its own impulse, `û = u − Kx`, as the local step needs it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MomentFree<T> {
    /// `û_n/K_nn`: without friction, minus the normal impulse that brings the contact to rest.
    pub lift: T,
    /// `b`.
    pub b: Five<T>,
}

impl<T: Real> MomentFree<T> {
    /// From a velocity `û`.
    #[inline(always)]
    pub fn new(block: &MomentBlock<T>, [n, t1, t2, s, r1, r2]: &Six<T>) -> Self {
        let ([a1, a2, a3, a4, a5], [slides, spins, rolls]) = (block.row, block.has);
        let there = |part: T, has: T| if has > T::ZERO { part } else { T::ZERO };
        MomentFree {
            lift: *n * block.inverse_normal,
            b: [
                there(*t1 - a1 * *n, slides),
                there(*t2 - a2 * *n, slides),
                there(*s - a3 * *n, spins),
                there(*r1 - a4 * *n, rolls),
                there(*r2 - a5 * *n, rolls),
            ],
        }
    }

    /// From the velocity `u` that the contact has with its impulse `x`: `û = u − Kx`.
    #[inline(always)]
    pub fn of(block: &MomentBlock<T>, u: &Six<T>, [n, y @ ..]: &Six<T>) -> Self {
        let MomentFree { lift, b: [b1, b2, b3, b4, b5] } = Self::new(block, u);
        let [c1, c2, c3, c4, c5] = block.schur.times(y);
        MomentFree { lift: lift - (*n + block.pull(y)), b: [b1 - c1, b2 - c2, b3 - c3, b4 - c4, b5 - c5] }
    }

    /// Sum of magnitudes.
    #[inline(always)]
    pub fn size(&self) -> T {
        let [b1, b2, b3, b4, b5] = &self.b;
        (self.lift.abs() + b1.abs()) + (b2.abs() + b3.abs()) + (b4.abs() + b5.abs())
    }
}
