//! Many legged robots, then many jointed legs, that stay on a graphics processor; every word of the first ones against
//! processors, and how many ticks both take in a second:
//!
//! ```text
//! cargo run --release --package stiction-gpu --example robots [ROBOTS [TICKS [DATE]]]
//! ```
//!
//! Steps so many robots (1,048,576) by so many milliseconds (2,000, the whole script) from starts that differ, the first from that of
//! the script, whose digest is the one that a microcontroller prints; then a sixteenth as many legs. Ends with success if no word
//! differs. The program needs NVIDIA's driver and nothing else, so it can be built on one machine and run on another.
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use stiction_batch::Control;
use stiction_gpu::{DeviceWorlds, Gpu, GpuError, WorldAnswers, WorldKind, worlds_on_processors};
use stiction_scenes::digest::{PINNED_JOINTS, PINNED_ROBOT};
use stiction_scenes::start::start_of;

const ROBOTS: usize = 1 << 20;
/// Both scripts.
const TICKS: u32 = 2000;
/// Robots for each leg.
const ROBOTS_PER_LEG: usize = 16;
/// Worlds that processors step as well.
const COMPARED: usize = 2048;
/// Between two lines of progress.
const QUIET: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (robots, ticks) = match (number(&words, 0, ROBOTS), number(&words, 1, TICKS)) {
        (Ok(robots), Ok(ticks)) => (robots, ticks),
        (Err(error), _) | (_, Err(error)) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    match compare(robots, ticks, words.get(2).map_or("not given", String::as_str)) {
        Ok(0) => {
            println!("no word differs");
            ExitCode::SUCCESS
        }
        Ok(differences) => {
            println!("{differences} words differ");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The argument at a place, or what it is where there is none.
fn number<N: std::str::FromStr<Err: std::fmt::Display>>(words: &[String], at: usize, none: N) -> Result<N, String> {
    let parse = |word: &String| word.parse().map_err(|error| format!("{word}: {error}"));
    words.get(at).map_or(Ok(none), parse)
}

/// Steps and compares everything; returns how many words differ.
fn compare(robots: usize, ticks: u32, date: &str) -> Result<usize, GpuError> {
    let gpu = Gpu::open()?;
    let (name, version) = (gpu.name(), gpu.driver_version());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    println!("{name}, driver for CUDA {}.{}, date {date}", version / 1000, version % 1000 / 10);
    println!("{threads} threads of the processor");
    let legs = robots / ROBOTS_PER_LEG;
    let of_robots = compare_kind(&gpu, (WorldKind::Robot, "robots"), robots, ticks, PINNED_ROBOT)?;
    let of_legs = compare_kind(&gpu, (WorldKind::Leg, "legs"), legs, ticks, PINNED_JOINTS[0])?;
    Ok(of_robots + of_legs)
}

/// Worlds of one kind, at least one; returns how many words differ. `pinned` is the digest of the first one's script.
fn compare_kind(
    gpu: &Gpu,
    (kind, name): (WorldKind, &str),
    count: usize,
    ticks: u32,
    pinned: u64,
) -> Result<usize, GpuError> {
    let starts: Vec<_> = (0..count.max(1)).map(|index| start_of(index as u64)).collect();
    println!("{} {name}, {ticks} ticks each", starts.len());
    let mut worlds = gpu.worlds(kind, &starts)?;
    println!("  a state has {} bytes, local memory {} bytes a thread", worlds.state_bytes(), worlds.local_bytes()?);
    let found = stepped(&mut worlds, name, ticks)?;
    // Its memory is given back before the next kind asks for some.
    drop(worlds);
    summarise(&found);
    let compared = &starts[..COMPARED.min(starts.len())];
    let began = Instant::now();
    let expected = worlds_on_processors(kind, compared, ticks, &Control::default())?;
    let rate = rate(compared.len(), ticks, began.elapsed());
    println!("  processors, {} {name}: {rate:.3} million ticks a second", compared.len());
    let mut differences = different_words(&found, &expected);
    println!("  {differences} words of the first {} differ", compared.len());
    let digest = found.course(0).map_or(0, |course| course.digest.0);
    if ticks == TICKS {
        let is_pinned = digest == pinned;
        differences += usize::from(!is_pinned);
        let words = if is_pinned { "that of all targets" } else { "NOT that of all targets" };
        println!("  digest of the first: {digest:016x}, {words}: {pinned:016x}");
    } else {
        println!("  digest of the first: {digest:016x}; the pinned one is that of {TICKS} ticks");
    }
    Ok(differences)
}

/// Lets worlds take their ticks; tells of progress and of the time.
fn stepped(worlds: &mut DeviceWorlds<'_>, name: &str, ticks: u32) -> Result<WorldAnswers, GpuError> {
    let (began, told) = (Instant::now(), Mutex::new(Instant::now()));
    let progress = |done: usize| {
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.elapsed() >= QUIET {
            println!("  {done} of {ticks} ticks after {:.0} s", began.elapsed().as_secs_f64());
            *told = Instant::now();
        }
    };
    let kernel = worlds.step(ticks, &Control { progress: Some(&progress), ..Control::default() })?;
    let whole = began.elapsed();
    let [of_kernel, of_whole] = [kernel, whole].map(|time| rate(worlds.len(), ticks, time));
    println!(
        "  graphics processor: {of_kernel:.3} million {name} × ticks a second by its own clock ({:.1} s), {of_whole:.3} by the host's",
        kernel.as_secs_f64()
    );
    worlds.read()
}

/// How many worlds were rejected, how many have which worst status, and passes over contacts.
fn summarise(answers: &WorldAnswers) {
    let courses = || (0..answers.len()).filter_map(|world| answers.course(world));
    let rejected = courses().filter(|course| course.status.is_none()).count();
    let (ticks, sweeps) = courses().fold((0u64, 0u64), |(ticks, sweeps), course| {
        (ticks + u64::from(course.ticks), sweeps + u64::from(course.sweeps))
    });
    let mut statuses: Vec<(String, usize)> = Vec::new();
    for course in courses() {
        let status = course.worst.map_or_else(|| "rejected".to_string(), |status| format!("{status:?}"));
        match statuses.iter_mut().find(|(known, _)| *known == status) {
            Some((_, count)) => *count += 1,
            None => statuses.push((status, 1)),
        }
    }
    let mean = sweeps as f64 / ticks.max(1) as f64;
    println!("  {rejected} rejected, {mean:.2} sweeps a tick, worst statuses {statuses:?}");
}

/// How many words of the expected worlds differ.
fn different_words(found: &WorldAnswers, expected: &WorldAnswers) -> usize {
    let pairs = found.words().iter().flatten().zip(expected.words().iter().flatten());
    pairs.filter(|(here, there)| here != there).count()
}

/// Millions a second.
fn rate(worlds: usize, ticks: u32, time: Duration) -> f64 {
    worlds as f64 * f64::from(ticks) / time.as_secs_f64().max(1e-9) * 1e-6
}
