//! A joint's rows: what it does to two bodies, and its visit.
//!
//! All joints have six rows in world axes: the relative velocity `w` of the two anchors, linear then angular, B minus A.
//! With `K = J M⁻¹Jᵀ` restricted to the rows that the joint holds and `W` its inverse there (0 elsewhere, also in rows
//! that follow from others or that no impulse moves), the step that brings all of them to their targets is `−W w`.
//!
//! A free axis `e` changes that to `w' = λ e`, velocities along the axis only:
//!
//! ```text
//! Δx = W (λ e − w)      impulse along the axis: e·(x + Δx) = e·(x − W w) + (e·W e) λ
//! ```
//!
//! a line in `λ`, which the axis' law meets in one point (see `axis_law`). A rod, a rope or a spring between two points
//! has one row, along the unit vector `n` between them: `W = n nᵀ/(n·K n)`, and `n` is the axis, too.
use nalgebra::Vector3;

use crate::local::axis_law::{AxisLaw, AxisParts, Drag, Segment};
use crate::math::lanes::Lanes3;
use crate::math::real::{Real, larger};
use crate::math::vector::zero3;
use crate::problem::contact_rows::Element;
use crate::space::block6::Block6;
use crate::space::joint_side::{JointSide, dot, unit};
use crate::space::velocity::Velocity;

/// The island of a joint that is in none: behind all others.
pub(crate) const NO_ISLAND: u16 = u16::MAX;

/// Which rows a joint holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Held {
    /// The anchors coincide.
    Point,
    /// Position and orientation, except along the axis if there is one.
    Pose,
    /// The distance along the axis.
    Line,
}

/// A joint in a substep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct JointRow<T: Real> {
    /// The joint's index in its world.
    pub joint: u16,
    /// Its island and 1; 0 if it is in none.
    after_island: u16,
    pub sides: [JointSide<T>; 2],
    /// `W`.
    pub inverse: Block6<T>,
    /// `e`; zero if there is no free axis.
    pub axis: Velocity<T>,
    /// Whether there is a free axis.
    pub is_free: bool,
    /// `W e`.
    along: Velocity<T>,
    /// `e·W e`.
    pub(super) mass: T,
    /// Velocity of a unit impulse, to compare a joint's errors with speeds of contacts.
    pub size: T,
    /// Angular velocity of a unit angular impulse.
    pub turning: T,
    pub(super) held: Held,
    pub law: AxisLaw<T>,
    /// The drag of a ball joint against its rotation, and of a joint along a line against velocities across it.
    pub drag: Drag<T>,
    /// The way along the axis back to the limits that it is beyond, rad or m.
    pub way_back: T,
    /// Target velocities of the rows.
    pub target: Velocity<T>,
    /// Impulse on B.
    pub impulse: Velocity<T>,
    pub parts: AxisParts<T>,
    /// Where on its law the axis is.
    pub segment: Segment<T>,
    /// Damping of the rows by which a factor holds them (see `kept_factor`): linear, angular.
    pub stiffness: [T; 2],
    /// The same along the axis.
    pub axis_stiffness: T,
    /// The impulse before a correction by a factor.
    pub before: Velocity<T>,
    /// `w` where the substep began, before forces.
    pub arrival: Velocity<T>,
    /// Change of `w` by forces in the substep.
    pub forced: Velocity<T>,
    /// How far the rows are from where they should be, m and rad.
    pub error: Velocity<T>,
    /// Position along the free axis.
    pub position: T,
    /// Whether a limit held in the substep before.
    pub was_at_limit: bool,
    /// Whether velocities by turning are taken out, too, instead of sent back.
    pub is_damped: bool,
}

impl<T: Real> Element for JointRow<T> {
    /// In no island. All bits are zero, so that programs need no image of it for each joint.
    const PLAIN: Self = JointRow {
        joint: 0,
        after_island: 0,
        sides: [JointSide::NONE; 2],
        inverse: Block6::ZERO,
        axis: Velocity::ZERO,
        is_free: false,
        along: Velocity::ZERO,
        mass: T::ZERO,
        size: T::ZERO,
        turning: T::ZERO,
        held: Held::Point,
        law: AxisLaw { speeds: [T::ZERO; 2], ..AxisLaw::FREE },
        drag: Drag::NONE,
        way_back: T::ZERO,
        target: Velocity::ZERO,
        impulse: Velocity::ZERO,
        parts: AxisParts::NONE,
        segment: Segment::Held(T::ZERO),
        stiffness: [T::ZERO; 2],
        axis_stiffness: T::ZERO,
        before: Velocity::ZERO,
        arrival: Velocity::ZERO,
        forced: Velocity::ZERO,
        error: Velocity::ZERO,
        position: T::ZERO,
        was_at_limit: false,
        is_damped: false,
    };
}

impl<T: Real> JointRow<T> {
    /// Its island; [`NO_ISLAND`] if it is in none.
    #[inline(always)]
    pub fn island(&self) -> u16 {
        self.after_island.wrapping_sub(1)
    }

    /// Sets its island.
    #[inline(always)]
    pub fn set_island(&mut self, island: u16) {
        self.after_island = island.wrapping_add(1);
    }

    /// Fills in what follows from the sides: `W`, and what it does to the axis.
    pub fn set_block(&mut self, held: Held, axis: Option<(Vector3<T>, bool)>) {
        let mut k = Block6::ZERO;
        for column in 0..6 {
            k.put_column(column, &self.response(&unit(column)));
        }
        self.size = (k.at(0, 0) + k.at(1, 1) + k.at(2, 2)) / T::lit(3.0);
        self.turning = (k.at(3, 3) + k.at(4, 4) + k.at(5, 5)) / T::lit(3.0);
        self.held = held;
        self.is_free = axis.is_some();
        let zero = zero3();
        self.axis = match axis {
            Some((e, true)) => Velocity::new(&zero, &e),
            Some((e, false)) => Velocity::new(&e, &zero),
            None => Velocity::ZERO,
        };
        match held {
            Held::Pose => {
                k.invert_independent();
                self.inverse = k;
            }
            Held::Point => {
                k.clear_angular();
                k.invert_independent();
                self.inverse = k;
            }
            Held::Line => self.set_line(),
        }
        self.along = self.inverse.times(&self.axis);
        self.mass = dot(&self.axis, &self.along);
    }

    /// `W` of a joint that holds the distance along the axis.
    fn set_line(&mut self) {
        let k = dot(&self.axis, &self.response(&self.axis));
        let inverse = if k > T::ZERO { T::ONE / k } else { T::ZERO };
        let [x, y, z] = self.axis.linear.xyz();
        self.inverse = Block6::ZERO;
        for (column, part) in [x, y, z].into_iter().enumerate() {
            self.inverse.put_column(column, &self.axis.scaled(part * inverse));
        }
    }

    /// `K x`.
    pub(super) fn response(&self, x: &Velocity<T>) -> Velocity<T> {
        let [a, b] = &self.sides;
        a.at_anchor(&a.change(x)).plus(&b.at_anchor(&b.change(x)))
    }

    /// `w`.
    #[inline(always)]
    pub fn velocity(&self, velocity: &[Velocity<T>]) -> Velocity<T> {
        let [a, b] = &self.sides;
        match (velocity.get(usize::from(a.body)), velocity.get(usize::from(b.body))) {
            (Some(v_a), Some(v_b)) => self.velocity_between([v_a, v_b]),
            _ => Velocity::ZERO,
        }
    }

    /// `w` of bodies with these velocities.
    #[inline(always)]
    pub fn velocity_between(&self, [v_a, v_b]: [&Velocity<T>; 2]) -> Velocity<T> {
        let [a, b] = &self.sides;
        b.at_anchor(v_b).minus(&a.at_anchor(v_a))
    }

    /// `w` where bodies that no impulse moves have no velocity.
    pub fn velocity_of_movable(&self, velocity: &[Velocity<T>]) -> Velocity<T> {
        let of = |side: &JointSide<T>| velocity.get(usize::from(side.body)).filter(|_| side.moves()).copied();
        let [a, b] = self.sides.each_ref().map(|side| of(side).unwrap_or(Velocity::ZERO));
        self.velocity_between([&a, &b])
    }

    /// `v += M⁻¹Jᵀ x`. Immovable bodies are skipped.
    #[inline(always)]
    pub fn push(&self, velocity: &mut [Velocity<T>], x: &Velocity<T>) {
        let [a, b] = &self.sides;
        if a.moves()
            && let Some(body) = velocity.get_mut(usize::from(a.body))
        {
            *body = body.minus(&a.change(x));
        }
        if b.moves()
            && let Some(body) = velocity.get_mut(usize::from(b.body))
        {
            *body = body.plus(&b.change(x));
        }
    }

    /// Solves the joint: all held rows at their targets, and its law along the axis. A change that is NaN or overflows is
    /// not made.
    pub fn visit(&mut self, velocity: &mut [Velocity<T>]) {
        let w = self.velocity(velocity).minus(&self.target);
        let mut change = self.inverse.times(&w).scaled(-T::ONE);
        let mut parts = AxisParts::NONE;
        if self.is_free && self.mass > T::ZERO {
            let along = dot(&self.axis, &self.impulse) + dot(&self.axis, &change);
            let (speed, acting) = self.law.solve(along, self.mass);
            change = change.plus(&self.along.scaled(speed));
            self.segment = self.law.segment(speed, &acting);
            parts = acting;
        }
        let square = dot(&change, &change);
        if square <= T::MAX {
            self.parts = parts;
        }
        if square > T::ZERO && square <= T::MAX {
            self.impulse = self.impulse.plus(&change);
            self.push(velocity, &change);
        }
        if self.drag.gain > T::ZERO {
            self.visit_drag(velocity);
        }
    }

    /// The sum of the inverse masses of its bodies.
    pub fn inverse_masses(&self) -> T {
        let [a, b] = &self.sides;
        a.inverse_mass + b.inverse_mass
    }

    /// Length of the longer lever arm of a body that moves.
    pub fn arm(&self) -> T {
        let square = |side: &JointSide<T>| {
            let arm = side.arm.vector();
            if side.moves() { arm.dot(&arm) } else { T::ZERO }
        };
        let [a, b] = &self.sides;
        larger(square(a), square(b)).sqrt_or_zero()
    }

    /// Takes out all velocities of the held rows.
    pub fn damp(&mut self) {
        (self.target, self.is_damped) = (Velocity::ZERO, true);
    }

    /// Moves the held rows so that their errors, and the way beyond limits, become smaller at this rate, 1/s. Nothing else
    /// takes part along the axis. Impulses stay.
    pub fn correct(&self, velocity: &mut [Velocity<T>], rate: T) {
        let w = self.velocity(velocity).plus(&self.error.scaled(rate));
        let mut change = self.inverse.times(&w).scaled(-T::ONE);
        if self.is_free && self.mass > T::ZERO {
            // None of the impulse is along the axis unless a limit asks for it.
            let free = dot(&self.along, &w) / self.mass;
            let limited = self.law.limited(free);
            let back = self.way_back * rate;
            let speed = match () {
                () if back > limited && back > T::ZERO => back,
                () if back < limited && back < T::ZERO => back,
                () => limited,
            };
            change = change.plus(&self.along.scaled(speed));
        }
        let square = dot(&change, &change);
        if square > T::ZERO && square <= T::MAX {
            self.push(velocity, &change);
        }
    }

    /// Divides the impulse along the axis into its parts again: a factor changes the impulse alone.
    pub fn divide(&mut self, velocity: &[Velocity<T>]) {
        let w = self.velocity(velocity).minus(&self.target);
        if let Some((speed, parts)) = self.on_law(&w) {
            (self.segment, self.parts) = (self.law.segment(speed, &parts), parts);
        }
    }

    /// Velocity and impulses that the law asks for along the axis, of rows that miss their targets by `w`.
    pub(super) fn on_law(&self, w: &Velocity<T>) -> Option<(T, AxisParts<T>)> {
        if !(self.is_free && self.mass > T::ZERO) {
            return None;
        }
        let along = dot(&self.axis, &self.impulse) - dot(&self.along, w);
        Some(self.law.solve(along, self.mass))
    }
}
