//! Optional arguments of a call.
use crate::direct::memory::DirectView;
use crate::math::real::Real;
use crate::problem::observer::Observer;
use crate::sweep::lane_memory::LaneMemory;

/// Optional arguments of a call. `Hooks::default()` sets none of them.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Settings, Solver};
/// # let mut bodies = Bodies::<f64, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear_velocity: Vector3::new(0.0, 0.0, -1.0), ..Body::from_inverse(1.0, Matrix3::zeros()) })?;
/// # let mut contacts = Contacts::<f64, 1>::new();
/// # contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// # let mut solver = Solver::<f64, 2, 1>::new();
/// use stiction::{DirectMemory, FlightRecorder, Hooks};
/// let mut asked = 0;
/// let mut memory = DirectMemory::<f64, 4, 10>::new();
/// let mut recorder = FlightRecorder::<2048>::new();
/// let hooks = Hooks {
///     should_stop: Some(&mut || { asked += 1; asked > 100 }), // as a timer would
///     direct: Some(memory.view()),
///     observer: Some(&mut recorder),
///     lanes: None,
/// };
/// solver.solve_with(&mut bodies, &contacts, &Settings::default(), 1.0 / 60.0, hooks)?;
/// assert!(asked > 0 && !recorder.pieces().0.is_empty());
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
pub struct Hooks<'a, T: Real> {
    /// Asked before every sweep, factorisation and row that the active set takes in; `true` ends the solve with the
    /// answer so far. The residual and the passivity guard follow then: they take about as long as two sweeps, and
    /// twice that where contacts bounce. Keep that time in reserve.
    pub should_stop: Option<&'a mut dyn FnMut() -> bool>,
    /// Memory for direct methods; without it there are none.
    pub direct: Option<DirectView<'a, T>>,
    /// Receives inputs, reports and results.
    pub observer: Option<&'a mut dyn Observer<T>>,
    /// Memory and code for sweeps over several contacts at once, from the crate `stiction-lanes`; results are the same
    /// without it, to the bit. Islands of 24 contacts and more use it that may be swept four times or more; the Delassus
    /// form does not. In steps these are substeps with several sweeps: the default is one.
    pub lanes: Option<&'a mut dyn LaneMemory<T>>,
}

impl<'a, T: Real> Hooks<'a, T> {
    /// Only `should_stop`.
    pub fn with_should_stop(should_stop: &'a mut dyn FnMut() -> bool) -> Self {
        Hooks { should_stop: Some(should_stop), ..Self::default() }
    }

    /// Only memory for direct methods.
    pub fn with_direct(direct: DirectView<'a, T>) -> Self {
        Hooks { direct: Some(direct), ..Self::default() }
    }

    /// Only an observer.
    pub fn with_observer(observer: &'a mut dyn Observer<T>) -> Self {
        Hooks { observer: Some(observer), ..Self::default() }
    }

    /// Only memory for sweeps over several contacts at once.
    pub fn with_lanes(lanes: &'a mut dyn LaneMemory<T>) -> Self {
        Hooks { lanes: Some(lanes), ..Self::default() }
    }

    /// Borrows the hooks for a shorter time, as for the first of several calls.
    pub fn reborrow(&mut self) -> Hooks<'_, T> {
        Hooks {
            should_stop: self.should_stop.as_mut().map(|should_stop| &mut **should_stop as &mut dyn FnMut() -> bool),
            direct: self.direct.as_mut().map(DirectView::reborrow),
            observer: self.observer.as_mut().map(|observer| &mut **observer as &mut dyn Observer<T>),
            lanes: self.lanes.as_mut().map(|lanes| &mut **lanes as &mut dyn LaneMemory<T>),
        }
    }
}

impl<T: Real> Default for Hooks<'_, T> {
    fn default() -> Self {
        Hooks { should_stop: None, direct: None, observer: None, lanes: None }
    }
}
