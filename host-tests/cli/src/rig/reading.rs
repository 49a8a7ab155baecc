//! Reading recordings back. Files that are not recordings, or have another version, are rejected.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::frame::{Frame, Solve};
use super::recording::{APPLICATION_ID, VERSION, failed};
use super::rows::{body_of, contact_of, frame_of, history_of, report_of};
use super::scene::Scene;
use super::schema::{BODIES, CONTACTS, FRAMES, HISTORY, REPORTS, Table};
use crate::words::METHODS;

/// Reads a recording: its title and scene, then every frame in order, solves in full. The scene's length is the
/// recorded one, which may be less than planned.
pub fn read(path: &Path, begin: impl FnOnce(&str, &Scene), mut each: impl FnMut(Frame)) -> Result<(), String> {
    let shown = path.display().to_string();
    let connection = open(path)?;
    let fails = |error: rusqlite::Error| failed(&shown, &error);
    let about = |key: &str| about(&connection, key).map_err(fails);
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

/// A value of the table `about`.
pub(super) fn about(connection: &Connection, key: &str) -> rusqlite::Result<String> {
    connection.query_row("SELECT value FROM about WHERE key = ?1", [key], |row| row.get(0))
}

/// Reads all frames back, in order.
fn read_frames(connection: &Connection, mut each: impl FnMut(Frame)) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(&select(&FRAMES, "TRUE"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let mut frame = frame_of(row)?;
        complete(connection, &mut frame)?;
        each(frame);
    }
    Ok(())
}

/// Adds the bodies and solves of a frame.
fn complete(connection: &Connection, frame: &mut Frame) -> rusqlite::Result<()> {
    let number = frame.number;
    frame.bodies = all(connection, &BODIES, "frame = ?1", [number], body_of)?;
    let mut statement =
        connection.prepare_cached("SELECT substep, blocks, states FROM solves WHERE frame = ?1 ORDER BY substep")?;
    let rows = statement.query_map([number], |row| {
        let key = [number, row.get(0)?];
        let of = "frame = ?1 AND substep = ?2";
        Ok(Solve {
            blocks: row.get(1)?,
            states: row.get(2)?,
            contacts: all(connection, &CONTACTS, of, key, contact_of)?,
            reports: all(connection, &REPORTS, of, key, report_of)?,
            history: all(connection, &HISTORY, of, key, history_of)?,
        })
    })?;
    frame.solves = rows.collect::<Result<_, _>>()?;
    for report in frame.solves.iter().flat_map(|solve| &solve.reports) {
        let method = METHODS.iter().position(|(method, _)| *method == report.method);
        method.into_iter().for_each(|method| frame.methods[method] += 1);
    }
    Ok(())
}

/// A query for some rows of a table in the order of its keys.
fn select(table: &Table, of: &str) -> String {
    format!("SELECT {} FROM {} WHERE {of}", table.column_names().join(", "), table.name)
}

/// Some rows of a table.
fn all<V>(
    connection: &Connection,
    table: &Table,
    of: &str,
    key: impl rusqlite::Params,
    make: impl Fn(&rusqlite::Row<'_>) -> rusqlite::Result<V>,
) -> rusqlite::Result<Vec<V>> {
    connection.prepare_cached(&select(table, of))?.query_map(key, make)?.collect()
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
