//! What kept contacts have beyond sliding friction: the surface of each manifold, and the moment of each point.
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::problem::contact_rows::{Column, ContactRows, Element};
use crate::problem::surface::Surface;

/// The surface of one manifold. It has no bytes where contacts have three rows.
#[derive(Debug, Clone)]
pub(crate) struct PairSurface<T: Real, R: ContactRows>(R::Column<Surface<T>, 1>);

impl<T: Real, R: ContactRows> PairSurface<T, R> {
    pub const PLAIN: Self = PairSurface(R::Column::PLAIN);

    #[inline(always)]
    pub fn new(surface: &Surface<T>) -> Self {
        let mut own = Self::PLAIN;
        if let Some(slot) = own.0.at_mut(0) {
            *slot = Surface { warm_moment: Element::PLAIN, ..*surface };
        }
        own
    }

    #[inline(always)]
    pub fn has_moments(&self) -> bool {
        self.0.at(0).is_some_and(Surface::has_moments)
    }

    /// Whether rows that were built for it serve for another, too.
    #[inline(always)]
    pub fn is_like(&self, other: &Self) -> bool {
        self.0.at(0).zip(other.0.at(0)).is_none_or(|(one, other)| one.is_like(other))
    }

    /// The largest friction coefficient of all directions.
    #[inline(always)]
    pub fn largest_friction(&self, mu: T) -> T {
        self.0.at(0).map_or(mu, |surface| surface.largest_friction(mu))
    }
}

/// Surfaces by manifold, and moments by point.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KeptSurfaces<T: Real, const NC: usize, R: ContactRows> {
    /// With directions as world vectors where the manifold was built.
    of_manifolds: R::Column<Surface<T>, NC>,
    /// World vectors on B of a substep, N m s: what the next substep begins with.
    moments: R::Column<Vector3<T>, NC>,
    /// How many points have moments.
    with_moments: R::Column<u16, 1>,
}

impl<T: Real, const NC: usize, R: ContactRows> KeptSurfaces<T, NC, R> {
    pub const EMPTY: Self =
        KeptSurfaces { of_manifolds: R::Column::PLAIN, moments: R::Column::PLAIN, with_moments: R::Column::PLAIN };

    pub fn clear(&mut self) {
        self.with_moments = R::Column::PLAIN;
    }

    /// The surface of a manifold.
    #[inline(always)]
    pub fn of(&self, manifold: usize) -> Surface<T> {
        self.of_manifolds.at(manifold).copied().unwrap_or(Surface::PLAIN)
    }

    /// The same, to add it again.
    #[inline(always)]
    pub fn own(&self, manifold: usize) -> PairSurface<T, R> {
        self.of_manifolds.at(manifold).map_or(PairSurface::PLAIN, PairSurface::new)
    }

    /// The moment of a point, N m s.
    #[inline(always)]
    pub fn moment(&self, point: usize) -> Vector3<T> {
        self.moments.at(point).copied().unwrap_or(Element::PLAIN)
    }

    /// The same. It has no bytes where contacts have three rows.
    #[inline(always)]
    pub fn own_moment(&self, point: usize) -> R::Column<Vector3<T>, 1> {
        let mut own = R::Column::<Vector3<T>, 1>::PLAIN;
        if let Some(slot) = own.at_mut(0) {
            *slot = self.moment(point);
        }
        own
    }

    /// How many points have moments.
    #[inline(always)]
    pub fn second_rows(&self) -> usize {
        self.with_moments.at(0).map_or(0, |count| usize::from(*count))
    }

    #[inline(always)]
    pub fn set_surface(&mut self, manifold: usize, surface: &PairSurface<T, R>) {
        if let (Some(slot), Some(surface)) = (self.of_manifolds.at_mut(manifold), surface.0.at(0)) {
            *slot = *surface;
        }
    }

    #[inline(always)]
    pub fn set_moment(&mut self, point: usize, moment: &Vector3<T>) {
        if let Some(slot) = self.moments.at_mut(point) {
            *slot = *moment;
        }
    }

    /// Notes a point that was added to a manifold.
    #[inline(always)]
    pub fn add_point(&mut self, point: usize, manifold: usize, moment: &Vector3<T>) {
        self.set_moment(point, moment);
        let has_moments = self.has_moments(manifold);
        if let Some(count) = self.with_moments.at_mut(0) {
            *count += u16::from(has_moments);
        }
    }

    /// Notes that a point was removed from a manifold; `left` are left.
    pub fn remove_point(&mut self, point: usize, manifold: usize, left: usize) {
        let has_moments = self.has_moments(manifold);
        if let Some(count) = self.with_moments.at_mut(0) {
            *count -= u16::from(has_moments);
        }
        close_gap(&mut self.moments, point, left);
    }

    /// Notes that a manifold was removed; `left` are left.
    pub fn remove_manifold(&mut self, manifold: usize, left: usize) {
        close_gap(&mut self.of_manifolds, manifold, left);
    }

    /// Whether the points of a manifold have moments.
    #[inline(always)]
    pub fn has_moments(&self, manifold: usize) -> bool {
        R::HAS_MOMENTS && self.of_manifolds.at(manifold).is_some_and(Surface::has_moments)
    }
}

/// Elements after the one at an index move up; `left` are left.
fn close_gap<X: Element>(column: &mut impl Column<X>, at: usize, left: usize) {
    for index in at..left {
        let next = column.at(index + 1).copied();
        if let (Some(slot), Some(next)) = (column.at_mut(index), next) {
            *slot = next;
        }
    }
}
