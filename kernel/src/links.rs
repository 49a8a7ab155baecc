//! How contacts see bodies: the rows of `J` and of `M⁻¹Jᵀ`, in columns, and the two verbs that sweeps use on them.
//!
//! With `d` one of `n, t1, t2`, the row of `J` is `(−d, −r_a×d, d, r_b×d)` on `(v_a, ω_a, v_b, ω_b)`:
//!
//! ```text
//! velocity:  u_d  = d·(v_b − v_a) + (r_b×d)·ω_b − (r_a×d)·ω_a
//! push:      v_b += m_b⁻¹ Fᵀx,  ω_b += I_b⁻¹ Σ (r_b×d) x_d,   and the opposite on A
//! ```
//!
//! What `push` multiplies by is divided by the contact's unit here (see `block`), so impulses stay in velocity units.

use core::ops::Range;

use nalgebra::{Matrix3, Vector3};

use crate::body::Bodies;
use crate::contact::Contact;
use crate::coupled::{End, Mechanics};
use crate::frame::Frame;
use crate::real::Real;
use crate::rows::ContactSpace;

/// Linear and angular velocity of one body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Velocity<T> {
    pub linear: Vector3<T>,
    pub angular: Vector3<T>,
}

/// One contact's rows.
#[derive(Clone)]
pub(crate) struct Link<T> {
    a: u16,
    b: u16,
    pub frame: Frame<T>,
    /// `r×n, r×t1, r×t2` for each body.
    arm_a: Frame<T>,
    arm_b: Frame<T>,
    /// `I⁻¹` times the vectors above, over the unit.
    turn_a: Frame<T>,
    turn_b: Frame<T>,
    /// Inverse masses over the unit.
    push_a: T,
    push_b: T,
}

const fn zero_vector<T: Real>() -> Vector3<T> {
    Vector3::from_array_storage(nalgebra::ArrayStorage([[T::ZERO; 3]; 1]))
}

const fn zero_frame<T: Real>() -> Frame<T> {
    Frame { n: zero_vector(), t1: zero_vector(), t2: zero_vector() }
}

impl<T: Real> Velocity<T> {
    pub const ZERO: Self = Velocity { linear: zero_vector(), angular: zero_vector() };

    /// Whether nothing moves.
    #[inline(never)]
    pub fn is_zero(&self) -> bool {
        self.linear.iter().chain(self.angular.iter()).all(|part| *part == T::ZERO)
    }
}

impl<T: Real> Link<T> {
    pub const EMPTY: Self = Link {
        a: 0,
        b: 0,
        frame: zero_frame(),
        arm_a: zero_frame(),
        arm_b: zero_frame(),
        turn_a: zero_frame(),
        turn_b: zero_frame(),
        push_a: T::ZERO,
        push_b: T::ZERO,
    };

    /// Becomes the rows of a contact whose bodies are known to exist, with impulses still in N s; gives its block `K`.
    pub fn set(&mut self, contact: &Contact<T>, body_a: (T, &Matrix3<T>), body_b: (T, &Matrix3<T>)) -> Matrix3<T> {
        // The door lets only 16-bit indices through.
        (self.a, self.b) = (contact.a as u16, contact.b as u16);
        self.frame = Frame::from_normal(&contact.normal);
        set_arm_and_turn(&self.frame, &contact.r_a, body_a.1, &mut self.arm_a, &mut self.turn_a);
        set_arm_and_turn(&self.frame, &contact.r_b, body_b.1, &mut self.arm_b, &mut self.turn_b);
        (self.push_a, self.push_b) = (body_a.0, body_b.0);
        block(&self.arm_a, &self.turn_a, &self.arm_b, &self.turn_b, body_a.0 + body_b.0)
    }

    /// Measures impulses in velocity units from now on.
    pub fn divide_by(&mut self, unit: T) {
        let scale = T::ONE / unit;
        self.turn_a = self.turn_a.map(|d| d * scale);
        self.turn_b = self.turn_b.map(|d| d * scale);
        self.push_a *= scale;
        self.push_b *= scale;
    }

    #[inline(always)]
    pub fn bodies(&self) -> (usize, usize) {
        (usize::from(self.a), usize::from(self.b))
    }

    /// `u = J v`.
    #[inline(always)]
    pub fn velocity(&self, a: &Velocity<T>, b: &Velocity<T>) -> Vector3<T> {
        self.frame.components(&(b.linear - a.linear)) + self.arm_b.components(&b.angular)
            - self.arm_a.components(&a.angular)
    }

    /// `u_n` alone.
    #[inline(always)]
    fn normal_velocity(&self, a: &Velocity<T>, b: &Velocity<T>) -> T {
        self.frame.n.dot(&(b.linear - a.linear)) + self.arm_b.n.dot(&b.angular) - self.arm_a.n.dot(&a.angular)
    }

    /// `v += M⁻¹Jᵀ delta`. Bodies that nothing can move are left alone.
    #[inline(always)]
    fn push(&self, velocity: &mut [Velocity<T>], delta: &Vector3<T>) {
        let (a, b) = self.bodies();
        let linear = self.frame.world(delta);
        if self.push_a > T::ZERO
            && let Some(body) = velocity.get_mut(a)
        {
            body.linear -= linear * self.push_a;
            body.angular -= self.turn_a.world(delta);
        }
        if self.push_b > T::ZERO
            && let Some(body) = velocity.get_mut(b)
        {
            body.linear += linear * self.push_b;
            body.angular += self.turn_b.world(delta);
        }
    }

    /// The same for a normal impulse alone.
    #[inline(always)]
    fn push_normal(&self, velocity: &mut [Velocity<T>], delta: T) {
        let (a, b) = self.bodies();
        let linear = self.frame.n * delta;
        if let Some(body) = velocity.get_mut(a) {
            body.linear -= linear * self.push_a;
            body.angular -= self.turn_a.n * delta;
        }
        if let Some(body) = velocity.get_mut(b) {
            body.linear += linear * self.push_b;
            body.angular += self.turn_b.n * delta;
        }
    }

    /// Force and torque about each centre of mass of an impulse in N s: `(on A, on B)`.
    pub fn wrenches(&self, impulse: &Vector3<T>) -> (Velocity<T>, Velocity<T>) {
        let linear = self.frame.world(impulse);
        (
            Velocity { linear: -linear, angular: -self.arm_a.world(impulse) },
            Velocity { linear, angular: self.arm_b.world(impulse) },
        )
    }
}

/// `r×d` and `I⁻¹(r×d)` for the three directions.
#[inline(never)]
fn set_arm_and_turn<T: Real>(
    frame: &Frame<T>,
    r: &Vector3<T>,
    inverse_inertia: &Matrix3<T>,
    arm: &mut Frame<T>,
    turn: &mut Frame<T>,
) {
    *arm = frame.map(|d| r.cross(d));
    *turn = arm.map(|d| inverse_inertia * d);
}

/// Velocities at a contact for a turning of its body. Six times a contact: a call each is shorter.
#[inline(never)]
fn turning<T: Real>(arm: &Frame<T>, turn: &Vector3<T>) -> Vector3<T> {
    arm.components(turn)
}

/// `K = J M⁻¹ Jᵀ`, exactly symmetric: only its upper half is computed.
fn block<T: Real>(arm_a: &Frame<T>, turn_a: &Frame<T>, arm_b: &Frame<T>, turn_b: &Frame<T>, linear: T) -> Matrix3<T> {
    let (n, t1, t2) = (
        turning(arm_a, &turn_a.n) + turning(arm_b, &turn_b.n),
        turning(arm_a, &turn_a.t1) + turning(arm_b, &turn_b.t1),
        turning(arm_a, &turn_a.t2) + turning(arm_b, &turn_b.t2),
    );
    Matrix3::new(
        n.x + linear,
        t1.x,
        t2.x, //
        t1.x,
        t1.y + linear,
        t2.y, //
        t2.x,
        t2.y,
        t2.z + linear,
    )
}

/// Contacts acting on bodies: links in a column, and the velocities that sweeps move.
pub(crate) struct BodySpace<'a, T, const NB: usize, const NC: usize> {
    pub links: &'a [Link<T>; NC],
    pub velocity: &'a mut [Velocity<T>; NB],
    /// Where the phase began, if one may go back there.
    pub start: Option<&'a [Velocity<T>; NB]>,
    /// Whether sweeps see normals alone: all that frictionless contacts need.
    pub normals_only: bool,
}

/// `u` of one contact at the given body velocities.
pub(crate) fn contact_velocity<T: Real>(links: &[Link<T>], velocity: &[Velocity<T>], index: usize) -> Vector3<T> {
    let Some(link) = links.get(index) else { return Vector3::zeros() };
    let (a, b) = link.bodies();
    match (velocity.get(a), velocity.get(b)) {
        (Some(a), Some(b)) => velocity_between(link, a, b),
        _ => Vector3::zeros(),
    }
}

/// `u` of a link at the velocities of its bodies.
#[inline(never)]
pub(crate) fn velocity_between<T: Real>(link: &Link<T>, a: &Velocity<T>, b: &Velocity<T>) -> Vector3<T> {
    link.velocity(a, b)
}

#[inline(never)]
fn contact_normal_velocity<T: Real>(links: &[Link<T>], velocity: &[Velocity<T>], index: usize) -> T {
    let Some(link) = links.get(index) else { return T::ZERO };
    let (a, b) = link.bodies();
    match (velocity.get(a), velocity.get(b)) {
        (Some(a), Some(b)) => link.normal_velocity(a, b),
        _ => T::ZERO,
    }
}

#[inline(never)]
fn push_contact<T: Real>(links: &[Link<T>], velocity: &mut [Velocity<T>], index: usize, delta: &Vector3<T>) {
    if let Some(link) = links.get(index) {
        link.push(velocity, delta);
    }
}

#[inline(never)]
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
    fn swept_velocity(&self, index: usize) -> Vector3<T> {
        if self.normals_only {
            return Vector3::new(self.normal_velocity(index), T::ZERO, T::ZERO);
        }
        let Some(link) = self.links.get(index) else { return Vector3::zeros() };
        let (a, b) = link.bodies();
        match (self.velocity.get(a), self.velocity.get(b)) {
            (Some(a), Some(b)) => link.velocity(a, b),
            _ => Vector3::zeros(),
        }
    }

    #[inline(always)]
    fn swept_push(&mut self, index: usize, delta: &Vector3<T>) {
        if self.normals_only {
            return self.push_normal(index, delta.x);
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
        moves(one.push_a, one.a) || moves(one.push_b, one.b)
    }

    fn coupling(&self, at: usize, from: usize) -> Matrix3<T> {
        let mut sum = Matrix3::zeros();
        let (Some(at), Some(from)) = (self.links.get(at), self.links.get(from)) else { return sum };
        for (seen, seen_sign, arm) in [(at.a, -T::ONE, &at.arm_a), (at.b, T::ONE, &at.arm_b)] {
            for (moved, sign, push, turn) in
                [(from.a, -T::ONE, from.push_a, &from.turn_a), (from.b, T::ONE, from.push_b, &from.turn_b)]
            {
                if seen == moved {
                    let along = |d: &Vector3<T>, turn: &Vector3<T>| {
                        (at.frame.components(d) * push + arm.components(turn)) * (seen_sign * sign)
                    };
                    let from = &from.frame;
                    let (n, t1, t2) = (along(&from.n, &turn.n), along(&from.t1, &turn.t1), along(&from.t2, &turn.t2));
                    sum += Matrix3::new(n.x, t1.x, t2.x, n.y, t1.y, t2.y, n.z, t1.z, t2.z);
                }
            }
        }
        sum
    }

    fn reset(&mut self, rows: Range<usize>) {
        let Some(start) = self.start else { return };
        for link in self.links.get(rows).into_iter().flatten() {
            let (a, b) = link.bodies();
            for body in [a, b] {
                if let (Some(velocity), Some(start)) = (self.velocity.get_mut(body), start.get(body)) {
                    *velocity = *start;
                }
            }
        }
    }

    fn end(&self, index: usize, side: usize) -> Option<End<T>> {
        let link = self.links.get(index)?;
        let (body, sign, push, arm, turn) = if side == 0 {
            (link.a, -T::ONE, link.push_a, &link.arm_a, &link.turn_a)
        } else {
            (link.b, T::ONE, link.push_b, &link.arm_b, &link.turn_b)
        };
        let row = |d: &Vector3<T>, turning: &Vector3<T>, scale: T| {
            let (linear, angular) = (d * (sign * scale), turning * sign);
            [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
        };
        let frame = &link.frame;
        (push > T::ZERO).then(|| End {
            body: usize::from(body),
            seen: [row(&frame.n, &arm.n, T::ONE), row(&frame.t1, &arm.t1, T::ONE), row(&frame.t2, &arm.t2, T::ONE)],
            moved: [row(&frame.n, &turn.n, push), row(&frame.t1, &turn.t1, push), row(&frame.t2, &turn.t2, push)],
        })
    }
}

/// Normal velocity of contact `i` that a unit of normal impulse at contact `j` causes, in `j`'s unit.
pub(crate) fn normal_coupling<T: Real>(links: &[Link<T>], i: usize, j: usize) -> T {
    let (Some(at), Some(from)) = (links.get(i), links.get(j)) else { return T::ZERO };
    let mut sum = T::ZERO;
    for (seen, seen_sign, seen_arm) in [(at.a, -T::ONE, &at.arm_a), (at.b, T::ONE, &at.arm_b)] {
        for (moved, sign, push, turn) in
            [(from.a, -T::ONE, from.push_a, &from.turn_a), (from.b, T::ONE, from.push_b, &from.turn_b)]
        {
            if seen == moved {
                let along = at.frame.n.dot(&from.frame.n) * push + seen_arm.n.dot(&turn.n);
                sum += seen_sign * sign * along;
            }
        }
    }
    sum
}

/// Apart, so that it is not repeated in its loop.
#[inline(never)]
fn load_velocity<T: Real>(slot: &mut Velocity<T>, linear: &Vector3<T>, angular: &Vector3<T>) {
    *slot = Velocity { linear: *linear, angular: *angular };
}

/// Copies the bodies' velocities into a solve's scratch.
pub(crate) fn load_velocities<T: Real, const NB: usize>(bodies: &Bodies<T, NB>, out: &mut [Velocity<T>; NB]) {
    for ((slot, linear), angular) in out.iter_mut().zip(bodies.linear()).zip(bodies.angular()) {
        load_velocity(slot, linear, angular);
    }
}
