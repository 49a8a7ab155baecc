//! Problems as a caller has them: an array for each field, with strides of its own. A problem is read from there and written into
//! a [`Layout`], with the checks that a layout cannot express: numbers below 0 that a problem's file would not have either.
//!
//! The first index of every array is the problem, the second the body or the contact; a vector has a third, a matrix a fourth.
use stiction::Real;

use crate::layout::{CONTACT_WORDS, HEAD, Layout, flag};
use crate::part::Slots;

/// The fields, in their order: four of bodies, then those of contacts. [`field`] has their numbers.
pub const FIELDS: [&str; 22] = [
    "inverse_mass",
    "inverse_inertia",
    "linear",
    "angular",
    "a",
    "b",
    "normal",
    "r_a",
    "r_b",
    "mu",
    "restitution",
    "depth",
    "pre_impact_normal_velocity",
    "warm_normal",
    "warm_tangent",
    "torsion",
    "rolling",
    "mu_across",
    "friction_direction",
    "warm_moment",
    "count",
    "gap",
];

/// How many of [`FIELDS`] are those of bodies.
pub const BODY_FIELDS: usize = 4;

/// Places in [`FIELDS`].
#[allow(missing_docs)]
pub mod field {
    pub const INVERSE_MASS: usize = 0;
    pub const INVERSE_INERTIA: usize = 1;
    pub const LINEAR: usize = 2;
    pub const ANGULAR: usize = 3;
    pub const A: usize = 4;
    pub const B: usize = 5;
    pub const NORMAL: usize = 6;
    pub const R_A: usize = 7;
    pub const R_B: usize = 8;
    pub const MU: usize = 9;
    pub const RESTITUTION: usize = 10;
    pub const DEPTH: usize = 11;
    pub const PRE_IMPACT: usize = 12;
    pub const WARM_NORMAL: usize = 13;
    pub const WARM_TANGENT: usize = 14;
    pub const TORSION: usize = 15;
    pub const ROLLING: usize = 16;
    pub const MU_ACROSS: usize = 17;
    pub const DIRECTION: usize = 18;
    pub const WARM_MOMENT: usize = 19;
    pub const COUNT: usize = 20;
    pub const GAP: usize = 21;
}

/// The entries of a field at each place of a problem, along two axes.
pub const fn entries_of(number: usize) -> [usize; 2] {
    match number {
        field::INVERSE_INERTIA => [3, 3],
        field::LINEAR
        | field::ANGULAR
        | field::NORMAL
        | field::R_A
        | field::R_B
        | field::WARM_TANGENT
        | field::DIRECTION
        | field::WARM_MOMENT => [3, 1],
        _ => [1, 1],
    }
}

/// Whether a field has integers.
pub const fn is_integer(number: usize) -> bool {
    matches!(number, field::A | field::B | field::COUNT)
}

/// Arrays of a caller.
pub trait Columns<T> {
    /// An entry of a field: of a place of a problem, in a row and a column of what stands there. None if there is no such array.
    fn scalar(&self, field: usize, problem: usize, place: usize, entry: [usize; 2]) -> Option<T>;

    /// The same of a field of integers.
    fn integer(&self, field: usize, problem: usize, place: usize) -> Option<i64>;
}

/// Where a problem is read and written.
#[derive(Debug)]
pub struct Pack<'a, C, S, W> {
    /// The caller's arrays.
    pub columns: &'a C,
    /// The number of the problem in them.
    pub from: usize,
    /// Where each number is in the layout.
    pub layout: Layout,
    /// The number of the problem in it.
    pub to: usize,
    /// Scalars in the layout.
    pub scalars: S,
    /// Words in the layout.
    pub words: W,
}

impl<C, S, W: Slots<u32>> Pack<'_, C, S, W> {
    /// Writes the problem. One that is wrong in itself gets a number of bodies that no problem has, so that it is rejected.
    pub fn problem<T: Real>(&mut self)
    where
        C: Columns<T>,
        S: Slots<T>,
    {
        let most = self.layout.contacts;
        let given = match self.columns.integer(field::COUNT, self.from, 0) {
            None => Some(most),
            Some(count) => usize::try_from(count).ok().filter(|count| *count <= most),
        };
        for body in 0..self.layout.bodies {
            self.body(body);
        }
        let (mut is_right, contacts) = (given.is_some(), given.unwrap_or(0));
        for contact in 0..contacts {
            is_right &= self.contact(contact);
        }
        self.put_word(0, if is_right { self.layout.bodies as u32 } else { u32::MAX });
        self.put_word(1, contacts as u32);
    }

    fn body<T: Real>(&mut self, place: usize)
    where
        C: Columns<T>,
        S: Slots<T>,
    {
        let mut next = Layout::body_at(place);
        for field in [field::INVERSE_MASS, field::INVERSE_INERTIA, field::LINEAR, field::ANGULAR] {
            self.copy(field, place, &mut next);
        }
    }

    /// Writes a contact; whether its indices and depths are not below 0.
    fn contact<T: Real>(&mut self, place: usize) -> bool
    where
        C: Columns<T>,
        S: Slots<T>,
    {
        let mut next = self.layout.contact_at(place);
        for field in [field::NORMAL, field::R_A, field::R_B, field::MU, field::RESTITUTION] {
            self.copy(field, place, &mut next);
        }
        let [depth, gap] = [field::DEPTH, field::GAP].map(|field| self.number(field, place));
        self.put(&mut next, depth - gap);
        // NaN: none was recorded.
        let recorded = self.columns.scalar(field::PRE_IMPACT, self.from, place, [0, 0]).filter(|v| !is_nan(*v));
        self.put(&mut next, recorded.unwrap_or(T::ZERO));
        for field in [field::WARM_NORMAL, field::WARM_TANGENT] {
            self.copy(field, place, &mut next);
        }
        let mut flags = if recorded.is_some() { flag::PRE_IMPACT } else { 0 };
        if self.layout.has_surfaces && self.surface(place) {
            flags |= flag::TREAD;
        }
        let [a, b] = [field::A, field::B].map(|field| self.columns.integer(field, self.from, place).unwrap_or(0));
        let first = HEAD + CONTACT_WORDS * place;
        for (k, word) in [index_word(a), index_word(b), flags].into_iter().enumerate() {
            self.put_word(first + k, word);
        }
        a >= 0 && b >= 0 && !(depth < T::ZERO || gap < T::ZERO)
    }

    /// Writes a contact's friction beyond sliding; whether it depends on the direction. A direction of zeros is none.
    fn surface<T: Real>(&mut self, place: usize) -> bool
    where
        C: Columns<T>,
        S: Slots<T>,
    {
        let mut next = self.layout.surface_at(place);
        for field in [field::TORSION, field::ROLLING] {
            self.copy(field, place, &mut next);
        }
        let entry = |row: usize| self.columns.scalar(field::DIRECTION, self.from, place, [row, 0]).unwrap_or(T::ZERO);
        let direction = [entry(0), entry(1), entry(2)];
        // Also one with NaN, which the kernel rejects.
        let is_given = direction.iter().any(|entry| *entry != T::ZERO);
        let across = if is_given { self.number(field::MU_ACROSS, place) } else { T::ZERO };
        for number in direction.into_iter().map(|entry| if is_given { entry } else { T::ZERO }).chain([across]) {
            self.put(&mut next, number);
        }
        self.copy(field::WARM_MOMENT, place, &mut next);
        is_given
    }

    fn number<T: Real>(&self, field: usize, place: usize) -> T
    where
        C: Columns<T>,
    {
        self.columns.scalar(field, self.from, place, [0, 0]).unwrap_or(T::ZERO)
    }

    /// Writes all entries of a field; 0 where there is none.
    #[inline(always)]
    fn copy<T: Real>(&mut self, field: usize, place: usize, next: &mut usize)
    where
        C: Columns<T>,
        S: Slots<T>,
    {
        let [rows, columns] = entries_of(field);
        for row in 0..rows {
            for column in 0..columns {
                let number = self.columns.scalar(field, self.from, place, [row, column]);
                self.put(next, number.unwrap_or(T::ZERO));
            }
        }
    }

    #[inline(always)]
    fn put<T: Real>(&mut self, next: &mut usize, number: T)
    where
        S: Slots<T>,
    {
        self.scalars.put(self.layout.at(self.layout.input_scalars(), self.to, *next), number);
        *next += 1;
    }

    #[inline(always)]
    fn put_word(&mut self, k: usize, word: u32) {
        self.words.put(self.layout.at(self.layout.input_words(), self.to, k), word);
    }
}

/// NaN is the only number that differs from itself.
#[allow(clippy::eq_op)]
fn is_nan<T: Real>(number: T) -> bool {
    number != number
}

/// An index that does not fit a word is none that a body can have.
fn index_word(index: i64) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
