//! Friction beyond sliding in a pipeline: of bodies and of manifolds, and what depends on the rows of its contacts, joints
//! included.

use stiction::nalgebra::Vector3;
use stiction::step::manifold::Manifold;
use stiction::{
    ContactCollector as KernelCollector, ContactRows, Jointed, Pipeline as KernelPipeline, Real, SixRows,
    Surface as KernelSurface, ThreeRows, World,
};

use crate::error::{Ending, Error, Fault};
use crate::jointed::Joints;
use crate::surface::tread_of;
use crate::view::check_pointer;

/// Friction beyond sliding of a body or a manifold. All zeros, as by `= {0}`: sliding friction only.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surface<T> {
    /// Largest moment about the normal over the normal impulse, m. A pair's is the geometric mean of its bodies', and so
    /// are its `rolling` and `mu_across`.
    pub torsion: T,
    /// Largest moment against rolling over the normal impulse, m.
    pub rolling: T,
    /// Friction coefficient across `friction_direction`; `mu` is the one along it.
    pub mu_across: T,
    /// A vector of any length: in body axes for a body, in world axes for a manifold. Its part at right angles to the
    /// normal is used; of two bodies that have one, that of body A. Where all three are 0, friction does not depend on
    /// the direction, and `mu_across` is not read.
    pub friction_direction: [T; 3],
    /// Whether sliding and torsion share one bound, as under a disc that slides and spins. A pair does if either body
    /// does.
    pub is_joined: bool,
}

impl<T: Real> Surface<T> {
    /// As the C struct.
    pub fn from_kernel(surface: &KernelSurface<T>) -> Self {
        let tread = surface.tread;
        Surface {
            torsion: surface.torsion,
            rolling: surface.rolling,
            mu_across: tread.map_or(T::ZERO, |tread| tread.mu_across),
            friction_direction: tread.map_or([T::ZERO; 3], |tread| tread.direction.into()),
            is_joined: surface.is_joined,
        }
    }
}

/// Reads a surface. Its `bool` is read as a byte, as in a manifold, and the coefficient across a direction only if there
/// is one.
///
/// # Safety
/// The pointer is null, or the bytes of a surface are readable there.
pub unsafe fn read_surface<T: Real>(surface: *const Surface<T>) -> Result<KernelSurface<T>, Fault> {
    check_pointer(surface, "surface")?;
    // SAFETY: neither null nor misaligned, readable by the caller's promise; fields are read one by one, the flag as a
    // byte.
    unsafe {
        let direction = (&raw const (*surface).friction_direction).read();
        Ok(KernelSurface {
            torsion: (&raw const (*surface).torsion).read(),
            rolling: (&raw const (*surface).rolling).read(),
            tread: tread_of(direction, || (&raw const (*surface).mu_across).read()),
            is_joined: (&raw const (*surface).is_joined).cast::<u8>().read() != 0,
            ..KernelSurface::default()
        })
    }
}

/// A contact's moment on B, N m s, and which bounds it has reached: of sliding, spinning and rolling.
pub type Moment<T> = (Vector3<T>, [bool; 3]);

/// What a pipeline does with friction beyond sliding and with joints, by the rows that its contacts can have: without
/// moments and without joints, nothing.
pub trait StepRows<T: Real>: ContactRows {
    /// Sets a body's surface.
    fn set_surface<const NB: usize>(
        _world: &mut World<T, NB, Self>,
        _index: usize,
        _surface: KernelSurface<T>,
    ) -> Result<(), Ending<T>> {
        Err(without_moments("surface").into())
    }

    /// A body's surface.
    fn surface<const NB: usize>(_world: &World<T, NB, Self>, _index: usize) -> Result<KernelSurface<T>, Fault> {
        Err(without_moments("surface"))
    }

    /// Adds a manifold with a surface of its own.
    fn push_on<const NB: usize, const NC: usize>(
        _collector: &mut KernelCollector<'_, T, NB, NC, Self>,
        _manifold: &Manifold<T>,
        _surface: &KernelSurface<T>,
    ) -> Result<(), Ending<T>> {
        Err(without_moments("surface").into())
    }

    /// The moment of a contact of the last step.
    fn moment<const NB: usize, const NC: usize>(
        _pipeline: &KernelPipeline<T, NB, NC, NC, Self>,
        _index: usize,
    ) -> Result<Moment<T>, Fault> {
        Err(without_moments("moment"))
    }

    /// Work of friction in the last step.
    fn friction_work<const NB: usize, const NC: usize>(
        _pipeline: &KernelPipeline<T, NB, NC, NC, Self>,
    ) -> Result<stiction::FrictionWork<T>, Fault> {
        Err(without_moments("work"))
    }

    /// Joints of the world and of the last step.
    fn joints<'a, const NB: usize, const NC: usize>(
        _world: &'a mut World<T, NB, Self>,
        _pipeline: &'a KernelPipeline<T, NB, NC, NC, Self>,
    ) -> Option<Joints<'a, T>> {
        None
    }
}

fn without_moments(field: &'static str) -> Fault {
    Fault::new(Error::WithoutMoments, field)
}

impl<T: Real> StepRows<T> for ThreeRows {}

/// Friction beyond sliding where contacts can have moments.
macro_rules! with_moments {
    () => {
        fn set_surface<const NB: usize>(
            world: &mut World<T, NB, Self>,
            index: usize,
            surface: KernelSurface<T>,
        ) -> Result<(), Ending<T>> {
            Ok(world.set_surface(index, surface)?)
        }

        fn surface<const NB: usize>(world: &World<T, NB, Self>, index: usize) -> Result<KernelSurface<T>, Fault> {
            world.surface(index).ok_or(Fault::new(Error::NoSuchBody, "index"))
        }

        fn push_on<const NB: usize, const NC: usize>(
            collector: &mut KernelCollector<'_, T, NB, NC, Self>,
            manifold: &Manifold<T>,
            surface: &KernelSurface<T>,
        ) -> Result<(), Ending<T>> {
            Ok(collector.push_on(manifold, surface)?)
        }

        fn moment<const NB: usize, const NC: usize>(
            pipeline: &KernelPipeline<T, NB, NC, NC, Self>,
            index: usize,
        ) -> Result<Moment<T>, Fault> {
            let found = pipeline.moment(index).zip(pipeline.reached(index));
            found.ok_or(Fault::new(Error::NoSuchContact, "index"))
        }

        fn friction_work<const NB: usize, const NC: usize>(
            pipeline: &KernelPipeline<T, NB, NC, NC, Self>,
        ) -> Result<stiction::FrictionWork<T>, Fault> {
            Ok(pipeline.friction_work())
        }
    };
}

impl<T: Real> StepRows<T> for SixRows {
    with_moments!();
}

impl<T: Real, const NJ: usize> StepRows<T> for Jointed<NJ, SixRows> {
    with_moments!();

    fn joints<'a, const NB: usize, const NC: usize>(
        world: &'a mut World<T, NB, Self>,
        step: &'a KernelPipeline<T, NB, NC, NC, Self>,
    ) -> Option<Joints<'a, T>> {
        Some(Joints { world, step })
    }
}
