//! Problems in the layout that processors and graphics processors share.
use nalgebra::{Matrix3, Vector3};
use stiction::{
    Body, Contact, ContactRows, InputError, MomentRows, Real, SixRows, Surface, ThreeRows, Tread, WarmStart,
};

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

    fn word(&self, problem: usize, k: usize) -> u32 {
        self.words[self.layout.at(self.layout.input_words(), problem, k)]
    }

    fn reader(&self, problem: usize, first: usize) -> Reader<'_, T> {
        Reader { packed: self, problem, next: first }
    }

    fn body(&self, problem: usize, place: usize) -> Body<T> {
        let mut read = self.reader(problem, Layout::body_at(place));
        Body {
            inverse_mass: read.number(),
            inverse_inertia_world: Matrix3::from_rows(
                &[read.vector(), read.vector(), read.vector()].map(|v| v.transpose()),
            ),
            linear_velocity: read.vector(),
            angular_velocity: read.vector(),
        }
    }

    fn contact(&self, problem: usize, place: usize) -> Contact<T> {
        let word = |k: usize| self.word(problem, HEAD + CONTACT_WORDS * place + k);
        let mut read = self.reader(problem, self.layout.contact_at(place));
        let (normal, r_a, r_b) = (read.vector(), read.vector(), read.vector());
        let [mu, restitution, depth, pre_impact] = [(); 4].map(|()| read.number());
        Contact {
            a: word(0) as usize,
            b: word(1) as usize,
            normal,
            r_a,
            r_b,
            mu,
            restitution,
            depth,
            pre_impact_normal_velocity: (word(2) & flag::PRE_IMPACT != 0).then_some(pre_impact),
            warm: WarmStart { normal_impulse: read.number(), tangent_impulse: read.vector() },
        }
    }

    fn surface(&self, problem: usize, place: usize) -> Surface<T> {
        if !self.layout.has_surfaces {
            return Surface::default();
        }
        let flags = self.word(problem, HEAD + CONTACT_WORDS * place + 2);
        let mut read = self.reader(problem, self.layout.surface_at(place));
        let (torsion, rolling) = (read.number(), read.number());
        let tread = Tread { direction: read.vector(), mu_across: read.number() };
        Surface {
            torsion,
            rolling,
            tread: (flags & flag::TREAD != 0).then_some(tread),
            is_joined: flags & flag::JOINED != 0,
            warm_moment: read.vector(),
        }
    }

    /// Fills in a problem, contact by contact with `push`.
    fn fill<const NB: usize, const NC: usize, R: ContactRows>(
        &self,
        index: usize,
        problem: &mut Problem<T, NB, NC, R>,
        push: impl Fn(&mut Problem<T, NB, NC, R>, Contact<T>, usize) -> Result<usize, InputError<T>>,
    ) -> Result<(), InputError<T>> {
        for place in 0..self.word(index, 0) as usize {
            problem.bodies.push(self.body(index, place))?;
        }
        for place in 0..self.word(index, 1) as usize {
            push(problem, self.contact(index, place), place)?;
        }
        Ok(())
    }
}

impl<T: Real + Sync, const NB: usize, const NC: usize> Problems<T, NB, NC, ThreeRows> for Packed<T> {
    fn count(&self) -> usize {
        self.count
    }

    fn load(&self, index: usize, problem: &mut Problem<T, NB, NC>) -> Result<(), InputError<T>> {
        self.fill(index, problem, |problem, contact, _| problem.contacts.push(contact))
    }
}

impl<T: Real + Sync, const NB: usize, const NC: usize> Problems<T, NB, NC, SixRows> for Packed<T> {
    fn count(&self) -> usize {
        self.count
    }

    fn load(&self, index: usize, problem: &mut Problem<T, NB, NC, SixRows>) -> Result<(), InputError<T>> {
        self.fill(index, problem, |problem, contact, place| push_on(problem, contact, self.surface(index, place)))
    }
}

fn push_on<T: Real, const NB: usize, const NC: usize, R: MomentRows>(
    problem: &mut Problem<T, NB, NC, R>,
    contact: Contact<T>,
    surface: Surface<T>,
) -> Result<usize, InputError<T>> {
    problem.contacts.push_on(contact, surface)
}

/// Numbers of a problem, one after the other.
struct Reader<'a, T> {
    packed: &'a Packed<T>,
    problem: usize,
    next: usize,
}

impl<T: Real> Reader<'_, T> {
    fn number(&mut self) -> T {
        let Packed { layout, scalars, .. } = self.packed;
        let at = layout.at(layout.input_scalars(), self.problem, self.next);
        self.next += 1;
        scalars[at]
    }

    fn vector(&mut self) -> Vector3<T> {
        Vector3::new(self.number(), self.number(), self.number())
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
