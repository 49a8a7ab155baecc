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
//! The factor follows from what contacts keep (lever arms, normals, [`Hold`], which `ε`) and from nothing else. So it
//! need not be saved: a restored state makes the same one.
use nalgebra::{Matrix3, Vector3};

use crate::math::lanes::Lanes3;
use crate::math::real::{Real, positive_part};
use crate::math::vector::{VectorOps, tangent_length};
use crate::problem::kept::Hold;
use crate::solve::workspace::SolverWorkspace;
use crate::space::block6::Block6;
use crate::space::body_factor::{BodyFactor, FactorSpan};
use crate::space::velocity::Velocity;
use crate::sweep::rows::Rows;

/// `ε` while contacts change.
const SOFT: f64 = 3e-3;
/// `ε` when they do not.
const STIFF: f64 = 1e-4;
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

    /// Uses no more memory than this many blocks; false if there are fewer.
    pub fn limit(&mut self, blocks: u32) -> bool {
        self.unused = (NF as u32).saturating_sub(blocks);
        blocks <= NF as u32
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

    /// Allocates memory for the selected island, unless it has some; false if there is too little.
    pub fn allocate<const NB: usize, const NC: usize>(
        &mut self,
        work: &SolverWorkspace<T, NB, NC>,
        island: usize,
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
        match self.factor.allocate(work.islands.bodies(), touching, capacity) {
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
    pub fn has_new<const NC: usize>(&self, rows: &Rows<T, NC>) -> bool {
        self.hold.get(rows.window()).is_some_and(|holds| holds.contains(&Hold::Unknown))
    }

    /// Whether a contact with friction slides.
    pub fn slides<const NC: usize>(&self, rows: &Rows<T, NC>) -> bool {
        let mut slides = false;
        for i in rows.window() {
            slides |= self.hold.get(i) == Some(&Hold::Slides) && rows.cone[i].mu > T::ZERO;
        }
        slides
    }

    /// Takes over how contacts are by their impulses; returns how many changed. Those that are `near` stick if they
    /// are new.
    pub fn update<const NC: usize>(&mut self, rows: &Rows<T, NC>, near: impl Fn(usize) -> bool) -> u32 {
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
    pub fn differs<const NC: usize>(&self, rows: &Rows<T, NC>) -> bool {
        let mut differs = false;
        for i in rows.window() {
            differs |= self.hold.get(i).is_some_and(|hold| *hold != hold_of(rows, i));
        }
        differs
    }

    /// Makes the selected island's factor; false if it cannot be made in this arithmetic.
    #[inline(never)]
    pub fn make<const NB: usize, const NC: usize>(
        &mut self,
        work: &SolverWorkspace<T, NB, NC>,
        island: usize,
        is_stiff: bool,
        mass_of: &dyn Fn(usize) -> Option<(T, Matrix3<T>)>,
    ) -> bool {
        let Some(span) = self.island.get(island).map(|island| island.span) else { return false };
        self.factor.begin(span);
        let bodies = work.islands.bodies();
        for body in bodies {
            let Some((mass, inertia)) = mass_of(usize::from(*body)) else { return false };
            let place = self.factor.place(span, bodies, *body);
            if let Some(block) = place.and_then(|place| self.factor.diagonal(place)) {
                add_mass(block, mass, &inertia);
            }
        }
        let softness = if is_stiff { T::lit(STIFF) } else { T::lit(SOFT) };
        for i in work.rows.window() {
            if let Some(stiffness) = self.stiffness.get_mut(i) {
                *stiffness = T::ONE / (softness * work.rows.block[i].size());
            }
            self.add_contact(work, span, i);
        }
        let is_made = self.factor.factor(span);
        if let Some(slot) = self.island.get_mut(island) {
            slot.is_made = is_made;
        }
        is_made
    }

    /// How a row is held, and its stiffness.
    #[inline(always)]
    fn held(&self, row: usize) -> Option<(Hold, T)> {
        self.hold.get(row).copied().zip(self.stiffness.get(row).copied())
    }

    /// Adds a contact to the matrix.
    fn add_contact<const NB: usize, const NC: usize>(
        &mut self,
        work: &SolverWorkspace<T, NB, NC>,
        span: FactorSpan,
        i: usize,
    ) {
        let (Some(jacobian), Some((hold, s))) = (work.jacobians.get(i), self.held(i)) else { return };
        if i >= NC || hold == Hold::Open {
            return;
        }
        let s = s / work.rows.impulse_scale[i];
        let ((a, b), (a_moves, b_moves), (r_a, r_b)) = (jacobian.bodies(), jacobian.moves(), jacobian.arms());
        let n = (hold == Hold::Slides).then(|| jacobian.normal().vector());
        let bodies = work.islands.bodies();
        let place = |body: usize, moves: bool| {
            if moves { self.factor.place(span, bodies, body as u16) } else { None }
        };
        let (at_a, at_b) = (place(a, a_moves), place(b, b_moves));
        for (at, r) in [(at_a, &r_a), (at_b, &r_b)] {
            if let Some(block) = at.and_then(|at| self.factor.diagonal(at)) {
                add(block, s, n.as_ref(), r, r);
            }
        }
        if let (Some(a), Some(b)) = (at_a, at_b) {
            let (earlier, later, arms) = if a < b { (a, b, (&r_b, &r_a)) } else { (b, a, (&r_a, &r_b)) };
            if let Some(block) = self.factor.below(span, earlier, later) {
                add(block, -s, n.as_ref(), arms.0, arms.1);
            }
        }
    }

    /// Impulses on the bodies that the factor is solved for; leaves contact velocities less targets in the rows'
    /// directions.
    #[inline(never)]
    fn load<const NB: usize, const NC: usize>(
        &self,
        work: &mut SolverWorkspace<T, NB, NC>,
        change: &mut [Velocity<T>; NB],
    ) {
        let SolverWorkspace { islands, rows, jacobians, velocity, .. } = work;
        for body in islands.members() {
            change[body] = Velocity::ZERO;
        }
        for i in rows.window() {
            let (jacobian, Some((hold, s))) = (&jacobians[i], self.held(i)) else { continue };
            let (a, b) = jacobian.bodies();
            let (Some(v_a), Some(v_b)) = (velocity.get(a), velocity.get(b)) else { continue };
            let (a_moves, b_moves) = jacobian.moves();
            for (body, moves) in [(a, a_moves), (b, b_moves)] {
                if let Some(slot) = change.get_mut(body).filter(|_| !moves) {
                    *slot = Velocity::ZERO;
                }
            }
            let w = jacobian.approach(v_a, v_b).minus(jacobian.normal().scaled(rows.target[i]));
            rows.direction[i] = w.vector();
            let s = s / rows.impulse_scale[i];
            let push = match hold {
                Hold::Sticks => w.scaled(-s),
                Hold::Slides => jacobian.normal().scaled(-s * jacobian.normal_of(&rows.direction[i])),
                Hold::Open | Hold::Unknown => continue,
            };
            jacobian.push_momentum(change, push);
        }
    }

    /// Velocities that move the contacts that are held apart at their targets, along their normals, and in no other
    /// direction.
    #[inline(never)]
    pub fn separate<const NB: usize, const NC: usize>(
        &self,
        work: &SolverWorkspace<T, NB, NC>,
        island: usize,
        change: &mut [Velocity<T>; NB],
    ) {
        let Some(IslandFactor { span, .. }) = self.island.get(island) else { return };
        let SolverWorkspace { islands, rows, jacobians, .. } = work;
        for body in islands.members() {
            change[body] = Velocity::ZERO;
        }
        for i in rows.window() {
            let (jacobian, Some((hold, s))) = (&jacobians[i], self.held(i)) else { continue };
            if hold == Hold::Sticks || hold == Hold::Slides {
                let s = s / rows.impulse_scale[i];
                jacobian.push_momentum(change, jacobian.normal().scaled(s * rows.target[i]));
            }
        }
        self.factor.solve(*span, change);
    }

    /// Corrects the impulses and velocities of the selected island. `square_of` is the square of a velocity change of a
    /// body in the measure of its mass; `change` and `before` are scratch.
    #[inline(never)]
    pub fn correct<const NB: usize, const NC: usize>(
        &self,
        work: &mut SolverWorkspace<T, NB, NC>,
        island: usize,
        change: &mut [Velocity<T>; NB],
        before: &mut [Velocity<T>; NB],
        square_of: impl Fn(usize, &Velocity<T>) -> T,
    ) {
        let Some(IslandFactor { span, .. }) = self.island.get(island) else { return };
        self.load(work, change);
        self.factor.solve(*span, change);
        let SolverWorkspace { islands, rows, jacobians, velocity, .. } = work;
        for body in islands.members() {
            before[body] = velocity[body];
        }
        let mut slope = T::ZERO;
        for i in rows.window() {
            let (jacobian, Some((hold, s))) = (&jacobians[i], self.held(i)) else { continue };
            let (a, b) = jacobian.bodies();
            let (Some(dv_a), Some(dv_b)) = (change.get(a), change.get(b)) else { continue };
            let (w, x) = (rows.direction[i], rows.impulse[i]);
            let left = w.plus(&jacobian.approach(dv_a, dv_b).vector());
            let after = match hold {
                Hold::Sticks => rows.cone[i].clamp(&x.minus(&jacobian.along(&left).scaled(s))),
                Hold::Slides => sliding(&x, positive_part(x.x - s * jacobian.normal_of(&left))),
                Hold::Open | Hold::Unknown => x,
            };
            let step = after.minus(&x);
            slope += jacobian.along(&w).dot(&step) / rows.impulse_scale[i];
            rows.direction[i] = step;
            rows.impulse[i] = after;
            jacobian.push(velocity, T::Lanes3::of(&step));
        }
        let mut square = T::ZERO;
        for body in islands.members() {
            square += square_of(body, &velocity[body].minus(&before[body]));
        }
        let length = step_length(-slope / square);
        if length < T::ONE {
            for body in islands.members() {
                let way = velocity[body].minus(&before[body]);
                velocity[body] = if length > T::ZERO { before[body].plus(&way.scaled(length)) } else { before[body] };
            }
            for i in rows.window() {
                let (after, step) = (rows.impulse[i], rows.direction[i]);
                rows.impulse[i] = after.minus(&step.scaled(T::ONE - length));
                rows.impulse[i].x = positive_part(rows.impulse[i].x);
            }
        }
    }
}

/// The step's length: the whole one if that is nearly the best, none if energy does not fall along it.
fn step_length<T: Real>(best: T) -> T {
    if best >= T::lit(0.9) {
        T::ONE
    } else if best >= T::lit(0.02) {
        best
    } else {
        T::ZERO
    }
}

/// An impulse on the rim of its cone with another normal part.
fn sliding<T: Real>(x: &Vector3<T>, normal: T) -> Vector3<T> {
    let scale = if x.x > T::ZERO { normal / x.x } else { T::ZERO };
    Vector3::new(normal, x.y * scale, x.z * scale)
}

/// How a contact is by its impulse.
fn hold_of<T: Real, const NC: usize>(rows: &Rows<T, NC>, i: usize) -> Hold {
    let (Some(x), Some(cone)) = (rows.impulse.get(i), rows.cone.get(i)) else { return Hold::Open };
    if !(x.x > T::ZERO) {
        Hold::Open
    } else if tangent_length(x) < T::lit(SLIDING) * cone.radius(x.x) {
        Hold::Sticks
    } else {
        Hold::Slides
    }
}

fn add_mass<T: Real>(block: &mut Block6<T>, mass: T, inertia: &Matrix3<T>) {
    block.add_diagonal(0, 3, mass);
    let i = inertia;
    let columns = [[i.m11, i.m21, i.m31], [i.m12, i.m22, i.m32], [i.m13, i.m23, i.m33]];
    for (k, [x, y, z]) in columns.into_iter().enumerate() {
        block.add_column(3 + k, &Velocity::new(&Vector3::zeros(), &Vector3::new(x, y, z)));
    }
}

/// Adds a contact between lever arms `q` of the row's body and `p` of the column's.
fn add<T: Real>(block: &mut Block6<T>, s: T, normal: Option<&Vector3<T>>, q: &Vector3<T>, p: &Vector3<T>) {
    let columns: [Velocity<T>; 6] = match normal {
        Some(n) => {
            let (g_q, g_p) = (Velocity::new(n, &q.cross(n)), (n, p.cross(n)));
            [g_p.0.x, g_p.0.y, g_p.0.z, g_p.1.x, g_p.1.y, g_p.1.z].map(|part| g_q.scaled(s * part))
        }
        None => {
            let dot = q.dot(p);
            let unit = |k: usize| Vector3::from_fn(|row, _| if row == k { T::ONE } else { T::ZERO });
            core::array::from_fn(|column| {
                let (e, part) = (unit(column % 3), [q.x, q.y, q.z][column % 3]);
                let column = if column < 3 {
                    Velocity::new(&e, &q.cross(&e))
                } else {
                    Velocity::new(&e.cross(p), &e.scaled(dot).minus(&p.scaled(part)))
                };
                column.scaled(s)
            })
        }
    };
    for (k, column) in columns.iter().enumerate() {
        block.add_column(k, column);
    }
}
