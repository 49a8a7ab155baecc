//! A recording as text: all frames in a line each, or one frame in full.

use std::fmt::Write;

use crate::rig::frame::{ContactRow, Frame, JointRow, ReportRow, Solve, SurfaceRow};
use crate::rig::history::Stopped;
use crate::rig::scene::Scene;
use crate::words::{method_name, recorded_state, recorded_status};

/// Columns of text, each as wide as its longest entry, numbers to the right.
struct Columns {
    rows: Vec<Vec<String>>,
}

impl Columns {
    fn new(header: &[&str]) -> Self {
        Columns { rows: vec![header.iter().map(ToString::to_string).collect()] }
    }

    fn write(&self, out: &mut String) {
        let count = self.rows.first().map_or(0, Vec::len);
        let length = |row: &Vec<String>, at: usize| row.get(at).map_or(0, |text| text.chars().count());
        let widths: Vec<usize> =
            (0..count).map(|at| self.rows.iter().map(|row| length(row, at)).max().unwrap_or(0)).collect();
        for row in &self.rows {
            let line: Vec<String> =
                row.iter().zip(&widths).map(|(text, width)| format!("{text:>width$}", width = *width)).collect();
            let _ = writeln!(out, "  {}", line.join("  ").trim_end());
        }
    }
}

/// A number in a few characters: five digits, with an exponent where it is very small or large.
fn short(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() || (value == value.round() && size < 1e5) {
        format!("{value:.0}")
    } else if (1e-3..1e5).contains(&size) {
        let digits = (4 - size.log10().floor() as i32).clamp(0, 6) as usize;
        format!("{value:.digits$}")
    } else {
        format!("{value:.2e}")
    }
}

fn vector(values: &[f64]) -> String {
    values.iter().map(|value| short(*value)).collect::<Vec<_>>().join(" ")
}

/// A figure of a frame.
type Measure = fn(&Frame) -> f64;

/// All frames in a line each, and those to look at first.
pub fn overview(frames: &[Frame]) -> String {
    let header = ["frame", "time, s", "status", "contacts", "islands", "sweeps", "residual", "depth, m", "energy, J"];
    let mut columns = Columns::new(&header);
    for frame in frames {
        let report = &frame.report;
        columns.rows.push(vec![
            frame.number.to_string(),
            if frame.time > 0.0 { format!("{:.4}", frame.time) } else { "-".into() },
            recorded_status(report.status).into(),
            report.contacts.to_string(),
            report.islands.to_string(),
            report.sweeps.to_string(),
            short(report.residual),
            short(report.depth),
            if frame.time > 0.0 { short(frame.energy()) } else { "-".into() },
        ]);
    }
    let mut out = String::new();
    columns.write(&mut out);
    let unsolved = frames.iter().filter(|frame| frame.report.status != stiction::Status::Converged).count();
    let _ = writeln!(out, "\n{unsolved} of {} frames are not solved to the tolerance", frames.len());
    let measures: [(&str, Measure); 3] = [
        ("largest residual", |frame| frame.report.residual),
        ("deepest penetration", |frame| frame.report.depth),
        ("most sweeps", |frame| f64::from(frame.report.sweeps)),
    ];
    for (name, measure) in measures {
        let worst = frames.iter().max_by(|one, other| measure(one).total_cmp(&measure(other)));
        if let Some(frame) = worst.filter(|frame| measure(frame) > 0.0) {
            let _ = writeln!(out, "{name}: frame {}, {}", frame.number, short(measure(frame)));
        }
    }
    out
}

/// One frame in full. `histories` has one entry for each of its parts.
pub fn frame(scene: &Scene, frame: &Frame, histories: &[Vec<Stopped>]) -> String {
    let mut out = String::new();
    // A dump has no figures of the whole frame.
    if frame.time > 0.0 {
        figures(&mut out, frame);
    }
    if !frame.bodies.is_empty() {
        bodies(&mut out, scene, frame);
    }
    let name = |body: usize| scene.body_name(body).unwrap_or_else(|| body.to_string());
    for (at, solve) in frame.solves.iter().enumerate() {
        let nothing = if solve.contacts.is_empty() { ": no contacts" } else { "" };
        let _ = writeln!(out, "\npart {} of {}{nothing}", at + 1, frame.solves.len());
        if solve.contacts.is_empty() && solve.joints.is_empty() {
            continue;
        }
        islands(&mut out, solve);
        if !solve.contacts.is_empty() {
            contacts(&mut out, solve, &name);
        }
        if !solve.surfaces.is_empty() {
            surfaces(&mut out, solve);
        }
        if !solve.joints.is_empty() {
            joints(&mut out, solve, scene, &name);
        }
        if let Some(history) = histories.get(at) {
            convergence(&mut out, history);
        }
    }
    out
}

fn figures(out: &mut String, frame: &Frame) {
    let (report, ledger) = (&frame.report, &frame.report.ledger);
    let _ = writeln!(
        out,
        "energy      kinetic {} J, potential {} J",
        short(ledger.kinetic_after),
        short(ledger.potential_after)
    );
    let _ = writeln!(
        out,
        "work, J     load {}, integration {}, bounce {}, normal {}, friction {}, position correction {}",
        short(ledger.load),
        short(ledger.integration),
        short(ledger.bounce),
        short(ledger.normal),
        short(ledger.friction),
        short(ledger.position_correction)
    );
    if !frame.joints.is_empty() {
        let work = &frame.joint_work;
        let _ = writeln!(
            out,
            "of joints   motors {}, springs {}, friction {}; {} J in springs",
            short(work.motor),
            short(work.spring),
            short(work.friction),
            short(work.stored_after)
        );
    }
    let _ = writeln!(
        out,
        "contacts    {}, {} warm-started, {} with rows of the step before, {} left out; islands {}",
        report.contacts, report.warm_started, report.kept, report.contacts_left_out, report.islands
    );
    let _ = writeln!(
        out,
        "solved      {} sweeps, {} Newton steps, {} interior-point steps; {} factors made, {} corrections",
        report.sweeps,
        report.direct.newton_steps,
        report.direct.interior_steps,
        report.factor.factors,
        report.factor.corrections
    );
    let _ = writeln!(
        out,
        "residual    {}, approach {} m/s, depth {} m",
        short(report.residual),
        short(report.closing_speed),
        short(report.depth)
    );
    let notes = [
        (report.passivity_guard, "the passivity guard scaled impulses down"),
        (report.bounce_dropped, "a bounce was dropped"),
        (report.direct.memory_too_small, "the memory for direct methods was too small"),
        (report.factor.memory_too_small, "the memory for the kept factor was too small"),
        (report.safe_blocks > 0, "singular blocks were replaced"),
    ];
    for (_, note) in notes.iter().filter(|(applies, _)| *applies) {
        let _ = writeln!(out, "note        {note}");
    }
}

fn bodies(out: &mut String, scene: &Scene, frame: &Frame) {
    let header = ["body", "position, m", "orientation (w x y z)", "velocity, m/s", "angular velocity, rad/s"];
    let mut columns = Columns::new(&header);
    for (at, body) in frame.bodies.iter().enumerate() {
        let q = body.orientation.quaternion();
        columns.rows.push(vec![
            scene.bodies.get(at).map_or_else(|| at.to_string(), |entry| entry.name(at)),
            vector(body.position.as_slice()),
            vector(&[q.w, q.i, q.j, q.k]),
            vector(body.linear.as_slice()),
            vector(body.angular.as_slice()),
        ]);
    }
    out.push('\n');
    columns.write(out);
}

fn islands(out: &mut String, solve: &Solve) {
    let mut columns = Columns::new(&[
        "island",
        "status",
        "method",
        "sweeps",
        "bounce",
        "Newton",
        "interior",
        "residual",
        "approach, m/s",
        "worst contact",
        "work, J",
        "of friction, J",
    ]);
    for (at, report) in solve.reports.iter().enumerate() {
        let ReportRow { counts: [sweeps, bounce, newton, interior, _], numbers, .. } = report;
        let mut row = vec![at.to_string(), recorded_status(report.status).into(), method_name(report.method).into()];
        row.extend([sweeps, bounce, newton, interior].map(ToString::to_string));
        row.extend([short(numbers[0]), short(numbers[2])]);
        row.push(report.worst_contact.map_or("-".into(), |contact| contact.to_string()));
        row.extend([short(numbers[7] + numbers[8]), short(numbers[9])]);
        columns.rows.push(row);
    }
    columns.write(out);
}

fn contacts(out: &mut String, solve: &Solve, name: &dyn Fn(usize) -> String) {
    let mut columns = Columns::new(&[
        "contact",
        "island",
        "bodies",
        "state",
        "normal, N s",
        "bounce, N s",
        "friction, N s",
        "of its cone",
        "depth, m",
        "normal",
        "K_nt/K_nn",
        "condition",
        "slides for",
    ]);
    for (at, contact) in solve.contacts.iter().enumerate() {
        let ContactRow { bodies: [a, b], numbers: [depth, _, mu, normal, bounce, t1, t2], .. } = *contact;
        let friction = t1.hypot(t2);
        let diagnosis = &contact.diagnosis;
        columns.rows.push(vec![
            at.to_string(),
            contact.island.to_string(),
            format!("{}, {}", name(a), name(b)),
            recorded_state(contact.state, mu).into(),
            short(normal),
            short(bounce),
            short(friction),
            solve.friction_used(at).map_or("-".into(), |used| format!("{used:.3}")),
            short(depth),
            vector(contact.vectors[0].as_slice()),
            diagnosis.block.map_or("-".into(), |(coupling, ..)| format!("{coupling:.3}")),
            diagnosis.block.map_or("-".into(), |(_, condition, replaced)| {
                format!("{}{}", short(condition), if replaced { " (replaced)" } else { "" })
            }),
            diagnosis.sliding.map_or("-".into(), |(_, frames)| frames.to_string()),
        ]);
    }
    columns.write(out);
}

fn surfaces(out: &mut String, solve: &Solve) {
    let mut columns = Columns::new(&[
        "contact",
        "torsion, m",
        "rolling, m",
        "shared bound",
        "tread",
        "mu across",
        "moment, N m s",
        "at its bound",
    ]);
    for SurfaceRow { contact, surface, moment, reached } in &solve.surfaces {
        let names = ["slides", "spins", "rolls"].into_iter().zip(reached).filter(|(_, is)| **is).map(|(name, _)| name);
        let names: Vec<&str> = names.collect();
        columns.rows.push(vec![
            contact.to_string(),
            short(surface.torsion),
            short(surface.rolling),
            if surface.is_joined { "yes".into() } else { "-".into() },
            surface.tread.map_or("-".into(), |tread| vector(tread.direction.as_slice())),
            surface.tread.map_or("-".into(), |tread| short(tread.mu_across)),
            vector(moment.as_slice()),
            if names.is_empty() { "-".into() } else { names.join(", ") },
        ]);
    }
    columns.write(out);
}

fn joints(out: &mut String, solve: &Solve, scene: &Scene, name: &dyn Fn(usize) -> String) {
    let mut columns = Columns::new(&[
        "joint",
        "kind",
        "bodies",
        "position, rad or m",
        "at limit",
        "impulse, N s a substep",
        "angular, N m s",
        "apart, m",
    ]);
    for (at, joint) in solve.joints.iter().enumerate() {
        let JointRow { bodies: [a, b], state, impulses: [linear, angular], .. } = joint;
        columns.rows.push(vec![
            scene.joint_name(at),
            joint.kind.into(),
            format!("{}, {}", name(*a), name(*b)),
            short(state.position),
            if joint.is_at_limit { "yes".into() } else { "-".into() },
            short(linear.norm()),
            short(angular.norm()),
            short(state.error),
        ]);
    }
    columns.write(out);
}

/// Lines of an island's history that are shown.
const SHOWN: usize = 24;
/// Widest bar, in characters.
const BAR: f64 = 40.0;

/// A line for each stop of each island, with a bar for the decades of the residual above rounding.
fn convergence(out: &mut String, history: &[Stopped]) {
    let mut columns = Columns::new(&["island", "stopped at", "sweeps", "residual", "impulse change, N s", ""]);
    for island in history.chunk_by(|one, other| one.island == other.island) {
        let every = island.len().div_ceil(SHOWN).max(1);
        for (at, stopped) in island.iter().enumerate() {
            if at % every != 0 && at + 1 != island.len() {
                continue;
            }
            let decades = (stopped.residual.max(1e-17).log10() + 17.0) / 17.0;
            columns.rows.push(vec![
                stopped.island.to_string(),
                stopped.stop.to_string(),
                stopped.sweeps.to_string(),
                short(stopped.residual),
                short(stopped.impulse_change),
                format!("{:<width$}", "#".repeat((BAR * decades).clamp(0.0, BAR) as usize), width = BAR as usize),
            ]);
        }
    }
    columns.write(out);
}
