//! Recorded steps loaded and taken again. The bytes are untrusted: every path ends in an error or in input that passed
//! the same validation as any other.
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use crate::direct::memory::DirectView;
use crate::math::real::Real;
use crate::problem::body::Body;
use crate::problem::contact_rows::{Column, ContactRows, Element};
use crate::problem::error::{ErrorKind, InputError};
use crate::problem::material::Material;
use crate::problem::observer::Observer;
use crate::problem::rigid_body::RigidBody;
use crate::problem::step_settings::StepSettings;
use crate::problem::stop_check::StopCheck;
use crate::problem::surface::Surface;
use crate::problem::wrench::Wrench;
use crate::record::bytes::Cursor;
use crate::record::head::DumpError;
use crate::record::joints::{read_joint, split_joints};
use crate::record::replay::{LoadError, read_body, read_settings, truncated};
use crate::record::step_block::StepBlock;
use crate::record::surfaces::SurfaceReader;
use crate::step::kept::KeptContacts;
use crate::step::kept_bytes::Surfaces;
use crate::step::kept_rules::is_valid_joint;
use crate::step::pipeline::Pipeline;
use crate::step::world::{State, World};

impl StepBlock<'_> {
    /// Takes the step again, in `world` and `pipeline`, whose contents it replaces; returns the digest of the world
    /// after it, to be compared with the outcome's. `stopped_at` is the outcome's: from that call on `should_stop`
    /// returns true. The step uses as much of `direct` and of the pipeline's factor memory as the recorded
    /// step had. Less of either is an error; with less of `direct`, contacts of too few rows or too few joints, nothing is
    /// changed, and after any other error the world has no bodies and the pipeline no contacts. For bytes of unknown origin pass a `stopped_at` of your own: it
    /// limits the work, which the recorded settings do not.
    pub fn step<T: Real, const NB: usize, const NC: usize, const NF: usize, R: ContactRows>(
        &self,
        stopped_at: Option<u32>,
        world: &mut World<T, NB, R>,
        pipeline: &mut Pipeline<T, NB, NC, NF, R>,
        direct: Option<DirectView<'_, T>>,
        observer: Option<&mut dyn Observer<T>>,
    ) -> Result<u64, LoadError<T>> {
        if self.surfaces > 0 && !R::HAS_MOMENTS {
            return Err(LoadError::NeedsSixRows);
        }
        if usize::from(self.joints) > R::JOINTS {
            return Err(LoadError::TooFewJoints(self.joints));
        }
        let mut direct = truncated(self.direct, direct)?;
        let (dt, factor_blocks) = self.load(world, pipeline)?;
        let mut asked: u32 = 0;
        let mut should_stop = || {
            asked = asked.saturating_add(1);
            stopped_at.is_some_and(|first| asked >= first)
        };
        let stop = &mut StopCheck::new(Some(&mut should_stop));
        pipeline.factor.limit(factor_blocks);
        let taken = pipeline.step_again(world, (dt, self.found), stop, observer, direct.as_mut());
        pipeline.factor.limit(NF as u32);
        let error = match taken {
            // With less memory the step is the same as long as it suffices.
            Ok(report) if report.factor.memory_too_small && factor_blocks > NF as u32 => {
                Some(LoadError::TooFewFactorBlocks(factor_blocks))
            }
            Ok(_) => None,
            Err(error) => Some(error.into()),
        };
        if let Some(error) = error {
            world.clear();
            pipeline.clear_cache();
            return Err(error);
        }
        Ok(world.digest())
    }

    /// Replaces the world and the pipeline's settings and contacts by the recorded ones; returns the length of the
    /// step, s, and its memory for the kept factor, in blocks.
    fn load<T: Real, const NB: usize, const NC: usize, const NF: usize, R: ContactRows>(
        &self,
        world: &mut World<T, NB, R>,
        pipeline: &mut Pipeline<T, NB, NC, NF, R>,
    ) -> Result<(T, u32), LoadError<T>> {
        world.clear();
        pipeline.clear_cache();
        let loaded = self.load_into(world, pipeline);
        if loaded.is_err() {
            world.clear();
            pipeline.clear_cache();
        }
        loaded
    }

    fn load_into<T: Real, const NB: usize, const NC: usize, const NF: usize, R: ContactRows>(
        &self,
        world: &mut World<T, NB, R>,
        pipeline: &mut Pipeline<T, NB, NC, NF, R>,
    ) -> Result<(T, u32), LoadError<T>> {
        if usize::from(self.scalar_bytes) != T::BYTES {
            return Err(LoadError::OtherScalar(self.scalar_bytes));
        }
        let mut rest = self.rest;
        let (settings, dt, factor_blocks) = read_step_settings(self.choices, &mut rest).map_err(LoadError::Dump)?;
        for _ in 0..self.bodies {
            let body = read_rigid_body(&mut rest).map_err(LoadError::Dump)?;
            let index = world.push(body)?;
            // A body that is added has its orientation normalised again, which can change the last bit.
            let RigidBody { position, orientation, linear_velocity: linear, angular_velocity: angular, .. } = body;
            world.store_state(index, &State { position, orientation, linear, angular });
        }
        let contacts = pipeline.kept.now_mut();
        let joints = split_joints::<T>(&mut rest, self.joints).map_err(LoadError::Dump)?;
        self.read_contacts(&mut rest, contacts, world)?;
        if R::HAS_MOMENTS && self.surfaces > 0 {
            self.read_surfaces(rest, contacts)?;
        } else if !rest.0.is_empty() {
            return Err(LoadError::Dump(DumpError::BadValue));
        }
        if R::JOINTS > 0 {
            self.read_joints(joints, world, contacts)?;
        }
        pipeline.settings = settings;
        Ok((dt, factor_blocks))
    }

    /// Reads the friction beyond sliding of contacts that were read.
    fn read_surfaces<T: Real, const NC: usize, R: ContactRows>(
        &self,
        rest: Cursor<'_>,
        contacts: &mut KeptContacts<T, NC, R>,
    ) -> Result<(), LoadError<T>> {
        let bad = LoadError::Dump(DumpError::BadValue);
        let mut surfaces = SurfaceReader::new(rest, self.surfaces).map_err(LoadError::Dump)?;
        for contact in 0..contacts.len() {
            let surface = surfaces.of(contact).map_err(LoadError::Dump)?.unwrap_or(Surface::PLAIN);
            if !contacts.put_surface(contact, &surface) {
                return Err(bad);
            }
        }
        if surfaces.is_done() && contacts.rows() <= NC && contacts.are_admissible() { Ok(()) } else { Err(bad) }
    }

    /// Reads joints, and what is kept of them.
    fn read_joints<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
        &self,
        mut rest: Cursor<'_>,
        world: &mut World<T, NB, R>,
        contacts: &mut KeptContacts<T, NC, R>,
    ) -> Result<(), LoadError<T>> {
        for _ in 0..self.joints {
            let (joint, kept) = read_joint(&mut rest).map_err(LoadError::Dump)?;
            let index = world.push_joint(joint)?;
            // As with orientations, unit vectors are not normalised again.
            world.store_joint(index, joint);
            if !is_valid_joint(&kept) {
                return Err(LoadError::Dump(DumpError::BadValue));
            }
            if let Some(slot) = contacts.joints.at_mut(index) {
                *slot = kept;
            }
        }
        Ok(())
    }

    fn read_contacts<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
        &self,
        rest: &mut Cursor<'_>,
        contacts: &mut KeptContacts<T, NC, R>,
        world: &World<T, NB, R>,
    ) -> Result<(), LoadError<T>> {
        if usize::from(self.points) > NC || usize::from(self.manifolds) > NC {
            let kind = ErrorKind::Full { capacity: NC };
            return Err(LoadError::Rejected(InputError::contact(NC, "", kind)));
        }
        let surfaces = if self.surfaces > 0 { Surfaces::Later } else { Surfaces::None };
        contacts.read(rest, (self.manifolds, surfaces)).map_err(|_| LoadError::Dump(DumpError::BadValue))?;
        contacts.steps = (self.steps % 8) as u8;
        contacts.left_out = self.found.left_out as usize;
        let moves = |body: u16| world.bodies().is_movable(usize::from(body));
        let fits = |body: u16| usize::from(body) < world.len();
        let valid = contacts.list.iter().all(|m| fits(m.a) && fits(m.b) && (moves(m.a) || moves(m.b)));
        if valid && contacts.len() == usize::from(self.points) {
            Ok(())
        } else {
            Err(LoadError::Dump(DumpError::BadValue))
        }
    }
}

/// The settings of a step, its length in seconds, and its blocks of memory for the kept factor.
fn read_step_settings<T: Real>(
    choices: [u8; 5],
    rest: &mut Cursor<'_>,
) -> Result<(StepSettings<T>, T, u32), DumpError> {
    let solver = read_settings(choices, rest)?;
    let (substeps, factor_blocks) = (rest.number()?, rest.number()?);
    let [x, y, z, contact_margin, cache_cell] = rest.scalars()?;
    let gravity = Vector3::new(x, y, z);
    let settings = StepSettings { gravity, substeps, contact_margin, cache_cell, solver: solver.settings };
    Ok((settings, solver.dt, factor_blocks))
}

fn read_rigid_body<T: Real>(rest: &mut Cursor<'_>) -> Result<RigidBody<T>, DumpError> {
    let Body { inverse_mass, inverse_inertia_world, linear_velocity, angular_velocity } = read_body(rest)?;
    let [px, py, pz, qx, qy, qz, qw, fx, fy, fz, tx, ty, tz, mu, restitution] = rest.scalars()?;
    Ok(RigidBody {
        inverse_mass,
        inverse_inertia_body: inverse_inertia_world,
        position: Vector3::new(px, py, pz),
        orientation: UnitQuaternion::new_unchecked(Quaternion::new(qw, qx, qy, qz)),
        linear_velocity,
        angular_velocity,
        load: Wrench { force: Vector3::new(fx, fy, fz), torque: Vector3::new(tx, ty, tz) },
        material: Material { mu, restitution },
    })
}
