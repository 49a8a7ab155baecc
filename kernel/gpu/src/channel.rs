//! A way to a graphics processor and back for a share of a batch: memory on both sides and a stream of its own.
//!
//! A host's thread copies a share into pinned memory, if the batch is not in pinned memory itself, and from there on the graphics processor does everything by
//! itself. Several threads with a channel each keep both busy: while one copies, the shares of others are on the bus or being solved.
use std::sync::Arc;

use crate::context::Context;
use crate::driver::Address;
use crate::error::GpuError;
use crate::memory::{Buffer, Pinned};
use crate::module::Module;
use crate::parameters::Parameter;
use crate::stream::Stream;

/// Problems that follow each other: the bytes of their part in every array that is read, and in every one that is written.
pub struct Share<'a> {
    pub count: usize,
    pub inputs: Vec<&'a [u8]>,
    pub answers: Vec<&'a mut [u8]>,
}

/// The bytes of the largest share in every array. Those that never leave the graphics processor come last; the first of them is
/// 0 before a share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes {
    pub inputs: Vec<usize>,
    pub answers: Vec<usize>,
    pub scratch: Vec<usize>,
    /// Where inputs are on the host, and where answers.
    pub host: [HostMemory; 2],
}

/// The memory of the host that a batch is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostMemory {
    /// Any: shares are copied to pinned memory and back.
    Any,
    /// Pinned: shares are copied from where they are.
    Pinned,
}

/// The addresses of these arrays.
#[derive(Debug)]
pub struct Addresses {
    pub inputs: Vec<Address>,
    pub answers: Vec<Address>,
    pub scratch: Vec<Address>,
}

/// The parameters of all launches for so many problems, one after the other.
pub type Launches<'a> = dyn Fn(u32, &Addresses) -> Vec<Vec<Parameter>> + Sync + 'a;

/// How shares are solved.
pub struct Work<'a> {
    pub module: &'a Module,
    /// Threads of a block.
    pub block: u32,
    /// All launches of a share.
    pub launches: &'a Launches<'a>,
}

/// An array on both sides. The one here is absent if the batch is in pinned memory.
struct Way {
    here: Option<Pinned>,
    there: Buffer,
}

/// The way for shares of some sizes.
pub struct Channel {
    stream: Stream,
    sizes: Sizes,
    inputs: Vec<Way>,
    answers: Vec<Way>,
    scratch: Vec<Buffer>,
}

impl Channel {
    /// For shares of these sizes. The context is the current one.
    pub fn new(context: &Arc<Context>, sizes: &Sizes) -> Result<Self, GpuError> {
        let here = |host: HostMemory, bytes: usize| match host {
            HostMemory::Any => Pinned::new(context, bytes).map(Some),
            HostMemory::Pinned => Ok(None),
        };
        let way = |host, bytes| Ok(Way { here: here(host, bytes)?, there: Buffer::new(context, bytes)? });
        let ways =
            |host, sizes: &[usize]| sizes.iter().map(|bytes| way(host, *bytes)).collect::<Result<Vec<Way>, GpuError>>();
        let (inputs, answers) = (ways(sizes.host[0], &sizes.inputs)?, ways(sizes.host[1], &sizes.answers)?);
        let scratch =
            sizes.scratch.iter().map(|bytes| Buffer::new(context, *bytes)).collect::<Result<_, GpuError>>()?;
        Ok(Channel { stream: Stream::new(context)?, sizes: sizes.clone(), inputs, answers, scratch })
    }

    /// The sizes of its shares.
    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// Solves a share.
    pub fn solve(&mut self, work: &Work<'_>, mut share: Share<'_>) -> Result<(), GpuError> {
        for (way, bytes) in self.inputs.iter_mut().zip(&share.inputs) {
            if let Some(here) = &mut way.here {
                // SAFETY: every call of this function waits for the copies that it begins, so none is under way.
                let pinned = unsafe { here.bytes_mut() };
                pinned[..bytes.len()].copy_from_slice(bytes);
            }
        }
        let launches = (work.launches)(share.count as u32, &self.addresses());
        // SAFETY: arrays are not touched before the stream has been waited for, whatever was begun.
        let begun = unsafe { self.begin(work, launches, &mut share) };
        let ended = self.stream.wait();
        begun.and(ended)?;
        for (way, bytes) in self.answers.iter().zip(share.answers) {
            if let Some(here) = &way.here {
                // SAFETY: the copies have ended.
                let pinned = unsafe { here.bytes() };
                bytes.copy_from_slice(&pinned[..bytes.len()]);
            }
        }
        Ok(())
    }

    fn addresses(&self) -> Addresses {
        let addresses = |ways: &[Way]| ways.iter().map(|way| way.there.address()).collect::<Vec<Address>>();
        Addresses {
            inputs: addresses(&self.inputs),
            answers: addresses(&self.answers),
            scratch: self.scratch.iter().map(Buffer::address).collect(),
        }
    }

    /// Begins copies and launches for a share.
    ///
    /// # Safety
    ///
    /// The arrays of the channel and of the share are not used before its stream has been waited for.
    unsafe fn begin(
        &mut self,
        work: &Work<'_>,
        launches: Vec<Vec<Parameter>>,
        share: &mut Share<'_>,
    ) -> Result<(), GpuError> {
        let stream = &self.stream;
        // SAFETY: the caller's promise. Arrays have the bytes of the largest share, and parameters are those of the module's
        // entry for this one.
        unsafe {
            for (way, bytes) in self.inputs.iter().zip(&share.inputs) {
                let pinned = way.here.as_ref().map_or(*bytes, |here| &here.bytes()[..bytes.len()]);
                way.there.begin_write(pinned, stream)?;
            }
            for (way, bytes) in self.answers.iter().zip(&share.answers) {
                way.there.begin_clear(bytes.len(), stream)?;
            }
            if let (Some(first), Some(bytes)) = (self.scratch.first(), self.sizes.scratch.first()) {
                first.begin_clear(*bytes, stream)?;
            }
            for mut parameters in launches {
                work.module.launch((share.count as u32, work.block), &mut parameters, stream)?;
            }
            for (way, bytes) in self.answers.iter_mut().zip(&mut share.answers) {
                let pinned = match &mut way.here {
                    Some(here) => &mut here.bytes_mut()[..bytes.len()],
                    None => &mut **bytes,
                };
                way.there.begin_read(pinned, stream)?;
            }
        }
        Ok(())
    }
}
