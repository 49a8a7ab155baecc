//! Robots in URDF as scenes.
//!
//! A link is a body with the axes of its first collision shape; its centre of mass and its inertia are those of the file.
//! All joints begin at position 0. The lowest point of the robot touches a floor. The first link does not move if it is
//! named `world` or has no mass.
//!
//! Each element that a scene cannot have is left out, with a line that says so.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Matrix3, Translation3, UnitQuaternion, Vector3};
use urdf_rs::{Collision, Geometry, Inertial, JointType, Link, Robot};

use super::joints::{AnchorEntry, AxisEntry, MotorEntry, SceneJoint, SpringEntry, WORLD};
use super::scene::{Scene, SceneBody};
use super::scenes::{empty, floor};
use super::shape::Shape;

/// Radius in m of the ball that stands for a link without a shape.
const DOT: f64 = 1e-3;
/// A motor that holds its position reaches its effort at this distance, rad or m, and this speed, rad/s or m/s.
const HELD: (f64, f64) = (0.05, 1.0);

/// A robot as a scene.
pub struct Planted {
    /// The scene.
    pub scene: Scene,
    /// What was left out or replaced, a line each.
    pub lines: Vec<String>,
}

/// Reads URDF. With `hold`, joints with an effort have a motor that holds position 0. The error is one line.
pub fn parse(xml: &str, hold: bool) -> Result<Planted, String> {
    let robot = urdf_rs::read_from_string(xml).map_err(|error| format!("robot: {error}"))?;
    let mut reader = Reader { robot: &robot, poses: BTreeMap::new(), bodies: BTreeMap::new(), lines: Vec::new() };
    let mut scene = empty(10.0);
    reader.place()?;
    reader.links(&mut scene)?;
    reader.joints(&mut scene, hold)?;
    let mut ground = floor(0.5, 0.0);
    while scene.bodies.iter().any(|body| body.name == ground.name) {
        ground.name.push('_');
    }
    scene.bodies.push(ground);
    reader.lines.extend(elements_without_a_reader(xml));
    Ok(Planted { scene, lines: reader.lines })
}

/// A line for each kind of element that nobody reads here, with how many there are.
fn elements_without_a_reader(xml: &str) -> Vec<String> {
    let Ok(document) = roxmltree::Document::parse(xml) else { return Vec::new() };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut count = |name: &str| *counts.entry(name.into()).or_default() += 1;
    for part in document.root_element().children().filter(roxmltree::Node::is_element) {
        let read: &[&str] = match part.tag_name().name() {
            "link" => &["inertial", "collision"],
            "joint" => &["origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "safety_controller"],
            // Colours of visual shapes.
            "material" => continue,
            other => {
                count(other);
                continue;
            }
        };
        for element in part.children().filter(roxmltree::Node::is_element) {
            let name = element.tag_name().name();
            if !read.contains(&name) {
                count(name);
            } else if name == "limit" && element.has_attribute("velocity") {
                count("velocity of limit");
            }
        }
    }
    counts.iter().map(|(name, count)| format!("{name}: {count} left out")).collect()
}

struct Reader<'a> {
    robot: &'a Robot,
    /// Poses of links.
    poses: BTreeMap<&'a str, Isometry3<f64>>,
    /// The body that each link is a part of.
    bodies: BTreeMap<&'a str, &'a str>,
    lines: Vec<String>,
}

fn pose(origin: &urdf_rs::Pose) -> Isometry3<f64> {
    let [roll, pitch, yaw] = *origin.rpy;
    Isometry3::from_parts(
        Translation3::from(Vector3::from(*origin.xyz)),
        UnitQuaternion::from_euler_angles(roll, pitch, yaw),
    )
}

impl<'a> Reader<'a> {
    /// Where links are, from the first one to the last.
    fn place(&mut self) -> Result<(), String> {
        let Robot { links, joints, .. } = self.robot;
        let is_child = |link: &&Link| joints.iter().any(|joint| joint.child.link == link.name);
        let mut first = links.iter().filter(|link| !is_child(link));
        let root = first.next().ok_or("robot: no link is the first one")?;
        if let Some(other) = first.next() {
            return Err(format!("robot: links {} and {} are both without a parent", root.name, other.name));
        }
        self.poses.insert(&root.name, Isometry3::identity());
        // Each round places at least one link, or none can be placed.
        for _ in links {
            for joint in joints {
                let Some(parent) = self.poses.get(joint.parent.link.as_str()).copied() else { continue };
                if let Some(child) = links.iter().find(|link| link.name == joint.child.link) {
                    self.poses.entry(&child.name).or_insert(parent * pose(&joint.origin));
                }
            }
        }
        let lost = links.iter().find(|link| !self.poses.contains_key(link.name.as_str()));
        lost.map_or(Ok(()), |link| Err(format!("link {}: nothing connects it with {}", link.name, root.name)))
    }

    /// A body for each link that has a mass, on the floor.
    fn links(&mut self, scene: &mut Scene) -> Result<(), String> {
        for link in &self.robot.links {
            let is_child = self.robot.joints.iter().find(|joint| joint.child.link == link.name);
            let has_mass = link.inertial.mass.value > 0.0;
            if !has_mass && !link.collision.is_empty() {
                self.lines.push(format!("link {}: has no mass, its shapes are left out", link.name));
            }
            let body = match is_child {
                None if link.name == WORLD => WORLD,
                None if !has_mass => {
                    self.lines.push(format!("link {}: has no mass and no parent, it does not move", link.name));
                    WORLD
                }
                Some(joint) if !has_mass && joint.joint_type == JointType::Fixed => {
                    self.lines.push(format!("link {}: has no mass, it is a part of {}", link.name, joint.parent.link));
                    &joint.parent.link
                }
                Some(joint) if !has_mass => {
                    return Err(format!("link {}: has no mass, and joint {} moves it", link.name, joint.name));
                }
                _ => {
                    let body = self.body(link);
                    scene.bodies.push(body);
                    &link.name
                }
            };
            self.bodies.insert(&link.name, body);
        }
        let lowest = scene.bodies.iter().filter_map(lowest_point).fold(f64::INFINITY, f64::min);
        let lift = if lowest.is_finite() { -lowest } else { 0.0 };
        self.poses.values_mut().for_each(|pose| pose.translation.z += lift);
        scene.bodies.iter_mut().for_each(|body| body.position[2] += lift);
        Ok(())
    }

    fn body(&mut self, link: &Link) -> SceneBody {
        let mut shapes = link.collision.iter().filter_map(|collision| match shape(&collision.geometry) {
            Some(shape) => Some((collision, shape)),
            None => {
                self.lines.push(format!("link {}: a mesh is left out", link.name));
                None
            }
        });
        let first = shapes.next();
        let others = shapes.count();
        if others > 0 {
            self.lines.push(format!("link {}: {others} shapes after its first one are left out", link.name));
        }
        let center = pose(&link.inertial.origin);
        let (at, shape) = match first {
            // A cylinder is along y here, and along z in the file.
            Some((Collision { origin, .. }, shape @ Shape::Cylinder { .. })) => {
                (pose(origin) * UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2), shape)
            }
            Some((Collision { origin, .. }, shape)) => (pose(origin), shape),
            None => {
                self.lines.push(format!("link {}: has no shape, it touches with a ball of {DOT} m", link.name));
                (center, Shape::Sphere { radius: DOT })
            }
        };
        let placed = self.poses.get(link.name.as_str()).copied().unwrap_or_default() * at;
        let q = placed.rotation.quaternion();
        // From the axes of the inertia to those of the shape.
        let turn = (at.rotation.inverse() * center.rotation).to_rotation_matrix();
        let inertia = turn * inertia_of(&link.inertial) * turn.transpose();
        SceneBody {
            name: link.name.clone(),
            position: placed.translation.vector.into(),
            orientation: [q.w, q.i, q.j, q.k],
            inertia: Some([0, 1, 2].map(|i| [0, 1, 2].map(|j| inertia[(i, j)]))),
            center: Some((at.inverse() * center).translation.vector.into()),
            ..SceneBody::new(shape, link.inertial.mass.value, 0.5)
        }
    }

    /// The body that a link without a mass is a part of.
    fn body_of(&self, link: &str) -> Result<String, String> {
        let mut name = link;
        for _ in 0..=self.bodies.len() {
            match self.bodies.get(name) {
                Some(body) if *body != name => name = body,
                _ => break,
            }
        }
        if name == WORLD || self.bodies.contains_key(name) {
            Ok(name.into())
        } else {
            Err(format!("no link is named {link}"))
        }
    }

    fn joints(&mut self, scene: &mut Scene, hold: bool) -> Result<(), String> {
        for joint in &self.robot.joints {
            let name = &joint.name;
            for (is_there, what) in [
                (joint.mimic.is_some(), "mimic is left out, it moves on its own"),
                (joint.safety_controller.is_some(), "its safety controller is left out"),
                (joint.joint_type == JointType::Floating, "floating, it is left out"),
                (joint.joint_type == JointType::Planar, "planar, it is left out and its link is free"),
            ] {
                if is_there {
                    self.lines.push(format!("joint {name}: {what}"));
                }
            }
            let named = |reason: String| format!("joint {name}: {reason}");
            let a = self.body_of(&joint.parent.link).map_err(named)?;
            let b = self.body_of(&joint.child.link).map_err(named)?;
            // A link without a mass is a part of its parent already.
            if a != b {
                let at = self.poses.get(joint.child.link.as_str()).copied().unwrap_or_default();
                scene.joints.extend(connection(joint, [&a, &b], &at, hold).map_err(named)?);
            }
        }
        Ok(())
    }
}

/// A joint at the pose of its child; none of kinds that are left out.
fn connection(
    joint: &urdf_rs::Joint,
    [a, b]: [&str; 2],
    at: &Isometry3<f64>,
    hold: bool,
) -> Result<Option<SceneJoint>, String> {
    let anchor: [f64; 3] = at.translation.vector.into();
    let plain = SceneJoint::between(&joint.name, a, b);
    let has_axis = matches!(joint.joint_type, JointType::Revolute | JointType::Continuous | JointType::Prismatic);
    let direction = Vector3::from(*joint.axis.xyz).try_normalize(1e-9);
    let (true, Some(direction)) = (has_axis, direction) else {
        return match joint.joint_type {
            JointType::Fixed => Ok(Some(SceneJoint { fixed: Some(AnchorEntry { anchor }), ..plain })),
            JointType::Spherical => Ok(Some(SceneJoint { ball: Some(AnchorEntry { anchor }), ..plain })),
            JointType::Floating | JointType::Planar => Ok(None),
            _ => Err("axis: must have a direction".into()),
        };
    };
    let limits = [joint.limit.lower, joint.limit.upper];
    let is_limited = joint.joint_type != JointType::Continuous && limits.iter().all(|limit| limit.is_finite());
    let (damping, friction) = joint.dynamics.as_ref().map_or((0.0, 0.0), |given| (given.damping, given.friction));
    let max = joint.limit.effort;
    let stiffness = max / HELD.0;
    let held =
        MotorEntry { speed: None, position: Some(0.0), stiffness: Some(stiffness), damping: Some(max / HELD.1), max };
    let entry = AxisEntry {
        anchor,
        axis: (at.rotation * direction).into(),
        limits: is_limited.then_some(limits),
        motor: (hold && max > 0.0 && max.is_finite()).then_some(held),
        friction,
        spring: (damping != 0.0).then_some(SpringEntry { rest: 0.0, stiffness: 0.0, damping }),
    };
    let is_slider = joint.joint_type == JointType::Prismatic;
    let (hinge, slider) = if is_slider { (None, Some(entry)) } else { (Some(entry), None) };
    Ok(Some(SceneJoint { hinge, slider, ..plain }))
}

fn inertia_of(inertial: &Inertial) -> Matrix3<f64> {
    let i = &inertial.inertia;
    Matrix3::new(i.ixx, i.ixy, i.ixz, i.ixy, i.iyy, i.iyz, i.ixz, i.iyz, i.izz)
}

/// A shape of a scene; none of a mesh.
fn shape(geometry: &Geometry) -> Option<Shape> {
    Some(match geometry {
        Geometry::Box { size } => Shape::Box { half_extents: size.map(|edge| 0.5 * edge) },
        Geometry::Sphere { radius } => Shape::Sphere { radius: *radius },
        Geometry::Capsule { radius, length } => Shape::Capsule { half_height: 0.5 * length, radius: *radius },
        Geometry::Cylinder { radius, length } => Shape::Cylinder { half_height: 0.5 * length, radius: *radius },
        Geometry::Mesh { .. } => return None,
    })
}

/// The height of a body's lowest point; none for shapes that are rejected later.
fn lowest_point(body: &SceneBody) -> Option<f64> {
    let solid = body.shape.solid().ok()?;
    let [w, x, y, z] = body.orientation;
    let [px, py, pz] = body.position;
    let rotation = parry3d_f64::math::Rotation::from_xyzw(x, y, z, w);
    let at = parry3d_f64::math::Pose::from_parts(parry3d_f64::math::Vector::new(px, py, pz), rotation);
    Some(solid.form.bounding_box(&at).mins.z)
}
