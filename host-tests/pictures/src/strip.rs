//! A scene from the side, at a few moments: bodies, joints, contact points and the forces there.

use nalgebra::{UnitQuaternion, Vector3};

use crate::svg::{Anchor, COLOURS, GREY, INK, Svg};

/// A body's visible shape, in body axes.
#[derive(Debug, Clone, PartialEq)]
pub enum Outline {
    /// The convex hull of points, with a radius around each.
    Hull {
        /// In m.
        points: Vec<Vector3<f64>>,
        /// In m; 0 for sharp corners.
        radius: f64,
    },
    /// Unbounded ground.
    HalfSpace {
        /// Out of the ground.
        normal: Vector3<f64>,
    },
}

impl Outline {
    /// A box, from its half extents.
    pub fn cuboid([x, y, z]: [f64; 3]) -> Self {
        let sign = |bit: u32, i: u32, h: f64| if i & bit == 0 { -h } else { h };
        let points = (0..8).map(|i| Vector3::new(sign(1, i, x), sign(2, i, y), sign(4, i, z))).collect();
        Outline::Hull { points, radius: 0.0 }
    }
}

/// A body's pose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// World coordinates, m.
    pub position: Vector3<f64>,
    /// From body to world axes.
    pub orientation: UnitQuaternion<f64>,
}

/// A moment of a scene.
pub struct Moment {
    /// s.
    pub time: f64,
    /// The bodies.
    pub bodies: Vec<Pose>,
    /// Contact points and forces (N) on B there.
    pub forces: Vec<(Vector3<f64>, Vector3<f64>)>,
    /// The anchors of joints on A and on B.
    pub joints: Vec<[Vector3<f64>; 2]>,
}

/// The horizontal direction that is to the right in the picture: along the longest path of any body.
fn sideways(moments: &[Moment]) -> Vector3<f64> {
    let (Some(first), Some(last)) = (moments.first(), moments.last()) else { return Vector3::x() };
    let ways = first.bodies.iter().zip(&last.bodies).map(|(a, b)| {
        let way = b.position - a.position;
        Vector3::new(way.x, way.y, 0.0)
    });
    let longest = ways.max_by(|a, b| a.norm().total_cmp(&b.norm())).unwrap_or_default();
    if longest.norm() > 0.3 { longest.normalize() } else { Vector3::x() }
}

/// The convex hull of points in the plane, counter-clockwise.
fn hull(mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let half = |points: &mut dyn Iterator<Item = (f64, f64)>| {
        let mut chain: Vec<(f64, f64)> = Vec::new();
        for p in points {
            while let [.., a, b] = chain[..] {
                if (b.0 - a.0) * (p.1 - a.1) - (b.1 - a.1) * (p.0 - a.0) > 0.0 {
                    break;
                }
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut lower = half(&mut points.iter().copied());
    lower.extend(half(&mut points.iter().rev().copied()));
    lower
}

/// A body's silhouette in the plane of two directions: to the right and up.
pub(crate) fn silhouette(outline: &Outline, state: &Pose, [right, up]: &[Vector3<f64>; 2]) -> Vec<(f64, f64)> {
    let Outline::Hull { points, radius } = outline else { return Vec::new() };
    let flat = |p: &Vector3<f64>| {
        let world = state.position + state.orientation * p;
        (world.dot(right), world.dot(up))
    };
    let mut all = Vec::new();
    for point in points {
        let (x, z) = flat(point);
        if *radius > 0.0 {
            all.extend((0..32).map(|i| {
                let angle = std::f64::consts::TAU * f64::from(i) / 32.0;
                (x + radius * angle.cos(), z + radius * angle.sin())
            }));
        } else {
            all.push((x, z));
        }
    }
    hull(all)
}

/// Draws moments side by side in an area as high as needed; returns that height.
pub fn draw(svg: &mut Svg, area: (f64, f64, f64, f64), outlines: &[Outline], moments: &[Moment]) -> f64 {
    let (left, top, width, most) = area;
    let right = sideways(moments);
    let view = [right, Vector3::z()];
    let all: Vec<(f64, f64)> = moments
        .iter()
        .flat_map(|moment| {
            outlines.iter().zip(&moment.bodies).flat_map(|(outline, state)| silhouette(outline, state, &view))
        })
        .collect();
    let bound = |f: fn(&(f64, f64)) -> f64, low: bool| {
        let values = all.iter().map(f);
        if low { values.fold(f64::INFINITY, f64::min) } else { values.fold(f64::NEG_INFINITY, f64::max) }
    };
    let (x0, x1, z0, z1) = (bound(|p| p.0, true), bound(|p| p.0, false), bound(|p| p.1, true), bound(|p| p.1, false));
    if !(x1 > x0 && z1 > z0) {
        return 0.0;
    }
    let count = moments.len().max(1) as f64;
    let cell = width / count - 12.0;
    let scale = (cell / (x1 - x0)).min(most / (z1 - z0)) * 0.9;
    let height = ((z1 - z0) * scale + 16.0).max(40.0);
    let strongest = moments.iter().flat_map(|m| &m.forces).map(|(_, f)| f.norm()).fold(1e-9, f64::max);
    for (i, moment) in moments.iter().enumerate() {
        let x_left = left + i as f64 * (width / count);
        let place = |x: f64, z: f64| {
            (x_left + 0.5 * cell + (x - 0.5 * (x0 + x1)) * scale, top + height - 6.0 - (z - z0) * scale)
        };
        svg.clip(&format!("moment{i}at{top:.0}"), (x_left, top, cell, height + 2.0));
        for (outline, state) in outlines.iter().zip(&moment.bodies) {
            if let Outline::HalfSpace { normal } = outline {
                ground(svg, normal, state, &right, (x0, x1), &place);
            }
        }
        for (k, (outline, state)) in outlines.iter().zip(&moment.bodies).enumerate() {
            let points: Vec<_> = silhouette(outline, state, &view).into_iter().map(|(x, z)| place(x, z)).collect();
            if points.len() > 2 {
                let colour = COLOURS[k % COLOURS.len()];
                svg.shape(&points, colour, 0.25, colour);
                mark(svg, state, &right, &place, colour);
            }
        }
        for anchors in &moment.joints {
            let ends = anchors.map(|anchor| place(anchor.dot(&right), anchor.z));
            svg.line(&ends, INK, 1.0);
            svg.disc(ends[1], 2.5, INK, 0.6);
        }
        for (point, force) in &moment.forces {
            let from = place(point.dot(&right), point.z);
            let length = 0.35 * (z1 - z0) / strongest;
            let to = place(point.dot(&right) + force.dot(&right) * length, point.z + force.z * length);
            svg.line(&[from, to], INK, 1.4);
            svg.disc(from, 2.0, INK, 1.0);
        }
        svg.end_clip();
        let time = format!("{:.2} s", moment.time);
        svg.text((x_left + 0.5 * cell, top + height + 16.0), 11.0, Anchor::Middle, GREY, &time);
    }
    height + 20.0
}

/// A short line from the centre, so that rotation is visible.
fn mark(svg: &mut Svg, state: &Pose, right: &Vector3<f64>, place: &impl Fn(f64, f64) -> (f64, f64), colour: &str) {
    let tip = state.position + state.orientation * Vector3::new(0.0, 0.0, 0.12);
    let from = place(state.position.dot(right), state.position.z);
    svg.line(&[from, place(tip.dot(right), tip.z)], colour, 2.0);
}

/// The line of a half-space, where the picture's plane cuts it.
fn ground(
    svg: &mut Svg,
    normal: &Vector3<f64>,
    state: &Pose,
    right: &Vector3<f64>,
    (x0, x1): (f64, f64),
    place: &impl Fn(f64, f64) -> (f64, f64),
) {
    let n = state.orientation * normal;
    let (nx, nz) = (n.dot(right), n.z);
    if nz.abs() < 0.05 {
        return;
    }
    let (px, pz) = (state.position.dot(right), state.position.z);
    let margin = x1 - x0;
    let at = |x: f64| place(x, pz - (x - px) * nx / nz);
    svg.line(&[at(x0 - margin), at(x1 + margin)], GREY, 2.0);
}
