//! Taking every recorded frame again and comparing bit by bit: the states of bodies first, then every row of every
//! table.

use std::path::Path;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use rusqlite::Connection;
use rusqlite::types::Value;

use super::again::{Again, AnyReport, Input, Machines, read};
use super::frame::{Frame, Solve};
use super::history::history;
use super::reading::{about, open};
use super::recording::{HAS_HISTORY, failed};
use super::rows::{body_row, contact_row, frame_row, history_row, in_words, report_row, same};
use super::schema::{BODIES, CONTACTS, FRAMES, HISTORY, REPORTS, Table};
use super::world::BodyState;

/// The result of a replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Playback {
    /// Every solve gave the recorded bits.
    Identical {
        /// How many solves there were.
        solves: u64,
        /// In how many frames.
        frames: u64,
    },
    /// The first solve that did not.
    Differs {
        /// Its frame and substep, from 1.
        at: (u64, u64),
        /// Where: a body, one of its scalars, and the lowest differing bit; or a table, a row and a column.
        place: String,
    },
}

/// One step or solve as it is in the file.
struct Recorded {
    frame: u64,
    substep: u64,
    blocks: Vec<u8>,
    states: Vec<u8>,
}

/// Solves every frame of a recording again, up to the first difference. `progress` is called with the number of frames
/// done.
pub fn replay(path: &Path, mut progress: impl FnMut(u64)) -> Result<Playback, String> {
    let shown = path.display().to_string();
    let fails = |error: rusqlite::Error| failed(&shown, &error);
    let connection = open(path)?;
    let names = body_names(&connection).map_err(fails)?;
    let count = |query: &str| connection.query_row(query, [], |row| row.get::<_, u64>(0));
    let planned = count("SELECT count(*) FROM frames").map_err(fails)?;
    let imported = names.is_empty() && planned == 0;
    let mut statement = connection
        .prepare("SELECT frame, substep, blocks, states FROM solves ORDER BY frame, substep")
        .map_err(fails)?;
    let rows = statement
        .query_map([], |row| {
            Ok(Recorded { frame: row.get(0)?, substep: row.get(1)?, blocks: row.get(2)?, states: row.get(3)? })
        })
        .map_err(fails)?;
    let has_history = about(&connection, "history").map_err(fails)? == HAS_HISTORY;
    let tables = Tables { connection: &connection, centres: centres(&connection).map_err(fails)? };
    let dt = time_step(&connection).map_err(|reason| format!("{shown}: {reason}"))?;
    let (mut solves, mut frames, mut machines) = (0, FrameSum::default(), Machines::default());
    for row in rows {
        let recorded = row.map_err(fails)?;
        let (frame, substep) = (recorded.frame, recorded.substep);
        let differs = |place: String| Ok(Playback::Differs { at: (frame, substep), place });
        let closed = if imported { None } else { frames.close_before(frame, dt, &tables).map_err(fails)? };
        if let Some((done, place)) = closed {
            return Ok(Playback::Differs { at: done, place });
        }
        let again = compute_again(&recorded, has_history, &mut machines)
            .map_err(|reason| format!("{shown}: frame {frame}, substep {substep}: {reason}"))?;
        if let Some(place) = first_difference(&recorded, &again, &names, imported) {
            return differs(place);
        }
        if let Some(place) = tables.of_solve((frame, substep), &again.solve).map_err(fails)? {
            return differs(place);
        }
        solves += 1;
        frames.add(&recorded, again);
        progress(solves);
    }
    if !imported {
        if let Some((done, place)) = frames.close_before(u64::MAX, dt, &tables).map_err(fails)? {
            return Ok(Playback::Differs { at: done, place });
        }
        if frames.count != planned || frames.last != planned {
            return Err(format!("{shown}: {planned} frames, but solves of {}: it is damaged", frames.count));
        }
    }
    let frames = frames.count;
    Ok(Playback::Identical { solves, frames })
}

/// The second result beside the recorded one.
struct Compared {
    solve: Solve,
    report: Option<AnyReport>,
    scalar_bytes: usize,
    is_step: bool,
    same_digest: bool,
}

fn compute_again(recorded: &Recorded, has_history: bool, machines: &mut Machines) -> Result<Compared, String> {
    let (inputs, outcomes, rest) = read(&recorded.blocks);
    if let Some(error) = rest {
        return Err(error.to_string());
    }
    let (input, outcome) = (inputs.last().ok_or("no input recorded")?, outcomes.last());
    let Again { mut solve, digest, report, .. } =
        machines.run(input, outcome.and_then(|outcome| outcome.stopped_at))?;
    if has_history {
        solve.history = history(&recorded.blocks, machines)?;
    }
    Ok(Compared {
        solve,
        report,
        scalar_bytes: input.scalar_bytes(),
        is_step: matches!(input, Input::Step(_)),
        same_digest: outcome.is_none_or(|outcome| outcome.digest == digest),
    })
}

fn first_difference(recorded: &Recorded, again: &Compared, names: &[String], imported: bool) -> Option<String> {
    // Imported dumps have a digest only.
    if recorded.states.is_empty() && imported {
        return (!again.same_digest).then(|| "the digest of all velocities".into());
    }
    if recorded.states.len() != again.solve.states.len() {
        return Some("the number of velocities".into());
    }
    let pairs = recorded.states.chunks(again.scalar_bytes).zip(again.solve.states.chunks(again.scalar_bytes));
    let (at, (then, now)) = pairs.enumerate().find(|(_, (then, now))| then != now)?;
    let bit = then.iter().zip(now).enumerate().find_map(|(byte, (a, b))| {
        let difference = a ^ b;
        (difference != 0).then(|| 8 * byte + difference.trailing_zeros() as usize)
    })?;
    let parts = if again.is_step { &STATE[..] } else { &STATE[7..] };
    let (part, body) = (parts[at % parts.len()], at / parts.len());
    let name = names.get(body).map_or_else(|| format!("body {body}"), Clone::clone);
    Some(format!("{part} of {name}, bit {bit}"))
}

/// The scalars of a body after a step; the last six are those after a solve.
const STATE: [&str; 13] = [
    "position.x",
    "position.y",
    "position.z",
    "orientation.x",
    "orientation.y",
    "orientation.z",
    "orientation.w",
    "linear.x",
    "linear.y",
    "linear.z",
    "angular.x",
    "angular.y",
    "angular.z",
];

fn body_names(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    connection.prepare("SELECT name FROM body_names ORDER BY body")?.query_map([], |row| row.get(0))?.collect()
}

/// What the rows of a frame are compared with: its steps so far, and the bodies after the last one.
#[derive(Default)]
struct FrameSum {
    /// Frames done, and the number of the present one.
    count: u64,
    last: u64,
    substep: u64,
    reports: Vec<AnyReport>,
    states: Vec<f64>,
}

impl FrameSum {
    fn add(&mut self, recorded: &Recorded, again: Compared) {
        if self.last != recorded.frame {
            self.count += 1;
        }
        (self.last, self.substep) = (recorded.frame, recorded.substep);
        let scalars = recorded.states.chunks_exact(again.scalar_bytes);
        self.states = scalars.map(|bytes| scalar(bytes).unwrap_or(f64::NAN)).collect();
        self.reports.extend(again.report);
    }

    /// Compares the present frame's own rows if the next solve is of another one; the place of the first difference.
    fn close_before(
        &mut self,
        next: u64,
        dt: f64,
        tables: &Tables<'_>,
    ) -> rusqlite::Result<Option<((u64, u64), String)>> {
        if self.last == next || self.last == 0 {
            return Ok(None);
        }
        let place = match AnyReport::sum(&std::mem::take(&mut self.reports)) {
            Some(sum) => tables.of_frame(&sum.frame(self.last, self.last as f64 * dt, tables.bodies(&self.states)))?,
            None => None,
        };
        Ok(place.map(|place| ((self.last, self.substep), place)))
    }
}

fn scalar(bytes: &[u8]) -> Option<f64> {
    match bytes.len() {
        4 => Some(f64::from(f32::from_le_bytes(bytes.try_into().ok()?))),
        _ => Some(f64::from_le_bytes(bytes.try_into().ok()?)),
    }
}

/// The tables of a recording beside what was computed.
struct Tables<'a> {
    connection: &'a Connection,
    /// Centres of mass in body axes, m.
    centres: Vec<Vector3<f64>>,
}

impl Tables<'_> {
    /// The bodies as the scene sees them, from 13 scalars each.
    fn bodies(&self, states: &[f64]) -> Vec<BodyState> {
        let of = |(s, centre): (&[f64], &Vector3<f64>)| {
            let orientation = UnitQuaternion::new_unchecked(Quaternion::new(s[6], s[3], s[4], s[5]));
            BodyState {
                position: Vector3::new(s[0], s[1], s[2]) + orientation * -centre,
                orientation,
                linear: Vector3::new(s[7], s[8], s[9]),
                angular: Vector3::new(s[10], s[11], s[12]),
            }
        };
        states.chunks_exact(STATE.len()).zip(&self.centres).map(of).collect()
    }

    fn of_solve(&self, (frame, substep): (u64, u64), solve: &Solve) -> rusqlite::Result<Option<String>> {
        let contacts = solve.contacts.iter().enumerate().map(|(i, row)| contact_row((frame, substep, i), row));
        let reports = solve.reports.iter().enumerate().map(|(i, row)| report_row((frame, substep, i), row));
        let history = solve.history.iter().enumerate().map(|(i, row)| history_row((frame, substep, i + 1), row));
        let expected = [(&CONTACTS, contacts.collect()), (&REPORTS, reports.collect()), (&HISTORY, history.collect())];
        self.first_of((frame, Some(substep)), expected)
    }

    fn of_frame(&self, frame: &Frame) -> rusqlite::Result<Option<String>> {
        let bodies = frame.bodies.iter().enumerate().map(|(i, state)| body_row((frame.number, i), state));
        self.first_of((frame.number, None), [(&BODIES, bodies.collect()), (&FRAMES, vec![frame_row(frame)])])
    }

    /// The first difference in several tables.
    fn first_of<const N: usize>(
        &self,
        key: (u64, Option<u64>),
        expected: [(&Table, Vec<Vec<Value>>); N],
    ) -> rusqlite::Result<Option<String>> {
        for (table, rows) in expected {
            let place = self.first_difference(table, key, rows)?;
            if place.is_some() {
                return Ok(place);
            }
        }
        Ok(None)
    }

    /// The first value of a table's rows of a frame that is not the expected one.
    fn first_difference(
        &self,
        table: &Table,
        (frame, substep): (u64, Option<u64>),
        expected: Vec<Vec<Value>>,
    ) -> rusqlite::Result<Option<String>> {
        let only = substep.map_or(String::new(), |substep| format!(" AND substep = {substep}"));
        // All tables are sorted by their keys.
        let (table, names) = (table.name, table.column_names());
        let query = format!("SELECT {} FROM {table} WHERE frame = {frame}{only}", names.join(", "));
        let mut statement = self.connection.prepare_cached(&query)?;
        let mut rows = statement.query([])?;
        let mut expected = expected.into_iter().enumerate();
        while let Some(row) = rows.next()? {
            let Some((at, values)) = expected.next() else { return Ok(Some(format!("{table}: a row too many"))) };
            for (column, value) in values.iter().enumerate() {
                let recorded: Value = row.get(column)?;
                if !same(&recorded, value) {
                    let (name, then, now) = (names[column], in_words(&recorded), in_words(value));
                    return Ok(Some(format!("{table}, row {at}, {name}: recorded {then}, computed {now}")));
                }
            }
        }
        Ok(expected.next().map(|(at, _)| format!("{table}: row {at} is missing")))
    }
}

fn centres(connection: &Connection) -> rusqlite::Result<Vec<Vector3<f64>>> {
    let mut statement = connection.prepare("SELECT cx, cy, cz FROM body_names ORDER BY body")?;
    let rows = statement.query_map([], |row| Ok(Vector3::new(row.get(0)?, row.get(1)?, row.get(2)?)))?;
    rows.collect()
}

fn time_step(connection: &Connection) -> Result<f64, String> {
    let text = about(connection, "dt").map_err(|error| error.to_string())?;
    text.parse().map_err(|_| format!("about.dt: {text}"))
}
