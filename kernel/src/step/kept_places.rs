//! Kept contacts with friction beyond sliding. A point with moments has two rows, and takes two places of the capacity.
use crate::math::real::Real;
use crate::problem::contact_rows::{ContactRows, Element};
use crate::problem::surface::Surface;
use crate::step::kept::KeptContacts;
use crate::step::kept_surfaces::PairSurface;

impl<T: Real, const NC: usize, R: ContactRows> KeptContacts<T, NC, R> {
    /// How many rows the contacts have.
    #[inline(always)]
    pub(crate) fn rows(&self) -> usize {
        self.points.len() + self.surfaces.second_rows()
    }

    /// Whether there is space for so many rows more.
    #[inline(always)]
    pub(crate) fn has_space(&self, rows: usize) -> bool {
        if R::HAS_MOMENTS { self.rows() + rows <= NC } else { !self.points.is_full() }
    }

    /// A contact's friction beyond sliding, with the moment that it starts from; none if it has sliding friction only.
    pub(crate) fn surface_of_contact(&self, contact: usize) -> Option<Surface<T>> {
        let manifold = usize::from(self.points.get(contact)?.manifold);
        let surface = self.surfaces.of(manifold);
        (R::HAS_MOMENTS && surface != Surface::PLAIN)
            .then(|| Surface { warm_moment: self.surfaces.moment(contact), ..surface })
    }

    /// Takes over the friction of a contact, with its moment. All contacts of a manifold must have the same; false if
    /// they do not, or if it is none that a step leaves.
    pub(crate) fn put_surface(&mut self, contact: usize, surface: &Surface<T>) -> bool {
        let Some(point) = self.points.get(contact) else { return false };
        let manifold = usize::from(point.manifold);
        let is_first = self.list.get(manifold).is_some_and(|found| usize::from(found.first) == contact);
        if is_first {
            self.surfaces.set_surface(manifold, &PairSurface::new(surface));
        }
        self.surfaces.add_point(contact, manifold, &surface.warm_moment);
        let of_manifold = Surface { warm_moment: surface.warm_moment, ..self.surfaces.of(manifold) };
        of_manifold == *surface && surface.flaw().is_none()
    }

    /// Whether a contact has moments.
    #[inline(always)]
    pub(crate) fn has_moments(&self, contact: usize) -> bool {
        R::HAS_MOMENTS
            && self.points.get(contact).is_some_and(|point| self.surfaces.has_moments(usize::from(point.manifold)))
    }
}
