//! A correction that solves all contacts of an island at once, with a factor that is kept from frame to frame.
//!
//! With the contacts that stick held in all directions and those that slide held along their normals, contact
//! velocities `w` (less their targets) vanish under the impulses `x + dx` with `J M⁻¹Jᵀ dx = −w`. Redundant contacts
//! make that singular. So each contact is held by a stiff damper `s` instead, around the impulses that are there:
//!
//! ```text
//! dx = −s (w + J dv),    (M + Σ s JᵀJ) dv = −Σ s Jᵀw,    s = 1/(ε tr K/3)
//! ```
//!
//! The matrix has a block for each body and each pair that touch. A contact with lever arms `r_p` and `r_q` adds in
//! closed form, with `X` the matrix of a cross product,
//!
//! ```text
//! sticks:   ±s [1, −X_p; X_q, (r_q·r_p) 1 − r_p r_qᵀ]         slides:   ±s g_q g_pᵀ,   g = (n, r×n)
//! ```
//!
//! Each correction leaves about `ε` of what it should remove; over frames the rest vanishes, too. While contacts open
//! and close, a small `ε` makes redundant ones do so in turn, so there are two values.
//!
//! Impulses are clamped to their cones, and the step along `d = x' − x` has the length that minimises kinetic energy,
//! `t = −w·d / ‖M⁻¹Jᵀd‖²`, at most 1.
//!
//! All of it is in the pipeline's own scalar, on boards as on hosts, so that bits are the same. With friction of sliding
//! contacts in the matrix it would not be symmetric, and in single precision not stable: that friction follows in the
//! exact passes.
//!
//! The factor follows from what contacts keep (lever arms, normals, [`Hold`], which `ε`) and from nothing else. So it
//! need not be saved: a restored state makes the same one.
mod assembly;
mod correction;
mod jointed;

use crate::math::real::Real;
use crate::math::vector::tangent_length;
use crate::problem::contact_rows::ContactRows;
use crate::problem::kept::Hold;
use crate::solve::workspace::SolverWorkspace;
use crate::space::body_factor::{BodyFactor, FactorSpan};
use crate::space::joint_row::JointRow;
use crate::sweep::rows::Rows;

/// `ε` while contacts change.
const SOFT: f64 = 3e-3;
/// `ε` when they do not, in regularisations of Newton's method: as small as the digits of the scalar allow.
const STIFF: f64 = 10.0;
/// Part of its cone's radius from which on a contact slides.
const SLIDING: f64 = 0.9995;

/// The factor of an island.
#[derive(Clone, Copy)]
struct IslandFactor {
    span: FactorSpan,
    /// Whether it was made from what its contacts keep now.
    is_made: bool,
}

/// Factors of all islands, in memory for `NF` blocks, and of as many contacts.
pub(crate) struct KeptFactor<T, const NF: usize> {
    factor: BodyFactor<T, NF>,
    island: [IslandFactor; NF],
    /// Of each row.
    pub hold: [Hold; NF],
    /// Of each row that is held: impulse per velocity, in its row's unit.
    stiffness: [T; NF],
    /// Blocks that may not be used.
    unused: u32,
}

impl<T: Real, const NF: usize> KeptFactor<T, NF> {
    pub const fn new() -> Self {
        KeptFactor {
            factor: BodyFactor::new(),
            island: [IslandFactor { span: FactorSpan::EMPTY, is_made: false }; NF],
            hold: [Hold::Unknown; NF],
            stiffness: [T::ZERO; NF],
            unused: 0,
        }
    }

    /// Memory that may be used, in blocks.
    pub fn blocks(&self) -> u32 {
        self.capacity() as u32
    }

    /// Uses no more memory than this many blocks.
    pub fn limit(&mut self, blocks: u32) {
        self.unused = (NF as u32).saturating_sub(blocks);
    }

    /// As many rows and islands can have factors as there are blocks.
    fn capacity(&self) -> usize {
        NF.saturating_sub(self.unused as usize)
    }

    /// Forgets all factors: rows are in another order, or were restored.
    pub fn clear(&mut self) {
        self.factor.clear();
        self.island.fill(IslandFactor { span: FactorSpan::EMPTY, is_made: false });
    }

    /// Reserves memory for the selected island, unless it has some; false if there is too little.
    pub fn reserve<const NB: usize, const NC: usize, R: ContactRows>(
        &mut self,
        work: &SolverWorkspace<T, NB, NC, R>,
        island: usize,
    ) -> bool {
        self.reserve_with(work, island, &[])
    }

    /// The same with joints.
    #[inline(always)]
    fn reserve_with<const NB: usize, const NC: usize, R: ContactRows>(
        &mut self,
        work: &SolverWorkspace<T, NB, NC, R>,
        island: usize,
        joints: &[JointRow<T>],
    ) -> bool {
        let capacity = self.capacity();
        if work.rows.window().end > capacity || island >= capacity {
            return false;
        }
        let Some(slot) = self.island.get_mut(island) else { return false };
        if slot.span.is_some() {
            return true;
        }
        let touching = work.jacobians.get(work.rows.window()).unwrap_or(&[]).iter().map(|jacobian| {
            let ((a, b), (a_moves, b_moves)) = (jacobian.bodies(), jacobian.moves());
            [a_moves.then_some(a as u16), b_moves.then_some(b as u16)]
        });
        let joined = joints.iter().map(|row| {
            let [a, b] = &row.sides;
            [a.moves().then_some(a.body), b.moves().then_some(b.body)]
        });
        let touching = touching.chain(joined);
        match self.factor.reserve(work.islands.bodies(), touching, capacity) {
            Some(span) => *slot = IslandFactor { span, is_made: false },
            None => return false,
        }
        true
    }

    /// Whether an island's factor is that of what its contacts keep.
    pub fn is_made(&self, island: usize) -> bool {
        self.island.get(island).is_some_and(|island| island.is_made)
    }

    /// Notes that what its contacts keep has changed.
    pub fn discard(&mut self, island: usize) {
        if let Some(slot) = self.island.get_mut(island) {
            slot.is_made = false;
        }
    }

    /// Whether some contact is new.
    pub fn has_new<const NC: usize, R: ContactRows>(&self, rows: &Rows<T, NC, R>) -> bool {
        self.hold.get(rows.window()).is_some_and(|holds| holds.contains(&Hold::Unknown))
    }

    /// Whether a contact with friction slides.
    pub fn slides<const NC: usize, R: ContactRows>(&self, rows: &Rows<T, NC, R>) -> bool {
        let mut slides = false;
        for i in rows.window() {
            slides |= self.hold.get(i) == Some(&Hold::Slides) && rows.cone[i].mu > T::ZERO;
        }
        slides
    }

    /// Takes over how contacts are by their impulses; returns how many changed. Those that are `near` stick if they
    /// are new.
    pub fn update<const NC: usize, R: ContactRows>(
        &mut self,
        rows: &Rows<T, NC, R>,
        near: impl Fn(usize) -> bool,
    ) -> u32 {
        let mut changed = 0;
        for i in rows.window() {
            let Some(hold) = self.hold.get_mut(i) else { break };
            let now = if *hold == Hold::Unknown && near(i) && !(rows.impulse[i].x > T::ZERO) {
                if rows.cone[i].mu > T::ZERO { Hold::Sticks } else { Hold::Slides }
            } else {
                hold_of(rows, i)
            };
            changed += u32::from(*hold != now);
            *hold = now;
        }
        changed
    }

    /// Whether some contact is not as the factor has it.
    pub fn differs<const NC: usize, R: ContactRows>(&self, rows: &Rows<T, NC, R>) -> bool {
        let mut differs = false;
        for i in rows.window() {
            differs |= self.hold.get(i).is_some_and(|hold| *hold != hold_of(rows, i));
        }
        differs
    }

    /// How a row is held, and its stiffness.
    #[inline(always)]
    fn held(&self, row: usize) -> Option<(Hold, T)> {
        self.hold.get(row).copied().zip(self.stiffness.get(row).copied())
    }
}

/// How a contact is by its impulse. The factor knows sliding friction only: other contacts are left to the sweeps.
fn hold_of<T: Real, const NC: usize, R: ContactRows>(rows: &Rows<T, NC, R>, i: usize) -> Hold {
    if R::HAS_MOMENTS && !rows.is_plain(i) {
        return Hold::Open;
    }
    let (Some(x), Some(cone)) = (rows.impulse.get(i), rows.cone.get(i)) else { return Hold::Open };
    if !(x.x > T::ZERO) {
        Hold::Open
    } else if tangent_length(x) < T::lit(SLIDING) * cone.radius(x.x) {
        Hold::Sticks
    } else {
        Hold::Slides
    }
}
