//! Problems as a caller has them, in arrays of any strides and types, for tests; and the same problems in the layout.
use stiction::nalgebra::Vector3;
use stiction::{Body, Contact, Real, Surface, Tread, WarmStart};
use stiction_batch::{Layout, Packed};
use stiction_testkit::small_problems::SMALL_PROBLEMS;

use crate::Scalar;
use crate::columns::{Column, Columns, FIELDS, entries_of, is_integer};
use crate::resident::ResidentProblems;

pub const BODIES: usize = 5;
pub const CONTACTS: usize = 8;

/// How a caller arranges an array.
#[derive(Debug, Clone, Copy)]
pub enum Order {
    /// Row by row.
    Rows,
    /// The other way round, problems side by side.
    Reversed,
    /// Every second entry, problems backwards.
    Sparse,
}

/// Bytes of an array, and where its entries are.
pub struct Array {
    pub bytes: Vec<u64>,
    pub column: Column,
}

/// An array of a field: entries of so many bytes each, in the order of `entry`'s indices.
pub fn array(shape: [usize; 4], size: usize, order: Order, entry: impl Fn([usize; 4]) -> u64) -> Array {
    let axes = if matches!(order, Order::Reversed) { [0, 1, 2, 3] } else { [3, 2, 1, 0] };
    let (mut step, mut strides) = (if matches!(order, Order::Sparse) { 2 * size } else { size }, [0i64; 4]);
    for axis in axes {
        strides[axis] = step as i64;
        step *= shape[axis];
    }
    let mut bytes = vec![u64::MAX; step.div_ceil(8) + 1];
    let mut first = 0;
    if matches!(order, Order::Sparse) {
        first = strides[0] * (shape[0] as i64 - 1);
        strides[0] = -strides[0];
    }
    let all = bytemuck::cast_slice_mut::<u64, u8>(&mut bytes);
    for number in 0..shape.iter().product() {
        let (mut rest, mut indices) = (number, [0; 4]);
        for axis in 0..4 {
            indices[axis] = rest % shape[axis];
            rest /= shape[axis];
        }
        let at = indices.iter().zip(strides).fold(first, |at, (index, stride)| at + *index as i64 * stride) as usize;
        all[at..at + size].copy_from_slice(&entry(indices).to_le_bytes()[..size]);
    }
    let address = bytes.as_ptr() as u64 + first as u64;
    Array { bytes, column: Column { address, bytes: size as u32, strides } }
}

/// A number's bits in a precision of so many bytes.
pub fn bits<T: Real>(number: T, size: usize) -> u64 {
    if size == 4 { (number.to_f64() as f32).to_bits().into() } else { number.to_f64().to_bits() }
}

/// A problem as a caller has it. Depths below 0 are gaps.
pub struct One<T: Real> {
    pub bodies: Vec<Body<T>>,
    pub contacts: Vec<Contact<T>>,
    pub surfaces: Vec<Surface<T>>,
    /// What the array `count` says.
    pub count: i64,
    /// What the array `a` says of the first contact, if it is another number.
    pub first_a: Option<i64>,
}

impl<T: Scalar> One<T> {
    pub fn new(number: usize, has_surfaces: bool) -> Self {
        let (mut bodies, mut contacts) = SMALL_PROBLEMS[number % 3].island(number as u64).rounded();
        bodies.resize_with(BODIES, Body::fixed);
        contacts.truncate(CONTACTS - number % 3);
        for (k, contact) in contacts.iter_mut().enumerate() {
            contact.depth = T::lit([0.0, 0.002, -0.003][(number + k) % 3]);
            contact.restitution = T::lit([0.0, 0.5][k % 2]);
            contact.pre_impact_normal_velocity = (number % 5 == k).then(|| T::lit(-1.25));
            contact.warm = WarmStart { normal_impulse: T::lit(0.01), tangent_impulse: Vector3::z() * T::lit(0.002) };
        }
        let surface = |k: usize| {
            let tread = Tread { direction: Vector3::x(), mu_across: T::lit(0.2) };
            let tread = (k % 4 == 1).then_some(tread);
            let warm_moment = Vector3::y() * T::lit(1e-4);
            let torsion = T::lit([0.0, 0.02][(number + k) % 2]);
            Surface { torsion, rolling: T::lit([0.0, 0.01][k % 2]), tread, warm_moment, ..Surface::default() }
        };
        let surfaces = (0..contacts.len()).filter(|_| has_surfaces).map(surface).collect();
        let count = contacts.len() as i64;
        One { bodies, contacts, surfaces, count, first_a: None }
    }

    /// A wrong one: rejected for a number that the layout has, or for one that it does not.
    pub fn spoiled(mut self, kind: usize) -> Self {
        match kind {
            0 => self.contacts[1].mu = T::lit(f64::NAN),
            1 => self.first_a = Some(-1),
            2 => self.count = CONTACTS as i64 + 1,
            3 => self.count = -1,
            _ => self.first_a = Some(i32::MAX.into()),
        }
        self
    }

    /// An entry of a field of floats.
    fn number(&self, name: &str, place: usize, row: usize, column: usize) -> T {
        if let Some(body) = FIELDS[..4].iter().position(|field| *field == name) {
            let Body { inverse_mass, inverse_inertia_world, linear_velocity, angular_velocity } = self.bodies[place];
            let vector = [linear_velocity, angular_velocity];
            return match body {
                0 => inverse_mass,
                1 => inverse_inertia_world[(row, column)],
                field => vector[field - 2][row],
            };
        }
        // Entries beyond the count: not read.
        let Some(contact) = self.contacts.get(place) else { return T::lit(f64::NAN) };
        let surface = self.surfaces.get(place).copied().unwrap_or_default();
        let tread = surface.tread.unwrap_or(Tread { direction: Vector3::zeros(), mu_across: T::lit(0.7) });
        match name {
            "normal" => contact.normal[row],
            "r_a" => contact.r_a[row],
            "r_b" => contact.r_b[row],
            "mu" => contact.mu,
            "restitution" => contact.restitution,
            "depth" => {
                if contact.depth > T::ZERO {
                    contact.depth
                } else {
                    T::ZERO
                }
            }
            "gap" => {
                if contact.depth < T::ZERO {
                    -contact.depth
                } else {
                    T::ZERO
                }
            }
            "pre_impact_normal_velocity" => contact.pre_impact_normal_velocity.unwrap_or(T::lit(f64::NAN)),
            "warm_normal" => contact.warm.normal_impulse,
            "warm_tangent" => contact.warm.tangent_impulse[row],
            "torsion" => surface.torsion,
            "rolling" => surface.rolling,
            "mu_across" => tread.mu_across,
            "friction_direction" => tread.direction[row],
            _ => surface.warm_moment[row],
        }
    }

    fn integer(&self, name: &str, place: usize) -> i64 {
        let contact = self.contacts.get(place).copied().unwrap_or_default();
        match name {
            "a" if place == 0 => self.first_a.unwrap_or(contact.a as i64),
            "a" => contact.a as i64,
            "b" => contact.b as i64,
            _ => self.count,
        }
    }
}

/// The arrays of problems.
pub fn arrays<T: Scalar>(all: &[One<T>], sizes: [usize; 2], order: Order, has_surfaces: bool) -> Vec<Option<Array>> {
    let array_of = |(number, name): (usize, &&str)| {
        let is_of_surfaces = (15..20).contains(&number);
        if is_of_surfaces && !has_surfaces {
            return None;
        }
        let [rows, columns] = entries_of(number);
        let places = if number < 4 {
            BODIES
        } else if *name == "count" {
            1
        } else {
            CONTACTS
        };
        let shape = [all.len(), places, rows, columns];
        let entry = |[problem, place, row, column]: [usize; 4]| {
            let one = &all[problem];
            if is_integer(number) {
                one.integer(name, place) as u64
            } else {
                bits(one.number(name, place, row, column), sizes[0])
            }
        };
        let size = if is_integer(number) { sizes[1] } else { sizes[0] };
        Some(array(shape, size, order, entry))
    };
    FIELDS.iter().enumerate().map(array_of).collect()
}

/// The same problems in the layout; wrong ones are rejected there for another reason.
pub fn packed<T: Scalar>(all: &[One<T>], layout: Layout) -> Packed<T> {
    let mut packed = Packed::new(layout, all.len());
    for (index, one) in all.iter().enumerate() {
        let mut contacts = one.contacts.clone();
        if one.count != contacts.len() as i64 || one.first_a.is_some() {
            contacts[0].mu = T::lit(f64::NAN);
        }
        packed.set_on_surfaces(index, &one.bodies, &contacts, &one.surfaces).unwrap();
    }
    packed
}

pub fn problems(arrays: &[Option<Array>], count: usize, has_surfaces: bool) -> ResidentProblems {
    let columns: Columns = std::array::from_fn(|k| arrays[k].as_ref().map(|array| array.column));
    let places = if has_surfaces { 2 * CONTACTS } else { CONTACTS };
    ResidentProblems { count, bodies: BODIES, contacts: CONTACTS, has_surfaces, places, columns }
}
