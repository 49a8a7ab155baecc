//! Where the bodies of a rig touch, by parry: bounding volumes first, then contact manifolds with feature ids.
//!
//! Detection works in double precision in either case: the same poses give the same points. Manifolds of more than four
//! points are thinned to the four that span the largest area. Points are cached between frames by their position on the
//! second body and their id. Parry's feature ids alone are not enough: where vertices lie on vertices, as in any stack,
//! rounding changes them, and every change would be a cold start. A point near an old one ([`SAME_POINT`]) keeps its
//! id; others get one from their features.

use std::collections::BTreeMap;

use nalgebra::{UnitQuaternion, Vector3};
use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};
use parry3d_f64::math::{Pose, Rotation};
use parry3d_f64::query::ContactManifold;
use stiction::PointId;
use stiction::Real;
use stiction::step::manifold::MAX_POINTS;
use stiction::{ContactRows, Manifold, ManifoldPoint, World};

use crate::pairs::Manifolds;
use crate::solid::{Solid, from_parry, to_parry};

/// How far on its body a point may move in a step and still be the same, as a fraction of the smaller body's smallest
/// extent, which counts as a metre at most.
pub const SAME_POINT: f64 = 0.02;

/// A point of the last frame.
struct Track {
    /// In axes of the second body.
    at: Vector3<f64>,
    id: u32,
}

/// The detector's data of a body.
pub struct Part {
    /// Its shape.
    pub solid: Solid,
    /// Whether it can move.
    pub movable: bool,
    /// Whether it is unbounded: such bodies are tested against every movable one.
    pub endless: bool,
}

/// The nearest points of two bodies that do not touch yet.
pub struct Ahead {
    /// The bodies.
    pub pair: (usize, usize),
    /// From the first to the second.
    pub normal: Vector3<f64>,
    /// On the first, in the world.
    pub on_a: Vector3<f64>,
    /// On the second.
    pub on_b: Vector3<f64>,
    /// Between them, m.
    pub gap: f64,
}

/// Shapes, in the order of the bodies.
pub struct Detector {
    parts: Vec<Part>,
    /// The smallest extent of each body, m; a metre for larger and for unbounded ones.
    extents: Vec<f64>,
    of_pair: Manifolds,
    tracks: BTreeMap<(usize, usize), Vec<Track>>,
}

/// A pose of the detector.
fn pose(part: &Part, center: &Vector3<f64>, orientation: &UnitQuaternion<f64>) -> Pose {
    let origin = center - orientation * part.solid.center;
    let q = orientation.quaternion();
    Pose::from_parts(to_parry(&origin), Rotation::from_xyzw(q.i, q.j, q.k, q.w))
}

impl Detector {
    /// A detector for these bodies, which calls `of_pair` for two of them.
    pub fn new(parts: Vec<Part>, of_pair: Manifolds) -> Self {
        let extents = parts.iter().map(|part| part.solid.form.smallest_extent().map_or(1.0, |extent| extent.min(1.0)));
        Detector { extents: extents.collect(), parts, of_pair, tracks: BTreeMap::new() }
    }

    /// Manifolds of all pairs within `margin` metres, pairs in order, at the given centres of mass and orientations.
    pub fn manifolds<T: Real>(
        &mut self,
        centers: &[Vector3<T>],
        orientations: &[UnitQuaternion<T>],
        margin: f64,
        mut found: impl FnMut(&Manifold<T>) -> Result<(), stiction::InputError<T>>,
    ) -> Result<(), stiction::InputError<T>> {
        let poses = self.poses(centers, orientations);
        let mut before = std::mem::take(&mut self.tracks);
        for pair in self.pairs(&poses, |_| 0.5 * margin) {
            let mut old = before.remove(&pair).unwrap_or_default();
            let same = SAME_POINT * self.extents[pair.0].min(self.extents[pair.1]);
            for manifold in self.pair_manifolds(&poses, pair.0, pair.1, margin) {
                let points = points_of(&poses, pair, &manifold, Within { margin, same }, &mut old);
                if !points.is_empty() {
                    let normal = from_parry(poses[pair.0].rotation * manifold.local_n1);
                    found(&kernel_manifold::<T>(pair, &normal, &points))?;
                }
                let tracks = points.iter().map(|point| Track { at: point.local, id: point.id });
                self.tracks.entry(pair).or_default().extend(tracks);
            }
        }
        Ok(())
    }

    /// The longest way of a point of two bodies by their spins within `dt` seconds, m.
    pub fn spin_way<T: Real, const NB: usize, R: ContactRows>(&self, world: &World<T, NB, R>, dt: f64) -> f64 {
        let spins = world.bodies().angular_velocities().iter().enumerate();
        let ways = spins.map(|(body, spin)| self.radius(body) * spin.map(T::to_f64).norm());
        2.0 * ways.fold(0.0, f64::max) * dt
    }

    /// Points that do not touch yet, of all pairs that could touch if every body moved `reach` metres.
    pub fn ahead<T: Real>(
        &self,
        centers: &[Vector3<T>],
        orientations: &[UnitQuaternion<T>],
        reach: &[f64],
    ) -> Vec<Ahead> {
        let poses = self.poses(centers, orientations);
        let mut ahead = Vec::new();
        for (a, b) in self.pairs(&poses, |i| reach[i]) {
            for manifold in self.pair_manifolds(&poses, a, b, reach[a] + reach[b]) {
                let normal = from_parry(poses[a].rotation * manifold.local_n1);
                ahead.extend(manifold.points.iter().filter(|point| point.dist > 0.0).map(|point| Ahead {
                    pair: (a, b),
                    normal,
                    on_a: from_parry(poses[a] * point.local_p1),
                    on_b: from_parry(poses[b] * point.local_p2),
                    gap: point.dist,
                }));
            }
        }
        ahead
    }

    /// Distance of the farthest point of a body from its centre of mass, m; zero for unbounded bodies, and for bodies
    /// of the world that have no part here.
    pub fn radius(&self, body: usize) -> f64 {
        let Some(part) = self.parts.get(body).filter(|part| !part.endless) else { return 0.0 };
        let sphere = part.solid.form.bounding_sphere();
        (from_parry(sphere.center) - part.solid.center).norm() + sphere.radius
    }

    fn poses<T: Real>(&self, centers: &[Vector3<T>], orientations: &[UnitQuaternion<T>]) -> Vec<Pose> {
        (self.parts.iter().zip(centers).zip(orientations))
            .map(|((part, center), orientation)| pose(part, &center.map(T::to_f64), &double(orientation)))
            .collect()
    }

    /// Pairs of which at least one can move and whose bounding boxes, grown by `reach`, overlap, in order.
    fn pairs(&self, poses: &[Pose], reach: impl Fn(usize) -> f64) -> Vec<(usize, usize)> {
        let ended: Vec<usize> = (0..self.parts.len()).filter(|i| !self.parts[*i].endless).collect();
        let boxes: Vec<Aabb> = ended
            .iter()
            .map(|i| {
                let tight = self.parts[*i].solid.form.bounding_box(&poses[*i]);
                let grow = parry3d_f64::math::Vector::splat(reach(*i));
                Aabb::new(tight.mins - grow, tight.maxs + grow)
            })
            .collect();
        // Sorted by their start along x; each is tested against those that start before it ends.
        let mut order: Vec<usize> = (0..ended.len()).collect();
        order.sort_by(|a, b| boxes[*a].mins.x.total_cmp(&boxes[*b].mins.x));
        let mut pairs = Vec::new();
        for (index, first) in order.iter().enumerate() {
            let end = boxes[*first].maxs.x;
            let later = order[index + 1..].iter().take_while(|other| boxes[**other].mins.x <= end);
            let overlapping = later.filter(|other| boxes[*first].intersects(&boxes[**other]));
            pairs.extend(overlapping.map(|other| ordered(ended[*first], ended[*other])));
        }
        for endless in (0..self.parts.len()).filter(|i| self.parts[*i].endless) {
            pairs.extend(ended.iter().map(|other| ordered(endless, *other)));
        }
        pairs.retain(|(a, b)| self.parts[*a].movable || self.parts[*b].movable);
        pairs.sort_unstable();
        pairs
    }

    fn pair_manifolds(&self, poses: &[Pose], a: usize, b: usize, margin: f64) -> Vec<ContactManifold<(), ()>> {
        let between = poses[a].inverse() * poses[b];
        (self.of_pair)(&between, &self.parts[a].solid.form, &self.parts[b].solid.form, margin)
    }
}

fn ordered(a: usize, b: usize) -> (usize, usize) {
    if a < b { (a, b) } else { (b, a) }
}

fn double<T: Real>(orientation: &UnitQuaternion<T>) -> UnitQuaternion<f64> {
    let q = orientation.quaternion().coords.map(T::to_f64);
    UnitQuaternion::new_unchecked(nalgebra::Quaternion::from_vector(q))
}

/// A point of the detector in world coordinates.
struct Point {
    on_a: Vector3<f64>,
    on_b: Vector3<f64>,
    /// On B, in its axes.
    local: Vector3<f64>,
    depth: f64,
    id: u32,
}

/// Distances that decide about a point, m.
struct Within {
    /// The largest gap.
    margin: f64,
    /// The largest way from an old point that is the same one.
    same: f64,
}

/// The points of a manifold, four at the most, each with an id of its own.
fn points_of(
    poses: &[Pose],
    (a, b): (usize, usize),
    manifold: &ContactManifold<(), ()>,
    within: Within,
    old: &mut Vec<Track>,
) -> Vec<Point> {
    let normal = from_parry(poses[a].rotation * manifold.local_n1);
    let mut points: Vec<Point> = manifold
        .points
        .iter()
        .filter(|point| point.dist <= within.margin)
        .map(|point| Point {
            on_a: from_parry(poses[a] * point.local_p1),
            on_b: from_parry(poses[b] * point.local_p2),
            local: from_parry(point.local_p2),
            depth: -point.dist,
            id: point.fid1.0.wrapping_mul(0x9e37_79b1) ^ point.fid2.0,
        })
        .collect();
    thin(&mut points, &normal);
    let mut given = Vec::new();
    for point in &mut points {
        let distance = |track: &Track| (track.at - point.local).norm();
        let nearest = (0..old.len()).min_by(|i, j| distance(&old[*i]).total_cmp(&distance(&old[*j])));
        if let Some(at) = nearest.filter(|at| distance(&old[*at]) <= within.same) {
            point.id = old.remove(at).id;
        }
        while given.contains(&point.id) {
            point.id = point.id.wrapping_add(1);
        }
        given.push(point.id);
    }
    points
}

fn kernel_manifold<T: Real>((a, b): (usize, usize), normal: &Vector3<f64>, points: &[Point]) -> Manifold<T> {
    let single = |v: &Vector3<f64>| v.map(T::lit);
    let mut out = Manifold::new(a, b, single(&normal.normalize()));
    out.points.extend(points.iter().map(|point| ManifoldPoint {
        on_a: single(&point.on_a),
        on_b: single(&point.on_b),
        depth: T::lit(point.depth),
        id: PointId::Feature(point.id),
    }));
    out
}

/// Leaves at most four points: the deepest, the farthest from it, and on either side of the line between them the one
/// that spans the largest triangle.
fn thin(points: &mut Vec<Point>, normal: &Vector3<f64>) {
    if points.len() <= MAX_POINTS {
        return;
    }
    let best = |score: &dyn Fn(&Point) -> f64| {
        (0..points.len()).max_by(|a, b| score(&points[*a]).total_cmp(&score(&points[*b])).then(b.cmp(a))).unwrap_or(0)
    };
    let deepest = best(&|point| point.depth);
    let origin = points[deepest].on_b;
    let farthest = best(&|point| (point.on_b - origin).norm_squared());
    let line = points[farthest].on_b - origin;
    let side = |point: &Point| normal.dot(&line.cross(&(point.on_b - origin)));
    let mut keep = vec![deepest, farthest, best(&|point| side(point)), best(&|point| -side(point))];
    keep.sort_unstable();
    keep.dedup();
    let mut index = 0;
    points.retain(|_| {
        index += 1;
        keep.contains(&(index - 1))
    });
}
