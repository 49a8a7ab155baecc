//! Rows of a recording's tables: as they are written, as a replay expects them, and read back. Each pair of functions
//! has the order of the table's columns in `schema.rs`.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use rusqlite::types::{FromSql, Type, Value};
use stiction::{JointWork, Surface, Tread};

use super::frame::{ContactRow, Diagnosis, Frame, JointRow, ReportRow, SurfaceRow, empty_report};
use super::history::Stopped;
use super::joint_state::JointState;
use super::joints::{SceneJoint, kind_of};
use super::scene::SceneBody;
use super::world::BodyState;
use crate::words::{method_name, method_of, recorded_state, recorded_status, state_of, status_of};

/// The values of a row, in the order of its columns.
#[derive(Default)]
struct Row(Vec<Value>);

impl Row {
    fn integers(mut self, values: &[u64]) -> Self {
        self.0.extend(values.iter().map(|value| Value::Integer(*value as i64)));
        self
    }

    fn reals(mut self, values: &[f64]) -> Self {
        self.0.extend(values.iter().map(|value| Value::Real(*value)));
        self
    }

    fn vectors(self, values: &[Vector3<f64>]) -> Self {
        values.iter().fold(self, |row, v| row.reals(v.as_slice()))
    }

    fn text(mut self, value: &str) -> Self {
        self.0.push(Value::Text(value.into()));
        self
    }

    fn flags(self, values: &[bool]) -> Self {
        values.iter().fold(self, |row, value| row.integers(&[u64::from(*value)]))
    }

    fn nulls(mut self, count: usize) -> Self {
        self.0.extend(std::iter::repeat_n(Value::Null, count));
        self
    }

    fn optional_integer(self, value: Option<u64>) -> Self {
        if let Some(value) = value { self.integers(&[value]) } else { self.nulls(1) }
    }
}

/// The values of a row that is read, one after the other.
struct Cells<'a> {
    row: &'a rusqlite::Row<'a>,
    at: usize,
}

impl<'a> Cells<'a> {
    fn after_key(row: &'a rusqlite::Row<'a>, key: usize) -> Self {
        Cells { row, at: key }
    }

    fn next<V: FromSql>(&mut self) -> rusqlite::Result<V> {
        let value = self.row.get(self.at);
        self.at += 1;
        value
    }

    fn array<V: FromSql + Default + Copy, const N: usize>(&mut self) -> rusqlite::Result<[V; N]> {
        let mut values = [V::default(); N];
        for value in &mut values {
            *value = self.next()?;
        }
        Ok(values)
    }

    fn vector(&mut self) -> rusqlite::Result<Vector3<f64>> {
        Ok(Vector3::from(self.array::<f64, 3>()?))
    }

    fn word<K>(&mut self, meaning: impl Fn(&str) -> Option<K>) -> rusqlite::Result<K> {
        let word: String = self.next()?;
        let unknown = || format!("the word '{word}' is unknown").into();
        meaning(&word).ok_or_else(|| rusqlite::Error::FromSqlConversionFailure(self.at - 1, Type::Text, unknown()))
    }
}

/// The row of `frames`.
pub(super) fn frame_row(frame: &Frame) -> Vec<Value> {
    let report = &frame.report;
    let (ledger, direct, factor) = (&report.ledger, &report.direct, &report.factor);
    let row = Row::default().integers(&[frame.number]).reals(&[frame.time]).text(recorded_status(report.status));
    let row = row.reals(&[
        ledger.kinetic_after,
        ledger.potential_after,
        ledger.load,
        ledger.integration,
        ledger.bounce,
        ledger.normal,
        ledger.friction,
        ledger.position_correction,
    ]);
    let JointWork { motor, spring, friction, stored_after, .. } = frame.joint_work;
    let row = row.reals(&[motor, spring, friction, stored_after]);
    let sizes = [report.contacts, report.contacts_left_out, report.warm_started, report.kept, report.islands];
    let row = row.integers(&sizes.map(|size| size as u64));
    let counts = [
        report.sweeps,
        direct.newton_steps,
        direct.interior_steps,
        factor.factors,
        factor.corrections,
        factor.changed,
        report.safe_blocks,
    ];
    let row = row.integers(&counts.map(u64::from)).reals(&[report.residual, report.closing_speed, report.depth]);
    let flags = [report.bounce_dropped, direct.memory_too_small, factor.memory_too_small, report.passivity_guard];
    row.flags(&flags).0
}

/// A frame of its row, without bodies and solves.
pub(super) fn frame_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<Frame> {
    let mut cells = Cells::after_key(row, 1);
    let mut report = empty_report();
    let time = cells.next()?;
    report.status = cells.word(status_of)?;
    let ledger = &mut report.ledger;
    (ledger.kinetic_after, ledger.potential_after) = (cells.next()?, cells.next()?);
    (ledger.kinetic_before, ledger.potential_before) = (ledger.kinetic_after, ledger.potential_after);
    (ledger.load, ledger.integration, ledger.bounce) = (cells.next()?, cells.next()?, cells.next()?);
    (ledger.normal, ledger.friction, ledger.position_correction) = (cells.next()?, cells.next()?, cells.next()?);
    let [motor, spring, friction, stored] = cells.array()?;
    let joint_work = JointWork { motor, spring, friction, stored_before: stored, stored_after: stored };
    (report.contacts, report.contacts_left_out) = (cells.next()?, cells.next()?);
    (report.warm_started, report.kept, report.islands) = (cells.next()?, cells.next()?, cells.next()?);
    report.sweeps = cells.next()?;
    (report.direct.newton_steps, report.direct.interior_steps) = (cells.next()?, cells.next()?);
    let factor = &mut report.factor;
    (factor.factors, factor.corrections, factor.changed) = (cells.next()?, cells.next()?, cells.next()?);
    report.safe_blocks = cells.next()?;
    (report.residual, report.closing_speed, report.depth) = (cells.next()?, cells.next()?, cells.next()?);
    report.bounce_dropped = cells.next()?;
    (report.direct.memory_too_small, report.factor.memory_too_small) = (cells.next()?, cells.next()?);
    report.passivity_guard = cells.next()?;
    let (bodies, solves) = (Vec::new(), Vec::new());
    Ok(Frame { solves, joint_work, ..Frame::of_parts(row.get(0)?, time, report, bodies) })
}

/// A row of `bodies`, by frame and body.
pub(super) fn body_row((frame, body): (u64, usize), state: &BodyState) -> Vec<Value> {
    let q = state.orientation.quaternion();
    let row = Row::default().integers(&[frame, body as u64]).vectors(&[state.position]);
    row.reals(&[q.w, q.i, q.j, q.k]).vectors(&[state.linear, state.angular]).0
}

/// A body of its row.
pub(super) fn body_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<BodyState> {
    let mut cells = Cells::after_key(row, 2);
    let position = cells.vector()?;
    let [w, i, j, k] = cells.array()?;
    let orientation = UnitQuaternion::new_unchecked(Quaternion::new(w, i, j, k));
    Ok(BodyState { position, orientation, linear: cells.vector()?, angular: cells.vector()? })
}

/// A row of `contacts`, by frame, substep and contact.
pub(super) fn contact_row(key: (u64, u64, usize), contact: &ContactRow) -> Vec<Value> {
    let row = Row::default().integers(&[key.0, key.1, key.2 as u64, contact.island as u64]);
    let row = row.optional_integer(contact.feature.map(u64::from)).integers(&contact.bodies.map(|body| body as u64));
    let row = row.vectors(&contact.vectors).reals(&contact.numbers);
    let row = if let Some(speed) = contact.pre_impact { row.reals(&[speed]) } else { row.nulls(1) };
    let row = row.text(recorded_state(contact.state, contact.numbers[2]));
    let row = match contact.diagnosis.block {
        Some((coupling, condition, replaced)) => row.reals(&[coupling, condition]).flags(&[replaced]),
        None => row.nulls(3),
    };
    match contact.diagnosis.sliding {
        Some((direction, frames)) => row.vectors(&[direction]).integers(&[u64::from(frames)]),
        None => row.nulls(4),
    }
    .0
}

/// A contact of its row.
pub(super) fn contact_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<ContactRow> {
    let mut cells = Cells::after_key(row, 3);
    let (island, feature, bodies) = (cells.next()?, cells.next()?, cells.array()?);
    let mut vectors = [Vector3::zeros(); 5];
    for vector in &mut vectors {
        *vector = cells.vector()?;
    }
    let (numbers, pre_impact, state) = (cells.array()?, cells.next()?, cells.word(state_of)?);
    let [coupling, condition]: [Option<f64>; 2] = cells.array()?;
    let replaced: Option<bool> = cells.next()?;
    let [x, y, z]: [Option<f64>; 3] = cells.array()?;
    let frames: Option<u8> = cells.next()?;
    let diagnosis = Diagnosis {
        block: coupling.zip(condition).zip(replaced).map(|((coupling, condition), is)| (coupling, condition, is)),
        sliding: x.zip(y).zip(z).map(|((x, y), z)| Vector3::new(x, y, z)).zip(frames),
    };
    Ok(ContactRow { island, feature, bodies, vectors, numbers, pre_impact, state, diagnosis })
}

/// A row of `surfaces`, by frame and substep.
pub(super) fn surface_row(key: (u64, u64), row: &SurfaceRow) -> Vec<Value> {
    let SurfaceRow { contact, surface, moment, reached } = row;
    let values = Row::default().integers(&[key.0, key.1, *contact as u64]).reals(&[surface.torsion, surface.rolling]);
    let values = values.flags(&[surface.is_joined]);
    let values = match surface.tread {
        Some(Tread { direction, mu_across }) => values.vectors(&[direction]).reals(&[mu_across]),
        None => values.nulls(4),
    };
    values.vectors(&[surface.warm_moment, *moment]).flags(reached).0
}

/// A surface of its row.
pub(super) fn surface_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<SurfaceRow> {
    let mut cells = Cells::after_key(row, 2);
    let (contact, [torsion, rolling], is_joined) = (cells.next()?, cells.array()?, cells.next()?);
    let [x, y, z, mu_across]: [Option<f64>; 4] = cells.array()?;
    let direction = x.zip(y).zip(z).map(|((x, y), z)| Vector3::new(x, y, z));
    let tread = direction.zip(mu_across).map(|(direction, mu_across)| Tread { direction, mu_across });
    let surface = Surface { torsion, rolling, tread, is_joined, warm_moment: cells.vector()? };
    Ok(SurfaceRow { contact, surface, moment: cells.vector()?, reached: cells.array()? })
}

/// A row of `joints`, by frame, substep and joint.
pub(super) fn joint_row(key: (u64, u64, usize), joint: &JointRow) -> Vec<Value> {
    let JointState { error, position, anchors } = joint.state;
    let row = Row::default().integers(&[key.0, key.1, key.2 as u64]).text(joint.kind);
    let row = row.integers(&joint.bodies.map(|body| body as u64)).vectors(&anchors).reals(&[position, error]);
    row.flags(&[joint.is_at_limit]).vectors(&joint.impulses).reals(&[joint.seconds]).0
}

/// A joint of its row.
pub(super) fn joint_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<JointRow> {
    let mut cells = Cells::after_key(row, 3);
    let (kind, bodies, anchors) = (cells.word(kind_of)?, cells.array()?, [cells.vector()?, cells.vector()?]);
    let [position, error] = cells.array()?;
    Ok(JointRow {
        kind,
        bodies,
        state: JointState { error, position, anchors },
        is_at_limit: cells.next()?,
        impulses: [cells.vector()?, cells.vector()?],
        seconds: cells.next()?,
    })
}

/// A row of `joint_names`.
pub(super) fn joint_name_row(at: usize, joint: &SceneJoint) -> Vec<Value> {
    Row::default().integers(&[at as u64]).text(&joint.name(at)).0
}

/// A row of `reports`, by frame, substep and island.
pub(super) fn report_row(key: (u64, u64, usize), report: &ReportRow) -> Vec<Value> {
    let row = Row::default().integers(&[key.0, key.1, key.2 as u64]);
    let row = row.text(recorded_status(report.status)).text(method_name(report.method));
    let row = row.integers(&report.counts.map(u64::from)).reals(&report.numbers);
    row.optional_integer(report.worst_contact.map(|contact| contact as u64)).flags(&report.flags).0
}

/// A report of its row.
pub(super) fn report_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<ReportRow> {
    let mut cells = Cells::after_key(row, 3);
    Ok(ReportRow {
        status: cells.word(status_of)?,
        method: cells.word(method_of)?,
        counts: cells.array()?,
        numbers: cells.array()?,
        worst_contact: cells.next()?,
        flags: cells.array()?,
    })
}

/// A row of `history`, by frame and substep.
pub(super) fn history_row(key: (u64, u64), at: &Stopped) -> Vec<Value> {
    let row = Row::default().integers(&[key.0, key.1, at.island as u64, u64::from(at.stop), u64::from(at.sweeps)]);
    row.reals(&[at.residual, at.approach, at.impulse_change]).0
}

/// A point of the history of its row.
pub(super) fn history_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<Stopped> {
    let mut cells = Cells::after_key(row, 2);
    let (island, stop, sweeps) = (cells.next()?, cells.next()?, cells.next()?);
    let [residual, approach, impulse_change] = cells.array()?;
    Ok(Stopped { island, stop, sweeps, residual, approach, impulse_change })
}

/// A row of `body_names`.
pub(super) fn body_name_row(at: usize, body: &SceneBody) -> Vec<Value> {
    let centre = body.shape.solid().map_or_else(|_| Vector3::zeros(), |solid| solid.center);
    let row = Row::default().integers(&[at as u64]).text(&body.name(at));
    row.reals(&[body.mass.map_or(0.0, |mass| 1.0 / mass)]).vectors(&[centre]).0
}

/// Whether two values have the same bits. SQLite does not keep the sign of zero.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Real(one), Value::Real(other)) => one.to_bits() == other.to_bits() || (*one == 0.0 && *other == 0.0),
        (one, other) => one == other,
    }
}

/// A value in words.
pub(super) fn in_words(value: &Value) -> String {
    match value {
        Value::Null => "nothing".into(),
        Value::Integer(value) => value.to_string(),
        Value::Real(value) => value.to_string(),
        Value::Text(value) => value.clone(),
        Value::Blob(bytes) => format!("{} bytes", bytes.len()),
    }
}
