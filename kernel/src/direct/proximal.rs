//! Proximal points: the problem with a little compliance around the present impulses, solved by Newton's method, again
//! and again with less compliance. Slower than interior points, but it solves nearly every problem.
//!
//! With `d = tr K/3`, present impulses `x` and a number `α`, find the impulses `p` with
//!
//! ```text
//! p = P(x − (u + μ‖u_t‖n)/(α d)),      u = C p + q
//! ```
//!
//! where `P` projects onto the cone. Each contact has a spring of compliance `αd`, relaxed at `x`. So the impulses of
//! redundant contacts are determined, and with a large `α` contacts hardly act on each other. If `p = x`, the springs
//! are relaxed and `x` solves the problem itself. Newton's method, with `Π` the derivative of `P`:
//!
//! ```text
//! dp + S C dp = P(…) − p,      S = Π E/(α d),   E = I + n (μ u_t/‖u_t‖)ᵀ
//! ```
//!
//! Its step is halved until the error `P(…) − p` decreases. Where that fails, `x` stays and `α` grows; where it takes a
//! few steps, `p` replaces `x` and `α` shrinks, so that the last digits come fast. There is no proof that it converges,
//! because friction makes the problem non-convex; the number of factorisations is bounded.
use nalgebra::{Matrix3, Vector3};

use crate::direct::contact_system::ContactSystem;
use crate::direct::linear_system::Equation;
use crate::direct::newton::shift_derivative;
use crate::direct::workspace::{Stop, Workspace, restore};
use crate::math::real::Real;
use crate::math::vector::{product, tangent_length};

/// The first `α`.
const START: f64 = 1e-2;
/// The smallest `α`, in regularisations of Newton's method, and the largest.
const SMALLEST: f64 = 100.0;
const LARGEST: f64 = 10.0;
/// Factors of `α` after a failure and after a success in at most `FEW` steps.
const GROW: f64 = 5.0;
const SHRINK: f64 = 0.4;
const FEW: u32 = 3;
/// A proximal problem is solved when its error is below this fraction of the whole problem's.
const SHARE: f64 = 0.3;
/// Newton steps on one proximal problem, and trial lengths of one step.
const STEPS: u32 = 10;
const LENGTHS: u32 = 4;
/// A step of length `t` must decrease the error by this fraction of `t`.
const DECREASE: f64 = 0.3;
/// Proximal problems; the number of factorisations ends most solves earlier.
const PROBLEMS: u32 = 2000;

/// How one proximal problem ended.
enum End {
    Solved { steps: u32 },
    Failed,
    Stopped(Stop),
}

/// Goes from the present impulses to a solution, if it can. The best impulses are in the scratch.
pub(crate) fn solve<T: Real>(problem: &mut dyn ContactSystem<T>, work: &mut Workspace<'_, '_, T>) -> Stop {
    let smallest = T::lit(SMALLEST) * T::NEWTON_REGULARISATION;
    let mut alpha = T::lit(START);
    for _ in 0..PROBLEMS {
        let residual = problem.residual();
        work.keep(problem);
        if residual.is_below(work.tolerance) {
            return Stop::Solved;
        }
        let goal = T::lit(SHARE) * residual.worst() * residual.speed;
        match proximal_point(problem, work, alpha, goal) {
            End::Solved { steps } if steps <= FEW => alpha *= T::lit(SHRINK),
            End::Solved { .. } => {}
            End::Failed => alpha *= T::lit(GROW),
            End::Stopped(stop) => return stop,
        }
        if !(alpha > smallest) {
            alpha = smallest;
        }
        if alpha > T::lit(LARGEST) {
            alpha = T::lit(LARGEST);
        }
    }
    Stop::NoProgress
}

/// Solves one proximal problem and sets its impulses; if it fails, the impulses are those before.
fn proximal_point<T: Real>(
    problem: &mut dyn ContactSystem<T>,
    work: &mut Workspace<'_, '_, T>,
    alpha: T,
    goal: T,
) -> End {
    for (i, entry) in work.scratch.iter_mut().enumerate().take(problem.len()) {
        (entry.centre, entry.p, entry.u) = (problem.impulse(i), problem.impulse(i), problem.velocity(i));
    }
    for steps in 0..=STEPS {
        let error = equations(problem, work, alpha);
        if error <= goal {
            accept(problem, work, alpha);
            return End::Solved { steps };
        }
        if work.out_of_factorisations() {
            return End::Stopped(Stop::NoProgress);
        }
        if work.deadline_passed() {
            return End::Stopped(Stop::Deadline);
        }
        if steps == STEPS || !direction(problem, work) || !walk(problem, work, alpha, error) {
            break;
        }
    }
    restore(problem, work.scratch, |entry| entry.centre);
    End::Failed
}

/// The argument of `P`, in the unit of impulses.
fn argument<T: Real>(mu: T, size: T, alpha: T, centre: &Vector3<T>, u: &Vector3<T>) -> Vector3<T> {
    centre - Vector3::new(u.x + mu * tangent_length(u), u.y, u.z) / (alpha * size)
}

/// Writes the equations of Newton's method at the present `p`; returns the norm of the error, m/s.
fn equations<T: Real>(problem: &dyn ContactSystem<T>, work: &mut Workspace<'_, '_, T>, alpha: T) -> T {
    let mut sum = T::ZERO;
    let lines = work.equations.lines.iter_mut();
    for (i, (entry, line)) in work.scratch.iter().zip(lines).enumerate().take(problem.len()) {
        let (cone, (size, _)) = (problem.cone(i), problem.scales(i));
        let y = argument(cone.mu, size, alpha, &entry.centre, &entry.u);
        let error = cone.project(&y) - entry.p;
        let derivative = product(&cone.project_derivative(&y), &shift_derivative(&cone, &entry.u));
        *line = Equation::new(Matrix3::identity(), derivative / (alpha * size), error);
        sum += (error * size).norm_squared();
    }
    sum.sqrt_or_zero()
}

/// The norm of the error after a step of length `t`, m/s.
fn error_after<T: Real>(problem: &dyn ContactSystem<T>, work: &Workspace<'_, '_, T>, alpha: T, t: T) -> T {
    let mut sum = T::ZERO;
    for (i, entry) in work.scratch.iter().enumerate().take(problem.len()) {
        let (cone, (size, _)) = (problem.cone(i), problem.scales(i));
        let y = argument(cone.mu, size, alpha, &entry.centre, &(entry.u + entry.du * t));
        sum += ((cone.project(&y) - entry.p - entry.dp * t) * size).norm_squared();
    }
    sum.sqrt_or_zero()
}

/// Solves for a step; false where a pivot vanishes.
fn direction<T: Real>(problem: &mut dyn ContactSystem<T>, work: &mut Workspace<'_, '_, T>) -> bool {
    work.newton_steps = work.newton_steps.saturating_add(1);
    if !work.equations.factor(problem) {
        return false;
    }
    work.equations.solve(problem);
    for (entry, line) in work.scratch.iter_mut().zip(&*work.equations.lines).take(problem.len()) {
        entry.dp = line.step;
    }
    restore(problem, work.scratch, |entry| entry.p + entry.dp);
    for (i, entry) in work.scratch.iter_mut().enumerate().take(problem.len()) {
        entry.du = problem.velocity(i) - entry.u;
    }
    true
}

/// Goes along a step as far as the error decreases enough; false if it does not.
fn walk<T: Real>(problem: &mut dyn ContactSystem<T>, work: &mut Workspace<'_, '_, T>, alpha: T, error: T) -> bool {
    let mut t = T::ONE;
    for _ in 0..LENGTHS {
        if error_after(problem, work, alpha, t) <= (T::ONE - T::lit(DECREASE) * t) * error {
            work.scratch.iter_mut().take(problem.len()).for_each(|entry| entry.p += entry.dp * t);
            install(problem, work);
            for (i, entry) in work.scratch.iter_mut().enumerate().take(problem.len()) {
                entry.u = problem.velocity(i);
            }
            return true;
        }
        t *= T::HALF;
    }
    false
}

/// Sets the impulses to those of the proximal problem, which are inside their cones.
fn accept<T: Real>(problem: &mut dyn ContactSystem<T>, work: &mut Workspace<'_, '_, T>, alpha: T) {
    for (i, entry) in work.scratch.iter_mut().enumerate().take(problem.len()) {
        let (cone, (size, _)) = (problem.cone(i), problem.scales(i));
        entry.p = cone.project(&argument(cone.mu, size, alpha, &entry.centre, &entry.u));
    }
    install(problem, work);
}

fn install<T: Real>(problem: &mut dyn ContactSystem<T>, work: &Workspace<'_, '_, T>) {
    restore(problem, work.scratch, |entry| entry.p);
}
