//! Recordings: SQLite files, written frame by frame in transactions. The schema is described in `docs/recording.md`.
//!
//! Frames are committed in batches. However the process ends, committed frames can be read, and there is never a
//! partial frame: SQLite recovers from its journal when the file is opened next. Others may read during the recording.
//! When it is finished the journal is gone and only the file remains.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, params};

use super::frame::{ContactRow, Frame, ReportRow, Solve, method_name, state_name, status_name};
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
  PRIMARY KEY (frame, body)) WITHOUT ROWID;
CREATE TABLE contacts (
  frame INTEGER NOT NULL, substep INTEGER NOT NULL, contact INTEGER NOT NULL,
  island INTEGER NOT NULL, feature INTEGER, body_a INTEGER NOT NULL, body_b INTEGER NOT NULL,
  nx REAL NOT NULL, ny REAL NOT NULL, nz REAL NOT NULL,
  rax REAL NOT NULL, ray REAL NOT NULL, raz REAL NOT NULL, rbx REAL NOT NULL, rby REAL NOT NULL, rbz REAL NOT NULL,
  t1x REAL NOT NULL, t1y REAL NOT NULL, t1z REAL NOT NULL, t2x REAL NOT NULL, t2y REAL NOT NULL, t2z REAL NOT NULL,
  depth REAL NOT NULL, restitution REAL NOT NULL, mu REAL NOT NULL, pre_impact_normal_velocity REAL,
  normal_impulse REAL NOT NULL, bounce_impulse REAL NOT NULL, t1_impulse REAL NOT NULL, t2_impulse REAL NOT NULL,
  state TEXT NOT NULL, PRIMARY KEY (frame, substep, contact)) WITHOUT ROWID;
CREATE TABLE reports (
  frame INTEGER NOT NULL, substep INTEGER NOT NULL, island INTEGER NOT NULL,
  status TEXT NOT NULL, method TEXT NOT NULL, sweeps INTEGER NOT NULL, bounce_sweeps INTEGER NOT NULL,
  residual REAL NOT NULL, approach REAL NOT NULL, cone REAL NOT NULL, energy_before REAL NOT NULL,
  energy_after REAL NOT NULL, bounce_work REAL NOT NULL, contact_work REAL NOT NULL, friction_work REAL NOT NULL,
  guard INTEGER NOT NULL, PRIMARY KEY (frame, substep, island)) WITHOUT ROWID;
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
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN; PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION};"
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
        insert_frame(&self.connection, frame)?;
        for (body, state) in frame.bodies.iter().enumerate() {
            let (p, q, v, w) = (state.position, state.orientation.quaternion(), state.linear, state.angular);
            self.connection
                .prepare_cached("INSERT INTO bodies VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15)")?
                .execute(params![
                    frame.number,
                    body,
                    p.x,
                    p.y,
                    p.z,
                    q.w,
                    q.i,
                    q.j,
                    q.k,
                    v.x,
                    v.y,
                    v.z,
                    w.x,
                    w.y,
                    w.z
                ])?;
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

fn insert_frame(connection: &Connection, frame: &Frame) -> rusqlite::Result<()> {
    let ledger = &frame.ledger;
    connection
        .prepare_cached("INSERT INTO frames VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17)")?
        .execute(params![
            frame.number,
            frame.time,
            status_name(frame.status),
            ledger.kinetic_after,
            ledger.potential_after,
            ledger.load,
            ledger.integration,
            ledger.bounce,
            ledger.normal,
            ledger.friction,
            ledger.position_correction,
            frame.contacts,
            frame.left_out,
            frame.sweeps,
            frame.residual,
            frame.approach,
            frame.depth
        ])?;
    Ok(())
}

/// Adds a solve with its contacts and reports.
pub(super) fn insert_solve(connection: &Connection, frame: u64, substep: usize, solve: &Solve) -> rusqlite::Result<()> {
    connection.prepare_cached("INSERT INTO solves VALUES (?1,?2,?3,?4)")?.execute(params![
        frame,
        substep,
        solve.blocks,
        solve.states
    ])?;
    for (i, contact) in solve.contacts.iter().enumerate() {
        insert_contact(connection, (frame, substep, i), contact)?;
    }
    for (i, report) in solve.reports.iter().enumerate() {
        insert_report(connection, (frame, substep, i), report)?;
    }
    Ok(())
}

fn insert_contact(connection: &Connection, key: (u64, usize, usize), contact: &ContactRow) -> rusqlite::Result<()> {
    let [n, a, b, t1, t2] = contact.vectors;
    let [depth, restitution, mu, normal, bounce, along_1, along_2] = contact.numbers;
    connection
        .prepare_cached(
            "INSERT INTO contacts VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,?21,?22,\
             ?23,?24,?25,?26,?27,?28,?29,?30,?31)",
        )?
        .execute(params![
            key.0,
            key.1,
            key.2,
            contact.island,
            contact.feature,
            contact.bodies[0],
            contact.bodies[1],
            n.x,
            n.y,
            n.z,
            a.x,
            a.y,
            a.z,
            b.x,
            b.y,
            b.z,
            t1.x,
            t1.y,
            t1.z,
            t2.x,
            t2.y,
            t2.z,
            depth,
            restitution,
            mu,
            contact.pre_impact,
            normal,
            bounce,
            along_1,
            along_2,
            state_name(contact.state)
        ])?;
    Ok(())
}

fn insert_report(connection: &Connection, key: (u64, usize, usize), report: &ReportRow) -> rusqlite::Result<()> {
    let [residual, approach, cone, before, after, bounce, contact, friction] = report.numbers;
    connection
        .prepare_cached("INSERT INTO reports VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16)")?
        .execute(params![
        key.0,
        key.1,
        key.2,
        status_name(report.status),
        method_name(report.method),
        report.sweeps[0],
        report.sweeps[1],
        residual,
        approach,
        cone,
        before,
        after,
        bounce,
        contact,
        friction,
        report.guard
    ])?;
    Ok(())
}
