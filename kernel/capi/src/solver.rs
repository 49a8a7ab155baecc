//! Solves bodies and contacts that are in the caller's memory.

use nalgebra::Vector3;
use stiction::{
    Bodies, ContactOutcome, ContactRows, Contacts, IslandMode, Real, Settings, SixRows, Solver as KernelSolver,
    ThreeRows, Twist, Wrench,
};
use stiction::{Coupling, nalgebra};

use crate::choices;
use crate::error::{Ending, Error, Fault, InputError};
use crate::hooks::{Hooks, Lent};
use crate::input::{self, BodyColumns, ContactColumns};
use crate::output::{Answer, AnswerColumns, Outcomes};
use crate::place::{Capacity, Kind, Open, Zeroed};
use crate::report::{FrictionWork, Report};
use crate::rungs::ladder_of_worlds;
use crate::surface::CopiesContacts;
use crate::view::{check_optional, check_pointer, read, write_optional};

/// A solver for bodies and contacts in the caller's memory. Opaque: made by `stiction_f32_solver_init`.
pub struct Solver<T>(core::marker::PhantomData<T>);

/// One capacity of solvers. Opaque: there is a function for each compiled one.
pub struct SolverKind<T>(core::marker::PhantomData<T>);

/// A solver of any capacity.
pub trait SolverObject<T: Real>: Outcomes<T> {
    /// Copies the bodies and contacts of the next solve into a solver that was cleared.
    ///
    /// # Safety
    /// The memory that columns and views describe is readable.
    unsafe fn load(
        &mut self,
        bodies: &BodyColumns<'_, T>,
        contacts: &ContactColumns<'_, T>,
        views: &input::Contacts<T>,
    ) -> Result<(), Ending<T>>;
    /// Solves the loaded problem.
    fn solve(&mut self, call: Call<'_, '_, T>) -> Result<Report<T>, Ending<T>>;
    /// Rejects the input that a solve would reject.
    fn validate(&self, settings: &Settings<T>, dt: T) -> Result<(), Ending<T>>;
    /// Writes the answer of the last solve.
    ///
    /// # Safety
    /// The memory that the columns describe is writable.
    unsafe fn write(&self, answer: &AnswerColumns<'_, T>, bodies: &BodyColumns<'_, T>, contacts: usize);
    /// Removes the loaded problem and its solution.
    fn clear(&mut self);
    /// Mean force and torque on a body.
    fn wrench(&self, body: usize) -> Option<Wrench<T>>;
    /// How strongly a contact's normal and friction are coupled.
    fn coupling(&self, index: usize) -> Option<Coupling<T>>;
    /// Whether contacts can have friction beyond sliding.
    fn has_moments(&self) -> bool;
    /// Work of friction in the last solve, 0 if there is none; none without moments.
    fn friction_work(&self) -> Option<FrictionWork<T>>;
}

/// Arguments of a solve.
pub struct Call<'a, 'h, T: Real> {
    settings: &'a Settings<T>,
    dt: T,
    islands: IslandMode,
    lent: Lent<'h, T>,
}

/// A solver with its own columns of bodies and contacts.
pub struct Sized<T: Real, const NB: usize, const NC: usize, R: ContactRows = ThreeRows> {
    bodies: Bodies<T, NB>,
    contacts: Contacts<T, NC, R>,
    solver: KernelSolver<T, NB, NC, R>,
    /// Whether the last solve was not rejected.
    solved: bool,
    solves: u32,
}

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> Outcomes<T> for Sized<T, NB, NC, R> {
    fn velocity(&self, body: usize) -> Option<(Vector3<T>, Vector3<T>)> {
        Some((*self.bodies.linear_velocities().get(body)?, *self.bodies.angular_velocities().get(body)?))
    }

    fn correction(&self, body: usize) -> Option<Twist<T>> {
        self.solver.position_correction(body)
    }

    fn outcome(&self, contact: usize) -> Option<ContactOutcome<T>> {
        self.solver.contact(contact)
    }

    fn moment(&self, contact: usize) -> Option<(Vector3<T>, [bool; 3])> {
        if R::HAS_MOMENTS { self.solver.moment(contact).zip(self.solver.reached(contact)) } else { None }
    }
}

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> SolverObject<T> for Sized<T, NB, NC, R>
where
    Contacts<T, NC, R>: CopiesContacts<T>,
{
    unsafe fn load(
        &mut self,
        bodies: &BodyColumns<'_, T>,
        contacts: &ContactColumns<'_, T>,
        views: &input::Contacts<T>,
    ) -> Result<(), Ending<T>> {
        // Before anything is read: counts beyond the capacity may also be beyond the caller's memory.
        let counts = (bodies.count, contacts.count);
        for (count, capacity, field) in [(counts.0, NB, "bodies.count"), (counts.1, NC, "contacts.count")] {
            if count > capacity {
                return Err(Fault::full(field, count, capacity).into());
            }
        }
        // SAFETY: the same promise.
        for body in (0..counts.0).map_while(|index| unsafe { bodies.get(index) }) {
            self.bodies.push(body)?;
        }
        // SAFETY: the same promise.
        unsafe { self.contacts.copy(contacts, views) }
    }

    fn solve(&mut self, call: Call<'_, '_, T>) -> Result<Report<T>, Ending<T>> {
        let Sized { bodies, contacts, solver, solves, .. } = self;
        let mut report = Report::EMPTY;
        let solved = call.lent.recorded::<R, _>(solves, |hooks| match call.islands {
            IslandMode::Together => solver.solve_with(bodies, contacts, call.settings, call.dt, hooks),
            IslandMode::Separate => solver.solve_islands(bodies, contacts, call.settings, call.dt, hooks),
        })?;
        report.take(&solved, solver.islands());
        self.solved = true;
        Ok(report)
    }

    fn validate(&self, settings: &Settings<T>, dt: T) -> Result<(), Ending<T>> {
        Ok(KernelSolver::validate(&self.bodies, &self.contacts, settings, dt)?)
    }

    unsafe fn write(&self, answer: &AnswerColumns<'_, T>, bodies: &BodyColumns<'_, T>, contacts: usize) {
        // SAFETY: the same promise.
        unsafe { answer.write(self, bodies, contacts) }
    }

    fn clear(&mut self) {
        self.bodies.clear();
        self.contacts.clear();
        self.solved = false;
    }

    fn wrench(&self, body: usize) -> Option<Wrench<T>> {
        if self.solved { self.solver.wrench(body) } else { None }
    }

    fn coupling(&self, index: usize) -> Option<Coupling<T>> {
        if self.solved { self.solver.coupling(index) } else { None }
    }

    fn has_moments(&self) -> bool {
        R::HAS_MOMENTS
    }

    fn friction_work(&self) -> Option<FrictionWork<T>> {
        let none = stiction::FrictionWork { sliding: T::ZERO, spinning: T::ZERO, rolling: T::ZERO };
        let work = self.solver.friction_work().map(|work| if self.solved { work } else { none });
        work.map(|work| FrictionWork::from_kernel(&work))
    }
}

// SAFETY: columns that are empty because their lengths are 0, numbers, `bool`s, and the kernel's solver (see `place`).
unsafe impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> Zeroed<dyn SolverObject<T>>
    for Sized<T, NB, NC, R>
where
    Contacts<T, NC, R>: CopiesContacts<T>,
{
    fn erased(object: *mut Self) -> *mut dyn SolverObject<T> {
        object
    }
}

const fn magic<T: Real>() -> u32 {
    0x5354_5330 + T::BYTES as u32
}

const fn kind<T: Real, const NB: usize, const NC: usize>() -> Kind<dyn SolverObject<T>> {
    Kind::of::<Sized<T, NB, NC>>(magic::<T>(), Capacity { bodies: NB, contacts: NC })
}

const fn kind_with_moments<T: Real, const NB: usize, const NC: usize>() -> Kind<dyn SolverObject<T>> {
    Kind::of::<Sized<T, NB, NC, SixRows>>(magic::<T>(), Capacity { bodies: NB, contacts: NC })
}

ladder_of_worlds! {
    /// The compiled solvers: bodies, contacts.
    Solvers, SolverObject, kind
}

ladder_of_worlds! {
    /// The compiled solvers with moments: bodies, contacts; a contact with moments takes two places.
    SolversWithMoments, SolverObject, kind_with_moments
}

/// Arguments of a call on a solver.
pub struct Arguments<T: Real> {
    /// The solver.
    pub solver: *mut Solver<T>,
    /// Its bodies.
    pub bodies: *const input::Bodies<T>,
    /// Its contacts.
    pub contacts: *const input::Contacts<T>,
    /// Its settings.
    pub settings: *const choices::Settings<T>,
    /// Its time step, s.
    pub dt: T,
}

/// Opens a solver.
///
/// # Safety
/// As [`Open::new`].
pub unsafe fn open<'a, T: Real>(solver: *const Solver<T>) -> Result<Open<'a, dyn SolverObject<T>>, Fault> {
    // SAFETY: the caller's promise.
    unsafe { Open::new(solver, magic::<T>(), "solver") }
}

/// Rejects the input that a solve would reject; does not solve.
///
/// # Safety
/// Pointers are null or point to valid objects of their types.
pub unsafe fn validate<T: Real>(call: Arguments<T>) -> Result<(), Ending<T>> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut solver = open(call.solver)?;
        solver.clear();
        let settings = read(call.settings, "settings")?;
        let (_, settings) = (settings.island_mode()?, settings.to_kernel()?);
        let bodies = read(call.bodies, "bodies")?.columns()?;
        let views = read(call.contacts, "contacts")?;
        views.reject_without(|| solver.has_moments())?;
        let contacts = views.columns(&bodies)?;
        let checked = solver.load(&bodies, &contacts, &views).and_then(|()| solver.validate(&settings, call.dt));
        solver.clear();
        checked
    }
}

/// Solves.
///
/// # Safety
/// Pointers are null or point to valid objects of their types.
pub unsafe fn solve<T: Real>(
    call: Arguments<T>,
    answer: *const Answer<T>,
    hooks: *const Hooks<T>,
) -> Result<Report<T>, Ending<T>> {
    // SAFETY: the caller's promise.
    unsafe {
        let mut solver = open(call.solver)?;
        solver.clear();
        let hooks = Hooks::read(hooks)?;
        let settings = read(call.settings, "settings")?;
        let (islands, settings) = (settings.island_mode()?, settings.to_kernel()?);
        let bodies = read(call.bodies, "bodies")?.columns()?;
        let views = read(call.contacts, "contacts")?;
        views.reject_without(|| solver.has_moments())?;
        let contacts = views.columns(&bodies)?;
        let answer = if answer.is_null() { Answer::NONE } else { read(answer, "answer")? };
        answer.reject_without(|| solver.has_moments())?;
        let answer = answer.columns(bodies.count, contacts.count)?;
        let report = hooks.lend(|lent| {
            solver.load(&bodies, &contacts, &views)?;
            solver.solve(Call { settings: &settings, dt: call.dt, islands, lent })
        })?;
        solver.write(&answer, &bodies, contacts.count);
        Ok(report)
    }
}

/// Runs a call and returns its error code. Writes the rejected input to `input_error` or the result to `output`, where
/// they are not null. Both pointers are checked before the work begins.
///
/// # Safety
/// `input_error` and `output` are null or can be written if they are aligned.
pub unsafe fn finish<T: Real, O: Copy>(
    input_error: *mut InputError<T>,
    (output, field): (*mut O, &'static str),
    work: impl FnOnce() -> Result<O, Ending<T>>,
) -> Error {
    if let Err(fault) = check_optional(input_error, "input_error") {
        return fault.error;
    }
    let outcome = check_optional(output, field).map_err(Ending::from).and_then(|()| work());
    // SAFETY: the caller's promise.
    unsafe {
        match outcome {
            Ok(value) => {
                write_optional(output, value);
                Error::Ok
            }
            Err(ending) => {
                write_optional(input_error, ending.input_error());
                ending.error()
            }
        }
    }
}

/// Writes force and torque.
///
/// # Safety
/// Both are null or can be written if they are aligned.
pub unsafe fn write_wrench<T: Real>(wrench: Option<Wrench<T>>, force: *mut T, torque: *mut T) -> Result<(), Fault> {
    check_optional(force, "force")?;
    check_optional(torque, "torque")?;
    let wrench = wrench.ok_or(Fault::new(Error::NoSuchBody, "body"))?;
    // SAFETY: the caller's promise.
    unsafe {
        write_optional::<[T; 3]>(force.cast(), wrench.force.into());
        write_optional::<[T; 3]>(torque.cast(), wrench.torque.into());
    }
    Ok(())
}

/// Writes the work of friction in the last solve.
///
/// # Safety
/// Pointers are null or point to valid objects of their types.
pub unsafe fn write_friction_work<T: Real>(solver: *const Solver<T>, work: *mut FrictionWork<T>) -> Result<(), Fault> {
    check_pointer(work, "work")?;
    // SAFETY: the caller's promise.
    unsafe {
        let solver = open(solver)?;
        work.write(solver.friction_work().ok_or(Fault::new(Error::WithoutMoments, "work"))?);
    }
    Ok(())
}
