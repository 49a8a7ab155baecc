//! Batches whose arrays are on the graphics processor already, and whose answers stay there.
//!
//! Everything happens in the order of the caller's stream, and nothing waits: problems go from the caller's arrays into the layout
//! in blocks, are solved there, and answers go into arrays of their own, some hundred thousand problems at a time, so that the
//! memory that is needed meanwhile does not grow with the batch.
use std::marker::PhantomData;
use std::sync::Arc;

use bytemuck::cast_slice;
use stiction::Settings;
use stiction_batch::delassus::{COUNTS, FIGURES};
use stiction_batch::layout::BLOCK;
use stiction_batch::{BatchError, Layout};
use stiction_batch_layout::SettingsNumbers;

use crate::batch::{MOST, checked, launches};
use crate::channel::Addresses;
use crate::columns::{AnswerArray, AnswerArrays, Columns, table};
use crate::device_memory::DeviceMemory;
use crate::driver::Address;
use crate::error::GpuError;
use crate::gpu::{Gpu, Threads};
use crate::parameters::Parameter;
use crate::rungs::{Scalar, delassus_rung_for};
use crate::scratch::{Scratch, clear};
use crate::stream::Stream;

/// Problems at a time, at most: about four times as many threads as a large graphics processor runs at once.
/// Fewer in tests, so that there are several times.
pub(crate) const AT_A_TIME: usize = if cfg!(test) { 1 << 9 } else { 1 << 18 };
/// Bytes of problems and answers in the layout, about, where problems are large.
const BYTES_AT_A_TIME: usize = 512 << 20;

/// Problems of bodies with contacts.
#[derive(Debug, Clone, Copy)]
pub struct ResidentProblems {
    /// How many there are.
    pub count: usize,
    /// Bodies of each.
    pub bodies: usize,
    /// Contacts of each, at most.
    pub contacts: usize,
    /// Whether contacts can have friction beyond sliding.
    pub has_surfaces: bool,
    /// Places that contacts take: twice as many as contacts if they can resist twisting or rolling.
    pub places: usize,
    /// The arrays.
    pub columns: Columns,
}

/// Problems in Delassus form: arrays of floats in the precision of the solve, row by row.
#[derive(Debug, Clone, Copy)]
pub struct ResidentMatrices {
    /// How many there are.
    pub count: usize,
    /// Contacts of each.
    pub contacts: usize,
    /// The matrices, free velocities and friction coefficients.
    pub arrays: [Address; 3],
    /// Impulses to start from.
    pub warm: Option<Address>,
}

/// Answers on the graphics processor.
#[derive(Debug, Clone)]
pub struct ResidentAnswers {
    /// Where they are.
    pub memory: Arc<DeviceMemory>,
    /// The arrays.
    pub arrays: Vec<AnswerArray>,
}

/// Parts of the memory of a batch under way.
mod part {
    pub const SETTINGS_SCALARS: usize = 0;
    pub const SETTINGS_WORDS: usize = 1;
    pub const INPUT_TABLE: usize = 2;
    pub const ANSWER_TABLE: usize = 3;
    pub const ANSWER_SCALARS: usize = 4;
    pub const ANSWER_WORDS: usize = 5;
    pub const INPUT_SCALARS: usize = 6;
    pub const INPUT_WORDS: usize = 7;
}

impl Gpu {
    /// Solves all problems for a step of `dt` seconds, each with the bits of [`Solver::solve`](stiction::Solver::solve), in the
    /// order of a stream: 0, the default one, or the driver's name of another. The call does not wait: whether the answers are
    /// there, [`DeviceMemory::wait`] tells, and which problems were rejected, their statuses.
    ///
    /// # Safety
    ///
    /// There is such a stream on this graphics processor. Every array that is given has, at its address and strides, an entry for
    /// each index of its field's shape: a float or, where [`is_integer`](crate::columns::is_integer) says so, a signed integer. Nobody
    /// writes or frees the arrays before the stream has come that far.
    pub unsafe fn solve_resident<T: Scalar>(
        &self,
        problems: &ResidentProblems,
        settings: &Settings<T>,
        dt: T,
        stream: u64,
    ) -> Result<ResidentAnswers, GpuError> {
        let ResidentProblems { count, bodies, contacts, has_surfaces, places, columns } = problems;
        let with = |layout: Layout| if *has_surfaces { layout.with_surfaces() } else { layout };
        let layout = with(Layout::blocks(*bodies, *contacts));
        let rung = checked(&with(Layout::blocks(*bodies, *places)), settings, dt)?;
        check_count(*count)?;
        let input_table = table(columns)?;
        let _entered = self.context.enter()?;
        // SAFETY: the caller's promise.
        let stream = unsafe { Stream::of_caller(&self.context, stream) };
        let arrays = AnswerArrays::of_batch(&layout, *count, size_of::<T>());
        let memory = DeviceMemory::new(&self.context, arrays.bytes)?;
        let at_a_time = at_a_time::<T>(&layout, *count);
        let size = |each: usize| layout.length(each, at_a_time);
        let answers = [size(layout.answer_scalars()), size(layout.answer_words())];
        let inputs = [size(layout.input_scalars()), size(layout.input_words())];
        let (answer_table, columns) = arrays.table(memory.address());
        let work = Work::new(self, &stream, settings, [&input_table, &answer_table], [answers, inputs])?;
        for first in (0..*count).step_by(at_a_time) {
            let some = (at_a_time.min(*count - first) as u32, first as u32);
            // SAFETY: the caller's promise about arrays; the memory of this batch has room for so many problems of the layout,
            // which the rung fits, and everything is in the order of one stream.
            unsafe {
                work.pack(some, &layout)?;
                work.clear(answers)?;
                work.launch(rung.code, some.0, work.one_pass(&layout, (some.0, dt), settings.sweeps))?;
                work.unpack(some, (true, [layout.answer_scalars(), layout.answer_words()], columns))?;
            }
        }
        finished(memory, arrays, &stream)
    }

    /// The same for problems in Delassus form, whose arrays are read where they are.
    ///
    /// # Safety
    ///
    /// As above, with arrays of the lengths that are documented in `stiction_batch_layout::delassus`.
    pub unsafe fn solve_resident_matrices<T: Scalar>(
        &self,
        problems: &ResidentMatrices,
        settings: &Settings<T>,
        stream: u64,
    ) -> Result<ResidentAnswers, GpuError> {
        let ResidentMatrices { count, contacts, arrays: [w, q, mu], warm } = *problems;
        let rung = delassus_rung_for::<T>(contacts)?;
        settings.validate().map_err(|error| BatchError::Settings(error.to_string()))?;
        check_count(count)?;
        let _entered = self.context.enter()?;
        // SAFETY: the caller's promise.
        let stream = unsafe { Stream::of_caller(&self.context, stream) };
        let arrays = AnswerArrays::of_matrices(contacts, count, size_of::<T>());
        let memory = DeviceMemory::new(&self.context, arrays.bytes)?;
        let reports = [FIGURES.len() * count, COUNTS.len() * count];
        let (answer_table, columns) = arrays.table(memory.address());
        let work = Work::new(self, &stream, settings, [&[], &answer_table], [reports, [0, 0]])?;
        let vectors = [&arrays.arrays[0], &arrays.arrays[1]].map(|array| memory.address() + array.offset as Address);
        let vectors_end = arrays.arrays[2].offset;
        let answers = [vectors[0], vectors[1], work.at(part::ANSWER_SCALARS), work.at(part::ANSWER_WORDS)];
        let inputs = [w, q, mu, warm.unwrap_or(0)];
        if count > 0 {
            let passed = crate::delassus::parameters((count as u32, contacts), work.settings_at(), &inputs, &answers);
            // SAFETY: the caller's promise about arrays; those of answers were made for so many problems, which the rung fits, and
            // everything is in the order of one stream.
            unsafe {
                clear(&stream, memory.address(), vectors_end)?;
                work.clear(reports)?;
                work.launch(rung.code, count as u32, passed)?;
                work.unpack((count as u32, 0), (false, [FIGURES.len(), COUNTS.len()], columns))?;
            }
        }
        finished(memory, arrays, &stream)
    }
}

/// Answers that a stream fills.
fn finished(
    mut memory: DeviceMemory,
    AnswerArrays { arrays, .. }: AnswerArrays,
    stream: &Stream,
) -> Result<ResidentAnswers, GpuError> {
    memory.fill_by(stream)?;
    Ok(ResidentAnswers { memory: Arc::new(memory), arrays })
}

fn check_count(count: usize) -> Result<(), GpuError> {
    let too_many = BatchError::Capacity { what: "problem", count, capacity: MOST };
    if count > MOST { Err(GpuError::Batch(too_many)) } else { Ok(()) }
}

/// How many problems are solved at a time: whole blocks, or all.
fn at_a_time<T>(layout: &Layout, count: usize) -> usize {
    let scalars = layout.input_scalars() + layout.answer_scalars();
    let each = size_of::<T>() * scalars + size_of::<u32>() * (layout.input_words() + layout.answer_words());
    let most = (BYTES_AT_A_TIME / each.max(1)).clamp(BLOCK, AT_A_TIME) / BLOCK * BLOCK;
    most.min(count).max(1)
}

/// A batch under way: its memory, and what is begun with it.
struct Work<'a, T> {
    gpu: &'a Gpu,
    stream: &'a Stream,
    scratch: Scratch<'a>,
    scalar: PhantomData<T>,
}

impl<'a, T: Scalar> Work<'a, T> {
    /// With settings and tables copied; memory for so many scalars and words of answers and inputs.
    fn new(
        gpu: &'a Gpu,
        stream: &'a Stream,
        settings: &Settings<T>,
        tables: [&[u64]; 2],
        [answers, inputs]: [[usize; 2]; 2],
    ) -> Result<Self, GpuError> {
        let numbers = SettingsNumbers::of(settings);
        let given: [&[u8]; 4] =
            [cast_slice(&numbers.scalars), cast_slice(&numbers.words), cast_slice(tables[0]), cast_slice(tables[1])];
        let bytes = |[scalars, words]: [usize; 2]| [size_of::<T>() * scalars, size_of::<u32>() * words];
        let sizes = given.iter().map(|bytes| bytes.len()).chain(bytes(answers)).chain(bytes(inputs));
        let scratch = Scratch::new(stream, &sizes.collect::<Vec<_>>())?;
        for (number, bytes) in given.iter().enumerate().filter(|(_, bytes)| !bytes.is_empty()) {
            scratch.write(number, bytes)?;
        }
        Ok(Work { gpu, stream, scratch, scalar: PhantomData })
    }

    fn at(&self, part: usize) -> Address {
        self.scratch.part(part)
    }

    fn settings_at(&self) -> [Address; 2] {
        [self.at(part::SETTINGS_SCALARS), self.at(part::SETTINGS_WORDS)]
    }

    /// What is passed to an entry that solves problems in the layout, in one pass: how many wait after several would have to be
    /// known on the host.
    fn one_pass(&self, layout: &Layout, with: (u32, T), sweeps: u32) -> Vec<Parameter> {
        let at = Addresses {
            inputs: vec![self.at(part::INPUT_SCALARS), self.at(part::INPUT_WORDS)],
            answers: vec![self.at(part::ANSWER_SCALARS), self.at(part::ANSWER_WORDS)],
            scratch: vec![0; 3],
        };
        launches(layout, with, self.settings_at(), &at, &[sweeps]).concat()
    }

    /// Begins to set so many scalars and words of answers to 0.
    ///
    /// # Safety
    ///
    /// The memory has so many.
    unsafe fn clear(&self, [scalars, words]: [usize; 2]) -> Result<(), GpuError> {
        // SAFETY: the caller's promise; the stream's order.
        unsafe {
            clear(self.stream, self.at(part::ANSWER_SCALARS), size_of::<T>() * scalars)?;
            clear(self.stream, self.at(part::ANSWER_WORDS), size_of::<u32>() * words)
        }
    }

    /// Begins to read some problems of the caller's: how many, and the first one.
    ///
    /// # Safety
    ///
    /// What the entry asks for (`kernel/gpu/device`: `columns::pack`).
    unsafe fn pack(&self, (count, first): (u32, u32), layout: &Layout) -> Result<(), GpuError> {
        let numbers = [count, first, layout.bodies as u32, layout.contacts as u32, u32::from(layout.has_surfaces)];
        let arrays = [part::INPUT_TABLE, part::INPUT_SCALARS, part::INPUT_WORDS].map(|part| self.at(part));
        let passed = numbers.map(Parameter::from).into_iter().chain(arrays.map(Parameter::from)).collect();
        // SAFETY: the caller's promise.
        unsafe { self.launch(T::COLUMN_CODES[0], count, passed) }
    }

    /// Begins to copy some answers into their arrays: whether they are in blocks, how many numbers a problem has, and how many
    /// arrays there are of both types.
    ///
    /// # Safety
    ///
    /// What the entry asks for (`kernel/gpu/device`: `columns::unpack`).
    unsafe fn unpack(
        &self,
        (count, first): (u32, u32),
        (is_blocks, each, columns): (bool, [usize; 2], [u32; 2]),
    ) -> Result<(), GpuError> {
        let numbers = [count, first, u32::from(is_blocks), each[0] as u32, each[1] as u32];
        let arrays = [part::ANSWER_SCALARS, part::ANSWER_WORDS, part::ANSWER_TABLE].map(|part| self.at(part));
        let passed = numbers.map(Parameter::from).into_iter().chain(arrays.map(Parameter::from));
        let passed = passed.chain(columns.map(Parameter::from)).collect();
        // SAFETY: the caller's promise.
        unsafe { self.launch(T::COLUMN_CODES[1], count, passed) }
    }

    /// # Safety
    ///
    /// The parameters are those of the code's entry, and what it asks for holds until the stream has come that far.
    unsafe fn launch(&self, code: usize, threads: u32, mut parameters: Vec<Parameter>) -> Result<(), GpuError> {
        let (module, block) = self.gpu.module(code, Threads::Uneven)?;
        // SAFETY: the caller's promise.
        unsafe { module.launch((threads, block), &mut parameters, self.stream) }
    }
}
