//! The jointed leg's loop on the board: its counts, with a factor of all joints and without it, and its bits against the
//! host's.

use std::path::Path;

use stiction_scenes::digest::of_leg;
use stiction_scenes::leg::{BLOCKS, Leg};
use stiction_tasks::figures::{Figure, parse};

use crate::emulator::{self, Machine};
use crate::firmware::Build;
use crate::weights::code;

/// The counts of the `leg` firmware; every step must have the host's bits.
pub fn measured(root: &Path) -> Result<Vec<Figure>, String> {
    let mut counts = Vec::new();
    for (features, kind) in [("", ""), ("nothing", "_without_factor")] {
        let program = Build { program: "leg", features, ..Build::default() }.build(root)?;
        let log = emulator::decode(&program, &emulator::run(Machine::Stm32f405, &program)?)?;
        let expected = if features.is_empty() { on_the_host::<BLOCKS>() } else { on_the_host::<0>() };
        let expected = expected.map_err(|error| error.to_string())?;
        let said = log.iter().find(|line| line.starts_with("leg:")).ok_or("no leg on the board")?;
        println!("    {said}{kind}");
        if !said.ends_with(&format!("digest {expected:016x}")) {
            return Err(format!("{said}; the host's digest is {expected:016x}"));
        }
        for line in log.iter().filter_map(|line| line.strip_prefix("count ")) {
            let (name, count) = parse(line)?;
            // A visit is the same code with and without a factor.
            if features.is_empty() || !name.ends_with("_visit") {
                counts.push((format!("{name}{kind}"), count));
            }
        }
        let quiet = Build { program: "leg", features, log: "off", ..Build::default() }.build(root)?;
        counts.push((format!("leg_code{kind}"), code(&quiet)?));
    }
    Ok(counts)
}

fn on_the_host<const NF: usize>() -> Result<u64, stiction::InputError<f32>> {
    of_leg(&mut Leg::<f32, NF>::new(false)?).map(|digest| digest.0)
}
