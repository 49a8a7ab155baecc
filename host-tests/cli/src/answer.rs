//! The JSON form of an answer. Numbers are printed so that reading them back gives the same bits, in either precision.

use nalgebra::{SVector, Vector3};
use serde::Serialize;
use stiction::{ContactOutcome, Coupling, Real};

use stiction_testkit::capacity::{DelassusSolved, Solved};
use stiction_testkit::fc3d::Fc3d;
use stiction_testkit::rfc3d::Rfc3d;

use crate::words::{method_name, recorded_status, state_name, status_name};

/// Answer to bodies and contacts.
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "fields of the report, under the published names of the file format")]
pub struct Answer {
    pub status: &'static str,
    pub reason: &'static str,
    pub sweeps: u32,
    pub method: &'static str,
    pub newton_steps: u32,
    pub interior_steps: u32,
    pub cramped: bool,
    pub bounce_sweeps: u32,
    pub bounce_missing: f64,
    pub bounce_dropped: bool,
    pub residual: ResidualAnswer,
    pub energy_before: f64,
    pub energy_after: f64,
    pub bounce_work: f64,
    pub contact_work: f64,
    pub friction_work: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction_work_by: Option<ByMotion<f64>>,
    pub bias_work: f64,
    pub passivity_guard: bool,
    pub safe_blocks: u32,
    pub bodies: Vec<BodyAnswer>,
    pub contacts: Vec<ContactAnswer<3>>,
}

/// Answer to a problem in Delassus form.
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "fields of the report, under the published names of the file format")]
pub struct DelassusAnswer {
    pub status: &'static str,
    pub reason: &'static str,
    pub sweeps: u32,
    pub method: &'static str,
    pub newton_steps: u32,
    pub interior_steps: u32,
    pub cramped: bool,
    pub residual: PublishedResidual,
    pub work: f64,
    pub passivity_guard: bool,
    pub safe_blocks: u32,
    pub contacts: Vec<ContactAnswer<2>>,
}

/// Three values, one for each motion that friction resists.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct ByMotion<V> {
    /// Of the contact point along the surface.
    pub sliding: V,
    /// About the normal.
    pub spinning: V,
    /// About the tangents.
    pub rolling: V,
}

/// Residuals.
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "fields of the report, under the published names of the file format")]
pub struct ResidualAnswer {
    pub natural: f64,
    pub scale: f64,
    pub approach: f64,
    pub cone: f64,
    pub worst_contact: Option<usize>,
}

/// Residuals in their published form, evaluated in double precision on the problem as stored.
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "fields of the report, under the published names of the file format")]
pub struct PublishedResidual {
    pub natural_rel_q: f64,
    pub unit_rel_q: f64,
    /// Only with rolling friction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub siconos: Option<f64>,
    pub natural: f64,
    pub scale: f64,
    pub approach: f64,
    pub cone: f64,
    pub worst_contact: Option<usize>,
}

/// A body after a solve.
#[derive(Debug, Serialize)]
pub struct BodyAnswer {
    /// Linear velocity, m/s.
    pub linear: [f64; 3],
    /// Angular velocity, rad/s.
    pub angular: [f64; 3],
    /// Mean force of contacts over the step, N.
    pub force: [f64; 3],
    /// Mean torque of contacts over the step, about the centre of mass, N m.
    pub torque: [f64; 3],
    /// The velocity that corrects its position; zero unless split impulses are chosen.
    pub correction: Correction,
}

/// A velocity that corrects a position for one step.
#[derive(Debug, Serialize)]
pub struct Correction {
    /// m/s.
    pub linear: [f64; 3],
    /// rad/s.
    pub angular: [f64; 3],
}

/// Impulses of a contact, N s. Friction is a world vector on B, or `[t1, t2]` in Delassus form.
#[derive(Debug, Serialize)]
pub struct ContactAnswer<const N: usize> {
    /// Normal impulse of the bounce.
    pub bounce: f64,
    /// Normal impulse of the contact phase.
    pub normal: f64,
    /// Friction impulse.
    #[serde(with = "arrays")]
    pub tangent: [f64; N],
    /// Moment, N m s: a world vector on B, or `[r1, r2]` in Delassus form. Only where the problem has moments.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "arrays::serialize_some")]
    pub moment: Option<[f64; N]>,
    /// Whether friction is at its bound. Only where the problem has moments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached: Option<ByMotion<bool>>,
    /// `open`, `stick` or `slide`.
    pub state: &'static str,
    /// Normal velocity per friction impulse, relative to normal velocity per normal impulse.
    pub coupling: f64,
    /// Condition number of its 3×3 block.
    pub condition: f64,
    /// Whether its block was singular or indefinite up to rounding: a safe one was used instead.
    pub block_replaced: bool,
}

mod arrays {
    use serde::{Serialize, Serializer};

    pub fn serialize<S: Serializer, const N: usize>(values: &[f64; N], serializer: S) -> Result<S::Ok, S::Error> {
        values.as_slice().serialize(serializer)
    }

    pub fn serialize_some<S: Serializer, const N: usize>(
        values: &Option<[f64; N]>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        values.as_ref().map(<[f64; N]>::as_slice).serialize(serializer)
    }
}

fn array<T: Real>(v: &Vector3<T>) -> [f64; 3] {
    [v.x.to_f64(), v.y.to_f64(), v.z.to_f64()]
}

impl Answer {
    /// The answer of a solve.
    pub fn new<T: Real>(solved: &Solved<T>) -> Self {
        let report = &solved.report;
        Answer {
            status: status_name(report.status),
            reason: recorded_status(report.status),
            sweeps: report.sweeps,
            method: method_name(report.method),
            newton_steps: report.direct.newton_steps,
            interior_steps: report.direct.interior_steps,
            cramped: report.direct.memory_too_small,
            bounce_sweeps: report.bounce_sweeps,
            bounce_missing: report.bounce_missing.to_f64(),
            bounce_dropped: report.bounce_dropped,
            residual: ResidualAnswer {
                natural: report.residual.natural.to_f64(),
                scale: report.residual.scale.to_f64(),
                approach: report.residual.closing_speed.to_f64(),
                cone: report.residual.cone.to_f64(),
                worst_contact: report.residual.worst_contact,
            },
            energy_before: report.energy_before.to_f64(),
            energy_after: report.energy_after.to_f64(),
            bounce_work: report.bounce_work.to_f64(),
            contact_work: report.contact_work.to_f64(),
            friction_work: report.friction_work.to_f64(),
            friction_work_by: solved.friction_work.map(|work| ByMotion {
                sliding: work.sliding.to_f64(),
                spinning: work.spinning.to_f64(),
                rolling: work.rolling.to_f64(),
            }),
            bias_work: report.bias_work.to_f64(),
            passivity_guard: report.passivity_guard,
            safe_blocks: report.safe_blocks,
            bodies: bodies(solved),
            contacts: contacts(solved),
        }
    }
}

fn bodies<T: Real>(solved: &Solved<T>) -> Vec<BodyAnswer> {
    let of_contacts = solved.wrenches.iter().zip(&solved.corrections);
    (solved.velocities.iter().zip(of_contacts))
        .map(|((linear, angular), (wrench, correction))| BodyAnswer {
            linear: array(linear),
            angular: array(angular),
            force: array(&wrench.force),
            torque: array(&wrench.torque),
            correction: Correction { linear: array(&correction.linear), angular: array(&correction.angular) },
        })
        .collect()
}

fn contacts<T: Real>(solved: &Solved<T>) -> Vec<ContactAnswer<3>> {
    let answer = |(i, (c, coupling)): (usize, (&ContactOutcome<T>, &Coupling<T>))| ContactAnswer {
        bounce: c.bounce_impulse.to_f64(),
        normal: c.normal_impulse.to_f64(),
        tangent: array(&c.tangent_impulse),
        moment: solved.moments.get(i).map(array),
        reached: solved.reached.get(i).map(|&[sliding, spinning, rolling]| ByMotion { sliding, spinning, rolling }),
        state: state_name(c.state),
        coupling: coupling.normal_tangent_ratio.to_f64(),
        condition: coupling.condition.to_f64(),
        block_replaced: coupling.is_replaced,
    };
    solved.contacts.iter().zip(&solved.couplings).enumerate().map(answer).collect()
}

impl DelassusAnswer {
    /// The answer of a solve.
    pub fn new<T: Real>(problem: &Fc3d, solved: &DelassusSolved<T>) -> Self {
        let impulses = solved.impulses.iter().map(|x| x.map(T::to_f64)).collect::<Vec<_>>();
        let (natural_rel_q, unit_rel_q) = problem.published_residuals(&impulses);
        Self::of(solved, &impulses, [natural_rel_q, unit_rel_q], None)
    }

    /// The answer of a solve with rolling friction.
    pub fn with_rolling<T: Real>(problem: &Rfc3d, solved: &DelassusSolved<T, 5>) -> Self {
        let impulses = solved.impulses.iter().map(|x| x.map(T::to_f64)).collect::<Vec<_>>();
        let residuals = problem.published_residuals(&impulses);
        Self::of(solved, &impulses, [residuals.natural_rel_q, residuals.unit_rel_q], Some(residuals.siconos))
    }

    fn of<T: Real, const ROWS: usize>(
        solved: &DelassusSolved<T, ROWS>,
        impulses: &[SVector<f64, ROWS>],
        [natural_rel_q, unit_rel_q]: [f64; 2],
        siconos: Option<f64>,
    ) -> Self {
        let report = &solved.report;
        DelassusAnswer {
            status: status_name(report.status),
            reason: recorded_status(report.status),
            sweeps: report.sweeps,
            method: method_name(report.method),
            newton_steps: report.direct.newton_steps,
            interior_steps: report.direct.interior_steps,
            cramped: report.direct.memory_too_small,
            residual: PublishedResidual {
                natural_rel_q,
                unit_rel_q,
                siconos,
                natural: report.residual.natural.to_f64(),
                scale: report.residual.scale.to_f64(),
                approach: report.residual.closing_speed.to_f64(),
                cone: report.residual.cone.to_f64(),
                worst_contact: report.residual.worst_contact,
            },
            work: report.work.to_f64(),
            passivity_guard: report.passivity_guard,
            safe_blocks: report.safe_blocks,
            contacts: impulses
                .iter()
                .zip(solved.states.iter().zip(&solved.couplings))
                .map(|(x, (state, coupling))| ContactAnswer {
                    bounce: 0.0,
                    normal: x[0],
                    tangent: [x[1], x[2]],
                    moment: x.as_slice().get(3..).and_then(|moments| moments.try_into().ok()),
                    reached: None,
                    state: state_name(*state),
                    coupling: coupling.normal_tangent_ratio.to_f64(),
                    condition: coupling.condition.to_f64(),
                    block_replaced: coupling.is_replaced,
                })
                .collect(),
        }
    }
}
