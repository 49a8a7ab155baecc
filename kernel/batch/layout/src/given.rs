//! Problems of equal capacity, as they are read: slices in a [`Layout`], borrowed from whoever has them.
use nalgebra::{Matrix3, Vector3};
use stiction::{Body, Contact, ContactRows, InputError, Real, SixRows, Surface, ThreeRows, Tread, WarmStart};

use crate::layout::{CONTACT_WORDS, HEAD, Layout, flag};
use crate::problem::Problem;

/// Problems in a [`Layout`]. Numbers are validated where problems are solved; a number beyond the end of its array reads
/// as 0, so no number of bodies or contacts that a problem claims can do harm.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a, T> {
    /// Where each number is.
    pub layout: Layout,
    /// All scalars.
    pub scalars: &'a [T],
    /// All words.
    pub words: &'a [u32],
}

impl<T: Real> Given<'_, T> {
    /// Fills in a problem, which is empty before.
    pub fn load<const NB: usize, const NC: usize, R: ReadRows>(
        &self,
        index: usize,
        problem: &mut Problem<T, NB, NC, R>,
    ) -> Result<(), InputError<T>> {
        for place in 0..self.word(index, 0) as usize {
            problem.bodies.push(self.body(index, place))?;
        }
        for place in 0..self.word(index, 1) as usize {
            R::push(problem, self.contact(index, place), || self.surface(index, place))?;
        }
        Ok(())
    }

    fn word(&self, problem: usize, k: usize) -> u32 {
        let at = self.layout.at(self.layout.input_words(), problem, k);
        self.words.get(at).copied().unwrap_or(0)
    }

    fn reader(&self, problem: usize, first: usize) -> Reader<'_, T> {
        Reader { given: self, problem, next: first }
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
}

/// Rows of contacts as they are read.
pub trait ReadRows: ContactRows {
    /// Adds a contact, with its friction beyond sliding if there can be such.
    fn push<T: Real, const NB: usize, const NC: usize>(
        problem: &mut Problem<T, NB, NC, Self>,
        contact: Contact<T>,
        surface: impl FnOnce() -> Surface<T>,
    ) -> Result<usize, InputError<T>>;
}

impl ReadRows for ThreeRows {
    fn push<T: Real, const NB: usize, const NC: usize>(
        problem: &mut Problem<T, NB, NC>,
        contact: Contact<T>,
        _: impl FnOnce() -> Surface<T>,
    ) -> Result<usize, InputError<T>> {
        problem.contacts.push(contact)
    }
}

impl ReadRows for SixRows {
    fn push<T: Real, const NB: usize, const NC: usize>(
        problem: &mut Problem<T, NB, NC, Self>,
        contact: Contact<T>,
        surface: impl FnOnce() -> Surface<T>,
    ) -> Result<usize, InputError<T>> {
        problem.contacts.push_on(contact, surface())
    }
}

/// Numbers of a problem, one after the other.
struct Reader<'a, T> {
    given: &'a Given<'a, T>,
    problem: usize,
    next: usize,
}

impl<T: Real> Reader<'_, T> {
    fn number(&mut self) -> T {
        let Given { layout, scalars, .. } = self.given;
        let at = layout.at(layout.input_scalars(), self.problem, self.next);
        self.next += 1;
        scalars.get(at).copied().unwrap_or(T::ZERO)
    }

    fn vector(&mut self) -> Vector3<T> {
        Vector3::new(self.number(), self.number(), self.number())
    }
}
