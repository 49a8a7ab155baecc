//! `stiction inspect`: a recording frame by frame.

use std::path::PathBuf;

use super::{number, text};
use crate::inspect;
use crate::picture;
use crate::rig::reading::Recording;

/// `stiction inspect`.
pub(super) fn inspect(mut words: lexopt::Parser) -> Result<String, String> {
    use lexopt::prelude::*;
    let (mut path, mut frame, mut svg) = (None, None, None);
    while let Some(word) = words.next().map_err(|e| e.to_string())? {
        match word {
            Long("frame") => frame = Some(number::<u64>("--frame", &text(&mut words)?)?),
            Long("svg") => svg = Some(PathBuf::from(text(&mut words)?)),
            Value(value) if path.is_none() => path = Some(PathBuf::from(value)),
            other => return Err(other.unexpected().to_string()),
        }
    }
    let path = path.ok_or("FILE.db: no file given")?;
    if let Some(svg) = &svg {
        if frame.is_none() {
            return Err("--svg: only with --frame".into());
        }
        picture::check_writable(svg)?;
    }
    let recording = Recording::open(&path)?;
    let numbers = recording.numbers()?;
    let title = format!("{}, {}: ", recording.title, recording.precision.name());
    let Some(number) = frame else {
        let frames = recording.overview()?;
        let hint = format!("stiction inspect {} --frame N shows one", path.display());
        return Ok(format!("{title}{} frames\n{}{hint}\n", frames.len(), inspect::overview(&frames)));
    };
    let (first, last) = (numbers.first().copied().unwrap_or(0), numbers.last().copied().unwrap_or(0));
    if !numbers.contains(&number) {
        return Err(format!("--frame: {number}, {} has frames {first} to {last}", path.display()));
    }
    let mut frame = recording.frame(number)?;
    let histories = recording.histories(&mut frame)?;
    let status = crate::words::recorded_status(frame.report.status);
    let time = if frame.time > 0.0 { format!(", {:.4} s", frame.time) } else { String::new() };
    let mut out = format!("{title}frame {number} of {last}{time}, {status}\n");
    out += &inspect::frame(&recording.scene, &frame, &histories);
    if let Some(svg) = svg {
        picture::save(&picture::frame(&recording.title, &recording.scene, &frame, &histories), &svg)?;
        out += &format!("\n{}\n", svg.display());
    }
    Ok(out)
}
