//! One remembered contact point, how it is recognised, and which contacts have one.
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::math::vector::{VectorOps, is_zero};
use crate::problem::contact::{Contact, WarmStart};
use crate::problem::contact_rows::{Column, ContactRows};
use crate::problem::contacts::{Contacts, Site};
use crate::problem::point_id::PointId;
use crate::problem::report::{ContactOutcome, ContactState};

/// Frames that an unseen point is kept.
pub const MAX_AGE: u8 = 3;

/// Cosine of the 15° beyond which a rotated normal starts cold.
pub(crate) const COS_15_DEGREES: f64 = 0.965_925_826_289_068_3;
/// Ten bits a coordinate: positions repeat after 1024 cells, beyond the size of a body.
pub(crate) const CELL_BITS: u32 = 10;
/// Cells that a point may have moved along each axis.
pub(crate) const REACH: i32 = 2;
/// Scale of a component of a unit normal to 16 bits.
pub(crate) const NORMAL_UNIT: f64 = 32_767.0;

/// One remembered point.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Point<T: Real, R: ContactRows> {
    pub pair: (u16, u16),
    /// Feature id, or packed cells.
    pub key: u32,
    pub normal_impulse: T,
    pub tangent_impulse: Vector3<T>,
    /// On the second body, as a world vector; none where contacts have three rows.
    pub moment: R::Column<Vector3<T>, 1>,
    pub normal: [i16; 3],
    /// Frames since it was last seen (4 bits), whether it is by feature, whether it is claimed, frames of sliding (8
    /// bits).
    pub flags: u16,
}

pub(crate) const BY_FEATURE: u16 = 1 << 8;
pub(crate) const CLAIMED: u16 = 1 << 9;
pub(crate) const AGE_SHIFT: u16 = 12;

impl<T: Real, R: ContactRows> Point<T, R> {
    pub fn age(&self) -> u8 {
        (self.flags >> AGE_SHIFT) as u8
    }

    pub fn sliding(&self) -> u8 {
        (self.flags & 0xff) as u8
    }

    pub fn is_claimed(&self) -> bool {
        self.flags & CLAIMED != 0
    }

    /// The moment on the second body; zero where contacts have three rows.
    pub fn moment(&self) -> Vector3<T> {
        self.moment.at(0).copied().unwrap_or_else(Vector3::zeros)
    }

    pub fn set_moment(&mut self, moment: Vector3<T>) {
        if let Some(slot) = self.moment.at_mut(0) {
            *slot = moment;
        }
    }

    /// Whether this point is unclaimed and is a feature of a pair.
    pub fn is_feature(&self, pair: (u16, u16), feature: u32) -> bool {
        self.key == feature && self.pair == pair && self.flags & (BY_FEATURE | CLAIMED) == BY_FEATURE
    }

    /// Distance in cells if this point is unclaimed, found by proximity, and near enough.
    pub fn distance(&self, pair: (u16, u16), cells: u32) -> Option<i32> {
        if self.pair != pair || self.flags & (BY_FEATURE | CLAIMED) != 0 {
            return None;
        }
        cell_distance(self.key, cells)
    }

    pub fn normal_is_close(&self, normal: &Vector3<T>) -> bool {
        let [x, y, z] = self.normal.map(T::integer);
        normal.x * x + normal.y * y + normal.z * z >= T::lit(COS_15_DEGREES * NORMAL_UNIT)
    }
}

/// Packs a position into cells.
pub(crate) fn cells_of<T: Real>(position: &Vector3<T>, cells_per_metre: T) -> u32 {
    let mut packed = 0;
    for value in position.iter() {
        packed = (packed << CELL_BITS) | (T::floor_to_i32(*value * cells_per_metre) as u32 & ((1 << CELL_BITS) - 1));
    }
    packed
}

/// Largest difference of two positions along an axis, if within reach on all; positions wrap around.
pub(crate) fn cell_distance(a: u32, b: u32) -> Option<i32> {
    let size = 1i32 << CELL_BITS;
    let mut total = 0;
    for axis in 0..3 {
        let shift = axis * CELL_BITS;
        let coordinate = |packed: u32| ((packed >> shift) & ((1 << CELL_BITS) - 1)) as i32;
        let difference = (coordinate(a) - coordinate(b)).rem_euclid(size);
        let difference = if difference > size / 2 { size - difference } else { difference };
        if difference > REACH {
            return None;
        }
        total += difference;
    }
    Some(total)
}

/// A contact with its bodies in order, so that a detector may name them in either order.
pub(crate) struct PairKey<T> {
    pub pair: (u16, u16),
    pub normal: Vector3<T>,
    /// From the second body's centre.
    pub position: Vector3<T>,
    /// Sign of impulses on B as impulses on the second body.
    pub sign: T,
}

impl<T: Real> PairKey<T> {
    #[inline(always)]
    pub fn new(site: &Site<'_, T>) -> Self {
        let (a, b) = site.pair;
        if a <= b {
            PairKey { pair: (a, b), normal: *site.normal, position: *site.r_b, sign: T::ONE }
        } else {
            PairKey { pair: (b, a), normal: site.normal.negated(), position: *site.r_a, sign: -T::ONE }
        }
    }

    pub fn of(contact: &Contact<T>) -> Self {
        let Contact { normal, r_a, r_b, .. } = contact;
        // Validated indices fit in 16 bits.
        Self::new(&Site { pair: (contact.a as u16, contact.b as u16), normal, r_a, r_b })
    }
}

/// A point of the present frame, `slid` frames of sliding behind it; claimed, so that no other point takes its slot.
pub(crate) fn point_of<T: Real, R: ContactRows>(
    contact: &PairKey<T>,
    id: PointId,
    cells_per_metre: T,
    outcome: &ContactOutcome<T>,
    moment: Option<Vector3<T>>,
    slid: u8,
) -> Point<T, R> {
    let (key, by_feature) = match id {
        PointId::Feature(feature) => (feature, BY_FEATURE),
        PointId::Proximity => (cells_of(&contact.position, cells_per_metre), 0),
    };
    // Without friction, sliding and rest cannot be distinguished.
    let slides = outcome.state == ContactState::Slide && !is_zero(&outcome.tangent_impulse);
    let sliding = if slides { slid.saturating_add(1) } else { 0 };
    let component = |value: T| T::floor_to_i32(value * T::lit(NORMAL_UNIT) + T::HALF) as i16;
    let mut point = Point {
        pair: contact.pair,
        key,
        normal_impulse: outcome.normal_impulse,
        tangent_impulse: outcome.tangent_impulse.scaled(contact.sign),
        moment: R::Column::PLAIN,
        normal: [component(contact.normal.x), component(contact.normal.y), component(contact.normal.z)],
        flags: u16::from(sliding) | by_feature | CLAIMED,
    };
    if let Some(moment) = moment {
        point.set_moment(moment.scaled(contact.sign));
    }
    point
}

pub(crate) fn warm_of<T: Real, R: ContactRows>(point: &Point<T, R>, sign: T) -> WarmStart<T> {
    WarmStart { normal_impulse: point.normal_impulse, tangent_impulse: point.tangent_impulse.scaled(sign) }
}

/// Whether fewer than `capacity` contacts are deeper; equal depths go by index.
fn is_among_deepest<T: Real, const NC: usize, R: ContactRows>(
    contacts: &Contacts<T, NC, R>,
    index: usize,
    capacity: usize,
) -> bool {
    let depth = |i: usize| contacts.get(i).map_or(T::ZERO, |contact| contact.depth);
    let own = depth(index);
    let deeper = (0..contacts.len()).filter(|i| depth(*i) > own || (depth(*i) == own && *i < index)).count();
    deeper < capacity
}

/// Whether a cache of `NP` points keeps a contact: with more contacts than points, the deepest.
pub(crate) fn is_kept<T: Real, const NC: usize, const NP: usize, R: ContactRows>(
    contacts: &Contacts<T, NC, R>,
    index: usize,
) -> bool {
    contacts.len() <= NP || is_among_deepest(contacts, index, NP)
}
