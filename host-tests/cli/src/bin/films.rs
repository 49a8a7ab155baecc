//! `films FOLDER`: writes every scene as a film for C and C++ to repeat, and prints the files.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use nalgebra::{Matrix3, Vector3};
use stiction::{
    InputError, Joint, JointAxis, JointKind, Jointed, Manifold, Motor, Pipeline, Real, RigidBody, SixRows, Spring,
    StepSettings, World,
};
use stiction_cli::rig::film::Film;
use stiction_cli::rig::frame::Detail;
use stiction_cli::rig::scene::Scene;
use stiction_cli::rig::scenes::ALL;
use stiction_cli::rig::simulation::{Precision, on_large_stack, simulate};
use stiction_scenes::boxes::{Boxes, manifold, sliding_cube, stack};
use stiction_scenes::robot::{BODIES, CONTACTS};

/// Frames of a scene that are filmed.
const FRAMES: u64 = 150;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: films FOLDER");
        return ExitCode::from(2);
    };
    match write(Path::new(&folder)) {
        Ok(films) => {
            films.iter().for_each(|film| println!("{}", film.display()));
            ExitCode::SUCCESS
        }
        Err(line) => {
            eprintln!("{line}");
            ExitCode::FAILURE
        }
    }
}

/// Writes all films into a folder.
fn write(folder: &Path) -> Result<Vec<PathBuf>, String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut films = Vec::new();
    for precision in [Precision::Single, Precision::Double] {
        // Films have no friction beyond sliding.
        let is_filmed = |scene: &Scene| !scene.has_surfaces();
        for (named, scene) in ALL.iter().map(|named| (named, named.scene())).filter(|(_, scene)| is_filmed(scene)) {
            let bytes = on_large_stack(|| {
                let mut simulation = simulate(&scene, precision)?;
                simulation.start_film()?;
                for _ in 0..scene.frames()?.min(FRAMES) {
                    simulation.step(Detail::Figures)?;
                }
                Ok(simulation.end_film())
            })?;
            films.push(keep(folder, &format!("{}-{}", named.name, precision.name()), &bytes)?);
        }
    }
    films.extend(board_scenes::<f32>(folder, "f32")?);
    films.extend(board_scenes::<f64>(folder, "f64")?);
    films.push(keep(folder, "machine-f32", &machine::<f32>().map_err(|error| error.to_string())?)?);
    films.push(keep(folder, "machine-f64", &machine::<f64>().map_err(|error| error.to_string())?)?);
    Ok(films)
}

fn keep(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, String> {
    let path = folder.join(format!("{name}.film"));
    std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

/// The scenes that the board also runs.
fn board_scenes<T: Real>(folder: &Path, precision: &str) -> Result<[PathBuf; 2], String> {
    let cube = of_boxes(sliding_cube::<T, BODIES, CONTACTS>())?;
    let boxes = of_boxes(stack::<T, BODIES, CONTACTS>(4))?;
    Ok([
        keep(folder, &format!("board-cube-{precision}"), &cube)?,
        keep(folder, &format!("board-stack-{precision}"), &boxes)?,
    ])
}

fn of_boxes<T: Real, const NB: usize, const NC: usize>(mut boxes: Boxes<T, NB, NC>) -> Result<Vec<u8>, String> {
    let mut film = Film::begin(&boxes.pipeline.settings, &boxes.world, &[], 0);
    for _ in 0..FRAMES {
        let margin = boxes.pipeline.settings.contact_margin;
        let found = |pair| manifold(&boxes.world, &boxes.halves, pair, margin);
        let manifolds: Vec<Manifold<T>> = boxes.pairs.iter().filter_map(found).collect();
        boxes.step().map_err(|error| error.to_string())?;
        film.step(boxes.dt, &manifolds, (&boxes.world, &boxes.pipeline));
    }
    Ok(film.end())
}

/// One joint of every kind, with limits, motors, friction and springs. Motors change while it runs.
fn machine<T: Real>() -> Result<Vec<u8>, InputError<T>> {
    const BODIES: usize = 10;
    type Rows = Jointed<BODIES, SixRows>;
    let n = T::lit;
    let mut world = World::<T, BODIES, Rows>::empty();
    let mut pipeline = Box::new(Pipeline::<T, BODIES, 64, 64, Rows>::with_factor_memory(StepSettings::default()));
    let base = world.push(RigidBody::fixed())?;
    let spring = Spring { rest: n(0.1), stiffness: n(60.0), damping: n(2.0) };
    let speed = |speed: f64| Some(Motor::Speed { speed: n(speed), max: n(30.0) });
    let pull = |position: f64| {
        Some(Motor::Position { position: n(position), stiffness: n(90.0), damping: n(6.0), max: n(40.0) })
    };
    let arm = |motor| {
        JointKind::Hinge(JointAxis { limits: Some([n(-0.9), n(1.1)]), motor, friction: n(0.3), ..JointAxis::FREE })
    };
    let carriage = |motor| JointKind::Slider(JointAxis { motor, spring: Some(spring), ..JointAxis::FREE });
    let (arm_at, carriage_at) = (speed(2.5), pull(0.3));
    let kinds = [
        arm(arm_at),
        carriage(carriage_at),
        JointKind::Ball,
        JointKind::Fixed,
        JointKind::Distance { length: n(0.75) },
        JointKind::Rope { length: n(0.8) },
        JointKind::Spring(spring),
    ];
    // Those after the carriage hang from what is before them.
    let (mut joints, mut before) = (Vec::new(), base);
    for (i, kind) in kinds.into_iter().enumerate() {
        let at = |x: f64, z: f64| Vector3::new(n(0.5 * x), n(0.1 * x), n(z));
        let position = at(i as f64 + 1.0, 2.0 - 0.2 * i as f64);
        let inertia = Matrix3::from_diagonal(&Vector3::new(n(0.02), n(0.03), n(0.025)));
        let body = world.push(RigidBody { position, ..RigidBody::from_mass(n(1.5), inertia) })?;
        let (parent, axis) = if i < 2 { (base, Vector3::y()) } else { (before, Vector3::x()) };
        let center = world.positions().get(parent).copied().unwrap_or_default();
        let middle = (center + position) * T::HALF;
        let joint = Joint { collide: i % 2 == 1, ..world.joint_between(parent, body, kind, [middle; 2], axis) };
        let joint = match kind {
            JointKind::Distance { .. } | JointKind::Rope { .. } | JointKind::Spring(_) => {
                Joint { anchor_a: Vector3::zeros(), anchor_b: Vector3::zeros(), ..joint }
            }
            _ => joint,
        };
        world.push_joint(joint)?;
        joints.push(joint);
        before = body;
    }
    let mut film = Film::begin(&pipeline.settings, &world, &joints, 0);
    for frame in 0..FRAMES {
        let changed = match frame {
            40 => Some((0, arm(speed(-3.0)))),
            60 => Some((1, carriage(pull(-0.4)))),
            80 => Some((0, arm(pull(0.5)))),
            110 => Some((1, carriage(None))),
            _ => None,
        };
        if let Some((index, kind)) = changed {
            let joint = Joint { kind, ..joints[index] };
            world.set_joint(index, joint)?;
            film.set_joint(index, &joint);
        }
        let dt = n(1.0 / 60.0);
        pipeline.step(&mut world, |_, _| Ok(()), dt)?;
        film.step(dt, &[], (&world, &pipeline));
    }
    Ok(film.end())
}
