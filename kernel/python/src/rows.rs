//! One problem of the arrays of `solve_batch`: its bodies and contacts, read where they are.
use nalgebra::{Matrix3, Vector3};
use numpy::ndarray::{Dimension, Ix2, Ix3, Ix4};
use stiction::{Body, Contact, ErrorKind, InputError, InputField, Real, Surface, Tread, WarmStart};

use crate::places::{Places, Row};

/// The rows of an array in a problem, if there is one.
pub fn row<'a, T, D: Dimension>(array: &'a Option<Places<'_, T, D>>, problem: usize) -> Option<Row<'a, T, D>> {
    array.as_ref().map(|array| array.of(problem))
}

/// The same of several arrays.
pub fn rows<'a, T, D: Dimension, const N: usize>(
    arrays: &'a [Option<Places<'_, T, D>>; N],
    problem: usize,
) -> [Option<Row<'a, T, D>>; N] {
    // A loop: with `map`, the compiler calls a function for every array.
    let mut rows = [const { None }; N];
    for (row, array) in rows.iter_mut().zip(arrays) {
        if let Some(array) = array {
            *row = Some(array.of(problem));
        }
    }
    rows
}

/// Numbers that are 0 where there is no array.
#[inline(always)]
fn number<T: Real>(row: &Option<Row<'_, T, Ix2>>, place: usize) -> T {
    row.as_ref().map_or(T::ZERO, |row| row.number(place))
}

#[inline(always)]
fn vector<T: Real>(row: &Option<Row<'_, T, Ix3>>, place: usize) -> Vector3<T> {
    row.as_ref().map_or(Vector3::zeros(), |row| row.vector(place))
}

/// The bodies of a problem.
pub struct BodiesOf<'a, T> {
    /// 1/kg.
    pub inverse_mass: Option<Row<'a, T, Ix2>>,
    /// World axes.
    pub inverse_inertia: Option<Row<'a, T, Ix4>>,
    /// Linear and angular.
    pub velocities: [Option<Row<'a, T, Ix3>>; 2],
}

impl<T: Real> BodiesOf<'_, T> {
    /// The body of a place.
    #[inline]
    pub fn body(&self, place: usize) -> Body<T> {
        Body {
            inverse_mass: number(&self.inverse_mass, place),
            inverse_inertia_world: self.inverse_inertia.as_ref().map_or(Matrix3::zeros(), |row| row.matrix(place)),
            linear_velocity: vector(&self.velocities[0], place),
            angular_velocity: vector(&self.velocities[1], place),
        }
    }
}

/// The contacts of a problem.
pub struct ContactsOf<'a, T> {
    /// Bodies a and b.
    pub indices: [Option<Row<'a, i64, Ix2>>; 2],
    /// In the order of `input::VECTORS`.
    pub vectors: [Option<Row<'a, T, Ix3>>; 6],
    /// In the order of `input::NUMBERS`.
    pub numbers: [Option<Row<'a, T, Ix2>>; 9],
}

impl<T: Real> ContactsOf<'_, T> {
    /// An index that is below 0 is an error; one that is too large, the kernel's.
    #[inline(always)]
    fn index(&self, side: usize, place: usize) -> Result<usize, InputError<T>> {
        let index = self.indices[side].as_ref().map_or(0, |row| row.number(place));
        usize::try_from(index).map_err(|_| {
            let low = ErrorKind::TooSmall { value: T::lit(index as f64), min: T::ZERO };
            InputError { field: InputField::Contact(place, ["a", "b"][side]), kind: low }
        })
    }

    /// The contact of a place, if its indices and depths are not below 0.
    #[inline]
    pub fn contact(&self, place: usize) -> Result<Contact<T>, InputError<T>> {
        let [normal, r_a, r_b, tangent, ..] = &self.vectors;
        let at = |at: usize| number(&self.numbers[at], place);
        let recorded = self.numbers[3].as_ref().map(|row| row.number(place));
        Ok(Contact {
            a: self.index(0, place)?,
            b: self.index(1, place)?,
            normal: vector(normal, place),
            r_a: vector(r_a, place),
            r_b: vector(r_b, place),
            mu: at(0),
            restitution: at(1),
            depth: self.depth(place)?,
            // NaN: none was recorded.
            pre_impact_normal_velocity: recorded.filter(|velocity| !velocity.to_f64().is_nan()),
            warm: WarmStart { normal_impulse: at(4), tangent_impulse: vector(tangent, place) },
        })
    }

    /// For the kernel a depth below 0 is a gap; a problem's file has none, and here they have a field of their own.
    #[inline(always)]
    fn depth(&self, place: usize) -> Result<T, InputError<T>> {
        let (depth, gap) = (number(&self.numbers[2], place), number(&self.numbers[8], place));
        for (name, value) in [("depth", depth), ("gap", gap)] {
            let is_finite = value.to_f64().is_finite();
            if value < T::ZERO || !is_finite {
                let low = ErrorKind::TooSmall { value, min: T::ZERO };
                let kind = if is_finite { low } else { ErrorKind::NotFinite };
                return Err(InputError { field: InputField::Contact(place, name), kind });
            }
        }
        Ok(depth - gap)
    }

    /// Its friction beyond sliding.
    pub fn surface(&self, place: usize) -> Surface<T> {
        let direction = vector(&self.vectors[4], place);
        let tread = Tread { direction, mu_across: number(&self.numbers[7], place) };
        // A direction of zeros: none.
        let has_tread = self.vectors[4].is_some() && direction != Vector3::zeros();
        Surface {
            torsion: number(&self.numbers[5], place),
            rolling: number(&self.numbers[6], place),
            tread: has_tread.then_some(tread),
            warm_moment: vector(&self.vectors[5], place),
            ..Surface::default()
        }
    }
}
