//! Problems in the layout that processors and graphics processors share.
use std::marker::PhantomData;

use nalgebra::Vector3;
use stiction::{Body, Contact, InputError, Real, SixRows, Surface, ThreeRows, Tread};
use stiction_batch_layout::Given;

use crate::control::{BatchError, check_length};
use crate::layout::{BODY, CONTACT, CONTACT_WORDS, HEAD, Layout, SURFACE, flag};
use crate::problems::{Problem, Problems};

/// Problems of equal capacity in a [`Layout`], in vectors or in other memory for scalars and words. Numbers are validated where
/// problems are solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Packed<T, S = Vec<T>, W = Vec<u32>> {
    layout: Layout,
    count: usize,
    scalars: S,
    words: W,
    scalar: PhantomData<T>,
}

/// Problems that are borrowed.
pub type PackedView<'a, T> = Packed<T, &'a [T], &'a [u32]>;

impl<T: Real> Packed<T> {
    /// So many problems without bodies.
    pub fn new(layout: Layout, count: usize) -> Self {
        let scalars = vec![T::ZERO; layout.length(layout.input_scalars(), count)];
        let words = vec![0; layout.length(layout.input_words(), count)];
        Packed { layout, count, scalars, words, scalar: PhantomData }
    }
}

impl<T: Real, S: AsRef<[T]>, W: AsRef<[u32]>> Packed<T, S, W> {
    /// Problems in memory that is given: scalars and words of so many. Zeros are problems without bodies.
    ///
    /// ```
    /// use stiction_batch::{Layout, Packed};
    /// let layout = Layout::rows(2, 1);
    /// let (mut scalars, mut words) = ([0.0; 49], [0; 5]);
    /// let mut one = Packed::from_arrays(layout, 1, (&mut scalars[..], &mut words[..]))?;
    /// one.set(0, &[stiction::Body::fixed()], &[])?;
    /// assert_eq!(words[0], 1);
    /// assert!(Packed::from_arrays(layout, 2, (&scalars[..], &words[..])).is_err());
    /// # Ok::<(), stiction_batch::BatchError>(())
    /// ```
    pub fn from_arrays(layout: Layout, count: usize, (scalars, words): (S, W)) -> Result<Self, BatchError> {
        check_length("scalars", scalars.as_ref().len(), layout.length(layout.input_scalars(), count))?;
        check_length("words", words.as_ref().len(), layout.length(layout.input_words(), count))?;
        Ok(Packed { layout, count, scalars, words, scalar: PhantomData })
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
        (self.scalars.as_ref(), self.words.as_ref())
    }

    /// The same problems, borrowed.
    pub fn view(&self) -> PackedView<'_, T> {
        let (scalars, words) = self.arrays();
        Packed { layout: self.layout, count: self.count, scalars, words, scalar: PhantomData }
    }

    /// The same, as problems are read.
    pub fn given(&self) -> Given<'_, T> {
        let (scalars, words) = self.arrays();
        Given { layout: self.layout, scalars, words }
    }
}

impl<T: Real, S: AsMut<[T]>, W: AsMut<[u32]>> Packed<T, S, W> {
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
            self.scalars.as_mut()[at] = number;
        }
    }

    fn put_words(&mut self, problem: usize, first: usize, words: impl IntoIterator<Item = u32>) {
        for (k, word) in words.into_iter().enumerate() {
            let at = self.layout.at(self.layout.input_words(), problem, first + k);
            self.words.as_mut()[at] = word;
        }
    }
}

impl<T, S, W, const NB: usize, const NC: usize> Problems<T, NB, NC, ThreeRows> for Packed<T, S, W>
where
    T: Real + Sync,
    S: AsRef<[T]> + Sync,
    W: AsRef<[u32]> + Sync,
{
    fn count(&self) -> usize {
        self.count
    }

    fn load(&self, index: usize, problem: &mut Problem<T, NB, NC>) -> Result<(), InputError<T>> {
        self.given().load(index, problem)
    }
}

impl<T, S, W, const NB: usize, const NC: usize> Problems<T, NB, NC, SixRows> for Packed<T, S, W>
where
    T: Real + Sync,
    S: AsRef<[T]> + Sync,
    W: AsRef<[u32]> + Sync,
{
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
