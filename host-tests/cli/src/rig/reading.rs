//! Reading recordings back. Files that are not recordings, or have another version, are rejected.

use std::path::Path;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use rusqlite::{Connection, OpenFlags};
use stiction::{ContactState, Ledger, Status};

use super::frame::{ContactRow, Frame, METHOD_COUNT, Solve, state_name, status_name};
use super::recording::{APPLICATION_ID, VERSION, failed};
use super::scene::Scene;
use super::world::BodyState;

/// Reads a recording: its title and scene, then every frame in order, solves in full. The scene's length is the
/// recorded one, which may be less than planned.
pub fn read(path: &Path, begin: impl FnOnce(&str, &Scene), mut each: impl FnMut(Frame)) -> Result<(), String> {
    let shown = path.display().to_string();
    let connection = open(path)?;
    let fails = |error: rusqlite::Error| failed(&shown, &error);
    let about = |key: &str| -> Result<String, String> {
        connection.query_row("SELECT value FROM about WHERE key = ?1", [key], |row| row.get(0)).map_err(fails)
    };
    let mut scene = Scene::parse(&about("scene")?).map_err(|reason| format!("{shown}: {reason}"))?;
    let frames: u64 = connection.query_row("SELECT count(*) FROM frames", [], |row| row.get(0)).map_err(fails)?;
    scene.seconds = frames as f64 * scene.dt;
    begin(&about("title")?, &scene);
    let bodies = scene.bodies.len();
    let mut broken = None;
    read_frames(&connection, |frame| {
        let known = |body: &usize| *body < bodies;
        let whole = frame.bodies.len() == bodies
            && frame.solves.iter().flat_map(|solve| &solve.contacts).all(|contact| contact.bodies.iter().all(known));
        if !whole && broken.is_none() {
            broken = Some(frame.number);
        }
        if broken.is_none() {
            each(frame);
        }
    })
    .map_err(fails)?;
    broken.map_or(Ok(()), |frame| Err(format!("{shown}: frame {frame} is damaged")))
}

/// Reads all frames back, in order.
fn read_frames(connection: &Connection, mut each: impl FnMut(Frame)) -> rusqlite::Result<()> {
    let mut statement = connection.prepare("SELECT * FROM frames ORDER BY frame")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let number = row.get(0)?;
        let (kinetic, potential): (f64, f64) = (row.get(3)?, row.get(4)?);
        let ledger = Ledger {
            kinetic_before: kinetic,
            kinetic_after: kinetic,
            potential_before: potential,
            potential_after: potential,
            load: row.get(5)?,
            integration: row.get(6)?,
            bounce: row.get(7)?,
            normal: row.get(8)?,
            friction: row.get(9)?,
            position_correction: row.get(10)?,
        };
        let status: String = row.get(2)?;
        each(Frame {
            number,
            time: row.get(1)?,
            ledger,
            status: [Status::Converged, Status::SweepLimit]
                .into_iter()
                .find(|known| status_name(*known) == status)
                .unwrap_or(Status::Deadline),
            contacts: row.get(11)?,
            left_out: row.get(12)?,
            sweeps: row.get(13)?,
            residual: row.get(14)?,
            approach: row.get(15)?,
            depth: row.get(16)?,
            bodies: read_bodies(connection, number)?,
            methods: [0; METHOD_COUNT],
            solves: read_solves(connection, number)?,
        });
    }
    Ok(())
}

fn vector_at(row: &rusqlite::Row<'_>, at: usize) -> rusqlite::Result<Vector3<f64>> {
    Ok(Vector3::new(row.get(at)?, row.get(at + 1)?, row.get(at + 2)?))
}

fn read_bodies(connection: &Connection, frame: u64) -> rusqlite::Result<Vec<BodyState>> {
    let mut statement = connection.prepare_cached("SELECT * FROM bodies WHERE frame = ?1 ORDER BY body")?;
    let rows = statement.query_map([frame], |row| {
        let vector = |at: usize| vector_at(row, at);
        let q = Quaternion::new(row.get(5)?, row.get(6)?, row.get(7)?, row.get(8)?);
        let orientation = UnitQuaternion::new_unchecked(q);
        Ok(BodyState { position: vector(2)?, orientation, linear: vector(9)?, angular: vector(12)? })
    })?;
    rows.collect()
}

fn read_solves(connection: &Connection, frame: u64) -> rusqlite::Result<Vec<Solve>> {
    let mut statement =
        connection.prepare_cached("SELECT substep, blocks, states FROM solves WHERE frame = ?1 ORDER BY substep")?;
    let rows = statement.query_map([frame], |row| {
        let substep: u64 = row.get(0)?;
        let contacts = read_contacts(connection, frame, substep)?;
        Ok(Solve { blocks: row.get(1)?, states: row.get(2)?, contacts, reports: Vec::new() })
    })?;
    rows.collect()
}

fn read_contacts(connection: &Connection, frame: u64, substep: u64) -> rusqlite::Result<Vec<ContactRow>> {
    let mut statement =
        connection.prepare_cached("SELECT * FROM contacts WHERE frame = ?1 AND substep = ?2 ORDER BY contact")?;
    let rows = statement.query_map([frame, substep], |row| {
        let vector = |at: usize| vector_at(row, at);
        let state: String = row.get(30)?;
        Ok(ContactRow {
            island: row.get(3)?,
            feature: row.get(4)?,
            bodies: [row.get(5)?, row.get(6)?],
            vectors: [vector(7)?, vector(10)?, vector(13)?, vector(16)?, vector(19)?],
            numbers: [row.get(22)?, row.get(23)?, row.get(24)?, row.get(26)?, row.get(27)?, row.get(28)?, row.get(29)?],
            pre_impact: row.get(25)?,
            state: [ContactState::Open, ContactState::Stick]
                .into_iter()
                .find(|known| state_name(*known) == state)
                .unwrap_or(ContactState::Slide),
        })
    })?;
    rows.collect()
}

/// Opens a recording to read it; rejects other files and other versions.
pub fn open(path: &Path) -> Result<Connection, String> {
    let shown = path.display().to_string();
    let fails = |error: rusqlite::Error| failed(&shown, &error);
    if !path.is_file() {
        let what = if path.is_dir() { "is a folder" } else { "no such file" };
        return Err(format!("{shown}: {what}"));
    }
    // Writable if possible: a killed run leaves a transaction that must be rolled back.
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .or_else(|_| Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY))
        .map_err(fails)?;
    let application: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(fails)?;
    if application != APPLICATION_ID {
        return Err(format!("{shown}: a database, but no recording of stiction"));
    }
    let version: i32 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(fails)?;
    if version != VERSION {
        return Err(format!("{shown}: recording of version {version}, this build reads {VERSION}"));
    }
    Ok(connection)
}
