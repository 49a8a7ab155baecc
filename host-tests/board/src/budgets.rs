//! The solver's cost on the board: counted, compared with the committed figures and with limits.

use std::path::Path;
use stiction::Hooks;

use stiction_scenes::heavy::{BODIES, CONTACTS, SLOTS, heavy_stack};
use stiction_scenes::{moments, rest};

use crate::emulator::{self, Machine};
use crate::firmware::Build;
use crate::leg;
use crate::panics::only_the_log_panics;
use crate::weights::{self, code, weigh};
use stiction_tasks::figures::{self, Figure, parse};

/// Where the committed figures are.
const COMMITTED: &str = "embedded-example/golden/budgets.txt";

/// Allowed relative difference from the committed figure: another compiler orders instructions differently.
const SLACK: f64 = 0.02;

/// Limits that are not met yet; the README names them. Remove a limit from this list once it is met.
const MISSED: [&str; 3] = ["solve_code_s", "firmware_code_s", "firmware_code_3"];

/// Limits by name.
const LIMITS: [(&str, u64); 27] = [
    ("stick_visit", 400),
    ("slide_visit", 650),
    ("stick_8_contacts_10_sweeps", 60_000),
    ("slide_8_contacts_10_sweeps", 60_000),
    ("stick_default_settings_10_sweeps", 60_000),
    ("slide_default_settings_10_sweeps", 60_200),
    // A step of the robot ends before its deadline of 800 µs.
    ("robot_step_most", 800 * 168),
    // A step of the jointed leg ends within its millisecond.
    ("leg_step_most", 1000 * 168),
    ("leg_step_most_without_factor", 1000 * 168),
    // The square-root instruction is used, and it is faster.
    ("roots_by_instruction", 20_000),
    ("memory", 4096),
    ("direct_memory", 128 << 10),
    ("solve_stack", 768),
    // 768 before the deadline was checked and the status was that of the worst part, 800 before reports counted safe blocks.
    ("solve_stack_bouncing", 808),
    ("solve_stack_without_friction", 808),
    ("different_roots", 0),
    ("step_stack", 1536),
    ("solve_code_s", 16 << 10),
    ("solve_code_3", (28 << 10) + 768),
    ("firmware_code_s", 48 << 10),
    ("firmware_code_3", 48 << 10),
    // Noticed within a sweep, and the work after the sweeps takes no more than its reserve: the whole call overruns by
    // at most a sweep.
    ("deadline_noticed_late", 8 * 650),
    ("deadline_closing", 8 * 1200),
    ("deadline_overrun", 8 * 650),
    ("deadline_noticed_late_bouncing", 8 * 650),
    ("deadline_closing_bouncing", 8 * 2400),
    ("deadline_overrun_bouncing", 8 * 650),
];

/// Counts everything and compares.
pub fn check(root: &Path, robot: &[Figure]) -> Result<(), String> {
    let loud = Build::default().build(root)?;
    only_the_log_panics(&loud)?;
    // The firmware's log formats numbers as well.
    code(&loud)?;
    let mut counts = measured(root)?;
    counts.extend(measured_directly(root)?);
    counts.extend(measured_with_moments(root)?);
    counts.extend(measured_at_rest(root)?);
    counts.extend(leg::measured(root)?);
    counts.extend(robot.iter().cloned());
    counts.extend(sizes(root)?);
    // Figures are updated where that was requested, also those beyond a limit.
    figures::committed(root, COMMITTED, &counts)?;
    let names: Vec<&str> = LIMITS.iter().map(|(name, _)| *name).chain(MISSED).collect();
    if let Some(name) = names.iter().find(|name| counts.iter().filter(|(counted, _)| counted == *name).count() != 1) {
        return Err(format!("{name} has a limit and was not counted once"));
    }
    for (name, count) in &counts {
        let limit = LIMITS.iter().find(|(limited, _)| limited == name).map(|(_, limit)| *limit);
        let over = limit.filter(|limit| count > limit);
        let limit = limit.map_or(String::new(), |limit| format!(", limit {limit}"));
        let missed = MISSED.contains(&name.as_str());
        println!("    {name} {count}{limit}{}", if over.is_some() { ", not reached" } else { "" });
        match (over, missed) {
            (Some(limit), false) => return Err(format!("{name} is {count}, its limit is {limit}")),
            (None, true) => return Err(format!("{name} is {count} and no longer missed: take it off the list")),
            _ => {}
        }
    }
    figures::compare(root, COMMITTED, &counts, SLACK, 0)
}

/// The counts of the `budget` firmware.
fn measured(root: &Path) -> Result<Vec<Figure>, String> {
    let program = Build { program: "budget", ..Build::default() }.build(root)?;
    let log = emulator::decode(&program, &emulator::run(Machine::Stm32f405, &program)?)?;
    if !log.iter().any(|line| line.starts_with("deadline:") && line.ends_with("passive true")) {
        return Err(format!("the solve that was cut short is not said to be passive: {log:?}"));
    }
    let counts: Vec<_> =
        log.iter().filter_map(|line| line.strip_prefix("count ")).map(parse).collect::<Result<_, _>>()?;
    for name in ["stick_contacts", "slide_contacts"] {
        // Otherwise it counts a different case.
        if !counts.contains(&(name.into(), 8)) {
            return Err(format!("{name} is not 8: {counts:?}"));
        }
    }
    if !counts.iter().any(|(name, bytes)| name == "stack_of_512" && (512..640).contains(bytes)) {
        return Err(format!("the stack's measure is off: {counts:?}"));
    }
    Ok(counts)
}

/// The counts of the `direct` firmware; its velocities must be those of the host.
fn measured_directly(root: &Path) -> Result<Vec<Figure>, String> {
    let program = Build { program: "direct", ..Build::default() }.build(root)?;
    let log = emulator::decode(&program, &emulator::run(Machine::Stm32f405, &program)?)?;
    let expected = direct_on_the_host().map_err(|error| error.to_string())?;
    let said = log.iter().find(|line| line.starts_with("direct:")).ok_or("the board solved nothing directly")?;
    println!("    {said}");
    if !said.starts_with("direct: converged true") || !said.ends_with(&format!("digest {expected:016x}")) {
        return Err(format!("{said}; the host's digest is {expected:016x}"));
    }
    log.iter().filter_map(|line| line.strip_prefix("count ")).map(parse).collect()
}

fn direct_on_the_host() -> Result<u64, stiction::InputError<f32>> {
    let (mut bodies, mut contacts) = (stiction::Bodies::new(), stiction::Contacts::new());
    heavy_stack(&mut bodies, &mut contacts)?;
    let settings = stiction::Settings { method: stiction::MethodChoice::Direct, ..Default::default() };
    let mut direct_memory = stiction::DirectMemory::<f32, CONTACTS, SLOTS>::new();
    let mut solver = stiction::Solver::<f32, BODIES, CONTACTS>::new();
    solver.solve_with(&mut bodies, &contacts, &settings, 1.0 / 60.0, Hooks::with_direct(direct_memory.view()))?;
    Ok(stiction::record::digest(&bodies))
}

/// The counts of the `moments` firmware; its velocities must be those of the host.
fn measured_with_moments(root: &Path) -> Result<Vec<Figure>, String> {
    let program = Build { program: "moments", ..Build::default() }.build(root)?;
    let log = emulator::decode(&program, &emulator::run(Machine::Stm32f405, &program)?)?;
    let expected = moments_on_the_host().map_err(|error| error.to_string())?;
    let said = log.iter().find(|line| line.starts_with("moments:")).ok_or("the board solved no moments")?;
    println!("    {said}");
    if !said.ends_with(&format!("digest {expected:016x}")) {
        return Err(format!("{said}; the host's digest is {expected:016x}"));
    }
    let counts: Vec<_> =
        log.iter().filter_map(|line| line.strip_prefix("count ")).map(parse).collect::<Result<_, _>>()?;
    // Otherwise it counts different cases.
    for (name, moving) in [("stick", 0), ("slide", moments::CONTACTS as u64)] {
        if let Some(wrong) =
            counts.iter().find(|(n, c)| n.starts_with(&format!("moments_{name}_moving")) && *c != moving)
        {
            return Err(format!("{wrong:?}, should be {moving}"));
        }
    }
    Ok(counts)
}

fn moments_on_the_host() -> Result<u64, stiction::InputError<f32>> {
    let (mut bodies, mut contacts) = (stiction::Bodies::new(), stiction::Contacts::empty());
    moments::rods(&mut bodies, &mut contacts, 3.0, moments::surface(6, moments::SLIDING))?;
    let settings = stiction::Settings { sweeps: 12, tolerance: 0.0, ..Default::default() };
    let mut solver = stiction::Solver::<f32, { moments::BODIES }, { moments::PLACES }, stiction::SixRows>::empty();
    solver.solve(&mut bodies, &contacts, &settings, 1.0 / 60.0)?;
    Ok(stiction::record::digest(&bodies))
}

/// The counts of the `rest` firmware with a kept factor and without it; with it the bodies must be those of the host.
fn measured_at_rest(root: &Path) -> Result<Vec<Figure>, String> {
    let mut counts = Vec::new();
    for (features, kind) in [("", ""), ("nothing", "_without_factor")] {
        let program = Build { program: "rest", features, ..Build::default() }.build(root)?;
        let log = emulator::decode(&program, &emulator::run(Machine::Stm32f405, &program)?)?;
        let said = log.iter().find(|line| line.starts_with("rest:")).ok_or("nothing rested on the board")?;
        println!("    {said}{kind}");
        if features.is_empty() {
            let expected = rested_on_the_host().map_err(|error| error.to_string())?;
            if !said.ends_with(&format!("digest {expected:016x}")) {
                return Err(format!("{said}; the host's digest is {expected:016x}"));
            }
        }
        for line in log.iter().filter_map(|line| line.strip_prefix("count ")) {
            let (name, count) = parse(line)?;
            counts.push((format!("{name}{kind}"), count));
        }
        let quiet = Build { program: "rest", features, log: "off", ..Build::default() }.build(root)?;
        counts.push((format!("rest_code{kind}"), code(&quiet)?));
    }
    Ok(counts)
}

fn rested_on_the_host() -> Result<u64, stiction::InputError<f32>> {
    let mut scene = rest::resting::<f32, { rest::BLOCKS }>();
    for _ in 0..2 * rest::FRAMES {
        scene.step()?;
    }
    Ok(scene.world.digest())
}

/// Code and constants of the solve alone, and of the robot's firmware without its log.
fn sizes(root: &Path) -> Result<Vec<Figure>, String> {
    let mut sizes = Vec::new();
    let mut weights = Vec::new();
    for level in ["s", "3"] {
        let quiet = Build { level, log: "off", ..Build::default() };
        let solve = Build { program: "size", ..quiet }.build(root)?;
        let with = code(&solve)?;
        weights.extend(weigh(&solve, &format!("solve {level}"))?);
        let without = code(&Build { program: "size", features: "nothing", ..quiet }.build(root)?)?;
        let robot = quiet.build(root)?;
        sizes.push((format!("solve_code_{level}"), with - without));
        sizes.push((format!("firmware_code_{level}"), code(&robot)?));
        weights.extend(weigh(&robot, &format!("robot {level}"))?);
    }
    weights::compare(root, &weights)?;
    Ok(sizes)
}
