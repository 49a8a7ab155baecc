//! The `.fc3d` format: one frictional contact problem in Delassus form, little-endian, without padding.
//!
//! `FC3DBSR1`, then `nc` and `nb` as u32, `mu` f64×nc, `q` f64×3nc, row-major 3×3 `blocks` f64×9nb, `rowptr`
//! u32×(nc+1), `col` u32×nb.

use nalgebra::{Matrix3, Vector3};
use stiction::{Delassus, Real};

use crate::merit::natural_map;

/// A problem as stored, in double precision.
#[derive(Debug, Clone, PartialEq)]
pub struct Fc3d {
    /// Friction coefficients.
    pub mu: Vec<f64>,
    /// Free velocities along `n, t1, t2`.
    pub q: Vec<Vector3<f64>>,
    /// Blocks of `W`, row by row.
    pub blocks: Vec<Matrix3<f64>>,
    /// Where each block row starts.
    pub row_starts: Vec<u32>,
    /// Block column of each block.
    pub columns: Vec<u32>,
}

/// The columns of a problem in the solver's precision.
pub struct Columns<T> {
    mu: Vec<T>,
    q: Vec<Vector3<T>>,
    blocks: Vec<Matrix3<T>>,
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (head, tail) = self.bytes.split_at(N);
        self.bytes = tail;
        head.try_into().expect("split to length")
    }

    fn f64s(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| f64::from_le_bytes(self.take())).collect()
    }

    fn u32s(&mut self, count: usize) -> Vec<u32> {
        (0..count).map(|_| u32::from_le_bytes(self.take())).collect()
    }
}

impl Fc3d {
    /// Reads a problem; the error is one line that names the field.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() < 16 || &bytes[..8] != b"FC3DBSR1" {
            return Err("magic: the file does not begin with FC3DBSR1".into());
        }
        let mut reader = Reader { bytes: &bytes[8..] };
        let (nc, nb) = (u32::from_le_bytes(reader.take()) as u64, u32::from_le_bytes(reader.take()) as u64);
        let expected = 16 + 8 * nc + 24 * nc + 72 * nb + 4 * (nc + 1) + 4 * nb;
        if bytes.len() as u64 != expected {
            return Err(format!(
                "nc, nb: {nc} contacts and {nb} blocks take {expected} bytes, there are {}",
                bytes.len()
            ));
        }
        let (nc, nb) = (nc as usize, nb as usize);
        let mu = reader.f64s(nc);
        let q = reader.f64s(3 * nc).chunks(3).map(Vector3::from_column_slice).collect();
        let blocks = reader.f64s(9 * nb).chunks(9).map(Matrix3::from_row_slice).collect();
        Ok(Fc3d { mu, q, blocks, row_starts: reader.u32s(nc + 1), columns: reader.u32s(nb) })
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.q.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.q.is_empty()
    }

    /// The problem rounded to a precision.
    pub fn columns<T: Real>(&self) -> Columns<T> {
        Columns {
            mu: self.mu.iter().map(|x| T::lit(*x)).collect(),
            q: self.q.iter().map(|v| v.map(T::lit)).collect(),
            blocks: self.blocks.iter().map(|m| m.map(T::lit)).collect(),
        }
    }

    /// The kernel's view of the rounded problem.
    pub fn problem<'a, T: Real>(&'a self, columns: &'a Columns<T>) -> Result<Delassus<'a, T>, stiction::InputError<T>> {
        Delassus::new(&columns.blocks, &self.row_starts, &self.columns, &columns.q, &columns.mu)
    }

    /// `(natural_rel_q, unit_rel_q)` of impulses, in double precision on the problem as stored.
    pub fn published_residuals(&self, x: &[Vector3<f64>]) -> (f64, f64) {
        let (mut one, mut unit, mut q_square) = (0.0, 0.0, 0.0);
        for i in 0..self.len() {
            let mut u = self.q[i];
            let mut d = 1.0;
            for k in self.row_starts[i] as usize..self.row_starts[i + 1] as usize {
                let j = self.columns[k] as usize;
                u += self.blocks[k] * x[j];
                if j == i {
                    d = self.blocks[k].trace() / 3.0;
                }
            }
            one += natural_map(&x[i], &u, self.mu[i], 0.0, 1.0).norm_squared();
            unit += (natural_map(&x[i], &u, self.mu[i], 0.0, 1.0 / d) * d).norm_squared();
            q_square += self.q[i].norm_squared();
        }
        let relative = |square: f64| if square > 0.0 { (square / q_square).sqrt() } else { 0.0 };
        (relative(one), relative(unit))
    }
}

/// The folder of published problems, if there is one: the one that `STICTION_FCLIB` names, or `shared/fclib` in a given
/// folder.
pub fn published_folder(beside: &std::path::Path) -> Option<std::path::PathBuf> {
    let named = std::env::var_os("STICTION_FCLIB").map(std::path::PathBuf::from);
    named.into_iter().chain([beside.join("shared/fclib")]).find(|folder| folder.is_dir())
}
