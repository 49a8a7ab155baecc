//! Why a graphics processor cannot be used, or a batch cannot be solved on it.
use std::fmt;

use stiction_batch::BatchError;

/// Why there is no answer from a graphics processor. Nothing of it is kept: memory is given back.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum GpuError {
    /// The driver's library is not there: each name that was tried and what the system said.
    NoLibrary {
        /// Names and reasons.
        tried: String,
    },
    /// The driver's library lacks a function that is needed.
    NoFunction {
        /// Its name.
        function: &'static str,
    },
    /// There is a driver and no graphics processor that it can use.
    NoDevice,
    /// The driver does not know the PTX's version.
    DriverTooOld {
        /// Its version of CUDA: 1000 times the first number and 10 times the second.
        version: i32,
        /// The oldest that does.
        needed: i32,
    },
    /// The graphics processor lacks instructions of the PTX.
    DeviceTooOld {
        /// Its name.
        name: String,
        /// Its compute capability.
        capability: (i32, i32),
        /// The oldest that has them.
        needed: (i32, i32),
    },
    /// There is not so much memory on the graphics processor.
    Memory {
        /// How much was asked for.
        bytes: usize,
    },
    /// The driver cannot have so much memory of the host for copies.
    HostMemory {
        /// How much was asked for.
        bytes: usize,
    },
    /// The driver does not compile the PTX.
    Module {
        /// The driver's name of the error.
        code: String,
        /// The driver's log.
        log: String,
    },
    /// The threads did not start or did not end. After some errors the driver refuses all further work of this process.
    Launch {
        /// The driver's name of the error.
        code: String,
    },
    /// Another function of the driver failed.
    Call {
        /// The function.
        function: &'static str,
        /// The driver's name of the error.
        code: String,
    },
    /// A number of threads a block that is no multiple of 32, or too large.
    Block {
        /// Threads a block.
        threads: u32,
    },
    /// The problems are larger than the largest that there is code for.
    TooLarge {
        /// Bodies, if there are any, and contacts of the problems.
        asked: (Option<usize>, usize),
        /// The same of the largest code.
        largest: (Option<usize>, usize),
    },
    /// Problems of another layout than blocks side by side ([`Layout::blocks`](stiction_batch::Layout::blocks)).
    Rows,
    /// Memory for answers of another layout than the problems.
    OtherLayout,
    /// The graphics processor rejected a problem that the host accepts: the PTX is not that of this program.
    Disagrees {
        /// The problem.
        problem: usize,
    },
    /// An array that is there already and cannot be read.
    Array {
        /// Its name.
        name: &'static str,
        /// Why not.
        fault: &'static str,
    },
    /// What also stops a batch on processors.
    Batch(BatchError),
}

impl From<BatchError> for GpuError {
    fn from(error: BatchError) -> Self {
        GpuError::Batch(error)
    }
}

impl fmt::Display for GpuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GpuError::NoLibrary { tried } => write!(f, "no NVIDIA driver: {tried}"),
            GpuError::NoFunction { function } => write!(f, "the driver has no function {function}: it is too old"),
            GpuError::NoDevice => f.write_str("the driver finds no graphics processor"),
            GpuError::DriverTooOld { version, needed } => {
                let (has, needs) = (Version(*version), Version(*needed));
                write!(f, "the driver is too old: it knows CUDA {has}, {needs} is needed")
            }
            GpuError::DeviceTooOld { name, capability: (major, minor), needed } => {
                let (needs, below) = needed;
                write!(f, "{name} is too old: compute capability {major}.{minor}, {needs}.{below} is needed")
            }
            GpuError::Memory { bytes } => write!(f, "the graphics processor has no {bytes} bytes of memory left"),
            GpuError::HostMemory { bytes } => write!(f, "the host has no {bytes} bytes of memory for copies left"),
            GpuError::Module { code, log } => write!(f, "the driver does not compile the code: {code}: {}", log.trim()),
            GpuError::Launch { code } => write!(f, "the graphics processor failed: {code}"),
            GpuError::Call { function, code } => write!(f, "{function}: {code}"),
            GpuError::Block { threads } => write!(f, "{threads} threads a block: must be a multiple of 32 up to 1024"),
            GpuError::TooLarge { asked, largest } => {
                let (asked, largest) = (Size(*asked), Size(*largest));
                write!(f, "{asked}: the largest code for graphics processors has {largest}")
            }
            GpuError::Rows => f.write_str("problems must be in blocks side by side (Layout::blocks)"),
            GpuError::OtherLayout => f.write_str("answers have another layout than the problems"),
            GpuError::Disagrees { problem } => {
                write!(f, "problem {problem}: rejected on the graphics processor only; its code is another version's")
            }
            GpuError::Array { name, fault } => write!(f, "{name}: {fault}"),
            GpuError::Batch(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for GpuError {}

/// A version of CUDA as the driver says it.
struct Version(i32);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0 / 1000, self.0 % 1000 / 10)
    }
}

/// Bodies, if there are any, and contacts.
struct Size((Option<usize>, usize));

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Size((bodies, contacts)) = self;
        if let Some(bodies) = bodies {
            write!(f, "{bodies} bodies and ")?;
        }
        write!(f, "{contacts} contacts")
    }
}
