//! `films FOLDER`: writes every scene as a film for C and C++ to repeat, and prints the files.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use stiction::Manifold;
use stiction::Real;
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
        // Films have no joints and no friction beyond sliding.
        let is_filmed = |scene: &Scene| !scene.has_surfaces() && scene.joints.is_empty();
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
    let mut film = Film::begin(&boxes.pipeline.settings, &boxes.world, 0);
    for _ in 0..FRAMES {
        let margin = boxes.pipeline.settings.contact_margin;
        let found = |pair| manifold(&boxes.world, &boxes.halves, pair, margin);
        let manifolds: Vec<Manifold<T>> = boxes.pairs.iter().filter_map(found).collect();
        boxes.step().map_err(|error| error.to_string())?;
        film.step((boxes.dt, boxes.pipeline.settings.substeps), &manifolds, &boxes.world);
    }
    Ok(film.end())
}
