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
//! u = s (d/h − K x)   ⟹   x = (x⁰ + (s d/h − u⁰)/K) / (1 + s)
//! ```
//!
//! With `s = 1/17`, the default, the spring's frequency is `1/h` and its damping ratio 8. At rest `u = 0`: the contact
//! carries its load at a depth of `K x h`, which does not depend on `s` and falls with the square of `n`. A rigid rate
//! on top of a full warm start is unstable in the modes that one pass reduces by less than half; the spring's leak of
//! `s` in every pass is what damps them.
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
//! If the settings allow more sweeps than one, they follow the exact pass of every substep, until the tolerance is met.
//! With many sweeps, and in small islands, where sweeps cost little, there is no soft pass: see [`solved`].
//!
//! Islands with joints: see [`jointed`], `jointed_rows` and [`jointed_solve`]. Bounces: see [`impact`]. Energy: see [`guard`] and [`friction`]. Islands at rest take less: see [`rest`] and
//! [`undivided`].
pub mod bounce;
pub mod division;
pub mod frame;
pub mod friction;
pub mod guard;
pub mod impact;
pub mod jointed;
mod jointed_motion;
mod jointed_rest;
mod jointed_rows;
pub mod jointed_solve;
pub mod moments;
pub mod passes;
pub mod rest;
pub mod solved;
pub mod undivided;

use core::marker::PhantomData;

use nalgebra::{Matrix3, Vector3};

use crate::local::block::Block;
use crate::local::frame::Frame;
use crate::math::lanes::Lanes3;
use crate::math::real::Real;
use crate::math::vector::zero3;
use crate::problem::contact_rows::{Column, ContactRows};
use crate::problem::contacts::Site;
use crate::problem::joint::Joint;
use crate::problem::joint_work::JointWork;
use crate::problem::kept::IslandState;
use crate::problem::kept_joint::KeptJoint;
use crate::solve::joints::pose::Pose;
pub(crate) use crate::solve::small_steps::division::{Division, FrameTask, IslandFrame};
use crate::solve::small_steps::impact::Impact;
use crate::solve::small_steps::passes::holding_change;
use crate::solve::workspace::SolverWorkspace;
use crate::space::joint_row::JointRow;
use crate::space::velocity::Velocity;

/// What small steps need beside a solve's workspace.
pub(crate) struct SmallSteps<T: Real, const NB: usize, const NC: usize, R: ContactRows> {
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
    /// Change of each contact's velocity by forces in a substep.
    forced: [Vector3<T>; NC],
    /// How each contact's island was in the last frame, and after this one in this.
    pub island: [IslandState; NC],
    /// Normal velocity of each contact where the frame began, m/s.
    pub arrival_speed: [T; NC],
    /// Norm of the island's contact velocities where the last contact phase began, after forces, less their targets.
    start_speed: T,
    /// Rows of joints, island by island.
    pub joints: R::PerJoint<JointRow<T>>,
    /// The selected island's.
    joint_window: R::IfJoints<(u16, u16), 1>,
    /// Joints by their index in the world, and what is kept of them.
    pub joint_of: R::PerJoint<Joint<T>>,
    pub kept_joints: R::PerJoint<KeptJoint<T>>,
    /// Where bodies are.
    pub poses: R::IfJoints<Pose<T>, NB>,
    scratch: R::IfJoints<Velocity<T>, NB>,
    /// Work of joints in the frame.
    pub joint_work: R::IfJoints<JointWork<T>, 1>,
    /// The kind of rows that it steps.
    rows: PhantomData<R>,
}

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> SmallSteps<T, NB, NC, R> {
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
            forced: [zero3(); NC],
            island: [IslandState::NEW; NC],
            arrival_speed: [T::ZERO; NC],
            start_speed: T::ZERO,
            joints: R::PerJoint::PLAIN,
            joint_window: R::IfJoints::PLAIN,
            joint_of: R::PerJoint::PLAIN,
            kept_joints: R::PerJoint::PLAIN,
            poses: R::IfJoints::PLAIN,
            scratch: R::IfJoints::PLAIN,
            joint_work: R::IfJoints::PLAIN,
            rows: PhantomData,
        }
    }

    /// Prepares a body for the frame, with its mass, kg, and its inertia in world axes.
    pub fn load_body(&mut self, body: usize, mass: T, inertia: &Matrix3<T>) {
        if body >= NB {
            return;
        }
        for way in [&mut self.moved, &mut self.passive_way, &mut self.forced_way] {
            way[body] = Velocity::ZERO;
        }
        let i = inertia;
        self.mass[body] = mass;
        self.inertia[body] = [i.m11, i.m21, i.m31, i.m12, i.m22, i.m32, i.m13, i.m23, i.m33, T::ZERO];
    }

    /// Prepares a row for the frame.
    pub fn load_row(&mut self, row: usize, depth: T, restitution: T, island: IslandState) {
        if row < NC {
            self.island[row] = island;
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

    /// Velocity change by all impulses of the island.
    #[inline(never)]
    fn sum_kicks(&mut self, work: &SolverWorkspace<T, NB, NC, R>) {
        for body in work.islands.members() {
            self.kick[body] = Velocity::ZERO;
        }
        for i in work.rows.window() {
            work.jacobians[i].push(&mut self.kick, T::Lanes3::of(&work.rows.impulse[i]));
        }
    }

    /// Lets forces act.
    #[inline(never)]
    fn begin(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>, division: &Division<T>) {
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
    fn warm_start(&self, work: &mut SolverWorkspace<T, NB, NC, R>) {
        let SolverWorkspace { islands, velocity, .. } = work;
        for body in islands.members() {
            velocity[body] = velocity[body].plus(&self.kick[body]);
        }
    }

    /// Moves bodies. One that no contact touched flies along its parabola.
    #[inline(never)]
    fn advance(&mut self, work: &SolverWorkspace<T, NB, NC, R>, division: &Division<T>) {
        for body in work.islands.members() {
            let way = self.way(work, body, division);
            self.moved[body] = self.moved[body].plus(&way);
        }
    }

    /// Adds up the way without position correction.
    #[inline(never)]
    fn end(&mut self, work: &SolverWorkspace<T, NB, NC, R>, division: &Division<T>) {
        for body in work.islands.members() {
            let way = self.way(work, body, division);
            self.passive_way[body] = self.passive_way[body].plus(&way);
        }
    }

    /// A body's way in a substep at its present velocity.
    #[inline(always)]
    fn way(&self, work: &SolverWorkspace<T, NB, NC, R>, body: usize, division: &Division<T>) -> Velocity<T> {
        let (v, base) = (&work.velocity[body], &work.start[body]);
        let mut mean = *v;
        if v.linear.xyz() == base.linear.xyz() && v.angular.xyz() == base.angular.xyz() {
            mean.linear = v.linear.minus(self.force[body].linear.scaled(T::HALF));
        }
        mean.scaled(division.h)
    }
}
