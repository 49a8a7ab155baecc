//! Numbers from bytes. Past the end every byte is 0, so that every input is valid and shorter ones are simpler.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use stiction::Real;

/// How numbers are drawn in a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    /// Numbers of ordinary scenes: every law holds at its tabled tolerance.
    Usual,
    /// Any valid numbers, up to the limits and down to zero.
    Limits,
    /// The same, but one number in four has arbitrary bits, NaN and infinity included.
    Raw,
}

/// An endless source of bytes.
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    /// The next byte, 0 past the end.
    pub fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    /// The next bytes.
    pub fn array<const N: usize>(&mut self) -> [u8; N] {
        core::array::from_fn(|_| self.byte())
    }

    /// Whether the lowest bit of the next byte is set.
    pub fn coin(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// A number below `n`, by one byte.
    pub fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n
    }

    /// One of several.
    pub fn pick<V: Copy>(&mut self, from: &[V]) -> V {
        from[self.below(from.len())]
    }

    /// Mostly the usual, sometimes the others.
    pub fn mood(&mut self) -> Mood {
        self.pick(&[Mood::Usual, Mood::Limits, Mood::Raw, Mood::Usual])
    }

    /// Between −1 and 1 in steps of 2⁻¹⁵; both ends and 0 exactly.
    pub fn signed(&mut self) -> f64 {
        (f64::from(i16::from_le_bytes(self.array())) / 32767.0).max(-1.0)
    }

    /// Between 0 and 1; both ends exactly.
    pub fn unit(&mut self) -> f64 {
        f64::from(u16::from_le_bytes(self.array())) / 65535.0
    }

    /// Log-uniform between two positive numbers.
    pub fn log_range(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.unit())
    }

    /// The number with the next bits, possibly not finite.
    pub fn raw<T: Real>(&mut self) -> T {
        let mut padded = [0; 8];
        padded[..T::BYTES].fill_with(|| self.byte());
        T::from_le_padded(padded)
    }

    /// A number of any size up to a limit: often 0, often the limit, often a power of ten, down to the smallest there
    /// are.
    pub fn up_to(&mut self, limit: f64) -> f64 {
        let sign = if self.coin() { -1.0 } else { 1.0 };
        sign * match self.below(6) {
            0 => 0.0,
            1 => limit,
            2 => 10_f64.powi(-i32::from(self.byte())),
            3 => limit * 10_f64.powi(-i32::from(self.byte() % 64)),
            4 => limit * self.unit(),
            _ => self.log_range(1e-12, 1.0) * limit,
        }
    }

    /// A number: within `usual`, within `limit` or any.
    pub fn number<T: Real>(&mut self, mood: Mood, usual: f64, limit: T) -> T {
        match mood {
            Mood::Usual => T::lit(self.signed() * usual),
            Mood::Raw if self.below(4) == 3 => self.raw(),
            _ => T::lit(self.up_to(limit.to_f64())),
        }
    }

    /// The same, not negative where it is a usual one or within limits.
    pub fn magnitude<T: Real>(&mut self, mood: Mood, usual: f64, limit: T) -> T {
        match mood {
            Mood::Usual => T::lit(self.unit() * usual),
            Mood::Raw if self.below(4) == 3 => self.raw(),
            _ => T::lit(self.up_to(limit.to_f64()).abs()),
        }
    }

    /// Three numbers.
    pub fn vector<T: Real>(&mut self, mood: Mood, usual: f64, limit: T) -> Vector3<T> {
        Vector3::from_fn(|_, _| self.number(mood, usual, limit))
    }

    /// A unit vector, often along an axis.
    pub fn direction(&mut self) -> Vector3<f64> {
        let axes = [Vector3::z(), -Vector3::z(), Vector3::x(), Vector3::y()];
        if let Some(axis) = axes.get(self.below(8)) {
            return *axis;
        }
        let v = Vector3::new(self.signed(), self.signed(), self.signed());
        let length = v.norm();
        if length > 1e-3 { v / length } else { Vector3::z() }
    }

    /// A rotation, often none.
    pub fn orientation(&mut self) -> UnitQuaternion<f64> {
        if self.coin() {
            return UnitQuaternion::identity();
        }
        let q = Quaternion::new(self.signed(), self.signed(), self.signed(), self.signed());
        if q.norm() > 1e-3 { UnitQuaternion::from_quaternion(q) } else { UnitQuaternion::identity() }
    }

    /// A symmetric matrix with the given eigenvalues.
    pub fn rotated(&mut self, eigenvalues: Vector3<f64>) -> Matrix3<f64> {
        let r = self.orientation().to_rotation_matrix();
        let m = r.matrix() * Matrix3::from_diagonal(&eigenvalues) * r.matrix().transpose();
        (m + m.transpose()) * 0.5
    }
}
