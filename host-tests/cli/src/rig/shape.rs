//! Shapes of a scene, and their conversion to solids.

use nalgebra::{Matrix3, Vector3};
use parry3d_f64::math::Vector;
use parry3d_f64::shape::SharedShape;
use serde::{Deserialize, Serialize};
use stiction_motion::solid::{Form, Solid, from_parry, to_parry};

/// A shape, in body axes. Lengths in m.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Shape {
    /// Everything below a plane through the body's position.
    HalfSpace {
        /// Outward normal; need not be of unit length.
        normal: [f64; 3],
    },
    /// A box.
    Box {
        /// Half of its edges.
        half_extents: [f64; 3],
    },
    /// A ball.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A capsule along z.
    Capsule {
        /// Half of its straight part.
        half_height: f64,
        /// Its radius.
        radius: f64,
    },
    /// The convex hull of points.
    Convex {
        /// The points.
        points: Vec<[f64; 3]>,
    },
    /// A cylinder along y: of robots, not in JSON.
    #[serde(skip)]
    Cylinder {
        /// Half of its length.
        half_height: f64,
        /// Its radius.
        radius: f64,
    },
}

/// Rejects a length that no shape can have.
fn length(field: &str, value: f64) -> Result<f64, String> {
    if value.is_finite() && (1e-6..=1e6).contains(&value) {
        Ok(value)
    } else {
        Err(format!("{field}: {value:e}, must be 1e-6 to 1e6"))
    }
}

impl Shape {
    /// Whether the shape is unbounded and so cannot move.
    pub fn is_endless(&self) -> bool {
        matches!(self, Shape::HalfSpace { .. })
    }

    /// Converts it to a solid; the error begins with the field's name.
    pub fn solid(&self) -> Result<Solid, String> {
        match self {
            Shape::HalfSpace { normal } => {
                let normal = Vector3::from_column_slice(normal);
                let size = normal.norm();
                if !(size.is_finite() && size > 1e-9) {
                    return Err("half_space.normal: must have a direction".into());
                }
                Ok(Solid::half_space(&(normal / size)))
            }
            Shape::Box { half_extents } => {
                for value in half_extents {
                    length("box.half_extents", *value)?;
                }
                Ok(Solid::cuboid(*half_extents))
            }
            Shape::Sphere { radius } => Ok(Solid::ball(length("sphere.radius", *radius)?)),
            Shape::Capsule { half_height, radius } => {
                let r = length("capsule.radius", *radius)?;
                if *half_height == 0.0 {
                    return Shape::Sphere { radius: r }.solid();
                }
                Ok(Solid::capsule(length("capsule.half_height", *half_height)?, r))
            }
            Shape::Convex { points } => hull(points),
            Shape::Cylinder { half_height, radius } => {
                let half_height = length("cylinder.length", *half_height)?;
                Ok(distributed(SharedShape::cylinder(half_height, length("cylinder.radius", *radius)?)))
            }
        }
    }
}

/// Centre of mass and inertia from the detector's own integration.
fn distributed(shape: SharedShape) -> Solid {
    let properties = shape.mass_properties(1.0);
    let mass = properties.mass();
    let columns = properties.reconstruct_inertia_matrix().to_cols_array();
    let inertia = Matrix3::from_column_slice(&columns) / mass;
    Solid {
        form: Form::Other(shape),
        center: from_parry(properties.local_com),
        inertia: (inertia + inertia.transpose()) * 0.5,
    }
}

fn hull(points: &[[f64; 3]]) -> Result<Solid, String> {
    if points.len() > 1000 || points.iter().flatten().any(|x| !(x.is_finite() && x.abs() <= 1e6)) {
        return Err("convex.points: at most 1000 points with finite coordinates up to 1e6".into());
    }
    // The hull of points on a line or in a plane has no volume, and the algorithm fails on it.
    let flat = || "convex.points: at least four points that are not in a plane".to_string();
    let at = |i: usize| Vector3::from_column_slice(&points[i]);
    let size = (0..points.len()).map(|i| (at(i) - at(0)).norm()).fold(0.0, f64::max);
    let spans = |i: usize, j: usize, k: usize| (at(i) - at(0)).cross(&(at(j) - at(0))).dot(&(at(k) - at(0))).abs();
    let n = points.len();
    if n < 4 || size <= 0.0 {
        return Err(flat());
    }
    let far = (0..n).max_by(|a, b| (at(*a) - at(0)).norm().total_cmp(&(at(*b) - at(0)).norm())).unwrap_or(0);
    let wide = |i: &usize| (at(far) - at(0)).cross(&(at(*i) - at(0))).norm();
    let side = (0..n).max_by(|a, b| wide(a).total_cmp(&wide(b))).unwrap_or(0);
    let volume = (0..n).map(|i| spans(far, side, i)).fold(0.0, f64::max);
    if volume <= 1e-9 * size.powi(3) {
        return Err(flat());
    }
    let points: Vec<Vector> = (0..n).map(|i| to_parry(&at(i))).collect();
    let solid = distributed(SharedShape::convex_hull(&points).ok_or_else(flat)?);
    if solid.inertia.iter().all(|x| x.is_finite()) { Ok(solid) } else { Err(flat()) }
}
