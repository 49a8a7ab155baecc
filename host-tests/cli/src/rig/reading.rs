//! Reading recordings back. Files that are not recordings, or have another version, are rejected.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::frame::{Began, Frame, Solve, empty_report};
use super::history::{Stopped, convergence};
use super::recording::{APPLICATION_ID, RUN, VERSION, failed};
use super::rows::{body_of, contact_of, frame_of, history_of, joint_of, report_of, surface_of};
use super::scene::Scene;
use super::schema::{BODIES, CONTACTS, FRAMES, HISTORY, JOINTS, REPORTS, SURFACES, Table};
use super::simulation::Precision;
use super::state::bodies;
use crate::words::METHODS;

/// A recording that is open for reading.
pub struct Recording {
    pub(super) connection: Connection,
    shown: String,
    /// The scene's title.
    pub title: String,
    /// Scalars that it was computed with.
    pub precision: Precision,
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
        let precision =
            Precision::parse(&precision).ok_or_else(|| format!("{shown}: precision {precision} is unknown"))?;
        Ok(Recording { connection, shown, title, precision, scene })
    }

    fn fails(&self, error: &rusqlite::Error) -> String {
        failed(&self.shown, error)
    }

    /// A value of the table `about`.
    pub(super) fn about(&self, key: &str) -> rusqlite::Result<String> {
        about(&self.connection, key)
    }

    /// A body's name.
    pub fn body_name(&self, body: usize) -> String {
        self.scene.body_name(body).unwrap_or_else(|| format!("body {body}"))
    }

    /// A joint's name.
    pub fn joint_name(&self, joint: usize) -> String {
        self.scene.joint_name(joint)
    }

    fn count(&self, query: &str) -> Result<u64, String> {
        self.connection.query_row(query, [], |row| row.get(0)).map_err(|error| self.fails(&error))
    }

    /// Whether it is of a run; if not, of a dump, which has no frames but solves.
    pub fn is_run(&self) -> Result<bool, String> {
        self.about("kind").map(|kind| kind == RUN).map_err(|error| self.fails(&error))
    }

    /// The numbers of its frames, or of the solves of a dump.
    pub fn numbers(&self) -> Result<Vec<u64>, String> {
        let numbers = || {
            let mut statement = self.connection.prepare("SELECT DISTINCT frame FROM solves ORDER BY frame")?;
            statement.query_map([], |row| row.get(0))?.collect::<Result<Vec<u64>, _>>()
        };
        let numbers = numbers().map_err(|error| self.fails(&error))?;
        if numbers.is_empty() { Err(format!("{}: no frames in it", self.shown)) } else { Ok(numbers) }
    }

    /// All frames without bodies and solves. Those of a dump have the worst figures of their islands.
    pub fn overview(&self) -> Result<Vec<Frame>, String> {
        if self.is_run()? {
            return all(&self.connection, &FRAMES, "TRUE", [], frame_of).map_err(|error| self.fails(&error));
        }
        self.numbers()?.into_iter().map(|number| self.frame(number)).collect()
    }

    /// One frame in full.
    pub fn frame(&self, number: u64) -> Result<Frame, String> {
        let recorded = all(&self.connection, &FRAMES, "frame = ?1", [number], frame_of);
        let recorded = recorded.map_err(|error| self.fails(&error))?.into_iter().next();
        let is_dump = !self.is_run()?;
        let none = || is_dump.then(|| Frame::new(number, 0.0, &empty_report::<f64>(), Vec::new()));
        let mut frame = recorded.or_else(none).ok_or_else(|| self.damaged(number))?;
        complete(&self.connection, &mut frame).map_err(|error| self.fails(&error))?;
        if frame.solves.is_empty() {
            return Err(self.damaged(number));
        }
        if is_dump {
            frame.summarise_solves();
        }
        Ok(frame)
    }

    /// How the parts of a frame converged: as recorded, or computed again. A dump's bodies come from the same
    /// computation, with positions of centres of mass.
    pub fn histories(&self, frame: &mut Frame) -> Result<Vec<Vec<Stopped>>, String> {
        let mut histories = Vec::new();
        for solve in &frame.solves {
            if !solve.history.is_empty() && !frame.bodies.is_empty() {
                histories.push(solve.history.clone());
                continue;
            }
            let (again, history) = convergence(&solve.blocks).map_err(|reason| format!("{}: {reason}", self.shown))?;
            if !self.is_run()? && !again.began.states.is_empty() {
                frame.bodies = bodies(&self.scene, &again.states, self.precision.bytes());
            }
            histories.push(history);
        }
        Ok(histories)
    }

    fn damaged(&self, frame: u64) -> String {
        format!("{}: frame {frame} is damaged", self.shown)
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
    broken.map_or(Ok(()), |frame| Err(recording.damaged(frame)))
}

/// A value of the table `about`.
fn about(connection: &Connection, key: &str) -> rusqlite::Result<String> {
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

/// Adds the bodies, joints and solves of a frame.
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
            began: Began::default(),
            states: row.get(2)?,
            contacts: all(connection, &CONTACTS, of, key, contact_of)?,
            surfaces: all(connection, &SURFACES, of, key, surface_of)?,
            joints: all(connection, &JOINTS, of, key, joint_of)?,
            kept_joints: Vec::new(),
            reports: all(connection, &REPORTS, of, key, report_of)?,
            history: all(connection, &HISTORY, of, key, history_of)?,
        })
    })?;
    frame.solves = rows.collect::<Result<_, _>>()?;
    let last = frame.solves.last().map_or(&[][..], |solve| &solve.joints);
    frame.joints = last.iter().map(|joint| joint.state).collect();
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
