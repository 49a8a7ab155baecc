//! The linear equations of a direct method, one 3-vector a contact:
//!
//! ```text
//! R_i dx_i + S_i Σ_j C_ij dx_j = g_i
//! ```
//!
//! with `C_ij` the velocity of contact `i` per impulse of contact `j`. In contact space they are factored as they
//! stand. In body space, with `C = J M⁻¹Jᵀ` and `dv = M⁻¹Jᵀ dx`, the impulse of a contact follows from its bodies,
//!
//! ```text
//! dx_i = R_i⁻¹ (g_i − S_i J_i dv),      (I + M⁻¹Jᵀ R⁻¹S J) dv = M⁻¹Jᵀ R⁻¹ g
//! ```
//!
//! which takes less memory and time where bodies have several contacts, and needs no inverse of an inverse mass. `R⁻¹`
//! multiplies a difference of nearly equal velocities, so `R` must not be tiny: the methods see to that.
//!
//! A contact with moments has two lines. Its `R` and `S` are 6×6, and are multiplied by `R⁻¹` at once: then `R` is the
//! unit matrix, and the four 3×3 parts of `S` take the places of `R` and `S` in the two lines.
use nalgebra::{Matrix3, Vector3};

use crate::direct::body_blocks::{NONE, PairBlocks, body_rows_of, unit_row, velocity_at};
use crate::direct::contact_system::ContactSystem;
use crate::local::moment_derivative::Six2;
use crate::local::moment_law::Six;
use crate::math::block_lu::BlockLu;
use crate::math::real::Real;
use crate::math::square::{inverse, inverted, product as square_product, square};
use crate::math::vector::{product, zero3};
use crate::problem::contact_rows::ContactRows;
use crate::sweep::moment_row::{Role, rows_of};

/// One contact's equation, and its answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Equation<T> {
    /// `R`.
    own: Matrix3<T>,
    /// `S`.
    through: Matrix3<T>,
    /// `g`.
    wanted: Vector3<T>,
    /// `dx`.
    pub step: Vector3<T>,
}

impl<T: Real> Equation<T> {
    pub const EMPTY: Self = {
        let matrix = Matrix3::from_array_storage(nalgebra::ArrayStorage([[T::ZERO; 3]; 3]));
        let zero = zero3();
        Equation { own: matrix, through: matrix, wanted: zero, step: zero }
    };

    pub fn new(own: Matrix3<T>, through: Matrix3<T>, wanted: Vector3<T>) -> Self {
        Equation { own, through, wanted, ..Equation::EMPTY }
    }

    /// The two lines of a contact with moments, from its 6×6 `R` and `S`; no change where `R` has no inverse.
    pub fn pair(own: &Six2<T>, through: &Six2<T>, wanted: &Six<T>) -> [Self; 2] {
        let Some(inverse) = inverted(own) else { return [Equation::EMPTY; 2] };
        let through = square_product(&inverse, through);
        let mut steps = [T::ZERO; 6];
        for (step, row) in steps.iter_mut().zip(&inverse) {
            *step = row.iter().zip(wanted).fold(T::ZERO, |sum, (entry, wanted)| sum + *entry * *wanted);
        }
        let part = |i: usize, j: usize| {
            let row = |row: usize| through.get(3 * i + row).and_then(|row| row.get(3 * j..)?.first_chunk::<3>());
            match (row(0), row(1), row(2)) {
                (Some([a, b, c]), Some([d, e, f]), Some([g, h, k])) => Matrix3::new(*a, *b, *c, *d, *e, *f, *g, *h, *k),
                _ => Matrix3::zeros(),
            }
        };
        let (first, second) = rows_of(steps);
        [Equation::new(part(0, 0), part(0, 1), first), Equation::new(part(1, 0), part(1, 1), second)]
    }

    /// `R⁻¹`; zero if there is none, and then the contact keeps its impulse.
    fn inverse(&self) -> Matrix3<T> {
        inverse(&self.own).unwrap_or_else(Matrix3::zeros)
    }
}

/// There are far fewer bodies than contacts, so that body space is faster, ten times on walls. But it loses digits,
/// which single precision cannot spare: there it comes first only with one body and on islands of more contacts than this.
const MANY: usize = 100;

/// Which space the factor is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    /// One node per contact.
    Contacts,
    /// One node per body.
    Bodies { count: usize },
}

/// Where equations are solved.
pub(crate) struct Equations<'a, T> {
    pub factor: BlockLu<'a, T>,
    /// The equations, contact by contact.
    pub lines: &'a mut [Equation<T>],
    /// The nodes of a contact's two bodies.
    pub body_nodes: &'a mut [[u16; 2]],
    /// The bodies of nodes.
    pub bodies: &'a mut [u16],
    pub values: &'a mut [[T; 6]],
    pub space: Space,
}

impl<T: Real> Equations<'_, T> {
    /// Assigns memory in one of the two spaces; false if it is too little for both.
    pub fn prepare(&mut self, problem: &dyn ContactSystem<T>) -> bool {
        let contacts = problem.len();
        if contacts > self.body_nodes.len() {
            return false;
        }
        let bodies = self.number_bodies(problem).map(|count| Space::Bodies { count });
        let over_contacts = Some(Space::Contacts);
        let few_bodies = contacts > MANY || bodies == Some(Space::Bodies { count: 1 });
        let spaces = if T::BYTES > 4 || few_bodies { [bodies, over_contacts] } else { [over_contacts, bodies] };
        for space in spaces.into_iter().flatten() {
            self.space = space;
            if self.analyse(problem) {
                return true;
            }
        }
        false
    }

    /// Numbers the bodies that contacts move; `None` if there are none or too many.
    fn number_bodies(&mut self, problem: &dyn ContactSystem<T>) -> Option<usize> {
        let mut count = 0;
        for i in 0..problem.len() {
            for side in 0..2 {
                let mut node = NONE;
                if let Some(body_rows) = problem.body_rows(i, side) {
                    let known = self.bodies.get(..count)?;
                    let at = known.iter().position(|body| usize::from(*body) == body_rows.body).unwrap_or(count);
                    *self.bodies.get_mut(at)? = body_rows.body as u16;
                    count = if at == count { count + 1 } else { count };
                    node = at as u16;
                }
                *self.body_nodes.get_mut(i)?.get_mut(side)? = node;
            }
        }
        (count > 0).then_some(count)
    }

    fn analyse(&mut self, problem: &dyn ContactSystem<T>) -> bool {
        let contacts = problem.len();
        match self.space {
            Space::Contacts => self.factor.analyse::<3>(contacts, &|node, found| {
                (0..contacts).filter(|other| *other != node && problem.touch(node, *other)).for_each(found);
            }),
            Space::Bodies { count } => {
                let nodes = &*self.body_nodes;
                self.factor.analyse::<6>(count, &|node, found| {
                    for [a, b] in nodes.iter().take(contacts).map(|pair| pair.map(usize::from)) {
                        if a == node && b < count {
                            found(b);
                        } else if b == node && a < count {
                            found(a);
                        }
                    }
                })
            }
        }
    }

    /// Softness that redundant contacts need, relative to their own blocks.
    pub fn softness(&self) -> T {
        match self.space {
            Space::Contacts => T::NEWTON_REGULARISATION,
            Space::Bodies { .. } => T::lit(100.0) * T::NEWTON_REGULARISATION,
        }
    }

    /// Factors the equations; false where a pivot vanishes.
    pub fn factor<K: ContactRows>(&mut self, problem: &dyn ContactSystem<T>) -> bool {
        self.factor.clear();
        match self.space {
            Space::Contacts => {
                self.fill_contacts::<K>(problem);
                self.factor.eliminate::<3>(problem.len())
            }
            Space::Bodies { count } => {
                self.fill_bodies::<K>(problem, count);
                self.factor.eliminate::<6>(count)
            }
        }
    }

    fn fill_contacts<K: ContactRows>(&mut self, problem: &dyn ContactSystem<T>) {
        let count = problem.len();
        for (i, Equation { own, through, .. }) in self.lines.iter().enumerate().take(count) {
            if K::HAS_MOMENTS && problem.role(i) != Role::Alone {
                // Both rows of the contact act through both of its velocities.
                let first = if problem.role(i) == Role::First { i } else { i - 1 };
                for j in (0..count).filter(|j| *j == i || problem.touch(i, *j)) {
                    let block =
                        product(own, &problem.coupling(first, j)) + product(through, &problem.coupling(first + 1, j));
                    self.factor.add(i, j, &square(&if i == j { block + Matrix3::identity() } else { block }));
                }
                continue;
            }
            self.factor.add(i, i, &square(&(own + product(through, &problem.coupling(i, i)))));
            for j in (0..count).filter(|j| *j != i && problem.touch(i, *j)) {
                self.factor.add(i, j, &square(&product(through, &problem.coupling(i, j))));
            }
        }
    }

    fn fill_bodies<K: ContactRows>(&mut self, problem: &dyn ContactSystem<T>, count: usize) {
        for body in 0..count {
            self.factor.add(body, body, &core::array::from_fn(|i| unit_row(i)));
        }
        // Contacts of the same two bodies mostly follow each other: their blocks are added up before they are stored.
        let mut pair = PairBlocks::new([NONE; 2]);
        for (i, line) in self.lines.iter().enumerate().take(problem.len()) {
            let nodes = self.body_nodes.get(i).copied().unwrap_or([NONE; 2]);
            if nodes != pair.nodes {
                pair.add_to(&mut self.factor);
                pair = PairBlocks::new(nodes);
            }
            let sides = |row: usize| [problem.body_rows(row, 0), problem.body_rows(row, 1)];
            let own = sides(i);
            match if K::HAS_MOMENTS { problem.role(i) } else { Role::Alone } {
                Role::Alone => pair.add_rows(&own, &product(&line.inverse(), &line.through), &own),
                Role::First => {
                    pair.add_rows(&own, &line.own, &own);
                    pair.add_rows(&own, &line.through, &sides(i + 1));
                }
                Role::Second => {
                    pair.add_rows(&own, &line.own, &sides(i - 1));
                    pair.add_rows(&own, &line.through, &own);
                }
            }
        }
        pair.add_to(&mut self.factor);
    }

    /// Solves for the steps, with the factor at hand; the left sides must be those that were factored.
    pub fn solve<K: ContactRows>(&mut self, problem: &dyn ContactSystem<T>) {
        let contacts = problem.len();
        match self.space {
            Space::Contacts => {
                for (slot, line) in self.values.iter_mut().zip(&*self.lines).take(contacts) {
                    let wanted = line.wanted;
                    *slot = [wanted.x, wanted.y, wanted.z, T::ZERO, T::ZERO, T::ZERO];
                }
                self.factor.solve::<3>(contacts, self.values);
                for (line, [x, y, z, ..]) in self.lines.iter_mut().zip(&*self.values).take(contacts) {
                    line.step = Vector3::new(*x, *y, *z);
                }
            }
            Space::Bodies { count } => self.solve_bodies::<K>(problem, count),
        }
    }

    fn solve_bodies<K: ContactRows>(&mut self, problem: &dyn ContactSystem<T>, count: usize) {
        self.push_bodies::<K>(problem, count);
        self.factor.solve::<6>(count, self.values);
        for (i, line) in self.lines.iter_mut().enumerate().take(problem.len()) {
            if K::HAS_MOMENTS && problem.role(i) != Role::Alone {
                let first = if problem.role(i) == Role::First { i } else { i - 1 };
                let velocity = |row| velocity_at(self.body_nodes, self.values, problem, row);
                line.step = line.wanted - line.own * velocity(first) - line.through * velocity(first + 1);
                continue;
            }
            let velocity = velocity_at(self.body_nodes, self.values, problem, i);
            line.step = line.inverse() * (line.wanted - line.through * velocity);
        }
    }

    /// `M⁻¹Jᵀ R⁻¹ g`, into the values.
    fn push_bodies<K: ContactRows>(&mut self, problem: &dyn ContactSystem<T>, count: usize) {
        self.values.iter_mut().take(count).for_each(|slot| *slot = [T::ZERO; 6]);
        for (i, line) in self.lines.iter().enumerate().take(problem.len()) {
            let is_pair = K::HAS_MOMENTS && problem.role(i) != Role::Alone;
            let impulse = if is_pair { line.wanted } else { line.inverse() * line.wanted };
            for (node, body_rows) in body_rows_of(self.body_nodes, problem, i) {
                let Some(slot) = self.values.get_mut(node) else { continue };
                for (inv_mass_jacobian, part) in body_rows.inv_mass_jacobian.iter().zip(impulse.iter()) {
                    slot.iter_mut()
                        .zip(inv_mass_jacobian)
                        .for_each(|(sum, inv_mass_jacobian)| *sum += *inv_mass_jacobian * *part);
                }
            }
        }
    }
}
