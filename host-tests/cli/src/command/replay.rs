//! `stiction replay`, `stiction plot` and `stiction import`: commands for recordings.

use std::path::PathBuf;

use super::Answered;
use crate::picture::Film;
use crate::rig::playback::{self, Playback};
use crate::rig::scene::Scene;
use crate::rig::simulation::on_large_stack;
use crate::rig::{import, reading};

/// The file names that a command was given, `least` to `most` of them.
fn paths(mut words: lexopt::Parser, names: &[&str], most: usize) -> Result<Vec<PathBuf>, String> {
    use lexopt::prelude::*;
    let mut paths = Vec::new();
    while let Some(word) = words.next().map_err(|e| e.to_string())? {
        match word {
            Value(path) if paths.len() < most => paths.push(PathBuf::from(path)),
            other => return Err(other.unexpected().to_string()),
        }
    }
    match names.get(paths.len()) {
        Some(missing) => Err(format!("{missing}: no file given")),
        None => Ok(paths),
    }
}

/// `stiction replay`.
pub(super) fn replay(words: lexopt::Parser) -> Result<Answered, String> {
    let paths = paths(words, &["FILE.db"], 1)?;
    let shown = paths[0].display();
    let found = on_large_stack(|| playback::replay(&paths[0], |_| ()))?;
    Ok(match found {
        Playback::Identical { solves, frames, planned } => {
            let of = if frames < planned { format!(" of {planned} planned") } else { String::new() };
            format!("{shown}: {frames}{of} frames, {solves} solves, every bit the same\n").into()
        }
        Playback::Differs { at, place } => {
            let at = at.map_or(String::new(), |(frame, substep)| format!("frame {frame}, substep {substep}: "));
            Answered { text: format!("{shown}: {at}differs first in {place}\n"), status: 1 }
        }
    })
}

/// `stiction plot`.
pub(super) fn plot(words: lexopt::Parser) -> Result<String, String> {
    let paths = paths(words, &["FILE.db"], 2)?;
    let out = paths.get(1).cloned().unwrap_or_else(|| paths[0].with_extension("svg"));
    crate::picture::check_writable(&out)?;
    let film = std::cell::RefCell::new(None);
    let begin = |title: &str, scene: &Scene| *film.borrow_mut() = Some(Film::new(title, scene));
    reading::read(&paths[0], begin, |frame| {
        if let Some(film) = &mut *film.borrow_mut() {
            film.add(&frame);
        }
    })?;
    let film = film.into_inner().filter(|film| !film.is_empty());
    film.ok_or_else(|| format!("{}: no frames in it, nothing to draw", paths[0].display()))?.write(&out)?;
    Ok(format!("{}\n", out.display()))
}

/// `stiction import`.
pub(super) fn import(words: lexopt::Parser) -> Result<String, String> {
    let paths = paths(words, &["DUMP", "FILE.db"], 2)?;
    let bytes = std::fs::read(&paths[0]).map_err(|error| format!("{}: {error}", paths[0].display()))?;
    let line = on_large_stack(|| import::import(&bytes, &paths[1]))?;
    Ok(format!("{}: {line}\n", paths[1].display()))
}
