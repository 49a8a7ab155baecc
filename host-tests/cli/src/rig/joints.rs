//! Joints of a scene: their JSON form, and the kernel's joints that are made of it.

use std::collections::BTreeMap;

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use stiction::{InputError, InputField, JointAxis, JointKind, Motor, Real, Spring};

use super::scene::Scene;
use crate::json::{entries, object};

/// The name of the immovable body that is always there.
pub const WORLD: &str = "world";

/// The kinds and their names in JSON.
const KINDS: [&str; 7] = ["ball", "hinge", "slider", "fixed", "distance", "rope", "spring"];

/// A kind by its name.
pub(super) fn kind_of(name: &str) -> Option<&'static str> {
    KINDS.into_iter().find(|kind| *kind == name)
}

/// A joint. Exactly one kind is given. Anchors and axes are in world coordinates where the scene begins.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SceneJoint {
    /// Its name; `joint N` by default.
    #[serde(default)]
    pub name: String,
    /// Name of body A, or `world`.
    pub a: String,
    /// Name of body B, or `world`.
    pub b: String,
    /// The anchors coincide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ball: Option<AnchorEntry>,
    /// B rotates about an axis only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hinge: Option<AxisEntry>,
    /// B moves along an axis only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slider: Option<AxisEntry>,
    /// B does not move against A.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed: Option<AnchorEntry>,
    /// The anchors keep their distance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<DistanceEntry>,
    /// The anchors are no further apart than a length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rope: Option<RopeEntry>,
    /// A spring with a damper between the anchors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spring: Option<StrutEntry>,
    /// Whether the two bodies may touch.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub collide: bool,
}

/// One anchor, m.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the fields are the format's own")]
pub struct AnchorEntry {
    pub anchor: [f64; 3],
}

/// A hinge (rad, N m) or a slider (m, N).
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the fields are the format's own")]
pub struct AxisEntry {
    pub anchor: [f64; 3],
    /// A unit vector.
    pub axis: [f64; 3],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<[f64; 2]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motor: Option<MotorEntry>,
    #[serde(default, skip_serializing_if = "super::scene::is_zero")]
    pub friction: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spring: Option<SpringEntry>,
}

/// A motor with a speed, or with a position, a stiffness and a damping.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the fields are the format's own")]
pub struct MotorEntry {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<f64>,
    pub max: f64,
}

/// A spring with a damper along an axis.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the fields are the format's own")]
pub struct SpringEntry {
    pub rest: f64,
    pub stiffness: f64,
    pub damping: f64,
}

/// Two anchors and their distance, m; as at the start by default.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the fields are the format's own")]
pub struct DistanceEntry {
    pub anchor_a: [f64; 3],
    pub anchor_b: [f64; 3],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
}

/// Two anchors and their largest distance, m.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the fields are the format's own")]
pub struct RopeEntry {
    pub anchor_a: [f64; 3],
    pub anchor_b: [f64; 3],
    pub length: f64,
}

/// Two anchors and what is between them.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "the fields are the format's own")]
pub struct StrutEntry {
    pub anchor_a: [f64; 3],
    pub anchor_b: [f64; 3],
    pub rest: f64,
    pub stiffness: f64,
    pub damping: f64,
}

/// A joint in the kernel's terms: anchors and axis in world coordinates.
pub struct Connection<T> {
    /// What it holds.
    pub kind: JointKind<T>,
    /// On A and on B.
    pub anchors: [Vector3<T>; 2],
    /// Of a hinge or a slider; x for others.
    pub axis: Vector3<T>,
}

fn vector<T: Real>(v: &[f64; 3]) -> Vector3<T> {
    Vector3::from(v.map(T::lit))
}

impl SpringEntry {
    fn spring<T: Real>(&self) -> Spring<T> {
        Spring { rest: T::lit(self.rest), stiffness: T::lit(self.stiffness), damping: T::lit(self.damping) }
    }
}

impl MotorEntry {
    /// The motor, if the fields of one kind are there.
    pub fn motor<T: Real>(&self) -> Result<Motor<T>, String> {
        let max = T::lit(self.max);
        match (self.speed, self.position, self.stiffness, self.damping) {
            (Some(speed), None, None, None) => Ok(Motor::Speed { speed: T::lit(speed), max }),
            (None, Some(position), Some(stiffness), Some(damping)) => Ok(Motor::Position {
                position: T::lit(position),
                stiffness: T::lit(stiffness),
                damping: T::lit(damping),
                max,
            }),
            _ => Err("motor: must have speed and max, or position, stiffness, damping and max".into()),
        }
    }
}

impl AxisEntry {
    fn axis<T: Real>(&self) -> Result<JointAxis<T>, String> {
        Ok(JointAxis {
            limits: self.limits.map(|limits| limits.map(T::lit)),
            motor: self.motor.as_ref().map(MotorEntry::motor).transpose()?,
            friction: T::lit(self.friction),
            spring: self.spring.as_ref().map(SpringEntry::spring),
        })
    }
}

impl SceneJoint {
    /// A joint between two bodies, without a kind.
    pub fn between(name: &str, a: &str, b: &str) -> Self {
        SceneJoint { name: name.into(), a: a.into(), b: b.into(), ..Self::default() }
    }

    /// Its name, as the `index`-th joint of its scene.
    pub fn name(&self, index: usize) -> String {
        if self.name.is_empty() { format!("joint {index}") } else { self.name.clone() }
    }

    /// In the kernel's terms; the error begins with the field's name.
    pub fn connection<T: Real>(&self) -> Result<Connection<T>, String> {
        let line =
            |kind, a: &[f64; 3], b: &[f64; 3]| Connection { kind, anchors: [vector(a), vector(b)], axis: Vector3::x() };
        let point =
            |kind, at: &[f64; 3], axis: &[f64; 3]| Connection { kind, anchors: [vector(at); 2], axis: vector(axis) };
        let along = |name: &str, entry: &AxisEntry| entry.axis().map_err(|reason| format!("{name}.{reason}"));
        let x = [1.0, 0.0, 0.0];
        let mut found = Vec::new();
        found.extend(self.ball.as_ref().map(|given| point(JointKind::Ball, &given.anchor, &x)));
        if let Some(given) = &self.hinge {
            found.push(point(JointKind::Hinge(along("hinge", given)?), &given.anchor, &given.axis));
        }
        if let Some(given) = &self.slider {
            found.push(point(JointKind::Slider(along("slider", given)?), &given.anchor, &given.axis));
        }
        found.extend(self.fixed.as_ref().map(|given| point(JointKind::Fixed, &given.anchor, &x)));
        found.extend(self.distance.as_ref().map(|given| {
            let apart: Vector3<f64> = vector::<f64>(&given.anchor_b) - vector::<f64>(&given.anchor_a);
            let length = T::lit(given.length.unwrap_or(apart.norm()));
            line(JointKind::Distance { length }, &given.anchor_a, &given.anchor_b)
        }));
        found.extend(
            self.rope
                .as_ref()
                .map(|given| line(JointKind::Rope { length: T::lit(given.length) }, &given.anchor_a, &given.anchor_b)),
        );
        found.extend(self.spring.as_ref().map(|given| {
            let StrutEntry { rest, stiffness, damping, .. } = *given;
            let spring = SpringEntry { rest, stiffness, damping }.spring();
            line(JointKind::Spring(spring), &given.anchor_a, &given.anchor_b)
        }));
        match (found.pop(), found.is_empty()) {
            (Some(only), true) => Ok(only),
            _ => Err(one_kind()),
        }
    }
}

fn one_kind() -> String {
    format!("must have one of {}", KINDS.join(", "))
}

/// A kernel's error about a joint, with the names of a scene's fields.
pub(super) fn joint_words<T: Real>(kind: &JointKind<T>, error: &InputError<T>) -> String {
    let InputField::Joint(index, field) = error.field else { return error.to_string() };
    let has_two_anchors = matches!(kind, JointKind::Distance { .. } | JointKind::Rope { .. } | JointKind::Spring(_));
    let field = match field {
        "" => String::new(),
        "a" | "b" => format!(".{field}"),
        "anchor_a" | "anchor_b" if !has_two_anchors => format!(".{}.anchor", kind.name()),
        field if matches!(kind, JointKind::Spring(_)) && field.starts_with("spring.") => format!(".{field}"),
        field => format!(".{}.{field}", kind.name()),
    };
    format!("joints[{index}]{field}: {}", error.kind)
}

/// The indices of the bodies of each joint. That of the world is the number of bodies in the scene.
pub fn bodies_of(scene: &Scene) -> Result<Vec<[usize; 2]>, String> {
    let mut indices: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (i, body) in scene.bodies.iter().enumerate() {
        indices.entry(body.name(i)).or_default().push(i);
    }
    let index_of = |field: String, name: &str| match (name, indices.get(name).map(Vec::as_slice)) {
        (WORLD, None) => Ok(scene.bodies.len()),
        (WORLD, Some(given)) => {
            Err(format!("bodies[{}].name: {WORLD} is the name of the immovable body that joints have", given[0]))
        }
        (_, Some([only])) => Ok(*only),
        (_, Some(several)) => Err(format!("{field}: {} bodies are named {name}", several.len())),
        (_, None) => Err(format!("{field}: no body is named {name}")),
    };
    let of = |(i, joint): (usize, &SceneJoint)| {
        Ok([index_of(format!("joints[{i}].a"), &joint.a)?, index_of(format!("joints[{i}].b"), &joint.b)?])
    };
    scene.joints.iter().enumerate().map(of).collect()
}

/// Rejects arrays where the format has objects, and joints with no kind or several.
pub(super) fn check_objects(scene: &serde_json::Value) -> Result<(), String> {
    for (i, joint) in entries(scene, "joints").enumerate() {
        object(&format!("joints[{i}]"), joint)?;
        let Some(fields) = joint.as_object() else { continue };
        let mut kinds = KINDS.iter().filter_map(|kind| Some((kind, fields.get(*kind)?)));
        let (Some((kind, value)), None) = (kinds.next(), kinds.next()) else {
            return Err(format!("joints[{i}]: {}", one_kind()));
        };
        let name = format!("joints[{i}].{kind}");
        if !value.is_object() {
            return Err(format!("{name}: must be an object"));
        }
        for part in ["motor", "spring"] {
            value.get(part).map_or(Ok(()), |part_value| object(&format!("{name}.{part}"), part_value))?;
        }
    }
    Ok(())
}
