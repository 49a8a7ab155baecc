//! A rigid body in space, hung by a ball joint at the origin: a heavy top with any inertia.
//!
//! In body axes with the origin at the joint, `J = I + m (|c|² 1 − c cᵀ)` is the inertia about the joint, where `c` leads
//! from the joint to the centre of mass and `I` is the inertia about that. Angular momentum `J ω` changes by the moment
//! of the weight, and body axes turn, so with the orientation `q` from body to world axes
//!
//! `J ω̇ = (J ω) × ω + m c × (Rᵀ g)` (Euler), `q̇ = ½ q (0, ω)`.
//!
//! Energy and the angular momentum about the vertical are constant. `q` is not normalised in between, so the constancy
//! of its length is one more check of the integration.

use nalgebra::{DVector, Matrix3, Quaternion, UnitQuaternion, Vector3};

use super::integrate::{Accuracy, advanced};

/// A body on a ball joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Top {
    /// kg.
    pub mass: f64,
    /// About the centre of mass in body axes, kg m².
    pub inertia: Matrix3<f64>,
    /// From the joint to the centre of mass in body axes, m.
    pub centre: Vector3<f64>,
    /// In world axes, m/s².
    pub gravity: Vector3<f64>,
}

/// Orientation and angular velocity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TopState {
    /// From body axes to world axes; of length 1 up to the error of the integration.
    pub orientation: Quaternion<f64>,
    /// In body axes, rad/s.
    pub angular: Vector3<f64>,
}

impl TopState {
    /// The orientation as a rotation.
    pub fn rotation(&self) -> UnitQuaternion<f64> {
        UnitQuaternion::new_normalize(self.orientation)
    }

    /// Angular velocity in world axes, rad/s.
    pub fn angular_in_world(&self) -> Vector3<f64> {
        self.rotation() * self.angular
    }

    fn unpacked(packed: &DVector<f64>) -> Self {
        TopState {
            orientation: Quaternion::new(packed[0], packed[1], packed[2], packed[3]),
            angular: Vector3::new(packed[4], packed[5], packed[6]),
        }
    }

    fn packed(&self) -> DVector<f64> {
        let (q, w) = (self.orientation, self.angular);
        DVector::from_column_slice(&[q.w, q.i, q.j, q.k, w.x, w.y, w.z])
    }
}

impl Top {
    /// Inertia about the joint in body axes, kg m².
    pub fn inertia_about_joint(&self) -> Matrix3<f64> {
        let c = &self.centre;
        self.inertia + (Matrix3::identity() * c.norm_squared() - c * c.transpose()) * self.mass
    }

    /// The state `time` s later.
    ///
    /// # Panics
    /// When the inertia is singular.
    pub fn after(&self, state: &TopState, time: f64) -> TopState {
        let inertia = self.inertia_about_joint();
        let inverse = inertia.try_inverse().expect("an inertia that can be inverted");
        let change = |packed: &DVector<f64>| {
            let TopState { orientation, angular } = TopState::unpacked(packed);
            let weight = TopState { orientation, angular }.rotation().inverse() * self.gravity * self.mass;
            let turned = orientation * Quaternion::from_imag(angular) * 0.5;
            let moment = (inertia * angular).cross(&angular) + self.centre.cross(&weight);
            TopState { orientation: turned, angular: inverse * moment }.packed()
        };
        TopState::unpacked(&advanced(&change, &state.packed(), time, Accuracy::FINE))
    }

    /// Kinetic and potential energy in J; the potential is zero with the centre of mass at the joint's height.
    pub fn energy(&self, state: &TopState) -> f64 {
        let kinetic = 0.5 * state.angular.dot(&(self.inertia_about_joint() * state.angular));
        kinetic - self.mass * self.gravity.dot(&self.centre_in_world(state))
    }

    /// Angular momentum about the joint in world axes, kg m²/s. Its component along gravity is constant.
    pub fn angular_momentum(&self, state: &TopState) -> Vector3<f64> {
        state.rotation() * (self.inertia_about_joint() * state.angular)
    }

    /// The centre of mass in world axes, m from the joint.
    pub fn centre_in_world(&self, state: &TopState) -> Vector3<f64> {
        state.rotation() * self.centre
    }
}
