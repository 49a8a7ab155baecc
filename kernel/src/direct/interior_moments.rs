//! Contacts with moments in the interior-point method: one cone for each group of friction.
//!
//! With coefficients `c_g` and `x̃ = κ√d x`, `ũ = κ u/√d`, each group has a pair of points in the second-order cone,
//!
//! ```text
//! z_g = (c_g x̃_n, x̃_g) = B_g x̃,      w_g = (w_g0, ũ_g),      z_g ⟂ w_g
//! ```
//!
//! and the groups share the normal: `Σ c_g w_g0 = ũ_n + Σ c_g ‖ũ_g‖`. As one vector of six rows
//!
//! ```text
//! F = Σ B_gᵀ (w_g − ‖w_g,t‖ e_0) − ũ = 0
//! ```
//!
//! With `A_g = I − e_0 (w_g,t/w_g0)ᵀ`, and `Q_g` and `r_g` as for a single cone, Newton's step is
//!
//! ```text
//! (C̃ + Σ B_gᵀ A_g Q_g² B_g) dx̃ = F + Σ B_gᵀ A_g Q_g r_g,      dw_g = Q_g r_g − Q_g² B_g dx̃
//! ```
//!
//! Scratch: `x̃` is `p` of both rows and `ũ_g` is `u`; the first row's `gap` has `w_s0` and `w_r0`, the second's their
//! steps.
use nalgebra::{Matrix3, Vector3};

use crate::direct::contact_system::{ContactSystem, velocity_in_six};
use crate::direct::linear_system::Equation;
use crate::direct::scales::Scales;
use crate::direct::workspace::ContactScratch;
use crate::local::moment_derivative::Six2;
use crate::local::moment_law::{MomentLaw, Six};
use crate::math::real::{Real, larger};
use crate::math::second_order_cone::Scaling;
use crate::math::vector::{product, tangent_length};
use crate::sweep::moment_row::{rows_of, six};

/// The rows of each group in six: sliding, spinning, rolling. A row that a group lacks is the last.
const ROWS: [[usize; 2]; 3] = [[1, 2], [3, 6], [4, 5]];

/// One group's points and steps.
pub(crate) struct GroupCone<T> {
    group: usize,
    coefficient: T,
    pub z: Vector3<T>,
    pub w: Vector3<T>,
    pub dz: Vector3<T>,
    pub dw: Vector3<T>,
}

/// The cones of the groups that a contact has.
pub(crate) fn cones<T: Real>(
    law: &MomentLaw<T>,
    first: &ContactScratch<T>,
    second: &ContactScratch<T>,
) -> impl Iterator<Item = GroupCone<T>> {
    let point = |group: usize, c: T, six: &Six<T>| GroupCone::<T>::point(group, c * six[0], six);
    let (x, dx) = (six(&first.p, &second.p), six(&first.dp, &second.dp));
    let (u, du) = (six(&first.u, &second.u), six(&first.du, &second.du));
    let (tops, steps) = ([first.u.x, first.gap.x, first.gap.y], [first.du.x, second.gap.x, second.gap.y]);
    let coefficients = law.coefficients();
    let groups: [Option<GroupCone<T>>; 3] = core::array::from_fn(|group| {
        let (c, top, step) = (*coefficients.get(group)?, *tops.get(group)?, *steps.get(group)?);
        (c > T::ZERO).then(|| GroupCone {
            group,
            coefficient: c,
            z: point(group, c, &x),
            w: GroupCone::point(group, top, &u),
            dz: point(group, c, &dx),
            dw: GroupCone::point(group, step, &du),
        })
    });
    groups.into_iter().flatten()
}

impl<T: Real> GroupCone<T> {
    /// A point of a group's cone.
    fn point(group: usize, top: T, six: &Six<T>) -> Vector3<T> {
        let part = |at: usize| ROWS.get(group).and_then(|rows| six.get(*rows.get(at)?)).copied().unwrap_or(T::ZERO);
        Vector3::new(top, part(0), part(1))
    }

    /// The row in six of each entry of a point, and its factor.
    fn places(&self) -> [(usize, T); 3] {
        let [one, other] = ROWS.get(self.group).copied().unwrap_or([6; 2]);
        [(0, self.coefficient), (one, T::ONE), (other, T::ONE)]
    }

    /// Adds `B_gᵀ v`.
    fn add_to(&self, sum: &mut Six<T>, v: &Vector3<T>) {
        for ((row, factor), part) in self.places().iter().zip(v.iter()) {
            if let Some(sum) = sum.get_mut(*row) {
                *sum += *factor * *part;
            }
        }
    }

    /// Adds `B_gᵀ m B_g`.
    fn add_square_to(&self, sum: &mut Six2<T>, m: &Matrix3<T>) {
        for (i, (row, left)) in self.places().iter().enumerate() {
            for (j, (column, right)) in self.places().iter().enumerate() {
                let entry = m.get((i, j)).copied().unwrap_or(T::ZERO);
                if let Some(sum) = sum.get_mut(*row).and_then(|row| row.get_mut(*column)) {
                    *sum += *left * entry * *right;
                }
            }
        }
    }

    /// `A_g`.
    fn shift(&self) -> Matrix3<T> {
        let mut shift = Matrix3::identity();
        (shift.m12, shift.m13) = (-self.w.y / self.w.x, -self.w.z / self.w.x);
        shift
    }
}

/// Where a contact starts: in the middle of all of its cones, with products of 1.
pub(crate) fn start<T: Real>(law: &MomentLaw<T>, first: &mut ContactScratch<T>, second: &mut ContactScratch<T>) {
    let [slide, spin, roll] = law.coefficients();
    let largest = larger(larger(slide, spin), roll);
    let normal = if largest > T::ZERO { T::ONE / largest } else { T::ONE };
    let top = |c: T| if c > T::ZERO { T::ONE / (c * normal) } else { T::ZERO };
    first.p = Vector3::new(normal, T::ZERO, T::ZERO);
    second.p = Vector3::zeros();
    first.u = Vector3::new(top(slide), T::ZERO, T::ZERO);
    second.u = Vector3::zeros();
    first.gap = Vector3::new(top(spin), top(roll), T::ZERO);
    second.gap = Vector3::zeros();
}

/// The largest entry of a velocity in the method's units.
pub(crate) fn largest_entry<T: Real>(law: &MomentLaw<T>, scales: &Scales<T>, u: &Six<T>) -> T {
    let [n, rest @ ..] = u.map(|part| (part * scales.velocity()).abs());
    let [slide, spin, roll] = law.coefficients();
    let steepest = larger(larger(slide, spin), roll);
    rest.into_iter().fold(if steepest > T::ZERO { n / steepest } else { n }, larger)
}

/// The impulse of the scratch, inside its cone.
pub(crate) fn impulse<T: Real>(
    law: &MomentLaw<T>,
    scales: &Scales<T>,
    first: &ContactScratch<T>,
    second: &ContactScratch<T>,
) -> (Vector3<T>, Vector3<T>) {
    rows_of(law.clamp(&six(&first.p, &second.p).map(|part| part / scales.impulse())))
}

/// Both lines of a contact. `right` is `Q_g r_g` of a cone. None where a point is not inside.
pub(crate) fn equation<T: Real>(
    problem: &dyn ContactSystem<T>,
    index: usize,
    law: &MomentLaw<T>,
    scales: &Scales<T>,
    softness: T,
    (first, second): (&ContactScratch<T>, &ContactScratch<T>),
    right: impl Fn(&GroupCone<T>, &Scaling<T>) -> Vector3<T>,
) -> Option<[Equation<T>; 2]> {
    let velocity = velocity_in_six(problem, index).map(|part| part * scales.velocity());
    let (mut own, mut wanted) = ([[T::ZERO; 6]; 6], velocity.map(|part| -part));
    let mut is_there = [true, false, false, false, false, false];
    for cone in cones(law, first, second) {
        let (scaling, shift) = (Scaling::new(&cone.z, &cone.w)?, cone.shift());
        cone.add_square_to(&mut own, &product(&shift, &scaling.square()));
        let without_shift = Vector3::new(cone.w.x - tangent_length(&cone.w), cone.w.y, cone.w.z);
        cone.add_to(&mut wanted, &(without_shift + shift * right(&cone, &scaling)));
        for (row, _) in cone.places() {
            if let Some(is_there) = is_there.get_mut(row) {
                *is_there = true;
            }
        }
    }
    let mut through = [[T::ZERO; 6]; 6];
    for (row, is_there) in is_there.into_iter().enumerate() {
        let entry = |m: &mut Six2<T>, value: T| {
            if let Some(entry) = m.get_mut(row).and_then(|entries| entries.get_mut(row)) {
                *entry += value;
            }
        };
        entry(&mut own, if is_there { softness } else { T::ONE });
        entry(&mut through, if is_there { scales.velocity() } else { T::ZERO });
        if let Some(wanted) = wanted.get_mut(row).filter(|_| !is_there) {
            *wanted = T::ZERO;
        }
    }
    let own = own.map(|row| row.map(|entry| entry * scales.impulse()));
    Some(Equation::pair(&own, &through, &wanted))
}

/// Stores a contact's step, from its two lines.
pub(crate) fn store_step<T: Real>(
    law: &MomentLaw<T>,
    scales: &Scales<T>,
    (first, second): (&mut ContactScratch<T>, &mut ContactScratch<T>),
    (step, moments): (&Vector3<T>, &Vector3<T>),
    right: impl Fn(&GroupCone<T>, &Scaling<T>) -> Vector3<T>,
) {
    let mut du = [T::ZERO; 6];
    let (mut tops, dx) = ([T::ZERO; 3], six(step, moments).map(|part| part * scales.impulse()));
    for cone in cones(law, first, second) {
        let Some(scaling) = Scaling::new(&cone.z, &cone.w) else { continue };
        let dz = GroupCone::point(cone.group, cone.coefficient * dx[0], &dx);
        let dw = right(&cone, &scaling) - scaling.square() * dz;
        if let Some(top) = tops.get_mut(cone.group) {
            *top = dw.x;
        }
        for ((row, _), part) in cone.places().iter().zip(dw.iter()).skip(1) {
            if let Some(du) = du.get_mut(*row) {
                *du = *part;
            }
        }
    }
    du[0] = tops[0];
    (first.dp, second.dp) = rows_of(dx);
    (first.du, second.du) = rows_of(du);
    second.gap = Vector3::new(tops[1], tops[2], T::ZERO);
}

/// Goes a part of the step.
pub(crate) fn advance<T: Real>(first: &mut ContactScratch<T>, second: &mut ContactScratch<T>, length: T) {
    for entry in [&mut *first, &mut *second] {
        entry.p += entry.dp * length;
        entry.u += entry.du * length;
    }
    first.gap += second.gap * length;
}
