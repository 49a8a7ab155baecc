//! Newton's method on the natural map: the last digits, once sweeps have found which contacts stick and which slide.
//!
//! With `d = tr K/3`, `y = x − (u + μ‖u_t‖n)/d` and `Π` the derivative of the projection at `y`, the residual
//! `x − P(y)` is brought to zero by
//!
//! ```text
//! (I − Π + ε S d) dx + S C dx = P(y) − x,      S = Π E / d,   E = I + n (μ u_t/‖u_t‖)ᵀ
//! ```
//!
//! `ε` makes redundant contacts, whose impulses no equation determines, harmless. A step that does not reduce the
//! residual to 0.7 of its value is undone, and the method stops.
use nalgebra::{Matrix3, Vector3};

use crate::direct::contact_system::{ContactSystem, impulse_in_six, velocity_in_six};
use crate::direct::linear_system::Equation;
use crate::direct::workspace::{Stop, Workspace, restore};
use crate::local::cone::Cone;
use crate::local::moment_derivative::identity;
use crate::local::moment_law::{MomentLaw, Six};
use crate::math::real::Real;
use crate::math::square::product as square_product;
use crate::math::vector::{product, tangent_length};
use crate::problem::contact_rows::ContactRows;
use crate::sweep::moment_row::{Role, rows_of, six};

/// Maximum number of steps.
const STEPS: u32 = 5;
/// A step must reduce the residual to this fraction.
const WORTHWHILE: f64 = 0.7;

/// Takes steps from the present impulses as long as each reduces the residual enough; the answer is the best of them.
pub(crate) fn polish<T: Real, K: ContactRows>(
    problem: &mut dyn ContactSystem<T>,
    work: &mut Workspace<'_, '_, T>,
) -> Stop {
    let mut residual = problem.residual();
    let softness = work.equations.softness();
    for _ in 0..STEPS {
        if residual.is_below(work.tolerance) {
            return Stop::Solved;
        }
        if work.out_of_factorisations() {
            return Stop::NoProgress;
        }
        if work.deadline_passed() {
            return Stop::Deadline;
        }
        for i in 0..problem.len() {
            if let (Some(entry), Some(lines)) = (work.scratch.get_mut(i), work.equations.lines.get_mut(i..)) {
                entry.centre = problem.impulse(i);
                write_equation::<T, K>(problem, i, softness, lines);
            }
        }
        if !work.equations.factor::<K>(problem) {
            return Stop::NoProgress;
        }
        work.newton_steps = work.newton_steps.saturating_add(1);
        work.equations.solve::<K>(problem);
        for i in 0..problem.len() {
            if K::HAS_MOMENTS && problem.role(i) != Role::Alone {
                project_in_six(problem, work, i);
                continue;
            }
            let (Some(entry), Some(line)) = (work.scratch.get(i), work.equations.lines.get_mut(i)) else { break };
            line.step = problem.cone(i).project(&(entry.centre + line.step));
        }
        let lines = &*work.equations.lines;
        problem.set_impulses(&|i| lines.get(i).map_or_else(Vector3::zeros, |line| line.step));
        let after = problem.residual();
        if !(after.worst() <= T::lit(WORTHWHILE) * residual.worst()) {
            restore(problem, work.scratch, |entry| entry.centre);
            return Stop::NoProgress;
        }
        residual = after;
    }
    if residual.is_below(work.tolerance) { Stop::Solved } else { Stop::NoProgress }
}

/// Writes the equations of a contact at the present impulses, in its first row for both.
fn write_equation<T: Real, K: ContactRows>(
    problem: &dyn ContactSystem<T>,
    index: usize,
    softness: T,
    lines: &mut [Equation<T>],
) {
    if K::HAS_MOMENTS && problem.role(index) != Role::Alone {
        if let (Some(law), [first, second, ..]) = (problem.law(index), lines) {
            [*first, *second] = equation_in_six(problem, &law, index, softness);
        }
    } else if let Some(line) = lines.first_mut() {
        *line = equation(problem, index, softness);
    }
}

/// Both lines of a contact with moments.
fn equation_in_six<T: Real>(
    problem: &dyn ContactSystem<T>,
    law: &MomentLaw<T>,
    index: usize,
    softness: T,
) -> [Equation<T>; 2] {
    let (x, u) = (impulse_in_six(problem, index), velocity_in_six(problem, index));
    let (size, _) = problem.scales(index);
    let y = minus(&x, &law.shifted(&u).map(|part| part / size));
    let derivative = law.project_derivative(&y);
    let through = square_product(&derivative, &law.shift_derivative(&u)).map(|row| row.map(|entry| entry / size));
    let mut own = identity();
    for ((own, derivative), through) in own.iter_mut().zip(&derivative).zip(&through) {
        for ((own, derivative), through) in own.iter_mut().zip(derivative).zip(through) {
            *own += *through * (softness * size) - *derivative;
        }
    }
    Equation::pair(&own, &through, &minus(&law.project(&y), &x))
}

/// Difference of two vectors.
pub(crate) fn minus<T: Real>(a: &Six<T>, b: &Six<T>) -> Six<T> {
    let mut difference = *a;
    difference.iter_mut().zip(b).for_each(|(a, b)| *a -= *b);
    difference
}

/// Moves the impulses of a contact with moments after a step into its cone.
fn project_in_six<T: Real>(problem: &dyn ContactSystem<T>, work: &mut Workspace<'_, '_, T>, index: usize) {
    let (Some(law), Some([a, b, ..])) = (problem.law(index), work.scratch.get(index..)) else { return };
    if let Some([first, second, ..]) = work.equations.lines.get_mut(index..) {
        let x = law.project(&six(&(a.centre + first.step), &(b.centre + second.step)));
        (first.step, second.step) = rows_of(x);
    }
}

/// One contact's equation at the present impulses.
fn equation<T: Real>(problem: &dyn ContactSystem<T>, index: usize, softness: T) -> Equation<T> {
    let (cone, x, u) = (problem.cone(index), problem.impulse(index), problem.velocity(index));
    let (size, _) = problem.scales(index);
    let shifted = Vector3::new(u.x + cone.mu * tangent_length(&u), u.y, u.z);
    let y = x - shifted / size;
    let derivative = cone.project_derivative(&y);
    let through = product(&derivative, &shift_derivative(&cone, &u)) / size;
    let own = Matrix3::identity() - derivative + through * (softness * size);
    Equation::new(own, through, cone.project(&y) - x)
}

/// `E = I + n (μ u_t/‖u_t‖)ᵀ`.
pub(crate) fn shift_derivative<T: Real>(cone: &Cone<T>, u: &Vector3<T>) -> Matrix3<T> {
    let mut derivative = Matrix3::identity();
    let length = tangent_length(u);
    if length > T::ZERO {
        derivative.m12 = cone.mu * u.y / length;
        derivative.m13 = cone.mu * u.z / length;
    }
    derivative
}
