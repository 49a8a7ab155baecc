//! Bodies and contacts, read in place from an engine's own memory.

use nalgebra::{Matrix3, Vector3};
use stiction::nalgebra;
use stiction::{Body, Contact, Real, WarmStart};

use crate::error::{Error, Fault};
use crate::view::{Column, ColumnMut, View, ViewMut};

/// Bodies of a solve: one view for each quantity. Vectors are in world axes.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Bodies<T> {
    /// Number of bodies, including those that cannot move.
    pub count: usize,
    /// 1/mass, 1/kg; 0 for a body that cannot move.
    pub inverse_mass: View<T>,
    /// Inverse inertia about the centre of mass in world axes, 9 numbers, 1/(kg m^2). Symmetric; all 0 for a body that
    /// cannot move or rotate.
    pub inverse_inertia_world: View<T>,
    /// Velocity of the centre of mass, 3 numbers, m/s. Read, and written by a solve.
    pub linear_velocity: ViewMut<T>,
    /// Angular velocity, 3 numbers, rad/s. Read, and written by a solve.
    pub angular_velocity: ViewMut<T>,
    /// Centre of mass in world coordinates, 3 numbers, m. Read only if contacts give points instead of arms; may be
    /// null otherwise.
    pub position: View<T>,
}

/// Contacts of a solve: one view for each quantity. Vectors are in world axes.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Contacts<T> {
    /// Number of contacts.
    pub count: usize,
    /// Index of body A.
    pub a: View<u32>,
    /// Index of body B.
    pub b: View<u32>,
    /// Unit normal from A to B, 3 numbers.
    pub normal: View<T>,
    /// From A's centre of mass to the contact point, 3 numbers, m; null if `point` is given.
    pub r_a: View<T>,
    /// From B's centre of mass to the contact point, 3 numbers, m; null if `point` is given.
    pub r_b: View<T>,
    /// The contact point in world coordinates, 3 numbers, m; null if the arms are given.
    pub point: View<T>,
    /// Friction coefficient of the pair.
    pub mu: View<T>,
    /// Restitution of the pair, 0 to 1; null for 0.
    pub restitution: View<T>,
    /// Penetration depth, m, negative for a gap that may close within the step; null for 0.
    pub depth: View<T>,
    /// Normal velocity (B minus A) recorded before impact, m/s; null to compute it from the velocities.
    pub pre_impact_normal_velocity: View<T>,
    /// Normal impulse of the warm start, N s; null for 0.
    pub warm_normal_impulse: View<T>,
    /// Friction impulse on B of the warm start, as a world vector, 3 numbers, N s; null for 0.
    pub warm_tangent_impulse: View<T>,
    /// Largest moment about the normal over the normal impulse, m; null for 0. This view and those below need a solver
    /// with moments. A contact with torsion or rolling takes two places of its capacity.
    pub torsion: View<T>,
    /// Largest moment against rolling over the normal impulse, m; null for 0.
    pub rolling: View<T>,
    /// Friction coefficient across `friction_direction`; `mu` is the one along it. Null where `friction_direction` is.
    pub mu_across: View<T>,
    /// A world vector of any length, 3 numbers, of which the part at right angles to the normal is used. Where all
    /// three are 0, or the view is null, friction does not depend on the direction, and `mu_across` is not read.
    pub friction_direction: View<T>,
    /// Not 0 where sliding and torsion share one bound, as under a disc that slides and spins; null for 0.
    pub is_joined: View<u32>,
    /// Moment on B of the warm start, as a world vector, 3 numbers, N m s; null for 0.
    pub warm_moment: View<T>,
}

/// Checked columns of bodies.
pub struct BodyColumns<'a, T> {
    /// Number of bodies.
    pub count: usize,
    inverse_mass: Column<'a, T, 1>,
    inverse_inertia_world: Column<'a, T, 9>,
    /// Linear velocities, read and written.
    pub linear_velocity: ColumnMut<'a, T, 3>,
    /// Angular velocities, read and written.
    pub angular_velocity: ColumnMut<'a, T, 3>,
    position: Option<Column<'a, T, 3>>,
}

/// How the contact points are given.
enum Arms<'a, T> {
    From(Column<'a, T, 3>, Column<'a, T, 3>),
    To(Column<'a, T, 3>, Column<'a, T, 3>),
}

/// Checked columns of contacts.
pub struct ContactColumns<'a, T> {
    /// Number of contacts.
    pub count: usize,
    a: Column<'a, u32, 1>,
    b: Column<'a, u32, 1>,
    normal: Column<'a, T, 3>,
    arms: Arms<'a, T>,
    mu: Column<'a, T, 1>,
    restitution: Column<'a, T, 1>,
    depth: Column<'a, T, 1>,
    before: Option<Column<'a, T, 1>>,
    warm_normal_impulse: Column<'a, T, 1>,
    warm_tangent_impulse: Column<'a, T, 3>,
}

impl<T: Real> Bodies<T> {
    /// Checks pointers, strides and counts. Values are validated later, by the kernel.
    #[inline(always)]
    pub fn columns<'a>(&self) -> Result<BodyColumns<'a, T>, Fault> {
        let count = self.count;
        Ok(BodyColumns {
            count,
            inverse_mass: self.inverse_mass.column(count, "bodies.inverse_mass")?,
            inverse_inertia_world: self.inverse_inertia_world.column(count, "bodies.inverse_inertia_world")?,
            linear_velocity: self.linear_velocity.column(count, "bodies.linear_velocity")?,
            angular_velocity: self.angular_velocity.column(count, "bodies.angular_velocity")?,
            position: self.position.optional(count, "bodies.position")?,
        })
    }
}

impl<T: Real> BodyColumns<'_, T> {
    /// A body as the kernel's type; none beyond the end.
    ///
    /// # Safety
    /// The memory that the columns describe is readable.
    pub unsafe fn get(&self, index: usize) -> Option<Body<T>> {
        if index >= self.count {
            return None;
        }
        // SAFETY: the same promise; all columns have `count` elements.
        unsafe {
            let [inverse_mass] = self.inverse_mass.at(index);
            Some(Body {
                inverse_mass,
                inverse_inertia_world: Matrix3::from_column_slice(&self.inverse_inertia_world.at(index)),
                linear_velocity: Vector3::from(self.linear_velocity.at(index)),
                angular_velocity: Vector3::from(self.angular_velocity.at(index)),
            })
        }
    }
}

impl<T: Real> Contacts<T> {
    /// Checks pointers, strides and counts. Values are validated later, by the kernel.
    #[inline(always)]
    pub fn columns<'a>(&self, bodies: &BodyColumns<'a, T>) -> Result<ContactColumns<'a, T>, Fault> {
        let count = self.count;
        Ok(ContactColumns {
            count,
            a: self.a.column(count, "contacts.a")?,
            b: self.b.column(count, "contacts.b")?,
            normal: self.normal.column(count, "contacts.normal")?,
            arms: self.arms(bodies)?,
            mu: self.mu.column(count, "contacts.mu")?,
            restitution: or_zeros(&self.restitution).column(count, "contacts.restitution")?,
            depth: or_zeros(&self.depth).column(count, "contacts.depth")?,
            before: self.pre_impact_normal_velocity.optional(count, "contacts.pre_impact_normal_velocity")?,
            warm_normal_impulse: or_zeros(&self.warm_normal_impulse).column(count, "contacts.warm_normal_impulse")?,
            warm_tangent_impulse: or_zeros(&self.warm_tangent_impulse)
                .column(count, "contacts.warm_tangent_impulse")?,
        })
    }

    #[inline(always)]
    fn arms<'a>(&self, bodies: &BodyColumns<'a, T>) -> Result<Arms<'a, T>, Fault> {
        let count = self.count;
        if let Some(point) = self.point.optional(count, "contacts.point")? {
            let position = bodies.position.ok_or(Fault::new(Error::NullPointer, "bodies.position"))?;
            return Ok(Arms::To(point, position));
        }
        let r_a = self.r_a.column(count, "contacts.r_a")?;
        Ok(Arms::From(r_a, self.r_b.column(count, "contacts.r_b")?))
    }
}

/// Zeros for both precisions: the bytes are the same.
static ZEROS: [f64; 3] = [0.0; 3];

/// The view, or a view of zeros if it is null.
pub(crate) fn or_zeros<T: Real>(view: &View<T>) -> View<T> {
    if view.data.is_null() { View { data: ZEROS.as_ptr().cast(), stride: 0 } } else { *view }
}

impl<T: Real> ContactColumns<'_, T> {
    /// A contact as the kernel's type; none beyond the end. If a body index is invalid, the body's centre is taken as
    /// the origin; the kernel then rejects the index.
    ///
    /// # Safety
    /// The memory that the columns describe is readable.
    #[inline(always)]
    pub unsafe fn get(&self, index: usize) -> Option<Contact<T>> {
        if index >= self.count {
            return None;
        }
        // SAFETY: the same promise; all columns have `count` elements.
        unsafe {
            let ([a], [b]) = (self.a.at(index), self.b.at(index));
            let (a, b) = (a as usize, b as usize);
            let (r_a, r_b) = self.arms_of(index, a, b);
            let ([mu], [restitution], [depth]) = (self.mu.at(index), self.restitution.at(index), self.depth.at(index));
            let [normal] = self.warm_normal_impulse.at(index);
            Some(Contact {
                a,
                b,
                normal: self.normal.at(index).into(),
                r_a,
                r_b,
                mu,
                restitution,
                depth,
                pre_impact_normal_velocity: self.before.map(|column| column.at(index)).map(|[before]| before),
                warm: WarmStart { normal_impulse: normal, tangent_impulse: self.warm_tangent_impulse.at(index).into() },
            })
        }
    }

    /// # Safety
    /// `index` is below the count, and the memory that the columns describe is readable.
    #[inline(always)]
    unsafe fn arms_of(&self, index: usize, a: usize, b: usize) -> (Vector3<T>, Vector3<T>) {
        // SAFETY: the same promise. Body indices beyond the end are not read.
        unsafe {
            match &self.arms {
                Arms::From(r_a, r_b) => (r_a.at(index).into(), r_b.at(index).into()),
                Arms::To(point, position) => {
                    let point: Vector3<T> = point.at(index).into();
                    let arm = |body| position.get(body).map_or(point, |center| point - Vector3::from(center));
                    (arm(a), arm(b))
                }
            }
        }
    }
}
