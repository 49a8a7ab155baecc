//! The summary file: the results of a run.

use std::collections::BTreeMap;

use serde::Serialize;

use super::frame::Frame;
use super::scene::Scene;
use super::simulation::Simulation;
use crate::words::{METHOD_COUNT, METHODS};

/// The summary file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs, reason = "the fields are the format's own")]
pub struct Summary {
    pub frames: u64,
    pub time: f64,
    pub bodies: Vec<BodySummary>,
    pub penetration: Penetration,
    pub energy: Energy,
    pub sweeps: Sweeps,
    pub residual: Spread,
    pub contacts: Contacts,
    pub methods: BTreeMap<&'static str, u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<JointSummary>,
    pub digest: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs, reason = "the fields are the format's own")]
pub struct JointSummary {
    pub name: String,
    pub error: f64,
    pub position: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(missing_docs, reason = "the fields are the format's own")]
pub struct BodySummary {
    pub name: String,
    pub position: [f64; 3],
    pub orientation: [f64; 4],
    pub linear: [f64; 3],
    pub angular: [f64; 3],
}

/// m.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[allow(missing_docs, reason = "the fields are the format's own")]
pub struct Penetration {
    pub max: f64,
    #[serde(rename = "final")]
    pub last: f64,
}

/// J.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[allow(missing_docs, reason = "the fields are the format's own")]
pub struct Energy {
    pub initial: f64,
    #[serde(rename = "final")]
    pub last: f64,
    pub largest_gain_in_a_step: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[allow(missing_docs, reason = "the fields are the format's own")]
pub struct Sweeps {
    pub mean: f64,
    pub max: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[allow(missing_docs, reason = "the fields are the format's own")]
pub struct Spread {
    pub mean: f64,
    pub max: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[allow(missing_docs, reason = "the fields are the format's own")]
pub struct Contacts {
    pub max: usize,
    pub left_out: usize,
}

/// Adds frames up.
pub struct Tally {
    frames: u64,
    time: f64,
    penetration: Penetration,
    energy: Energy,
    sweeps: (u64, u32),
    residual: (f64, f64),
    contacts: Contacts,
    methods: [u64; METHOD_COUNT],
    /// The largest error of each joint.
    joints: Vec<f64>,
}

impl Tally {
    /// An empty sum.
    pub fn new(simulation: &dyn Simulation) -> Self {
        let initial = simulation.energy();
        Tally {
            frames: 0,
            time: 0.0,
            penetration: Penetration::default(),
            energy: Energy { initial, last: initial, largest_gain_in_a_step: 0.0 },
            sweeps: (0, 0),
            residual: (0.0, 0.0),
            contacts: Contacts::default(),
            methods: [0; METHOD_COUNT],
            joints: vec![0.0; simulation.joints().len()],
        }
    }

    /// How many frames were added.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Adds a frame.
    pub fn add(&mut self, frame: &Frame) {
        self.frames = frame.number;
        self.time = frame.time;
        self.penetration.max = self.penetration.max.max(frame.report.depth);
        self.penetration.last = frame.report.depth;
        let gain = frame.report.ledger.change();
        self.energy.largest_gain_in_a_step = self.energy.largest_gain_in_a_step.max(gain);
        self.energy.last = frame.energy();
        self.sweeps = (self.sweeps.0 + u64::from(frame.report.sweeps), self.sweeps.1.max(frame.report.sweeps));
        self.residual = (self.residual.0 + frame.report.residual, self.residual.1.max(frame.report.residual));
        self.contacts.max = self.contacts.max.max(frame.report.contacts);
        self.contacts.left_out += frame.report.contacts_left_out;
        for (worst, joint) in self.joints.iter_mut().zip(&frame.joints) {
            *worst = worst.max(joint.error);
        }
        for (total, count) in self.methods.iter_mut().zip(frame.methods) {
            *total += count;
        }
    }

    /// The summary of all frames that were added.
    pub fn summary(&self, scene: &Scene, simulation: &dyn Simulation) -> Summary {
        let frames = self.frames.max(1) as f64;
        let body = |(i, state): (usize, super::world::BodyState)| {
            let q = state.orientation.quaternion();
            BodySummary {
                name: scene.bodies[i].name(i),
                position: state.position.into(),
                orientation: [q.w, q.i, q.j, q.k],
                linear: state.linear.into(),
                angular: state.angular.into(),
            }
        };
        Summary {
            frames: self.frames,
            time: self.time,
            bodies: simulation.bodies().into_iter().enumerate().map(body).collect(),
            penetration: self.penetration,
            energy: self.energy,
            sweeps: Sweeps { mean: self.sweeps.0 as f64 / frames, max: self.sweeps.1 },
            residual: Spread { mean: self.residual.0 / frames, max: self.residual.1 },
            contacts: self.contacts,
            methods: (METHODS.iter().zip(self.methods))
                .filter(|(_, count)| *count > 0)
                .map(|((_, name), count)| (*name, count))
                .collect(),
            joints: (simulation.joints().iter().zip(&self.joints).zip(&scene.joints).enumerate())
                .map(|(i, ((state, error), joint))| JointSummary {
                    name: joint.name(i),
                    error: *error,
                    position: state.position,
                })
                .collect(),
            digest: format!("{:016x}", simulation.digest()),
        }
    }
}
