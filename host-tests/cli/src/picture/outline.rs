//! A scene's shapes and bodies in the form that drawings use.

use nalgebra::Vector3;
use stiction_pictures::strip::{Outline, Pose};

use crate::rig::shape::Shape;
use crate::rig::world::BodyState;

/// The outline of a shape.
pub(super) fn outline(shape: &Shape) -> Outline {
    let hull = |points, radius| Outline::Hull { points, radius };
    match shape {
        Shape::Box { half_extents } => Outline::cuboid(*half_extents),
        Shape::Sphere { radius } => hull(vec![Vector3::zeros()], *radius),
        Shape::Capsule { half_height, radius } => {
            hull(vec![Vector3::new(0.0, 0.0, -half_height), Vector3::new(0.0, 0.0, *half_height)], *radius)
        }
        Shape::Convex { points } => hull(points.iter().map(|p| Vector3::from_column_slice(p)).collect(), 0.0),
        Shape::Cylinder { half_height, radius } => {
            let rim = (0..32).map(|i| (std::f64::consts::TAU * f64::from(i) / 32.0).sin_cos());
            let ends =
                rim.flat_map(|(s, c)| [-1.0, 1.0].map(|y| Vector3::new(radius * s, y * half_height, radius * c)));
            hull(ends.collect(), 0.0)
        }
        Shape::HalfSpace { normal } => Outline::HalfSpace { normal: Vector3::from_column_slice(normal) },
    }
}

/// The pose of a body.
pub(super) fn pose(body: &BodyState) -> Pose {
    Pose { position: body.position, orientation: body.orientation }
}
