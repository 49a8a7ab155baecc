//! Manifolds with friction beyond sliding, as a step collects them.
use crate::math::real::Real;
use crate::problem::contact_rows::{ContactRows, MomentRows};
use crate::problem::error::InputError;
use crate::problem::surface::Surface;
use crate::step::contact_collector::ContactCollector;
use crate::step::kept::{Place, remove};
use crate::step::kept_surfaces::PairSurface;
use crate::step::manifold::Manifold;

impl<T: Real, const NB: usize, const NC: usize, R: MomentRows> ContactCollector<'_, T, NB, NC, R> {
    /// Adds a manifold like [`ContactCollector::push`], with friction beyond sliding of its own instead of that of its
    /// bodies. The direction of a tread is a world vector. The warm moment is not used: moments are kept.
    pub fn push_on(&mut self, manifold: &Manifold<T>, surface: &Surface<T>) -> Result<(), InputError<T>> {
        self.push_noted(manifold, Some(surface))
    }
}

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> ContactCollector<'_, T, NB, NC, R> {
    /// Friction beyond sliding: the manifold's own, or that of its bodies; none where the pair has its own material.
    #[inline(always)]
    pub(crate) fn surface_of(
        &self,
        manifold: &Manifold<T>,
        own: Option<&Surface<T>>,
    ) -> Result<PairSurface<T, R>, InputError<T>> {
        if !R::HAS_MOMENTS {
            return Ok(PairSurface::PLAIN);
        }
        match own {
            Some(surface) => surface.validate(self.len(), &manifold.normal).map(|()| PairSurface::new(surface)),
            None if manifold.material.is_some() => Ok(PairSurface::PLAIN),
            None => Ok(PairSurface::new(&self.world.surface_of_pair(manifold.a, manifold.b))),
        }
    }

    /// Makes space for a point of the last manifold, which may have moments; false if it is left out.
    pub(crate) fn has_space_for_moments(&mut self, depth: T) -> bool {
        if !self.now.surfaces.has_moments(self.now.list.len().saturating_sub(1)) {
            return true;
        }
        for _ in 0..2 {
            if self.now.has_space(2) {
                break;
            }
            self.now.left_out += 1;
            match self.now.make_space(depth, true) {
                Place::InsteadOf(removed) => {
                    remove(self.sources, removed);
                }
                _ => return false,
            }
        }
        self.now.has_space(2)
    }
}
