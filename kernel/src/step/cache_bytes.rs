//! A contact cache as bytes, for rollback across processes and for saved games. Least significant byte first:
//!
//! | bytes | content |
//! |---|---|
//! | 4 | `STCC` |
//! | 4 | version, bytes of a scalar, 2 × 0 |
//! | 4 | number of points |
//! | 16 and 4 scalars a point | pair of bodies, key, normal and flags; normal impulse, friction impulse |
//! | 3 scalars after these, in version 2 | moment |
//! | 4 | FNV-1a (32 bit) of all before |
//!
//! Version 1 is that of contacts with three rows. Caches of contacts with moments write version 2 and read both: points
//! of version 1 have no moment.
//!
//! A restored cache equals the saved one to the bit. Bytes of another version or precision, damaged ones, and points
//! with impulses or moments that are NaN or infinite, bodies out of order or an age beyond [`MAX_AGE`] are rejected, and
//! the cache stays as it was.
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::problem::contact_rows::{Column, ContactRows};
use crate::record::bytes::{Cursor, Ended, FNV32_START, fnv32};
use crate::record::format::CHECKSUM;
use crate::step::cache::ContactCache;
use crate::step::cached_point::{MAX_AGE, Point};

/// Version of the format for contacts with three rows.
pub const VERSION: u8 = 1;
/// Version of the format for contacts with moments.
pub const VERSION_WITH_MOMENTS: u8 = 2;

const MAGIC: [u8; 4] = *b"STCC";
const HEAD: usize = 12;

/// Why bytes cannot be restored as a cache of this capacity.
///
/// ```
/// use stiction::ContactCache;
/// use stiction::CacheError;
/// let mut saved = [0; ContactCache::<f32, 8>::saved_bytes(0)];
/// ContactCache::<f32, 8>::new().save(&mut saved).unwrap();
/// // Saved in single precision: cannot be restored in double precision.
/// assert_eq!(ContactCache::<f64, 8>::new().restore(&saved), Err(CacheError::OtherScalar(4)));
/// // A bit that flipped during transfer.
/// saved[13] ^= 1;
/// assert_eq!(ContactCache::<f32, 8>::new().restore(&saved), Err(CacheError::Checksum));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum CacheError {
    /// They do not begin with `STCC`.
    NotACache,
    /// A version that is not read here: of another build, or of contacts with moments where contacts have three rows.
    UnknownVersion(u8),
    /// Saved with scalars of so many bytes.
    OtherScalar(u8),
    /// More points than fit here.
    TooMany {
        /// Points that were saved.
        points: u32,
        /// Points that fit.
        capacity: usize,
    },
    /// The bytes end early, or go on after the end.
    WrongLength,
    /// The bytes are not those that were written.
    Checksum,
    /// A point that no solve can produce.
    BadPoint(usize),
}

impl core::fmt::Display for CacheError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            CacheError::NotACache => f.write_str("no saved cache begins here"),
            CacheError::UnknownVersion(version) => write!(f, "version {version} cannot be restored here"),
            CacheError::OtherScalar(bytes) => write!(f, "saved with scalars of {bytes} bytes"),
            CacheError::TooMany { points, capacity } => write!(f, "{points} points, at most {capacity} fit"),
            CacheError::WrongLength => f.write_str("ends early, or goes on after the end"),
            CacheError::Checksum => f.write_str("the checksum does not fit: the bytes were changed"),
            CacheError::BadPoint(index) => write!(f, "point {index} is none that a solve leaves"),
        }
    }
}

impl core::error::Error for CacheError {}

impl From<Ended> for CacheError {
    fn from(Ended: Ended) -> Self {
        CacheError::WrongLength
    }
}

/// Bytes that are written one after the other, with their checksum.
struct Writer<'a> {
    left: &'a mut [u8],
    written: usize,
    checksum: u32,
}

impl Writer<'_> {
    /// None if they do not fit.
    fn put(&mut self, bytes: &[u8]) -> Option<()> {
        let (to, left) = core::mem::take(&mut self.left).split_at_mut_checked(bytes.len())?;
        to.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        self.left = left;
        self.written += bytes.len();
        self.checksum = fnv32(self.checksum, bytes);
        Some(())
    }

    fn put_point<T: Real, R: ContactRows>(&mut self, point: &Point<T, R>) -> Option<()> {
        self.put(&point.pair.0.to_le_bytes())?;
        self.put(&point.pair.1.to_le_bytes())?;
        self.put(&point.key.to_le_bytes())?;
        point.normal.iter().try_for_each(|component| self.put(&component.to_le_bytes()))?;
        self.put(&point.flags.to_le_bytes())?;
        let tangent = &point.tangent_impulse;
        self.put_scalars(&[point.normal_impulse, tangent.x, tangent.y, tangent.z])?;
        point.moment.at(0).map_or(Some(()), |moment| self.put_scalars(&[moment.x, moment.y, moment.z]))
    }

    fn put_scalars<T: Real>(&mut self, values: &[T]) -> Option<()> {
        values.iter().try_for_each(|value| self.put(value.to_le_padded().get(..T::BYTES)?))
    }
}

impl<T: Real, const NP: usize> ContactCache<T, NP> {
    /// Bytes that a saved cache of `points` points takes.
    pub const fn saved_bytes(points: usize) -> usize {
        Self::bytes_for(points)
    }
}

/// Saving and restoring.
impl<T: Real, const NP: usize, R: ContactRows> ContactCache<T, NP, R> {
    const VERSION: u8 = if R::HAS_MOMENTS { VERSION_WITH_MOMENTS } else { VERSION };

    /// Bytes that a saved cache of `points` points takes, for contacts of either kind of rows.
    ///
    /// ```
    /// use stiction::{ContactCache, SixRows};
    /// let three = ContactCache::<f32, 8>::saved_bytes(8);
    /// assert_eq!(ContactCache::<f32, 8, SixRows>::bytes_for(8), three + 8 * 3 * size_of::<f32>());
    /// ```
    pub const fn bytes_for(points: usize) -> usize {
        HEAD + points * point_bytes::<T, R>(Self::VERSION) + CHECKSUM
    }

    /// Writes the cache to the beginning of `out` and returns the number of bytes; `None`, with `out` unchanged, if it
    /// does not fit.
    ///
    /// ```
    /// use stiction::ContactCache;
    /// let (cache, mut copy) = (ContactCache::<f32, 8>::new(), ContactCache::<f32, 8>::new());
    /// let mut bytes = [0; ContactCache::<f32, 8>::saved_bytes(8)];
    /// let length = cache.save(&mut bytes).unwrap();
    /// copy.restore(&bytes[..length])?;
    /// assert_eq!(copy, cache);
    /// # Ok::<(), stiction::CacheError>(())
    /// ```
    pub fn save(&self, out: &mut [u8]) -> Option<usize> {
        let out = out.get_mut(..Self::bytes_for(self.len()))?;
        let mut writer = Writer { left: out, written: 0, checksum: FNV32_START };
        writer.put(&MAGIC)?;
        writer.put(&[Self::VERSION, T::BYTES as u8, 0, 0])?;
        writer.put(&(self.len() as u32).to_le_bytes())?;
        self.points.iter().try_for_each(|point| writer.put_point(point))?;
        let checksum = writer.checksum;
        writer.put(&checksum.to_le_bytes())?;
        Some(writer.written)
    }

    /// Restores a saved cache. Rejected bytes change nothing.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), CacheError> {
        let (version, count) = validate_format::<T, R>(bytes, NP)?;
        let points = || bytes.get(HEAD..).unwrap_or(&[]).chunks_exact(point_bytes::<T, R>(version)).take(count);
        for (index, bytes) in points().enumerate() {
            if !point_is_valid(&read_point::<T, R>(version, bytes)?) {
                return Err(CacheError::BadPoint(index));
            }
        }
        self.points.clear();
        for bytes in points() {
            // Already validated, and they fit.
            let _ = self.points.push(read_point(version, bytes)?);
        }
        Ok(())
    }
}

/// Whether points of this version have a moment.
const fn has_moments<R: ContactRows>(version: u8) -> bool {
    R::HAS_MOMENTS && version == VERSION_WITH_MOMENTS
}

const fn point_bytes<T: Real, R: ContactRows>(version: u8) -> usize {
    16 + if has_moments::<R>(version) { 7 } else { 4 } * T::BYTES
}

/// Validates everything except the points; returns the version and their number.
fn validate_format<T: Real, R: ContactRows>(bytes: &[u8], capacity: usize) -> Result<(u8, usize), CacheError> {
    let mut cursor = Cursor(bytes);
    if cursor.take()? != MAGIC {
        return Err(CacheError::NotACache);
    }
    let [version, scalar, zero, other_zero] = cursor.take()?;
    if version != VERSION && !has_moments::<R>(version) {
        return Err(CacheError::UnknownVersion(version));
    }
    if scalar as usize != T::BYTES {
        return Err(CacheError::OtherScalar(scalar));
    }
    let points = cursor.number()?;
    let count = points as usize;
    if count > capacity {
        return Err(CacheError::TooMany { points, capacity });
    }
    let body = bytes.len().wrapping_sub(CHECKSUM);
    let (Some(before), Some(checksum)) = (bytes.get(..body), bytes.get(body..)) else {
        return Err(CacheError::WrongLength);
    };
    if bytes.len() != HEAD + count * point_bytes::<T, R>(version) + CHECKSUM {
        return Err(CacheError::WrongLength);
    }
    let written = Cursor(checksum).number()?;
    let fits = written == fnv32(FNV32_START, before) && (zero, other_zero) == (0, 0);
    if fits { Ok((version, count)) } else { Err(CacheError::Checksum) }
}

fn read_point<T: Real, R: ContactRows>(version: u8, bytes: &[u8]) -> Result<Point<T, R>, Ended> {
    let mut cursor = Cursor(bytes);
    let pair = (cursor.short()?, cursor.short()?);
    let key = cursor.number()?;
    let mut normal = [0; 3];
    for component in &mut normal {
        *component = i16::from_le_bytes(cursor.take()?);
    }
    let flags = cursor.short()?;
    let [normal_impulse, x, y, z] = cursor.scalars()?;
    let (tangent_impulse, moment) = (Vector3::new(x, y, z), R::Column::PLAIN);
    let mut point = Point { pair, key, normal_impulse, tangent_impulse, moment, normal, flags };
    if has_moments::<R>(version) {
        let [x, y, z] = cursor.scalars()?;
        point.set_moment(Vector3::new(x, y, z));
    }
    Ok(point)
}

/// Whether a solve can have produced this point: finite impulses and moments, bodies in order, age within the limit.
fn point_is_valid<T: Real, R: ContactRows>(point: &Point<T, R>) -> bool {
    let tangent = &point.tangent_impulse;
    let impulses = [point.normal_impulse, tangent.x, tangent.y, tangent.z];
    let is_finite = |values: &[T]| values.iter().all(|value| value.is_finite());
    let numbers = is_finite(&impulses) && point.moment.at(0).is_none_or(|moment| is_finite(moment.as_slice()));
    numbers && point.pair.0 < point.pair.1 && !point.is_claimed() && point.age() <= MAX_AGE
}
