//! Kept contacts as bytes, for rollback across processes and for saved games. Least significant byte first:
//!
//! | bytes | content |
//! |---|---|
//! | 4 | `STKC` |
//! | 4 | version, bytes of a scalar, steps modulo 8, 0 |
//! | 2, 2 | number of manifolds, number of points |
//! | 4 | points that did not fit in the step |
//! | 1 scalar | length of the substeps that impulses are of, s |
//! | 24 + 17 scalars a manifold, then its points of 8 + 11 scalars | as in [`format`](crate::record::format) |
//! | 4 | checksum of all words before, as in a dump |
//!
//! Contacts of [`SixRows`](crate::SixRows) are written as the next version. There a manifold has its surface after its
//! own numbers, 4 + 9 scalars, as in a dump, for contact 0 and without a moment; a point has its moment, 3 scalars. The
//! version without them can be restored, too.
//!
//! Where there can be joints, they follow (see `kept_joint_bytes`).
//!
//! Restored contacts equal the saved ones to the bit. Bytes of another version or precision, damaged ones, and
//! contacts that no step leaves are rejected, and nothing changes.
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use crate::math::real::Real;
use crate::math::vector::is_zero;
use crate::problem::contact_rows::{Column, ContactRows, Element};
use crate::problem::error::is_within;
use crate::problem::kept::{FactorState, Hold, IslandState, KeptManifold, KeptPoint};
use crate::problem::material::Material;
use crate::problem::point_id::PointId;
use crate::problem::surface::Surface;
use crate::record::bytes::{Cursor, FNV32_START, checksum, checksum_of};
use crate::record::format::{CHECKSUM, manifold_scalars, manifold_words, point_scalars, point_words};
use crate::record::joints::kept_scalars;
use crate::record::surfaces::{read_surface, surface_scalars, surface_word};
use crate::step::cache_bytes::CacheError;
use crate::step::kept::KeptContacts;
use crate::step::kept_joint_bytes::{for_each_joint, joints_of, saved_joint_bytes};
use crate::step::kept_rules::{is_valid_manifold, is_valid_point};
use crate::step::kept_surfaces::PairSurface;

/// Version of the format that is written and read.
const VERSION: u8 = 3;
/// The same with surfaces and moments.
const VERSION_WITH_SURFACES: u8 = 4;
/// What a version with joints is larger by.
const WITH_JOINTS: u8 = 2;
const MAGIC: [u8; 4] = *b"STKC";
const HEAD: usize = 16;
/// No step is longer, s.
const LONGEST_SUBSTEP: f64 = 1e6;

/// Words that are written one after the other, with their checksum.
struct Writer<'a> {
    left: &'a mut [u8],
    checksum: u32,
}

impl Writer<'_> {
    /// None if it does not fit.
    fn put(&mut self, word: u32) -> Option<()> {
        let (to, left) = core::mem::take(&mut self.left).split_first_chunk_mut()?;
        *to = word.to_le_bytes();
        self.left = left;
        self.checksum = checksum(self.checksum, word);
        Some(())
    }

    fn put_scalars<T: Real>(&mut self, values: &[T]) -> Option<()> {
        values
            .iter()
            .try_for_each(|value| value.to_words().iter().take(T::BYTES / 4).try_for_each(|word| self.put(*word)))
    }
}

/// Where the surfaces of contacts are in their bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surfaces {
    /// There are none.
    None,
    /// After the numbers of each manifold.
    Within,
    /// After all contacts. Until they are known, friction is not compared with its bound.
    Later,
}

/// Saving and restoring.
impl<T: Real, const NC: usize, R: ContactRows> KeptContacts<T, NC, R> {
    /// Version of the bytes that [`KeptContacts::save`] writes. Those of three rows can be restored with six, too.
    pub const SAVED_VERSION: u8 = {
        let version = if R::HAS_MOMENTS { VERSION_WITH_SURFACES } else { VERSION };
        if R::JOINTS > 0 { version + WITH_JOINTS } else { version }
    };

    /// Bytes that these contacts take when saved.
    pub fn saved_bytes(&self) -> usize {
        saved_bytes::<T>(self.list.len(), self.points.len(), R::HAS_MOMENTS, joints_of::<R>())
    }

    /// Bytes that the contacts take at the most, whatever they are.
    pub const fn most_saved_bytes() -> usize {
        saved_bytes::<T>(NC, NC, R::HAS_MOMENTS, joints_of::<R>())
    }

    /// Writes the contacts to the beginning of `out` and returns the number of bytes; `None`, with `out` unchanged, if
    /// they do not fit.
    pub fn save(&self, out: &mut [u8]) -> Option<usize> {
        let length = self.saved_bytes();
        let mut writer = Writer { left: out.get_mut(..length)?, checksum: FNV32_START };
        writer.put(u32::from_le_bytes(MAGIC))?;
        writer.put(u32::from_le_bytes([Self::SAVED_VERSION, T::BYTES as u8, self.steps, 0]))?;
        writer.put(self.list.len() as u32 | ((self.points.len() as u32) << 16))?;
        writer.put(self.left_out as u32)?;
        writer.put_scalars(&[self.substep])?;
        for (index, manifold) in self.list.iter().enumerate() {
            manifold_words(manifold).iter().try_for_each(|word| writer.put(*word))?;
            writer.put_scalars(&manifold_scalars(manifold))?;
            if R::HAS_MOMENTS {
                let surface = self.surfaces.of(index);
                writer.put(surface_word(0, &surface))?;
                writer.put_scalars(&surface_scalars(&surface))?;
            }
            for (at, point) in self.points_of(manifold).iter().enumerate() {
                point_words(point).iter().try_for_each(|word| writer.put(*word))?;
                writer.put_scalars(&point_scalars(point))?;
                if R::HAS_MOMENTS {
                    let moment = self.surfaces.moment(usize::from(manifold.first) + at);
                    writer.put_scalars(moment.as_slice())?;
                }
            }
        }
        if R::JOINTS > 0 {
            writer.put(R::JOINTS as u32)?;
        }
        for joint in self.joints.part(0..R::JOINTS) {
            writer.put(u32::from(joint.is_at_limit))?;
            writer.put_scalars(&kept_scalars(joint))?;
        }
        let sum = writer.checksum;
        writer.put(sum)?;
        Some(length)
    }

    /// Restores saved contacts. Rejected bytes change nothing.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), CacheError> {
        let Checked { manifolds, left_out, steps, surfaces, joints, contents } = validate_format::<T, R>(bytes, NC)?;
        let mut cursor = Cursor(contents);
        let [substep] = cursor.scalars()?;
        if !(T::ZERO..=T::lit(LONGEST_SUBSTEP)).contains(&substep) {
            return Err(CacheError::BadPoint(0));
        }
        // Read twice: first to validate, then to take.
        let (mut rows, mut ahead) = (0, Cursor(cursor.0));
        for_each_contact::<T>(&mut ahead, (manifolds, surfaces), &mut |_, surface, point| {
            rows += point.map_or(0, |_| if surface.has_moments() { 2 } else { 1 });
        })?;
        if R::JOINTS > 0 {
            for_each_joint::<T>(&mut ahead, joints, &mut |_, _| {})?;
        }
        if R::HAS_MOMENTS && rows > NC {
            return Err(CacheError::TooMany { points: rows as u32, capacity: NC });
        }
        self.read(&mut cursor, (manifolds, surfaces))?;
        if R::JOINTS > 0 {
            for_each_joint(&mut cursor, joints, &mut |index, joint| {
                if let Some(slot) = self.joints.at_mut(index) {
                    *slot = joint;
                }
            })?;
        }
        self.forget_factors();
        (self.left_out, self.steps, self.substep) = (left_out, steps, substep);
        Ok(())
    }

    /// Whether a step can have left every point, with the surface that its manifold has.
    pub(crate) fn are_admissible(&self) -> bool {
        self.list.iter().enumerate().all(|(index, manifold)| {
            let friction = self.surfaces.of(index).largest_friction(manifold.material.mu);
            self.points_of(manifold).iter().all(|point| is_valid_point(point, friction))
        })
    }

    /// Replaces the contacts by those that are read; there is capacity for them.
    pub(crate) fn read(&mut self, cursor: &mut Cursor<'_>, manifolds: (u16, Surfaces)) -> Result<(), CacheError> {
        self.clear();
        for_each_contact(cursor, manifolds, &mut |manifold, surface, point| match point {
            Some((point, moment)) => {
                self.push_point(point, &moment);
            }
            None => {
                self.push_manifold(manifold, &PairSurface::new(surface), T::ZERO);
            }
        })
    }
}

const fn saved_bytes<T: Real>(manifolds: usize, points: usize, has_surfaces: bool, joints: Option<usize>) -> usize {
    let joints = saved_joint_bytes::<T>(joints);
    let surfaces = if has_surfaces { manifolds * (4 + 9 * T::BYTES) + points * 3 * T::BYTES } else { 0 };
    HEAD + T::BYTES + manifolds * (24 + 17 * T::BYTES) + points * (8 + 11 * T::BYTES) + surfaces + joints + CHECKSUM
}

/// Bytes of which everything but the contacts was validated.
struct Checked<'a> {
    manifolds: u16,
    left_out: usize,
    steps: u8,
    surfaces: Surfaces,
    joints: Option<usize>,
    contents: &'a [u8],
}

/// Validates everything except the contacts.
fn validate_format<T: Real, R: ContactRows>(bytes: &[u8], capacity: usize) -> Result<Checked<'_>, CacheError> {
    let mut cursor = Cursor(bytes);
    if cursor.take()? != MAGIC {
        return Err(CacheError::NotACache);
    }
    let [version, scalar, steps, zero] = cursor.take()?;
    let has_joints = R::JOINTS > 0 && version >= VERSION + WITH_JOINTS;
    let without_joints = if has_joints { version - WITH_JOINTS } else { version };
    let has_surfaces = R::HAS_MOMENTS && without_joints == VERSION_WITH_SURFACES;
    if without_joints != VERSION && !has_surfaces {
        return Err(CacheError::UnknownVersion(version));
    }
    let joints = joints_of::<R>().filter(|_| has_joints);
    if usize::from(scalar) != T::BYTES {
        return Err(CacheError::OtherScalar(scalar));
    }
    let (manifolds, points, left_out) = (cursor.short()?, cursor.short()?, cursor.number()?);
    if usize::from(points) > capacity || usize::from(manifolds) > capacity {
        return Err(CacheError::TooMany { points: u32::from(points), capacity });
    }
    if bytes.len() != saved_bytes::<T>(usize::from(manifolds), usize::from(points), has_surfaces, joints) {
        return Err(CacheError::WrongLength);
    }
    let end = bytes.len() - CHECKSUM;
    let (before, sum) = bytes.split_at_checked(end).ok_or(CacheError::WrongLength)?;
    if Cursor(sum).number()? != checksum_of(before) || steps >= 8 || zero != 0 {
        return Err(CacheError::Checksum);
    }
    let contents = before.get(HEAD..).unwrap_or(&[]);
    let surfaces = if has_surfaces { Surfaces::Within } else { Surfaces::None };
    Ok(Checked { manifolds, left_out: left_out as usize, steps, surfaces, joints, contents })
}

/// Receives a manifold with its surface, and then with each of its points and their moments.
type Take<'a, T> = dyn FnMut(KeptManifold<T>, &Surface<T>, Option<(KeptPoint<T>, Vector3<T>)>) + 'a;

/// Reads and validates manifolds, and hands each on.
fn for_each_contact<T: Real>(
    cursor: &mut Cursor<'_>,
    (manifolds, surfaces): (u16, Surfaces),
    take: &mut Take<'_, T>,
) -> Result<(), CacheError> {
    let mut number = 0;
    for _ in 0..manifolds {
        let manifold = read_manifold(cursor, number)?;
        let surface = if surfaces == Surfaces::Within { read_own_surface(cursor, number)? } else { Surface::PLAIN };
        if !is_valid_manifold(&manifold) || surface.flaw().is_some() {
            return Err(CacheError::BadPoint(number));
        }
        let friction = surface.largest_friction(manifold.material.mu);
        let most_friction = if surfaces == Surfaces::Later { T::FRICTION_LIMIT } else { friction };
        take(manifold, &surface, None);
        for _ in 0..manifold.count {
            let point = read_point(cursor)?;
            let moment = if surfaces == Surfaces::Within { vector(cursor.scalars()?) } else { Vector3::zeros() };
            if !is_valid_point(&point, most_friction) || !is_within(&moment, T::IMPULSE_LIMIT) {
                return Err(CacheError::BadPoint(number));
            }
            take(manifold, &surface, Some((point, moment)));
            number += 1;
        }
    }
    Ok(())
}

fn read_manifold<T: Real>(cursor: &mut Cursor<'_>, number: usize) -> Result<KeptManifold<T>, CacheError> {
    let (a, b, count, flags) = (cursor.short()?, cursor.short()?, cursor.short()?, cursor.short()?);
    let masses = [u64::from_le_bytes(cursor.take()?), u64::from_le_bytes(cursor.take()?)];
    let [nx, ny, nz, ax, ay, az, aw, bx, by, bz, bw, ox, oy, oz, extent, mu, restitution] = cursor.scalars()?;
    let factor = match flags & !(1 | 2 | 8) {
        0 => FactorState::None,
        4 => FactorState::Reserved,
        20 => FactorState::Made,
        _ => return Err(CacheError::BadPoint(number)),
    };
    let unit = |x, y, z, w| UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z));
    Ok(KeptManifold {
        a,
        b,
        first: 0,
        count,
        island: IslandState { rested: flags & 1 != 0, converges_slowly: flags & 2 != 0, factor, stiff: flags & 8 != 0 },
        masses,
        normal: Vector3::new(nx, ny, nz),
        orientation_a: unit(ax, ay, az, aw),
        orientation_b: unit(bx, by, bz, bw),
        offset: Vector3::new(ox, oy, oz),
        extent,
        material: Material { mu, restitution },
    })
}

/// Reads the surface of a manifold. Its moments are with its points.
fn read_own_surface<T: Real>(cursor: &mut Cursor<'_>, number: usize) -> Result<Surface<T>, CacheError> {
    let read = read_surface(cursor).ok().filter(|(index, surface)| *index == 0 && is_zero(&surface.warm_moment));
    read.map(|(_, surface)| surface).ok_or(CacheError::BadPoint(number))
}

fn vector<T: Real>([x, y, z]: [T; 3]) -> Vector3<T> {
    Vector3::new(x, y, z)
}

fn read_point<T: Real>(cursor: &mut Cursor<'_>) -> Result<KeptPoint<T>, CacheError> {
    let (kind, feature) = (cursor.number()?, cursor.number()?);
    let id = match (kind & 1, feature) {
        (0, 0) => PointId::Proximity,
        (1, feature) => PointId::Feature(feature),
        _ => return Err(CacheError::BadPoint(0)),
    };
    let [state, sliding, 0, 0] = kind.to_le_bytes() else { return Err(CacheError::BadPoint(0)) };
    let hold = match state >> 1 {
        0 => Hold::Unknown,
        1 => Hold::Open,
        2 => Hold::Sticks,
        3 => Hold::Slides,
        _ => return Err(CacheError::BadPoint(0)),
    };
    let [ax, ay, az, bx, by, bz, depth, depth_built, normal, t1, t2] = cursor.scalars()?;
    Ok(KeptPoint {
        id,
        manifold: 0,
        anchor_a: Vector3::new(ax, ay, az),
        anchor_b: Vector3::new(bx, by, bz),
        depth,
        depth_built,
        impulse: Vector3::new(normal, t1, t2),
        hold,
        sliding,
    })
}
