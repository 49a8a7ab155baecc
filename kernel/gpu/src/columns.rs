//! Arrays of a caller on the graphics processor, and those of answers: their names, where they are, and the tables of both that
//! device code reads (`kernel/gpu/device`: `columns`).
use std::ops::Range;

use stiction_batch::Layout;
use stiction_batch::layout::{COUNTS, FIGURES};
pub use stiction_batch_layout::columns::{BODY_FIELDS, FIELDS, entries_of, is_integer};

use crate::driver::Address;
use crate::error::GpuError;
use crate::scratch::parts;

/// An array of a caller, whose first index is the problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// The address of its first entry.
    pub address: Address,
    /// Bytes of an entry: 4 or 8.
    pub bytes: u32,
    /// Bytes from an entry to the next along problems, along places of a problem, and along two axes within. An axis that the array
    /// does not have has any stride.
    pub strides: [i64; 4],
}

/// The arrays of [`FIELDS`]; none where a field is not given.
pub type Columns = [Option<Column>; FIELDS.len()];

/// The table of a caller's arrays.
pub(crate) fn table(columns: &Columns) -> Result<Vec<u64>, GpuError> {
    let mut table = Vec::new();
    for (name, column) in FIELDS.iter().zip(columns) {
        let Some(Column { address, bytes, strides }) = *column else {
            table.extend([0; 6]);
            continue;
        };
        if ![4, 8].contains(&bytes) {
            return Err(GpuError::Array { name, fault: "entries must have 4 or 8 bytes" });
        }
        let is_aligned = |number: u64| number.is_multiple_of(bytes.into());
        if !is_aligned(address) || !strides.iter().all(|stride| is_aligned(stride.unsigned_abs())) {
            return Err(GpuError::Array { name, fault: "address and strides must be multiples of an entry's bytes" });
        }
        table.extend([address, bytes.into()]);
        table.extend(strides.map(|stride| stride as u64));
    }
    Ok(table)
}

/// The type of the entries of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Floats of so many bytes.
    Float(usize),
    /// Signed integers of 4 bytes.
    Integer,
}

impl Kind {
    /// Bytes of an entry.
    pub fn bytes(self) -> usize {
        match self {
            Kind::Float(bytes) => bytes,
            Kind::Integer => size_of::<i32>(),
        }
    }
}

/// An array of answers, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerArray {
    /// Its name: a field of answers, a figure or a count of reports, or `states`.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Where it begins in its memory, bytes.
    pub offset: usize,
    /// Its numbers within an answer.
    range: Range<usize>,
}

impl AnswerArray {
    fn bytes(&self) -> usize {
        self.kind.bytes() * self.shape.iter().product::<usize>()
    }
}

/// The arrays of a batch's answers.
#[derive(Debug, Clone, Default)]
pub(crate) struct AnswerArrays {
    /// All arrays: floats first.
    pub arrays: Vec<AnswerArray>,
    /// The bytes of all.
    pub bytes: usize,
}

impl AnswerArrays {
    /// Those of bodies with contacts.
    pub fn of_batch(layout: &Layout, count: usize, scalar: usize) -> Self {
        let (b, c) = (layout.bodies, layout.contacts);
        let fields = [
            ("linear", layout.linear(), vec![count, b, 3]),
            ("angular", layout.angular(), vec![count, b, 3]),
            ("normal", layout.normal(), vec![count, c]),
            ("tangent", layout.tangent(), vec![count, c, 3]),
            ("bounce", layout.bounce(), vec![count, c]),
        ];
        let moments = layout.has_surfaces.then(|| ("moment", layout.moment(), vec![count, c, 3]));
        let mut all = AnswerArrays::default();
        for (name, range, shape) in fields.into_iter().chain(moments) {
            all.add(name, Kind::Float(scalar), range, shape);
        }
        all.add_reports((&FIGURES, layout.figures_at()), &COUNTS, count, scalar);
        all.add("states", Kind::Integer, COUNTS.len()..COUNTS.len() + c, vec![count, c]);
        all.placed()
    }

    /// Those of problems in Delassus form; their vectors come first, and are written where they are.
    pub fn of_matrices(contacts: usize, count: usize, scalar: usize) -> Self {
        use stiction_batch::delassus::{COUNTS, FIGURES};
        let mut all = AnswerArrays::default();
        for name in ["impulses", "velocities"] {
            all.add(name, Kind::Float(scalar), 0..0, vec![count, 3 * contacts]);
        }
        all.add_reports((&FIGURES, 0), &COUNTS, count, scalar);
        all.placed()
    }

    fn add(&mut self, name: &'static str, kind: Kind, range: Range<usize>, shape: Vec<usize>) {
        self.arrays.push(AnswerArray { name, kind, shape, offset: 0, range });
    }

    /// The figures and counts of reports, one array each.
    fn add_reports(
        &mut self,
        (figures, first): (&[&'static str], usize),
        counts: &[&'static str],
        count: usize,
        scalar: usize,
    ) {
        for (k, name) in figures.iter().enumerate() {
            self.add(name, Kind::Float(scalar), first + k..first + k + 1, vec![count]);
        }
        for (k, name) in counts.iter().enumerate() {
            self.add(name, Kind::Integer, k..k + 1, vec![count]);
        }
    }

    /// The same, each with its place.
    fn placed(mut self) -> Self {
        let sizes: Vec<usize> = self.arrays.iter().map(AnswerArray::bytes).collect();
        let (starts, bytes) = parts(&sizes);
        self.arrays.iter_mut().zip(starts).for_each(|(array, start)| array.offset = start);
        AnswerArrays { bytes, ..self }
    }

    /// The table of those that are copied from an answer's numbers into this memory, and how many have floats and integers.
    pub fn table(&self, memory: Address) -> (Vec<u64>, [u32; 2]) {
        let (mut table, mut counts) = (Vec::new(), [0, 0]);
        for array in self.arrays.iter().filter(|array| !array.range.is_empty()) {
            table.extend([memory + array.offset as u64, array.range.start as u64, array.range.len() as u64]);
            counts[usize::from(array.kind == Kind::Integer)] += 1;
        }
        (table, counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_that_device_code_cannot_read_are_errors() {
        let mut columns: Columns = [None; FIELDS.len()];
        assert_eq!(table(&columns).unwrap(), vec![0; 6 * FIELDS.len()]);
        for (bytes, address, stride) in [(2, 64, 8), (4, 66, 8), (8, 64, -12)] {
            columns[3] = Some(Column { address, bytes, strides: [stride, 0, 0, 0] });
            assert!(matches!(table(&columns), Err(GpuError::Array { name: "angular", .. })));
        }
        columns[3] = Some(Column { address: 64, bytes: 4, strides: [-4, 0, 8, 0] });
        assert_eq!(table(&columns).unwrap()[18..24], [64, 4, u64::MAX - 3, 0, 8, 0]);
    }

    #[test]
    fn arrays_of_answers_do_not_overlap_and_have_all_numbers() {
        let layout = Layout::blocks(2, 3).with_surfaces();
        let all = AnswerArrays::of_batch(&layout, 7, 8);
        let numbers = |kind: Kind| -> usize {
            all.arrays.iter().filter(|array| array.kind == kind).map(|array| array.range.len()).sum()
        };
        assert_eq!(numbers(Kind::Float(8)), layout.answer_scalars());
        assert_eq!(numbers(Kind::Integer), layout.answer_words());
        assert!(all.arrays.windows(2).all(|pair| pair[0].offset + pair[0].bytes() <= pair[1].offset));
        for array in &all.arrays {
            assert_eq!(array.shape.iter().product::<usize>(), 7 * array.range.len(), "{}", array.name);
        }
        assert_eq!(all.table(0).1, [17, 7]);
    }
}
