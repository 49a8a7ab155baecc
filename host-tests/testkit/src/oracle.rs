//! Independent answers, in double precision, by other methods than the kernel's.
//!
//! * One contact: every candidate is written down. Open, sticking, and sliding in direction `θ`, where sliding means
//!   that the tangential velocity is antiparallel to friction: a scan over `θ` for sign changes of their cross product,
//!   each refined by bisection. No secular equation, no Newton.
//! * Normals alone: enumeration of all active sets.
//! * Whole problems: damped Newton on the Alart–Curnier equations of all contacts at once, a global method where the
//!   kernel sweeps contact by contact.

use nalgebra::{DMatrix, DVector, Matrix3, Vector2, Vector3};

/// One contact's problem: `û`, `K`, `μ`, preload.
#[derive(Debug, Clone, Copy)]
pub struct OneContact {
    /// The block.
    pub k: Matrix3<f64>,
    /// Velocity without the contact's own impulse.
    pub free: Vector3<f64>,
    /// Friction coefficient.
    pub mu: f64,
    /// Normal impulse already present.
    pub preload: f64,
}

/// Directions scanned for sliding solutions.
const DIRECTIONS: usize = 1440;

impl OneContact {
    fn velocity(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.free + self.k * x
    }

    /// All solutions found, usually one.
    pub fn solutions(&self) -> Vec<Vector3<f64>> {
        let mut found = Vec::new();
        let slack = 1e-12 * self.free.norm();
        // Sticking, closed: u = 0.
        if let Some(inverse) = self.k.try_inverse() {
            let x = -(inverse * self.free);
            if x.x >= 0.0 && x.y.hypot(x.z) <= self.mu * (x.x + self.preload) {
                found.push(x);
            }
        }
        // Open: x_n = 0, friction on the preload alone.
        let k_tt = self.k.fixed_view::<2, 2>(1, 1).into_owned();
        if let Some(inverse) = k_tt.try_inverse() {
            let t = -(inverse * Vector2::new(self.free.y, self.free.z));
            let x = Vector3::new(0.0, t.x, t.y);
            if t.norm() <= self.mu * self.preload && self.velocity(&x).x >= -slack {
                found.push(x);
            }
        }
        if self.mu * self.preload == 0.0 && self.free.x >= 0.0 {
            found.push(Vector3::zeros());
        }
        for closed in [true, false] {
            if closed || self.preload > 0.0 {
                found.extend(self.sliding(closed));
            }
        }
        found
    }

    /// The candidate that slides against direction `angle`, and the cross product that must vanish.
    fn candidate(&self, angle: f64, closed: bool) -> Option<(Vector3<f64>, f64)> {
        let (sin, cos) = angle.sin_cos();
        let pull = self.k[(0, 1)] * cos + self.k[(0, 2)] * sin;
        let normal = if closed {
            let stiffness = self.k[(0, 0)] + self.mu * pull;
            -(self.free.x + self.mu * self.preload * pull) / stiffness
        } else {
            0.0
        };
        let radius = self.mu * (normal + self.preload);
        if normal.is_nan() || normal < 0.0 {
            return None;
        }
        let x = Vector3::new(normal, radius * cos, radius * sin);
        let u = self.velocity(&x);
        Some((x, cos * u.z - sin * u.y))
    }

    /// Directions to scan: evenly spaced, and crowding towards every edge between directions with and without a
    /// candidate, where jamming contacts have their solutions.
    fn angles(&self, closed: bool) -> Vec<f64> {
        let step = std::f64::consts::TAU / DIRECTIONS as f64;
        let exists = |angle: f64| self.candidate(angle, closed).is_some();
        let mut angles = vec![0.0];
        for i in 0..DIRECTIONS {
            let (from, to) = (i as f64 * step, (i + 1) as f64 * step);
            if exists(from) != exists(to) {
                let (mut with, mut without) = if exists(from) { (from, to) } else { (to, from) };
                let start = with;
                for _ in 0..60 {
                    let middle = 0.5 * (with + without);
                    if exists(middle) { with = middle } else { without = middle }
                }
                let mut crowd: Vec<f64> = (0..50).map(|k| with + (start - with) * 0.5_f64.powi(k)).collect();
                crowd.sort_by(f64::total_cmp);
                angles.extend(crowd);
            }
            angles.push(to);
        }
        angles
    }

    fn sliding(&self, closed: bool) -> Vec<Vector3<f64>> {
        let slack = 1e-9 * self.free.norm();
        let mut found = Vec::new();
        for pair in self.angles(closed).windows(2) {
            let (mut low, mut high) = (pair[0], pair[1]);
            let (Some(a), Some(b)) = (self.candidate(low, closed), self.candidate(high, closed)) else { continue };
            if a.1 * b.1 > 0.0 {
                continue;
            }
            let mut best = a.0;
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                let Some(c) = self.candidate(middle, closed) else { break };
                best = c.0;
                if (c.1 > 0.0) == (a.1 > 0.0) {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            let u = self.velocity(&best);
            let opposes = u.y * best.y + u.z * best.z <= 0.0;
            let aligned = (u.y * best.z - u.z * best.y).abs() <= slack * best.y.hypot(best.z);
            if opposes && aligned && (if closed { u.x.abs() <= slack } else { u.x >= -slack }) {
                found.push(best);
            }
        }
        found
    }
}

/// Solves `0 ≤ p ⟂ W p + q ≥ 0` for up to 12 rows by trying every active set; gives `W p + q`, which is unique, and
/// `p`.
pub fn normals_by_enumeration(w: &DMatrix<f64>, q: &DVector<f64>) -> Option<(DVector<f64>, DVector<f64>)> {
    let n = q.len();
    assert!(n <= 12, "enumeration of more than 12 rows");
    let slack = 1e-9 * (1.0 + q.amax());
    for set in 0..1u32 << n {
        let active: Vec<usize> = (0..n).filter(|i| set & (1 << i) != 0).collect();
        let block = DMatrix::from_fn(active.len(), active.len(), |i, j| w[(active[i], active[j])]);
        let rhs = DVector::from_fn(active.len(), |i, _| -q[active[i]]);
        let Some(part) = (if active.is_empty() { Some(rhs) } else { block.lu().solve(&rhs) }) else { continue };
        let mut p = DVector::zeros(n);
        for (value, index) in part.iter().zip(&active) {
            p[*index] = *value;
        }
        let u = w * &p + q;
        // Redundant rows make a block singular to rounding; its huge "solution" is none.
        if p.amax() * w.amax() > 1e6 * q.amax() {
            continue;
        }
        if p.iter().all(|x| *x >= -slack) && u.iter().all(|x| *x >= -slack) && p.dot(&u).abs() <= slack {
            return Some((u, p));
        }
    }
    None
}

/// A whole problem in Delassus form.
#[derive(Debug, Clone)]
pub struct Whole {
    /// `W`.
    pub w: DMatrix<f64>,
    /// Free velocities.
    pub q: DVector<f64>,
    /// Friction coefficients.
    pub mu: Vec<f64>,
}

impl Whole {
    /// Velocities `W x + q` of a solution, or `None` where Newton did not find one.
    pub fn velocities(&self) -> Option<DVector<f64>> {
        let n = self.mu.len();
        let mut x = DVector::zeros(3 * n);
        let scale = self.q.norm().max(1e-300);
        for _ in 0..200 {
            let (f, jacobian) = self.alart_curnier(&x);
            let size = f.norm();
            if size <= 1e-12 * scale {
                return Some(&self.w * x + &self.q);
            }
            // Redundant contacts make the Jacobian singular: damp in the normal equations, in proportion to the
            // residual.
            let damping = 1e-10 * (1.0 + size / scale);
            let normal = jacobian.tr_mul(&jacobian) + DMatrix::identity(3 * n, 3 * n) * damping;
            let step = normal.cholesky()?.solve(&jacobian.tr_mul(&f));
            let mut length = 1.0;
            let merit = |length: f64| self.alart_curnier(&(&x - &step * length)).0.norm();
            while merit(length) > (1.0 - 1e-4 * length) * size && length > 1e-4 {
                length *= 0.5;
            }
            x -= step * length;
        }
        None
    }

    /// The Alart–Curnier function in velocity units and its generalised Jacobian.
    fn alart_curnier(&self, x: &DVector<f64>) -> (DVector<f64>, DMatrix<f64>) {
        let n = self.mu.len();
        let u = &self.w * x + &self.q;
        let mut f = DVector::zeros(3 * n);
        let mut jacobian = DMatrix::zeros(3 * n, 3 * n);
        for c in 0..n {
            let d = (0..3).map(|i| self.w[(3 * c + i, 3 * c + i)]).sum::<f64>() / 3.0;
            let row = |i: usize| self.w.row(3 * c + i) / d;
            let at = |i: usize| x[3 * c + i] - u[3 * c + i] / d;
            let y = Vector3::new(at(0), at(1), at(2));
            // Derivatives of y with respect to all impulses.
            let derivative = |i: usize| {
                let mut row = -row(i);
                row[3 * c + i] += 1.0;
                row
            };
            let normal = y.x.max(0.0);
            let radius = self.mu[c] * normal;
            let length = y.y.hypot(y.z);
            let tangent = Vector2::new(y.y, y.z);
            let mut projected = [jacobian.row(0).clone_owned() * 0.0, jacobian.row(0).clone_owned() * 0.0];
            let mut value = tangent;
            if length <= radius {
                projected = [derivative(1), derivative(2)];
            } else if radius > 0.0 {
                let e = tangent / length;
                value = e * radius;
                let along = derivative(1) * e.x + derivative(2) * e.y;
                for i in 0..2 {
                    projected[i] =
                        (derivative(i + 1) - &along * e[i]) * (radius / length) + derivative(0) * (e[i] * self.mu[c]);
                }
            } else {
                value = Vector2::zeros();
            }
            f[3 * c] = (x[3 * c] - normal) * d;
            for i in 0..2 {
                f[3 * c + 1 + i] = (x[3 * c + 1 + i] - value[i]) * d;
            }
            let normal_row = if y.x > 0.0 { derivative(0) } else { derivative(0) * 0.0 };
            for (i, row) in [normal_row, projected[0].clone(), projected[1].clone()].into_iter().enumerate() {
                let mut out = -row;
                out[3 * c + i] += 1.0;
                jacobian.row_mut(3 * c + i).copy_from(&(out * d));
            }
        }
        (f, jacobian)
    }
}
