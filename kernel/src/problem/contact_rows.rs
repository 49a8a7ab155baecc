//! How many rows the contacts of a program can have, chosen at compile time.
//!
//! Three rows, normal and two tangents, are enough for sliding friction. Torsion, rolling friction and friction that
//! depends on the direction need more numbers for each contact, and more code. A type parameter decides: where it is
//! [`ThreeRows`], columns of these numbers are empty, and the code is left out.
use core::fmt::Debug;

use nalgebra::Vector3;

use crate::math::real::Real;
use crate::math::vector::zero3;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::ThreeRows {}
    impl Sealed for super::SixRows {}
}

/// Contacts with sliding friction only: a normal and two tangents.
///
/// ```
/// use stiction::{Contacts, ThreeRows};
/// // It is the default.
/// let contacts: Contacts<f32, 4, ThreeRows> = Contacts::<f32, 4>::new();
/// assert!(contacts.is_empty());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreeRows;

/// Contacts that can also resist twisting and rolling, or have friction that depends on the direction.
///
/// Contacts with moments are always solved by the exact rule. Islands that have such contacts, or friction that depends
/// on the direction, are swept contact by contact: memory for lanes is not used for them.
///
/// ```
/// use stiction::{Contacts, SixRows, ThreeRows};
/// // The memory for it is there even where no contact uses it.
/// assert!(size_of::<Contacts<f32, 4, SixRows>>() > size_of::<Contacts<f32, 4, ThreeRows>>());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SixRows;

/// [`ThreeRows`] or [`SixRows`].
///
/// ```
/// use stiction::{ContactRows, SixRows, ThreeRows};
/// assert!(SixRows::HAS_MOMENTS && !ThreeRows::HAS_MOMENTS);
/// ```
pub trait ContactRows: sealed::Sealed + Debug + Clone + Copy + PartialEq + 'static {
    /// Whether contacts can have more than three rows.
    const HAS_MOMENTS: bool;
    /// `N` elements, or none where contacts have three rows.
    type Column<X: Element, const N: usize>: Column<X>;
}

impl ContactRows for ThreeRows {
    const HAS_MOMENTS: bool = false;
    type Column<X: Element, const N: usize> = Nothing;
}

impl ContactRows for SixRows {
    const HAS_MOMENTS: bool = true;
    type Column<X: Element, const N: usize> = [X; N];
}

/// An element of a column.
#[doc(hidden)]
pub trait Element: Debug + Clone + Copy + PartialEq {
    /// The element of a contact with three rows.
    const PLAIN: Self;
}

impl Element for bool {
    const PLAIN: Self = false;
}

impl Element for u16 {
    const PLAIN: Self = 0;
}

impl<T: Real> Element for Vector3<T> {
    const PLAIN: Self = zero3();
}

/// Elements by their index.
#[doc(hidden)]
pub trait Column<X>: Debug + Clone + PartialEq {
    /// All elements are those of contacts with three rows.
    const PLAIN: Self;
    /// An element; none if there is no such element.
    fn at(&self, index: usize) -> Option<&X>;
    /// The same, to change it.
    fn at_mut(&mut self, index: usize) -> Option<&mut X>;
    /// Exchanges two elements.
    fn exchange(&mut self, one: usize, other: usize);
}

/// A column without elements.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nothing;

impl<X> Column<X> for Nothing {
    const PLAIN: Self = Nothing;

    #[inline(always)]
    fn at(&self, _index: usize) -> Option<&X> {
        None
    }

    #[inline(always)]
    fn at_mut(&mut self, _index: usize) -> Option<&mut X> {
        None
    }

    #[inline(always)]
    fn exchange(&mut self, _one: usize, _other: usize) {}
}

impl<X: Element, const N: usize> Column<X> for [X; N] {
    const PLAIN: Self = [X::PLAIN; N];

    #[inline(always)]
    fn at(&self, index: usize) -> Option<&X> {
        self.get(index)
    }

    #[inline(always)]
    fn at_mut(&mut self, index: usize) -> Option<&mut X> {
        self.get_mut(index)
    }

    fn exchange(&mut self, one: usize, other: usize) {
        if one < N && other < N {
            self.swap(one, other);
        }
    }
}
