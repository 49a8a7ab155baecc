//! The problems of `solve_batch`: arrays of the caller, read where they are.
use numpy::Element;
use numpy::PyReadonlyArray;
use numpy::ndarray::{ArrayView, Dimension, Ix1, Ix2, Ix3, Ix4};
use pyo3::prelude::*;
use stiction::{Body, Contact, InputError, Real, SixRows, Surface, ThreeRows};
use stiction_batch::{Problem, Problems};

use crate::arrays::{Named, Precision, fields, precision_of, view};
use crate::errors::value_error;
use crate::places::{Places, places};
use crate::rows::{BodiesOf, ContactsOf, row, rows};

const BODY_FIELDS: [&str; 4] = ["inverse_mass", "inverse_inertia", "linear", "angular"];
const CONTACT_FIELDS: [&str; 18] = [
    "a",
    "b",
    "normal",
    "r_a",
    "r_b",
    "mu",
    "restitution",
    "depth",
    "pre_impact_normal_velocity",
    "warm_normal",
    "warm_tangent",
    "torsion",
    "rolling",
    "mu_across",
    "friction_direction",
    "warm_moment",
    "count",
    "gap",
];
/// Contacts' arrays of integers.
const INTEGERS: [&str; 3] = ["a", "b", "count"];
/// Arrays that make contacts ones with friction beyond sliding.
const OF_SURFACES: [&str; 5] = ["torsion", "rolling", "mu_across", "friction_direction", "warm_moment"];

/// The arrays of a call, before their types are known.
pub struct Given<'py> {
    bodies: Vec<Option<Named<'py>>>,
    contacts: Vec<Option<Named<'py>>>,
    problems: usize,
    most_bodies: usize,
    most_contacts: usize,
}

impl<'py> Given<'py> {
    /// The arrays of two dicts.
    pub fn new(bodies: &Bound<'py, PyAny>, contacts: &Bound<'py, PyAny>) -> PyResult<Self> {
        let bodies = fields("bodies", bodies, &BODY_FIELDS)?;
        let contacts = fields("contacts", contacts, &CONTACT_FIELDS)?;
        let missing = |name: &str| value_error(format!("{name}: missing"));
        let masses = bodies[0].as_ref().ok_or_else(|| missing("bodies.inverse_mass"))?;
        let (problems, most_bodies) = masses.two("(problems, bodies)")?;
        let frictions = contacts[5].as_ref().ok_or_else(|| missing("contacts.mu"))?;
        let (rows, most_contacts) = frictions.two("(problems, contacts)")?;
        if rows != problems {
            return Err(frictions.wrong_shape(&format!("({problems}, contacts)")));
        }
        let given = Given { bodies, contacts, problems, most_bodies, most_contacts };
        for name in &CONTACT_FIELDS[..6] {
            given.contact(name).ok_or_else(|| missing(&format!("contacts.{name}")))?;
        }
        given.check_pairs()?;
        Ok(given)
    }

    /// Rejects a direction without its coefficient, and the other way round.
    fn check_pairs(&self) -> PyResult<()> {
        let is_given = |name: &str| self.contact(name).is_some();
        for (one, other) in [("mu_across", "friction_direction"), ("friction_direction", "mu_across")] {
            if is_given(one) && !is_given(other) {
                return Err(value_error(format!("contacts.{other}: missing, {one} is given")));
            }
        }
        Ok(())
    }

    fn body(&self, name: &str) -> Option<&Named<'py>> {
        BODY_FIELDS.iter().position(|field| *field == name).and_then(|at| self.bodies[at].as_ref())
    }

    fn contact(&self, name: &str) -> Option<&Named<'py>> {
        CONTACT_FIELDS.iter().position(|field| *field == name).and_then(|at| self.contacts[at].as_ref())
    }

    /// The precision that all arrays of floats have together.
    pub fn precision(&self) -> PyResult<Precision> {
        let contacts = CONTACT_FIELDS.iter().zip(&self.contacts);
        let floats = contacts.filter(|(name, _)| !INTEGERS.contains(name)).map(|(_, array)| array);
        precision_of(self.bodies.iter().chain(floats).flatten())
    }

    /// Problems, bodies and contacts.
    pub fn sizes(&self) -> (usize, usize, usize) {
        (self.problems, self.most_bodies, self.most_contacts)
    }

    /// Whether contacts can have friction beyond sliding, and whether they can take two places.
    pub fn has_surfaces(&self) -> (bool, bool) {
        let is_given = |names: &[&str]| names.iter().any(|name| self.contact(name).is_some());
        (is_given(&OF_SURFACES), is_given(&OF_SURFACES[..2]))
    }

    /// Checks all types and shapes, without reading an entry.
    pub fn check(&self) -> PyResult<()> {
        let (n, b, c) = self.sizes();
        let shapes: [&[usize]; 4] = [&[n, b], &[n, b, 3, 3], &[n, b, 3], &[n, b, 3]];
        for (array, shape) in self.bodies.iter().zip(shapes) {
            array.as_ref().map_or(Ok(()), |array| array.check_floats(shape))?;
        }
        for (name, array) in CONTACT_FIELDS.iter().zip(&self.contacts) {
            let Some(array) = array else { continue };
            match *name {
                "count" => array.check_integers(&[n])?,
                "a" | "b" => array.check_integers(&[n, c])?,
                vector if VECTORS.contains(&vector) => array.check_floats(&[n, c, 3])?,
                _ => array.check_floats(&[n, c])?,
            }
        }
        Ok(())
    }

    /// The arrays in a precision, with their shapes checked.
    pub fn read<T: Element>(&self) -> PyResult<Held<'py, T>> {
        let (n, b, c) = (self.problems, self.most_bodies, self.most_contacts);
        Ok(Held {
            sizes: (n, b, c),
            has_surfaces: self.has_surfaces().0,
            inverse_mass: self.of_body("inverse_mass", &[n, b])?,
            inverse_inertia: self.of_body("inverse_inertia", &[n, b, 3, 3])?,
            linear: self.of_body("linear", &[n, b, 3])?,
            angular: self.of_body("angular", &[n, b, 3])?,
            indices: [self.indices("a")?, self.indices("b")?],
            count: self.contact("count").map(|array| array.integers(&[n])).transpose()?,
            vectors: VECTORS.map(|name| self.of_contact(name, &[n, c, 3])).into_iter().collect::<PyResult<_>>()?,
            numbers: NUMBERS.map(|name| self.of_contact(name, &[n, c])).into_iter().collect::<PyResult<_>>()?,
        })
    }

    fn of_body<T: Element, D: Dimension>(&self, name: &str, shape: &[usize]) -> PyResult<Option<Read<'py, T, D>>> {
        self.body(name).map(|array| array.floats(shape)).transpose()
    }

    fn of_contact<T: Element, D: Dimension>(&self, name: &str, shape: &[usize]) -> PyResult<Option<Read<'py, T, D>>> {
        self.contact(name).map(|array| array.floats(shape)).transpose()
    }

    fn indices(&self, name: &str) -> PyResult<Option<Read<'py, i64, Ix2>>> {
        let shape = [self.problems, self.most_contacts];
        self.contact(name).map(|array| array.integers(&shape)).transpose()
    }
}

type Read<'py, T, D> = PyReadonlyArray<'py, T, D>;

/// Vectors of contacts, in the order of [`Held::vectors`].
const VECTORS: [&str; 6] = ["normal", "r_a", "r_b", "warm_tangent", "friction_direction", "warm_moment"];
/// Numbers of contacts, in the order of [`Held::numbers`].
const NUMBERS: [&str; 9] = [
    "mu",
    "restitution",
    "depth",
    "pre_impact_normal_velocity",
    "warm_normal",
    "torsion",
    "rolling",
    "mu_across",
    "gap",
];

/// Arrays that are held for a call.
pub struct Held<'py, T: Element> {
    sizes: (usize, usize, usize),
    has_surfaces: bool,
    inverse_mass: Option<Read<'py, T, Ix2>>,
    inverse_inertia: Option<Read<'py, T, Ix4>>,
    linear: Option<Read<'py, T, Ix3>>,
    angular: Option<Read<'py, T, Ix3>>,
    indices: [Option<Read<'py, i64, Ix2>>; 2],
    count: Option<Read<'py, i64, Ix1>>,
    vectors: Vec<Option<Read<'py, T, Ix3>>>,
    numbers: Vec<Option<Read<'py, T, Ix2>>>,
}

impl<T: Element> Held<'_, T> {
    /// Views that threads read.
    pub fn input(&self) -> Input<'_, T> {
        let vector = |at: usize| self.vectors.get(at).and_then(places);
        let number = |at: usize| self.numbers.get(at).and_then(places);
        Input {
            sizes: self.sizes,
            has_surfaces: self.has_surfaces,
            inverse_mass: places(&self.inverse_mass),
            inverse_inertia: places(&self.inverse_inertia),
            linear: places(&self.linear),
            angular: places(&self.angular),
            indices: self.indices.each_ref().map(places),
            count: view(&self.count),
            vectors: std::array::from_fn(vector),
            numbers: std::array::from_fn(number),
        }
    }
}

/// The problems of a call.
pub struct Input<'a, T> {
    /// Problems, bodies and contacts.
    pub sizes: (usize, usize, usize),
    /// Whether contacts can have friction beyond sliding.
    pub has_surfaces: bool,
    inverse_mass: Option<Places<'a, T, Ix2>>,
    inverse_inertia: Option<Places<'a, T, Ix4>>,
    linear: Option<Places<'a, T, Ix3>>,
    angular: Option<Places<'a, T, Ix3>>,
    indices: [Option<Places<'a, i64, Ix2>>; 2],
    count: Option<ArrayView<'a, i64, Ix1>>,
    vectors: [Option<Places<'a, T, Ix3>>; 6],
    numbers: [Option<Places<'a, T, Ix2>>; 9],
}

/// A problem by itself.
#[derive(Default)]
pub struct One<T: Real> {
    /// Its bodies.
    pub bodies: Vec<Body<T>>,
    /// Its contacts.
    pub contacts: Vec<Contact<T>>,
    /// Their friction beyond sliding, if there can be such.
    pub surfaces: Vec<Surface<T>>,
}

impl<T: Real> Input<'_, T> {
    /// Whether contacts can take two places.
    pub fn has_moments(&self) -> bool {
        self.numbers[5].is_some() || self.numbers[6].is_some()
    }

    /// The first number of contacts that is not one.
    pub fn check_counts(&self) -> Result<(), String> {
        let most = self.sizes.2;
        let wrong = |count: &i64| !usize::try_from(*count).is_ok_and(|count| count <= most);
        match self.count.iter().flatten().enumerate().find(|(_, count)| wrong(count)) {
            Some((problem, count)) => Err(format!("problem {problem}: contacts.count: {count}, must be 0 to {most}")),
            None => Ok(()),
        }
    }

    /// How many contacts a problem has.
    fn count_of(&self, problem: usize) -> usize {
        self.count.as_ref().map_or(self.sizes.2, |count| count[problem] as usize)
    }

    fn bodies_of(&self, problem: usize) -> BodiesOf<'_, T> {
        BodiesOf {
            inverse_mass: row(&self.inverse_mass, problem),
            inverse_inertia: row(&self.inverse_inertia, problem),
            velocities: [row(&self.linear, problem), row(&self.angular, problem)],
        }
    }

    fn contacts_of(&self, problem: usize) -> ContactsOf<'_, T> {
        ContactsOf {
            indices: rows(&self.indices, problem),
            vectors: rows(&self.vectors, problem),
            numbers: rows(&self.numbers, problem),
        }
    }

    /// The bodies, contacts and surfaces of a problem.
    pub fn problem(&self, index: usize) -> Result<One<T>, InputError<T>> {
        let (bodies, contacts, count) = (self.bodies_of(index), self.contacts_of(index), self.count_of(index));
        Ok(One {
            bodies: (0..self.sizes.1).map(|place| bodies.body(place)).collect(),
            surfaces: (0..count).filter(|_| self.has_surfaces).map(|place| contacts.surface(place)).collect(),
            contacts: (0..count).map(|place| contacts.contact(place)).collect::<Result<_, _>>()?,
        })
    }
}

impl<T: Real + Sync, const NB: usize, const NC: usize> Problems<T, NB, NC, ThreeRows> for Input<'_, T> {
    fn count(&self) -> usize {
        self.sizes.0
    }

    fn sizes(&self) -> (usize, usize) {
        (self.sizes.1, self.sizes.2)
    }

    fn load(&self, index: usize, problem: &mut Problem<T, NB, NC>) -> Result<(), InputError<T>> {
        let (bodies, contacts) = (self.bodies_of(index), self.contacts_of(index));
        for place in 0..self.sizes.1 {
            problem.bodies.push(bodies.body(place))?;
        }
        for place in 0..self.count_of(index) {
            problem.contacts.push(contacts.contact(place)?)?;
        }
        Ok(())
    }
}

impl<T: Real + Sync, const NB: usize, const NC: usize> Problems<T, NB, NC, SixRows> for Input<'_, T> {
    fn count(&self) -> usize {
        self.sizes.0
    }

    fn sizes(&self) -> (usize, usize) {
        (self.sizes.1, self.sizes.2)
    }

    fn load(&self, index: usize, problem: &mut Problem<T, NB, NC, SixRows>) -> Result<(), InputError<T>> {
        let (bodies, contacts) = (self.bodies_of(index), self.contacts_of(index));
        for place in 0..self.sizes.1 {
            problem.bodies.push(bodies.body(place))?;
        }
        for place in 0..self.count_of(index) {
            problem.contacts.push_on(contacts.contact(place)?, contacts.surface(place))?;
        }
        Ok(())
    }
}
