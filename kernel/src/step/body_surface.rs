//! The surfaces of bodies, and what the surfaces of two bodies make of their contacts.
//!
//! Radii and coefficients of a pair are geometric means, as for friction. A body without a tread has the same
//! coefficient in all directions. The direction is that of the body with a tread, of the first if both have one; it is
//! fixed in that body. If either body joins torsion and sliding in one bound, the pair does.
use nalgebra::{UnitQuaternion, Vector3};

use crate::math::quaternion::matrix;
use crate::math::real::Real;
use crate::math::vector::{is_zero, times};
use crate::problem::contact_rows::{Column, ContactRows, Element, MomentRows};
use crate::problem::error::{ErrorKind, InputError};
use crate::problem::surface::{Surface, Tread};
use crate::step::world::World;

impl<T: Real, const NB: usize, R: MomentRows> World<T, NB, R> {
    /// Sets a body's friction beyond sliding. The direction of its tread is in *body* axes; the body's own friction
    /// coefficient is that along it. The warm moment is of contacts, and must be 0 here. A rejected surface changes
    /// nothing.
    ///
    /// ```
    /// use nalgebra::Matrix3;
    /// use stiction::{RigidBody, SixRows, Surface, World};
    /// let mut world = World::<f64, 1, SixRows>::empty();
    /// let ball = world.push(RigidBody::from_mass(1.0, Matrix3::identity()))?;
    /// world.set_surface(ball, Surface { rolling: 0.002, ..Surface::default() })?;
    /// assert_eq!(world.surface(ball).unwrap().rolling, 0.002);
    /// assert!(world.set_surface(ball, Surface { torsion: -1.0, ..Surface::default() }).is_err());
    /// # Ok::<(), stiction::InputError<f64>>(())
    /// ```
    pub fn set_surface(&mut self, index: usize, surface: Surface<T>) -> Result<(), InputError<T>> {
        let bodies = self.len();
        if index >= bodies {
            return Err(InputError::body(index, "", ErrorKind::NoSuchBody { index, bodies }));
        }
        let no_direction = surface.tread.is_some_and(|tread| is_zero(&tread.direction));
        let moment = surface.warm_moment.dot(&surface.warm_moment).sqrt_or_zero();
        let too_large = ErrorKind::TooLarge { value: moment, max: T::ZERO };
        let flaw = surface
            .flaw()
            .or_else(|| no_direction.then_some(("friction_direction", ErrorKind::AlongTheNormal)))
            .or_else(|| (!is_zero(&surface.warm_moment)).then_some(("warm.moment", too_large)));
        if let Some((field, kind)) = flaw {
            return Err(InputError::body(index, field, kind));
        }
        if let Some(slot) = self.surfaces.at_mut(index) {
            *slot = surface;
        }
        Ok(())
    }

    /// A body's friction beyond sliding.
    pub fn surface(&self, index: usize) -> Option<Surface<T>> {
        (index < self.len()).then(|| self.surfaces.at(index).copied()).flatten()
    }
}

impl<T: Real, const NB: usize, R: ContactRows> World<T, NB, R> {
    /// The surface of a pair of bodies, with its direction in world axes.
    #[inline(always)]
    pub(crate) fn surface_of_pair(&self, a: usize, b: usize) -> Surface<T> {
        match (self.surfaces.at(a), self.surfaces.at(b)) {
            (Some(of_a), Some(of_b)) => self.combined((a, of_a), (b, of_b)),
            _ => Surface::PLAIN,
        }
    }

    fn combined(&self, (a, of_a): (usize, &Surface<T>), (b, of_b): (usize, &Surface<T>)) -> Surface<T> {
        let mean = |one: T, other: T| (one * other).sqrt_or_zero();
        let across = |body: usize, of: &Surface<T>| of.tread.map_or(self.material(body).mu, |tread| tread.mu_across);
        let turned = |body: usize, of: &Surface<T>| {
            let orientation: &UnitQuaternion<T> = self.orientations().get(body)?;
            Some(times(&matrix(orientation), &of.tread?.direction))
        };
        let direction: Option<Vector3<T>> = turned(a, of_a).or_else(|| turned(b, of_b));
        let mu_across = mean(across(a, of_a), across(b, of_b));
        Surface {
            torsion: mean(of_a.torsion, of_b.torsion),
            rolling: mean(of_a.rolling, of_b.rolling),
            tread: direction.map(|direction| Tread { direction, mu_across }),
            is_joined: of_a.is_joined || of_b.is_joined,
            warm_moment: Vector3::zeros(),
        }
    }
}

/// Square of the cosine beyond which another direction needs other rows: 0.1 rad.
const SAME_DIRECTION: f64 = 0.99;

impl<T: Real> Surface<T> {
    /// Whether rows that were built for it serve for another, too. Directions follow their bodies; rows keep the one
    /// that they were built with as long as their manifold is kept.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let is_same_tread = match (&self.tread, &other.tread) {
            (None, None) => true,
            (Some(one), Some(other)) => {
                let (d, e) = (&one.direction, &other.direction);
                let along = d.dot(e);
                one.mu_across == other.mu_across && along * along >= T::lit(SAME_DIRECTION) * d.dot(d) * e.dot(e)
            }
            _ => false,
        };
        let numbers = |surface: &Self| (surface.torsion, surface.rolling, surface.is_joined);
        is_same_tread && numbers(self) == numbers(other)
    }
}
