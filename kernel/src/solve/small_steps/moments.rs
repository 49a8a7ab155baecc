//! Contacts with friction beyond sliding in small steps.
//!
//! Second rows, those of moments, have neither depth nor bounce: passes over normals leave them out. Contacts with
//! moments are solved together with them in every pass.
//!
//! Kept impulses are along `n, t1, t2` of the normal's own frame, in N s, and moments are world vectors in N m s, so that
//! rows with other tangents or lengths can begin with them.
use nalgebra::Vector3;

use crate::local::frame::Frame;
use crate::math::real::Real;
use crate::math::vector::VectorOps;
use crate::problem::contact_rows::{Column, ContactRows};
use crate::problem::kept::IslandState;
use crate::solve::small_steps::SmallSteps;
use crate::solve::workspace::SolverWorkspace;
use crate::sweep::moment_row::{Role, rows_of, six};

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> SmallSteps<T, NB, NC, R> {
    /// Prepares the second row of a contact for the frame, if it has one.
    pub fn load_second_row(&mut self, work: &SolverWorkspace<T, NB, NC, R>, row: usize, island: IslandState) {
        if work.rows.role(row) == Role::First {
            self.load_row(row + 1, T::ZERO, T::ZERO, island);
        }
    }

    /// Takes over a second row that is new, if a row of this role has one: it has no normal.
    pub fn clear_block(&mut self, row: usize, first: Role) {
        if row < NC && first == Role::First {
            self.normal[row] = [T::ZERO; 10];
            self.hold[row] = [T::ZERO; 10];
        }
    }
}

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> SolverWorkspace<T, NB, NC, R> {
    /// Loads the kept impulse and the moment of a contact with friction beyond sliding. Others have theirs.
    pub fn load_on_surface(&mut self, row: usize, normal: &Vector3<T>, impulse: &Vector3<T>, moment: &Vector3<T>) {
        if row >= NC || self.rows.is_plain(row) {
            return;
        }
        let friction = Frame::on(normal).to_world(&Vector3::new(T::ZERO, impulse.y, impulse.z));
        let mut first = self.jacobians[row].frame().dual().components(&friction);
        first.x = impulse.x;
        let scale = self.rows.impulse_scale[row];
        let first = first.scaled(scale);
        let (Some(law), true) = (self.rows.law(row), row + 1 < NC) else {
            self.rows.impulse[row] = self.rows.cone[row].clamp(&first);
            return;
        };
        let second = self.jacobians[row + 1].frame().dual().components(moment).scaled(scale);
        (self.rows.impulse[row], self.rows.impulse[row + 1]) = rows_of(law.clamp(&six(&first, &second)));
        self.rows.target[row + 1] = T::ZERO;
        if let Some(row) = self.rows.moments.at_mut(row) {
            row.sigma = [T::ZERO; 3];
        }
    }

    /// A row's impulse along `n, t1, t2` of the normal's own frame, N s.
    #[inline(always)]
    pub fn impulse_to_keep(&self, row: usize, normal: &Vector3<T>, impulses: &[Vector3<T>; NC]) -> Vector3<T> {
        let x = impulses[row].divided(self.rows.impulse_scale[row]);
        if self.rows.is_plain(row) {
            return x;
        }
        let friction = self.jacobians[row].frame().to_world(&Vector3::new(T::ZERO, x.y, x.z));
        let mut kept = Frame::on(normal).components(&friction);
        kept.x = x.x;
        kept
    }

    /// The moment of a contact whose first row is this as a world vector, N m s; none if it has none.
    pub fn moment_to_keep(&self, row: usize, impulses: &[Vector3<T>; NC]) -> Option<Vector3<T>> {
        let second = row + 1;
        if !R::HAS_MOMENTS || second >= NC || self.rows.role(row) != Role::First {
            return None;
        }
        let x = impulses[second].divided(self.rows.impulse_scale[second]);
        Some(self.jacobians[second].frame().to_world(&x))
    }

    /// Books a row's work of friction by what it resists, J: that along its tangents, and that along its normal if that
    /// is the axis of a moment. Returns the second.
    pub fn book_friction(&mut self, row: usize, by_tangents: T, spinning: T) -> T {
        let (is_second, sum) = (self.is_second(row), self.friction_work.at_mut(0));
        let Some(sum) = sum else { return T::ZERO };
        if !is_second {
            sum.sliding += by_tangents;
            return T::ZERO;
        }
        sum.rolling += by_tangents;
        sum.spinning += spinning;
        spinning
    }

    /// Moves impulses of the window into what their contacts allow.
    pub fn clamp_impulses(&mut self) {
        for i in self.rows.window() {
            match self.rows.law(i) {
                Some(law) if i + 1 < NC => {
                    let x = law.clamp(&self.rows.impulse_in_six(i));
                    (self.rows.impulse[i], self.rows.impulse[i + 1]) = rows_of(x);
                }
                _ if R::HAS_MOMENTS && self.rows.role(i) == Role::Second => {}
                _ => self.rows.impulse[i] = self.rows.cone[i].clamp(&self.rows.impulse[i]),
            }
        }
    }

    /// Whether a row has moments of the contact before.
    #[inline(always)]
    pub fn is_second(&self, row: usize) -> bool {
        R::HAS_MOMENTS && self.rows.role(row) == Role::Second
    }
}
