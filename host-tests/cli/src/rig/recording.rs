//! Recordings: SQLite files, written frame by frame in transactions. The schema is described in `docs/recording.md`.
//!
//! Frames are committed in batches. However the process ends, committed frames can be read, and there is never a
//! partial frame: SQLite recovers from its journal when the file is opened next. Others may read during the recording.
//! When it is finished the journal is gone and only the file remains.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, params, params_from_iter};

use super::again::Machines;
use super::frame::{Frame, Solve};
use super::history::{MOST_STOPS, history};
use super::rows::{
    body_name_row, body_row, contact_row, frame_row, history_row, joint_name_row, joint_row, report_row, surface_row,
};
use super::run::Output;
use super::scene::Scene;
use super::schema;
use super::simulation::{Precision, on_large_stack};

/// Application id that marks a database as a recording: "STIC".
pub const APPLICATION_ID: i32 = 0x5354_4943;
/// Version of the schema that is written and read.
pub const VERSION: i32 = 5;
/// The value of `history` in the table `about` where histories are recorded.
pub(super) const HAS_HISTORY: &str = "yes";
/// Values of `kind` in the table `about`.
pub(super) const RUN: &str = "run";
const DUMP: &str = "dump";
/// Frames that are committed together.
const BATCH: u32 = 30;

/// A recording being written.
pub struct Recorder {
    connection: Connection,
    path: String,
    waiting: u32,
    committed: u64,
    /// Computes histories, where they are requested.
    machines: Option<Machines>,
}

/// What the table `about` repeats of the scene and the precision.
pub(super) fn labels(scene: &Scene, precision: Precision) -> [(&'static str, String); 3] {
    [
        ("precision", precision.name().to_string()),
        ("dt", scene.dt.to_string()),
        ("substeps", scene.substeps.to_string()),
    ]
}

/// One line about a database's failure.
pub(super) fn failed(path: &str, error: &rusqlite::Error) -> String {
    crate::json::one_line(&format!("{path}: {error}"))
}

impl Recorder {
    /// Begins a recording in a new file. An existing file is not changed.
    pub fn create(path: &Path, title: &str, scene: &Scene, precision: Precision) -> Result<Self, String> {
        Self::create_for(&Output { path: path.into(), has_history: false }, title, scene, precision)
    }

    /// Begins a recording. Histories take as many times as long as a step has sweeps.
    pub fn create_for(output: &Output, title: &str, scene: &Scene, precision: Precision) -> Result<Self, String> {
        scene.validate_recordable()?;
        Self::create_kind(RUN, output, title, scene, precision)
    }

    fn create_kind(
        kind: &str,
        output: &Output,
        title: &str,
        scene: &Scene,
        precision: Precision,
    ) -> Result<Self, String> {
        let Output { path, has_history } = output;
        let shown = path.display().to_string();
        // Created first, so that SQLite opens this file, not a special name and not another process's file.
        std::fs::OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => format!("{shown}: is there already; recordings are not overwritten"),
            _ => format!("{shown}: {error}"),
        })?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = std::path::absolute(path)
            .map_err(|error| format!("{shown}: {error}"))
            .and_then(|path| Connection::open_with_flags(path, flags).map_err(|error| failed(&shown, &error)))?;
        let recorder = Recorder {
            connection,
            path: shown,
            waiting: 0,
            committed: 0,
            machines: has_history.then(Machines::default),
        };
        recorder.set_up(kind, title, scene, precision).map_err(|error| failed(&recorder.path, &error))?;
        Ok(recorder)
    }

    fn set_up(&self, kind: &str, title: &str, scene: &Scene, precision: Precision) -> rusqlite::Result<()> {
        let connection = &self.connection;
        // Losing the last batch in a power failure is acceptable, a corrupt file is not.
        connection.execute_batch(&format!(
            "PRAGMA foreign_keys = ON; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN; PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION};"
        ))?;
        connection.execute_batch(&schema::sql())?;
        let text = serde_json::to_string(scene).unwrap_or_default();
        let about = [
            ("kind", kind.to_string()),
            ("title", title.to_string()),
            ("history", if self.machines.is_some() { HAS_HISTORY } else { "no" }.to_string()),
            ("scene", text),
            ("stiction", env!("CARGO_PKG_VERSION").to_string()),
        ];
        for (key, value) in about.into_iter().chain(labels(scene, precision)) {
            connection.execute("INSERT INTO about VALUES (?1, ?2)", params![key, value])?;
        }
        for (i, body) in scene.bodies.iter().enumerate() {
            insert(connection, "body_names", body_name_row(i, body))?;
        }
        for (i, joint) in scene.joints.iter().enumerate() {
            insert(connection, "joint_names", joint_name_row(i, joint))?;
        }
        connection.execute_batch("COMMIT")
    }

    /// Begins a recording of a flight recorder's solves, which has no scene.
    pub(super) fn create_for_dump(path: &Path, precision: Precision) -> Result<Self, String> {
        let scene = Scene::parse("{\"bodies\": []}")?;
        let output = Output { path: path.into(), has_history: false };
        Self::create_kind(DUMP, &output, "flight recorder", &scene, precision)
    }

    /// Adds a single solve as a frame.
    pub(super) fn add_solve(&mut self, frame: u64, solve: &Solve) -> Result<(), String> {
        let mut insert = || {
            if self.waiting == 0 {
                self.connection.execute_batch("BEGIN")?;
            }
            insert_solve(&self.connection, frame, 1, solve)?;
            self.waiting += 1;
            Ok(())
        };
        insert().map_err(|error| failed(&self.path, &error))
    }

    /// Limits the file to a number of pages, as a full disk would. For tests.
    pub fn limit_pages(&self, pages: u32) -> Result<(), String> {
        let limit = self.connection.pragma_update(None, "max_page_count", pages);
        limit.map_err(|error| failed(&self.path, &error))
    }

    /// Adds a frame; every thirtieth commits.
    pub fn add(&mut self, frame: &Frame) -> Result<(), String> {
        let with_histories = self.machines.as_mut().map(|machines| with_histories(frame, machines)).transpose()?;
        let frame = with_histories.as_ref().unwrap_or(frame);
        self.insert(frame).map_err(|error| {
            // Committed frames stay; the open batch is discarded.
            let _ = self.connection.execute_batch("ROLLBACK");
            format!("{}; {} frames are in it", failed(&self.path, &error), self.committed)
        })
    }

    fn insert(&mut self, frame: &Frame) -> rusqlite::Result<()> {
        if self.waiting == 0 {
            self.connection.execute_batch("BEGIN")?;
        }
        insert(&self.connection, "frames", frame_row(frame))?;
        for (body, state) in frame.bodies.iter().enumerate() {
            insert(&self.connection, "bodies", body_row((frame.number, body), state))?;
        }
        for (substep, solve) in frame.solves.iter().enumerate() {
            insert_solve(&self.connection, frame.number, substep + 1, solve)?;
        }
        self.waiting += 1;
        if self.waiting >= BATCH { self.commit(frame.number) } else { Ok(()) }
    }

    fn commit(&mut self, upto: u64) -> rusqlite::Result<()> {
        self.connection.execute_batch("COMMIT")?;
        self.waiting = 0;
        self.committed = upto;
        Ok(())
    }

    /// Commits the open batch.
    pub fn finish(mut self) -> Result<(), String> {
        if self.waiting > 0 {
            let upto = self.committed + u64::from(self.waiting);
            self.commit(upto).map_err(|error| failed(&self.path, &error))?;
        }
        // One file, if no reader keeps the journal open.
        let _ = self.connection.pragma_update(None, "journal_mode", "DELETE");
        Ok(())
    }
}

/// A frame with the histories of its steps.
fn with_histories(frame: &Frame, machines: &mut Machines) -> Result<Frame, String> {
    let mut frame = frame.clone();
    on_large_stack(|| {
        for solve in &mut frame.solves {
            solve.history = history(&solve.blocks, machines, MOST_STOPS)?.1;
        }
        Ok(())
    })?;
    Ok(frame)
}

/// Adds a row to a table.
fn insert(connection: &Connection, table: &str, row: Vec<Value>) -> rusqlite::Result<()> {
    let places = vec!["?"; row.len()].join(",");
    connection.prepare_cached(&format!("INSERT INTO {table} VALUES ({places})"))?.execute(params_from_iter(row))?;
    Ok(())
}

/// Adds a solve with its contacts, surfaces, joints and reports.
pub(super) fn insert_solve(connection: &Connection, frame: u64, substep: usize, solve: &Solve) -> rusqlite::Result<()> {
    let key = [frame as i64, substep as i64].map(Value::Integer);
    let bytes = [&solve.blocks, &solve.states].map(|bytes| Value::Blob(bytes.clone()));
    insert(connection, "solves", [key, bytes].concat())?;
    for (i, contact) in solve.contacts.iter().enumerate() {
        insert(connection, "contacts", contact_row((frame, substep as u64, i), contact))?;
    }
    for surface in &solve.surfaces {
        insert(connection, "surfaces", surface_row((frame, substep as u64), surface))?;
    }
    for (i, joint) in solve.joints.iter().enumerate() {
        insert(connection, "joints", joint_row((frame, substep as u64, i), joint))?;
    }
    for (i, report) in solve.reports.iter().enumerate() {
        insert(connection, "reports", report_row((frame, substep as u64, i), report))?;
    }
    for stopped in &solve.history {
        insert(connection, "history", history_row((frame, substep as u64), stopped))?;
    }
    Ok(())
}
