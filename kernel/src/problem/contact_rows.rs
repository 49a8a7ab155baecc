//! How many rows the contacts of a program can have, and how many joints its worlds, chosen at compile time.
//!
//! Three rows, normal and two tangents, are enough for sliding friction. Torsion, rolling friction and friction that
//! depends on the direction need more numbers for each contact, and more code; so do joints. A type parameter decides:
//! where it is [`ThreeRows`], columns of these numbers are empty, and the code is left out.
use core::fmt::Debug;
use core::marker::PhantomData;
use core::ops::Range;

use nalgebra::Vector3;

use crate::math::real::Real;
use crate::math::vector::zero3;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::ThreeRows {}
    impl Sealed for super::SixRows {}
    impl<const NJ: usize, R: super::ContactRows> Sealed for super::Jointed<NJ, R> {}
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

/// Up to `NJ` joints in a world beside contacts of either kind of rows.
///
/// ```
/// use stiction::{Jointed, SixRows, World};
/// // The memory for joints is in the world, and there is none where the type has none.
/// assert!(size_of::<World<f32, 4, Jointed<2>>>() > size_of::<World<f32, 4>>());
/// let legs = World::<f32, 4, Jointed<3, SixRows>>::empty();
/// assert_eq!(legs.joints().count(), 0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Jointed<const NJ: usize, R: ContactRows = ThreeRows>(PhantomData<R>);

/// [`ThreeRows`] or [`SixRows`], or either of them with joints ([`Jointed`]).
///
/// ```
/// use stiction::{ContactRows, Jointed, SixRows, ThreeRows};
/// assert!(SixRows::HAS_MOMENTS && !ThreeRows::HAS_MOMENTS);
/// assert_eq!((ThreeRows::JOINTS, Jointed::<5>::JOINTS), (0, 5));
/// ```
pub trait ContactRows: sealed::Sealed + Debug + Clone + Copy + PartialEq + 'static {
    /// Whether contacts can have more than three rows.
    const HAS_MOMENTS: bool;
    /// `N` elements, or none where contacts have three rows.
    type Column<X: Element, const N: usize>: Column<X>;
    /// How many joints a world can have.
    const JOINTS: usize;
    /// An element for each joint.
    type PerJoint<X: Element>: Column<X>;
    /// `N` elements where there can be joints, or none.
    type IfJoints<X: Element, const N: usize>: Column<X>;
}

/// [`SixRows`], with or without joints: contacts can have friction beyond sliding.
///
/// ```
/// use stiction::{InputError, Jointed, MomentRows, SixRows, Surface, World};
/// // For worlds of either kind.
/// fn make_rough<R: MomentRows>(world: &mut World<f64, 4, R>, body: usize) -> Result<(), InputError<f64>> {
///     world.set_surface(body, Surface { rolling: 0.01, ..Surface::default() })
/// }
/// assert!(make_rough(&mut World::<f64, 4, SixRows>::empty(), 0).is_err()); // there is no such body
/// assert!(make_rough(&mut World::<f64, 4, Jointed<2, SixRows>>::empty(), 0).is_err());
/// ```
pub trait MomentRows: ContactRows {}

impl MomentRows for SixRows {}

impl<const NJ: usize> MomentRows for Jointed<NJ, SixRows> {}

impl ContactRows for ThreeRows {
    const HAS_MOMENTS: bool = false;
    type Column<X: Element, const N: usize> = Nothing;
    const JOINTS: usize = 0;
    type PerJoint<X: Element> = Nothing;
    type IfJoints<X: Element, const N: usize> = Nothing;
}

impl ContactRows for SixRows {
    const HAS_MOMENTS: bool = true;
    type Column<X: Element, const N: usize> = [X; N];
    const JOINTS: usize = 0;
    type PerJoint<X: Element> = Nothing;
    type IfJoints<X: Element, const N: usize> = Nothing;
}

impl<const NJ: usize, R: ContactRows> ContactRows for Jointed<NJ, R> {
    const HAS_MOMENTS: bool = R::HAS_MOMENTS;
    type Column<X: Element, const N: usize> = R::Column<X, N>;
    const JOINTS: usize = NJ;
    type PerJoint<X: Element> = [X; NJ];
    type IfJoints<X: Element, const N: usize> = [X; N];
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

impl Element for (u16, u16) {
    const PLAIN: Self = (0, 0);
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
    /// Some of the elements; none of them if not all are there.
    fn part(&self, range: Range<usize>) -> &[X];
    /// The same, to change them.
    fn part_mut(&mut self, range: Range<usize>) -> &mut [X];
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

    #[inline(always)]
    fn part(&self, _range: Range<usize>) -> &[X] {
        &[]
    }

    #[inline(always)]
    fn part_mut(&mut self, _range: Range<usize>) -> &mut [X] {
        &mut []
    }
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

    #[inline(always)]
    fn part(&self, range: Range<usize>) -> &[X] {
        self.get(range).unwrap_or(&[])
    }

    #[inline(always)]
    fn part_mut(&mut self, range: Range<usize>) -> &mut [X] {
        self.get_mut(range).unwrap_or(&mut [])
    }
}
