//! Surface materials, and their combination for a pair of bodies.
use crate::math::real::Real;

/// A surface's friction and restitution, or those of a pair.
///
/// ```
/// use nalgebra::Vector3;
/// use stiction::RigidBody;
/// use stiction::{Manifold, Material};
/// // Every body has a surface…
/// let steel = Material { mu: 0.6, restitution: 0.5 };
/// let anvil = RigidBody { material: steel, ..RigidBody::fixed() };
/// assert_eq!(anvil.material.combined(&Material::SMOOTH), Material::SMOOTH);
/// // …but a pair that is known better, as steel on oiled steel, can be given its own values.
/// let oiled = Some(Material { mu: 0.1, ..steel });
/// let manifold = Manifold { material: oiled, ..Manifold::new(0, 1, Vector3::<f64>::z()) };
/// assert!(manifold.material.unwrap().mu < steel.mu);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Material<T> {
    /// Friction coefficient.
    pub mu: T,
    /// Restitution, 0 to 1.
    pub restitution: T,
}

impl<T: Real> Material<T> {
    /// Neither friction nor bounce.
    pub const SMOOTH: Self = Material { mu: T::ZERO, restitution: T::ZERO };

    /// The pair's material: geometric means.
    ///
    /// ```
    /// use stiction::Material;
    /// let (rubber, ice) = (Material { mu: 0.9_f64, restitution: 0.0 }, Material { mu: 0.4, restitution: 0.0 });
    /// assert!((rubber.combined(&ice).mu - 0.6).abs() < 1e-15);
    /// ```
    pub fn combined(&self, other: &Self) -> Self {
        Material {
            mu: (self.mu * other.mu).sqrt_or_zero(),
            restitution: (self.restitution * other.restitution).sqrt_or_zero(),
        }
    }
}
