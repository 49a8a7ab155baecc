//! What a launch reads and writes: arrays in the memory of a graphics processor.
use std::sync::Arc;

use stiction::Settings;
use stiction_batch::Layout;
use stiction_batch_layout::SettingsNumbers;

use crate::context::Context;
use crate::error::GpuError;
use crate::memory::Buffer;
use crate::module::Parameters;

/// The settings of a batch.
pub struct SettingsArrays {
    scalars: Buffer<f32>,
    words: Buffer<u32>,
}

impl SettingsArrays {
    /// Copies settings. The context is the current one.
    pub fn new(context: &Arc<Context>, settings: &Settings<f32>) -> Result<Self, GpuError> {
        let SettingsNumbers { scalars, words } = SettingsNumbers::of(settings);
        let arrays =
            SettingsArrays { scalars: Buffer::new(context, scalars.len())?, words: Buffer::new(context, words.len())? };
        arrays.scalars.write(&scalars)?;
        arrays.words.write(&words)?;
        context.wait()?;
        Ok(arrays)
    }
}

/// Problems and answers.
pub struct Arrays {
    pub layout: Layout,
    pub scalars: Buffer<f32>,
    pub words: Buffer<u32>,
    pub answer_scalars: Buffer<f32>,
    pub answer_words: Buffer<u32>,
}

impl Arrays {
    /// For so many problems. The context is the current one.
    pub fn new(context: &Arc<Context>, layout: Layout, count: usize) -> Result<Self, GpuError> {
        let buffer = |each: usize| Buffer::new(context, layout.length(each, count));
        let buffer_of_words = |each: usize| Buffer::new(context, layout.length(each, count));
        Ok(Arrays {
            layout,
            scalars: buffer(layout.input_scalars())?,
            words: buffer_of_words(layout.input_words())?,
            answer_scalars: buffer(layout.answer_scalars())?,
            answer_words: buffer_of_words(layout.answer_words())?,
        })
    }

    /// What is passed to an entry. The count fits these arrays, bodies and contacts a rung: all fit 32 bits.
    pub fn parameters(&self, settings: &SettingsArrays, count: usize, dt: f32) -> Parameters {
        Parameters {
            count: count as u32,
            bodies: self.layout.bodies as u32,
            contacts: self.layout.contacts as u32,
            dt,
            arrays: [
                settings.scalars.address(),
                settings.words.address(),
                self.scalars.address(),
                self.words.address(),
                self.answer_scalars.address(),
                self.answer_words.address(),
            ],
        }
    }
}
