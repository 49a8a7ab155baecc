//! Where a frame collects its manifolds: those that hold their rows keep them, the others are built again.
use crate::math::real::{Real, positive_part};
use crate::math::vector::{VectorOps, without_noise};
use crate::problem::error::InputError;
use crate::solve::workspace::SolverWorkspace;
use crate::step::kept::{KeptManifold, KeptManifolds, KeptPoint, NO_ROW, Pair, anchors};
use crate::step::manifold::Manifold;
use crate::step::masses::BodyMass;
use crate::step::world::World;

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
    pub(crate) keep: bool,
    pub(crate) margin: T,
    pub(crate) dt: T,
    pub(crate) fall: T,
    /// Whether all manifolds so far have the place and the number of points that they had.
    pub(crate) aligned: bool,
}

impl<T: Real, const NB: usize, const NC: usize> FrameCollector<'_, T, NB, NC> {
    /// Adds a manifold.
    pub fn push(&mut self, manifold: &Manifold<T>) -> Result<(), InputError<T>> {
        let (Some(a), Some(b)) = (self.world.state(manifold.a), self.world.state(manifold.b)) else { return Ok(()) };
        let pair = Pair { a: &a, b: &b };
        let near = |at: usize| self.is_near(manifold, at, &pair);
        let points = (0..manifold.points.len()).filter(|at| near(*at)).count();
        let before = self.before.find(manifold.a as u16, manifold.b as u16, self.search_from, &self.claimed);
        if let Some(at) = before {
            self.search_from = at + 1;
            if let Some(slot) = self.claimed.get_mut(at) {
                *slot = true;
            }
        }
        let old = before.and_then(|at| self.before.list.get(at));
        let changed =
            [manifold.a, manifold.b].iter().any(|body| self.masses.get(*body).is_none_or(|mass| mass.changed));
        let here = self.now.list.len();
        if let Some(old) = old.filter(|old| self.keep && points > 0 && !changed && old.holds(&pair, points)) {
            let first = self.now.points.len();
            let copied = self.before.points_of(old);
            if first + copied.len() > NC {
                return Ok(());
            }
            for (at, point) in copied.iter().enumerate() {
                let row = self.rows_before.islands.row_of(usize::from(old.first) + at) as u16;
                let _ = self.now.points.try_push(KeptPoint { row, ..*point });
            }
            if let Some(points) = self.now.points.get_mut(first..) {
                old.follow(&pair, points);
            }
            let _ = self.now.list.try_push(KeptManifold { first: first as u16, kept: true, ..*old });
            self.aligned &= before == Some(here);
            return Ok(());
        }
        if points == 0 {
            return Ok(());
        }
        self.build(manifold, &pair, old);
        let same = old.is_some_and(|old| self.now.list.last().is_some_and(|new| new.count == old.count));
        self.aligned &= before == Some(here) && same;
        Ok(())
    }

    /// Whether a point may close within the frame.
    fn is_near(&self, manifold: &Manifold<T>, at: usize, pair: &Pair<'_, T>) -> bool {
        let Some(point) = manifold.points.get(at) else { return false };
        if point.depth >= -self.margin {
            return true;
        }
        let (r_a, r_b) = (point.on_a.minus(&pair.a.position), point.on_b.minus(&pair.b.position));
        let at_b = pair.b.linear.plus(&pair.b.angular.cross(&r_b));
        let u = at_b.minus(&pair.a.linear).minus(&pair.a.angular.cross(&r_a)).dot(&manifold.normal);
        point.depth >= -(self.margin + positive_part(-u) * self.dt + self.fall)
    }

    /// Adds a manifold whose rows have to be built.
    fn build(&mut self, manifold: &Manifold<T>, pair: &Pair<'_, T>, old: Option<&KeptManifold<T>>) {
        let (a, b) = (self.world.material(manifold.a), self.world.material(manifold.b));
        let material = manifold.material.unwrap_or(a.combined(&b));
        let normal = without_noise(&manifold.normal);
        let mut new = KeptManifold::new(manifold, normal, pair, material);
        new.first = self.now.points.len() as u16;
        for at in 0..manifold.points.len() {
            let Some(point) = manifold.points.get(at).filter(|_| self.is_near(manifold, at, pair)) else { continue };
            let (anchor_a, anchor_b) = anchors(&point.on_a, &point.on_b, point.depth, &normal, pair);
            let row = old.map_or(NO_ROW, |old| {
                let position = self.before.points_of(old).iter().position(|known| known.id == point.id);
                position.map_or(NO_ROW, |at| self.rows_before.islands.row_of(usize::from(old.first) + at) as u16)
            });
            let point = KeptPoint { id: point.id, anchor_a, anchor_b, row, depth: point.depth };
            if self.now.points.try_push(point).is_ok() {
                new.count += 1;
            }
        }
        let moves = (self.world.bodies().is_movable(manifold.a), self.world.bodies().is_movable(manifold.b));
        if let Some(points) = self.now.points.get(usize::from(new.first)..) {
            new.set_extent(points, moves);
        }
        let _ = self.now.list.try_push(new);
    }
}
