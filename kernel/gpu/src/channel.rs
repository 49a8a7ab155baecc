//! A way to a graphics processor and back for a share of a batch: memory on both sides and a stream of its own.
//!
//! A host's thread copies a share into pinned memory, and from there on the graphics processor does everything by itself. Several
//! threads with a channel each keep both busy: while one copies, the shares of others are on the bus or being solved.
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

/// The bytes of the largest share in every array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes {
    pub inputs: Vec<usize>,
    pub answers: Vec<usize>,
}

/// The parameters of a launch.
type Parameters<'a> = dyn Fn(u32, &[Address], &[Address]) -> Vec<Parameter> + Sync + 'a;

/// How shares are solved.
pub struct Work<'a> {
    pub module: &'a Module,
    /// Threads of a block.
    pub block: u32,
    /// The parameters of a launch for so many problems: given the addresses of arrays that are read and that are written.
    pub parameters: &'a Parameters<'a>,
}

/// An array on both sides.
struct Way {
    here: Pinned,
    there: Buffer,
}

/// The way for shares of some sizes.
pub struct Channel {
    stream: Stream,
    sizes: Sizes,
    inputs: Vec<Way>,
    answers: Vec<Way>,
}

impl Channel {
    /// For shares of these sizes. The context is the current one.
    pub fn new(context: &Arc<Context>, sizes: &Sizes) -> Result<Self, GpuError> {
        let way = |bytes: &usize| Ok(Way { here: Pinned::new(context, *bytes)?, there: Buffer::new(context, *bytes)? });
        let ways = |sizes: &[usize]| sizes.iter().map(way).collect::<Result<Vec<Way>, GpuError>>();
        let (inputs, answers) = (ways(&sizes.inputs)?, ways(&sizes.answers)?);
        Ok(Channel { stream: Stream::new(context)?, sizes: sizes.clone(), inputs, answers })
    }

    /// The sizes of its shares.
    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// Solves a share.
    pub fn solve(&mut self, work: &Work<'_>, share: Share<'_>) -> Result<(), GpuError> {
        for (way, bytes) in self.inputs.iter_mut().zip(&share.inputs) {
            // SAFETY: every call of this function waits for the copies that it begins, so none is under way.
            let pinned = unsafe { way.here.bytes_mut() };
            pinned[..bytes.len()].copy_from_slice(bytes);
        }
        // SAFETY: arrays are not touched before the stream has been waited for, whatever was begun.
        let begun = unsafe { self.begin(work, &share) };
        let ended = self.stream.wait();
        begun.and(ended)?;
        for (way, bytes) in self.answers.iter().zip(share.answers) {
            // SAFETY: the copies have ended.
            let pinned = unsafe { way.here.bytes() };
            bytes.copy_from_slice(&pinned[..bytes.len()]);
        }
        Ok(())
    }

    /// Begins copies and launch for a share.
    ///
    /// # Safety
    ///
    /// The arrays of the channel are not used otherwise before its stream has been waited for.
    unsafe fn begin(&self, work: &Work<'_>, share: &Share<'_>) -> Result<(), GpuError> {
        let stream = &self.stream;
        let addresses = |ways: &[Way]| ways.iter().map(|way| way.there.address()).collect::<Vec<Address>>();
        let mut parameters = (work.parameters)(share.count as u32, &addresses(&self.inputs), &addresses(&self.answers));
        // SAFETY: the caller's promise. Arrays have the bytes of the largest share, and parameters are those of the module's
        // entry for this one.
        unsafe {
            for (way, bytes) in self.inputs.iter().zip(&share.inputs) {
                way.there.begin_write(&way.here, bytes.len(), stream)?;
            }
            for (way, bytes) in self.answers.iter().zip(&share.answers) {
                way.there.begin_clear(bytes.len(), stream)?;
            }
            work.module.launch((share.count as u32, work.block), &mut parameters, stream)?;
            for (way, bytes) in self.answers.iter().zip(&share.answers) {
                way.there.begin_read(&way.here, bytes.len(), stream)?;
            }
        }
        Ok(())
    }
}
