//! Runs one hot path, for an instruction counter; without a name, tells the names.

use std::process::ExitCode;

use stiction_benches::counts::PATHS;
use stiction_benches::subjects::STACK_BYTES;
use stiction_host::roomy::roomy;

fn main() -> ExitCode {
    let Some(wanted) = std::env::args().nth(1) else {
        PATHS.iter().for_each(|(name, _)| println!("{name}"));
        return ExitCode::SUCCESS;
    };
    let Some((_, path)) = PATHS.iter().find(|(name, _)| *name == wanted) else {
        eprintln!("counts: there is no path {wanted}");
        return ExitCode::from(2);
    };
    match roomy(STACK_BYTES, path) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("counts: {error}");
            ExitCode::from(2)
        }
    }
}
