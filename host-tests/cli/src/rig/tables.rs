//! The tables of a recording beside what was computed again.

use std::collections::BTreeMap;

use rusqlite::Connection;
use rusqlite::types::Value;

use super::frame::{Frame, Solve};
use super::rows::{
    body_name_row, body_row, contact_row, frame_row, history_row, in_words, joint_name_row, joint_row, report_row,
    same, surface_row,
};
use super::scene::Scene;
use super::schema::{BODIES, BODY_NAMES, CONTACTS, FRAMES, HISTORY, JOINT_NAMES, JOINTS, REPORTS, SURFACES, Table};

/// Every table whose rows are computed again.
const COMPARED: [&Table; 9] =
    [&BODY_NAMES, &JOINT_NAMES, &CONTACTS, &SURFACES, &JOINTS, &REPORTS, &HISTORY, &BODIES, &FRAMES];

/// Compares rows, and counts those that were compared.
pub(super) struct Tables<'a> {
    connection: &'a Connection,
    compared: BTreeMap<&'static str, usize>,
}

impl<'a> Tables<'a> {
    pub fn new(connection: &'a Connection) -> Self {
        Tables { connection, compared: BTreeMap::new() }
    }

    /// The first difference in the names of bodies and joints, and in the bodies' constants.
    pub fn of_scene(&mut self, scene: &Scene) -> rusqlite::Result<Option<String>> {
        let bodies = scene.bodies.iter().enumerate().map(|(i, body)| body_name_row(i, body));
        let joints = scene.joints.iter().enumerate().map(|(i, joint)| joint_name_row(i, joint));
        self.first_of("TRUE", [(&BODY_NAMES, bodies.collect()), (&JOINT_NAMES, joints.collect())])
    }

    /// The first difference in the rows of a step or solve.
    pub fn of_solve(&mut self, (frame, substep): (u64, u64), solve: &Solve) -> rusqlite::Result<Option<String>> {
        let contacts = solve.contacts.iter().enumerate().map(|(i, row)| contact_row((frame, substep, i), row));
        let surfaces = solve.surfaces.iter().map(|row| surface_row((frame, substep), row));
        let joints = solve.joints.iter().enumerate().map(|(i, row)| joint_row((frame, substep, i), row));
        let reports = solve.reports.iter().enumerate().map(|(i, row)| report_row((frame, substep, i), row));
        let history = solve.history.iter().map(|row| history_row((frame, substep), row));
        let of = format!("frame = {frame} AND substep = {substep}");
        let expected = [
            (&CONTACTS, contacts.collect()),
            (&SURFACES, surfaces.collect()),
            (&JOINTS, joints.collect()),
            (&REPORTS, reports.collect()),
            (&HISTORY, history.collect()),
        ];
        self.first_of(&of, expected)
    }

    /// The first difference in the rows of a frame.
    pub fn of_frame(&mut self, frame: &Frame) -> rusqlite::Result<Option<String>> {
        let bodies = frame.bodies.iter().enumerate().map(|(i, state)| body_row((frame.number, i), state));
        let expected = [(&BODIES, bodies.collect()), (&FRAMES, vec![frame_row(frame)])];
        self.first_of(&format!("frame = {}", frame.number), expected)
    }

    /// A table that has rows which belong to no solve.
    pub fn with_more_rows(&self) -> rusqlite::Result<Option<&'static str>> {
        for table in COMPARED {
            let query = format!("SELECT count(*) FROM {}", table.name);
            let rows: usize = self.connection.query_row(&query, [], |row| row.get(0))?;
            if rows != self.compared.get(table.name).copied().unwrap_or(0) {
                return Ok(Some(table.name));
            }
        }
        Ok(None)
    }

    /// The first difference in several tables.
    fn first_of<const N: usize>(
        &mut self,
        of: &str,
        expected: [(&Table, Vec<Vec<Value>>); N],
    ) -> rusqlite::Result<Option<String>> {
        for (table, rows) in expected {
            let place = self.first_difference(table, of, rows)?;
            if place.is_some() {
                return Ok(place);
            }
        }
        Ok(None)
    }

    /// The first value of some rows of a table that is not the expected one.
    fn first_difference(
        &mut self,
        table: &Table,
        of: &str,
        expected: Vec<Vec<Value>>,
    ) -> rusqlite::Result<Option<String>> {
        *self.compared.entry(table.name).or_default() += expected.len();
        let (table, names) = (table.name, table.column_names());
        let query = format!("SELECT {} FROM {table} WHERE {of}", names.join(", "));
        // All tables are sorted by their keys.
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
