//! The methods side by side on one problem: the residual that each reaches for a given work.

use stiction::{MethodChoice, Real, Settings};

use crate::words::{method_name, status_name};

/// Cost of a factorisation in sweeps: on small islands and stacks it is seven to eleven.
pub const FACTORISATION: f64 = 10.0;

/// Caps at which plain and accelerated sweeps are stopped.
const BUDGETS: [u32; 10] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/// Tolerances that direct methods are stopped at.
const TOLERANCES: [f64; 10] = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10];

/// The result of a solve.
#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    /// Relative residual.
    pub residual: f64,
    /// Sweeps, Newton steps, interior-point steps.
    pub counts: [u32; 3],
    /// The method of the answer.
    pub method: stiction::Method,
    /// Why it ended.
    pub status: stiction::Status,
}

impl Outcome {
    /// Work in sweeps.
    pub fn work(&self) -> f64 {
        let [sweeps, newton, interior] = self.counts.map(f64::from);
        sweeps + FACTORISATION * (newton + interior)
    }
}

/// One method on the problem.
pub struct Course {
    /// Its name on the command line.
    pub name: &'static str,
    /// Results with increasing work.
    pub outcomes: Vec<Outcome>,
}

/// All methods on a problem that `solve` solves.
pub fn courses<T: Real, E>(solve: impl Fn(&Settings<T>) -> Result<Outcome, E>) -> Result<Vec<Course>, E> {
    let named = [
        (MethodChoice::Sweeps, "sweeps"),
        (MethodChoice::Accelerated, "accelerated"),
        (MethodChoice::Auto, "auto"),
        (MethodChoice::Direct, "direct"),
    ];
    let course = |(method, name)| {
        let settings = |sweeps, tolerance| Settings { method, sweeps, tolerance, ..Settings::default() };
        let swept = BUDGETS.iter().map(|sweeps| solve(&settings(*sweeps, T::ZERO)));
        let direct = TOLERANCES.iter().map(|tolerance| solve(&settings(50, T::lit(*tolerance))));
        let outcomes = if matches!(method, MethodChoice::Sweeps | MethodChoice::Accelerated) {
            swept.collect::<Result<_, E>>()?
        } else {
            direct.collect::<Result<_, E>>()?
        };
        Ok(Course { name, outcomes })
    };
    named.into_iter().map(course).collect()
}

/// A table of the courses: the least work to each residual, and where each ended.
pub fn table(courses: &[Course]) -> String {
    let mut out = format!(
        "{:<12} {:>8} {:>8} {:>8} {:>8}   {:>9} {:>7} {:>7} {:>9}  answer of\n",
        "method", "to 1e-2", "1e-4", "1e-6", "1e-8", "residual", "sweeps", "newton", "interior"
    );
    for course in courses {
        let Some(last) = course.outcomes.last() else { continue };
        out += &format!("{:<12}", course.name);
        for least in [1e-2, 1e-4, 1e-6, 1e-8] {
            let work = course.outcomes.iter().filter(|o| o.residual <= least).map(Outcome::work).reduce(f64::min);
            out += &format!(" {:>8}", work.map_or("-".into(), |work| format!("{work:.0}")));
        }
        let [sweeps, newton, interior] = last.counts;
        let (method, status) = (method_name(last.method), status_name(last.status));
        out += &format!("   {:>9.1e} {sweeps:>7} {newton:>7} {interior:>9}  {method}, {status}\n", last.residual);
    }
    out + &format!("\nWork to a residual in sweeps; a factorisation counts for {FACTORISATION}.\n")
}
