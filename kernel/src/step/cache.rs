//! Cached data of contacts from frame to frame: the contact phase's impulses, and for how long each has been sliding.
//!
//! A point is found again by its body pair, in either order, and its feature id or, where the collision detector has
//! none, by proximity: its position from the centre of the pair's second body, in world axes and cells of 5 mm by
//! default, may have moved by up to two cells in each direction, and the nearest candidate wins. The cache keeps the
//! normal impulse and the *world* vector of friction, so that tangents may change from frame to frame, and the moment of
//! contacts that resist twisting or rolling. A point whose normal has rotated by more than 15° starts cold. The bounce
//! is never kept.
//!
//! Points that were not seen stay for [`MAX_AGE`] frames if there is capacity; the oldest are removed first. So a
//! contact that flickers keeps its impulse. If a frame has more contacts than the capacity, the deepest are kept, and
//! the number of the others is reported.
//!
//! In `f32` a point takes 32 bytes of plain data, and 44 with a moment. A copy of a cache saves it for rollback and
//! behaves identically to the bit. With capacity 0 all contacts start cold; this is the cacheless mode.
use heapless::Vec;
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::math::vector::VectorOps;
use crate::problem::contact::{Contact, WarmStart};
use crate::problem::contact_rows::{ContactRows, ThreeRows};
use crate::problem::contacts::Contacts;
use crate::problem::point_id::PointId;
use crate::solve::solver::Solver;
pub use crate::step::cached_point::MAX_AGE;
use crate::step::cached_point::{AGE_SHIFT, CLAIMED, PairKey, Point, cells_of, is_kept, point_of, warm_of};

/// Points of one manifold, whose order may change from frame to frame.
const SEARCH_BACK: usize = 4;

/// Sliding of a contact, as telemetry: the exact step does not need it.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// # let mut bodies = Bodies::<f64, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear_velocity: Vector3::new(5.0, 0.0, 0.0), ..Body::from_inverse(1.0, Matrix3::zeros()) })?;
/// # let mut contacts = Contacts::<f64, 1>::new();
/// # contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// # let mut solver = Solver::<f64, 2, 1>::new();
/// use stiction::{ContactCache, PointId, Sliding};
/// # let ids = [PointId::Feature(0)];
/// # let mut cache = ContactCache::<f64, 1>::new();
/// // A crate slides along x, pressed down in each of three frames: a robot can see that its grip is lost.
/// for _ in 0..3 {
/// #     let linear = bodies.linear_velocities()[1];
///     bodies.set_velocity(1, linear - Vector3::z() * 0.1, Vector3::zeros())?;
///     cache.warm_start(&mut contacts, &ids);
///     solver.solve(&mut bodies, &contacts, &Default::default(), 1.0 / 60.0)?;
///     cache.remember(&contacts, &ids, &solver);
/// }
/// let Sliding { direction, frames } = cache.sliding(&contacts.get(0).unwrap(), ids[0]).unwrap();
/// assert_eq!(frames, 3);
/// assert!((direction - Vector3::x()).norm() < 1e-9);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sliding<T> {
    /// Unit direction in which B slides over A, opposite to the friction on it; zero without friction.
    pub direction: Vector3<T>,
    /// For how many frames in a row, up to 255.
    pub frames: u8,
}

impl<T: Real> Sliding<T> {
    /// Against the friction impulse on B.
    pub(crate) fn of_friction(friction: &Vector3<T>, frames: u8) -> Self {
        let length = friction.dot(friction).sqrt_or_zero();
        let direction = if length > T::ZERO { friction.negated().divided(length) } else { Vector3::zeros() };
        Sliding { direction, frames }
    }
}

/// Up to `NP` remembered contact points.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use stiction::{ContactCache, PointId};
/// use stiction::{Bodies, Body, Contact, Contacts, Settings, Solver};
///
/// let mut bodies = Bodies::<f64, 2>::new();
/// bodies.push(Body::fixed())?;
/// let linear_velocity = Vector3::new(0.0, 0.0, -0.1);
/// bodies.push(Body { linear_velocity, ..Body::from_mass(1.0, Matrix3::identity()) })?;
/// let mut contacts = Contacts::<f64, 1>::new();
/// contacts.push(Contact { r_b: Vector3::new(0.0, 0.0, -0.5), mu: 0.5, ..Contact::default() })?;
/// let ids = [PointId::Feature(7)];
///
/// let mut cache = ContactCache::<f64, 1>::new();
/// let mut solver = Solver::<f64, 2, 1>::new();
/// cache.warm_start(&mut contacts, &ids);
/// solver.solve(&mut bodies, &contacts, &Settings::default(), 1.0 / 60.0)?;
/// cache.remember(&contacts, &ids, &solver);
/// assert!((cache.find(&contacts.get(0).unwrap(), ids[0]).unwrap().normal_impulse - 0.1).abs() < 1e-12);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ContactCache<T: Real, const NP: usize, R: ContactRows = ThreeRows> {
    cells_per_metre: T,
    pub(crate) points: Vec<Point<T, R>, NP>,
}

impl<T: Real, const NP: usize> Default for ContactCache<T, NP> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Real, const NP: usize> ContactCache<T, NP> {
    /// Bytes that one point takes.
    pub const POINT_BYTES: usize = size_of::<Point<T, ThreeRows>>();

    /// An empty cache.
    pub const fn new() -> Self {
        Self::empty()
    }
}

impl<T: Real, const NP: usize, R: ContactRows> ContactCache<T, NP, R> {
    /// An empty cache, for contacts of either kind of rows.
    ///
    /// ```
    /// use nalgebra::{Matrix3, Vector3};
    /// use stiction::{Bodies, Body, Contact, ContactCache, Contacts, PointId, Settings, SixRows, Solver, Surface};
    ///
    /// // A ball spins in place; its contact resists that.
    /// let mut bodies = Bodies::<f64, 2>::new();
    /// bodies.push(Body::fixed())?;
    /// let (linear_velocity, angular_velocity) = (Vector3::z() * -0.1, Vector3::z() * 9.0);
    /// bodies.push(Body { linear_velocity, angular_velocity, ..Body::from_mass(1.0, Matrix3::identity()) })?;
    /// let mut contacts = Contacts::<f64, 2, SixRows>::empty();
    /// let contact = Contact { r_b: Vector3::z() * -0.5, mu: 0.5, ..Contact::default() };
    /// contacts.push_on(contact, Surface { torsion: 0.02, ..Surface::default() })?;
    /// let ids = [PointId::Feature(7)];
    ///
    /// let mut cache = ContactCache::<f64, 1, SixRows>::empty();
    /// let mut solver = Solver::<f64, 2, 2, SixRows>::empty();
    /// solver.solve(&mut bodies, &contacts, &Settings::default(), 1.0 / 60.0)?;
    /// cache.remember(&contacts, &ids, &solver);
    /// // The next frame starts from the moment of this one.
    /// cache.warm_start(&mut contacts, &ids);
    /// assert!((contacts.surface(0).unwrap().warm_moment.z + 0.02 * 0.1).abs() < 1e-12);
    /// # Ok::<(), stiction::InputError<f64>>(())
    /// ```
    pub const fn empty() -> Self {
        ContactCache { cells_per_metre: T::CELLS_PER_METRE, points: Vec::new() }
    }

    /// Sets the size of a cell, in m; 5 mm if this is not called. Points by proximity that were remembered with another
    /// size are not recognised.
    pub fn set_cell(&mut self, cell: T) {
        self.cells_per_metre = T::ONE / cell;
    }

    /// How many points are remembered.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether the cache is empty.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.points.clear();
    }

    /// Warm start of a contact; `None` if it is unknown or its normal has rotated by more than 15°.
    pub fn find(&self, contact: &Contact<T>, id: PointId) -> Option<WarmStart<T>> {
        let ordered = PairKey::of(contact);
        self.close_point(&ordered, id).map(|point| warm_of(point, ordered.sign))
    }

    /// Moment on B that a contact would start from, a world vector in N m s; `None` where [`ContactCache::find`] gives
    /// none. Zero if contacts have three rows.
    pub fn find_moment(&self, contact: &Contact<T>, id: PointId) -> Option<Vector3<T>> {
        let ordered = PairKey::of(contact);
        self.close_point(&ordered, id).map(|point| point.moment().scaled(ordered.sign))
    }

    /// The point of a contact, if its normal has not rotated too far.
    fn close_point(&self, ordered: &PairKey<T>, id: PointId) -> Option<&Point<T, R>> {
        let point = self.points.get(self.position(ordered, id, 0)?)?;
        point.normal_is_close(&ordered.normal).then_some(point)
    }

    /// For how long a contact has been sliding, and in which direction.
    pub fn sliding(&self, contact: &Contact<T>, id: PointId) -> Option<Sliding<T>> {
        let ordered = PairKey::of(contact);
        let point = self.points.get(self.position(&ordered, id, 0)?)?;
        let tangent = point.tangent_impulse.scaled(ordered.sign);
        Some(Sliding::of_friction(&tangent, point.sliding()))
    }

    /// Sets the warm start of every contact from its cached point; each point serves one contact. `ids` has one entry
    /// per contact; contacts beyond its end are found by proximity. Returns the number of warm-started contacts.
    pub fn warm_start<const NC: usize>(&mut self, contacts: &mut Contacts<T, NC, R>, ids: &[PointId]) -> usize {
        let (mut found, mut search_from) = (0, 0);
        for index in 0..contacts.len() {
            let Some(site) = contacts.site(index) else { break };
            let ordered = PairKey::new(&site);
            let (mut warm, mut moment) = (WarmStart::cold(), Vector3::zeros());
            let position = self.position(&ordered, id_of(ids, index), search_from);
            if let Some(position) = position
                && let Some(point) = self.points.get_mut(position)
            {
                search_from = position + 1;
                point.flags |= CLAIMED;
                if point.normal_is_close(&ordered.normal) {
                    warm = warm_of(point, ordered.sign);
                    moment = point.moment().scaled(ordered.sign);
                    found += 1;
                }
            }
            contacts.store_warm(index, warm);
            if R::HAS_MOMENTS {
                contacts.store_warm_moment(index, moment);
            }
        }
        self.unclaim();
        found
    }

    /// Remembers the contact-phase impulses of the last solve. Returns the number of contacts that did not fit. Not
    /// inlined, so that its stack is free during the solve.
    #[inline(never)]
    pub fn remember<const NB: usize, const NC: usize>(
        &mut self,
        contacts: &Contacts<T, NC, R>,
        ids: &[PointId],
        solver: &Solver<T, NB, NC, R>,
    ) -> usize {
        for point in self.points.iter_mut() {
            point.flags = point.flags.saturating_add(1 << AGE_SHIFT);
        }
        // Known points keep their slots; then new ones take free slots, then those of the oldest.
        let goes_on = self.update_known(contacts, ids, solver);
        let left_out = self.insert_new(contacts, ids, solver, &goes_on);
        self.points.retain_mut(|point| {
            point.flags &= !CLAIMED;
            point.age() <= MAX_AGE
        });
        left_out
    }

    /// Updates the points of contacts that existed in the last frame; returns which ones they are.
    #[cfg_attr(target_os = "none", inline(always))]
    fn update_known<const NB: usize, const NC: usize>(
        &mut self,
        contacts: &Contacts<T, NC, R>,
        ids: &[PointId],
        solver: &Solver<T, NB, NC, R>,
    ) -> [bool; NC] {
        let mut goes_on = [false; NC];
        let mut search_from = 0;
        for (index, goes_on) in goes_on.iter_mut().enumerate().take(contacts.len()) {
            let (Some(site), Some(outcome)) = (contacts.site(index), solver.contact(index)) else { break };
            if !is_kept::<T, NC, NP, R>(contacts, index) {
                continue;
            }
            let (key, id) = (PairKey::new(&site), id_of(ids, index));
            if let Some(position) = self.position(&key, id, search_from)
                && let Some(slot) = self.points.get_mut(position)
            {
                search_from = position + 1;
                *goes_on = true;
                *slot = point_of(&key, id, self.cells_per_metre, &outcome, moment_of(solver, index), slot.sliding());
            }
        }
        goes_on
    }

    /// Inserts the points of new contacts; returns the number of contacts that do not fit.
    #[cfg_attr(target_os = "none", inline(always))]
    fn insert_new<const NB: usize, const NC: usize>(
        &mut self,
        contacts: &Contacts<T, NC, R>,
        ids: &[PointId],
        solver: &Solver<T, NB, NC, R>,
        goes_on: &[bool; NC],
    ) -> usize {
        let mut left_out = 0;
        for (index, goes_on) in goes_on.iter().enumerate().take(contacts.len()) {
            if *goes_on {
                continue;
            }
            let (Some(site), Some(outcome)) = (contacts.site(index), solver.contact(index)) else { break };
            if is_kept::<T, NC, NP, R>(contacts, index) {
                let (key, id) = (PairKey::new(&site), id_of(ids, index));
                self.insert(point_of(&key, id, self.cells_per_metre, &outcome, moment_of(solver, index), 0));
            } else {
                left_out += 1;
            }
        }
        left_out
    }

    fn insert(&mut self, point: Point<T, R>) {
        let Err(point) = self.points.push(point) else { return };
        let oldest = self.points.iter_mut().filter(|old| !old.is_claimed()).max_by_key(|old| old.age());
        if let Some(slot) = oldest {
            *slot = point;
        }
    }

    fn unclaim(&mut self) {
        for point in self.points.iter_mut() {
            point.flags &= !CLAIMED;
        }
    }

    /// The nearest unclaimed point of a contact. Points are usually in the order of their contacts, except within one
    /// manifold, so a feature is searched near `search_from` first.
    fn position(&self, contact: &PairKey<T>, id: PointId, search_from: usize) -> Option<usize> {
        let pair = contact.pair;
        if let PointId::Feature(feature) = id {
            let is_it = |point: &Point<T, R>| point.is_feature(pair, feature);
            let near = search_from.saturating_sub(SEARCH_BACK);
            let (before, from_there) = self.points.split_at_checked(near)?;
            let ahead = from_there.iter().position(is_it).map(|at| near + at);
            return ahead.or_else(|| before.iter().position(is_it));
        }
        let cells = cells_of(&contact.position, self.cells_per_metre);
        let candidates = self.points.iter().enumerate();
        let nearest = candidates
            .filter_map(|(at, point)| Some((point.distance(pair, cells)?, at)))
            .min_by_key(|(distance, at)| (*distance, *at));
        nearest.map(|(_, at)| at)
    }
}

fn id_of(ids: &[PointId], index: usize) -> PointId {
    ids.get(index).copied().unwrap_or(PointId::Proximity)
}

/// A contact's moment in the last solve; none where contacts have three rows.
fn moment_of<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    solver: &Solver<T, NB, NC, R>,
    index: usize,
) -> Option<Vector3<T>> {
    if R::HAS_MOMENTS { solver.moment(index) } else { None }
}
