//! Rows of a recording's tables, as they are written and as a replay expects them.

use nalgebra::Vector3;
use rusqlite::types::Value;

use super::frame::{ContactRow, Frame, ReportRow, method_name, state_name, status_name};
use super::world::BodyState;

/// The columns of a table that a replay compares, in the order of its rows here.
pub(super) fn columns(table: &str) -> &'static [&'static str] {
    match table {
        "frames" => &[
            "frame",
            "time",
            "status",
            "kinetic",
            "potential",
            "load",
            "integration",
            "bounce",
            "normal",
            "friction",
            "stabilisation",
            "contacts",
            "left_out",
            "sweeps",
            "residual",
            "approach",
            "depth",
        ],
        "bodies" => &["frame", "body", "x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"],
        "contacts" => &[
            "frame",
            "substep",
            "contact",
            "island",
            "feature",
            "body_a",
            "body_b",
            "nx",
            "ny",
            "nz",
            "rax",
            "ray",
            "raz",
            "rbx",
            "rby",
            "rbz",
            "t1x",
            "t1y",
            "t1z",
            "t2x",
            "t2y",
            "t2z",
            "depth",
            "restitution",
            "mu",
            "pre_impact_normal_velocity",
            "normal_impulse",
            "bounce_impulse",
            "t1_impulse",
            "t2_impulse",
            "state",
        ],
        "reports" => &[
            "frame",
            "substep",
            "island",
            "status",
            "method",
            "sweeps",
            "bounce_sweeps",
            "residual",
            "approach",
            "cone",
            "energy_before",
            "energy_after",
            "bounce_work",
            "contact_work",
            "friction_work",
            "guard",
        ],
        _ => &[],
    }
}

/// An integer.
pub(super) fn int(value: u64) -> Value {
    Value::Integer(value as i64)
}

fn text(value: &str) -> Value {
    Value::Text(value.into())
}

fn reals(values: &[f64]) -> Vec<Value> {
    values.iter().map(|value| Value::Real(*value)).collect()
}

fn vector(v: &Vector3<f64>) -> Vec<Value> {
    reals(v.as_slice())
}

/// The row of `frames`.
pub(super) fn frame_row(frame: &Frame) -> Vec<Value> {
    let ledger = &frame.ledger;
    let mut row = vec![int(frame.number), Value::Real(frame.time), text(status_name(frame.status))];
    row.extend(reals(&[
        ledger.kinetic_after,
        ledger.potential_after,
        ledger.load,
        ledger.integration,
        ledger.bounce,
        ledger.normal,
        ledger.friction,
        ledger.position_correction,
    ]));
    row.extend([int(frame.contacts as u64), int(frame.left_out as u64), int(u64::from(frame.sweeps))]);
    row.extend(reals(&[frame.residual, frame.approach, frame.depth]));
    row
}

/// A row of `bodies`, by frame and body.
pub(super) fn body_row((frame, body): (u64, usize), state: &BodyState) -> Vec<Value> {
    let q = state.orientation.quaternion();
    let mut row = vec![int(frame), int(body as u64)];
    row.extend(vector(&state.position));
    row.extend(reals(&[q.w, q.i, q.j, q.k]));
    row.extend(vector(&state.linear));
    row.extend(vector(&state.angular));
    row
}

/// A row of `contacts`, by frame, substep and contact.
pub(super) fn contact_row(key: (u64, u64, usize), contact: &ContactRow) -> Vec<Value> {
    let [depth, restitution, mu, normal, bounce, along_1, along_2] = contact.numbers;
    let mut row = vec![int(key.0), int(key.1), int(key.2 as u64), int(contact.island as u64)];
    row.push(contact.feature.map_or(Value::Null, |feature| int(u64::from(feature))));
    row.extend(contact.bodies.map(|body| int(body as u64)));
    contact.vectors.iter().for_each(|v| row.extend(vector(v)));
    row.extend(reals(&[depth, restitution, mu]));
    row.push(contact.pre_impact.map_or(Value::Null, Value::Real));
    row.extend(reals(&[normal, bounce, along_1, along_2]));
    row.push(text(state_name(contact.state)));
    row
}

/// A row of `reports`, by frame, substep and island.
pub(super) fn report_row(key: (u64, u64, usize), report: &ReportRow) -> Vec<Value> {
    let mut row = vec![int(key.0), int(key.1), int(key.2 as u64)];
    row.extend([text(status_name(report.status)), text(method_name(report.method))]);
    row.extend(report.sweeps.map(|sweeps| int(u64::from(sweeps))));
    row.extend(reals(&report.numbers));
    row.push(int(u64::from(report.guard)));
    row
}

/// Whether two values have the same bits. SQLite does not keep the sign of zero.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Real(one), Value::Real(other)) => one.to_bits() == other.to_bits() || (*one == 0.0 && *other == 0.0),
        (one, other) => one == other,
    }
}

/// A value in words.
pub(super) fn in_words(value: &Value) -> String {
    match value {
        Value::Null => "nothing".into(),
        Value::Integer(value) => value.to_string(),
        Value::Real(value) => value.to_string(),
        Value::Text(value) => value.clone(),
        Value::Blob(bytes) => format!("{} bytes", bytes.len()),
    }
}
