//! The memory of direct methods, which callers allocate.
use crate::direct::linear_system::{Equation, Equations, Space};
use crate::direct::workspace::ContactScratch;
use crate::math::block_lu::{BlockLu, Node, SLOT};
use crate::math::real::Real;
use crate::problem::conditions::DirectSize;

/// Memory for direct methods on islands of up to `N` contacts and `N` bodies that move, with `BLOCKS` blocks for their
/// factors.
///
/// A block holds 18 numbers. Contacts that all act on each other need `N (N + 1)/2` of them, so
/// `DirectMemory<f32, 16, 136>` is enough for any island of 16 contacts. In double precision, on large islands and where
/// that does not fit, the factor is over bodies: two blocks for each, four for each pair that touches, and more where
/// many bodies touch each other. A stack of twenty boxes needs 116, a wall several hundred. With too few blocks only
/// sweeps are used, and the report says so.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Settings, Solver};
/// # let down = Vector3::new(0.0, 0.0, -1.0);
/// # let mut bodies = Bodies::<f64, 3>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear_velocity: down, ..Body::from_inverse(1.0, Matrix3::zeros()) })?;
/// # bodies.push(Body { linear_velocity: down, ..Body::from_inverse(1e-3, Matrix3::zeros()) })?;
/// # let mut contacts = Contacts::<f64, 2>::new();
/// # contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// # contacts.push(Contact::new(1, 2, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// # let mut solver = Solver::<f64, 3, 2>::new();
/// use stiction::{MethodChoice, DirectMemory, Hooks, Status};
/// // A tonne on a kilogram, landing at 1 m/s: hard for sweeps, a few steps for Newton's method.
/// let settings = Settings { method: MethodChoice::Direct, ..Settings::default() };
/// let mut memory = DirectMemory::<f64, 4, 10>::new(); // islands of up to 4 contacts
/// let hooks = Hooks { direct: Some(memory.view()), ..Hooks::default() };
/// let report = solver.solve_with(&mut bodies, &contacts, &settings, 1.0 / 60.0, hooks)?;
/// assert_eq!(report.status, Status::Converged);
/// assert!(report.direct.newton_steps + report.direct.interior_steps > 0);
/// assert!(bodies.linear_velocities()[2].norm() < 1e-6);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
pub struct DirectMemory<T, const N: usize, const BLOCKS: usize> {
    scratch: [ContactScratch<T>; N],
    lines: [Equation<T>; N],
    body_nodes: [[u16; 2]; N],
    bodies: [u16; N],
    values: [[T; 6]; N],
    nodes: [Node; N],
    neighbour: [u16; BLOCKS],
    slots: [[T; SLOT]; BLOCKS],
}

impl<T: Real, const N: usize, const BLOCKS: usize> Default for DirectMemory<T, N, BLOCKS> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Real, const N: usize, const BLOCKS: usize> DirectMemory<T, N, BLOCKS> {
    /// Memory that is all zero. `const`: it can live in a `static`.
    pub const fn new() -> Self {
        DirectMemory {
            scratch: [ContactScratch::EMPTY; N],
            lines: [Equation::EMPTY; N],
            body_nodes: [[0; 2]; N],
            bodies: [0; N],
            values: [[T::ZERO; 6]; N],
            nodes: [Node::EMPTY; N],
            neighbour: [0; BLOCKS],
            slots: [[T::ZERO; SLOT]; BLOCKS],
        }
    }

    /// Borrows it for one call.
    pub fn view(&mut self) -> DirectView<'_, T> {
        let DirectMemory { scratch, lines, body_nodes, bodies, values, nodes, neighbour, slots } = self;
        let factor = BlockLu { slots, neighbour, nodes, used: 0 };
        let equations = Equations { factor, lines, body_nodes, bodies, values, space: Space::Contacts };
        DirectView { scratch, equations }
    }
}

/// Borrowed memory for direct methods, of any size.
///
/// ```
/// use stiction::{DirectMemory, DirectSize};
/// // A host with more memory repeats the solve of a controller that had less.
/// let mut large = DirectMemory::<f64, 16, 136>::new();
/// let little = DirectSize { contacts: 4, blocks: 10 };
/// assert_eq!(large.view().truncated(little).unwrap().size(), little);
/// // The reverse is not possible.
/// let much = DirectSize { contacts: 64, blocks: 2080 };
/// assert!(large.view().truncated(much).is_none());
/// ```
pub struct DirectView<'a, T> {
    pub(crate) scratch: &'a mut [ContactScratch<T>],
    pub(crate) equations: Equations<'a, T>,
}

impl<'a, T: Real> DirectView<'a, T> {
    /// How much it is.
    pub fn size(&self) -> DirectSize {
        DirectSize { contacts: self.scratch.len() as u32, blocks: self.equations.factor.slots.len() as u32 }
    }

    /// The size of optional memory.
    pub(crate) fn size_of(view: Option<&Self>) -> DirectSize {
        view.map_or(DirectSize::NONE, Self::size)
    }

    /// Borrows the memory for a shorter time.
    pub fn reborrow(&mut self) -> DirectView<'_, T> {
        let Equations { factor, lines, body_nodes, bodies, values, .. } = &mut self.equations;
        let BlockLu { slots, neighbour, nodes, .. } = factor;
        let factor = BlockLu { slots, neighbour, nodes, used: 0 };
        let equations = Equations { factor, lines, body_nodes, bodies, values, space: Space::Contacts };
        DirectView { scratch: self.scratch, equations }
    }

    /// A part of the memory, as if there were no more; none if there is less.
    pub fn truncated(self, size: DirectSize) -> Option<Self> {
        let DirectView { scratch, equations: Equations { factor, lines, body_nodes, bodies, values, space } } = self;
        let BlockLu { slots, neighbour, nodes, .. } = factor;
        let (contacts, blocks) = (size.contacts as usize, size.blocks as usize);
        let factor = BlockLu {
            slots: slots.get_mut(..blocks)?,
            neighbour: neighbour.get_mut(..blocks)?,
            nodes: nodes.get_mut(..contacts)?,
            used: 0,
        };
        let (lines, body_nodes) = (lines.get_mut(..contacts)?, body_nodes.get_mut(..contacts)?);
        let (bodies, values) = (bodies.get_mut(..contacts)?, values.get_mut(..contacts)?);
        let equations = Equations { factor, lines, body_nodes, bodies, values, space };
        Some(DirectView { scratch: scratch.get_mut(..contacts)?, equations })
    }
}
