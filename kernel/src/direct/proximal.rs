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
use crate::direct::newton::{minus, shift_derivative};
use crate::direct::workspace::{Stop, Workspace, restore};
use crate::local::moment_derivative::identity;
use crate::local::moment_law::{MomentLaw, Six};
use crate::math::real::Real;
use crate::math::square::product as square_product;
use crate::math::vector::{product, tangent_length};
use crate::problem::contact_rows::ContactRows;
use crate::sweep::moment_row::{Role, rows_of, six};

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
pub(crate) fn solve<T: Real, K: ContactRows>(
    problem: &mut dyn ContactSystem<T>,
    work: &mut Workspace<'_, '_, T>,
) -> Stop {
    let smallest = T::lit(SMALLEST) * T::NEWTON_REGULARISATION;
    let mut alpha = T::lit(START);
    for _ in 0..PROBLEMS {
        let residual = problem.residual();
        work.keep(problem);
        if residual.is_below(work.tolerance) {
            return Stop::Solved;
        }
        let goal = T::lit(SHARE) * residual.worst() * residual.speed;
        match proximal_point::<T, K>(problem, work, alpha, goal) {
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
fn proximal_point<T: Real, K: ContactRows>(
    problem: &mut dyn ContactSystem<T>,
    work: &mut Workspace<'_, '_, T>,
    alpha: T,
    goal: T,
) -> End {
    for (i, entry) in work.scratch.iter_mut().enumerate().take(problem.len()) {
        (entry.centre, entry.p, entry.u) = (problem.impulse(i), problem.impulse(i), problem.velocity(i));
    }
    for steps in 0..=STEPS {
        let error = equations::<T, K>(problem, work, alpha);
        if error <= goal {
            accept::<T, K>(problem, work, alpha);
            return End::Solved { steps };
        }
        if work.out_of_factorisations() {
            return End::Stopped(Stop::NoProgress);
        }
        if work.deadline_passed() {
            return End::Stopped(Stop::Deadline);
        }
        if steps == STEPS || !direction::<T, K>(problem, work) || !walk::<T, K>(problem, work, alpha, error) {
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
fn equations<T: Real, K: ContactRows>(problem: &dyn ContactSystem<T>, work: &mut Workspace<'_, '_, T>, alpha: T) -> T {
    let mut sum = T::ZERO;
    let lines = work.equations.lines.iter_mut();
    for (i, (entry, line)) in work.scratch.iter().zip(lines).enumerate().take(problem.len()) {
        let (cone, (size, _)) = (problem.cone(i), problem.scales(i));
        if K::HAS_MOMENTS && problem.role(i) != Role::Alone {
            continue;
        }
        let y = argument(cone.mu, size, alpha, &entry.centre, &entry.u);
        let error = cone.project(&y) - entry.p;
        let derivative = product(&cone.project_derivative(&y), &shift_derivative(&cone, &entry.u));
        *line = Equation::new(Matrix3::identity(), derivative / (alpha * size), error);
        sum += (error * size).norm_squared();
    }
    if K::HAS_MOMENTS {
        for i in 0..problem.len() {
            sum += equations_in_six(problem, work, alpha, i);
        }
    }
    sum.sqrt_or_zero()
}

/// The same for both lines of a contact with moments, in its first row; returns the square of the error.
fn equations_in_six<T: Real>(
    problem: &dyn ContactSystem<T>,
    work: &mut Workspace<'_, '_, T>,
    alpha: T,
    index: usize,
) -> T {
    let (Some(law), Some([a, b, ..]), (size, _)) =
        (problem.law(index), work.scratch.get(index..), problem.scales(index))
    else {
        return T::ZERO;
    };
    let Some([first, second, ..]) = work.equations.lines.get_mut(index..) else { return T::ZERO };
    let u = six(&a.u, &b.u);
    let y = argument_in_six(&law, size, alpha, &six(&a.centre, &b.centre), &u);
    let error = minus(&law.project(&y), &six(&a.p, &b.p));
    let through = square_product(&law.project_derivative(&y), &law.shift_derivative(&u));
    let through = through.map(|row| row.map(|entry| entry / (alpha * size)));
    [*first, *second] = Equation::pair(&identity(), &through, &error);
    error.iter().fold(T::ZERO, |sum, part| sum + (*part * size) * (*part * size))
}

/// The argument of `P` of a contact with moments.
fn argument_in_six<T: Real>(law: &MomentLaw<T>, size: T, alpha: T, centre: &Six<T>, u: &Six<T>) -> Six<T> {
    minus(centre, &law.shifted(u).map(|part| part / (alpha * size)))
}

/// The norm of the error after a step of length `t`, m/s.
fn error_after<T: Real, K: ContactRows>(
    problem: &dyn ContactSystem<T>,
    work: &Workspace<'_, '_, T>,
    alpha: T,
    t: T,
) -> T {
    let mut sum = T::ZERO;
    for (i, entry) in work.scratch.iter().enumerate().take(problem.len()) {
        let (cone, (size, _)) = (problem.cone(i), problem.scales(i));
        if K::HAS_MOMENTS && problem.role(i) != Role::Alone {
            sum += error_in_six_after(problem, work, alpha, t, i);
            continue;
        }
        let y = argument(cone.mu, size, alpha, &entry.centre, &(entry.u + entry.du * t));
        sum += ((cone.project(&y) - entry.p - entry.dp * t) * size).norm_squared();
    }
    sum.sqrt_or_zero()
}

/// Its square for a contact with moments, in its first row.
fn error_in_six_after<T: Real>(
    problem: &dyn ContactSystem<T>,
    work: &Workspace<'_, '_, T>,
    alpha: T,
    t: T,
    index: usize,
) -> T {
    let (Some(law), Some([a, b, ..]), (size, _)) =
        (problem.law(index), work.scratch.get(index..), problem.scales(index))
    else {
        return T::ZERO;
    };
    let u = six(&(a.u + a.du * t), &(b.u + b.du * t));
    let y = argument_in_six(&law, size, alpha, &six(&a.centre, &b.centre), &u);
    let error = minus(&law.project(&y), &six(&(a.p + a.dp * t), &(b.p + b.dp * t)));
    error.iter().fold(T::ZERO, |sum, part| sum + (*part * size) * (*part * size))
}

/// Solves for a step; false where a pivot vanishes.
fn direction<T: Real, K: ContactRows>(problem: &mut dyn ContactSystem<T>, work: &mut Workspace<'_, '_, T>) -> bool {
    work.newton_steps = work.newton_steps.saturating_add(1);
    if !work.equations.factor::<K>(problem) {
        return false;
    }
    work.equations.solve::<K>(problem);
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
fn walk<T: Real, K: ContactRows>(
    problem: &mut dyn ContactSystem<T>,
    work: &mut Workspace<'_, '_, T>,
    alpha: T,
    error: T,
) -> bool {
    let mut t = T::ONE;
    for _ in 0..LENGTHS {
        if error_after::<T, K>(problem, work, alpha, t) <= (T::ONE - T::lit(DECREASE) * t) * error {
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
fn accept<T: Real, K: ContactRows>(problem: &mut dyn ContactSystem<T>, work: &mut Workspace<'_, '_, T>, alpha: T) {
    for (i, entry) in work.scratch.iter_mut().enumerate().take(problem.len()) {
        let (cone, (size, _)) = (problem.cone(i), problem.scales(i));
        if !K::HAS_MOMENTS || problem.role(i) == Role::Alone {
            entry.p = cone.project(&argument(cone.mu, size, alpha, &entry.centre, &entry.u));
        }
    }
    for i in (0..problem.len()).filter(|_| K::HAS_MOMENTS) {
        let (Some(law), (size, _)) = (problem.law(i), problem.scales(i)) else { continue };
        if let Some([a, b, ..]) = work.scratch.get_mut(i..) {
            let y = argument_in_six(&law, size, alpha, &six(&a.centre, &b.centre), &six(&a.u, &b.u));
            (a.p, b.p) = rows_of(law.project(&y));
        }
    }
    install(problem, work);
}

fn install<T: Real>(problem: &mut dyn ContactSystem<T>, work: &Workspace<'_, '_, T>) {
    restore(problem, work.scratch, |entry| entry.p);
}
