//! A contact's rows of `J` and of `M⁻¹Jᵀ`, packed as sweeps need them, and the two operations `velocity` and `push`.
//!
//! With `F = [n t1 t2]ᵀ` and lever arms `r`, in world axes:
//!
//! ```text
//! velocity:  w = v_b + ω_b×r_b − v_a − ω_a×r_a,   u = F w
//! impulse:   P = Fᵀx,   v_b += m_b⁻¹ P,   ω_b += I_b⁻¹ (r_b×P),   and the opposite on A
//! ```
//!
//! Velocities stay in world axes as long as a contact sticks (see `block`), and cost two cross products. For `push` the
//! vectors `I⁻¹(r×d)` with `d` one of `n, t1, t2` are stored, so that every velocity the next contact needs is a short
//! sum of products. The factors of `push` are divided by the contact's `impulse_scale` here, so impulses stay in
//! velocity units.
//!
//! The moments of a contact are three rows of their own, along the same directions, with lengths that turn angular
//! velocities into velocities:
//!
//! ```text
//! velocity:  w = ω_b − ω_a,   u = F w,   F = [ℓ_s n  ℓ_r t1  ℓ_r t2]ᵀ
//! moment:    P = Fᵀx,   ω_b += I_b⁻¹ P,   and the opposite on A
//! ```
//!
//! They are packed alike, without lever arms. The inverse masses then only say which bodies move.
use nalgebra::{Matrix3, Vector3};

use crate::local::frame::Frame;
use crate::math::lanes::{Lanes3, columns_times};
use crate::math::real::Real;
use crate::math::vector::VectorOps;
use crate::problem::contact_rows::{Column, ContactRows, ThreeRows};
use crate::problem::contacts::Site;
use crate::space::velocity::Velocity;

/// Offsets in the packed numbers of a jacobian, and their count.
pub(crate) const FRAME: usize = 0;
pub(crate) const INV_INERTIA_ARM_A: usize = 9;
pub(crate) const INV_INERTIA_ARM_B: usize = 18;
pub(crate) const R_A: usize = 27;
pub(crate) const R_B: usize = 30;
pub(crate) const INV_MASS_A: usize = 33;
pub(crate) const INV_MASS_B: usize = 34;
pub(crate) const PACKED: usize = 35;

/// One contact's rows.
#[derive(Clone)]
pub(crate) struct ContactJacobian<T: Real, R: ContactRows = ThreeRows> {
    pub a: u16,
    pub b: u16,
    /// `n, t1, t2`; `I⁻¹(r×d)` over `impulse_scale` for A and B; lever arms; inverse masses over `impulse_scale`.
    pub packed: [T; PACKED],
    /// Whether the rows are moments: angular velocities along three directions.
    angular: R::Column<bool, 1>,
}

impl<T: Real, R: ContactRows> ContactJacobian<T, R> {
    pub const EMPTY: Self = ContactJacobian { a: 0, b: 0, packed: [T::ZERO; PACKED], angular: R::Column::PLAIN };

    /// Fills in the rows of a contact between bodies of given inverse mass and inverse inertia, with impulses in N s;
    /// returns the contact's block `K`, and whether a safe one is returned instead.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    pub fn pack(
        &mut self,
        site: &Site<'_, T>,
        body_a: (T, &Matrix3<T>),
        body_b: (T, &Matrix3<T>),
    ) -> (Matrix3<T>, bool) {
        self.pack_in(&Frame::on(site.normal), [T::ONE; 2], site, body_a, body_b)
    }

    /// The same in a given frame, whose tangents may have any length; `squares` are the squares of these lengths. Not
    /// computed here: those of unit tangents are exactly 1.
    #[inline(always)]
    pub fn pack_in(
        &mut self,
        frame: &Frame<T>,
        squares: [T; 2],
        site: &Site<'_, T>,
        body_a: (T, &Matrix3<T>),
        body_b: (T, &Matrix3<T>),
    ) -> (Matrix3<T>, bool) {
        (self.a, self.b) = site.pair;
        self.set_angular(false);
        self.store_frame(FRAME, frame);
        self.store(R_A, site.r_a);
        self.store(R_B, site.r_b);
        (self.packed[INV_MASS_A], self.packed[INV_MASS_B]) = (body_a.0, body_b.0);
        let of_masses = || {
            let mut k = Matrix3::from_diagonal_element(body_a.0 + body_b.0);
            if R::HAS_MOMENTS {
                (k.m22, k.m33) = (k.m22 * squares[0], k.m33 * squares[1]);
            }
            k
        };
        let mut k = of_masses();
        self.store_frame(INV_INERTIA_ARM_A, &rotation_part(frame, site.r_a, body_a, &mut k));
        self.store_frame(INV_INERTIA_ARM_B, &rotation_part(frame, site.r_b, body_b, &mut k));
        // Rounding may make an inertia slightly indefinite, which a long lever arm amplifies: then only masses count.
        let is_positive = k.m11 > T::ZERO && k.m22 > T::ZERO && k.m33 > T::ZERO;
        if is_positive { (k, false) } else { (of_masses(), true) }
    }

    /// Fills in the moments of a contact, along the directions of `frame`, with impulses in N s; returns their block.
    pub fn pack_moments(
        &mut self,
        pair: (u16, u16),
        frame: &Frame<T>,
        body_a: (T, &Matrix3<T>),
        body_b: (T, &Matrix3<T>),
    ) -> Matrix3<T> {
        (self.a, self.b) = pair;
        self.set_angular(true);
        self.store_frame(FRAME, frame);
        self.store(R_A, &Vector3::zeros());
        self.store(R_B, &Vector3::zeros());
        self.packed[INV_MASS_A] = body_a.0;
        self.packed[INV_MASS_B] = body_b.0;
        let mut k = Matrix3::zeros();
        for (at, (inverse_mass, inverse_inertia)) in [(INV_INERTIA_ARM_A, body_a), (INV_INERTIA_ARM_B, body_b)] {
            let moves = inverse_mass > T::ZERO;
            let turned = frame.map(|d| if moves { inverse_inertia * d } else { Vector3::zeros() });
            self.store_frame(at, &turned);
            let (n, t1, t2) = (frame.components(&turned.n), frame.components(&turned.t1), frame.components(&turned.t2));
            k += symmetric(&n, &t1, &t2);
        }
        k
    }

    /// Whether the rows are moments.
    #[inline(always)]
    pub fn is_angular(&self) -> bool {
        self.angular.at(0).is_some_and(|angular| *angular)
    }

    #[inline(always)]
    fn set_angular(&mut self, is_angular: bool) {
        if let Some(angular) = self.angular.at_mut(0) {
            *angular = is_angular;
        }
    }

    /// Changes from impulses in N s to impulses in velocity units.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    pub fn set_impulse_scale(&mut self, impulse_scale: T) {
        let scale = T::ONE / impulse_scale;
        let rotations = self.packed.get_mut(INV_INERTIA_ARM_A..R_A);
        rotations.into_iter().flatten().for_each(|number| *number *= scale);
        self.packed[INV_MASS_A] *= scale;
        self.packed[INV_MASS_B] *= scale;
    }

    #[inline(always)]
    pub fn bodies(&self) -> (usize, usize) {
        (usize::from(self.a), usize::from(self.b))
    }

    /// Whether impulses move its bodies.
    #[inline(always)]
    pub fn moves(&self) -> (bool, bool) {
        (self.packed[INV_MASS_A] > T::ZERO, self.packed[INV_MASS_B] > T::ZERO)
    }

    /// Lever arms.
    #[inline(always)]
    pub fn arms(&self) -> (T::Lanes3, T::Lanes3) {
        (self.lanes(R_A), self.lanes(R_B))
    }

    /// `n, t1, t2`.
    pub fn frame(&self) -> Frame<T> {
        self.frame_at(FRAME)
    }

    /// `n`.
    #[inline(always)]
    pub fn normal(&self) -> T::Lanes3 {
        self.lanes(FRAME)
    }

    #[inline(always)]
    fn lanes(&self, at: usize) -> T::Lanes3 {
        T::Lanes3::load(&self.packed, at)
    }

    #[inline(always)]
    pub fn vector(&self, at: usize) -> Vector3<T> {
        self.lanes(at).vector()
    }

    #[cfg_attr(not(target_os = "none"), inline(always))]
    pub fn frame_at(&self, at: usize) -> Frame<T> {
        Frame { n: self.vector(at), t1: self.vector(at + 3), t2: self.vector(at + 6) }
    }

    #[inline(always)]
    fn store(&mut self, at: usize, vector: &Vector3<T>) {
        if let Some([x, y, z]) = self.packed.get_mut(at..).and_then(<[T]>::first_chunk_mut) {
            (*x, *y, *z) = (vector.x, vector.y, vector.z);
        }
    }

    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn store_frame(&mut self, at: usize, frame: &Frame<T>) {
        self.store(at, &frame.n);
        self.store(at + 3, &frame.t1);
        self.store(at + 6, &frame.t2);
    }

    /// `w`.
    #[inline(always)]
    pub fn approach(&self, a: &Velocity<T>, b: &Velocity<T>) -> T::Lanes3 {
        if self.is_angular() {
            return b.angular.minus(a.angular);
        }
        let rotation_part = b.angular.cross_zxy(self.lanes(R_B)).minus(a.angular.cross_zxy(self.lanes(R_A)));
        b.linear.minus(a.linear).plus(rotation_part.yzx())
    }

    /// `n·w`.
    #[inline(always)]
    pub fn normal_of(&self, w: &Vector3<T>) -> T {
        self.vector(FRAME).dot(w)
    }

    /// `t1 x1 + t2 x2`.
    #[inline(always)]
    pub fn tangential(&self, x1: T, x2: T) -> T::Lanes3 {
        self.lanes(FRAME + 3).scaled(x1).plus(self.lanes(FRAME + 6).scaled(x2))
    }

    /// `F w`.
    #[inline(always)]
    pub fn along(&self, w: &Vector3<T>) -> Vector3<T> {
        let along = |at: usize| self.vector(at).dot(w);
        Vector3::new(along(FRAME), along(FRAME + 3), along(FRAME + 6))
    }

    /// `u = J v`.
    #[inline(always)]
    pub fn velocity(&self, a: &Velocity<T>, b: &Velocity<T>) -> Vector3<T> {
        self.along(&self.approach(a, b).vector())
    }

    /// `u_n` alone; 0 for moments.
    #[inline(always)]
    pub fn normal_velocity(&self, a: &Velocity<T>, b: &Velocity<T>) -> T {
        if self.is_angular() {
            return T::ZERO;
        }
        self.vector(FRAME).dot(&self.approach(a, b).vector())
    }

    /// `v += M⁻¹Jᵀ delta`. Immovable bodies are skipped.
    #[inline(always)]
    pub fn push(&self, velocity: &mut [Velocity<T>], delta: T::Lanes3) {
        let (a, b) = self.bodies();
        let delta = delta.xyz();
        let linear: T::Lanes3 =
            if self.is_angular() { T::Lanes3::ZERO } else { columns_times(&self.packed, FRAME, delta) };
        if self.packed[INV_MASS_A] > T::ZERO
            && let Some(body) = velocity.get_mut(a)
        {
            body.linear = body.linear.minus(linear.scaled(self.packed[INV_MASS_A]));
            body.angular = body.angular.minus(columns_times(&self.packed, INV_INERTIA_ARM_A, delta));
        }
        if self.packed[INV_MASS_B] > T::ZERO
            && let Some(body) = velocity.get_mut(b)
        {
            body.linear = body.linear.plus(linear.scaled(self.packed[INV_MASS_B]));
            body.angular = body.angular.plus(columns_times(&self.packed, INV_INERTIA_ARM_B, delta));
        }
    }

    /// The same for a normal impulse alone.
    #[inline(always)]
    pub fn push_normal(&self, velocity: &mut [Velocity<T>], delta: T) {
        if self.is_angular() {
            return;
        }
        let (a, b) = self.bodies();
        let linear = self.lanes(FRAME).scaled(delta);
        if let Some(body) = velocity.get_mut(a) {
            body.linear = body.linear.minus(linear.scaled(self.packed[INV_MASS_A]));
            body.angular = body.angular.minus(self.lanes(INV_INERTIA_ARM_A).scaled(delta));
        }
        if let Some(body) = velocity.get_mut(b) {
            body.linear = body.linear.plus(linear.scaled(self.packed[INV_MASS_B]));
            body.angular = body.angular.plus(self.lanes(INV_INERTIA_ARM_B).scaled(delta));
        }
    }

    /// Force and torque about each centre of mass of an impulse in N s: `(on A, on B)`, each `(force, torque)`.
    pub fn wrenches(&self, impulse: &Vector3<T>) -> [(Vector3<T>, Vector3<T>); 2] {
        let linear = self.frame().to_world(impulse);
        if self.is_angular() {
            return [(Vector3::zeros(), linear.negated()), (Vector3::zeros(), linear)];
        }
        let torque = |at: usize| self.vector(at).cross(&linear);
        [(linear.negated(), torque(R_A).negated()), (linear, torque(R_B))]
    }
}

/// `I⁻¹(r×d)` for the three directions; adds their part in `K`, exactly symmetric since only its upper half is
/// computed.
#[cfg_attr(not(target_os = "none"), inline(always))]
fn rotation_part<T: Real>(
    frame: &Frame<T>,
    r: &Vector3<T>,
    (inverse_mass, inverse_inertia): (T, &Matrix3<T>),
    k: &mut Matrix3<T>,
) -> Frame<T> {
    // An immovable body does not rotate either.
    if !(inverse_mass > T::ZERO) {
        return Frame { n: Vector3::zeros(), t1: Vector3::zeros(), t2: Vector3::zeros() };
    }
    let r = T::Lanes3::of(r);
    let column = |x: T, y: T, z: T| T::Lanes3::new(x, y, z);
    let m = inverse_inertia;
    let (x, y, z) = (column(m.m11, m.m21, m.m31), column(m.m12, m.m22, m.m32), column(m.m13, m.m23, m.m33));
    let arm = frame.map(|d| r.cross_zxy(T::Lanes3::of(d)).yzx().vector());
    let inv_inertia_arm = arm.map(|d| x.scaled(d.x).plus(y.scaled(d.y)).plus(z.scaled(d.z)).vector());
    let (n, t1, t2) =
        (arm.components(&inv_inertia_arm.n), arm.components(&inv_inertia_arm.t1), arm.components(&inv_inertia_arm.t2));
    *k += symmetric(&n, &t1, &t2);
    inv_inertia_arm
}

/// A symmetric matrix from the upper half of its columns.
#[inline(always)]
fn symmetric<T: Real>(n: &Vector3<T>, t1: &Vector3<T>, t2: &Vector3<T>) -> Matrix3<T> {
    Matrix3::new(n.x, t1.x, t2.x, t1.x, t1.y, t2.y, t2.x, t2.y, t2.z)
}

/// `u` of a jacobian at the velocities of its bodies.
#[cfg_attr(not(target_os = "none"), inline(always))]
pub(crate) fn velocity_between<T: Real, R: ContactRows>(
    jacobian: &ContactJacobian<T, R>,
    a: &Velocity<T>,
    b: &Velocity<T>,
) -> Vector3<T> {
    jacobian.velocity(a, b)
}
