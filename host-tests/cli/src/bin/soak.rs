//! Solves on end: `soak [SOLVES]`, by default ten million, half in each precision. Ends with 1 where something was wrong.

use std::process::ExitCode;

use stiction::Real;
use stiction_cli::soak::Soak;

/// One precision; tells how it goes.
fn study<T: Real>(name: &str, seed: u64, solves: u64) -> Result<(), String> {
    let mut soak = Soak::default();
    let begun = std::time::Instant::now();
    soak.run::<T>(seed, solves, |done| {
        eprintln!("{name}: {done} of {solves}, {:.0} s", begun.elapsed().as_secs_f64())
    })?;
    println!("{name}: {soak}\n");
    Ok(())
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let solves = match words.as_slice() {
        [] => Some(10_000_000),
        [number] => number.parse().ok().filter(|number| *number > 0),
        _ => None,
    };
    let Some(solves) = solves else {
        eprintln!("soak [SOLVES]: how many solves, at least 1");
        return ExitCode::from(2);
    };
    let half: u64 = solves / 2;
    match study::<f32>("f32", 1, solves - half).and_then(|()| study::<f64>("f64", 2, half.max(1))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
