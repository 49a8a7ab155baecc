//! Bodies as a step takes them over: validated, with what forces do to them, and their energies.
use crate::math::real::Real;
use crate::math::vector::VectorOps;
use crate::problem::body::validate_velocities;
use crate::problem::contact_rows::{Column, ContactRows};
use crate::problem::error::{InputError, validate_vector};
use crate::solve::solver::Solver;
use crate::space::velocity::Velocity;
use crate::step::masses::acceleration;
use crate::step::pipeline::Pipeline;
use crate::step::report::StepReport;
use crate::step::world::World;

impl<T: Real, const NB: usize, const NC: usize, const NF: usize, R: ContactRows> Pipeline<T, NB, NC, NF, R> {
    /// Validates states and forces, takes over masses, velocities and forces, and begins the report. Rejects bodies
    /// that left their range since they were validated (a body that fell for years), and forces that would make one
    /// too fast within the step of `dt` seconds, in substeps of `h`.
    #[inline(never)]
    pub(crate) fn load_bodies(&mut self, world: &World<T, NB, R>, (dt, h): (T, T)) -> Result<(), InputError<T>> {
        let Pipeline { solver: Solver { work }, small, settings, masses, report, .. } = self;
        *report = StepReport::EMPTY;
        work.driven = false;
        work.friction_work = R::Column::PLAIN;
        for index in 0..NB {
            let (Some(state), Some(load)) = (world.state(index), world.load(index)) else { break };
            let Some((inverse_mass, inverse_inertia)) = world.bodies().mass_properties(index) else { break };
            validate_vector(state.position, T::POSITION_LIMIT, |reason| InputError::body(index, "position", reason))?;
            validate_velocities(index, state.linear, state.angular)?;
            let mass = &mut masses[index];
            mass.update(world, index);
            work.velocity[index] = Velocity::new(state.linear, state.angular);
            work.driven |= mass.is_driven(state.linear, state.angular);
            report.ledger.kinetic_before += mass.kinetic_energy(&state);
            report.ledger.potential_before += mass.potential_energy(&state, &settings.gravity);
            if !(inverse_mass > T::ZERO) {
                // Bodies that no impulse moves go on as they are.
                work.start[index] = work.velocity[index];
                (small.force[index], small.moved[index]) = (Velocity::ZERO, Velocity::ZERO);
                continue;
            }
            let (linear, angular) = acceleration((inverse_mass, inverse_inertia), load, &settings.gravity);
            let after = (state.linear.plus(&linear.scaled(dt)), state.angular.plus(&angular.scaled(dt)));
            validate_velocities(index, &after.0, &after.1)?;
            small.force[index] = Velocity::new(&linear.scaled(h), &angular.scaled(h));
        }
        Ok(())
    }
}
