//! What is solved: islands by name, and our solver on one of them.

use stiction::dump::Means;
use stiction::record::Sink;
use stiction::{
    Approach, Bodies, Body, Contact, ContactState, Contacts, LocalRule, Real, Report, Settings, Solver, WarmStart,
};
use stiction_host::island::Island;
use stiction_host::masonry::{pyramid, wall};
use stiction_host::problems::{sliding_cube, stack};
use stiction_host::rig::scenes::find;

/// Capacities that fit every subject.
pub const BODIES: usize = 640;
/// Contacts.
pub const CONTACTS: usize = 4096;
/// Enough for a solver to be built before it moves to the heap.
pub const STACK_BYTES: usize = 64 << 20;

/// The local rules and their names.
pub const RULES: [(LocalRule, &str); 4] = [
    (LocalRule::Exact, "exact"),
    (LocalRule::HoldAndResolve, "hold and resolve"),
    (LocalRule::Projection, "projection"),
    (LocalRule::Box, "box"),
];

/// The wall after many sweeps, each contact beginning where they ended.
pub fn warm_wall() -> Island {
    let island = wall(10, 13, 0.5);
    let mut solver = Ours::<f64>::new(&island);
    solver.solve(&Settings { sweeps: 3000, tolerance: 1e-9, approach: Approach::Sweeps, ..Settings::default() });
    solver.warmed(&island)
}

/// Islands after a step of gravity, from nothing.
pub fn cold() -> Vec<(&'static str, Island)> {
    vec![
        ("single contact", one_contact()),
        ("stack of 4", stack(4, 1.0, 0.5)),
        ("stack of 16", stack(16, 1.0, 0.5)),
        ("cluster drop of 32", cluster()),
        ("pyramid of 200", pyramid(20, 16, 0.5)),
        ("wall of 1,000", wall(10, 13, 0.5)),
        ("wall of 1,000, shoved", shoved()),
    ]
}

/// What the last solve was asked.
struct Asked(Island);

impl Sink<f64> for Asked {
    fn input(&mut self, _: &Settings<f64>, _: &Means, _: usize, _: usize) {
        self.0 = Island { bodies: Vec::new(), contacts: Vec::new() };
    }

    fn input_body(&mut self, body: &Body<f64>) {
        self.0.bodies.push(*body);
    }

    fn input_contact(&mut self, contact: &Contact<f64>) {
        self.0.contacts.push(*contact);
    }
}

/// Thirty-two boxes two seconds after they were let go: a heap. Without gaps and bounces, which the C peer knows nothing of.
fn cluster() -> Island {
    const FRAMES: usize = 120;
    let scene = find("cluster-drop-32").expect("a built-in scene");
    let mut asked = Asked(Island { bodies: Vec::new(), contacts: Vec::new() });
    crate::engines::run(&scene, FRAMES, &mut asked).expect("a sound scene");
    for contact in &mut asked.0.contacts {
        *contact = Contact { warm: WarmStart::cold(), depth: 0.0, restitution: 0.0, ..*contact };
    }
    asked.0
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
        body.linear.x += 2.0;
        body.linear.y += 1.0;
        body.angular.z += 0.3;
    }
    island
}

/// Sweeps alone, exactly so many.
pub fn sweeps<T: Real>(sweeps: u32, local: LocalRule) -> Settings<T> {
    Settings { sweeps, local, tolerance: T::ZERO, approach: Approach::Sweeps, ..Settings::default() }
}

/// Our solver and a problem for it.
pub struct Ours<T: Real> {
    solver: Box<Solver<T, BODIES, CONTACTS>>,
    start: Bodies<T, BODIES>,
    bodies: Bodies<T, BODIES>,
    contacts: Contacts<T, CONTACTS>,
}

impl<T: Real> Ours<T> {
    /// With a problem.
    pub fn new(island: &Island) -> Self {
        let (start, contacts) = island.columns();
        Ours { solver: Box::new(Solver::new()), bodies: start.clone(), start, contacts }
    }

    /// Solves it from the beginning.
    ///
    /// # Panics
    /// When the kernel refuses it.
    pub fn solve(&mut self, settings: &Settings<T>) -> Report<T> {
        // Velocities alone: a copy of all capacity would take longer than a small solve.
        for (i, (linear, angular)) in self.start.linear().iter().zip(self.start.angular()).enumerate() {
            self.bodies.set_velocity(i, *linear, *angular).expect("a sound velocity");
        }
        self.solver.solve(&mut self.bodies, &self.contacts, settings).expect("a sound island")
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

    /// The same island, each contact beginning with the impulse that the last solve left.
    pub fn warmed(&self, island: &Island) -> Island {
        let mut warm = island.clone();
        for (i, contact) in warm.contacts.iter_mut().enumerate() {
            if let Some(outcome) = self.solver.warm(i) {
                contact.warm.normal = outcome.normal.to_f64();
                contact.warm.tangent = outcome.tangent.map(T::to_f64);
            }
        }
        warm
    }
}

/// Nanoseconds a contact and sweep, and nanoseconds a contact around the sweeps, of our solver.
pub fn cost<T: Real>(island: &Island, rule: LocalRule, rounds: usize) -> (f64, f64) {
    let (mut one, mut other) = (Ours::<T>::new(island), Ours::<T>::new(island));
    // All sweeps count, the first as well, in which contacts change what they do: as the C peer's do.
    let (none, many) = (sweeps(0, rule), sweeps(60, rule));
    let [around, all] = crate::race::race(rounds, [&mut || one.run(&none), &mut || other.run(&many)]);
    let contacts = island.contacts.len() as f64;
    ((all - around) / 60.0 / contacts, around / contacts)
}
