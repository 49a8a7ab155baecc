//! Contacts in columns, validated on entry.
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::problem::columns::{columns, replace};
use crate::problem::contact::{Contact, WarmStart};
use crate::problem::contact_rows::{Column, ContactRows, Element, MomentRows, ThreeRows};
use crate::problem::contact_rules::{
    ContactRow, normalised, validate_contact, validate_warm_start, warm_start_is_valid,
};
use crate::problem::error::{ErrorKind, InputError, flaw_of_vector};
use crate::problem::surface::Surface;

columns! {
    struct ContactColumns<NC> of ContactRow where T: Real {
        pair: (u16, u16),
        normal: Vector3<T>,
        r_a: Vector3<T>,
        r_b: Vector3<T>,
        mu: T,
        restitution: T,
        depth: T,
        pre_impact_normal_velocity: Option<T>,
        warm: WarmStart<T>,
    }
}

/// Geometry of a contact. Borrowed: copying a whole `Contact` compiles to a memcpy call.
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
/// contacts.push(Contact { r_b: down, mu: 0.5, ..Contact::default() })?;
/// assert_eq!(contacts.len(), 1);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Contacts<T: Real, const NC: usize, R: ContactRows = ThreeRows> {
    columns: ContactColumns<T, NC>,
    /// Friction beyond sliding.
    surfaces: R::Column<Surface<T>, NC>,
    /// How many contacts have moments.
    with_moments: R::Column<u16, 1>,
}

impl<T: Real, const NC: usize> Default for Contacts<T, NC> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Real, const NC: usize> Contacts<T, NC> {
    /// No contacts.
    pub const fn new() -> Self {
        Self::empty()
    }
}

impl<T: Real, const NC: usize, R: MomentRows> Contacts<T, NC, R> {
    /// Adds a contact with friction beyond sliding and returns its index. A rejected contact changes nothing.
    ///
    /// A contact that resists twisting or rolling takes two places.
    ///
    /// ```
    /// use nalgebra::Vector3;
    /// use stiction::{Contact, Contacts, SixRows, Surface};
    /// let mut contacts = Contacts::<f64, 4, SixRows>::empty();
    /// let down = Vector3::new(0.0, 0.0, -0.3);
    /// let contact = Contact { r_b: down, mu: 0.8, ..Contact::default() };
    /// contacts.push_on(contact, Surface { rolling: 0.003, ..Surface::default() })?;
    /// assert_eq!((contacts.len(), contacts.places()), (1, 2));
    /// # Ok::<(), stiction::InputError<f64>>(())
    /// ```
    pub fn push_on(&mut self, contact: Contact<T>, surface: Surface<T>) -> Result<usize, InputError<T>> {
        self.push_with_surface(contact, surface)
    }

    /// Replaces the moment that a contact starts from, a world vector in N m s.
    pub fn set_warm_moment(&mut self, index: usize, moment: Vector3<T>) -> Result<(), InputError<T>> {
        let contacts = self.len();
        let Some(slot) = self.surfaces.at_mut(index).filter(|_| index < contacts) else {
            return Err(InputError::contact(index, "", ErrorKind::NoSuchContact { contacts }));
        };
        let surface = Surface { warm_moment: moment, ..*slot };
        surface.validate(index, &Vector3::zeros())?;
        *slot = surface;
        Ok(())
    }
}

impl<T: Real, const NC: usize, R: ContactRows> Contacts<T, NC, R> {
    const FITS_IN_INDEX: () = assert!(NC <= u16::MAX as usize, "contact indices are 16 bits wide");

    /// No contacts, of either kind of rows.
    pub const fn empty() -> Self {
        let () = Self::FITS_IN_INDEX;
        Contacts { columns: ContactColumns::new(), surfaces: R::Column::PLAIN, with_moments: R::Column::PLAIN }
    }

    /// How many places are taken: contacts with moments take two.
    pub fn places(&self) -> usize {
        self.len() + self.with_moments.at(0).map_or(0, |count| usize::from(*count))
    }

    /// A contact's friction beyond sliding; none if it has none.
    #[inline(always)]
    pub fn surface(&self, index: usize) -> Option<&Surface<T>> {
        self.surfaces.at(index).filter(|_| index < self.len())
    }

    /// A contact's friction beyond sliding, only if it differs from that of a plain contact.
    #[inline(always)]
    pub(crate) fn surface_beyond_sliding(&self, index: usize) -> Option<&Surface<T>> {
        self.surface(index).filter(|surface| **surface != Surface::PLAIN)
    }

    /// Adds a contact with friction beyond sliding. Only for contacts that can have some.
    pub(crate) fn push_with_surface(
        &mut self,
        contact: Contact<T>,
        surface: Surface<T>,
    ) -> Result<usize, InputError<T>> {
        let index = self.len();
        validate_contact(index, &contact)?;
        surface.validate(index, &normalised(&contact.normal))?;
        let places = self.places() + if surface.has_moments() { 2 } else { 1 };
        if places > NC {
            return Err(InputError::contact(index, "", ErrorKind::Full { capacity: NC }));
        }
        self.push_row(&ContactRow::of_valid(&contact))?;
        if let Some(slot) = self.surfaces.at_mut(index) {
            *slot = surface;
        }
        if let Some(count) = self.with_moments.at_mut(0)
            && surface.has_moments()
        {
            *count += 1;
        }
        Ok(index)
    }

    /// Whether a contact has moments.
    #[inline(always)]
    pub(crate) fn has_moments(&self, index: usize) -> bool {
        self.surface(index).is_some_and(Surface::has_moments)
    }

    /// Adds a contact and returns its index. A rejected contact changes nothing.
    ///
    /// A normal within 1e-3 of unit length is normalised. The solve checks whether the bodies exist and can move.
    #[inline]
    pub fn push(&mut self, contact: Contact<T>) -> Result<usize, InputError<T>> {
        validate_contact(self.len(), &contact)?;
        self.push_row(&ContactRow::of_valid(&contact))
    }

    /// Adds a contact that was validated.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    pub(crate) fn push_row(&mut self, row: &ContactRow<T>) -> Result<usize, InputError<T>> {
        let index = self.len();
        let full = InputError::contact(index, "", ErrorKind::Full { capacity: NC });
        if let Some(surface) = self.surfaces.at_mut(index) {
            *surface = Surface::PLAIN;
        }
        let has_place = !R::HAS_MOMENTS || self.places() < NC;
        if has_place && self.columns.push(row) { Ok(index) } else { Err(full) }
    }

    /// The contact at an index.
    #[cfg_attr(not(target_os = "none"), inline(always))]
    pub fn get(&self, index: usize) -> Option<Contact<T>> {
        let ContactRow { pair, normal, r_a, r_b, mu, restitution, depth, pre_impact_normal_velocity, warm } =
            self.columns.get(index)?;
        let (a, b) = (usize::from(pair.0), usize::from(pair.1));
        Some(Contact { a, b, normal, r_a, r_b, mu, restitution, depth, pre_impact_normal_velocity, warm })
    }

    /// Replaces a contact. A rejected contact changes nothing.
    pub fn set(&mut self, index: usize, contact: Contact<T>) -> Result<(), InputError<T>> {
        validate_contact(index, &contact)?;
        self.set_row(index, &ContactRow::of_valid(&contact))
    }

    /// Replaces a contact by one that was validated.
    pub(crate) fn set_row(&mut self, index: usize, row: &ContactRow<T>) -> Result<(), InputError<T>> {
        let missing = InputError::contact(index, "", ErrorKind::NoSuchContact { contacts: self.len() });
        if self.columns.set(index, row) { Ok(()) } else { Err(missing) }
    }

    /// Geometry of a contact.
    #[inline(always)]
    pub(crate) fn site(&self, index: usize) -> Option<Site<'_, T>> {
        Some(Site {
            pair: *self.columns.pair.get(index)?,
            normal: self.columns.normal.get(index)?,
            r_a: self.columns.r_a.get(index)?,
            r_b: self.columns.r_b.get(index)?,
        })
    }

    /// The two bodies of a contact.
    pub(crate) fn pair(&self, index: usize) -> Option<(usize, usize)> {
        self.columns.pair.get(index).map(|(a, b)| (usize::from(*a), usize::from(*b)))
    }

    /// Friction coefficient of a contact; 0 if there is no such contact.
    #[inline(always)]
    pub(crate) fn friction(&self, index: usize) -> T {
        self.columns.mu.get(index).copied().unwrap_or(T::ZERO)
    }

    /// Depth of a contact; 0 if there is no such contact.
    pub(crate) fn depth(&self, index: usize) -> T {
        self.columns.depth.get(index).copied().unwrap_or(T::ZERO)
    }

    /// Warm start of a contact; zero if there is no such contact.
    pub(crate) fn warm(&self, index: usize) -> WarmStart<T> {
        self.columns.warm.get(index).copied().unwrap_or(WarmStart::cold())
    }

    /// Restitution of a contact, and its recorded velocity before impact.
    pub(crate) fn impact(&self, index: usize) -> (T, Option<T>) {
        let restitution = self.columns.restitution.get(index).copied().unwrap_or(T::ZERO);
        (restitution, self.columns.pre_impact_normal_velocity.get(index).copied().flatten())
    }

    /// Replaces the impulse that a contact starts from by the result of a solve.
    pub(crate) fn store_warm(&mut self, index: usize, warm: WarmStart<T>) {
        if warm_start_is_valid(&warm) {
            replace(&mut self.columns.warm, index, warm);
        }
    }

    /// Replaces the moment that a contact starts from by the result of a solve. A contact without moments ignores it.
    pub(crate) fn store_warm_moment(&mut self, index: usize, moment: Vector3<T>) {
        if self.has_moments(index)
            && flaw_of_vector(&moment, T::IMPULSE_LIMIT).is_none()
            && let Some(surface) = self.surfaces.at_mut(index)
        {
            surface.warm_moment = moment;
        }
    }

    /// Replaces the impulse that a contact starts from.
    pub fn set_warm(&mut self, index: usize, warm: WarmStart<T>) -> Result<(), InputError<T>> {
        validate_warm_start(index, &warm)?;
        let contacts = self.len();
        let Some(slot) = self.columns.warm.get_mut(index) else {
            return Err(InputError::contact(index, "", ErrorKind::NoSuchContact { contacts }));
        };
        *slot = warm;
        Ok(())
    }

    /// How many contacts there are.
    pub fn len(&self) -> usize {
        self.columns.pair.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.columns.pair.is_empty()
    }

    /// Removes all contacts.
    pub fn clear(&mut self) {
        for index in 0..self.len() {
            if let Some(surface) = self.surfaces.at_mut(index) {
                *surface = Surface::PLAIN;
            }
        }
        self.columns.clear();
        if let Some(count) = self.with_moments.at_mut(0) {
            *count = 0;
        }
    }
}
