//! Batches in Delassus form.
use std::time::Duration;

use bytemuck::{cast_slice, cast_slice_mut};
use stiction::{InputError, Settings};
use stiction_batch::answers::REJECTED;
use stiction_batch::delassus::{COUNTS, FIGURES};
use stiction_batch::{BatchError, DelassusAnswers, DelassusBatch};

use crate::batch::MOST;
use crate::channel::{Addresses, HostMemory, Sizes, Work};
use crate::driver::Address;
use crate::error::GpuError;
use crate::gpu::{Gpu, Threads};
use crate::memory::Buffer;
use crate::parameters::Parameter;
use crate::rungs::{DelassusRung, Scalar, delassus_rung_for};
use crate::settings_arrays::SettingsArrays;
use crate::shares::{share_of, shares};

impl Gpu {
    /// Solves all problems, each with the bits of [`DelassusSolver::solve_with`](stiction::DelassusSolver::solve_with) without
    /// memory for direct methods.
    pub fn solve_delassus<T: Scalar>(
        &self,
        batch: &DelassusBatch<'_, T>,
        settings: &Settings<T>,
    ) -> Result<DelassusAnswers<T>, GpuError> {
        self.solve_delassus_from(HostMemory::Any, batch, settings)
    }

    /// The same; `host` tells in what memory the problems are.
    pub(crate) fn solve_delassus_from<T: Scalar>(
        &self,
        host: HostMemory,
        batch: &DelassusBatch<'_, T>,
        settings: &Settings<T>,
    ) -> Result<DelassusAnswers<T>, GpuError> {
        let (rung, contacts) = (delassus_rung_for::<T>(batch.contacts())?, batch.contacts());
        settings.validate().map_err(|error| BatchError::Settings(error.to_string()))?;
        self.context.make_current()?;
        let arrays = SettingsArrays::new(&self.context, settings)?;
        let launches = |count: u32, at: &Addresses| {
            vec![parameters((count, contacts), arrays.addresses(), &at.inputs, &at.answers)]
        };
        let (mut answers, all) = (DelassusAnswers::of(batch)?, batch.some(0..batch.count()));
        let (share, sizes) = sizes::<T>(contacts, host, !all.warm.is_empty());
        let given = [all.w, all.q, all.mu, all.warm].map(cast_slice).into_iter().zip(sizes.inputs.iter().copied());
        let DelassusAnswers { impulses, velocities, figures, counts, .. } = &mut answers;
        let places = [impulses, velocities, figures].map(|numbers| cast_slice_mut(numbers.as_mut_slice()));
        let places = places.into_iter().chain([cast_slice_mut(counts.as_mut_slice())]).zip(sizes.answers.clone());
        let shares = shares((batch.count(), share), given.collect(), places.collect());
        let (module, block) = self.module(rung.code, Threads::with(settings))?;
        self.solve_shares(&sizes, &Work { module: &module, block, launches: &launches }, shares)?;
        answers.errors = errors(rung, batch, &answers.counts, settings)?;
        Ok(answers)
    }

    /// How long the solves of a batch take, by the graphics processor's clock, if the problems are there already: in one launch,
    /// whose answers nobody reads.
    pub fn delassus_time<T: Scalar>(
        &self,
        batch: &DelassusBatch<'_, T>,
        settings: &Settings<T>,
    ) -> Result<Duration, GpuError> {
        let (rung, context, count) = (delassus_rung_for::<T>(batch.contacts())?, &self.context, batch.count());
        settings.validate().map_err(|error| BatchError::Settings(error.to_string()))?;
        if count > MOST {
            return Err(GpuError::Batch(BatchError::Capacity { what: "problem", count, capacity: MOST }));
        }
        context.make_current()?;
        let (arrays, all) = (SettingsArrays::new(context, settings)?, batch.some(0..count));
        let given = [all.w, all.q, all.mu, all.warm];
        let inputs = given.iter().take(if all.warm.is_empty() { 3 } else { 4 });
        let inputs = inputs.map(|numbers| Buffer::of(context, cast_slice(numbers))).collect::<Result<Vec<_>, _>>()?;
        let numbers = [all.q.len(), all.q.len(), FIGURES.len() * count].map(|length| size_of::<T>() * length);
        let answers = numbers.into_iter().chain([size_of::<u32>() * COUNTS.len() * count]);
        let answers = answers.map(|bytes| Buffer::new(context, bytes)).collect::<Result<Vec<_>, _>>()?;
        context.wait()?;
        let [inputs_at, answers_at] =
            [&inputs, &answers].map(|arrays| arrays.iter().map(Buffer::address).collect::<Vec<_>>());
        let parameters = parameters((count as u32, batch.contacts()), arrays.addresses(), &inputs_at, &answers_at);
        // SAFETY: arrays were made for so many problems, which the rung fits, and nothing else uses them.
        unsafe { self.time((rung.code, Threads::with(settings)), count as u32, vec![parameters]) }
    }
}

/// What is passed to an entry (`kernel/gpu/device`: `delassus::Arguments`). The contacts fit a rung.
pub(crate) fn parameters(
    (count, contacts): (u32, usize),
    settings: [Address; 2],
    inputs: &[Address],
    answers: &[Address],
) -> Vec<Parameter> {
    // The last array that is read are impulses to start from, or none.
    let inputs = inputs.iter().chain(&[0]).take(4);
    let numbers = [count, contacts as u32].map(Parameter::from);
    let arrays = settings.iter().chain(inputs).chain(answers).map(|address| Parameter::from(*address));
    numbers.into_iter().chain(arrays).collect()
}

/// Problems of a share, and the bytes of its arrays: W, q, μ, impulses to start from if there are any.
fn sizes<T: Scalar>(contacts: usize, host: HostMemory, has_start: bool) -> (usize, Sizes) {
    let (c, scalar) = (contacts, size_of::<T>());
    let inputs = [9 * c * c, 3 * c, c, 3 * c].map(|each| scalar * each);
    let inputs = if has_start { &inputs[..] } else { &inputs[..3] };
    let answers = [scalar * 3 * c, scalar * 3 * c, scalar * FIGURES.len(), size_of::<u32>() * COUNTS.len()];
    let share = share_of(inputs.iter().chain(&answers).sum());
    let of_share = |sizes: &[usize]| sizes.iter().map(|each| each * share).collect();
    (
        share,
        Sizes {
            inputs: of_share(inputs),
            answers: of_share(&answers),
            scratch: Vec::new(),
            host: [host, HostMemory::Any],
        },
    )
}

/// Problems whose counts say that they were rejected, and why, in their order: the host tries them again.
fn errors<T: Scalar>(
    rung: &DelassusRung<T>,
    batch: &DelassusBatch<'_, T>,
    counts: &[u32],
    settings: &Settings<T>,
) -> Result<Vec<(usize, InputError<T>)>, GpuError> {
    let rejected = (0..batch.count()).filter(|problem| counts[COUNTS.len() * problem] == REJECTED);
    rejected
        .map(|problem| match (rung.why)(&batch.some(problem..problem + 1), settings) {
            Some(error) => Ok((problem, error)),
            None => Err(GpuError::Disagrees { problem }),
        })
        .collect()
}
