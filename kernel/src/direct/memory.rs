//! The memory of direct methods, which callers allocate.
use crate::direct::linear_system::{Equation, Equations, Space};
use crate::direct::workspace::Seat;
use crate::math::block_lu::{Factor, Node, SLOT};
use crate::math::real::Real;

/// Room for direct methods on islands of up to `N` contacts and `N` bodies that move, with `SLOTS` slots for their factors.
///
/// A slot holds 18 numbers. Contacts that all act on each other need `N (N + 1)/2` of them, so `Direct<f32, 16, 136>`
/// is enough for any island of 16 contacts. Where that does not fit, and on large islands, the factor is over bodies: two
/// slots each and four for each pair of bodies with contacts between them, more where the graph of contacts is wide: a stack of
/// twenty boxes needs 116, a wall several hundred. Where slots are missing the sweeps go on alone, and the report says so.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Settings, Solver};
/// # let down = Vector3::new(0.0, 0.0, -1.0);
/// # let mut bodies = Bodies::<f64, 3>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear: down, ..Body::at_rest(1.0, Matrix3::zeros()) })?;
/// # bodies.push(Body { linear: down, ..Body::at_rest(1e-3, Matrix3::zeros()) })?;
/// # let mut contacts = Contacts::<f64, 2>::new();
/// # contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// # contacts.push(Contact::new(1, 2, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// # let mut solver = Solver::<f64, 3, 2>::new();
/// use stiction::direct::Direct;
/// use stiction::{Approach, Status};
/// // A tonne on a kilogram, landing at 1 m/s: hard for sweeps, a few steps for Newton's method.
/// let settings = Settings { approach: Approach::Direct, ..Settings::default() };
/// let mut room = Direct::<f64, 4, 10>::new(); // islands of up to 4 contacts
/// let report = solver.solve_with(&mut bodies, &contacts, &settings, || false, Some(&mut room))?;
/// assert_eq!(report.status, Status::Converged);
/// assert!(report.direct.newton_steps + report.direct.interior_steps > 0);
/// assert!(bodies.linear()[2].norm() < 1e-6);
/// # Ok::<(), stiction::Refusal<f64>>(())
/// ```
pub struct Direct<T, const N: usize, const SLOTS: usize> {
    seats: [Seat<T>; N],
    lines: [Equation<T>; N],
    ends: [[u16; 2]; N],
    bodies: [u16; N],
    values: [[T; 6]; N],
    nodes: [Node; N],
    neighbour: [u16; SLOTS],
    slots: [[T; SLOT]; SLOTS],
}

impl<T: Real, const N: usize, const SLOTS: usize> Default for Direct<T, N, SLOTS> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Real, const N: usize, const SLOTS: usize> Direct<T, N, SLOTS> {
    /// Room that nothing has been solved in. `const`: it can live in a `static`, and is all zero.
    pub const fn new() -> Self {
        Direct {
            seats: [Seat::EMPTY; N],
            lines: [Equation::EMPTY; N],
            ends: [[0; 2]; N],
            bodies: [0; N],
            values: [[T::ZERO; 6]; N],
            nodes: [Node::EMPTY; N],
            neighbour: [0; SLOTS],
            slots: [[T::ZERO; SLOT]; SLOTS],
        }
    }
}

/// How much room there is: what a solve depends on besides its input, and is recorded with it.
///
/// ```
/// use stiction::direct::{Direct, Room, RoomSize};
/// let room = Direct::<f32, 16, 136>::new();
/// let RoomSize { contacts, slots } = room.size();
/// assert_eq!((contacts, slots), (16, 136));
/// assert!(slots >= contacts * (contacts + 1) / 2); // enough even where all contacts act on each other
/// assert_ne!(room.size(), RoomSize::NONE);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct RoomSize {
    /// Contacts, and bodies that move.
    pub contacts: u32,
    /// Slots.
    pub slots: u32,
}

impl RoomSize {
    /// No room.
    pub const NONE: Self = RoomSize { contacts: 0, slots: 0 };
}

/// Room of any size.
///
/// ```
/// use stiction::direct::{Direct, Room};
/// // Two sizes of room behind one type: a large one where there is memory for it.
/// fn room_for(contacts: usize) -> Box<dyn Room<f32>> {
///     if contacts <= 4 { Box::new(Direct::<f32, 4, 10>::new()) } else { Box::new(Direct::<f32, 16, 136>::new()) }
/// }
/// assert_eq!(room_for(3).size().contacts, 4);
/// assert_eq!(room_for(9).size().contacts, 16);
/// ```
pub trait Room<T: Real> {
    /// How much it is.
    fn size(&self) -> RoomSize;

    /// The room, for the kernel's own use.
    #[doc(hidden)]
    fn lend(&mut self) -> Lent<'_, T>;
}

impl<T: Real, const N: usize, const SLOTS: usize> Room<T> for Direct<T, N, SLOTS> {
    fn size(&self) -> RoomSize {
        RoomSize { contacts: N as u32, slots: SLOTS as u32 }
    }

    fn lend(&mut self) -> Lent<'_, T> {
        let Direct { seats, lines, ends, bodies, values, nodes, neighbour, slots } = self;
        let factor = Factor { slots, neighbour, nodes, used: 0 };
        Lent { seats, equations: Equations { factor, lines, ends, bodies, values, space: Space::Contacts } }
    }
}

/// A part of some room, as if there were no more.
///
/// ```
/// use stiction::direct::{Direct, Part, Room, RoomSize};
/// // A host with much room solves as the controller did, which had little.
/// let mut large = Direct::<f64, 16, 136>::new();
/// let little = RoomSize { contacts: 4, slots: 10 };
/// assert_eq!(Part::new(&mut large, little).unwrap().size(), little);
/// // Not the other way round.
/// let much = RoomSize { contacts: 64, slots: 2080 };
/// assert!(Part::new(&mut large, much).is_none());
/// ```
pub struct Part<'a, T> {
    room: &'a mut dyn Room<T>,
    size: RoomSize,
}

impl<'a, T: Real> Part<'a, T> {
    /// None if there is less.
    pub fn new(room: &'a mut dyn Room<T>, size: RoomSize) -> Option<Self> {
        let there = room.size();
        (there.contacts >= size.contacts && there.slots >= size.slots).then_some(Part { room, size })
    }
}

impl<T: Real> Room<T> for Part<'_, T> {
    fn size(&self) -> RoomSize {
        self.size
    }

    fn lend(&mut self) -> Lent<'_, T> {
        let Lent { seats, equations } = self.room.lend();
        let Equations { factor, lines, ends, bodies, values, space } = equations;
        let Factor { slots, neighbour, nodes, .. } = factor;
        let (contacts, count) = (self.size.contacts as usize, self.size.slots as usize);
        let factor = Factor {
            slots: first(slots, count),
            neighbour: first(neighbour, count),
            nodes: first(nodes, contacts),
            used: 0,
        };
        let (lines, ends) = (first(lines, contacts), first(ends, contacts));
        let (bodies, values) = (first(bodies, contacts), first(values, contacts));
        Lent { seats: first(seats, contacts), equations: Equations { factor, lines, ends, bodies, values, space } }
    }
}

fn first<E>(all: &mut [E], count: usize) -> &mut [E] {
    all.get_mut(..count).unwrap_or(&mut [])
}

/// Lends what was lent, for as long as the borrower needs it.
pub(crate) fn lend_again<'a, T: Real>(room: &'a mut Option<&mut dyn Room<T>>) -> Option<&'a mut dyn Room<T>> {
    match room {
        Some(room) => Some(&mut **room),
        None => None,
    }
}

/// Room that was lent.
///
/// ```
/// use stiction::direct::{Direct, Lent, Room, RoomSize};
/// // It is only ever passed on, as by room that counts how often it is asked for.
/// struct Counted(Direct<f64, 4, 10>, u32);
/// impl Room<f64> for Counted {
/// #     fn size(&self) -> RoomSize {
/// #         self.0.size()
/// #     }
///     fn lend(&mut self) -> Lent<'_, f64> {
///         self.1 += 1;
///         self.0.lend()
///     }
/// }
/// let mut room = Counted(Direct::new(), 0);
/// let _ = room.lend();
/// assert_eq!(room.1, 1);
/// ```
pub struct Lent<'a, T> {
    pub(crate) seats: &'a mut [Seat<T>],
    pub(crate) equations: Equations<'a, T>,
}
