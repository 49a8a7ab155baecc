//! Where a step collects its manifolds: those that hold their rows keep them, the others are built again.
//!
//! A point is a contact if it can close within the step: its gap is at most the margin, its way at its approach
//! speed, and what gravity and loads add. A body that is set in motion within the step is seen in the next one. The
//! capacity is fixed; when it is full, the deepest points stay, and those that do not fit are counted.
use arrayvec::ArrayVec;
use nalgebra::Vector3;

use crate::math::real::{Real, larger, positive_part};
use crate::math::vector::VectorOps;
use crate::problem::contact_rows::{Column, ContactRows, Element, ThreeRows};
use crate::problem::contact_rules::validate_contact;
use crate::problem::error::{ErrorKind, InputError, validate_range};
use crate::problem::kept::{Hold, KeptManifold, KeptPoint};
use crate::problem::material::Material;
use crate::problem::point_id::PointId;
use crate::problem::surface::Surface;
use crate::solve::partition::Islands;
use crate::space::velocity::Velocity;
use crate::step::anchors::{Axes, Pair, anchors};
use crate::step::arrange::NO_ROW;
use crate::step::keeping::extent;
use crate::step::kept::{KeptContacts, Place, remove};
use crate::step::kept_surfaces::PairSurface;
use crate::step::manifold::{MAX_POINTS, Manifold, ManifoldPoint};
use crate::step::masses::BodyMass;
use crate::step::point_rules::{contact_at, is_valid_point, state_of};
use crate::step::world::World;

/// Distance up to which a point without a feature id is recognised, in cells.
const REACH: f64 = 2.0;

/// Receives the manifolds that collision detection finds in a step.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::PointId;
/// # use stiction::{Manifold, ManifoldPoint};
/// # use stiction::{Pipeline, InputError, RigidBody, StepSettings, World};
/// # use stiction::ContactCollector;
/// // A floor at z = 0 under a ball (body 1) of radius 1 m.
/// fn floor(world: &World<f64, 2>, collector: &mut ContactCollector<'_, f64, 2, 1>) -> Result<(), InputError<f64>> {
///     let on_b = world.positions()[1] - Vector3::z();
///     let on_a = Vector3::new(on_b.x, on_b.y, 0.0);
///     let mut manifold = Manifold::new(0, 1, Vector3::z());
///     manifold.points.push(ManifoldPoint { on_a, on_b, depth: -on_b.z, id: PointId::Feature(0) });
///     collector.push(&manifold)
/// }
/// for (height, contacts) in [(1.5, 0), (1.0, 1)] {
/// #     let mut world = World::<f64, 2>::new();
/// #     world.push(RigidBody::fixed())?;
/// #     let position = Vector3::new(0.0, 0.0, height);
/// #     world.push(RigidBody { position, ..RigidBody::from_mass(1.0, Matrix3::identity()) })?;
/// #     let mut pipeline = Pipeline::<f64, 2, 1>::new(StepSettings::default());
///     let report = pipeline.step(&mut world, floor, 1.0 / 60.0)?;
///     assert_eq!(report.contacts, contacts); // a gap beyond the margin is no contact
/// }
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
pub struct ContactCollector<'a, T: Real, const NB: usize, const NC: usize, R: ContactRows = ThreeRows> {
    pub(crate) world: &'a World<T, NB, R>,
    pub(crate) now: &'a mut KeptContacts<T, NC, R>,
    pub(crate) before: &'a KeptContacts<T, NC, R>,
    /// Rows of the step before; none if they do not hold any more.
    pub(crate) rows_before: Option<&'a Islands<NB, NC>>,
    /// The row of each point in the step before, for points that keep it.
    pub(crate) sources: &'a mut ArrayVec<u16, NC>,
    pub(crate) masses: &'a [BodyMass<T>; NB],
    /// Where the search in the step before begins.
    pub(crate) search_from: usize,
    /// Manifolds of the step before that were found again: a pair may have several.
    pub(crate) claimed: [bool; NC],
    pub(crate) margin: T,
    /// Size of a cell, m.
    pub(crate) cell: T,
    pub(crate) dt: T,
    /// What gravity adds to a way within the step, m.
    pub(crate) fall: T,
    /// Velocity change of each body by forces in a substep, and half the number of substeps.
    pub(crate) forces: &'a [Velocity<T>; NB],
    pub(crate) half_substeps: T,
    /// Whether all manifolds so far have the place and the number of points that they had.
    pub(crate) aligned: bool,
    /// What impulses of the step before are multiplied with: substeps may have another length now.
    pub(crate) rescaling: T,
    /// Points that begin with an impulse of the step before.
    pub(crate) warm_started: usize,
    /// The first error: it rejects the step even if the caller ignored it.
    pub(crate) rejected: Option<InputError<T>>,
}

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> ContactCollector<'_, T, NB, NC, R> {
    /// Adds a manifold's contacts; points that cannot close within the step are left out. After an error no contact is
    /// added, and the step is rejected.
    pub fn push(&mut self, manifold: &Manifold<T>) -> Result<(), InputError<T>> {
        self.push_noted(manifold, None)
    }

    pub(crate) fn push_noted(&mut self, manifold: &Manifold<T>, own: Option<&Surface<T>>) -> Result<(), InputError<T>> {
        let pushed = self.push_validated(manifold, own);
        if let Err(error) = pushed {
            self.rejected = self.rejected.or(Some(error));
        }
        pushed
    }

    /// How many contacts there are so far.
    pub fn len(&self) -> usize {
        self.now.len()
    }

    /// Whether there are none so far.
    pub fn is_empty(&self) -> bool {
        self.now.is_empty()
    }

    fn push_validated(&mut self, manifold: &Manifold<T>, own: Option<&Surface<T>>) -> Result<(), InputError<T>> {
        let (index, world) = (self.len(), self.world);
        let a = state_of(world, manifold.a, (index, "a"))?;
        let b = state_of(world, manifold.b, (index, "b"))?;
        if !(world.bodies().is_movable(manifold.a) || world.bodies().is_movable(manifold.b)) {
            return Err(InputError::contact(index, "", ErrorKind::NothingMoves));
        }
        if let Some(material) = manifold.material {
            let reject = |reason| InputError::contact(index, "material.restitution", reason);
            validate_range(material.restitution, T::ZERO, T::ONE, reject)?;
        }
        if R::JOINTS > 0 && world.keeps_apart(manifold.a, manifold.b) {
            return Ok(());
        }
        let of_bodies = || world.material(manifold.a).combined(&world.material(manifold.b));
        let (pair, material) = (Pair { a, b }, manifold.material.unwrap_or_else(of_bodies));
        let surface = self.surface_of(manifold, own)?;
        let mut near = Near { points: 0, deepest: -T::MAX };
        for (place, point) in manifold.points.iter().enumerate() {
            // What all points share is validated with the first.
            if place == 0 || !is_valid_point(point, &pair) {
                validate_contact(index, &contact_at(manifold, point, &pair, &material))?;
            }
            if self.is_near(manifold, point, &pair) {
                near = Near { points: near.points + 1, deepest: larger(near.deepest, point.depth) };
            }
        }
        if near.points > 0 {
            self.add(manifold, &pair, near, material, &surface);
        }
        Ok(())
    }

    /// Adds a valid manifold with points that are near.
    fn add(
        &mut self,
        manifold: &Manifold<T>,
        pair: &Pair<'_, T>,
        near: Near<T>,
        material: Material<T>,
        surface: &PairSurface<T, R>,
    ) {
        let bodies = (manifold.a as u16, manifold.b as u16);
        let found = self.before.find(bodies, &manifold.normal, self.search_from, &self.claimed);
        if let Some(at) = found {
            self.search_from = at + 1;
            if let Some(slot) = self.claimed.get_mut(at) {
                *slot = true;
            }
        }
        let old = found.and_then(|at| self.before.list.get(at));
        let masses = [manifold.a, manifold.b].map(|body| self.masses.get(body).map_or(0, |mass| mass.digest));
        let has_masses = old.is_some_and(|old| old.has_masses(masses));
        let has_rotated = !old.is_some_and(|old| old.has_not_rotated(pair));
        let (here, before) = (self.now.list.len(), self.before);
        let surface_before = || found.map_or(PairSurface::PLAIN, |at| before.surfaces.own(at));
        let holds =
            |old: &KeptManifold<T>| has_masses && old.material == material && old.holds(pair, near.points, has_rotated);
        let followed = old
            .filter(|old| holds(old) && surface_before().is_like(surface))
            .map(|old| (old, self.followed(old, pair, has_rotated)));
        match followed.filter(|(old, depths)| old.is_as_deep(depths, near.deepest)) {
            Some((old, depths)) => self.keep_manifold((old, &surface_before()), &depths, near),
            None => {
                let new = (KeptManifold::new(manifold, pair, material, masses), surface);
                self.build(manifold, pair, old, new, near);
            }
        }
        let count = self.now.list.get(here).map(|new| new.count);
        let has_as_many_rows = surface_before().has_moments() == surface.has_moments();
        self.aligned &= has_masses && found == Some(here) && old.map(|old| old.count) == count && has_as_many_rows;
    }

    /// Depths of a manifold's points where its bodies are now.
    fn followed(&self, old: &KeptManifold<T>, pair: &Pair<'_, T>, has_rotated: bool) -> Depths<T> {
        let axes = has_rotated.then(|| Axes::of(pair));
        let way = old.way_apart(pair);
        let mut depths = Depths::new();
        for point in self.before.points_of(old) {
            let depth = axes.as_ref().map_or(point.depth_built - way, |axes| axes.depth(point, &old.normal));
            // A manifold has no more points than this.
            let _ = depths.try_push(depth);
        }
        depths
    }

    /// Takes over a manifold whose rows hold; gaps follow the bodies.
    fn keep_manifold(
        &mut self,
        (old, surface): (&KeptManifold<T>, &PairSurface<T, R>),
        depths: &Depths<T>,
        near: Near<T>,
    ) {
        if !self.push_manifold(*old, surface, near) {
            return;
        }
        for (at, (point, depth)) in self.before.points_of(old).iter().zip(depths).enumerate() {
            let contact = usize::from(old.first) + at;
            let row = self.rows_before.map_or(NO_ROW, |islands| islands.row_of(contact) as u16);
            self.warm_started += 1;
            let impulse = point.impulse.scaled(self.rescaling);
            let moment = self.before.surfaces.moment(contact).scaled(self.rescaling);
            self.push_point(KeptPoint { depth: *depth, impulse, ..*point }, &moment, row);
        }
        self.now.end_manifold();
    }

    /// Adds a manifold whose rows have to be built.
    fn build(
        &mut self,
        manifold: &Manifold<T>,
        pair: &Pair<'_, T>,
        old: Option<&KeptManifold<T>>,
        (new, surface): (KeptManifold<T>, &PairSurface<T, R>),
        near: Near<T>,
    ) {
        if !self.push_manifold(new, surface, near) {
            return;
        }
        let (mut longest, mut taken) = ((T::ZERO, T::ZERO), 0_u32);
        let mu = surface.largest_friction(new.material.mu);
        for point in &manifold.points {
            if !self.is_near(manifold, point, pair) {
                continue;
            }
            let (anchor_a, anchor_b) = anchors(&point.on_a, &point.on_b, point.depth, &new.normal, pair);
            longest = (larger(longest.0, anchor_a.dot(&anchor_a)), larger(longest.1, anchor_b.dot(&anchor_b)));
            let known = old.and_then(|old| self.known_point(old, point.id, &anchor_b, &mut taken));
            let (known, moment) = known.map_or((None, Element::PLAIN), |known| (Some(known.0), moment_of(&known.1)));
            let impulse = known.zip(old).map_or(Vector3::zeros(), |(known, old)| new.carried_over(&known, old, mu));
            self.warm_started += usize::from(known.is_some());
            let (id, depth, impulse) = (point.id, point.depth, impulse.scaled(self.rescaling));
            let (manifold, depth_built, hold) = (0, depth, Hold::Unknown);
            let sliding = known.map_or(0, |known| known.sliding);
            let point = KeptPoint { id, manifold, anchor_a, anchor_b, depth, depth_built, impulse, hold, sliding };
            self.push_point(point, &moment.scaled(self.rescaling), NO_ROW);
        }
        let moves = (self.world.bodies().is_movable(manifold.a), self.world.bodies().is_movable(manifold.b));
        if let Some(new) = self.now.list.last_mut() {
            new.extent = extent(longest, moves);
        }
        self.now.end_manifold();
    }

    /// Begins a manifold; returns false if it is left out.
    fn push_manifold(&mut self, manifold: KeptManifold<T>, surface: &PairSurface<T, R>, near: Near<T>) -> bool {
        let place = self.now.push_manifold(manifold, surface, near.deepest);
        match place {
            Place::Last => {}
            Place::InsteadOf(removed) => {
                self.now.left_out += 1;
                remove(self.sources, removed);
            }
            Place::LeftOut => self.now.left_out += near.points,
        }
        place != Place::LeftOut
    }

    /// Adds a point with its row in the step before.
    #[inline(always)]
    fn push_point(&mut self, point: KeptPoint<T>, moment: &Vector3<T>, row: u16) {
        if R::HAS_MOMENTS && !self.has_space_for_moments(point.depth) {
            return;
        }
        let place = self.now.push_point(point, moment);
        if let Place::InsteadOf(removed) = place {
            remove(self.sources, removed);
        }
        if place != Place::LeftOut {
            // As many as points.
            let _ = self.sources.try_push(row);
        }
    }

    /// The point of the step before with the same feature, or with the nearest anchor within reach. Bits of `taken`
    /// are points that have been found.
    fn known_point(
        &self,
        old: &KeptManifold<T>,
        id: PointId,
        anchor: &Vector3<T>,
        taken: &mut u32,
    ) -> Option<Known<T, R>> {
        let reach = T::lit(REACH) * self.cell;
        let (mut found, mut nearest) = (None, reach * reach);
        for (at, known) in self.before.points_of(old).iter().enumerate() {
            let bit = 1_u32 << (at % 32);
            if *taken & bit != 0 || known.id != id {
                continue;
            }
            let apart = known.anchor_b.minus(anchor);
            let distance = if id == PointId::Proximity { apart.dot(&apart) } else { T::ZERO };
            if distance <= nearest {
                (found, nearest) = (Some((known, bit, at)), distance);
            }
        }
        let (known, bit, at) = found?;
        *taken |= bit;
        Some((*known, self.before.surfaces.own_moment(usize::from(old.first) + at)))
    }

    /// Whether a point may close within the step.
    fn is_near(&self, manifold: &Manifold<T>, point: &ManifoldPoint<T>, pair: &Pair<'_, T>) -> bool {
        if point.depth >= -self.margin {
            return true;
        }
        let (r_a, r_b) = (point.on_a.minus(pair.a.position), point.on_b.minus(pair.b.position));
        let at_b = pair.b.linear.plus(&pair.b.angular.cross(&r_b));
        let u = at_b.minus(pair.a.linear).minus(&pair.a.angular.cross(&r_a)).dot(&manifold.normal);
        let [force_a, force_b] =
            [manifold.a, manifold.b].map(|body| self.forces.get(body).unwrap_or(&Velocity::ZERO).linear());
        let u = u + force_b.minus(&force_a).dot(&manifold.normal) * self.half_substeps;
        point.depth >= -(self.margin + positive_part(-u) * self.dt + self.fall)
    }
}

/// A point of the step before, and its moment.
type Known<T, R> = (KeptPoint<T>, <R as ContactRows>::Column<Vector3<T>, 1>);

/// Depths of a manifold's points.
type Depths<T> = ArrayVec<T, MAX_POINTS>;

/// The points of a manifold that may close within the step.
#[derive(Clone, Copy)]
struct Near<T> {
    points: usize,
    /// Depth of the deepest, m.
    deepest: T,
}

/// A moment that there may be, N m s.
fn moment_of<T: Real>(moment: &impl Column<Vector3<T>>) -> Vector3<T> {
    moment.at(0).copied().unwrap_or(Element::PLAIN)
}
