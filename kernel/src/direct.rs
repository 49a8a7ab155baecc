//! Direct methods for islands on which sweeps crawl or cycle: Newton's method where sweeps came near, else interior points.
//!
//! The room that they need is not part of the solver: who wants them lends a [`Direct`]. The best impulses by residual are
//! kept through all stages. Where they do not solve the problem, the sweeps go on from where they were, and the better of both
//! is handed back: an answer is never worse than that of sweeps alone.

use crate::coupled::Coupled;
use crate::desk::{Desk, Halt, Seat, restore};
use crate::equations::{Equation, Equations, Space};
use crate::factor::{Factor, Node, SLOT};
use crate::interior;
use crate::newton;
use crate::real::Real;
use crate::report::{DirectReport, Method};
use crate::settings::Settings;

/// Room for direct methods on islands of up to `N` contacts and `N` bodies that move, with `SLOTS` slots for their factors.
///
/// A slot holds 18 numbers. Contacts that all act on each other need `N (N + 1)/2` of them, so `Direct<f32, 16, 136>`
/// is enough for any island of 16 contacts. Where that does not fit, and on large islands, the factor is over bodies: two
/// slots each and four for each pair of bodies with contacts between them, more where the graph of contacts is wide: a stack of
/// twenty boxes needs 116, a wall several hundred. Where slots are missing the sweeps go on alone, and the report says so.
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
pub struct Lent<'a, T> {
    seats: &'a mut [Seat<T>],
    equations: Equations<'a, T>,
}

/// How direct methods ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DirectEnd {
    /// What gave the best impulses; none if the sweeps before did.
    pub method: Option<Method>,
    pub solved: bool,
    pub report: DirectReport,
    pub late: bool,
}

/// Takes the best impulses of direct methods instead of what the sweeps after them came to, if they are no worse in anything.
pub(crate) fn take_better<T: Real>(problem: &mut dyn Coupled<T>, room: &mut dyn Room<T>) -> bool {
    let swept = problem.residual();
    let Lent { seats, .. } = room.lend();
    for (i, seat) in seats.iter_mut().enumerate().take(problem.len()) {
        seat.swept = problem.impulse(i);
    }
    restore(problem, seats, |seat| seat.best);
    let best = problem.residual();
    let better = best.natural < swept.natural && best.worst() <= swept.worst();
    if !better {
        restore(problem, seats, |seat| seat.swept);
    }
    better
}

/// Improves on the present impulses as far as it can.
pub(crate) fn improve<T: Real>(
    problem: &mut dyn Coupled<T>,
    room: &mut dyn Room<T>,
    settings: &Settings<T>,
    deadline: &mut dyn FnMut() -> bool,
) -> DirectEnd {
    let Lent { seats, equations } = room.lend();
    let fits = problem.len() <= seats.len();
    let mut desk = Desk {
        seats,
        equations,
        tolerance: settings.tolerance,
        deadline,
        cap: settings.factorisations,
        newton_steps: 0,
        interior_steps: 0,
        least: T::LARGEST,
    };
    let cramped = DirectReport { cramped: true, ..Default::default() };
    let mut end = DirectEnd { method: None, solved: false, report: cramped, late: false };
    if !fits || !desk.equations.prepare(problem) {
        return end;
    }
    desk.note_swept(problem);
    desk.keep(problem);
    let before = desk.least;
    let mut halt = newton::polish(problem, &mut desk);
    desk.keep(problem);
    if desk.least < before {
        end.method = Some(Method::Newton);
    }
    if halt == Halt::Stuck {
        let before = desk.least;
        halt = interior::solve(problem, &mut desk);
        if desk.least < before {
            end.method = Some(Method::InteriorPoint);
        }
    }
    // Solved impulses may yet have been too large to keep.
    end.solved = halt == Halt::Solved && desk.least < desk.tolerance;
    // Interior points are left wherever they were; with time left, sweeps go on from where they stood.
    let best = end.solved || halt == Halt::Late;
    restore(problem, desk.seats, |seat| if best { seat.best } else { seat.swept });
    let Desk { newton_steps, interior_steps, .. } = desk;
    end.report = DirectReport { newton_steps, interior_steps, cramped: false };
    end.late = halt == Halt::Late;
    end
}
