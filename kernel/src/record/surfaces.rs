//! Friction beyond sliding in records: surfaces after the data of an input, moments in the digest of an outcome.
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::problem::bodies::Bodies;
use crate::problem::contact_rows::ContactRows;
use crate::problem::contacts::Contacts;
use crate::problem::surface::{Surface, Tread};
use crate::record::bytes::{Cursor, fnv64, fnv64_word};
use crate::record::format::digest;
use crate::record::head::DumpError;
use crate::solve::solver::Solver;

const HAS_TREAD: u32 = 1;
const IS_JOINED: u32 = 2;

/// Bytes of so many surfaces in a block, and of their number.
pub(crate) fn surfaces_length<T: Real>(surfaces: usize) -> usize {
    if surfaces == 0 { 0 } else { 4 + surfaces * (4 + 9 * T::BYTES) }
}

/// The word of a surface: its contact, and which parts it has.
pub(crate) fn surface_word<T>(contact: usize, surface: &Surface<T>) -> u32 {
    let tread = if surface.tread.is_some() { HAS_TREAD } else { 0 };
    let joined = if surface.is_joined { IS_JOINED } else { 0 };
    u32::from(contact as u16) | ((tread | joined) << 16)
}

/// The nine scalars of a surface.
pub(crate) fn surface_scalars<T: Real>(surface: &Surface<T>) -> [T; 9] {
    let none = Tread { direction: Vector3::zeros(), mu_across: T::ZERO };
    let Tread { direction: d, mu_across } = surface.tread.unwrap_or(none);
    let m = &surface.warm_moment;
    [surface.torsion, surface.rolling, d.x, d.y, d.z, mu_across, m.x, m.y, m.z]
}

/// Reads a surface and the index of its contact.
pub(crate) fn read_surface<T: Real>(rest: &mut Cursor<'_>) -> Result<(usize, Surface<T>), DumpError> {
    let (contact, parts) = (usize::from(rest.short()?), u32::from(rest.short()?));
    let [torsion, rolling, x, y, z, mu_across, mx, my, mz] = rest.scalars()?;
    if parts & !(HAS_TREAD | IS_JOINED) != 0 {
        return Err(DumpError::BadValue);
    }
    let tread = Tread { direction: Vector3::new(x, y, z), mu_across };
    let surface = Surface {
        torsion,
        rolling,
        tread: (parts & HAS_TREAD != 0).then_some(tread),
        is_joined: parts & IS_JOINED != 0,
        warm_moment: Vector3::new(mx, my, mz),
    };
    Ok((contact, surface))
}

/// Surfaces that are read one after the other, as their contacts are.
pub(crate) struct SurfaceReader<'a, T> {
    rest: Cursor<'a>,
    left: u16,
    next: Option<(usize, Surface<T>)>,
}

impl<'a, T: Real> SurfaceReader<'a, T> {
    /// So many surfaces; the bytes must have nothing else.
    pub fn new(rest: Cursor<'a>, count: u16) -> Result<Self, DumpError> {
        let mut reader = SurfaceReader { rest, left: count, next: None };
        reader.advance()?;
        Ok(reader)
    }

    fn advance(&mut self) -> Result<(), DumpError> {
        self.next = None;
        if self.left > 0 {
            self.left -= 1;
            self.next = Some(read_surface(&mut self.rest)?);
        }
        Ok(())
    }

    /// The surface of a contact, if it has one. Contacts are asked for in their order.
    pub fn of(&mut self, contact: usize) -> Result<Option<Surface<T>>, DumpError> {
        let Some((_, surface)) = self.next.filter(|(index, _)| *index == contact) else { return Ok(None) };
        self.advance()?;
        Ok(Some(surface))
    }

    /// Whether every surface had its contact, and every byte was read.
    pub fn is_done(&self) -> bool {
        self.next.is_none() && self.rest.0.is_empty()
    }
}

/// The digest of an answer, continued with the moment of a contact and the bounds that it has reached.
pub(crate) fn with_moment<T: Real>(state: u64, moment: &Vector3<T>, [slides, spins, rolls]: [bool; 3]) -> u64 {
    let reached = u32::from(slides) | (u32::from(spins) << 1) | (u32::from(rolls) << 2);
    fnv64_word(fnv64(state, moment.as_slice()), reached)
}

/// Digest of a solve's answer as in its outcome: of all velocities, and for each contact with friction beyond sliding
/// of its moment and the bounds that it has reached.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Hooks, Settings, SixRows, Solver, Surface};
/// # let mut bodies = Bodies::<f64, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # let linear_velocity = Vector3::new(0.0, 0.0, -1.0);
/// # bodies.push(Body { linear_velocity, ..Body::from_mass(1.0, Matrix3::identity()) })?;
/// # let mut contacts = Contacts::<f64, 2, SixRows>::empty();
/// # contacts.push_on(Contact { mu: 0.5, ..Contact::default() }, Surface { torsion: 0.1, ..Surface::default() })?;
/// # let mut solver = Solver::<f64, 2, 2, SixRows>::empty();
/// use stiction::record::{RecordedBlock, blocks, digest_of_answer};
/// use stiction::FlightRecorder;
/// let mut recorder = FlightRecorder::<2048, SixRows>::empty();
/// let hooks = Hooks::with_observer(&mut recorder);
/// solver.solve_with(&mut bodies, &contacts, &Settings::default(), 0.01, hooks)?;
/// let Some(Ok(RecordedBlock::Outcome(outcome))) = blocks(recorder.pieces().0).last() else { panic!("no outcome") };
/// assert_eq!(outcome.digest, digest_of_answer(&bodies, &contacts, &solver));
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
pub fn digest_of_answer<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    bodies: &Bodies<T, NB>,
    contacts: &Contacts<T, NC, R>,
    solver: &Solver<T, NB, NC, R>,
) -> u64 {
    let velocities = digest(bodies);
    if !R::HAS_MOMENTS {
        return velocities;
    }
    let rough = (0..contacts.len()).filter(|index| contacts.surface_beyond_sliding(*index).is_some());
    let answers = rough.filter_map(|index| solver.moment(index).zip(solver.reached(index)));
    answers.fold(velocities, |state, (moment, reached)| with_moment(state, &moment, reached))
}
