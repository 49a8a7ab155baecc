//! The `stiction` command.

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    match stiction_cli::command::run(std::env::args_os().skip(1)) {
        Ok(answer) => match std::io::stdout().write_all(answer.text.as_bytes()) {
            Ok(()) => ExitCode::from(answer.status),
            Err(error) => reject(&format!("standard output: {error}")),
        },
        Err(line) => reject(&line),
    }
}

fn reject(line: &str) -> ExitCode {
    // If standard error is closed, the message is lost.
    let _ = writeln!(std::io::stderr(), "{line}");
    ExitCode::from(2)
}
