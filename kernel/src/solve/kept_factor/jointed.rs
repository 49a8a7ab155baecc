//! Joints in the factor of an island: rows that are held, along the free axis where its law holds it, too.
//!
//! Joints turn in every substep, so their factor is made in every substep. A chain of bodies is a chain in the matrix:
//! its factor takes a time that is proportional to its length.
//!
//! Contacts have the soft dampers: they open, close and slide while joints do not, and where both cannot have what they
//! want, joints do.
use nalgebra::Matrix3;

use crate::local::axis_law::Segment;
use crate::math::real::{Real, larger, smaller};
use crate::problem::contact_rows::ContactRows;
use crate::solve::kept_factor::{IslandFactor, KeptFactor};
use crate::solve::workspace::SolverWorkspace;
use crate::space::body_factor::FactorSpan;
use crate::space::joint_row::JointRow;
use crate::space::joint_side::{JointSide, dot};
use crate::space::velocity::Velocity;

/// What dampers leave of a velocity, in regularisations of Newton's method.
const SOFTNESS: f64 = 10.0;

impl<T: Real, const NF: usize> KeptFactor<T, NF> {
    /// Reserves memory for the selected island, unless it has some; false if there is too little.
    #[inline(never)]
    pub fn reserve_jointed<const NB: usize, const NC: usize, R: ContactRows>(
        &mut self,
        work: &SolverWorkspace<T, NB, NC, R>,
        island: usize,
        joints: &[JointRow<T>],
    ) -> bool {
        self.reserve_with(work, island, joints)
    }

    /// Makes the factor of an island with joints from contacts and joints as they are, unless it `is_made` of them in
    /// this substep; returns whether it is there, and whether it is new.
    #[inline(never)]
    pub fn make_jointed<const NB: usize, const NC: usize, R: ContactRows>(
        &mut self,
        work: &SolverWorkspace<T, NB, NC, R>,
        island: usize,
        joints: &mut [JointRow<T>],
        mass_of: &dyn Fn(usize) -> Option<(T, Matrix3<T>)>,
        is_made: bool,
    ) -> (bool, bool) {
        let mut changed = self.update(&work.rows, |_| false) > 0;
        for row in joints.iter_mut() {
            changed |= row.set_stiffness(T::lit(SOFTNESS) * T::NEWTON_REGULARISATION);
        }
        if is_made && !changed {
            return (true, false);
        }
        (self.make_with(work, island, false, mass_of, joints), true)
    }

    /// Corrects impulses and velocities of contacts and joints.
    #[inline(never)]
    pub fn correct_jointed<const NB: usize, const NC: usize, R: ContactRows>(
        &self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        island: usize,
        [change, before]: [&mut [Velocity<T>; NB]; 2],
        square_of: impl Fn(usize, &Velocity<T>) -> T,
        joints: &mut [JointRow<T>],
    ) {
        self.correct_with(work, island, change, before, square_of, joints);
    }

    /// The way that takes back the errors of joints, and moves no contact that is held. `momentum_of` is a body's momentum
    /// with a velocity; `rest` is scratch.
    ///
    /// It is solved for again with what is left over: in directions that nothing holds, the first solution has the
    /// rounding of stiff dampers.
    #[inline(never)]
    pub fn close<const NB: usize, const NC: usize, R: ContactRows>(
        &self,
        work: &SolverWorkspace<T, NB, NC, R>,
        island: usize,
        [way, rest]: [&mut [Velocity<T>; NB]; 2],
        joints: &[JointRow<T>],
        momentum_of: impl Fn(usize, &Velocity<T>) -> Velocity<T>,
    ) {
        let Some(IslandFactor { span, .. }) = self.island.get(island) else { return };
        for body in work.islands.members() {
            way[body] = Velocity::ZERO;
        }
        for row in joints {
            row.push_momentum(way, &row.damped(&row.error.scaled(-T::ONE)));
        }
        self.factor.solve(*span, way);
        for body in work.islands.members() {
            rest[body] = momentum_of(body, &way[body]).scaled(-T::ONE);
        }
        for row in joints {
            row.push_momentum(rest, &row.damped(&row.error.plus(&row.velocity_of_movable(way))).scaled(-T::ONE));
        }
        self.hold_back(work, way, rest);
        self.factor.solve(*span, rest);
        for body in work.islands.members() {
            way[body] = way[body].plus(&rest[body]);
        }
    }

    /// Adds a joint to the matrix.
    pub(super) fn add_joint(&mut self, bodies: &[u16], span: FactorSpan, row: &JointRow<T>) {
        let [a, b] = &row.sides;
        let place = |side: &JointSide<T>| {
            if side.moves() { self.factor.place(span, bodies, side.body) } else { None }
        };
        let at = [place(a), place(b)];
        for (side, at) in at.into_iter().enumerate() {
            if let Some(block) = at.and_then(|at| self.factor.diagonal(at)) {
                row.add_dampers(block, side, side);
            }
        }
        if let [Some(a), Some(b)] = at {
            let (earlier, later, sides) = if a < b { (a, b, (1, 0)) } else { (b, a, (0, 1)) };
            if let Some(block) = self.factor.below(span, earlier, later) {
                row.add_dampers(block, sides.0, sides.1);
            }
        }
    }
}

impl<T: Real> JointRow<T> {
    /// Takes the step of a correction that changes the velocities of bodies by `change`; returns its slope and what its own
    /// laws add to the curvature. `start` has the velocities before.
    pub(super) fn take_step(
        &mut self,
        change: &[Velocity<T>],
        start: &[Velocity<T>],
        velocity: &mut [Velocity<T>],
    ) -> [T; 2] {
        let du = self.velocity(change);
        let (step, w) = self.damping_from(start, velocity, &du);
        let step = self.allowed_step(step);
        self.before = self.impulse;
        let along = dot(&step, &w);
        let square = dot(&step, &step);
        if !(along.is_finite() && square <= T::MAX) {
            return [T::ZERO; 2];
        }
        self.impulse = self.impulse.plus(&step);
        self.push(velocity, &step);
        [along, self.curvature(&step)]
    }

    /// A step as far as the law along the axis allows it where it keeps a velocity.
    fn allowed_step(&self, step: Velocity<T>) -> Velocity<T> {
        let Segment::Held(velocity) = self.segment else { return step };
        if !self.is_free {
            return step;
        }
        let [least, most] = self.law.range(velocity);
        let wanted = dot(&self.axis, &self.impulse) + dot(&self.axis, &step);
        let within = larger(least, smaller(most, wanted));
        step.plus(&self.axis.scaled(within - wanted))
    }

    /// A step and the velocity that it acts on, from the velocities before; those have no immovable bodies.
    fn damping_from(
        &self,
        start: &[Velocity<T>],
        velocity: &[Velocity<T>],
        du: &Velocity<T>,
    ) -> (Velocity<T>, Velocity<T>) {
        let [a, b] = &self.sides;
        let of = |side: &JointSide<T>| {
            let from = if side.moves() { start } else { velocity };
            from.get(usize::from(side.body)).copied().unwrap_or(Velocity::ZERO)
        };
        self.damping_at(&self.velocity_between([&of(a), &of(b)]), du)
    }

    /// Takes back all but a part of the last step.
    pub(super) fn shorten(&mut self, length: T) {
        let step = self.impulse.minus(&self.before);
        self.impulse = if length > T::ZERO { self.before.plus(&step.scaled(length)) } else { self.before };
    }
}
