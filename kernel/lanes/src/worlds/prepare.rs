//! Rows from checked input: operation by operation the kernel's `space::jacobian` (`pack`), `local::frame` and
//! `local::block`, in all lanes.
//!
//! A contact whose matrix is not positive or not finite is unusual: its world is left to the kernel.
use fearless_simd::{Select, Simd, SimdBase};
use stiction::sweep::lane_memory::at;

use crate::group::Group;
use crate::scalar::LaneScalar;
use crate::visit::load;
use crate::worlds::arithmetic::{Mask, Register, cross, dot, is_finite, larger, positive_part, register, root, splat};
use crate::worlds::row::{Row, own};

/// A vector of registers.
type Vector<S, T> = [Register<S, T>; 3];

/// Two registers.
type Pair<S, T> = [Register<S, T>; 2];

/// A symmetric matrix: `nn, n1, n2, 11, 12, 22`.
type Symmetric<S, T> = [Register<S, T>; 6];

/// Stores a register where there is a contact, and zero elsewhere.
macro_rules! store {
    ($present:ident, $zero:ident, $to:expr, $value:expr) => {
        $present.select($value, $zero).store_slice($to.as_mut())
    };
}

/// Prepares a row; returns where it is unusual.
#[inline(always)]
pub(super) fn prepare<S: Simd, T: LaneScalar>(simd: S, row: &mut Row<T>) -> Mask<S, T> {
    let (zero, one) = (splat::<S, T>(simd, T::ZERO), splat::<S, T>(simd, T::ONE));
    let present = register::<S, T>(simd, &row.own[own::PRESENT]).simd_gt(zero);
    let group = &mut row.group;
    let frame = frame::<S, T>(simd, load3(simd, group, at::FRAME));
    let (mass_a, mass_b) = (load!(simd, T, group, at::INV_MASS_A), load!(simd, T, group, at::INV_MASS_B));
    let mass = mass_a + mass_b;
    let mut k = [mass, zero, zero, mass, zero, mass];
    let turn_a = rotation_part(simd, &frame, (group, at::R_A, at::TURN_A), mass_a, &mut k);
    let turn_b = rotation_part(simd, &frame, (group, at::R_B, at::TURN_B), mass_b, &mut k);
    let is_positive = k[0].simd_gt(zero) & k[3].simd_gt(zero) & k[5].simd_gt(zero);
    let trace = k[0] + k[3] + k[5];
    let is_usual = is_positive & is_finite::<S, T>(simd, trace) & is_finite::<S, T>(simd, k[1] + k[2] + k[4]);
    let third_of_trace = trace / splat::<S, T>(simd, T::lit(3.0));
    let scale = power_of_two_below::<S, T>(simd, third_of_trace);
    let inverse_scale = one / scale;
    let block = Block::<S, T>::new(simd, k, third_of_trace, scale, inverse_scale);
    for (i, direction) in frame.into_iter().enumerate() {
        for (j, part) in direction.into_iter().enumerate() {
            store!(present, zero, group.numbers[at::FRAME + 3 * i + j], part);
            store!(present, zero, group.numbers[at::TURN_A + 3 * i + j], turn_a[i][j] * inverse_scale);
            store!(present, zero, group.numbers[at::TURN_B + 3 * i + j], turn_b[i][j] * inverse_scale);
        }
    }
    store!(present, zero, group.numbers[at::INV_MASS_A], mass_a * inverse_scale);
    store!(present, zero, group.numbers[at::INV_MASS_B], mass_b * inverse_scale);
    let inverse = block.inverse_in_axes(simd, &frame);
    for (j, part) in inverse.into_iter().flatten().enumerate() {
        store!(present, zero, group.numbers[at::INVERSE + j], part);
    }
    for (j, part) in block.numbers().into_iter().enumerate() {
        store!(present, zero, group.numbers[at::INVERSE_NORMAL + j], part);
    }
    store!(present, zero, row.own[own::SCALE], scale);
    store!(present, zero, row.own[own::SIZE], block.size(simd));
    present & !is_usual
}

#[inline(always)]
fn load3<S: Simd, T: LaneScalar>(simd: S, group: &Group<T>, at: usize) -> Vector<S, T> {
    [load!(simd, T, group, at), load!(simd, T, group, at + 1), load!(simd, T, group, at + 2)]
}

/// The frame on a normal.
#[inline(always)]
fn frame<S: Simd, T: LaneScalar>(simd: S, normal: Vector<S, T>) -> [Vector<S, T>; 3] {
    let (zero, one) = (splat::<S, T>(simd, T::ZERO), splat::<S, T>(simd, T::ONE));
    let half = splat::<S, T>(simd, T::HALF);
    let factor = splat::<S, T>(simd, T::lit(1.5)) - half * dot::<S, T>(normal, normal);
    let n = [normal[0] * factor, normal[1] * factor, normal[2] * factor];
    let s = n[2].simd_lt(zero).select(-one, one);
    let a = -one / (s + n[2]);
    let b = n[0] * n[1] * a;
    [n, [one + s * n[0] * n[0] * a, s * b, -s * n[0]], [b, s + n[1] * n[1] * a, -n[1]]]
}

/// `I⁻¹(r×d)` for the three directions; adds their part in `K`.
#[inline(always)]
fn rotation_part<S: Simd, T: LaneScalar>(
    simd: S,
    frame: &[Vector<S, T>; 3],
    (group, arm, inertia): (&Group<T>, usize, usize),
    mass: Register<S, T>,
    k: &mut Symmetric<S, T>,
) -> [Vector<S, T>; 3] {
    let zero = splat::<S, T>(simd, T::ZERO);
    let moves = mass.simd_gt(zero);
    let r = load3(simd, group, arm);
    let ([xx, yy, zz], [yx, zx, zy]) = (load3(simd, group, inertia), load3(simd, group, inertia + 3));
    let arms = [cross::<S, T>(r, frame[0]), cross::<S, T>(r, frame[1]), cross::<S, T>(r, frame[2])];
    let mut turns = arms;
    for turn in &mut turns {
        let [x, y, z] = *turn;
        *turn = [xx * x + yx * y + zx * z, yx * x + yy * y + zy * z, zx * x + zy * y + zz * z];
    }
    let [n, t1, t2] = arms;
    let added = [
        dot::<S, T>(n, turns[0]),
        dot::<S, T>(n, turns[1]),
        dot::<S, T>(n, turns[2]),
        dot::<S, T>(t1, turns[1]),
        dot::<S, T>(t1, turns[2]),
        dot::<S, T>(t2, turns[2]),
    ];
    for (entry, part) in k.iter_mut().zip(added) {
        *entry = moves.select(*entry + part, *entry);
    }
    for part in turns.iter_mut().flatten() {
        *part = moves.select(*part, zero);
    }
    turns
}

/// The powers of two at or below positive numbers.
#[inline(always)]
fn power_of_two_below<S: Simd, T: LaneScalar>(simd: S, value: Register<S, T>) -> Register<S, T> {
    let mut lanes = value.to_array();
    for lane in lanes.as_mut() {
        *lane = lane.power_of_two_below();
    }
    T::Register::<S>::load_array(simd, lanes)
}

/// The kernel's block of a symmetric `K`.
struct Block<S: Simd, T: LaneScalar> {
    normal: Register<S, T>,
    inverse_normal: Register<S, T>,
    /// `K_nt/K_nn`, which is also `K_tn/K_nn`.
    row: Pair<S, T>,
    /// `11, 12, 22` of the Schur complement.
    schur: Vector<S, T>,
    eigenvalues: Pair<S, T>,
    /// Cosine and sine.
    axes: Pair<S, T>,
}

impl<S: Simd, T: LaneScalar> Block<S, T> {
    #[inline(always)]
    fn new(
        simd: S,
        k: Symmetric<S, T>,
        third_of_trace: Register<S, T>,
        scale: Register<S, T>,
        inverse_scale: Register<S, T>,
    ) -> Self {
        let one = splat::<S, T>(simd, T::ONE);
        let [nn, n1, n2, k11, k12, k22] = [
            k[0] * inverse_scale,
            k[1] * inverse_scale,
            k[2] * inverse_scale,
            k[3] * inverse_scale,
            k[4] * inverse_scale,
            k[5] * inverse_scale,
        ];
        let regularisation = splat::<S, T>(simd, T::RELATIVE_CFM) * third_of_trace / scale;
        let normal = positive_part::<S, T>(simd, nn) + regularisation;
        let inverse_normal = one / normal;
        let row = [n1 * inverse_normal, n2 * inverse_normal];
        let schur = [
            (positive_part::<S, T>(simd, k11) + regularisation) - n1 * row[0],
            k12 - n1 * row[1],
            (positive_part::<S, T>(simd, k22) + regularisation) - n2 * row[1],
        ];
        let [eigenvalues, axes] = principal::<S, T>(simd, schur);
        Block { normal, inverse_normal, row, schur, eigenvalues, axes }
    }

    /// In the order of a row's numbers.
    #[inline(always)]
    fn numbers(&self) -> [Register<S, T>; 14] {
        let ([r1, r2], [m11, m12, m22]) = (self.row, self.schur);
        let ([first, last], [cos, sin]) = (self.eigenvalues, self.axes);
        [self.inverse_normal, r1, r2, r1, r2, m11, m12, m12, m22, first, last, cos, sin, self.normal]
    }

    /// A third of the trace.
    #[inline(always)]
    fn size(&self, simd: S) -> Register<S, T> {
        let tangential = self.row[0] * self.row[0] + self.row[1] * self.row[1];
        let one = splat::<S, T>(simd, T::ONE);
        (self.normal * (one + tangential) + self.schur[0] + self.schur[2]) * splat::<S, T>(simd, T::lit(1.0 / 3.0))
    }

    /// `K⁻¹F` by columns; NaN where the block is too ill-conditioned.
    #[inline(always)]
    fn inverse_in_axes(&self, simd: S, [n, t1, t2]: &[Vector<S, T>; 3]) -> [Vector<S, T>; 3] {
        let (zero, one) = (splat::<S, T>(simd, T::ZERO), splat::<S, T>(simd, T::ONE));
        let least = splat::<S, T>(simd, T::RELATIVE_CFM);
        let ([r1, r2], [m11, m12, m22]) = (self.row, self.schur);
        let inverse_first = one / larger::<S, T>(m11 + zero, least);
        let below = m12 * inverse_first;
        let inverse_last = one / larger::<S, T>((m22 + zero) - below * m12, least);
        let mut columns = [[zero; 3]; 3];
        let mut largest = zero;
        for (axis, column) in columns.iter_mut().enumerate() {
            let (n, t1, t2) = (n[axis], t1[axis], t2[axis]);
            let (x, y) = (t1 - r1 * n, t2 - r2 * n);
            let y = (y - below * x) * inverse_last;
            let x = (x - m12 * y) * inverse_first;
            *column = [n * self.inverse_normal - (r1 * x + r2 * y), x, y];
            for entry in column {
                largest = larger::<S, T>(largest, entry.abs());
            }
        }
        let limit = splat::<S, T>(simd, T::ONE / (T::lit(256.0) * T::EPSILON));
        let (is_sound, nan) = (largest.simd_lt(limit), splat::<S, T>(simd, T::lit(f64::NAN)));
        for entry in columns.iter_mut().flatten() {
            *entry = is_sound.select(*entry, nan);
        }
        columns
    }
}

/// Eigenvalues, and cosine and sine of the axes, of a symmetric 2×2 matrix.
#[inline(always)]
fn principal<S: Simd, T: LaneScalar>(simd: S, [m11, m12, m22]: Vector<S, T>) -> [Pair<S, T>; 2] {
    let (zero, one) = (splat::<S, T>(simd, T::ZERO), splat::<S, T>(simd, T::ONE));
    let least = splat::<S, T>(simd, T::RELATIVE_CFM);
    let is_diagonal = m12.simd_eq(zero);
    let theta = (m22 - m11) / (m12 + m12);
    let sign = theta.simd_lt(zero).select(-one, one);
    let t = sign / (theta.abs() + root::<S, T>(simd, theta * theta + one));
    let c = one / root::<S, T>(simd, t * t + one);
    let (first, last) = (is_diagonal.select(m11, m11 - t * m12), is_diagonal.select(m22, m22 + t * m12));
    let axes = [is_diagonal.select(one, c), is_diagonal.select(zero, t * c)];
    [[larger::<S, T>(first, least), larger::<S, T>(last, least)], axes]
}
