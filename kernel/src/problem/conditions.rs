//! Conditions of a solve: all that its result depends on besides bodies, contacts and settings. Recorded with the
//! input.

/// Whether contacts are solved all together, or island by island.
///
/// ```
/// use stiction::{DirectSize, IslandMode, SolveConditions};
/// let conditions = SolveConditions::from(IslandMode::Separate);
/// assert_eq!(conditions.islands, IslandMode::Separate);
/// assert_eq!(conditions.direct, DirectSize::NONE); // no memory for direct methods
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum IslandMode {
    /// All contacts as one problem: [`Solver::solve`](crate::Solver::solve),
    /// [`Solver::solve_with`](crate::Solver::solve_with).
    Together,
    /// Each island alone: [`Solver::solve_islands`](crate::Solver::solve_islands), and every step of a pipeline.
    Separate,
}

/// How a solve was called, besides its input.
///
/// ```
/// use stiction::{DirectMemory, IslandMode, SolveConditions};
/// // A solve with memory for direct methods can only be repeated with as much: so its size is recorded.
/// let mut memory = DirectMemory::<f32, 8, 36>::new();
/// let conditions = SolveConditions { islands: IslandMode::Together, direct: memory.view().size() };
/// assert_eq!((conditions.direct.contacts, conditions.direct.blocks), (8, 36));
/// assert_ne!(conditions, IslandMode::Together.into());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SolveConditions {
    /// Together or separately.
    pub islands: IslandMode,
    /// The memory for direct methods.
    pub direct: DirectSize,
}

impl From<IslandMode> for SolveConditions {
    fn from(islands: IslandMode) -> Self {
        SolveConditions { islands, direct: DirectSize::NONE }
    }
}

/// How much memory there is for direct methods.
///
/// ```
/// use stiction::{DirectMemory, DirectSize};
/// let mut memory = DirectMemory::<f32, 16, 136>::new();
/// let DirectSize { contacts, blocks } = memory.view().size();
/// assert_eq!((contacts, blocks), (16, 136));
/// assert!(blocks >= contacts * (contacts + 1) / 2); // enough even if all contacts act on each other
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct DirectSize {
    /// Contacts, and bodies that move.
    pub contacts: u32,
    /// Blocks of their factors.
    pub blocks: u32,
}

impl DirectSize {
    /// No memory.
    pub const NONE: Self = DirectSize { contacts: 0, blocks: 0 };
}
