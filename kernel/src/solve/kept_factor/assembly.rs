//! The matrix of an island, contact by contact in closed form, and its factor.
use nalgebra::{Matrix3, Vector3};

use crate::math::lanes::Lanes3;
use crate::math::real::Real;
use crate::math::vector::VectorOps;
use crate::problem::contact_rows::ContactRows;
use crate::problem::kept::Hold;
use crate::solve::kept_factor::{KeptFactor, SOFT, STIFF};
use crate::solve::workspace::SolverWorkspace;
use crate::space::block6::Block6;
use crate::space::body_factor::FactorSpan;
use crate::space::joint_row::JointRow;
use crate::space::velocity::Velocity;

impl<T: Real, const NF: usize> KeptFactor<T, NF> {
    /// Makes the selected island's factor; false if it cannot be made in this arithmetic.
    #[inline(never)]
    pub fn make<const NB: usize, const NC: usize, R: ContactRows>(
        &mut self,
        work: &SolverWorkspace<T, NB, NC, R>,
        island: usize,
        is_stiff: bool,
        mass_of: &dyn Fn(usize) -> Option<(T, Matrix3<T>)>,
    ) -> bool {
        self.make_with(work, island, is_stiff, mass_of, &[])
    }

    /// The same with joints.
    #[inline(always)]
    pub(super) fn make_with<const NB: usize, const NC: usize, R: ContactRows>(
        &mut self,
        work: &SolverWorkspace<T, NB, NC, R>,
        island: usize,
        is_stiff: bool,
        mass_of: &dyn Fn(usize) -> Option<(T, Matrix3<T>)>,
        joints: &[JointRow<T>],
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
        let softness = if is_stiff { T::lit(STIFF) * T::NEWTON_REGULARISATION } else { T::lit(SOFT) };
        for i in work.rows.window() {
            if let Some(stiffness) = self.stiffness.get_mut(i) {
                *stiffness = T::ONE / (softness * work.rows.block[i].size());
            }
            self.add_contact(work, span, i);
        }
        for row in joints {
            self.add_joint(bodies, span, row);
        }
        let is_made = self.factor.factor(span);
        if let Some(slot) = self.island.get_mut(island) {
            slot.is_made = is_made;
        }
        is_made
    }

    /// Adds a contact to the matrix.
    fn add_contact<const NB: usize, const NC: usize, R: ContactRows>(
        &mut self,
        work: &SolverWorkspace<T, NB, NC, R>,
        span: FactorSpan,
        i: usize,
    ) {
        let (Some(jacobian), Some((hold, s))) = (work.jacobians.get(i), self.held(i)) else { return };
        if i >= NC || hold == Hold::Open || hold == Hold::Unknown {
            return;
        }
        let s = s / work.rows.impulse_scale[i];
        let ((a, b), (a_moves, b_moves), arms) = (jacobian.bodies(), jacobian.moves(), jacobian.arms());
        let (r_a, r_b) = (arms.0.vector(), arms.1.vector());
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
            let linear = |e: &Vector3<T>| Velocity::new(e, &q.cross(e)).scaled(s);
            let angular =
                |e: &Vector3<T>, part: T| Velocity::new(&e.cross(p), &e.scaled(dot).minus(&p.scaled(part))).scaled(s);
            let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
            [linear(&x), linear(&y), linear(&z), angular(&x, q.x), angular(&y, q.y), angular(&z, q.z)]
        }
    };
    for (k, column) in columns.iter().enumerate() {
        block.add_column(k, column);
    }
}
