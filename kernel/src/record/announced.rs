//! What only some solves and steps have in their records: friction beyond sliding, and joints. An observer is told of
//! both before the input begins.
use crate::math::real::Real;
use crate::problem::contact_rows::{Column, ContactRows};
use crate::record::format::{VERSION, WITH_JOINTS, WITH_SURFACES};
use crate::record::joints::joints_length;
use crate::record::surfaces::surfaces_length;

/// How many surfaces and joints the next and the present solve have. Nothing where `R` has neither.
pub(crate) struct Announced<R: ContactRows> {
    next_surfaces: R::Column<u16, 1>,
    surfaces: R::Column<u16, 1>,
    /// Whether the present one is a step.
    is_step: R::Column<bool, 1>,
    next_joints: R::IfJoints<u16, 1>,
    joints: R::IfJoints<u16, 1>,
}

impl<R: ContactRows> Announced<R> {
    pub const fn new() -> Self {
        Announced {
            next_surfaces: R::Column::PLAIN,
            surfaces: R::Column::PLAIN,
            is_step: R::Column::PLAIN,
            next_joints: R::IfJoints::PLAIN,
            joints: R::IfJoints::PLAIN,
        }
    }

    /// The next solve has so many surfaces.
    pub fn announce_surfaces(&mut self, count: usize) {
        if let Some(next) = self.next_surfaces.at_mut(0) {
            *next = count as u16;
        }
    }

    /// The next step has so many joints.
    pub fn announce_joints(&mut self, count: usize) {
        if let Some(next) = self.next_joints.at_mut(0) {
            *next = count as u16;
        }
    }

    /// The next solve is the present one.
    #[inline(always)]
    pub fn begin(&mut self, is_step: bool) {
        if let (Some(present), Some(next)) = (self.surfaces.at_mut(0), self.next_surfaces.at_mut(0)) {
            *present = core::mem::take(next);
        }
        if let (Some(present), Some(next)) = (self.joints.at_mut(0), self.next_joints.at_mut(0)) {
            *present = core::mem::take(next);
        }
        if let Some(present) = self.is_step.at_mut(0) {
            *present = is_step;
        }
    }

    /// Surfaces of the present solve.
    #[inline(always)]
    pub fn surfaces(&self) -> usize {
        self.surfaces.at(0).map_or(0, |count| usize::from(*count))
    }

    /// Joints of the present step.
    #[inline(always)]
    pub fn joints(&self) -> usize {
        self.joints.at(0).map_or(0, |count| usize::from(*count))
    }

    /// Whether the present one is a step, where there can be surfaces.
    pub fn is_step(&self) -> bool {
        self.is_step.at(0).is_some_and(|is_step| *is_step)
    }

    /// Version of the present one's blocks.
    #[inline(always)]
    pub fn version(&self) -> u8 {
        let surfaces = if self.surfaces() > 0 { WITH_SURFACES } else { 0 };
        let joints = if self.joints() > 0 { WITH_JOINTS } else { 0 };
        VERSION + surfaces + joints
    }

    /// Bytes that they take in the present one's input.
    #[inline(always)]
    pub fn length<T: Real>(&self) -> usize {
        surfaces_length::<T>(self.surfaces()) + joints_length::<T>(self.joints())
    }
}
