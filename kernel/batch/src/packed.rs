//! Problems in the layout that processors and graphics processors share.
use nalgebra::Vector3;
use stiction::{Body, Contact, InputError, Real, SixRows, Surface, ThreeRows, Tread};
use stiction_batch_layout::Given;

use crate::control::BatchError;
use crate::layout::{BODY, CONTACT, CONTACT_WORDS, HEAD, Layout, SURFACE, flag};
use crate::problems::{Problem, Problems};

/// Problems of equal capacity in a [`Layout`]. Numbers are validated where problems are solved.
#[derive(Debug, Clone, PartialEq)]
pub struct Packed<T> {
    layout: Layout,
    count: usize,
    scalars: Vec<T>,
    words: Vec<u32>,
}

impl<T: Real> Packed<T> {
    /// So many problems without bodies.
    pub fn new(layout: Layout, count: usize) -> Self {
        let scalars = vec![T::ZERO; layout.length(layout.input_scalars(), count)];
        let words = vec![0; layout.length(layout.input_words(), count)];
        Packed { layout, count, scalars, words }
    }

    /// How its numbers are arranged.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// How many problems there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All scalars and words.
    pub fn arrays(&self) -> (&[T], &[u32]) {
        (&self.scalars, &self.words)
    }

    /// The same, as problems are read.
    pub fn given(&self) -> Given<'_, T> {
        Given { layout: self.layout, scalars: &self.scalars, words: &self.words }
    }

    /// Sets a problem whose contacts have sliding friction only. Nothing changes if it does not fit.
    pub fn set(&mut self, index: usize, bodies: &[Body<T>], contacts: &[Contact<T>]) -> Result<(), BatchError> {
        self.set_on_surfaces(index, bodies, contacts, &[])
    }

    /// Sets a problem; contacts beyond the end of `surfaces` have sliding friction only. Nothing changes if it does not
    /// fit.
    pub fn set_on_surfaces(
        &mut self,
        index: usize,
        bodies: &[Body<T>],
        contacts: &[Contact<T>],
        surfaces: &[Surface<T>],
    ) -> Result<(), BatchError> {
        let Layout { bodies: most_bodies, contacts: most_contacts, has_surfaces, .. } = self.layout;
        let most_surfaces = if has_surfaces { contacts.len() } else { 0 };
        for (what, count, capacity) in [
            ("problem", index, self.count.saturating_sub(1)),
            ("bodies", bodies.len(), most_bodies),
            ("contacts", contacts.len(), most_contacts),
            ("surfaces", surfaces.len(), most_surfaces),
        ] {
            if count > capacity || self.count == 0 {
                return Err(BatchError::Capacity { what, count, capacity });
            }
        }
        self.put_words(index, 0, [bodies.len() as u32, contacts.len() as u32]);
        for (place, body) in bodies.iter().enumerate() {
            self.put_scalars(index, Layout::body_at(place), numbers_of_body(body));
        }
        for (place, contact) in contacts.iter().enumerate() {
            self.put_scalars(index, self.layout.contact_at(place), numbers_of_contact(contact));
            let surface = surfaces.get(place).copied().unwrap_or_default();
            if has_surfaces {
                self.put_scalars(index, self.layout.surface_at(place), numbers_of_surface(&surface));
            }
            let (a, b) = (index_word(contact.a), index_word(contact.b));
            self.put_words(index, HEAD + CONTACT_WORDS * place, [a, b, flags_of(contact, &surface)]);
        }
        Ok(())
    }

    fn put_scalars(&mut self, problem: usize, first: usize, numbers: impl IntoIterator<Item = T>) {
        for (k, number) in numbers.into_iter().enumerate() {
            let at = self.layout.at(self.layout.input_scalars(), problem, first + k);
            self.scalars[at] = number;
        }
    }

    fn put_words(&mut self, problem: usize, first: usize, words: impl IntoIterator<Item = u32>) {
        for (k, word) in words.into_iter().enumerate() {
            let at = self.layout.at(self.layout.input_words(), problem, first + k);
            self.words[at] = word;
        }
    }
}

impl<T: Real + Sync, const NB: usize, const NC: usize> Problems<T, NB, NC, ThreeRows> for Packed<T> {
    fn count(&self) -> usize {
        self.count
    }

    fn load(&self, index: usize, problem: &mut Problem<T, NB, NC>) -> Result<(), InputError<T>> {
        self.given().load(index, problem)
    }
}

impl<T: Real + Sync, const NB: usize, const NC: usize> Problems<T, NB, NC, SixRows> for Packed<T> {
    fn count(&self) -> usize {
        self.count
    }

    fn load(&self, index: usize, problem: &mut Problem<T, NB, NC, SixRows>) -> Result<(), InputError<T>> {
        self.given().load(index, problem)
    }
}

/// An index that does not fit a word is none that a body can have.
fn index_word(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

fn numbers_of_body<T: Real>(body: &Body<T>) -> [T; BODY] {
    let Body { inverse_mass, inverse_inertia_world: i, linear_velocity: v, angular_velocity: w } = body;
    let rows = [i.m11, i.m12, i.m13, i.m21, i.m22, i.m23, i.m31, i.m32, i.m33];
    joined([&[*inverse_mass], &rows, v.as_slice(), w.as_slice()])
}

fn numbers_of_contact<T: Real>(contact: &Contact<T>) -> [T; CONTACT] {
    let Contact { normal, r_a, r_b, mu, restitution, depth, pre_impact_normal_velocity, warm, .. } = contact;
    let single = [*mu, *restitution, *depth, pre_impact_normal_velocity.unwrap_or(T::ZERO), warm.normal_impulse];
    joined([normal.as_slice(), r_a.as_slice(), r_b.as_slice(), &single, warm.tangent_impulse.as_slice()])
}

fn numbers_of_surface<T: Real>(surface: &Surface<T>) -> [T; SURFACE] {
    let Surface { torsion, rolling, tread, warm_moment, .. } = surface;
    let tread = tread.unwrap_or(Tread { direction: Vector3::zeros(), mu_across: T::ZERO });
    joined([&[*torsion, *rolling], tread.direction.as_slice(), &[tread.mu_across], warm_moment.as_slice()])
}

fn flags_of<T: Real>(contact: &Contact<T>, surface: &Surface<T>) -> u32 {
    let given = |is_given: bool, flag: u32| if is_given { flag } else { 0 };
    given(contact.pre_impact_normal_velocity.is_some(), flag::PRE_IMPACT)
        | given(surface.tread.is_some(), flag::TREAD)
        | given(surface.is_joined, flag::JOINED)
}

/// Numbers one after the other.
fn joined<T: Real, const N: usize, const PARTS: usize>(parts: [&[T]; PARTS]) -> [T; N] {
    let mut all = parts.into_iter().flatten().copied();
    std::array::from_fn(|_| all.next().unwrap_or(T::ZERO))
}
