//! Small steps: a frame's contacts in `n` substeps of `h` seconds, each with one soft pass and one exact pass.
//!
//! ```text
//! base = v + h a,   v = base + kick        forces; the last substep's impulses as warm start
//! soft pass         normals only; moves positions
//! moved += h v
//! exact pass        Coulomb's law, without any bias; gives the velocities
//! guard             K(v) ≤ K(base) + work of driven bodies
//! kick = v − base
//! ```
//!
//! Jacobians are those of the frame's start, so the warm start of a substep is the velocity change of the one before,
//! and depths follow from the way that bodies moved: `d = d⁰ − n·(J moved)`.
//!
//! # The soft pass
//!
//! A gap may close, but no further: `u_n ≥ −gap/h`. Penetration is a spring and a damper, in the implicit form that is
//! stable at every step length:
//!
//! ```text
//! u = s (d/h − K x)   ⟹   x = (x⁰ + (s d/h − u⁰)/K) / (1 + s),   s = 1/17
//! ```
//!
//! With this `s` the spring's frequency is `1/h` and its damping ratio 8. At rest `u = 0`: the contact carries its
//! load at a depth of `K x h`, which does not depend on `s` and falls with the square of `n`. A rigid rate on top of
//! a full warm start is unstable in the modes that one pass reduces by less than half; the spring's leak of `s` in
//! every pass is what damps them.
//!
//! The velocity of the soft pass moves positions and nothing else. What it adds is taken away by the exact pass: the
//! difference of the two is a position correction, and never becomes kinetic energy.
//!
//! # The exact pass
//!
//! In the last substep of a frame every contact is solved exactly, so what the frame hands over is in its cone. In
//! the others a contact that sticks *holds*: first the tangents stop under the normal impulse that is there, then the
//! normal row. The exact answer would drop the friction of a corner that the soft pass lifted for one substep, and
//! structures that stand by friction would creep.
//!
//! Bounces: see [`impact`]. Energy: see [`guard`].
pub mod division;
pub mod guard;
pub mod impact;
pub mod passes;

use nalgebra::{Matrix3, Vector3};

use crate::local::block::Block;
use crate::local::frame::Frame;
use crate::math::lanes::Lanes3;
use crate::math::real::{Real, infinity};
use crate::math::vector::{VectorOps, zero3};
use crate::problem::bodies::Bodies;
use crate::problem::contacts::Site;
use crate::problem::report::Residual;
use crate::problem::settings::{LocalRule, Settings, SweepOrder};
use crate::problem::stop_check::StopCheck;
pub(crate) use crate::solve::small_steps::division::{Division, IslandFrame};
use crate::solve::small_steps::impact::Impact;
use crate::solve::small_steps::passes::holding_change;
use crate::solve::workspace::SolverWorkspace;
use crate::space::bodies::BodySpace;
use crate::space::velocity::Velocity;
use crate::sweep::gauss_seidel::Sweeper;
use crate::sweep::residual::measure;

/// What small steps need beside a solve's workspace.
pub(crate) struct SmallSteps<T: Real, const NB: usize, const NC: usize> {
    /// Velocity change by forces in a substep.
    pub force: [Velocity<T>; NB],
    /// Velocity change by contacts in the last substep.
    kick: [Velocity<T>; NB],
    /// The way of the frame so far, m and rad.
    pub moved: [Velocity<T>; NB],
    /// The way without position correction: by the velocities that substeps end with.
    pub passive_way: [Velocity<T>; NB],
    /// The way by the mean of velocities before and after forces: times a force, its work.
    pub forced_way: [Velocity<T>; NB],
    /// Masses, kg.
    mass: [T; NB],
    /// Inertias in world axes by columns, and a number more (see `lanes`).
    inertia: [[T; 10]; NB],
    /// Velocities where the substep began, before forces.
    arrival: [Velocity<T>; NB],
    /// When in this substep a body bounces, s.
    impact_time: [T; NB],
    /// `n, r_a×n, r_b×n` of each row, and a number more (see `lanes`).
    normal: [[T; 10]; NC],
    /// Depth of each row's contact where the frame began, m.
    pub depth: [T; NC],
    /// Change of each row's impulse that holds it, by columns for velocities in world axes, and a number more (see
    /// `passes`).
    hold: [[T; 10]; NC],
    /// Restitution of each row.
    restitution: [T; NC],
    impact: [Impact; NC],
    /// Impulses of the frame's bounces, N s.
    pub bounce: [T; NC],
    /// Impulses of the frame without its bounces, in velocity units.
    pub total: [Vector3<T>; NC],
}

/// The exact pass.
pub(crate) fn exact_sweeper<T: Real>() -> Sweeper<T> {
    Sweeper { rule: LocalRule::Exact, relaxation: T::ONE, order: SweepOrder::Forward }
}

/// Solves every contact of the island exactly, one after another.
pub(crate) fn exact_pass<T: Real, const NB: usize, const NC: usize>(work: &mut SolverWorkspace<T, NB, NC>) {
    exact_sweeper().run(&mut work.rows, &mut BodySpace::new(&work.jacobians, &mut work.velocity), 0);
}

impl<T: Real, const NB: usize, const NC: usize> SmallSteps<T, NB, NC> {
    pub const fn new() -> Self {
        SmallSteps {
            force: [Velocity::ZERO; NB],
            kick: [Velocity::ZERO; NB],
            moved: [Velocity::ZERO; NB],
            passive_way: [Velocity::ZERO; NB],
            forced_way: [Velocity::ZERO; NB],
            mass: [T::ZERO; NB],
            inertia: [[T::ZERO; 10]; NB],
            arrival: [Velocity::ZERO; NB],
            impact_time: [T::ZERO; NB],
            normal: [[T::ZERO; 10]; NC],
            depth: [T::ZERO; NC],
            hold: [[T::ZERO; 10]; NC],
            restitution: [T::ZERO; NC],
            impact: [Impact::None; NC],
            bounce: [T::ZERO; NC],
            total: [zero3(); NC],
        }
    }

    /// Prepares a body for the frame, with its inertia in world axes; an immovable one has none.
    pub fn load_body(&mut self, body: usize, mass: T, inertia: &Matrix3<T>, force: Velocity<T>) {
        if body >= NB {
            return;
        }
        self.force[body] = force;
        for way in [&mut self.kick, &mut self.moved, &mut self.passive_way, &mut self.forced_way] {
            way[body] = Velocity::ZERO;
        }
        let i = inertia;
        self.mass[body] = mass;
        self.inertia[body] = [i.m11, i.m21, i.m31, i.m12, i.m22, i.m32, i.m13, i.m23, i.m33, T::ZERO];
    }

    /// Prepares a row for the frame.
    pub fn load_row(&mut self, row: usize, depth: T, restitution: T) {
        if row < NC {
            self.depth[row] = depth;
            self.restitution[row] = restitution;
            self.impact[row] = Impact::None;
            self.bounce[row] = T::ZERO;
            self.total[row] = Vector3::zeros();
        }
    }

    /// Takes over a row that is new.
    pub fn set_block(&mut self, row: usize, block: &Block<T>, frame: &Frame<T>, site: &Site<'_, T>) {
        if row < NC {
            let (n, a, b) = (site.normal, site.r_a.cross(site.normal), site.r_b.cross(site.normal));
            self.normal[row] = [n.x, n.y, n.z, a.x, a.y, a.z, b.x, b.y, b.z, T::ZERO];
            self.hold[row] = holding_change(block, frame);
        }
    }

    /// Exchanges two rows.
    pub fn swap_rows(&mut self, one: usize, other: usize) {
        self.hold.swap(one, other);
        self.normal.swap(one, other);
    }

    /// Takes the selected island through the frame.
    pub fn run(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC>,
        bodies: &Bodies<T, NB>,
        settings: &Settings<T>,
        division: &Division<T>,
        stop: &mut StopCheck<'_>,
    ) -> IslandFrame<T> {
        let mut frame = IslandFrame::EMPTY;
        let bounces = work.rows.window().any(|row| self.restitution[row] > T::ZERO);
        self.sum_kicks(work);
        for number in 0..division.substeps {
            self.move_driven(work, bodies, T::integer(number as i16) * division.h);
            if stop.has_stopped() || stop.should_stop() {
                frame.interrupted = true;
                self.coast(work, bodies, division, &mut frame);
            } else if bounces && self.find_impacts(work, settings.restitution_threshold, division) {
                self.impact_substep(work, bodies, settings, division, stop, &mut frame);
            } else {
                self.plain_substep(work, bodies, settings.max_correction_speed, division, number, &mut frame);
            }
            self.add_impulses(work);
        }
        frame
    }

    /// A substep after the deadline: the impulses of the last one, without any pass.
    fn coast(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC>,
        bodies: &Bodies<T, NB>,
        division: &Division<T>,
        frame: &mut IslandFrame<T>,
    ) {
        self.begin(work, division);
        self.warm_start(work);
        frame.contact_work += self.guard(work, bodies, &mut frame.guarded);
        self.advance(work, division);
        self.end(work, division);
    }

    /// Moves bodies that no impulse moves to where they are `time` seconds after the frame began.
    fn move_driven(&mut self, work: &SolverWorkspace<T, NB, NC>, bodies: &Bodies<T, NB>, time: T) {
        if !work.driven {
            return;
        }
        for (body, (moved, velocity)) in self.moved.iter_mut().zip(&work.velocity).enumerate().take(bodies.len()) {
            if !bodies.is_movable(body) {
                *moved = velocity.scaled(time);
            }
        }
    }

    /// Adds a substep's impulses to the frame's.
    fn add_impulses(&mut self, work: &SolverWorkspace<T, NB, NC>) {
        for i in work.rows.window() {
            self.total[i] = self.total[i].plus(&work.rows.impulse[i]);
        }
    }

    fn plain_substep(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC>,
        bodies: &Bodies<T, NB>,
        max_push: T,
        division: &Division<T>,
        number: u32,
        frame: &mut IslandFrame<T>,
    ) {
        self.begin(work, division);
        self.warm_start(work);
        self.soft_pass(work, max_push, division);
        self.advance(work, division);
        self.move_driven(work, bodies, division.h * T::integer(number as i16 + 1));
        self.set_targets(work, division);
        if number + 1 == division.substeps {
            exact_pass(work);
        } else {
            self.holding_pass(work);
        }
        frame.contact_work += self.guard(work, bodies, &mut frame.guarded);
        self.end(work, division);
    }

    /// Measures how far the last substep is from solved.
    pub fn measure(&self, work: &mut SolverWorkspace<T, NB, NC>) -> Residual<T> {
        let SolverWorkspace { rows, jacobians, velocity, .. } = work;
        let mut residual = Residual::SOLVED;
        for i in rows.window().filter(|i| self.impact[*i] == Impact::Waits) {
            // It asks for nothing yet, and its speed is not the scale of what others ask for.
            let (a, b) = jacobians[i].bodies();
            if let (Some(a), Some(b)) = (velocity.get(a), velocity.get(b)) {
                rows.target[i] = self.normal_velocity(i, a, b);
            }
        }
        measure(rows, &BodySpace::new(jacobians, velocity), T::ZERO, infinity(), &mut residual);
        residual
    }

    /// Velocity change by all impulses of the island.
    fn sum_kicks(&mut self, work: &SolverWorkspace<T, NB, NC>) {
        for body in work.islands.members() {
            self.kick[body] = Velocity::ZERO;
        }
        for i in work.rows.window() {
            work.jacobians[i].push(&mut self.kick, T::Lanes3::of(&work.rows.impulse[i]));
        }
    }

    /// Lets forces act.
    fn begin(&mut self, work: &mut SolverWorkspace<T, NB, NC>, division: &Division<T>) {
        let SolverWorkspace { islands, velocity, start, .. } = work;
        for body in islands.members() {
            let (v, force) = (velocity[body], &self.force[body]);
            let base = v.plus(force);
            self.arrival[body] = v;
            start[body] = base;
            velocity[body] = base;
            self.forced_way[body] = self.forced_way[body].plus(&v.plus(&base).scaled(T::HALF * division.h));
        }
    }

    /// Begins with the impulses of the last substep.
    fn warm_start(&self, work: &mut SolverWorkspace<T, NB, NC>) {
        let SolverWorkspace { islands, velocity, .. } = work;
        for body in islands.members() {
            velocity[body] = velocity[body].plus(&self.kick[body]);
        }
    }

    /// Moves bodies. One that no contact touched flies along its parabola.
    fn advance(&mut self, work: &SolverWorkspace<T, NB, NC>, division: &Division<T>) {
        for body in work.islands.members() {
            let way = self.way(work, body, division);
            self.moved[body] = self.moved[body].plus(&way);
        }
    }

    /// Adds up the way without position correction.
    fn end(&mut self, work: &SolverWorkspace<T, NB, NC>, division: &Division<T>) {
        for body in work.islands.members() {
            let way = self.way(work, body, division);
            self.passive_way[body] = self.passive_way[body].plus(&way);
        }
    }

    /// A body's way in a substep at its present velocity.
    #[inline(always)]
    fn way(&self, work: &SolverWorkspace<T, NB, NC>, body: usize, division: &Division<T>) -> Velocity<T> {
        let (v, base) = (&work.velocity[body], &work.start[body]);
        let mut mean = *v;
        if v.linear.xyz() == base.linear.xyz() && v.angular.xyz() == base.angular.xyz() {
            mean.linear = v.linear.minus(self.force[body].linear.scaled(T::HALF));
        }
        mean.scaled(division.h)
    }
}
