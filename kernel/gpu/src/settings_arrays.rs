//! The settings of a batch in the memory of a graphics processor.
use std::sync::Arc;

use stiction::Settings;
use stiction_batch_layout::SettingsNumbers;

use crate::context::Context;
use crate::driver::Address;
use crate::error::GpuError;
use crate::memory::Buffer;
use crate::rungs::Scalar;

/// The numbers of settings: `settings_scalars` and `settings_words` of every entry.
pub struct SettingsArrays {
    scalars: Buffer,
    words: Buffer,
}

impl SettingsArrays {
    /// Copies settings. The context is the current one.
    pub fn new<T: Scalar>(context: &Arc<Context>, settings: &Settings<T>) -> Result<Self, GpuError> {
        let SettingsNumbers { scalars, words } = SettingsNumbers::of(settings);
        let arrays = SettingsArrays {
            scalars: Buffer::of(context, bytemuck::cast_slice(&scalars))?,
            words: Buffer::of(context, bytemuck::cast_slice(&words))?,
        };
        context.wait()?;
        Ok(arrays)
    }

    /// Where they are: scalars, words.
    pub fn addresses(&self) -> [Address; 2] {
        [self.scalars.address(), self.words.address()]
    }
}
