//! How contacts see bodies: what sweeps need of a contact's rows of `J` and of `M⁻¹Jᵀ`, packed, and the two verbs on them.
//!
//! With `F = [n t1 t2]ᵀ` and lever arms `r`, in world axes:
//!
//! ```text
//! velocity:  w = v_b + ω_b×r_b − v_a − ω_a×r_a,   u = F w
//! push:      P = Fᵀx,   v_b += m_b⁻¹ P,   ω_b += I_b⁻¹ (r_b×P),   and the opposite on A
//! ```
//!
//! Velocities stay in world axes as long as a contact sticks (see `block`), and cost two cross products. For pushes the vectors
//! `I⁻¹(r×d)` for `d` one of `n, t1, t2` are stored: every number that the next contact waits for is a short sum of products.
//! What `push` multiplies by is divided by the contact's unit here, so impulses stay in velocity units.

use core::ops::Range;

use nalgebra::{Matrix3, Vector3};

use crate::body::Bodies;
use crate::contact::Site;
use crate::coupled::{End, Mechanics};
use crate::frame::Frame;
use crate::real::Real;
use crate::rows::ContactSpace;
use crate::small::{Entries, is_nothing};
use crate::triple::{Triple, columns_times};

/// Linear and angular velocity of one body.
#[derive(Clone, Copy)]
pub(crate) struct Velocity<T: Real> {
    linear: T::Triple,
    angular: T::Triple,
}

/// Where things stand in a link's packed numbers, and how many they are.
const FRAME: usize = 0;
const TURN_A: usize = 9;
const TURN_B: usize = 18;
const ARM_A: usize = 27;
const ARM_B: usize = 30;
const PUSH_A: usize = 33;
const PUSH_B: usize = 34;
const PACKED: usize = 35;

/// One contact's rows.
#[derive(Clone)]
pub(crate) struct Link<T> {
    a: u16,
    b: u16,
    /// `n, t1, t2`; `I⁻¹(r×d)` over the unit for A and B; lever arms; inverse masses over the unit.
    packed: [T; PACKED],
}

impl<T: Real> Velocity<T> {
    pub const ZERO: Self = Velocity { linear: T::Triple::ZERO, angular: T::Triple::ZERO };

    #[inline(always)]
    pub fn new(linear: &Vector3<T>, angular: &Vector3<T>) -> Self {
        Velocity { linear: T::Triple::of(linear), angular: T::Triple::of(angular) }
    }

    /// m/s.
    #[inline(always)]
    pub fn linear(&self) -> Vector3<T> {
        self.linear.vector()
    }

    /// rad/s.
    #[inline(always)]
    pub fn angular(&self) -> Vector3<T> {
        self.angular.vector()
    }

    /// Whether nothing moves.
    #[inline(never)]
    pub fn is_zero(&self) -> bool {
        is_nothing(&self.linear()) && is_nothing(&self.angular())
    }
}

impl<T: Real> Link<T> {
    /// All its numbers, for blows in tests.
    #[cfg(test)]
    pub fn words(&mut self) -> &mut [T] {
        &mut self.packed
    }

    pub const EMPTY: Self = Link { a: 0, b: 0, packed: [T::ZERO; PACKED] };

    /// Becomes the rows of a contact between bodies of given inverse mass and inverse inertia, with impulses in N s; gives the
    /// contact's block `K`.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline(always))]
    pub fn pack(&mut self, site: &Site<'_, T>, body_a: (T, &Matrix3<T>), body_b: (T, &Matrix3<T>)) -> Matrix3<T> {
        (self.a, self.b) = site.pair;
        let frame = Frame::from_normal(site.normal);
        self.store_frame(FRAME, &frame);
        self.store(ARM_A, site.r_a);
        self.store(ARM_B, site.r_b);
        (self.packed[PUSH_A], self.packed[PUSH_B]) = (body_a.0, body_b.0);
        let mut k = Matrix3::from_diagonal_element(body_a.0 + body_b.0);
        self.store_frame(TURN_A, &turning(&frame, site.r_a, body_a, &mut k));
        self.store_frame(TURN_B, &turning(&frame, site.r_b, body_b, &mut k));
        // An inertia may be indefinite by rounding of its largest entry, and a long arm finds that: then the masses alone count.
        if k.m11 > T::ZERO && k.m22 > T::ZERO && k.m33 > T::ZERO {
            k
        } else {
            Matrix3::from_diagonal_element(body_a.0 + body_b.0)
        }
    }

    /// Goes from impulses in N s to impulses in velocity units.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    pub fn set_unit(&mut self, unit: T) {
        let scale = T::ONE / unit;
        let turns = self.packed.get_mut(TURN_A..ARM_A);
        turns.into_iter().flatten().for_each(|number| *number *= scale);
        self.packed[PUSH_A] *= scale;
        self.packed[PUSH_B] *= scale;
    }

    #[inline(always)]
    pub fn bodies(&self) -> (usize, usize) {
        (usize::from(self.a), usize::from(self.b))
    }

    /// Whether impulses move its bodies.
    #[inline(always)]
    pub fn moves(&self) -> (bool, bool) {
        (self.packed[PUSH_A] > T::ZERO, self.packed[PUSH_B] > T::ZERO)
    }

    /// `n, t1, t2`.
    pub fn frame(&self) -> Frame<T> {
        self.frame_at(FRAME)
    }

    #[inline(always)]
    fn triple(&self, at: usize) -> T::Triple {
        T::Triple::load(&self.packed, at)
    }

    #[inline(always)]
    fn vector(&self, at: usize) -> Vector3<T> {
        self.triple(at).vector()
    }

    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn frame_at(&self, at: usize) -> Frame<T> {
        Frame { n: self.vector(at), t1: self.vector(at + 3), t2: self.vector(at + 6) }
    }

    #[inline(always)]
    fn store(&mut self, at: usize, vector: &Vector3<T>) {
        if let Some([x, y, z]) = self.packed.get_mut(at..).and_then(<[T]>::first_chunk_mut) {
            (*x, *y, *z) = (vector.x, vector.y, vector.z);
        }
    }

    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn store_frame(&mut self, at: usize, frame: &Frame<T>) {
        self.store(at, &frame.n);
        self.store(at + 3, &frame.t1);
        self.store(at + 6, &frame.t2);
    }

    /// `w`.
    #[inline(always)]
    fn approach(&self, a: &Velocity<T>, b: &Velocity<T>) -> T::Triple {
        let turning = b.angular.half_cross(self.triple(ARM_B)).minus(a.angular.half_cross(self.triple(ARM_A)));
        b.linear.minus(a.linear).plus(turning.turned())
    }

    /// `F w`.
    #[inline(always)]
    fn along(&self, w: &Vector3<T>) -> Vector3<T> {
        let along = |at: usize| self.vector(at).dot(w);
        Vector3::new(along(FRAME), along(FRAME + 3), along(FRAME + 6))
    }

    /// `u = J v`.
    #[inline(always)]
    pub fn velocity(&self, a: &Velocity<T>, b: &Velocity<T>) -> Vector3<T> {
        self.along(&self.approach(a, b).vector())
    }

    /// `u_n` alone.
    #[inline(always)]
    fn normal_velocity(&self, a: &Velocity<T>, b: &Velocity<T>) -> T {
        self.vector(FRAME).dot(&self.approach(a, b).vector())
    }

    /// `v += M⁻¹Jᵀ delta`. Bodies that nothing can move are left alone.
    #[inline(always)]
    fn push(&self, velocity: &mut [Velocity<T>], delta: T::Triple) {
        let (a, b) = self.bodies();
        let delta = delta.xyz();
        let linear: T::Triple = columns_times(&self.packed, FRAME, delta);
        if self.packed[PUSH_A] > T::ZERO
            && let Some(body) = velocity.get_mut(a)
        {
            body.linear = body.linear.minus(linear.scaled(self.packed[PUSH_A]));
            body.angular = body.angular.minus(columns_times(&self.packed, TURN_A, delta));
        }
        if self.packed[PUSH_B] > T::ZERO
            && let Some(body) = velocity.get_mut(b)
        {
            body.linear = body.linear.plus(linear.scaled(self.packed[PUSH_B]));
            body.angular = body.angular.plus(columns_times(&self.packed, TURN_B, delta));
        }
    }

    /// The same for a normal impulse alone.
    #[inline(always)]
    fn push_normal(&self, velocity: &mut [Velocity<T>], delta: T) {
        let (a, b) = self.bodies();
        let linear = self.triple(FRAME).scaled(delta);
        if let Some(body) = velocity.get_mut(a) {
            body.linear = body.linear.minus(linear.scaled(self.packed[PUSH_A]));
            body.angular = body.angular.minus(self.triple(TURN_A).scaled(delta));
        }
        if let Some(body) = velocity.get_mut(b) {
            body.linear = body.linear.plus(linear.scaled(self.packed[PUSH_B]));
            body.angular = body.angular.plus(self.triple(TURN_B).scaled(delta));
        }
    }

    /// Force and torque about each centre of mass of an impulse in N s: `(on A, on B)`, each `(force, torque)`.
    pub fn wrenches(&self, impulse: &Vector3<T>) -> [(Vector3<T>, Vector3<T>); 2] {
        let linear = self.frame().world(impulse);
        let torque = |at: usize| self.vector(at).cross(&linear);
        [(linear.opposite(), torque(ARM_A).opposite()), (linear, torque(ARM_B))]
    }

    /// A contact's side: its body, sign, inverse mass over the unit, lever arm, and `I⁻¹(r×d)` over the unit.
    #[inline(never)]
    fn side(&self, side: usize) -> Side<T> {
        if side == 0 {
            let (push, arm, turn) = (self.packed[PUSH_A], self.vector(ARM_A), self.frame_at(TURN_A));
            Side { body: self.a, sign: -T::ONE, push, arm, turn }
        } else {
            let (push, arm, turn) = (self.packed[PUSH_B], self.vector(ARM_B), self.frame_at(TURN_B));
            Side { body: self.b, sign: T::ONE, push, arm, turn }
        }
    }
}

/// One body's part in a contact.
struct Side<T> {
    body: u16,
    sign: T,
    push: T,
    arm: Vector3<T>,
    turn: Frame<T>,
}

impl<T: Real> Side<T> {
    /// Velocity at this side's point, with its sign, when a body of the same name at another side is pushed along one direction.
    fn seen(&self, pushed: &Self, along: &Vector3<T>, turn: &Vector3<T>) -> Vector3<T> {
        along.by(pushed.push).plus(&turn.cross(&self.arm)).by(self.sign * pushed.sign)
    }
}

/// `I⁻¹(r×d)` for the three directions; adds their part in `K`, exactly symmetric since only its upper half is computed.
#[cfg_attr(target_os = "none", inline(never))]
#[cfg_attr(not(target_os = "none"), inline(always))]
fn turning<T: Real>(
    frame: &Frame<T>,
    r: &Vector3<T>,
    (inverse_mass, inverse_inertia): (T, &Matrix3<T>),
    k: &mut Matrix3<T>,
) -> Frame<T> {
    // What cannot move does not turn either.
    if !(inverse_mass > T::ZERO) {
        return Frame { n: Vector3::zeros(), t1: Vector3::zeros(), t2: Vector3::zeros() };
    }
    let r = T::Triple::of(r);
    let column = |x: T, y: T, z: T| T::Triple::new(x, y, z);
    let m = inverse_inertia;
    let (x, y, z) = (column(m.m11, m.m21, m.m31), column(m.m12, m.m22, m.m32), column(m.m13, m.m23, m.m33));
    let arm = frame.map(|d| r.half_cross(T::Triple::of(d)).turned().vector());
    let turn = arm.map(|d| x.scaled(d.x).plus(y.scaled(d.y)).plus(z.scaled(d.z)).vector());
    let (n, t1, t2) = (arm.components(&turn.n), arm.components(&turn.t1), arm.components(&turn.t2));
    *k += Matrix3::new(n.x, t1.x, t2.x, t1.x, t1.y, t2.y, t2.x, t2.y, t2.z);
    turn
}

/// Contacts acting on bodies: links in a column, and the velocities that sweeps move.
pub(crate) struct BodySpace<'a, T: Real, const NB: usize, const NC: usize> {
    pub links: &'a [Link<T>; NC],
    pub velocity: &'a mut [Velocity<T>; NB],
    /// Where the phase began, if one may go back there.
    pub start: Option<&'a [Velocity<T>; NB]>,
    /// Whether sweeps see normals alone: all that frictionless contacts need.
    pub normals_only: bool,
}

/// `u` of one contact at the given body velocities.
#[cfg_attr(not(target_os = "none"), inline(always))]
pub(crate) fn contact_velocity<T: Real>(links: &[Link<T>], velocity: &[Velocity<T>], index: usize) -> Vector3<T> {
    let Some(link) = links.get(index) else { return Vector3::zeros() };
    let (a, b) = link.bodies();
    match (velocity.get(a), velocity.get(b)) {
        (Some(a), Some(b)) => velocity_between(link, a, b),
        _ => Vector3::zeros(),
    }
}

/// `u` of a link at the velocities of its bodies.
#[cfg_attr(target_os = "none", inline(never))]
#[cfg_attr(not(target_os = "none"), inline(always))]
pub(crate) fn velocity_between<T: Real>(link: &Link<T>, a: &Velocity<T>, b: &Velocity<T>) -> Vector3<T> {
    link.velocity(a, b)
}

#[cfg_attr(target_os = "none", inline(never))]
#[cfg_attr(not(target_os = "none"), inline(always))]
fn contact_normal_velocity<T: Real>(links: &[Link<T>], velocity: &[Velocity<T>], index: usize) -> T {
    let Some(link) = links.get(index) else { return T::ZERO };
    let (a, b) = link.bodies();
    match (velocity.get(a), velocity.get(b)) {
        (Some(a), Some(b)) => link.normal_velocity(a, b),
        _ => T::ZERO,
    }
}

#[cfg_attr(target_os = "none", inline(never))]
#[cfg_attr(not(target_os = "none"), inline(always))]
fn push_contact<T: Real>(links: &[Link<T>], velocity: &mut [Velocity<T>], index: usize, delta: &Vector3<T>) {
    if let Some(link) = links.get(index) {
        link.push(velocity, T::Triple::of(delta));
    }
}

#[cfg_attr(target_os = "none", inline(never))]
#[cfg_attr(not(target_os = "none"), inline(always))]
fn push_contact_normal<T: Real>(links: &[Link<T>], velocity: &mut [Velocity<T>], index: usize, delta: T) {
    if let Some(link) = links.get(index) {
        link.push_normal(velocity, delta);
    }
}

impl<'a, T: Real, const NB: usize, const NC: usize> BodySpace<'a, T, NB, NC> {
    /// With all three rows of every contact.
    #[inline(always)]
    pub fn new(links: &'a [Link<T>; NC], velocity: &'a mut [Velocity<T>; NB]) -> Self {
        BodySpace { links, velocity, start: None, normals_only: false }
    }

    #[inline(always)]
    pub fn normal_velocity(&self, index: usize) -> T {
        contact_normal_velocity(self.links, &*self.velocity, index)
    }

    #[inline(always)]
    pub fn push_normal(&mut self, index: usize, delta: T) {
        push_contact_normal(self.links, self.velocity, index, delta);
    }
}

impl<T: Real, const NB: usize, const NC: usize> ContactSpace<T> for BodySpace<'_, T, NB, NC> {
    #[inline(always)]
    fn velocity(&self, index: usize) -> Vector3<T> {
        if self.normals_only {
            return Vector3::new(self.normal_velocity(index), T::ZERO, T::ZERO);
        }
        contact_velocity(self.links, &*self.velocity, index)
    }

    #[inline(always)]
    fn push(&mut self, index: usize, delta: &Vector3<T>) {
        push_contact(self.links, self.velocity, index, delta);
    }

    #[inline(always)]
    fn normals_only(&self) -> bool {
        self.normals_only
    }

    #[inline(always)]
    fn swept_velocity(&self, index: usize, target: T) -> Option<T::Triple> {
        if self.normals_only {
            return Some(T::Triple::new(self.normal_velocity(index) - target, T::ZERO, T::ZERO));
        }
        let link = self.links.get(index)?;
        let (a, b) = link.bodies();
        let w = link.approach(self.velocity.get(a)?, self.velocity.get(b)?);
        Some(if target == T::ZERO { w } else { w.minus(link.triple(FRAME).scaled(target)) })
    }

    #[inline(always)]
    fn along(&self, index: usize, velocity: T::Triple) -> Vector3<T> {
        match self.links.get(index) {
            Some(link) if !self.normals_only => link.along(&velocity.vector()),
            _ => velocity.vector(),
        }
    }

    #[inline(always)]
    fn swept_push(&mut self, index: usize, delta: T::Triple) {
        if self.normals_only {
            let [normal, ..] = delta.xyz();
            return self.push_normal(index, normal);
        }
        if let Some(link) = self.links.get(index) {
            link.push(&mut *self.velocity, delta);
        }
    }
}

impl<T: Real, const NB: usize, const NC: usize> Mechanics<T> for BodySpace<'_, T, NB, NC> {
    fn touch(&self, one: usize, other: usize) -> bool {
        let (Some(one), Some(other)) = (self.links.get(one), self.links.get(other)) else { return false };
        let moves = |push: T, body: u16| push > T::ZERO && (body == other.a || body == other.b);
        moves(one.packed[PUSH_A], one.a) || moves(one.packed[PUSH_B], one.b)
    }

    fn coupling(&self, at: usize, from: usize) -> Matrix3<T> {
        let mut sum = Matrix3::zeros();
        let (Some(at), Some(from)) = (self.links.get(at), self.links.get(from)) else { return sum };
        let (frame, pushed) = (at.frame(), from.frame());
        for at in [at.side(0), at.side(1)] {
            for from in [from.side(0), from.side(1)] {
                if at.body == from.body {
                    let along = |d: &Vector3<T>, turn: &Vector3<T>| frame.components(&at.seen(&from, d, turn));
                    let (n, t1, t2) = (
                        along(&pushed.n, &from.turn.n),
                        along(&pushed.t1, &from.turn.t1),
                        along(&pushed.t2, &from.turn.t2),
                    );
                    sum += Matrix3::new(n.x, t1.x, t2.x, n.y, t1.y, t2.y, n.z, t1.z, t2.z);
                }
            }
        }
        sum
    }

    fn reset(&mut self, rows: Range<usize>) {
        if let Some(start) = self.start {
            go_back(self.links, rows, start, self.velocity);
        }
    }

    fn end(&self, index: usize, side: usize) -> Option<End<T>> {
        let link = self.links.get(index)?;
        let Side { body, sign, push, arm, turn } = link.side(side);
        let row = |d: &Vector3<T>, turning: &Vector3<T>, scale: T| {
            let (linear, angular) = (d.by(sign * scale), turning.by(sign));
            [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
        };
        let Frame { n, t1, t2 } = link.frame();
        let seen = |d: &Vector3<T>| row(d, &arm.cross(d), T::ONE);
        (push > T::ZERO).then(|| End {
            body: usize::from(body),
            seen: [seen(&n), seen(&t1), seen(&t2)],
            moved: [row(&n, &turn.n, push), row(&t1, &turn.t1, push), row(&t2, &turn.t2, push)],
        })
    }
}

/// Normal velocity of contact `i` that a unit of normal impulse at contact `j` causes, in `j`'s unit.
pub(crate) fn normal_coupling<T: Real>(links: &[Link<T>], i: usize, j: usize) -> T {
    let (Some(at), Some(from)) = (links.get(i), links.get(j)) else { return T::ZERO };
    let mut sum = T::ZERO;
    let (normal, pushed) = (at.vector(FRAME), from.vector(FRAME));
    for (seen, sign, arm) in [(at.a, -T::ONE, ARM_A), (at.b, T::ONE, ARM_B)] {
        let (push_a, push_b) = (from.packed[PUSH_A], from.packed[PUSH_B]);
        for (moved, signed, push, turn) in [(from.a, -sign, push_a, TURN_A), (from.b, sign, push_b, TURN_B)] {
            if seen == moved {
                let turning = from.vector(turn).cross(&at.vector(arm));
                sum += normal.dot(&pushed.by(push).plus(&turning)) * signed;
            }
        }
    }
    sum
}

/// Apart, so that it is not repeated in its loop.
#[inline(never)]
fn load_velocity<T: Real>(slot: &mut Velocity<T>, linear: &Vector3<T>, angular: &Vector3<T>) {
    *slot = Velocity::new(linear, angular);
}

/// Copies the bodies' velocities into a solve's scratch.
pub(crate) fn load_velocities<T: Real, const NB: usize>(bodies: &Bodies<T, NB>, out: &mut [Velocity<T>; NB]) {
    for ((slot, linear), angular) in out.iter_mut().zip(bodies.linear()).zip(bodies.angular()) {
        load_velocity(slot, linear, angular);
    }
}

/// Takes the bodies of some rows back to where a phase began. Those that cannot move, too: no part of an impulse beyond all
/// numbers is no number, and other islands share them.
#[inline(never)]
pub(crate) fn go_back<T: Real>(
    links: &[Link<T>],
    rows: Range<usize>,
    start: &[Velocity<T>],
    velocity: &mut [Velocity<T>],
) {
    for link in links.get(rows).into_iter().flatten() {
        let (a, b) = link.bodies();
        copy_velocity(Some(start), velocity, a);
        copy_velocity(Some(start), velocity, b);
    }
}

/// Copies a body's velocity, or rest. Apart on boards, so that it is not repeated in loops.
#[cfg_attr(target_os = "none", inline(never))]
#[cfg_attr(not(target_os = "none"), inline(always))]
pub(crate) fn copy_velocity<T: Real>(from: Option<&[Velocity<T>]>, to: &mut [Velocity<T>], body: usize) {
    if let Some(slot) = to.get_mut(body) {
        *slot = from.and_then(|from| from.get(body)).copied().unwrap_or(Velocity::ZERO);
    }
}
