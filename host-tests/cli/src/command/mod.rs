//! The `stiction` command: its arguments.

mod compare;
mod inspect;
mod replay;
mod run;
mod solve;

use crate::json::one_line;
use crate::rig::simulation::Precision;

/// The text of `stiction help`.
pub const HELP: &str = "\
stiction: rigid-body contact with exact Coulomb friction

    stiction scenes                            the scenes that come with it
    stiction run NAME|SCENE.json|ROBOT.urdf [--precision f32|f64] [--seconds S] [--dt S] [--sweeps N] [--hold]
                 [--local exact|hold_and_resolve|projection|box] [--method auto|sweeps|accelerated|direct]
                 [--record FILE.db [--history]] [--plot FILE.svg|FILE.png] [--summary FILE.json]
    stiction plot FILE.db [OUT.svg|OUT.png]    pictures of a recording
    stiction inspect FILE.db [--frame N [--svg OUT.svg|OUT.png]]
                                               frame by frame: bodies, contacts, energies, convergence
    stiction replay FILE.db                    solves every recorded frame again, to the bit
    stiction import DUMP FILE.db               a flight recorder's bytes as a recording
    stiction compare NAME|SCENE.json [--by rule|method]
                                               local rules or methods side by side
    stiction compare PROBLEM.json|PROBLEM.fc3d|PROBLEM.rfc3d [--plot FILE.svg|FILE.png]
                                               methods side by side: work to a residual
    stiction solve PROBLEM.json [--precision f32|f64] [--method auto|sweeps|accelerated|direct]
    stiction solve PROBLEM.fc3d|PROBLEM.rfc3d [--precision f32|f64] [--sweeps N] [--tolerance T]
                   [--order alternating|forward|colours] [--method auto|sweeps|accelerated|direct]
                   [--impulses OUT.f64]
    stiction help

Answers go to standard output, progress to standard error. Exit status: 0 answered, 1 a replay differs,
2 rejected (one line on standard error).
";

/// The result of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// For standard output.
    pub text: String,
    /// Exit status: 0, or 1 where a difference was found.
    pub status: u8,
}

impl From<String> for Answered {
    fn from(text: String) -> Self {
        Answered { text, status: 0 }
    }
}

/// Runs the command; returns the text for standard output, or a one-line error.
pub fn run(arguments: impl IntoIterator<Item = std::ffi::OsString>) -> Result<Answered, String> {
    let arguments: Vec<_> = arguments.into_iter().collect();
    if arguments.iter().any(|word| word == "--help" || word == "-h") {
        return Ok(HELP.to_string().into());
    }
    dispatch(lexopt::Parser::from_args(arguments)).map_err(|line| one_line(&line))
}

fn dispatch(mut words: lexopt::Parser) -> Result<Answered, String> {
    use lexopt::prelude::*;
    let command = match words.next().map_err(|e| e.to_string())? {
        Some(Value(command)) => command,
        Some(other) => return Err(other.unexpected().to_string()),
        None => return Err("command: none given, 'stiction help' lists them".into()),
    };
    match command.to_str() {
        Some("solve") => solve::solve(words).map(Answered::from),
        Some("scenes") => run::scenes(words).map(Answered::from),
        Some("run") => run::run(words).map(Answered::from),
        Some("plot") => replay::plot(words).map(Answered::from),
        Some("inspect") => inspect::inspect(words).map(Answered::from),
        Some("replay") => replay::replay(words),
        Some("import") => replay::import(words).map(Answered::from),
        Some("compare") => compare::compare(words).map(Answered::from),
        Some("help") => Ok(HELP.to_string().into()),
        _ => Err(format!("command: {} is unknown, 'stiction help' lists them", command.to_string_lossy())),
    }
}

/// The form of a problem's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `.fc3d`.
    Delassus,
    /// `.rfc3d`.
    Rolling,
    /// Bodies and contacts.
    Json,
}

impl Form {
    /// By the name of a file, or by its first bytes.
    fn of(path: &std::path::Path, bytes: &[u8]) -> Self {
        let is_named = |name: &str| path.extension().is_some_and(|extension| extension == name);
        if is_named("fc3d") || bytes.starts_with(b"FC3D") {
            Form::Delassus
        } else if is_named("rfc3d") || bytes.starts_with(b"RFC3D") {
            Form::Rolling
        } else {
            Form::Json
        }
    }
}

fn precision(word: &str) -> Result<Precision, String> {
    Precision::parse(word).ok_or_else(|| format!("--precision: {word}, must be f32 or f64"))
}

fn number<N: std::str::FromStr>(option: &str, word: &str) -> Result<N, String> {
    word.parse().map_err(|_| format!("{option}: {word} is not a valid number"))
}

/// The value of an option as text.
fn text(words: &mut lexopt::Parser) -> Result<String, String> {
    words.value().and_then(|value| value.into_string().map_err(Into::into)).map_err(|error| error.to_string())
}

/// An enum's value by its name in files.
fn choice<E: serde::de::DeserializeOwned>(option: &str, word: &str) -> Result<E, String> {
    serde_json::from_value(serde_json::Value::String(word.into())).map_err(|error| format!("{option}: {error}"))
}
