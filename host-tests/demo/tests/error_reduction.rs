//! What the error-reduction parameter does, for every kind of position correction: a cube that starts in the ground, a
//! stack at rest, a cube that slides. The tables are in the book; `STICTION_DRAW=1 cargo test -p stiction-demo` writes
//! them.

use nalgebra::{UnitQuaternion, Vector3};
use stiction::step::manifold::{Side, contacts_of};
use stiction::{
    ContactCache, Contacts, MethodChoice, PointId, PositionCorrection, RigidBody, Settings, Solver, SweepOrder,
};
use stiction_pictures::{Axis, Scale, lines};
use stiction_repo_checks::{part, whole};
use stiction_scenes::boxes::{Boxes, FRAME, HALF_SIDE, manifold, slide, stack};

const PAGE: &str = "docs/book/src/error-reduction.md";

/// Fractions of a penetration that a step, or a substep, corrects, and their names. The second is the default of steps.
const VALUES: [(f64, &str); 8] = [
    (0.05, "0.05"),
    (1.0 / 17.0, "1/17"),
    (0.1, "0.1"),
    (0.2, "0.2"),
    (0.3, "0.3"),
    (0.4, "0.4"),
    (0.6, "0.6"),
    (0.8, "0.8"),
];

/// Boxes of the two stacks.
const LOW: usize = 4;
const HIGH: usize = 8;
/// Bodies and contacts of the largest scene.
const NB: usize = HIGH + 1;
const NC: usize = 4 * HIGH;

/// Depth at which the sunk cube starts, m.
const SUNK: f64 = 0.02;
/// Overlap of neighbours in the stack at the start, m.
const OVERLAP: f64 = 0.001;
/// Depth at which the sliding cube starts, m.
const SLIDING_DEPTH: f64 = 0.01;
/// A cube has settled while it is this close to the surface, m.
const SETTLED: f64 = 1e-4;
/// Gap up to which the bare solver has contacts, m.
const MARGIN: f64 = 0.01;

/// What corrects positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A bare solve with a target speed in its contact phase.
    Bias,
    /// A bare solve with a second velocity that moves bodies once.
    Split,
    /// A step with its default settings but for the parameter.
    Step,
    /// A step without its kept factor.
    Swept,
}

const KINDS: [Kind; 3] = [Kind::Bias, Kind::Split, Kind::Step];

/// A scene, and what a program around a bare solver keeps from frame to frame.
struct Run {
    boxes: Boxes<f64, NB, NC>,
    kind: Kind,
    settings: Settings<f64>,
    solver: Solver<f64, NB, NC>,
    cache: ContactCache<f64, NC>,
}

impl Run {
    /// No slop in either case, so that the parameter alone decides.
    fn new(mut boxes: Boxes<f64, NB, NC>, kind: Kind, error_reduction: f64) -> Box<Self> {
        let position_correction = match kind {
            Kind::Bias => PositionCorrection::Bias,
            _ => PositionCorrection::SplitImpulse,
        };
        let settings = Settings { position_correction, error_reduction, slop: 0.0, ..Settings::default() };
        boxes.pipeline.settings.solver.error_reduction = error_reduction;
        boxes.pipeline.settings.solver.slop = 0.0;
        if kind == Kind::Swept {
            boxes.pipeline.settings.solver.method = MethodChoice::Sweeps;
        }
        Box::new(Run { boxes, kind, settings, solver: Solver::new(), cache: ContactCache::new() })
    }

    fn step(&mut self) {
        match self.kind {
            Kind::Bias | Kind::Split => self.solve_and_move(),
            Kind::Step | Kind::Swept => {
                self.boxes.step().expect("a valid scene");
            }
        }
    }

    /// Semi-implicit Euler around a bare solve: gravity, contacts, velocities, positions.
    fn solve_and_move(&mut self) {
        let (world, dt) = (&mut self.boxes.world, self.boxes.dt);
        let mut bodies = world.bodies().clone();
        for body in 1..world.len() {
            let (v, w) = (bodies.linear_velocities()[body], bodies.angular_velocities()[body]);
            bodies.set_velocity(body, v + self.boxes.pipeline.settings.gravity * dt, w).expect("a speed");
        }
        let (mut contacts, mut ids) = (Contacts::<f64, NC>::new(), Vec::<PointId>::new());
        for touching in self.boxes.pairs.iter().filter_map(|pair| manifold(world, &self.boxes.halves, pair, MARGIN)) {
            let sides = [touching.a, touching.b].map(|body| (bodies.get(body).expect("a body"), body));
            let [a, b] = [&sides[0], &sides[1]].map(|(body, index)| {
                let material = world.get(*index).expect("a body").material;
                Side { body, centre: world.positions()[*index], material }
            });
            for (contact, id) in contacts_of(&touching, &a, &b, self.settings.restitution_threshold) {
                contacts.push(contact).expect("a contact");
                ids.push(id);
            }
        }
        self.cache.warm_start(&mut contacts, &ids);
        self.solver.solve(&mut bodies, &contacts, &self.settings, dt).expect("a valid problem");
        self.cache.remember(&contacts, &ids, &self.solver);
        for body in 1..world.len() {
            let (v, w) = (bodies.linear_velocities()[body], bodies.angular_velocities()[body]);
            let correction = self.solver.position_correction(body).expect("a body");
            let old = world.get(body).expect("a body");
            let rotation = UnitQuaternion::from_scaled_axis((w + correction.angular) * dt);
            let new = RigidBody {
                position: old.position + (v + correction.linear) * dt,
                orientation: rotation * old.orientation,
                linear_velocity: v,
                angular_velocity: w,
                ..old
            };
            world.set(body, new).expect("a body");
        }
    }

    fn position(&self, body: usize) -> Vector3<f64> {
        self.boxes.world.positions()[body]
    }

    /// Moves a body down, m.
    fn sink(&mut self, body: usize, way: f64) {
        let old = self.boxes.world.get(body).expect("a body");
        self.boxes.world.set(body, RigidBody { position: old.position - Vector3::z() * way, ..old }).expect("a body");
    }

    /// Deepest penetration, m.
    fn depth(&self) -> f64 {
        let found =
            self.boxes.pairs.iter().filter_map(|pair| manifold(&self.boxes.world, &self.boxes.halves, pair, 1.0));
        found.flat_map(|manifold| manifold.points).map(|point| point.depth).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// A cube that starts at rest, partly in the ground.
#[derive(Debug)]
struct Sunk {
    /// When it is at the surface and stays there, s.
    settled: Option<f64>,
    /// How far it hops above the surface, m.
    rise: f64,
    /// Largest energy above that of a cube at rest on the surface, J.
    energy: f64,
}

fn sunk(kind: Kind, error_reduction: f64) -> Sunk {
    let mut run = Run::new(stack(1), kind, error_reduction);
    let at_rest = run.boxes.energy();
    run.sink(1, SUNK);
    let (mut rise, mut energy, mut course) = (0.0_f64, 0.0_f64, vec![SUNK]);
    for _ in 0..180 {
        run.step();
        rise = rise.max(run.position(1).z - HALF_SIDE);
        energy = energy.max(run.boxes.energy() - at_rest);
        course.push(run.depth());
    }
    let last_away = course.iter().rposition(|depth| depth.abs() > SETTLED).unwrap_or(0);
    let settled = (last_away + 1 < course.len()).then_some((last_away + 1) as f64 * FRAME);
    Sunk { settled, rise, energy }
}

/// Boxes on each other.
#[derive(Debug)]
struct Stacked {
    /// Largest sideways way of a box over the whole run, m.
    sideways: f64,
    /// Largest way of a box in the second half of the run, m.
    drift: f64,
    /// Energy above that of the stack with touching boxes, J.
    energy: f64,
    /// Penetration at the end, m.
    left: f64,
}

fn stacked(count: usize, kind: Kind, error_reduction: f64) -> Stacked {
    walk(&mut Run::new(stack(count), kind, error_reduction), count)
}

/// Lets boxes on each other overlap a little, and follows them for a thousand frames.
fn walk(run: &mut Run, count: usize) -> Stacked {
    let at_rest = run.boxes.energy();
    for body in 1..=count {
        run.sink(body, OVERLAP * body as f64);
    }
    let places = |run: &Run| (1..=count).map(|body| run.position(body)).collect::<Vec<_>>();
    let (start, mut energy, mut middle) = (places(run), 0.0_f64, Vec::new());
    for frame in 0..1000 {
        if frame == 500 {
            middle = places(run);
        }
        run.step();
        energy = energy.max(run.boxes.energy() - at_rest);
    }
    let end = places(run);
    let largest = |ways: &mut dyn Iterator<Item = f64>| ways.fold(0.0, f64::max);
    Stacked {
        sideways: largest(&mut start.iter().zip(&end).map(|(a, b)| (a - b).xy().norm())),
        drift: largest(&mut middle.iter().zip(&end).map(|(a, b)| (a - b).norm())),
        energy,
        left: run.depth().max(0.0),
    }
}

/// A cube that slides along its diagonal and starts in the ground.
#[derive(Debug)]
struct Slid {
    /// How much sooner it stops than without penetration, m.
    short: f64,
    /// How far it hops above the surface, m.
    rise: f64,
}

fn slid(kind: Kind, error_reduction: f64) -> Slid {
    let way = |depth: f64| {
        let mut boxes = stack(1);
        slide(&mut boxes);
        let mut run = Run::new(boxes, kind, error_reduction);
        run.sink(1, depth);
        let mut rise = 0.0_f64;
        for _ in 0..150 {
            run.step();
            rise = rise.max(run.position(1).z - HALF_SIDE);
        }
        (run.position(1).xy().norm(), rise)
    };
    let ((without, _), (with, rise)) = (way(0.0), way(SLIDING_DEPTH));
    Slid { short: without - with, rise }
}

/// A length in mm; 0 below half a micrometre.
fn mm(metres: f64) -> String {
    if metres.abs() < 5e-7 { "0".into() } else { format!("{:.3}", 1e3 * metres) }
}

/// An energy in J; 0 below half a millijoule.
fn joule(energy: f64) -> String {
    if energy.abs() < 5e-4 { "0".into() } else { format!("{energy:.3}") }
}

/// A table with a row for each value.
fn table(head: &str, row: impl Fn(f64) -> Vec<String>) -> String {
    let columns = head.matches('|').count() - 1;
    let rows = VALUES.iter().map(|(value, name)| format!("| {name} | {} |\n", row(*value).join(" | ")));
    format!("{head}\n|{}\n{}", "---:|".repeat(columns), rows.collect::<String>())
}

/// The same measure of every kind, as cells.
fn cells<M>(all: &[M; 3], cell: impl Fn(&M) -> String) -> impl Iterator<Item = String> {
    all.iter().map(cell).collect::<Vec<_>>().into_iter()
}

#[test]
fn a_sunk_cube_rises_without_energy_unless_a_bias_lifts_it() {
    let head = "| | settled, s: bias | split | step | hop, mm: bias | energy, J: bias |";
    let rows = table(head, |value| {
        let all = KINDS.map(|kind| sunk(kind, value));
        assert!(all[1..].iter().all(|cube| cube.energy < 1e-9 && cube.rise < 1e-9), "{value}: {all:?}");
        // It leaves the ground where the speed that is left after a step exceeds what the rest of the depth allows.
        let hops = (2.0 * value - 1.0) * SUNK > 9.81 * FRAME * FRAME;
        assert_eq!(all[0].rise > 1e-3, hops, "{value}: {all:?}");
        let settled = |cube: &Sunk| cube.settled.map_or("–".into(), |time| format!("{time:.2}"));
        cells(&all, settled).chain([mm(all[0].rise), joule(all[0].energy)]).collect()
    });
    part(PAGE, "sunk cube", &rows);
}

#[test]
fn a_low_stack_drifts_less_than_a_millimetre_unless_a_bias_makes_it_walk() {
    let measured = VALUES.map(|(value, _)| KINDS.map(|kind| stacked(LOW, kind, value)));
    for all in &measured {
        assert!(all[1..].iter().all(|stack| stack.sideways < 1e-3 && stack.energy < 1e-6), "{all:?}");
    }
    // Where its sweeps converge, the bias does not make it walk.
    let mut solved = Run::new(stack(LOW), Kind::Bias, 0.8);
    solved.settings.sweeps = 1000;
    assert!(walk(&mut solved, LOW).sideways < 1e-6);
    let head = "| | sideways, mm: bias | split | step | depth, mm: bias | split | step | energy, J: bias |";
    let row = |value: f64| {
        let index = VALUES.iter().position(|(other, _)| *other == value).expect("a value");
        let all = &measured[index];
        cells(all, |stack| mm(stack.sideways))
            .chain(cells(all, |stack| mm(stack.left)))
            .chain([joule(all[0].energy)])
            .collect()
    };
    part(PAGE, "low stack", &table(head, row));
    let names = ["bias", "split impulse", "step"];
    let series: Vec<_> = names
        .iter()
        .enumerate()
        .map(|(kind, name)| (*name, measured.iter().map(|all| (1e3 * all[kind].sideways).max(1e-4)).collect()))
        .collect();
    let axis = Axis {
        x: "error reduction",
        y: "sideways way of a box, mm",
        scale: Scale::Logarithmic,
        x_scale: Scale::Linear,
    };
    let caption =
        "Four boxes of 1 m and 1 kg on each other, 1000 frames of 1/60 s; values below 0.1 µm are drawn there";
    let xs: Vec<f64> = VALUES.iter().map(|(value, _)| *value).collect();
    let svg = lines("How far a stack walks while penetration is corrected", caption, &axis, &xs, &series);
    whole("docs/book/src/pictures/error-reduction.svg", &svg);
}

#[test]
fn a_sliding_cube_stops_short_only_where_a_bias_lifts_it() {
    let head = "| | stops short by, mm: bias | split | step | hop, mm: bias |";
    let rows = table(head, |value| {
        let all = KINDS.map(|kind| slid(kind, value));
        assert!(all[1..].iter().all(|cube| cube.short.abs() < 1e-5 && cube.rise < 1e-9), "{value}: {all:?}");
        // Friction follows the bias: the way that is lost is the friction coefficient times the way up.
        assert!((all[0].short - 0.5 * SLIDING_DEPTH).abs() < 2e-4, "{value}: {all:?}");
        cells(&all, |cube| mm(cube.short)).chain([mm(all[0].rise)]).collect()
    });
    part(PAGE, "sliding cube", &rows);
}

/// A stack in bare solves, and in steps that sweep, in one order.
fn in_order(count: usize, kind: Kind, order: SweepOrder, sweeps: u32) -> Stacked {
    let mut run = Run::new(stack(count), kind, if kind == Kind::Split { 0.2 } else { 1.0 / 17.0 });
    (run.settings.order, run.settings.sweeps) = (order, sweeps);
    let solver = &mut run.boxes.pipeline.settings.solver;
    (solver.order, solver.sweeps) = (order, sweeps);
    walk(&mut run, count)
}

#[test]
fn forward_sweeps_let_stacks_walk_that_alternating_ones_hold() {
    let mut rows = String::from("| boxes | | sweeps | alternating, mm | forward, mm |\n|---:|---|---:|---:|---:|\n");
    for (kind, name) in [(Kind::Split, "bare solves"), (Kind::Swept, "steps")] {
        for (count, sweeps) in [(2, 50), (4, 50), (6, 50), (8, 50), (4, 4), (8, 4)] {
            let [alternating, forward] = [SweepOrder::Alternating, SweepOrder::Forward]
                .map(|order| in_order(count, kind, order, sweeps).sideways);
            rows += &format!("| {count} | {name} | {sweeps} | {} | {} |\n", mm(alternating), mm(forward));
            if kind == Kind::Split && count == 8 && sweeps == 50 {
                assert!(alternating < 0.01 && forward > 0.1, "{alternating} {forward}");
            }
            // What steps leave does not depend much on the order: they are solved in substeps.
            assert!(kind == Kind::Split || forward < 5e-3, "{count} {sweeps}: {forward}");
        }
    }
    part("docs/convergence.md", "order from frame to frame", &rows);
}

#[test]
fn a_high_stack_shows_what_sweeps_leave_and_what_softness_does() {
    let head = "| | sideways, mm: split | step | later drift, mm: split | step | depth, mm: split | step |";
    let rows = table(head, |value| {
        let [split, step] = [Kind::Split, Kind::Swept].map(|kind| stacked(HIGH, kind, value));
        assert!(split.energy < 1e-6 && step.energy < 1e-6, "{value}: {split:?} {step:?}");
        [split.sideways, step.sideways, split.drift, step.drift, split.left, step.left].map(mm).to_vec()
    });
    let drift = |value| stacked(HIGH, Kind::Swept, value).drift;
    assert!(drift(1.0 / 17.0) < 1e-7 && drift(0.8) > 1e-4);
    // The bare solver's drift is what its sweeps leave.
    let mut solved = Run::new(stack(HIGH), Kind::Split, 0.2);
    solved.settings.sweeps = 1000;
    assert!(walk(&mut solved, HIGH).drift < 1e-7);
    part(PAGE, "high stack", &rows);
}
