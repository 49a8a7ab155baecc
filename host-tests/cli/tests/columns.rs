//! Every column of a recording beside what the library says. A recorded step is taken again by the library, and the
//! columns are named here a second time, with the library's values.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::types::Value;
use stiction::record::{BodyRecord, ContactRecord, RecordedBlock, blocks};
use stiction::{
    ContactState, DirectMemory, Method, Observer, Pipeline, PointId, Real, Report, Status, StepReport, StepSettings,
    World,
};

use crate::tool::{answer, folder};

/// A box that lands and slides, a ball that bounces without friction, a smooth box that stays.
const SCENE: &str = r#"{ "seconds": 0.5, "dt": 0.02, "bodies": [
    { "name": "floor", "fixed": true, "shape": { "half_space": { "normal": [0, 0, 1] } }, "mu": 0.4 },
    { "name": "thrown", "shape": { "box": { "half_extents": [0.2, 0.3, 0.1] } }, "mass": 2, "mu": 0.3,
      "position": [0, 0, 0.4], "linear": [3, 1, -1], "angular": [1, 0.5, 0.2] },
    { "name": "ball", "shape": { "sphere": { "radius": 0.1 } }, "mass": 0.5, "mu": 0, "restitution": 0.8,
      "position": [3, 0, 0.2], "linear": [0, 0, -2] },
    { "name": "smooth", "shape": { "box": { "half_extents": [0.1, 0.1, 0.1] } }, "mass": 1, "mu": 0,
      "position": [-3, 0, 0.1] } ] }"#;

type Rows = Vec<BTreeMap<&'static str, Value>>;

fn int(value: impl TryInto<i64>) -> Value {
    Value::Integer(value.try_into().unwrap_or_default())
}

fn real<T: Real>(value: T) -> Value {
    Value::Real(value.to_f64())
}

fn text(value: &str) -> Value {
    Value::Text(value.into())
}

fn status(status: Status) -> Value {
    text(match status {
        Status::Converged => "converged",
        Status::Guarded => "guarded",
        Status::BounceDropped => "bounce_dropped",
        Status::SweepLimit => "sweep_limit",
        Status::Deadline => "deadline",
        _ => "?",
    })
}

/// What the library tells an observer of a step.
#[derive(Default)]
struct Told<T: Real> {
    reports: Vec<Report<T>>,
    contacts: Vec<ContactRecord<T>>,
    bodies: Vec<BodyRecord<T>>,
}

impl<T: Real> Observer<T> for Told<T> {
    fn report(&mut self, island: usize, report: &Report<T>) {
        assert_eq!(island, self.reports.len());
        self.reports.push(*report);
    }

    fn contact(&mut self, contact: &ContactRecord<T>) {
        self.contacts.push(*contact);
    }

    fn body(&mut self, body: &BodyRecord<T>) {
        self.bodies.push(*body);
    }
}

fn report_columns<T: Real>(report: &Report<T>) -> BTreeMap<&'static str, Value> {
    let method = match report.method {
        Method::ActiveSet => "active_set",
        Method::ScalarPgs => "scalar_pgs",
        Method::BlockPgs => "block_pgs",
        Method::Accelerated => "accelerated",
        Method::Newton => "newton",
        Method::InteriorPoint => "interior_point",
        _ => "?",
    };
    BTreeMap::from([
        ("status", status(report.status)),
        ("method", text(method)),
        ("sweeps", int(report.sweeps)),
        ("bounce_sweeps", int(report.bounce_sweeps)),
        ("newton_steps", int(report.direct.newton_steps)),
        ("interior_steps", int(report.direct.interior_steps)),
        ("safe_blocks", int(report.safe_blocks)),
        ("residual", real(report.residual.natural)),
        ("residual_scale", real(report.residual.scale)),
        ("approach", real(report.residual.closing_speed)),
        ("cone", real(report.residual.cone)),
        ("bounce_missing", real(report.bounce_missing)),
        ("energy_before", real(report.energy_before)),
        ("energy_after", real(report.energy_after)),
        ("bounce_work", real(report.bounce_work)),
        ("contact_work", real(report.contact_work)),
        ("friction_work", real(report.friction_work)),
        ("bias_work", real(report.bias_work)),
        ("worst_contact", report.residual.worst_contact.map_or(Value::Null, int)),
        ("bounce_dropped", int(u8::from(report.bounce_dropped))),
        ("memory_too_small", int(u8::from(report.direct.memory_too_small))),
        ("guard", int(u8::from(report.passivity_guard))),
    ])
}

fn contact_columns<T: Real, const NB: usize, const NC: usize>(
    record: &ContactRecord<T>,
    pipeline: &Pipeline<T, NB, NC>,
) -> BTreeMap<&'static str, Value> {
    let coupling = pipeline.coupling(record.contact).expect("a contact of this step");
    let sliding = pipeline.sliding(record.contact).expect("a contact of this step");
    assert_eq!(pipeline.contact(record.contact).as_ref(), Some(record));
    let state = match record.state {
        ContactState::Open => "open",
        _ if record.mu == T::ZERO => "frictionless",
        ContactState::Stick => "stick",
        ContactState::Slide => "slide",
    };
    let feature = if let PointId::Feature(feature) = record.id { int(feature) } else { Value::Null };
    BTreeMap::from([
        ("island", int(record.island)),
        ("feature", feature),
        ("body_a", int(record.a)),
        ("body_b", int(record.b)),
        ("nx", real(record.normal.x)),
        ("ny", real(record.normal.y)),
        ("nz", real(record.normal.z)),
        ("rax", real(record.r_a.x)),
        ("ray", real(record.r_a.y)),
        ("raz", real(record.r_a.z)),
        ("rbx", real(record.r_b.x)),
        ("rby", real(record.r_b.y)),
        ("rbz", real(record.r_b.z)),
        ("t1x", real(record.t1.x)),
        ("t1y", real(record.t1.y)),
        ("t1z", real(record.t1.z)),
        ("t2x", real(record.t2.x)),
        ("t2y", real(record.t2.y)),
        ("t2z", real(record.t2.z)),
        ("depth", real(record.depth)),
        ("restitution", real(record.restitution)),
        ("mu", real(record.mu)),
        ("normal_impulse", real(record.normal_impulse + record.bounce_impulse)),
        ("bounce_impulse", real(record.bounce_impulse)),
        ("t1_impulse", real(record.t1_impulse)),
        ("t2_impulse", real(record.t2_impulse)),
        ("pre_impact_normal_velocity", record.pre_impact_normal_velocity.map_or(Value::Null, real)),
        ("state", text(state)),
        ("coupling", real(coupling.normal_tangent_ratio)),
        ("condition", real(coupling.condition)),
        ("block_replaced", int(u8::from(coupling.is_replaced))),
        ("sliding_x", real(sliding.direction.x)),
        ("sliding_y", real(sliding.direction.y)),
        ("sliding_z", real(sliding.direction.z)),
        ("sliding_frames", int(sliding.frames)),
    ])
}

fn frame_columns<T: Real>(time: f64, report: &StepReport<T>) -> BTreeMap<&'static str, Value> {
    let (ledger, direct, factor) = (&report.ledger, &report.direct, &report.factor);
    BTreeMap::from([
        ("time", Value::Real(time)),
        ("status", status(report.status)),
        ("kinetic", real(ledger.kinetic_after)),
        ("potential", real(ledger.potential_after)),
        ("load", real(ledger.load)),
        ("integration", real(ledger.integration)),
        ("bounce", real(ledger.bounce)),
        ("normal", real(ledger.normal)),
        ("friction", real(ledger.friction)),
        ("stabilisation", real(ledger.position_correction)),
        // There are no joints here; `joint_recordings.rs` compares these.
        ("motor_work", Value::Real(0.0)),
        ("spring_work", Value::Real(0.0)),
        ("joint_friction_work", Value::Real(0.0)),
        ("spring_energy", Value::Real(0.0)),
        ("contacts", int(report.contacts)),
        ("left_out", int(report.contacts_left_out)),
        ("warm_started", int(report.warm_started)),
        ("kept", int(report.kept)),
        ("islands", int(report.islands)),
        ("sweeps", int(report.sweeps)),
        ("newton_steps", int(direct.newton_steps)),
        ("interior_steps", int(direct.interior_steps)),
        ("factors", int(factor.factors)),
        ("corrections", int(factor.corrections)),
        ("changed", int(factor.changed)),
        ("safe_blocks", int(report.safe_blocks)),
        ("residual", real(report.residual)),
        ("approach", real(report.closing_speed)),
        ("depth", real(report.depth)),
        ("bounce_dropped", int(u8::from(report.bounce_dropped))),
        ("memory_too_small", int(u8::from(direct.memory_too_small))),
        ("factor_memory_too_small", int(u8::from(factor.memory_too_small))),
        ("guard", int(u8::from(report.passivity_guard))),
    ])
}

/// Bodies of this scene have their centres of mass at their origins.
fn body_columns<T: Real>(body: &BodyRecord<T>) -> BTreeMap<&'static str, Value> {
    let (p, q, v, w) = (&body.position, body.orientation.quaternion(), &body.linear, &body.angular);
    BTreeMap::from([
        ("x", real(p.x)),
        ("y", real(p.y)),
        ("z", real(p.z)),
        ("qw", real(q.w)),
        ("qx", real(q.i)),
        ("qy", real(q.j)),
        ("qz", real(q.k)),
        ("vx", real(v.x)),
        ("vy", real(v.y)),
        ("vz", real(v.z)),
        ("wx", real(w.x)),
        ("wy", real(w.y)),
        ("wz", real(w.z)),
    ])
}

/// Compares all columns of some rows, keys apart, and counts the values.
fn compare(connection: &rusqlite::Connection, table: &str, keys: &[(&str, u64)], expected: &Rows) -> usize {
    let key: Vec<String> = keys.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let query = format!("SELECT * FROM {table} WHERE {} ORDER BY rowid_of_key", key.join(" AND "));
    let order = match table {
        "bodies" => "body",
        "contacts" => "contact",
        "reports" => "island",
        _ => "frame",
    };
    let mut statement = connection.prepare(&query.replace("rowid_of_key", order)).unwrap();
    let names: Vec<String> = statement.column_names().map(ToString::to_string).collect();
    let is_key = |name: &str| ["frame", "substep"].contains(&name) || (name == order && table != "frames");
    let mut rows = statement.query([]).unwrap();
    let mut values = 0;
    for (at, columns) in expected.iter().enumerate() {
        let row = rows.next().unwrap().unwrap_or_else(|| panic!("{table} {keys:?}: row {at} is missing"));
        for (column, name) in names.iter().enumerate().filter(|(_, name)| !is_key(name)) {
            let recorded: Value = row.get(column).unwrap();
            let library = columns.get(name.as_str()).unwrap_or_else(|| panic!("{table}.{name} is not compared"));
            let is_zero = |value: &Value| *value == Value::Real(0.0);
            assert!(
                recorded == *library || (is_zero(&recorded) && is_zero(library)),
                "{table}.{name} {keys:?} row {at}: recorded {recorded:?}, library {library:?}"
            );
            values += 1;
        }
        assert_eq!(columns.len(), names.iter().filter(|name| !is_key(name)).count(), "{table}");
    }
    assert!(rows.next().unwrap().is_none(), "{table} {keys:?}: a row too many");
    values
}

/// Takes every recorded step again with the library alone, and compares what it says with every column.
fn compare_all<T: Real>(path: &Path) -> usize {
    let connection = rusqlite::Connection::open(path).unwrap();
    let mut statement =
        connection.prepare("SELECT frame, substep, blocks FROM solves ORDER BY frame, substep").unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
    let steps: Vec<(u64, u64, Vec<u8>)> = rows.collect::<Result<_, _>>().unwrap();
    let mut memory = Box::new(DirectMemory::<T, 512, 8192>::new());
    let (mut world, mut pipeline) =
        (Box::new(World::<T, 16>::new()), Box::new(Pipeline::<T, 16, 64>::new(StepSettings::default())));
    let (mut sum, mut values) = (None::<StepReport<T>>, 0);
    for (at, (frame, substep, bytes)) in steps.iter().enumerate() {
        let Some(Ok(RecordedBlock::Step(step))) = blocks(bytes).next() else { panic!("frame {frame}: no step") };
        let mut told = Told { reports: Vec::new(), contacts: Vec::new(), bodies: Vec::new() };
        step.step(None, &mut world, &mut pipeline, Some(memory.view()), Some(&mut told)).unwrap();
        let key = [("frame", *frame), ("substep", *substep)];
        let contacts: Rows = told.contacts.iter().map(|record| contact_columns(record, &pipeline)).collect();
        values += compare(&connection, "contacts", &key, &contacts);
        values += compare(&connection, "reports", &key, &told.reports.iter().map(report_columns).collect());
        let report = *pipeline.report().expect("a step was taken");
        let whole = match sum.take() {
            Some(mut sum) => {
                sum.append(&report);
                sum
            }
            None => report,
        };
        if steps.get(at + 1).is_none_or(|(next, ..)| next != frame) {
            values += compare(&connection, "bodies", &key[..1], &told.bodies.iter().map(body_columns).collect());
            let columns = frame_columns(0.02 * *frame as f64, &whole);
            values += compare(&connection, "frames", &key[..1], &vec![columns]);
        } else {
            sum = Some(whole);
        }
    }
    values
}

#[test]
fn every_column_has_the_value_that_the_library_gives() {
    let folder = folder("columns");
    std::fs::write(folder.join("scene.json"), SCENE).unwrap();
    for precision in ["f32", "f64"] {
        let file = format!("{precision}.db");
        answer(&folder, &["run", "scene.json", "--precision", precision, "--record", &file]);
        let path = folder.join(&file);
        let values = if precision == "f32" { compare_all::<f32>(&path) } else { compare_all::<f64>(&path) };
        println!("{precision}: {values} values");
        assert!(values > 5_000, "{values}");
        // Every state occurs, so none is recorded under another one's word.
        let connection = rusqlite::Connection::open(&path).unwrap();
        let count = |what: &str| -> u32 {
            connection.query_row(&format!("SELECT count(*) FROM {what}"), [], |row| row.get(0)).unwrap()
        };
        for state in ["open", "slide", "frictionless"] {
            assert!(count(&format!("contacts WHERE state = '{state}'")) > 0, "{precision}: {state}");
        }
        assert_eq!(count("contacts WHERE mu = 0 AND state IN ('stick', 'slide')"), 0);
        assert!(count("contacts WHERE sliding_frames > 3 AND coupling > 0.1") > 0, "{precision}");
    }
}

#[test]
fn every_word_of_a_recording_is_read_back() {
    use stiction_cli::words::*;
    assert!(STATUSES.iter().all(|(status, _)| status_of(recorded_status(*status)) == Some(*status)));
    assert!(STATES.iter().all(|(state, _)| state_of(recorded_state(*state, 0.5)) == Some(*state)));
    assert!(METHODS.iter().all(|(method, _)| method_of(method_name(*method)) == Some(*method)));
    assert_eq!(recorded_state(ContactState::Slide, 0.0), "frictionless");
    assert_eq!(recorded_state(ContactState::Open, 0.0), "open");
    assert!(status_of("magic").is_none() && state_of("magic").is_none() && method_of("magic").is_none());
}
