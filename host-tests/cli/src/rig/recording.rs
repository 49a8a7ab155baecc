//! Recordings: SQLite files, written frame by frame in transactions. The schema is described in `docs/recording.md`.
//!
//! Frames are committed in batches. However the process ends, committed frames can be read, and there is never a
//! partial frame: SQLite recovers from its journal when the file is opened next. Others may read during the recording.
//! When it is finished the journal is gone and only the file remains.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, params, params_from_iter};

use super::frame::{Frame, Solve};
use super::rows::{body_row, contact_row, frame_row, int, report_row};
use super::scene::Scene;
use super::simulation::Precision;

/// Application id that marks a database as a recording: "STIC".
pub const APPLICATION_ID: i32 = 0x5354_4943;
/// Version of the schema that is written and read.
pub const VERSION: i32 = 2;
/// Frames that are committed together.
const BATCH: u32 = 30;

const SCHEMA: &str = "
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE body_names (body INTEGER PRIMARY KEY, name TEXT NOT NULL, inverse_mass REAL NOT NULL,
  cx REAL NOT NULL, cy REAL NOT NULL, cz REAL NOT NULL);
CREATE TABLE frames (
  frame INTEGER PRIMARY KEY, time REAL NOT NULL, status TEXT NOT NULL,
  kinetic REAL NOT NULL, potential REAL NOT NULL, load REAL NOT NULL, integration REAL NOT NULL, bounce REAL NOT NULL,
  normal REAL NOT NULL, friction REAL NOT NULL, stabilisation REAL NOT NULL,
  contacts INTEGER NOT NULL, left_out INTEGER NOT NULL, sweeps INTEGER NOT NULL,
  residual REAL NOT NULL, approach REAL NOT NULL, depth REAL NOT NULL);
CREATE TABLE bodies (
  frame INTEGER NOT NULL, body INTEGER NOT NULL,
  x REAL NOT NULL, y REAL NOT NULL, z REAL NOT NULL,
  qw REAL NOT NULL, qx REAL NOT NULL, qy REAL NOT NULL, qz REAL NOT NULL,
  vx REAL NOT NULL, vy REAL NOT NULL, vz REAL NOT NULL, wx REAL NOT NULL, wy REAL NOT NULL, wz REAL NOT NULL,
  PRIMARY KEY (frame, body), FOREIGN KEY (frame) REFERENCES frames, FOREIGN KEY (body) REFERENCES body_names)
  WITHOUT ROWID;
CREATE TABLE contacts (
  frame INTEGER NOT NULL, substep INTEGER NOT NULL, contact INTEGER NOT NULL,
  island INTEGER NOT NULL, feature INTEGER, body_a INTEGER NOT NULL, body_b INTEGER NOT NULL,
  nx REAL NOT NULL, ny REAL NOT NULL, nz REAL NOT NULL,
  rax REAL NOT NULL, ray REAL NOT NULL, raz REAL NOT NULL, rbx REAL NOT NULL, rby REAL NOT NULL, rbz REAL NOT NULL,
  t1x REAL NOT NULL, t1y REAL NOT NULL, t1z REAL NOT NULL, t2x REAL NOT NULL, t2y REAL NOT NULL, t2z REAL NOT NULL,
  depth REAL NOT NULL, restitution REAL NOT NULL, mu REAL NOT NULL, pre_impact_normal_velocity REAL,
  normal_impulse REAL NOT NULL, bounce_impulse REAL NOT NULL, t1_impulse REAL NOT NULL, t2_impulse REAL NOT NULL,
  state TEXT NOT NULL, PRIMARY KEY (frame, substep, contact), FOREIGN KEY (frame, substep) REFERENCES solves)
  WITHOUT ROWID;
CREATE TABLE reports (
  frame INTEGER NOT NULL, substep INTEGER NOT NULL, island INTEGER NOT NULL,
  status TEXT NOT NULL, method TEXT NOT NULL, sweeps INTEGER NOT NULL, bounce_sweeps INTEGER NOT NULL,
  residual REAL NOT NULL, approach REAL NOT NULL, cone REAL NOT NULL, energy_before REAL NOT NULL,
  energy_after REAL NOT NULL, bounce_work REAL NOT NULL, contact_work REAL NOT NULL, friction_work REAL NOT NULL,
  guard INTEGER NOT NULL, PRIMARY KEY (frame, substep, island), FOREIGN KEY (frame, substep) REFERENCES solves)
  WITHOUT ROWID;
CREATE TABLE solves (
  frame INTEGER NOT NULL, substep INTEGER NOT NULL, blocks BLOB NOT NULL, states BLOB NOT NULL,
  PRIMARY KEY (frame, substep)) WITHOUT ROWID;
";

/// A recording being written.
pub struct Recorder {
    connection: Connection,
    path: String,
    waiting: u32,
    committed: u64,
}

/// One line about a database's failure.
pub(super) fn failed(path: &str, error: &rusqlite::Error) -> String {
    crate::json::one_line(&format!("{path}: {error}"))
}

impl Recorder {
    /// Begins a recording in a new file. An existing file is not changed.
    pub fn create(path: &Path, title: &str, scene: &Scene, precision: Precision) -> Result<Self, String> {
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
        let recorder = Recorder { connection, path: shown, waiting: 0, committed: 0 };
        recorder.set_up(title, scene, precision).map_err(|error| failed(&recorder.path, &error))?;
        Ok(recorder)
    }

    fn set_up(&self, title: &str, scene: &Scene, precision: Precision) -> rusqlite::Result<()> {
        let connection = &self.connection;
        // Losing the last batch in a power failure is acceptable, a corrupt file is not.
        connection.execute_batch(&format!(
            "PRAGMA foreign_keys = ON; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN; PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION};"
        ))?;
        connection.execute_batch(SCHEMA)?;
        let text = serde_json::to_string(scene).unwrap_or_default();
        let about = [
            ("title", title.to_string()),
            ("precision", precision.name().to_string()),
            ("dt", scene.dt.to_string()),
            ("substeps", scene.substeps.to_string()),
            ("scene", text),
            ("stiction", env!("CARGO_PKG_VERSION").to_string()),
        ];
        for (key, value) in about {
            connection.execute("INSERT INTO about VALUES (?1, ?2)", params![key, value])?;
        }
        for (i, body) in scene.bodies.iter().enumerate() {
            let inverse_mass = body.mass.map_or(0.0, |mass| 1.0 / mass);
            let c = body.shape.solid().map_or_else(|_| Default::default(), |solid| solid.center);
            connection.execute(
                "INSERT INTO body_names VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![i, body.name(i), inverse_mass, c.x, c.y, c.z],
            )?;
        }
        connection.execute_batch("COMMIT")
    }

    /// Begins a recording of a flight recorder's solves, which has no scene.
    pub(super) fn create_for_dump(path: &Path, precision: Precision) -> Result<Self, String> {
        let scene = Scene::parse("{\"bodies\": []}")?;
        Self::create(path, "flight recorder", &scene, precision)
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

/// Adds a row to a table.
fn insert(connection: &Connection, table: &str, row: Vec<Value>) -> rusqlite::Result<()> {
    let places = vec!["?"; row.len()].join(",");
    connection.prepare_cached(&format!("INSERT INTO {table} VALUES ({places})"))?.execute(params_from_iter(row))?;
    Ok(())
}

/// Adds a solve with its contacts and reports.
pub(super) fn insert_solve(connection: &Connection, frame: u64, substep: usize, solve: &Solve) -> rusqlite::Result<()> {
    let bytes = [Value::Blob(solve.blocks.clone()), Value::Blob(solve.states.clone())];
    insert(connection, "solves", [int(frame), int(substep as u64)].into_iter().chain(bytes).collect())?;
    for (i, contact) in solve.contacts.iter().enumerate() {
        insert(connection, "contacts", contact_row((frame, substep as u64, i), contact))?;
    }
    for (i, report) in solve.reports.iter().enumerate() {
        insert(connection, "reports", report_row((frame, substep as u64, i), report))?;
    }
    Ok(())
}
