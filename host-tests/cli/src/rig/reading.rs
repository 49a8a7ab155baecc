//! Reading recordings back. Files that are not recordings, or have another version, are rejected.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::frame::{Frame, Solve, empty_report};
use super::recording::{APPLICATION_ID, VERSION, failed};
use super::rows::{body_of, contact_of, frame_of, history_of, report_of};
use super::scene::Scene;
use super::schema::{BODIES, CONTACTS, FRAMES, HISTORY, REPORTS, Table};
use crate::words::METHODS;

/// A recording that is open for reading.
pub struct Recording {
    connection: Connection,
    shown: String,
    /// The scene's title.
    pub title: String,
    /// `f32` or `f64`.
    pub precision: String,
    /// The scene; empty for a flight recorder's dump.
    pub scene: Scene,
}

impl Recording {
    /// Opens a recording; the error is one line.
    pub fn open(path: &Path) -> Result<Self, String> {
        let shown = path.display().to_string();
        let connection = open(path)?;
        let about = |key: &str| about(&connection, key).map_err(|error| failed(&shown, &error));
        let scene = Scene::parse(&about("scene")?).map_err(|reason| format!("{shown}: {reason}"))?;
        let (title, precision) = (about("title")?, about("precision")?);
        Ok(Recording { connection, shown, title, precision, scene })
    }

    fn fails(&self, error: &rusqlite::Error) -> String {
        failed(&self.shown, error)
    }

    fn count(&self, query: &str) -> Result<u64, String> {
        self.connection.query_row(query, [], |row| row.get(0)).map_err(|error| self.fails(&error))
    }

    /// The numbers of the first and the last frame, or of the first and the last solve of a dump.
    pub fn frame_range(&self) -> Result<(u64, u64), String> {
        let range = self.connection.query_row("SELECT min(frame), max(frame) FROM solves", [], |row| {
            Ok((row.get::<_, Option<u64>>(0)?, row.get::<_, Option<u64>>(1)?))
        });
        match range.map_err(|error| self.fails(&error))? {
            (Some(first), Some(last)) => Ok((first, last)),
            _ => Err(format!("{}: no frames in it", self.shown)),
        }
    }

    /// All frames without bodies and solves. Those of a dump have the worst figures of their islands.
    pub fn overview(&self) -> Result<Vec<Frame>, String> {
        if self.count("SELECT count(*) FROM frames")? > 0 {
            return all(&self.connection, &FRAMES, "TRUE", [], frame_of).map_err(|error| self.fails(&error));
        }
        let (first, last) = self.frame_range()?;
        (first..=last).map(|number| self.frame(number)).collect()
    }

    /// One frame in full; one without anything if it is not in the recording.
    pub fn frame(&self, number: u64) -> Result<Frame, String> {
        let read = || {
            let recorded = all(&self.connection, &FRAMES, "frame = ?1", [number], frame_of)?;
            let is_dump = recorded.is_empty();
            let mut frame = recorded
                .into_iter()
                .next()
                .unwrap_or_else(|| Frame::new(number, 0.0, &empty_report::<f64>(), Vec::new()));
            complete(&self.connection, &mut frame)?;
            if is_dump {
                frame.summarise_solves();
            }
            Ok(frame)
        };
        read().map_err(|error| self.fails(&error))
    }
}

/// Reads a recording: its title and scene, then every frame in order, solves in full. The scene's length is the
/// recorded one, which may be less than planned.
pub fn read(path: &Path, begin: impl FnOnce(&str, &Scene), mut each: impl FnMut(Frame)) -> Result<(), String> {
    let mut recording = Recording::open(path)?;
    let frames = recording.count("SELECT count(*) FROM frames")?;
    recording.scene.seconds = frames as f64 * recording.scene.dt;
    begin(&recording.title, &recording.scene);
    let bodies = recording.scene.bodies.len();
    let mut broken = None;
    let read = read_frames(&recording.connection, |frame| {
        let known = |body: &usize| *body < bodies;
        let whole = frame.bodies.len() == bodies
            && frame.solves.iter().flat_map(|solve| &solve.contacts).all(|contact| contact.bodies.iter().all(known));
        if !whole && broken.is_none() {
            broken = Some(frame.number);
        }
        if broken.is_none() {
            each(frame);
        }
    });
    read.map_err(|error| recording.fails(&error))?;
    broken.map_or(Ok(()), |frame| Err(format!("{}: frame {frame} is damaged", recording.shown)))
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
