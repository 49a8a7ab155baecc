//! The islands that are solved, which need only the kernel, and our solver on one of them.

use stiction::sweep::lane_memory::LaneMemory;
use stiction::{Bodies, ContactState, Contacts, Hooks, LocalRule, MethodChoice, Real, Report, Settings, Solver};
use stiction_lanes::scalar::LaneScalar;
use stiction_lanes::{Lanes, Level};
use stiction_testkit::island::Island;
use stiction_testkit::known_answers::sliding_cube;
use stiction_testkit::walls::wall;

/// Capacities that fit every subject.
pub const BODIES: usize = 640;
/// Contacts.
pub const CONTACTS: usize = 4096;
/// Stack size that is enough to build a solver before it moves to the heap.
pub const STACK_BYTES: usize = 64 << 20;

/// The wall with warm starts from many sweeps.
pub fn warm_wall() -> Island {
    let island = wall(10, 13, 0.5);
    let mut solver = Ours::<f64>::new(&island);
    solver.solve(&Settings { sweeps: 3000, tolerance: 1e-9, method: MethodChoice::Sweeps, ..Settings::default() });
    solver.warmed(&island)
}

/// A cube on one corner.
pub fn one_contact() -> Island {
    let mut island = sliding_cube(0.1, 0.3, 0.5);
    island.contacts.truncate(1);
    island
}

/// The wall, sliding: most of its contacts slide instead of sticking.
pub fn shoved() -> Island {
    let mut island = wall(10, 13, 0.5);
    for body in island.bodies.iter_mut().skip(1) {
        body.linear_velocity.x += 2.0;
        body.linear_velocity.y += 1.0;
        body.angular_velocity.z += 0.3;
    }
    island
}

/// Settings for an exact number of sweeps, without direct methods.
pub fn sweeps<T: Real>(sweeps: u32, local: LocalRule) -> Settings<T> {
    Settings { sweeps, local, tolerance: T::ZERO, method: MethodChoice::Sweeps, ..Settings::default() }
}

/// Our solver and a problem for it.
pub struct Ours<T: Real> {
    solver: Box<Solver<T, BODIES, CONTACTS>>,
    start: Bodies<T, BODIES>,
    bodies: Bodies<T, BODIES>,
    contacts: Contacts<T, CONTACTS>,
    lanes: Option<Box<dyn LaneMemory<T>>>,
}

/// Groups that fit every subject.
const GROUPS: usize = CONTACTS / 3;

/// Memory for sweeps in lanes at a level.
pub fn lanes<T: LaneScalar + 'static>(level: Level) -> Box<dyn LaneMemory<T>> {
    Box::new(Lanes::<T, BODIES, CONTACTS, GROUPS>::with_level(level))
}

impl<T: Real> Ours<T> {
    /// A solver for this problem.
    pub fn new(island: &Island) -> Self {
        let (start, contacts) = island.columns();
        Ours { solver: Box::new(Solver::new()), bodies: start.clone(), start, contacts, lanes: None }
    }

    /// The same with memory for sweeps in lanes.
    pub fn in_lanes(island: &Island, lanes: Box<dyn LaneMemory<T>>) -> Self {
        Ours { lanes: Some(lanes), ..Self::new(island) }
    }

    /// Solves it from the beginning.
    ///
    /// # Panics
    /// When the kernel rejects it.
    pub fn solve(&mut self, settings: &Settings<T>) -> Report<T> {
        // Only the velocities: a copy of the full capacity would take longer than a small solve.
        for (i, (linear, angular)) in
            self.start.linear_velocities().iter().zip(self.start.angular_velocities()).enumerate()
        {
            self.bodies.set_velocity(i, *linear, *angular).expect("a valid velocity");
        }
        let lanes = self.lanes.as_mut().map(|lanes| &mut **lanes as &mut dyn LaneMemory<T>);
        let (dt, hooks) = (T::lit(1.0 / 60.0), Hooks { lanes, ..Hooks::default() });
        self.solver.solve_with(&mut self.bodies, &self.contacts, settings, dt, hooks).expect("a valid island")
    }

    /// How many contacts slide after the last solve.
    pub fn sliding(&self) -> usize {
        let state = |index| self.solver.contact(index).map(|contact| contact.state);
        (0..self.contacts.len()).filter(|index| state(*index) == Some(ContactState::Slide)).count()
    }

    /// Solves it, for its time alone.
    pub fn run(&mut self, settings: &Settings<T>) {
        std::hint::black_box(self.solve(std::hint::black_box(settings)));
    }

    /// The same island with the impulses of the last solve as warm starts.
    pub fn warmed(&self, island: &Island) -> Island {
        let mut warm = island.clone();
        for (i, contact) in warm.contacts.iter_mut().enumerate() {
            if let Some(outcome) = self.solver.warm(i) {
                contact.warm.normal_impulse = outcome.normal_impulse.to_f64();
                contact.warm.tangent_impulse = outcome.tangent_impulse.map(T::to_f64);
            }
        }
        warm
    }
}
