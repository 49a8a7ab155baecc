//! The input of a recorded step.
use crate::problem::conditions::DirectSize;
use crate::problem::observer::FoundContacts;
use crate::record::bytes::Cursor;
use crate::record::head::{DumpError, Head, Parts, read_count, read_head, validate_scalar};

/// Input of a recorded step. [`StepBlock::step`] takes it again.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Manifold, ManifoldPoint, PointId};
/// # use stiction::{Pipeline, RigidBody, StepSettings, World};
/// # let mut world = World::<f32, 2>::new();
/// # world.push(RigidBody::fixed())?;
/// # let linear_velocity = Vector3::new(0.0, 0.0, -1.0);
/// # world.push(RigidBody { linear_velocity, ..RigidBody::from_mass(2.0, Matrix3::identity()) })?;
/// # let mut manifold = Manifold::new(0, 1, Vector3::z());
/// # let at = Vector3::zeros();
/// # manifold.points.push(ManifoldPoint { on_a: at, on_b: at, depth: 0.0, id: PointId::Feature(0) });
/// # let found = [manifold];
/// # let mut pipeline = Pipeline::<f32, 2, 1>::new(StepSettings::default());
/// # use stiction::{FlightRecorder, Hooks};
/// use stiction::record::{RecordedBlock, blocks};
/// let mut recorder = FlightRecorder::<2048>::new();
/// pipeline.step_with(&mut world, stiction::manifolds(&found), 0.01, Hooks::with_observer(&mut recorder))?;
/// // On another machine: the same step, to the bit.
/// let Some(Ok(RecordedBlock::Step(step))) = blocks(recorder.pieces().0).next() else { panic!("no step") };
/// let (mut again, mut here) = (World::new(), Pipeline::<f32, 2, 1>::new(StepSettings::default()));
/// assert_eq!(step.step(None, &mut again, &mut here, None, None), Ok(world.digest()));
/// # Ok::<(), stiction::InputError<f32>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct StepBlock<'a> {
    /// Number of the step.
    pub number: u32,
    /// Bytes of a scalar: 4 for `f32`, 8 for `f64`.
    pub scalar_bytes: u8,
    /// How many bodies.
    pub bodies: u16,
    /// How many pairs of bodies that touch.
    pub manifolds: u16,
    /// How many contact points.
    pub points: u16,
    /// How many of them have friction beyond sliding. If any has, it is taken again with [`SixRows`](crate::SixRows).
    pub surfaces: u16,
    /// How many joints. It is taken again with [`Jointed`](crate::Jointed) of at least as many.
    pub joints: u16,
    /// Memory for direct methods.
    pub direct: DirectSize,
    /// Steps before it, modulo 8.
    pub steps: u16,
    /// How its contacts were found.
    pub found: FoundContacts,
    pub(crate) rest: Cursor<'a>,
    pub(crate) choices: [u8; 5],
}

impl<'a> StepBlock<'a> {
    pub(crate) fn read(number: u32, scalar_bytes: u8, parts: Parts, mut inside: Cursor<'a>) -> Result<Self, DumpError> {
        validate_scalar(scalar_bytes)?;
        let (bodies, manifolds, points) = (inside.short()?, inside.short()?, inside.short()?);
        let steps = inside.short()?;
        let (left_out, warm_started, kept) = (inside.number()?, inside.short()?, inside.short()?);
        let found = FoundContacts { left_out, warm_started, kept };
        let surfaces = read_count(parts.has_surfaces, &mut inside)?;
        let joints = read_count(parts.has_joints, &mut inside)?;
        let Head { conditions, choices } = read_head(&mut inside)?;
        Ok(StepBlock {
            number,
            scalar_bytes,
            bodies,
            manifolds,
            points,
            surfaces,
            joints,
            direct: conditions.direct,
            steps,
            found,
            rest: inside,
            choices,
        })
    }
}
