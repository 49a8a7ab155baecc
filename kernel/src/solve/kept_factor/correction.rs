//! All contacts of an island corrected at once, with its factor.
use nalgebra::Vector3;

use crate::math::lanes::Lanes3;
use crate::math::real::{Real, positive_part};
use crate::math::vector::VectorOps;
use crate::problem::contact_rows::ContactRows;
use crate::problem::kept::Hold;
use crate::solve::kept_factor::{IslandFactor, KeptFactor};
use crate::solve::workspace::SolverWorkspace;
use crate::space::jacobian::ContactJacobian;
use crate::space::joint_row::JointRow;
use crate::space::velocity::Velocity;

impl<T: Real, const NF: usize> KeptFactor<T, NF> {
    /// Impulses on the bodies that the factor is solved for; leaves contact velocities less targets in the rows'
    /// directions.
    #[inline(never)]
    fn load<const NB: usize, const NC: usize, R: ContactRows>(
        &self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        change: &mut [Velocity<T>; NB],
    ) {
        let SolverWorkspace { islands, rows, jacobians, velocity, .. } = work;
        for body in islands.members() {
            change[body] = Velocity::ZERO;
        }
        for i in rows.window() {
            let (jacobian, Some((hold, s))) = (&jacobians[i], self.held(i)) else { continue };
            let (a, b) = jacobian.bodies();
            let (Some(v_a), Some(v_b)) = (velocity.get(a), velocity.get(b)) else { continue };
            let (a_moves, b_moves) = jacobian.moves();
            for (body, moves) in [(a, a_moves), (b, b_moves)] {
                if let Some(slot) = change.get_mut(body).filter(|_| !moves) {
                    *slot = Velocity::ZERO;
                }
            }
            let w = jacobian.approach(v_a, v_b).minus(jacobian.normal().scaled(rows.target[i]));
            rows.direction[i] = w.vector();
            push_back(jacobian, (hold, s / rows.impulse_scale[i]), &w, change);
        }
    }

    /// Adds what contacts that are held do against a way of their bodies.
    pub(super) fn hold_back<const NB: usize, const NC: usize, R: ContactRows>(
        &self,
        work: &SolverWorkspace<T, NB, NC, R>,
        way: &[Velocity<T>; NB],
        momentum: &mut [Velocity<T>; NB],
    ) {
        for i in work.rows.window() {
            let (jacobian, Some((hold, s))) = (&work.jacobians[i], self.held(i)) else { continue };
            let ((a, b), (a_moves, b_moves)) = (jacobian.bodies(), jacobian.moves());
            let of = |body: usize, moves: bool| way.get(body).filter(|_| moves).copied().unwrap_or(Velocity::ZERO);
            let w = jacobian.approach(&of(a, a_moves), &of(b, b_moves));
            push_back(jacobian, (hold, s / work.rows.impulse_scale[i]), &w, momentum);
        }
    }

    /// Velocities that move the contacts that are held apart at their targets, along their normals, and in no other
    /// direction.
    #[inline(never)]
    pub fn separate<const NB: usize, const NC: usize, R: ContactRows>(
        &self,
        work: &SolverWorkspace<T, NB, NC, R>,
        island: usize,
        change: &mut [Velocity<T>; NB],
    ) {
        let Some(IslandFactor { span, .. }) = self.island.get(island) else { return };
        let SolverWorkspace { islands, rows, jacobians, .. } = work;
        for body in islands.members() {
            change[body] = Velocity::ZERO;
        }
        for i in rows.window() {
            let (jacobian, Some((hold, s))) = (&jacobians[i], self.held(i)) else { continue };
            if hold == Hold::Sticks || hold == Hold::Slides {
                let s = s / rows.impulse_scale[i];
                push_momentum(jacobian, change, jacobian.normal().scaled(s * rows.target[i]));
            }
        }
        self.factor.solve(*span, change);
    }

    /// Corrects the impulses and velocities of the selected island. `square_of` is the square of a velocity change of a
    /// body in the measure of its mass; `change` and `before` are scratch.
    #[inline(never)]
    pub fn correct<const NB: usize, const NC: usize, R: ContactRows>(
        &self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        island: usize,
        change: &mut [Velocity<T>; NB],
        before: &mut [Velocity<T>; NB],
        square_of: impl Fn(usize, &Velocity<T>) -> T,
    ) {
        self.correct_with(work, island, change, before, square_of, &mut []);
    }

    /// The same with joints.
    #[inline(always)]
    pub(super) fn correct_with<const NB: usize, const NC: usize, R: ContactRows>(
        &self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        island: usize,
        change: &mut [Velocity<T>; NB],
        before: &mut [Velocity<T>; NB],
        square_of: impl Fn(usize, &Velocity<T>) -> T,
        joints: &mut [JointRow<T>],
    ) {
        let Some(IslandFactor { span, .. }) = self.island.get(island) else { return };
        self.load(work, change);
        for row in joints.iter() {
            let (step, _) = row.damping(&work.velocity, &Velocity::ZERO);
            row.push_momentum(change, &step);
        }
        self.factor.solve(*span, change);
        let SolverWorkspace { islands, rows, jacobians, velocity, .. } = work;
        for body in islands.members() {
            before[body] = velocity[body];
        }
        let mut slope = T::ZERO;
        for i in rows.window() {
            let (jacobian, Some((hold, s))) = (&jacobians[i], self.held(i)) else { continue };
            let (a, b) = jacobian.bodies();
            let (Some(dv_a), Some(dv_b)) = (change.get(a), change.get(b)) else { continue };
            let (w, x) = (core::mem::replace(&mut rows.direction[i], rows.impulse[i]), rows.impulse[i]);
            let left = w.plus(&jacobian.approach(dv_a, dv_b).vector());
            let mut after = match hold {
                Hold::Sticks => rows.cone[i].clamp(&x.minus(&jacobian.along(&left).scaled(s))),
                Hold::Slides => sliding(&x, positive_part(x.x - s * jacobian.normal_of(&left))),
                Hold::Open | Hold::Unknown => x,
            };
            let mut step = after.minus(&x);
            let mut along = jacobian.along(&w).dot(&step) / rows.impulse_scale[i];
            if !along.is_finite() {
                // The factor overflowed.
                (after, step, along) = (x, Vector3::zeros(), T::ZERO);
            }
            slope += along;
            rows.impulse[i] = after;
            jacobian.push(velocity, T::Lanes3::of(&step));
        }
        let mut square = T::ZERO;
        for row in joints.iter_mut() {
            let [along, curvature] = row.take_step(change, before, velocity);
            slope += along;
            square += curvature;
        }
        for body in islands.members() {
            square += square_of(body, &velocity[body].minus(&before[body]));
        }
        let length = step_length(-slope / square);
        if length < T::ONE {
            shorten(work, before, length);
            joints.iter_mut().for_each(|row| row.shorten(length));
        }
    }
}

/// Adds what a contact of stiffness `s` does against the velocity `w`, in world axes, as far as it is held.
#[inline(always)]
fn push_back<T: Real, const NB: usize, R: ContactRows>(
    jacobian: &ContactJacobian<T, R>,
    (hold, s): (Hold, T),
    w: &T::Lanes3,
    momentum: &mut [Velocity<T>; NB],
) {
    let push = match hold {
        Hold::Sticks => w.scaled(-s),
        Hold::Slides => jacobian.normal().scaled(-s * jacobian.normal_of(&w.vector())),
        Hold::Open | Hold::Unknown => return,
    };
    push_momentum(jacobian, momentum, push);
}

/// Takes back all but a part of a step. The impulses before it are in the rows' directions.
fn shorten<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    work: &mut SolverWorkspace<T, NB, NC, R>,
    before: &[Velocity<T>; NB],
    length: T,
) {
    let SolverWorkspace { islands, rows, velocity, .. } = work;
    for body in islands.members() {
        let way = velocity[body].minus(&before[body]);
        velocity[body] = if length > T::ZERO { before[body].plus(&way.scaled(length)) } else { before[body] };
    }
    for i in rows.window() {
        let (x, after) = (rows.direction[i], rows.impulse[i]);
        rows.impulse[i] = if length > T::ZERO { x.plus(&after.minus(&x).scaled(length)) } else { x };
        rows.impulse[i].x = positive_part(rows.impulse[i].x);
    }
}

/// The step's length: the whole one if that is nearly the best, none if energy does not fall along it.
fn step_length<T: Real>(best: T) -> T {
    if best >= T::lit(0.9) {
        T::ONE
    } else if best >= T::lit(0.02) {
        best
    } else {
        T::ZERO
    }
}

/// An impulse on the rim of its cone with another normal part.
fn sliding<T: Real>(x: &Vector3<T>, normal: T) -> Vector3<T> {
    let scale = if x.x > T::ZERO { normal / x.x } else { T::ZERO };
    Vector3::new(normal, x.y * scale, x.z * scale)
}

/// Adds an impulse in world axes to the momenta of the bodies that move.
#[inline(always)]
fn push_momentum<T: Real, const NB: usize, R: ContactRows>(
    jacobian: &ContactJacobian<T, R>,
    momentum: &mut [Velocity<T>; NB],
    impulse: T::Lanes3,
) {
    let ((a, b), (a_moves, b_moves), (r_a, r_b)) = (jacobian.bodies(), jacobian.moves(), jacobian.arms());
    if a_moves && let Some(body) = momentum.get_mut(a) {
        body.linear = body.linear.minus(impulse);
        body.angular = body.angular.minus(r_a.cross_zxy(impulse).yzx());
    }
    if b_moves && let Some(body) = momentum.get_mut(b) {
        body.linear = body.linear.plus(impulse);
        body.angular = body.angular.plus(r_b.cross_zxy(impulse).yzx());
    }
}
