//! Batches of bodies with contacts.
use std::time::Duration;

use bytemuck::{cast_slice, cast_slice_mut};
use stiction::{Bodies, Contacts, InputError, Settings, Solver};
use stiction_batch::answers::REJECTED;
use stiction_batch::control::filled;
use stiction_batch::{Answers, BatchError, Layout, Packed, PackedView};

use crate::channel::{Addresses, HostMemory, Sizes, Work};
use crate::driver::Address;
use crate::error::GpuError;
use crate::gpu::{Gpu, Threads};
use crate::memory::Buffer;
use crate::parameters::Parameter;
use crate::passes::{self, Places};
use crate::rungs::{Rung, Scalar, rung_for};
use crate::settings_arrays::SettingsArrays;
use crate::shares::{share_of, shares};

/// Problems of a batch that is solved in one pass, at most.
const SMALL: usize = 1 << 17;
/// Problems of which a larger batch solves a sample first: whole blocks.
const SAMPLE: usize = 1 << 12;
/// Problems of one launch, at most.
pub(crate) const MOST: usize = u32::MAX as usize / 2;

impl Gpu {
    /// Solves all problems for a step of `dt` seconds, each with the bits of [`Solver::solve`]. Problems are in blocks
    /// ([`Layout::blocks`]), with surfaces or without, and fit the largest capacity of their precision
    /// ([`Scalar`]); answers are in blocks as well.
    ///
    /// A batch allocates memory, on both sides what 16,384 problems need times the number of threads that copy, 16 at most. The next
    /// batch uses it again if it has the same layout and as many passes and is in the same kind of memory; otherwise it is given back.
    /// What is left is given back when this is dropped.
    pub fn solve_all<T: Scalar>(
        &self,
        problems: &Packed<T>,
        settings: &Settings<T>,
        dt: T,
    ) -> Result<Answers<T>, GpuError> {
        let (layout, count) = (problems.layout(), problems.len());
        checked(&layout, settings, dt)?;
        // New memory comes as zeros from the system, without a pass over it.
        let places = layout.length(1, count);
        let mut scalars = filled(T::ZERO, layout.answer_scalars(), places)?;
        let mut words = filled(0, layout.answer_words(), places)?;
        let errors = self.solve_into((&mut scalars, &mut words), HostMemory::Any, &problems.view(), settings, dt)?;
        Ok(Answers::from_arrays(layout, count, (scalars, words), errors)?)
    }

    /// Writes all scalars and words of the answers; returns the problems that were rejected, and why. `host` tells in what memory
    /// problems and answers are.
    pub(crate) fn solve_into<T: Scalar>(
        &self,
        (scalars, words): (&mut [T], &mut [u32]),
        host: HostMemory,
        problems: &PackedView<'_, T>,
        settings: &Settings<T>,
        dt: T,
    ) -> Result<Vec<(usize, InputError<T>)>, GpuError> {
        let (layout, count) = (problems.layout(), problems.len());
        let rung = checked(&layout, settings, dt)?;
        self.context.make_current()?;
        let arrays = SettingsArrays::new(&self.context, settings)?;
        let ends = self.ends(rung, problems, (settings, dt))?;
        let launches = |count: u32, at: &Addresses| launches(&layout, (count, dt), arrays.addresses(), at, &ends);
        let (share, sizes) = sizes::<T>(&layout, host, (ends.len(), self.waiting_words(rung.code)?));
        let (given_scalars, given_words) = problems.arrays();
        let shares = shares(
            (count, share),
            vec![(cast_slice(given_scalars), sizes.inputs[0]), (cast_slice(given_words), sizes.inputs[1])],
            vec![(cast_slice_mut(scalars), sizes.answers[0]), (cast_slice_mut(words), sizes.answers[1])],
        );
        let (module, block) = self.module(rung.code, Threads::with(settings))?;
        self.solve_shares(&sizes, &Work { module: &module, block, launches: &launches }, shares)?;
        errors(rung, problems, words, settings, dt)
    }

    /// How long the solves of a batch take, by the graphics processor's clock, if the problems are there already: in one launch,
    /// whose answers nobody reads.
    pub fn kernel_time<T: Scalar>(
        &self,
        problems: &Packed<T>,
        settings: &Settings<T>,
        dt: T,
    ) -> Result<Duration, GpuError> {
        let (layout, count) = (problems.layout(), problems.len());
        let rung = checked(&layout, settings, dt)?;
        if count > MOST {
            return Err(GpuError::Batch(BatchError::Capacity { what: "problem", count, capacity: MOST }));
        }
        self.context.make_current()?;
        let problems = &problems.view();
        let ends = self.ends(rung, problems, (settings, dt))?;
        self.solve_once(rung, (problems, count), (settings, dt), &ends).map(|once| once.time)
    }

    /// The ends of passes for a batch, by a sample of it. A small batch does not fill a graphics processor, so threads that wait
    /// for each other keep nobody waiting, and there is one pass.
    fn ends<T: Scalar>(
        &self,
        rung: &Rung<T>,
        problems: &PackedView<'_, T>,
        (settings, dt): (&Settings<T>, T),
    ) -> Result<Vec<u32>, GpuError> {
        let possible = passes::possible(settings);
        if possible.len() == 1 || problems.len() < SMALL {
            return Ok(vec![settings.sweeps]);
        }
        let sample = self.solve_once(rung, (problems, SAMPLE), (settings, dt), &possible)?;
        Ok(passes::best(&possible, SAMPLE as u32, &sample.waiting))
    }

    /// Solves the first problems of a batch in passes that end after so many sweeps; nobody reads their answers. The context is
    /// the current one.
    fn solve_once<T: Scalar>(
        &self,
        rung: &Rung<T>,
        (problems, count): (&PackedView<'_, T>, usize),
        (settings, dt): (&Settings<T>, T),
        ends: &[u32],
    ) -> Result<Once, GpuError> {
        let (context, layout, (scalars, words)) = (&self.context, problems.layout(), problems.arrays());
        let arrays = SettingsArrays::new(context, settings)?;
        let inputs = [
            Buffer::of(context, cast_slice(&scalars[..layout.length(layout.input_scalars(), count)]))?,
            Buffer::of(context, cast_slice(&words[..layout.length(layout.input_words(), count)]))?,
        ];
        let answers = [
            Buffer::new(context, size_of::<T>() * layout.length(layout.answer_scalars(), count))?,
            Buffer::new(context, size_of::<u32>() * layout.length(layout.answer_words(), count))?,
        ];
        let mut waiting = vec![0u32; ends.len()];
        let [_, first, second] = passes::bytes(ends.len(), count, self.waiting_words(rung.code)?);
        let scratch =
            [Buffer::of(context, cast_slice(&waiting))?, Buffer::new(context, first)?, Buffer::new(context, second)?];
        context.wait()?;
        let addresses = |buffers: &[Buffer]| buffers.iter().map(Buffer::address).collect();
        let at = Addresses { inputs: addresses(&inputs), answers: addresses(&answers), scratch: addresses(&scratch) };
        let launches = launches(&layout, (count as u32, dt), arrays.addresses(), &at, ends);
        // SAFETY: arrays were made for so many problems of this layout, which the rung fits, and nothing else uses them.
        let time = unsafe { self.time((rung.code, Threads::with(settings)), count as u32, launches)? };
        scratch[0].read(cast_slice_mut(&mut waiting))?;
        Ok(Once { time, waiting })
    }
}

/// What is known of problems whose answers nobody reads.
struct Once {
    time: Duration,
    /// Problems that waited after each pass.
    waiting: Vec<u32>,
}

/// What is passed to an entry in each pass (`kernel/gpu/device`: `body_contact::Arguments`). Bodies and contacts fit a rung: all
/// fit 32 bits.
pub(crate) fn launches<T: Scalar>(
    layout: &Layout,
    (count, dt): (u32, T),
    settings: [Address; 2],
    at: &Addresses,
    ends: &[u32],
) -> Vec<Vec<Parameter>> {
    let numbers = [count, layout.bodies as u32, layout.contacts as u32].map(Parameter::from);
    let arrays = settings.iter().chain(&at.inputs).chain(&at.answers).map(|address| Parameter::from(*address));
    let all: Vec<Parameter> = numbers.into_iter().chain([dt.into()]).chain(arrays).collect();
    let places = Places { counters: at.scratch[0], waiting: [at.scratch[1], at.scratch[2]] };
    passes::parameters(ends, &places).into_iter().map(|pass| [&all[..], &pass].concat()).collect()
}

/// Problems of a share, and the bytes of its arrays.
fn sizes<T: Scalar>(layout: &Layout, host: HostMemory, (passes, waiting_words): (usize, usize)) -> (usize, Sizes) {
    let bytes = |share: usize| {
        let of = |bytes: usize, each: usize| bytes * layout.length(each, share);
        Sizes {
            inputs: vec![of(size_of::<T>(), layout.input_scalars()), of(4, layout.input_words())],
            answers: vec![of(size_of::<T>(), layout.answer_scalars()), of(4, layout.answer_words())],
            scratch: passes::bytes(passes, share, waiting_words).to_vec(),
            host: [host; 2],
        }
    };
    let of_block = bytes(layout.side_by_side());
    let of_problem = of_block.inputs.iter().chain(&of_block.answers).sum::<usize>() / layout.side_by_side();
    let share = share_of(of_problem);
    (share, bytes(share))
}

/// The capacity for problems of a layout, if settings and time step are valid.
pub(crate) fn checked<T: Scalar>(layout: &Layout, settings: &Settings<T>, dt: T) -> Result<&'static Rung<T>, GpuError> {
    let rung = rung_for(layout)?;
    if layout.side_by_side() == 1 {
        return Err(GpuError::Rows);
    }
    Solver::<T, 1, 1>::validate(&Bodies::new(), &Contacts::new(), settings, dt)
        .map_err(|error| BatchError::Settings(error.to_string()))?;
    Ok(rung)
}

/// Problems whose words say that they were rejected, and why, in their order. A graphics processor tells only that they were;
/// the host reads and validates them again.
fn errors<T: Scalar>(
    rung: &Rung<T>,
    problems: &PackedView<'_, T>,
    words: &[u32],
    settings: &Settings<T>,
    dt: T,
) -> Result<Vec<(usize, InputError<T>)>, GpuError> {
    let layout = problems.layout();
    let is_rejected = |problem: &usize| words[layout.at(layout.answer_words(), *problem, 0)] == REJECTED;
    let rejected = (0..problems.len()).filter(is_rejected);
    rejected
        .map(|problem| match (rung.why)(problems, problem, settings, dt) {
            Some(error) => Ok((problem, error)),
            None => Err(GpuError::Disagrees { problem }),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use stiction_batch::{Control, solve_all};
    use stiction_testkit::small_problems::{BODIES, CONTACTS, SmallProblem};

    use super::*;

    fn rung() -> &'static Rung<f32> {
        rung_for(&Layout::blocks(BODIES, CONTACTS)).unwrap()
    }

    /// Problems, some of which are rejected, and the words of a graphics processor that says so.
    fn faulty() -> (Packed<f32>, Vec<u32>) {
        let layout = Layout::blocks(BODIES, CONTACTS);
        let mut problems = Packed::new(layout, 70);
        for index in 0..70 {
            let (mut bodies, mut contacts) = SmallProblem::Linked.island(index as u64).rounded();
            match index {
                3 => bodies[2].inverse_mass = -1.0,
                40 => contacts[3].mu = f32::NAN,
                69 => contacts[7].b = 12,
                _ => {}
            }
            problems.set(index, &bodies, &contacts).unwrap();
        }
        let mut words = vec![0; layout.length(layout.answer_words(), 70)];
        [3, 40, 69].iter().for_each(|problem| words[layout.at(layout.answer_words(), *problem, 0)] = REJECTED);
        (problems, words)
    }

    #[test]
    fn reasons_are_those_of_a_batch_on_processors() {
        let ((problems, words), settings) = (faulty(), Settings::default());
        let expected = solve_all::<f32, BODIES, CONTACTS>(&problems, &settings, 0.01, &Control::on(1)).unwrap();
        let found = errors(rung(), &problems.view(), &words, &settings, 0.01).unwrap();
        assert_eq!(format!("{found:?}"), format!("{:?}", expected.errors()));
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn a_problem_that_only_a_graphics_processor_rejects_is_an_error() {
        let ((problems, mut words), layout) = (faulty(), Layout::blocks(BODIES, CONTACTS));
        words[layout.at(layout.answer_words(), 5, 0)] = REJECTED;
        let found = errors(rung(), &problems.view(), &words, &Settings::default(), 0.01);
        assert_eq!(found, Err(GpuError::Disagrees { problem: 5 }));
    }
}
