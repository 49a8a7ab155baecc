//! Pinned (page-locked) memory, which a graphics processor reads and writes without the host. To allocate it takes longer than a copy
//! within the host, so it is for arrays that are used several times.
use std::fmt;
use std::marker::PhantomData;

use bytemuck::{Pod, cast_slice, cast_slice_mut};
use stiction::Settings;
use stiction_batch::{Answers, BatchError, DelassusAnswers, DelassusBatch, Layout, Packed};

use crate::channel::HostMemory;
use crate::error::GpuError;
use crate::gpu::Gpu;
use crate::memory::Pinned;
use crate::rungs::Scalar;

/// Numbers in pinned memory.
pub struct PinnedArray<V> {
    memory: Pinned,
    length: usize,
    number: PhantomData<V>,
}

/// Problems in pinned memory.
pub type PinnedProblems<T> = Packed<T, PinnedArray<T>, PinnedArray<u32>>;
/// Answers in pinned memory.
pub type PinnedAnswers<T> = Answers<T, PinnedArray<T>, PinnedArray<u32>>;

impl<V: Pod> AsRef<[V]> for PinnedArray<V> {
    fn as_ref(&self) -> &[V] {
        // SAFETY: every function that begins a copy to the array borrows it exclusively, and waits for the copy before it returns.
        let bytes = unsafe { self.memory.bytes() };
        cast_slice(&bytes[..self.length * size_of::<V>()])
    }
}

impl<V: Pod> AsMut<[V]> for PinnedArray<V> {
    fn as_mut(&mut self) -> &mut [V] {
        // SAFETY: every function that begins a copy borrows the array, and waits for the copy before it returns.
        let bytes = unsafe { self.memory.bytes_mut() };
        cast_slice_mut(&mut bytes[..self.length * size_of::<V>()])
    }
}

impl<V> fmt::Debug for PinnedArray<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PinnedArray").field("length", &self.length).finish_non_exhaustive()
    }
}

impl Gpu {
    /// So many zeros in pinned memory.
    pub fn pinned_array<V: Pod>(&self, length: usize) -> Result<PinnedArray<V>, GpuError> {
        self.context.make_current()?;
        let bytes = length.checked_mul(size_of::<V>()).ok_or(GpuError::HostMemory { bytes: usize::MAX })?;
        Ok(PinnedArray { memory: Pinned::new(&self.context, bytes)?, length, number: PhantomData })
    }

    /// Numbers, copied into pinned memory.
    pub fn pinned_copy<V: Pod>(&self, numbers: &[V]) -> Result<PinnedArray<V>, GpuError> {
        let mut array = self.pinned_array(numbers.len())?;
        array.as_mut().copy_from_slice(numbers);
        Ok(array)
    }

    /// So many problems without bodies in pinned memory.
    ///
    /// ```
    /// # use stiction::Settings;
    /// # use stiction_batch::Layout;
    /// # use stiction_gpu::{Gpu, GpuError};
    /// # fn main() -> Result<(), GpuError> {
    /// # let Ok(gpu) = Gpu::open() else { return Ok(()) };
    /// let layout = Layout::blocks(5, 8);
    /// let mut problems = gpu.pinned_problems::<f32>(layout, 1000)?;
    /// let mut answers = gpu.pinned_answers::<f32>(layout, 1000)?;
    /// for step in 0..10 {
    ///     problems.set(step, &[], &[])?;
    ///     gpu.solve_pinned(&problems, &mut answers, &Settings::default(), 1.0 / 60.0)?;
    ///     assert_eq!(answers.solved(), 1000);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn pinned_problems<T: Scalar>(&self, layout: Layout, count: usize) -> Result<PinnedProblems<T>, GpuError> {
        let scalars = self.pinned_array(layout.length(layout.input_scalars(), count))?;
        let words = self.pinned_array(layout.length(layout.input_words(), count))?;
        Ok(Packed::from_arrays(layout, count, (scalars, words))?)
    }

    /// Answers of so many problems in pinned memory, none of them begun.
    pub fn pinned_answers<T: Scalar>(&self, layout: Layout, count: usize) -> Result<PinnedAnswers<T>, GpuError> {
        let scalars = self.pinned_array(layout.length(layout.answer_scalars(), count))?;
        let words = self.pinned_array(layout.length(layout.answer_words(), count))?;
        let mut answers = Answers::from_arrays(layout, count, (scalars, words), Vec::new())?;
        answers.clear();
        Ok(answers)
    }

    /// Solves all problems as [`Gpu::solve_all`] does. Answers must be as many, in the same layout, otherwise nothing changes; after
    /// another error no problem is begun.
    pub fn solve_pinned<T: Scalar>(
        &self,
        problems: &PinnedProblems<T>,
        answers: &mut PinnedAnswers<T>,
        settings: &Settings<T>,
        dt: T,
    ) -> Result<(), GpuError> {
        if problems.layout() != answers.layout() {
            return Err(GpuError::OtherLayout);
        }
        let (length, expected) = (answers.len(), problems.len());
        if length != expected {
            return Err(GpuError::Batch(BatchError::Length { array: "answers", length, expected }));
        }
        answers.rewrite(|scalars, words| {
            self.solve_into((scalars, words), HostMemory::Pinned, &problems.view(), settings, dt)
        })
    }

    /// Solves problems in Delassus form as [`Gpu::solve_delassus`] does: matrices, free velocities and friction coefficients as
    /// [`DelassusBatch::new`] takes them, impulses to start from if there are any. Answers, which are much smaller, are in other memory.
    pub fn solve_delassus_pinned<T: Scalar>(
        &self,
        contacts: usize,
        [w, q, mu]: [&PinnedArray<T>; 3],
        warm: Option<&PinnedArray<T>>,
        settings: &Settings<T>,
    ) -> Result<DelassusAnswers<T>, GpuError> {
        let batch = DelassusBatch::new(contacts, w.as_ref(), q.as_ref(), mu.as_ref())?;
        let batch = warm.map_or(Ok(batch), |warm| batch.from_impulses(warm.as_ref()))?;
        self.solve_delassus_from(HostMemory::Pinned, &batch, settings)
    }
}
