//! Where a frame collects its manifolds: those that hold their rows keep them, the others are built again.
//!
//! A point is a contact if it can close within the frame: its gap is at most the margin, its way at its approach
//! speed, and what gravity adds. The capacity is fixed; when it is full, the deepest points stay, and those that do
//! not fit are counted.
use nalgebra::Vector3;

use crate::math::real::{Real, larger, positive_part};
use crate::math::vector::{VectorOps, without_noise};
use crate::problem::contact::{Contact, WarmStart};
use crate::problem::contact_rules::{normalised, validate_contact};
use crate::problem::error::{ErrorKind, InputError, is_within};
use crate::problem::material::Material;
use crate::problem::point_id::PointId;
use crate::solve::workspace::SolverWorkspace;
use crate::step::kept::{Axes, KeptManifold, KeptManifolds, KeptPoint, NO_ROW, Pair, anchors, extent};
use crate::step::manifold::{Manifold, ManifoldPoint};
use crate::step::masses::BodyMass;
use crate::step::world::{State, World};

/// Distance up to which a point without a feature id is recognised, in cells.
const REACH: f64 = 2.0;

/// What receives a frame's manifolds.
#[doc(hidden)]
pub struct FrameCollector<'a, T: Real, const NB: usize, const NC: usize> {
    pub(crate) world: &'a World<T, NB>,
    pub(crate) now: &'a mut KeptManifolds<T, NC>,
    pub(crate) before: &'a KeptManifolds<T, NC>,
    pub(crate) rows_before: &'a SolverWorkspace<T, NB, NC>,
    pub(crate) masses: &'a [BodyMass<T>; NB],
    /// Where the search in the frame before begins.
    pub(crate) search_from: usize,
    /// Manifolds of the frame before that were found again: a pair may have several.
    pub(crate) claimed: [bool; NC],
    pub(crate) margin: T,
    /// Size of a cell, m.
    pub(crate) cell: T,
    pub(crate) dt: T,
    pub(crate) fall: T,
    /// Whether all manifolds so far have the place and the number of points that they had.
    pub(crate) aligned: bool,
    /// The first error: it rejects the frame even if whoever pushed does not care.
    pub(crate) rejected: Option<InputError<T>>,
}

impl<T: Real, const NB: usize, const NC: usize> FrameCollector<'_, T, NB, NC> {
    /// Adds a manifold. An error adds nothing, and rejects the frame.
    pub fn push(&mut self, manifold: &Manifold<T>) -> Result<(), InputError<T>> {
        let pushed = self.push_validated(manifold);
        if let Err(error) = pushed {
            self.rejected = self.rejected.or(Some(error));
        }
        pushed
    }

    fn push_validated(&mut self, manifold: &Manifold<T>) -> Result<(), InputError<T>> {
        let index = self.now.points.len();
        let (a, b) = (self.state(index, "a", manifold.a)?, self.state(index, "b", manifold.b)?);
        if !(self.world.bodies().is_movable(manifold.a) || self.world.bodies().is_movable(manifold.b)) {
            return Err(InputError::contact(index, "", ErrorKind::NothingMoves));
        }
        let of_bodies = || self.world.material(manifold.a).combined(&self.world.material(manifold.b));
        let (pair, material) = (Pair { a: &a, b: &b }, manifold.material.unwrap_or_else(of_bodies));
        let mut near = 0;
        for (place, point) in manifold.points.iter().enumerate() {
            // What all points share is validated with the first.
            if place == 0 || !is_valid_point(point, &pair) {
                validate_contact(index, &contact_at(manifold, point, &pair, &material))?;
            }
            near += usize::from(self.is_near(manifold, point, &pair));
        }
        if near > 0 {
            self.add(manifold, &pair, near, material);
        }
        Ok(())
    }

    /// Adds a valid manifold with so many points that are near.
    fn add(&mut self, manifold: &Manifold<T>, pair: &Pair<'_, T>, near: usize, material: Material<T>) {
        let bodies = (manifold.a as u16, manifold.b as u16);
        let before = self.before.find(bodies, &manifold.normal, self.search_from, &self.claimed);
        if let Some(at) = before {
            self.search_from = at + 1;
            if let Some(slot) = self.claimed.get_mut(at) {
                *slot = true;
            }
        }
        let old = before.and_then(|at| self.before.list.get(at));
        let changed =
            [manifold.a, manifold.b].iter().any(|body| self.masses.get(*body).is_none_or(|mass| mass.changed));
        let holds = |old: &KeptManifold<T>| !changed && old.material == material && old.holds(pair, near);
        let here = self.now.list.len();
        match old.filter(|old| holds(old)) {
            Some(old) => self.keep_manifold(old, pair),
            None => self.build(manifold, pair, old, material),
        }
        let count = self.now.list.get(here).map(|new| new.count);
        self.aligned &= before == Some(here) && old.map(|old| old.count) == count;
    }

    /// Takes over a manifold whose rows hold; gaps follow the bodies.
    fn keep_manifold(&mut self, old: &KeptManifold<T>, pair: &Pair<'_, T>) {
        let first = self.now.points.len() as u16;
        let axes = (!old.has_not_rotated(pair)).then(|| Axes::of(pair));
        let way = old.way_apart(pair);
        // As many manifolds as points at the most.
        let _ = self.now.list.try_push(KeptManifold { first, count: 0, kept: true, ..*old });
        for (at, point) in self.before.points_of(old).iter().enumerate() {
            let row = self.rows_before.islands.row_of(usize::from(old.first) + at) as u16;
            let depth = axes.as_ref().map_or(point.depth_built - way, |axes| axes.depth(point, &old.normal));
            self.now.push_point(KeptPoint { row, depth, ..*point });
        }
    }

    /// Adds a manifold whose rows have to be built.
    fn build(
        &mut self,
        manifold: &Manifold<T>,
        pair: &Pair<'_, T>,
        old: Option<&KeptManifold<T>>,
        material: Material<T>,
    ) {
        let normal = without_noise(&normalised(&manifold.normal));
        let first = self.now.points.len() as u16;
        let new = KeptManifold { first, ..KeptManifold::new(manifold, normal, pair, material) };
        if self.now.list.try_push(new).is_err() {
            self.now.left_out += manifold.points.len();
            return;
        }
        let (mut longest, mut taken) = ((T::ZERO, T::ZERO), 0_u32);
        for point in &manifold.points {
            if !self.is_near(manifold, point, pair) {
                continue;
            }
            let (anchor_a, anchor_b) = anchors(&point.on_a, &point.on_b, point.depth, &normal, pair);
            longest = (larger(longest.0, anchor_a.dot(&anchor_a)), larger(longest.1, anchor_b.dot(&anchor_b)));
            let row = self.row_of(old, point.id, &anchor_b, &mut taken);
            let (id, depth) = (point.id, point.depth);
            self.now.push_point(KeptPoint { id, anchor_a, anchor_b, manifold: 0, row, depth, depth_built: depth });
        }
        let moves = (self.world.bodies().is_movable(manifold.a), self.world.bodies().is_movable(manifold.b));
        if let Some(new) = self.now.list.last_mut() {
            new.extent = extent(longest, moves);
        }
    }

    /// The row that a point had: of the same feature, or of the nearest anchor within reach. Bits of `taken` are
    /// points that have been found.
    fn row_of(&self, old: Option<&KeptManifold<T>>, id: PointId, anchor: &Vector3<T>, taken: &mut u32) -> u16 {
        let Some(old) = old else { return NO_ROW };
        let reach = T::lit(REACH) * self.cell;
        let (mut found, mut nearest) = (None, reach * reach);
        for (at, known) in self.before.points_of(old).iter().enumerate() {
            let (contact, bit) = (usize::from(old.first) + at, 1_u32 << (at % 32));
            if *taken & bit != 0 || known.id != id {
                continue;
            }
            let apart = known.anchor_b.minus(anchor);
            let distance = if id == PointId::Proximity { apart.dot(&apart) } else { T::ZERO };
            if distance <= nearest {
                (found, nearest) = (Some((contact, bit)), distance);
            }
        }
        let Some((contact, bit)) = found else { return NO_ROW };
        *taken |= bit;
        self.rows_before.islands.row_of(contact) as u16
    }

    /// Whether a point may close within the frame.
    fn is_near(&self, manifold: &Manifold<T>, point: &ManifoldPoint<T>, pair: &Pair<'_, T>) -> bool {
        if point.depth >= -self.margin {
            return true;
        }
        let (r_a, r_b) = (point.on_a.minus(&pair.a.position), point.on_b.minus(&pair.b.position));
        let at_b = pair.b.linear.plus(&pair.b.angular.cross(&r_b));
        let u = at_b.minus(&pair.a.linear).minus(&pair.a.angular.cross(&r_a)).dot(&manifold.normal);
        point.depth >= -(self.margin + positive_part(-u) * self.dt + self.fall)
    }

    fn state(&self, contact: usize, field: &'static str, index: usize) -> Result<State<T>, InputError<T>> {
        let missing = ErrorKind::NoSuchBody { index, bodies: self.world.len() };
        self.world.state(index).ok_or(InputError::contact(contact, field, missing))
    }
}

/// Whether a point's own numbers are within their ranges.
fn is_valid_point<T: Real>(point: &ManifoldPoint<T>, pair: &Pair<'_, T>) -> bool {
    let limit = T::LENGTH_LIMIT;
    is_within(&point.on_a.minus(&pair.a.position), limit)
        && is_within(&point.on_b.minus(&pair.b.position), limit)
        && point.depth.abs() <= limit
}

/// A point as a contact, for its validation.
fn contact_at<T: Real>(
    manifold: &Manifold<T>,
    point: &ManifoldPoint<T>,
    pair: &Pair<'_, T>,
    material: &Material<T>,
) -> Contact<T> {
    Contact {
        a: manifold.a,
        b: manifold.b,
        normal: manifold.normal,
        r_a: point.on_a.minus(&pair.a.position),
        r_b: point.on_b.minus(&pair.b.position),
        mu: material.mu,
        restitution: material.restitution,
        depth: point.depth,
        pre_impact_normal_velocity: None,
        warm: WarmStart::cold(),
    }
}
