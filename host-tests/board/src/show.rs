//! The robot's loop on the board: its log against the golden log, its bits against the host's, its faults solved again.

use std::path::Path;

use stiction::record::{RecordedBlock, blocks};
use stiction::{Pipeline, StepSettings, World};
use stiction_scenes::boxes::{Boxes, sliding_cube_with_factor, stack_with_factor};
use stiction_scenes::digest::{of_boxes, of_robot};
use stiction_scenes::robot::{BODIES, CONTACTS, Robot};
use stiction_tasks::figures::{Figure, parse};
use stiction_tasks::{draws, read as read_file};

use crate::emulator::{self, Machine};
use crate::firmware::Build;

/// Output of the robot's run.
pub struct Show {
    /// Its log without counts and dumps.
    pub lines: Vec<String>,
    /// Counted instructions by name.
    pub counts: Vec<Figure>,
    /// The flight recorder's bytes after each fault.
    pub dumps: Vec<Vec<u8>>,
}

/// Builds the robot's firmware, runs it and reads its log.
pub fn run(root: &Path) -> Result<Show, String> {
    let program = Build::default().build(root)?;
    read(emulator::decode(&program, &emulator::run(Machine::Stm32f405, &program)?)?)
}

fn read(log: Vec<String>) -> Result<Show, String> {
    let mut show = Show { lines: Vec::new(), counts: Vec::new(), dumps: Vec::new() };
    let mut bytes = Vec::new();
    for line in log {
        if let Some(count) = line.strip_prefix("count ") {
            show.counts.push(parse(count)?);
        } else if line == "dump ends" {
            show.dumps.push(std::mem::take(&mut bytes));
        } else if let Some(list) = line.strip_prefix("dump [").and_then(|rest| rest.strip_suffix(']')) {
            for byte in list.split(", ") {
                bytes.push(byte.parse().map_err(|_| format!("dump: {byte} is no byte"))?);
            }
        } else {
            show.lines.push(line);
        }
    }
    Ok(show)
}

/// Compares every digest in the log with that of the same scene run here.
pub fn compare_with_host(lines: &[String]) -> Result<usize, String> {
    let words = |error: stiction::InputError<f32>| error.to_string();
    let mut boxes: [(&str, Boxes<f32, BODIES, CONTACTS, 0>); 2] =
        [("sliding cube", sliding_cube_with_factor()), ("stack of four", stack_with_factor(4))];
    let mut expected = Vec::new();
    for (name, scene) in &mut boxes {
        expected.push((name.to_string(), of_boxes(scene).map_err(words)?));
    }
    expected.push(("robot".into(), of_robot(&mut Robot::<f32>::new().map_err(words)?).map_err(words)?));
    for (name, digest) in &expected {
        let end = format!("digest {:016x}", digest.0);
        let line = lines.iter().find(|line| line.starts_with(name.as_str()) && line.contains("digest "));
        match line {
            Some(line) if line.ends_with(&end) => {}
            Some(line) => return Err(format!("the board says '{line}', the host '{end}'")),
            None => return Err(format!("the board says nothing of {name}")),
        }
    }
    Ok(expected.len())
}

/// Repeats the steps of a dump; returns how many ended with the same bits, and how many of them a deadline cut short.
pub fn solve_again(dump: &[u8]) -> Result<(usize, usize), String> {
    let mut inputs = Vec::new();
    let (mut same, mut cut) = (0, 0);
    let mut world = World::<f32, BODIES>::new();
    let mut pipeline = Pipeline::<f32, BODIES, CONTACTS>::new(StepSettings::default());
    for block in blocks(dump) {
        match block.map_err(|error| error.to_string())? {
            RecordedBlock::Input(_) => return Err("a solve without a step in the dump".into()),
            RecordedBlock::Step(step) => inputs.push(step),
            RecordedBlock::Outcome(outcome) => {
                let Some(step) = inputs.iter().find(|step| step.number == outcome.number) else { continue };
                let digest = step
                    .step(outcome.stopped_at, &mut world, &mut pipeline, None, None)
                    .map_err(|error| error.to_string())?;
                if digest != outcome.digest {
                    return Err(format!("step {} ends differently here", outcome.number));
                }
                same += 1;
                cut += usize::from(outcome.stopped_at.is_some());
            }
        }
    }
    if same > 0 { Ok((same, cut)) } else { Err("no step in the dump".into()) }
}

/// Draws the load on each foot.
pub fn picture(root: &Path, lines: &[String]) -> Result<String, String> {
    let (mut times, mut feet) = (Vec::new(), [const { Vec::new() }; 4]);
    for line in lines {
        let Some(rest) = line.strip_prefix("tick ") else { continue };
        let tick: f64 = rest.split(' ').next().and_then(|word| word.parse().ok()).ok_or("a tick without a number")?;
        let carried = rest.split_once("feet carry ").and_then(|(_, rest)| rest.split_once(" N,")).map(|(list, _)| list);
        let carried: Vec<f64> = carried.into_iter().flat_map(|list| list.split(' ')).flat_map(str::parse).collect();
        times.push(tick * 1e-3);
        for (foot, series) in feet.iter_mut().enumerate() {
            series.push(carried.get(foot).copied().ok_or("a tick without four forces")?);
        }
    }
    let series: Vec<(&str, Vec<f64>)> =
        ["front left", "front right", "hind left", "hind right"].into_iter().zip(feet).collect();
    let caption = "landing, stance, pushed against a wall, pulled over ice, jump, landing; one figure in 50 ms";
    let svg = stiction_pictures::curves("A robot's feet, as the board solved them", caption, "N", &times, &series);
    let folder = root.join("target/demo");
    let file = folder.join("robot.svg");
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&file, svg))
        .map_err(|error| format!("{}: {error}", file.display()))?;
    Ok("target/demo/robot.svg".into())
}

/// Compares the log with the golden log, or updates that if requested.
pub fn compare_with_golden(root: &Path, lines: &[String]) -> Result<(), String> {
    let path = root.join("embedded-example/golden/robot.txt");
    let text = lines.join("\n") + "\n";
    if draws() {
        std::fs::write(&path, &text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let golden = read_file(&path)?;
    for (number, (is, was)) in text.lines().zip(golden.lines()).enumerate() {
        if is != was {
            return Err(format!("robot.txt:{}: '{is}', golden is '{was}'", number + 1));
        }
    }
    let (is, was) = (text.lines().count(), golden.lines().count());
    if is == was { Ok(()) } else { Err(format!("{is} lines, golden has {was}: STICTION_DRAW=1 updates it")) }
}

/// The figure before a word of a line.
fn before(line: &str, word: &str) -> Option<f64> {
    line.split(word).next()?.split_whitespace().last()?.parse().ok()
}

/// Whether the log shows the expected behaviour of each phase: the wall pushes back, and feet slide on ice.
fn check_phases(lines: &[String]) -> Result<(), String> {
    let any = |phase: &str, word: &str, more_than: f64| {
        let of_phase = lines.iter().filter(|line| line.starts_with("tick ") && line.contains(phase));
        of_phase.filter_map(|line| before(line, word)).any(|figure| figure.abs() > more_than)
    };
    let seen = [
        ("stance carries", any(" stance:", " N, ", 10.0)),
        ("push is pushed back", any(" push:", " N sideways", 1.0)),
        ("slip slides", any(" slip:", " slide", 0.5)),
        ("landing carries", any(" landing:", " N, ", 10.0)),
    ];
    match seen.iter().find(|(_, seen)| !seen) {
        Some((what, _)) => Err(format!("the board was not seen to do what its phases say: {what}")),
        None => Ok(()),
    }
}

/// All checks of the robot for `cargo verify`.
pub fn verify(root: &Path) -> Result<Show, String> {
    let show = run(root)?;
    compare_with_golden(root, &show.lines)?;
    let scenes = compare_with_host(&show.lines)?;
    println!("    {scenes} scenes end with the host's bits; the log is the golden one");
    if !show.lines.iter().any(|line| line.starts_with("fault: deadline missed true")) {
        return Err("the deadline that was to be missed was not".into());
    }
    check_phases(&show.lines)?;
    let [first, second] = show.dumps.as_slice() else {
        return Err(format!("{} dumps, should be 2", show.dumps.len()));
    };
    for (fault, dump) in [first, second].into_iter().enumerate() {
        let (solves, cut) = solve_again(dump)?;
        println!("    fault {}: {solves} solves of the dump, {cut} cut short, end here with the same bits", fault + 1);
        if solves < 4 || cut != 1 {
            return Err(format!(
                "fault {}: {solves} solves, {cut} cut short; should be four or more, and one",
                fault + 1
            ));
        }
    }
    if first == second { Err("both faults left the same dump".into()) } else { Ok(show) }
}
