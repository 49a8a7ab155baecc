//! Taking every recorded frame again and comparing bit by bit: what each step begins with, the states of bodies after
//! it, and every row of every table.
//!
//! A run is a chain: its first step begins with the scene's bodies and joints, and every other one with the bodies and
//! the impulses of joints of the step before. The solves of a flight recorder's dump are compared one by one.

use std::path::Path;

use stiction::JointWork;

use super::again::{Again, AnyReport, Input, Machines, read};
use super::frame::{Began, Detail, Solve};
use super::history::{MOST_STOPS, history};
use super::joint_state::{append_work, taken_over};
use super::reading::Recording;
use super::recording::{HAS_HISTORY, RUN, labels};
use super::simulation::simulate;
use super::state::{STATE, bodies, first_difference};
use super::tables::Tables;

/// The result of a replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Playback {
    /// Every solve gave the recorded bits.
    Identical {
        /// How many solves there were.
        solves: u64,
        /// In how many frames.
        frames: u64,
        /// How many frames the scene has, which may be more.
        planned: u64,
    },
    /// The first difference.
    Differs {
        /// Its frame and substep, from 1; none for what belongs to the whole recording.
        at: Option<(u64, u64)>,
        /// Where: a body, one of its scalars, and the lowest differing bit; or a table, a row and a column.
        place: String,
    },
}

/// Why a replay ends early.
enum End {
    Differs(Option<(u64, u64)>, String),
    Damaged(String),
}

impl From<rusqlite::Error> for End {
    fn from(error: rusqlite::Error) -> Self {
        End::Damaged(error.to_string())
    }
}

/// Solves every frame of a recording again, up to the first difference. `progress` is called with the number of solves
/// done.
pub fn replay(path: &Path, mut progress: impl FnMut(u64)) -> Result<Playback, String> {
    let recording = Recording::open(path)?;
    let shown = path.display();
    match Replay::new(&recording).and_then(|mut replay| replay.all(&mut progress)) {
        Ok(playback) => Ok(playback),
        Err(End::Differs(at, place)) => Ok(Playback::Differs { at, place }),
        Err(End::Damaged(reason)) => Err(crate::json::one_line(&format!("{shown}: {reason}: it is damaged"))),
    }
}

/// One step or solve as it is in the file.
struct Recorded {
    frame: u64,
    substep: u64,
    blocks: Vec<u8>,
    states: Vec<u8>,
}

/// A replay in progress.
struct Replay<'a> {
    recording: &'a Recording,
    tables: Tables<'a>,
    machines: Machines,
    has_history: bool,
    /// What the next step of a run begins with; none for a dump.
    next: Option<Began>,
    solves: u64,
    frames: u64,
    /// The last frame and its last substep.
    last: (u64, u64),
    /// Of the present frame: the reports of its steps, the work of joints in them, and their length, s.
    reports: Vec<AnyReport>,
    joint_work: Option<JointWork<f64>>,
    seconds: f64,
}

impl<'a> Replay<'a> {
    fn new(recording: &'a Recording) -> Result<Self, End> {
        let (scene, precision) = (&recording.scene, recording.precision);
        for (key, computed) in labels(scene, precision) {
            let recorded = recording.about(key)?;
            if recorded != computed {
                return Err(End::Differs(None, format!("about, {key}: recorded {recorded}, computed {computed}")));
            }
        }
        let is_run = recording.about("kind")? == RUN;
        let next = if is_run {
            let mut simulation = simulate(scene, precision).map_err(End::Damaged)?;
            let first = simulation.step(Detail::Full).map_err(End::Damaged)?.solves.into_iter().next();
            Some(first.unwrap_or_default().began)
        } else {
            None
        };
        Ok(Replay {
            recording,
            tables: Tables::new(&recording.connection),
            machines: Machines::default(),
            has_history: recording.about("history")? == HAS_HISTORY,
            next,
            solves: 0,
            frames: 0,
            last: (0, 0),
            reports: Vec::new(),
            joint_work: None,
            seconds: 0.0,
        })
    }

    fn all(&mut self, progress: &mut dyn FnMut(u64)) -> Result<Playback, End> {
        if let Some(place) = self.tables.of_scene(&self.recording.scene)? {
            return Err(End::Differs(None, place));
        }
        let query = "SELECT frame, substep, blocks, states FROM solves ORDER BY frame, substep";
        let mut statement = self.recording.connection.prepare(query)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let recorded =
                Recorded { frame: row.get(0)?, substep: row.get(1)?, blocks: row.get(2)?, states: row.get(3)? };
            self.one(&recorded)?;
            progress(self.solves);
        }
        self.close_frame()?;
        if self.solves == 0 {
            return Err(End::Damaged("no solve in it".into()));
        }
        if let Some(table) = self.tables.with_more_rows()? {
            return Err(End::Damaged(format!("{table} has rows that belong to no solve")));
        }
        let planned =
            if self.next.is_some() { self.recording.scene.frames().map_err(End::Damaged)? } else { self.frames };
        Ok(Playback::Identical { solves: self.solves, frames: self.frames, planned })
    }

    /// Compares one step or solve.
    fn one(&mut self, recorded: &Recorded) -> Result<(), End> {
        self.follow(recorded)?;
        let at = (recorded.frame, recorded.substep);
        let place = |place: String| End::Differs(Some(at), place);
        let again = self.compute_again(recorded)?;
        if let Some(difference) = self.differs_in_input(&again) {
            return Err(place(difference));
        }
        // Dumps have a digest only.
        if !(recorded.states.is_empty() && self.next.is_none()) {
            let name = |body: usize| self.recording.body_name(body);
            let difference = first_difference(&recorded.states, &again.solve.states, &again.kind, &name);
            if let Some(difference) = difference {
                return Err(place(difference));
            }
        }
        if !again.same_digest {
            let and_moments = if again.solve.surfaces.is_empty() { "" } else { " and moments" };
            return Err(place(format!("the digest of all velocities{and_moments}")));
        }
        if let Some(difference) = self.tables.of_solve(at, &again.solve)? {
            return Err(place(difference));
        }
        self.solves += 1;
        if let Some(next) = &mut self.next {
            next.states = recorded.states.clone();
            (next.kept_joints, next.substep) = (again.solve.kept_joints, again.solve.began.substep);
            self.reports.extend(again.report);
            again.joint_work.iter().for_each(|work| append_work(&mut self.joint_work, work));
            self.seconds += again.solve.began.dt;
        }
        Ok(())
    }

    /// Frames and substeps of a run are counted from 1 without gaps.
    fn follow(&mut self, recorded: &Recorded) -> Result<(), End> {
        let (now, (frame, substep)) = ((recorded.frame, recorded.substep), self.last);
        if self.next.is_some() {
            if now == (frame + 1, 1) {
                self.close_frame()?;
            } else if now != (frame, substep + 1) || frame == 0 {
                return Err(End::Damaged(format!("after frame {frame}, substep {substep}, solves are missing")));
            }
        }
        self.frames += u64::from(recorded.frame != frame || self.solves == 0);
        self.last = now;
        Ok(())
    }

    fn compute_again(&mut self, recorded: &Recorded) -> Result<Compared, End> {
        let Recorded { frame, substep, blocks, .. } = recorded;
        let damaged = |reason: String| End::Damaged(format!("frame {frame}, substep {substep}: {reason}"));
        let (inputs, outcomes, rest) = read(blocks);
        if let Some(error) = rest {
            return Err(damaged(error.to_string()));
        }
        let ([input], [] | [_]) = (&inputs[..], &outcomes[..]) else {
            return Err(damaged("not one input and its outcome".into()));
        };
        let is_step = matches!(input, Input::Step(_));
        if self.next.is_some() && !(is_step && input.scalar_bytes() == self.recording.precision.bytes()) {
            return Err(damaged("not a step of this run".into()));
        }
        let outcome = outcomes.first();
        let run = self.machines.run(input, outcome.and_then(|outcome| outcome.stopped_at)).map_err(damaged)?;
        let Again { mut solve, digest, report, joint_work, .. } = run;
        if self.has_history {
            solve.history = history(blocks, &mut self.machines, MOST_STOPS).map_err(damaged)?.1;
        }
        let parts = if is_step { &STATE[..] } else { &STATE[7..] };
        Ok(Compared {
            solve,
            report,
            joint_work,
            kind: (input.scalar_bytes(), parts),
            same_digest: outcome.is_none_or(|outcome| outcome.digest == digest),
        })
    }

    /// What a step begins with, beside the scene and the step before.
    fn differs_in_input(&self, again: &Compared) -> Option<String> {
        let (next, began) = (self.next.as_ref()?, &again.solve.began);
        let name = |body: usize| self.recording.body_name(body);
        if next.settings != began.settings {
            return Some("the settings that the step begins with".into());
        }
        if next.constants != began.constants {
            return Some("masses, loads or surfaces that the step begins with".into());
        }
        if next.joints != began.joints {
            return Some("joints that the step begins with".into());
        }
        if let Some(place) = first_difference(&began.states, &next.states, &again.kind, &name) {
            return Some(format!("what the step begins with: {place}"));
        }
        let kept = taken_over(&next.kept_joints, (began.substep, next.substep), self.recording.precision);
        let joint = kept.iter().zip(&began.kept_joints).position(|(before, now)| before != now)?;
        Some(format!("what the step begins with: impulse or position of {}", self.recording.joint_name(joint)))
    }

    /// Compares the rows of the present frame of a run, if there is one.
    fn close_frame(&mut self) -> Result<(), End> {
        let (Some(next), (frame, 1..)) = (&self.next, self.last) else { return Ok(()) };
        let at = Some(self.last);
        let (scene, bytes) = (&self.recording.scene, self.recording.precision.bytes());
        // Single precision rounds the lengths of the parts.
        if (self.seconds - scene.dt).abs() > 1e-6 * scene.dt {
            return Err(End::Differs(at, format!("the length of its steps: {} s", self.seconds)));
        }
        let sum = AnyReport::sum(&std::mem::take(&mut self.reports));
        let sum = sum.ok_or_else(|| End::Damaged(format!("frame {frame} has no report")))?;
        let mut expected = sum.frame(frame, frame as f64 * scene.dt, bodies(scene, &next.states, bytes));
        expected.joint_work = self.joint_work.take().unwrap_or_default();
        self.seconds = 0.0;
        self.tables.of_frame(&expected)?.map_or(Ok(()), |place| Err(End::Differs(at, place)))
    }
}

/// The second result beside the recorded one.
struct Compared {
    solve: Solve,
    report: Option<AnyReport>,
    joint_work: Option<JointWork<f64>>,
    /// Bytes of a scalar, and the names of a body's scalars.
    kind: (usize, &'static [&'static str]),
    same_digest: bool,
}
