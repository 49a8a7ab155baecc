//! QEMU, and the firmware's log read without another tool.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A board that QEMU knows.
#[derive(Clone, Copy)]
pub enum Machine {
    /// STM32F405, Cortex-M4F.
    Stm32f405,
    /// Cortex-M3, no floating-point unit.
    CortexM3,
}

impl Machine {
    fn name(self) -> &'static str {
        match self {
            Machine::Stm32f405 => "netduinoplus2",
            Machine::CortexM3 => "mps2-an385",
        }
    }
}

/// A run that takes longer than this is considered hung.
const PATIENCE: Duration = Duration::from_secs(300);

/// Runs a program to its end and returns its output. One instruction is one tick of its clock.
pub fn run(machine: Machine, program: &Path) -> Result<Vec<u8>, String> {
    let folder = std::env::temp_dir();
    let out = folder.join(format!("stiction-{}-{}.out", std::process::id(), machine.name()));
    let file = std::fs::File::create(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    let mut child = Command::new("qemu-system-arm")
        .args(["-M", machine.name(), "-nographic", "-icount", "shift=0"])
        .args(["-semihosting-config", "enable=on,target=native", "-kernel"])
        .arg(program)
        .stdin(Stdio::null())
        .stdout(file)
        .spawn()
        .map_err(|error| format!("qemu-system-arm: {error}"))?;
    let start = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if start.elapsed() > PATIENCE => {
                let _ = child.kill();
                let _ = child.wait();
                let _ = std::fs::remove_file(&out);
                return Err(format!("{} did not end in {} s", program.display(), PATIENCE.as_secs()));
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let written = std::fs::read(&out).map_err(|error| error.to_string())?;
    let _ = std::fs::remove_file(&out);
    if status.success() {
        return Ok(written);
    }
    let log = decode(program, &written).unwrap_or_default().join("; ");
    Err(format!("{} ended with {status}: {log}", program.display()))
}

/// The lines of a firmware's log.
pub fn decode(program: &Path, bytes: &[u8]) -> Result<Vec<String>, String> {
    let elf = std::fs::read(program).map_err(|error| format!("{}: {error}", program.display()))?;
    let table = defmt_decoder::Table::parse(&elf).map_err(|error| error.to_string())?;
    let table = table.ok_or_else(|| format!("{} logs nothing", program.display()))?;
    let mut decoder = table.new_stream_decoder();
    decoder.received(bytes);
    let mut lines = Vec::new();
    loop {
        match decoder.decode() {
            Ok(frame) => lines.push(frame.display_message().to_string()),
            Err(defmt_decoder::DecodeError::UnexpectedEof) => return Ok(lines),
            Err(defmt_decoder::DecodeError::Malformed) => return Err("a log frame is malformed".into()),
        }
    }
}
