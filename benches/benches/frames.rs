//! Frames in small steps beside Rapier: `cargo bench -p stiction-benches --bench frames`, or with the parts wanted
//! after `--`.
//!
//! Parts: `pairs` (for each of Rapier's settings that stands, one of ours that is no worse), `rest` (structures at rest
//! and hit, at default settings), `long` (the same for 100 s, without Rapier), `kicks` (blows of random size), `own`
//! (scenes of other kinds), `falling` (times to fall beside a converged solve). `STICTION_DRAW=1` stores the tables in
//! `benches/results`.

use stiction_benches::engines::{self, Run};
use stiction_benches::falling::falling;
use stiction_benches::frame_scenes::{self, Named};
use stiction_benches::rapier;
use stiction_benches::subjects::STACK_BYTES;
use stiction_benches::table::{Table, figure};

/// Numbers of iterations that Rapier is run with.
const RAPIER: [usize; 4] = [4, 8, 16, 32];
/// Our numbers of substeps.
const OURS: [u32; 10] = [2, 3, 4, 5, 6, 7, 8, 10, 12, 16];
/// Passes over all competitors; the fastest of each counts.
const PASSES: usize = 2;
/// A body that is farther from where it began than this part of the structure's height fell.
const FELL: f64 = 0.1;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let is_wanted = |part: &str| wanted.is_empty() || wanted.iter().any(|word| word == part);
    stiction_testkit::large_stack::on_large_stack(STACK_BYTES, || -> Result<(), String> {
        if is_wanted("pairs") {
            pairs()?;
        }
        if is_wanted("rest") {
            rest()?;
        }
        if is_wanted("long") {
            long()?;
        }
        if is_wanted("kicks") {
            kicks()?;
        }
        if is_wanted("own") {
            own()?;
        }
        if is_wanted("falling") {
            times_to_fall()?;
        }
        Ok(())
    })??;
    Ok(())
}

/// Runs of both engines, competitors in turn.
fn race(named: &Named, theirs_with: &[usize], ours: &[u32]) -> Result<(Vec<Run>, Vec<Run>), String> {
    let (mut theirs, mut mine) = (vec![None; theirs_with.len()], vec![None; ours.len()]);
    for _ in 0..PASSES {
        for (iterations, slot) in theirs_with.iter().zip(&mut theirs) {
            let run = rapier::rapier(named, *iterations)?;
            *slot = Some(run.or_faster(*slot));
        }
        for (substeps, slot) in ours.iter().zip(&mut mine) {
            *slot = Some(engines::frames(named, *substeps)?.or_faster(*slot));
        }
    }
    Ok((theirs.into_iter().flatten().collect(), mine.into_iter().flatten().collect()))
}

fn cells(run: &Run) -> Vec<String> {
    [run.nanoseconds * 1e-3, run.approach, run.penetration, run.drift, run.total].map(figure).to_vec()
}

const FIGURES: [&str; 5] = ["microseconds a frame", "approach m/s", "penetration m", "drift m", "total m"];

fn pairs() -> Result<(), String> {
    let (theirs, ours) = (FIGURES.join(","), FIGURES.map(|name| format!("ours {name}")).join(","));
    let mut table = Table::new("frame-pairs", &format!("scene,solver,{theirs},no worse: substeps,{ours}"));
    let (mut met, mut all) = (0, 0);
    for named in frame_scenes::all() {
        let (theirs, ours) = race(&named, &RAPIER, &OURS)?;
        // Boxes of a heap fall by design, and those on a belt slide at first.
        let moves = named.name.starts_with("heap") || named.name == "belt";
        let stands = |run: &Run| moves || run.total < FELL * named.height();
        for (iterations, their) in RAPIER.iter().zip(&theirs).filter(|(_, run)| stands(run)) {
            let no_worse = |run: &Run| {
                stands(run)
                    && run.approach <= their.approach
                    && run.penetration <= their.penetration
                    && run.drift <= their.drift
                    && run.nanoseconds <= their.nanoseconds
            };
            let found = OURS.iter().zip(&ours).find(|(_, run)| no_worse(run));
            all += 1;
            met += usize::from(found.is_some());
            let mut row = vec![format!("\"{}\"", named.name), format!("Rapier {iterations}")];
            row.extend(cells(their));
            row.push(found.map_or("none".into(), |(substeps, _)| substeps.to_string()));
            row.extend(found.map_or(vec![String::new(); 5], |(_, run)| cells(run)));
            table.row(&row);
        }
    }
    println!("{met} of {all}");
    table.keep();
    Ok(())
}

/// Structures at rest, and hit, at our default settings.
fn rest() -> Result<(), String> {
    let mut table = Table::new("frame-rest", &format!("scene,solver,{},time by Rapier 4", FIGURES.join(",")));
    for named in frame_scenes::at_rest() {
        let (theirs, mine) = race(&named, &RAPIER, &[8])?;
        let reference = theirs.first().map_or(1.0, |run| run.nanoseconds);
        let solvers = RAPIER.map(|n| format!("Rapier {n}")).into_iter().chain(["ours".to_string()]);
        for (solver, run) in solvers.zip(theirs.iter().chain(&mine)) {
            let mut row = vec![format!("\"{}\"", named.name), solver];
            row.extend(cells(run));
            row.push(figure(run.nanoseconds / reference));
            table.row(&row);
        }
    }
    table.keep();
    Ok(())
}

/// The same structures for 100 s: how far the worst body drifts in the second half.
fn long() -> Result<(), String> {
    let mut table = Table::new("frame-long", "scene,approach m/s,penetration m,drift m,total m");
    for mut named in frame_scenes::at_rest() {
        named.scene.seconds = 100.0;
        let run = engines::frames(&named, 8)?;
        let mut row = vec![format!("\"{}\"", named.name)];
        row.extend([run.approach, run.penetration, run.drift, run.total].map(figure));
        table.row(&row);
    }
    table.keep();
    Ok(())
}

/// Blows of random size on boxes of stacks and pyramids: how far the worst body drifts in the second half.
fn kicks() -> Result<(), String> {
    let mut table = Table::new("frame-kicks", "scene,body,m/s,approach m/s,penetration m,drift m,total m");
    for named in frame_scenes::random_kicks(40) {
        let run = engines::frames(&named, 8)?;
        let kick = named.kick.ok_or("no kick")?;
        let speed = (kick.velocity[0].powi(2) + kick.velocity[1].powi(2)).sqrt();
        let mut row = vec![format!("\"{}\"", named.name), kick.body.to_string(), figure(speed)];
        row.extend([run.approach, run.penetration, run.drift, run.total].map(figure));
        table.row(&row);
    }
    table.keep();
    Ok(())
}

fn own() -> Result<(), String> {
    let mut table = Table::new("frame-scenes", &format!("scene,solver,{}", FIGURES.join(",")));
    let (rapier, ours) = ([4, 8], [4, 8, 16]);
    for named in frame_scenes::own() {
        let (theirs, mine) = race(&named, &rapier, &ours)?;
        let solvers = rapier.map(|n| format!("Rapier {n}")).into_iter().chain(ours.map(|n| format!("ours {n}")));
        for (solver, run) in solvers.zip(theirs.iter().chain(&mine)) {
            let mut row = vec![format!("\"{}\"", named.name), solver];
            row.extend(cells(run));
            table.row(&row);
        }
    }
    table.keep();
    Ok(())
}

fn times_to_fall() -> Result<(), String> {
    let mut table =
        Table::new("frame-falls", "scene,substeps,seconds to 0.5 rad,of a converged solve,difference in percent");
    for (named, body) in frame_scenes::tipping() {
        let (reference, times) = falling(&named, body, &[1, 2, 4, 8, 16])?;
        for (substeps, time) in times {
            let difference = 100.0 * (time / reference - 1.0);
            let figures = [time, reference, difference].map(figure);
            let mut row = vec![format!("\"{}\"", named.name), substeps.to_string()];
            row.extend(figures);
            table.row(&row);
        }
    }
    table.keep();
    Ok(())
}
