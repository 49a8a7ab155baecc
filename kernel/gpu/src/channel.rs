//! A way to a graphics processor and back for a share of a batch: memory on both sides and a stream of its own.
//!
//! A host's thread copies a share into pinned memory, and from there on the graphics processor does everything by itself. Several
//! threads with a channel each keep both busy: while one copies, the shares of others are on the bus or being solved.
use std::sync::Arc;

use stiction_batch::Layout;

use crate::arrays::{Arrays, SettingsArrays};
use crate::context::Context;
use crate::error::GpuError;
use crate::memory::Pinned;
use crate::module::Module;
use crate::stream::Stream;

/// Problems of a share: whole blocks. A graphics processor has more threads than a share, so that several are solved at once.
pub const SHARE: usize = 1 << 14;

/// Problems that follow each other, and where their answers go.
pub struct Share<'a> {
    pub count: usize,
    pub scalars: &'a [f32],
    pub words: &'a [u32],
    pub answer_scalars: &'a mut [f32],
    pub answer_words: &'a mut [u32],
}

/// How shares are solved.
pub struct Work<'a> {
    pub module: &'a Module,
    pub rung: usize,
    pub block: u32,
    pub settings: &'a SettingsArrays,
    pub dt: f32,
}

/// The way, for problems of one layout.
pub struct Channel {
    stream: Stream,
    arrays: Arrays,
    scalars: Pinned<f32>,
    words: Pinned<u32>,
    answer_scalars: Pinned<f32>,
    answer_words: Pinned<u32>,
}

impl Channel {
    /// For shares in a layout. The context is the current one.
    pub fn new(context: &Arc<Context>, layout: Layout) -> Result<Self, GpuError> {
        let length = |each: usize| layout.length(each, SHARE);
        Ok(Channel {
            stream: Stream::new(context)?,
            arrays: Arrays::new(context, layout, SHARE)?,
            scalars: Pinned::new(context, length(layout.input_scalars()))?,
            words: Pinned::new(context, length(layout.input_words()))?,
            answer_scalars: Pinned::new(context, length(layout.answer_scalars()))?,
            answer_words: Pinned::new(context, length(layout.answer_words()))?,
        })
    }

    /// The layout of its shares.
    pub fn layout(&self) -> Layout {
        self.arrays.layout
    }

    /// Solves a share.
    pub fn solve(&mut self, work: &Work<'_>, share: Share<'_>) -> Result<(), GpuError> {
        let Share { count, scalars, words, answer_scalars, answer_words } = share;
        // SAFETY: every call of this function waits for the copies that it begins, so none is under way.
        let (given_scalars, given_words) = unsafe { (self.scalars.numbers_mut(), self.words.numbers_mut()) };
        given_scalars[..scalars.len()].copy_from_slice(scalars);
        given_words[..words.len()].copy_from_slice(words);
        // SAFETY: arrays are not touched before the stream has been waited for, whatever was begun.
        let begun = unsafe { self.begin(work, count, (answer_scalars.len(), answer_words.len())) };
        let ended = self.stream.wait();
        begun.and(ended)?;
        // SAFETY: the copies have ended.
        let (solved_scalars, solved_words) = unsafe { (self.answer_scalars.numbers(), self.answer_words.numbers()) };
        answer_scalars.copy_from_slice(&solved_scalars[..answer_scalars.len()]);
        answer_words.copy_from_slice(&solved_words[..answer_words.len()]);
        Ok(())
    }

    /// Begins copies and launch for so many problems, whose answers have so many scalars and words.
    ///
    /// # Safety
    ///
    /// The arrays of the channel are not used otherwise before its stream has been waited for.
    unsafe fn begin(&self, work: &Work<'_>, count: usize, (scalars, words): (usize, usize)) -> Result<(), GpuError> {
        let (arrays, stream, layout) = (&self.arrays, &self.stream, self.layout());
        let parameters = arrays.parameters(work.settings, count, work.dt);
        // SAFETY: the caller's promise. Arrays have the lengths of a share in this layout, and the rung was chosen for the layout.
        unsafe {
            arrays.scalars.begin_write(&self.scalars, layout.length(layout.input_scalars(), count), stream)?;
            arrays.words.begin_write(&self.words, layout.length(layout.input_words(), count), stream)?;
            arrays.answer_scalars.begin_clear(scalars, stream)?;
            arrays.answer_words.begin_clear(words, stream)?;
            work.module.launch((work.rung, work.block), &parameters, stream)?;
            arrays.answer_scalars.begin_read(&self.answer_scalars, scalars, stream)?;
            arrays.answer_words.begin_read(&self.answer_words, words, stream)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_whole_blocks() {
        assert!(SHARE.is_multiple_of(stiction_batch::layout::BLOCK));
    }
}
