//! Contacts: the caller's input, in columns, checked on the way in.

use arrayvec::ArrayVec;
use nalgebra::Vector3;

use crate::real::Real;
use crate::refusal::{Reason, Refusal, check_range, check_vector, is_within};
use crate::small::is_nothing;

/// One contact point between two bodies. Vectors are in world axes.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// # let mut bodies = Bodies::<f64, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear: Vector3::new(0.0, 0.0, -2.0), ..Body::at_rest(1.0, Matrix3::zeros()) })?;
/// # let mut solver = Solver::<f64, 2, 1>::new();
/// // A ball of radius 0.1 m (body 1) hits the ground (body 0) at 2 m/s; the pair gives back half of that.
/// let to_the_point = Vector3::new(0.0, 0.0, -0.1);
/// let contact = Contact {
///     restitution: 0.5,
///     ..Contact::new(0, 1, Vector3::z(), Vector3::zeros(), to_the_point, 0.3)
/// };
/// let mut contacts = Contacts::<f64, 1>::new();
/// contacts.push(contact)?;
/// solver.solve(&mut bodies, &contacts, &Default::default())?;
/// assert!((bodies.linear()[1].z - 1.0).abs() < 1e-9);
/// # Ok::<(), stiction::Refusal<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact<T> {
    /// Index of body A.
    pub a: usize,
    /// Index of body B.
    pub b: usize,
    /// Unit normal from A to B.
    pub normal: Vector3<T>,
    /// From A's centre of mass to the contact point, m.
    pub r_a: Vector3<T>,
    /// From B's centre of mass to the contact point, m.
    pub r_b: Vector3<T>,
    /// Coulomb friction coefficient of the pair.
    pub mu: T,
    /// Restitution of the pair, 0 to 1.
    pub restitution: T,
    /// Penetration depth, m; 0 when just touching, negative for a gap, which may close within the step but no further.
    pub depth: T,
    /// Normal velocity (B minus A) recorded before impact, m/s; measured by the solve when absent.
    pub pre_impact_normal_velocity: Option<T>,
    /// Contact-phase impulse of the last solve, to start from.
    pub warm: WarmStart<T>,
}

/// An impulse to start from, stored so that the tangents may change from frame to frame.
///
/// ```
/// # use nalgebra::Vector3;
/// use stiction::{Contact, WarmStart};
/// let contact = Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5);
/// assert_eq!(contact.warm, WarmStart::cold());
/// // A box of 1 kg that rests on the ground needs 9.81 N for 1/60 s: known before anything is solved.
/// let weight = WarmStart { normal: 9.81 / 60.0, tangent: Vector3::zeros() };
/// let contact = Contact { warm: weight, ..contact };
/// assert!((contact.warm.normal - 0.1635_f64).abs() < 1e-12);
/// // The friction is a world vector: it is still right when the tangents of the next frame are others.
/// let dragged = WarmStart { tangent: Vector3::new(-0.05, 0.0, 0.0), ..weight };
/// assert!(dragged.tangent.norm() <= contact.mu * dragged.normal);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WarmStart<T> {
    /// Normal impulse, N s.
    pub normal: T,
    /// Friction impulse on B as a world vector, N s.
    pub tangent: Vector3<T>,
}

impl<T: Real> WarmStart<T> {
    /// Nothing to start from.
    pub fn cold() -> Self {
        WarmStart { normal: T::ZERO, tangent: Vector3::zeros() }
    }

    /// Whether there is nothing.
    pub(crate) fn is_cold(&self) -> bool {
        self.normal == T::ZERO && is_nothing(&self.tangent)
    }
}

impl<T: Real> Contact<T> {
    /// A contact with friction `mu` that does not bounce, just touching, with nothing to start from.
    ///
    /// `normal` runs from body `a` to body `b`; `r_a` and `r_b` from each centre of mass to the point, in m.
    pub fn new(a: usize, b: usize, normal: Vector3<T>, r_a: Vector3<T>, r_b: Vector3<T>, mu: T) -> Self {
        Contact {
            a,
            b,
            normal,
            r_a,
            r_b,
            mu,
            restitution: T::ZERO,
            depth: T::ZERO,
            pre_impact_normal_velocity: None,
            warm: WarmStart::cold(),
        }
    }
}

/// Where a contact is: what its rows are made of, and what it is recognised by. Borrowed, since a whole contact is a call to
/// copy.
pub(crate) struct Site<'a, T> {
    pub pair: (u16, u16),
    pub normal: &'a Vector3<T>,
    pub r_a: &'a Vector3<T>,
    pub r_b: &'a Vector3<T>,
}

/// Up to `NC` contacts, in columns.
///
/// ```
/// use nalgebra::Vector3;
/// use stiction::{Contact, Contacts};
/// let mut contacts = Contacts::<f64, 4>::new();
/// let down = Vector3::new(0.0, 0.0, -0.5);
/// contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), down, 0.5))?;
/// assert_eq!(contacts.len(), 1);
/// # Ok::<(), stiction::Refusal<f64>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Contacts<T, const NC: usize> {
    pair: ArrayVec<(u16, u16), NC>,
    normal: ArrayVec<Vector3<T>, NC>,
    r_a: ArrayVec<Vector3<T>, NC>,
    r_b: ArrayVec<Vector3<T>, NC>,
    mu: ArrayVec<T, NC>,
    restitution: ArrayVec<T, NC>,
    depth: ArrayVec<T, NC>,
    pre_impact_normal_velocity: ArrayVec<Option<T>, NC>,
    warm: ArrayVec<WarmStart<T>, NC>,
}

impl<T: Real, const NC: usize> Default for Contacts<T, NC> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Real, const NC: usize> Contacts<T, NC> {
    const FITS_IN_INDEX: () = assert!(NC <= u16::MAX as usize, "contact indices are 16 bits wide");

    /// No contacts.
    pub const fn new() -> Self {
        let () = Self::FITS_IN_INDEX;
        Contacts {
            pair: ArrayVec::new_const(),
            normal: ArrayVec::new_const(),
            r_a: ArrayVec::new_const(),
            r_b: ArrayVec::new_const(),
            mu: ArrayVec::new_const(),
            restitution: ArrayVec::new_const(),
            depth: ArrayVec::new_const(),
            pre_impact_normal_velocity: ArrayVec::new_const(),
            warm: ArrayVec::new_const(),
        }
    }

    /// Adds a contact and gives its index. A refused contact leaves everything as it was.
    ///
    /// Whether the bodies exist and can move is known only where the bodies are: the solve checks that.
    pub fn push(&mut self, contact: Contact<T>) -> Result<usize, Refusal<T>> {
        let pair = check_contact(self.len(), &contact)?;
        self.push_checked(pair, &contact)
    }

    /// Adds a contact that was checked, with the pair that the check gave.
    pub(crate) fn push_checked(&mut self, pair: (u16, u16), contact: &Contact<T>) -> Result<usize, Refusal<T>> {
        let index = self.len();
        let full = |_| Refusal::contact(index, "", Reason::Full { capacity: NC });
        self.pair.try_push(pair).map_err(full)?;
        // The columns grow together, so where one has room all have.
        let _ = self.normal.try_push(contact.normal);
        let _ = self.r_a.try_push(contact.r_a);
        let _ = self.r_b.try_push(contact.r_b);
        let _ = self.mu.try_push(contact.mu);
        let _ = self.restitution.try_push(contact.restitution);
        let _ = self.depth.try_push(contact.depth);
        let _ = self.pre_impact_normal_velocity.try_push(contact.pre_impact_normal_velocity);
        let _ = self.warm.try_push(contact.warm);
        Ok(index)
    }

    /// The contact at an index.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    pub fn get(&self, index: usize) -> Option<Contact<T>> {
        let (a, b) = *self.pair.get(index)?;
        Some(Contact {
            a: usize::from(a),
            b: usize::from(b),
            normal: *self.normal.get(index)?,
            r_a: *self.r_a.get(index)?,
            r_b: *self.r_b.get(index)?,
            mu: *self.mu.get(index)?,
            restitution: *self.restitution.get(index)?,
            depth: *self.depth.get(index)?,
            pre_impact_normal_velocity: *self.pre_impact_normal_velocity.get(index)?,
            warm: *self.warm.get(index)?,
        })
    }

    /// Replaces a contact. A refusal leaves everything as it was.
    pub fn set(&mut self, index: usize, contact: Contact<T>) -> Result<(), Refusal<T>> {
        let pair = check_contact(index, &contact)?;
        self.set_checked(index, pair, &contact)
    }

    /// Replaces a contact by one that was checked, with the pair that the check gave.
    #[cfg_attr(target_os = "none", inline(never))]
    pub(crate) fn set_checked(
        &mut self,
        index: usize,
        pair: (u16, u16),
        contact: &Contact<T>,
    ) -> Result<(), Refusal<T>> {
        let contacts = self.len();
        let Some(slot) = self.pair.get_mut(index) else {
            return Err(Refusal::contact(index, "", Reason::NoSuchContact { contacts }));
        };
        *slot = pair;
        replace(&mut self.normal, index, contact.normal);
        replace(&mut self.r_a, index, contact.r_a);
        replace(&mut self.r_b, index, contact.r_b);
        replace(&mut self.mu, index, contact.mu);
        replace(&mut self.restitution, index, contact.restitution);
        replace(&mut self.depth, index, contact.depth);
        replace(&mut self.pre_impact_normal_velocity, index, contact.pre_impact_normal_velocity);
        replace(&mut self.warm, index, contact.warm);
        Ok(())
    }

    /// The contact that penetrates least, the last where several do, and its depth.
    pub(crate) fn shallowest(&self) -> Option<(usize, T)> {
        let mut least: Option<(usize, T)> = None;
        for (index, depth) in self.depth.iter().enumerate() {
            if least.is_none_or(|(_, least)| *depth <= least) {
                least = Some((index, *depth));
            }
        }
        least
    }

    /// Where a contact is.
    #[inline(always)]
    pub(crate) fn site(&self, index: usize) -> Option<Site<'_, T>> {
        Some(Site {
            pair: *self.pair.get(index)?,
            normal: self.normal.get(index)?,
            r_a: self.r_a.get(index)?,
            r_b: self.r_b.get(index)?,
        })
    }

    /// The two bodies of a contact.
    pub(crate) fn pair(&self, index: usize) -> Option<(usize, usize)> {
        self.pair.get(index).map(|(a, b)| (usize::from(*a), usize::from(*b)))
    }

    /// Friction coefficient of a contact; 0 if there is none.
    #[inline(always)]
    pub(crate) fn friction(&self, index: usize) -> T {
        self.mu.get(index).copied().unwrap_or(T::ZERO)
    }

    /// Depth of a contact; 0 if there is none.
    pub(crate) fn depth(&self, index: usize) -> T {
        self.depth.get(index).copied().unwrap_or(T::ZERO)
    }

    /// What a contact starts from; nothing if there is none.
    pub(crate) fn warm(&self, index: usize) -> WarmStart<T> {
        self.warm.get(index).copied().unwrap_or(WarmStart::cold())
    }

    /// Restitution of a contact, and the velocity it was recorded to hit with.
    pub(crate) fn impact(&self, index: usize) -> (T, Option<T>) {
        let restitution = self.restitution.get(index).copied().unwrap_or(T::ZERO);
        (restitution, self.pre_impact_normal_velocity.get(index).copied().flatten())
    }

    /// Replaces a restitution by one that is known to be within 0 and 1.
    pub(crate) fn store_restitution(&mut self, index: usize, restitution: T) {
        replace(&mut self.restitution, index, restitution);
    }

    /// Replaces the impulse that a contact starts from by one that a solve gave.
    pub(crate) fn store_warm(&mut self, index: usize, warm: WarmStart<T>) {
        if is_sound_warm(&warm) {
            replace(&mut self.warm, index, warm);
        }
    }

    /// Replaces the impulse that a contact starts from.
    pub fn set_warm(&mut self, index: usize, warm: WarmStart<T>) -> Result<(), Refusal<T>> {
        check_warm(index, &warm)?;
        let contacts = self.len();
        let Some(slot) = self.warm.get_mut(index) else {
            return Err(Refusal::contact(index, "", Reason::NoSuchContact { contacts }));
        };
        *slot = warm;
        Ok(())
    }

    /// How many contacts there are.
    pub fn len(&self) -> usize {
        self.pair.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pair.is_empty()
    }

    /// Removes all contacts.
    pub fn clear(&mut self) {
        self.pair.clear();
        self.normal.clear();
        self.r_a.clear();
        self.r_b.clear();
        self.mu.clear();
        self.restitution.clear();
        self.depth.clear();
        self.pre_impact_normal_velocity.clear();
        self.warm.clear();
    }
}

/// Replaces an entry of a column, if it is there.
pub(crate) fn replace<V, const N: usize>(column: &mut ArrayVec<V, N>, index: usize, value: V) {
    if let Some(slot) = column.get_mut(index) {
        *slot = value;
    }
}

/// Refuses a contact that no solve could take; gives its bodies.
#[cfg_attr(target_os = "none", inline(never))]
pub(crate) fn check_contact<T: Real>(index: usize, contact: &Contact<T>) -> Result<(u16, u16), Refusal<T>> {
    // Nearly always nothing is wrong, which is told sooner than what is.
    if is_sound(contact) { Ok((contact.a as u16, contact.b as u16)) } else { refuse_contact(index, contact) }
}

/// Whether nothing of a contact is to be refused, without a word on what. Comparisons with what is no number fail.
#[inline(always)]
fn is_sound<T: Real>(contact: &Contact<T>) -> bool {
    let most = usize::from(u16::MAX);
    let within = |value: T, least: T, most: T| (value >= least) & (value <= most);
    let speed = contact.pre_impact_normal_velocity.unwrap_or(T::ZERO);
    let length = contact.normal.dot(&contact.normal).root();
    (contact.a <= most)
        & (contact.b <= most)
        & (contact.a != contact.b)
        & is_within(&contact.normal, T::lit(2.0))
        & ((length - T::ONE).abs() <= T::lit(1e-6))
        & is_within(&contact.r_a, T::LENGTH_LIMIT)
        & is_within(&contact.r_b, T::LENGTH_LIMIT)
        & within(contact.mu, T::ZERO, T::FRICTION_LIMIT)
        & within(contact.restitution, T::ZERO, T::ONE)
        & (contact.depth.abs() <= T::LENGTH_LIMIT)
        & (speed.abs() <= T::LINEAR_SPEED_LIMIT)
        & is_sound_warm(&contact.warm)
}

#[inline(always)]
fn is_sound_warm<T: Real>(warm: &WarmStart<T>) -> bool {
    (warm.normal.abs() <= T::IMPULSE_LIMIT) & is_within(&warm.tangent, T::IMPULSE_LIMIT)
}

/// Finds what is to be refused of a contact.
#[cold]
#[inline(never)]
fn refuse_contact<T: Real>(index: usize, contact: &Contact<T>) -> Result<(u16, u16), Refusal<T>> {
    let place = |field| move |reason| Refusal::contact(index, field, reason);
    let a = check_index(index, "a", contact.a)?;
    let b = check_index(index, "b", contact.b)?;
    if a == b {
        return Err(Refusal::contact(index, "b", Reason::SameBody));
    }
    check_vector(&contact.normal, T::lit(2.0), place("normal"))?;
    let length = contact.normal.dot(&contact.normal).root();
    if !((length - T::ONE).abs() <= T::lit(1e-6)) {
        return Err(Refusal::contact(index, "normal", Reason::NotUnit { length }));
    }
    check_vector(&contact.r_a, T::LENGTH_LIMIT, place("r_a"))?;
    check_vector(&contact.r_b, T::LENGTH_LIMIT, place("r_b"))?;
    check_range(contact.mu, T::ZERO, T::FRICTION_LIMIT, place("mu"))?;
    check_range(contact.restitution, T::ZERO, T::ONE, place("restitution"))?;
    check_range(contact.depth, -T::LENGTH_LIMIT, T::LENGTH_LIMIT, place("depth"))?;
    if let Some(velocity) = contact.pre_impact_normal_velocity {
        let limit = T::LINEAR_SPEED_LIMIT;
        check_range(velocity, -limit, limit, place("pre_impact_normal_velocity"))?;
    }
    check_warm(index, &contact.warm)?;
    Ok((a, b))
}

fn check_index<T: Real>(contact: usize, field: &'static str, index: usize) -> Result<u16, Refusal<T>> {
    let bodies = usize::from(u16::MAX);
    u16::try_from(index).map_err(|_| Refusal::contact(contact, field, Reason::NoSuchBody { index, bodies }))
}

fn check_warm<T: Real>(index: usize, warm: &WarmStart<T>) -> Result<(), Refusal<T>> {
    let limit = T::IMPULSE_LIMIT;
    check_range(warm.normal, -limit, limit, |reason| Refusal::contact(index, "warm.normal", reason))?;
    check_vector(&warm.tangent, limit, |reason| Refusal::contact(index, "warm.tangent", reason))
}
