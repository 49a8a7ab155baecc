//! The islands that are timed, by name; some come from scenes with collision detection.

use nalgebra::Vector3;
use stiction::record::{ContactRecord, StepInput};
use stiction::{Body, Contact, LocalRule, Observer, Real, RigidBody, Settings};
use stiction_cli::rig::scenes::find;
pub use stiction_counts::ours::{Ours, STACK_BYTES, lanes, one_contact, shoved, sweeps, warm_wall};
use stiction_testkit::island::Island;
use stiction_testkit::known_answers::stack;
use stiction_testkit::walls::{pyramid, wall};

/// The local rules and their names.
pub const RULES: [(LocalRule, &str); 4] = [
    (LocalRule::Exact, "exact"),
    (LocalRule::HoldAndResolve, "hold and resolve"),
    (LocalRule::Projection, "projection"),
    (LocalRule::Box, "box"),
];

/// Islands after a step of gravity, with a cold start.
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

/// The bodies that the last step began with, after its gravity, and its contacts.
struct LastStep(Island);

impl Observer<f64> for LastStep {
    fn step(&mut self, _: &StepInput<'_, f64>) {
        self.0 = Island { bodies: Vec::new(), contacts: Vec::new() };
    }

    fn step_body(&mut self, body: &RigidBody<f64>) {
        let axes = body.orientation.to_rotation_matrix();
        let inertia = axes * body.inverse_inertia_body * axes.transpose();
        let fall = if body.inverse_mass > 0.0 { 9.81 / 60.0 } else { 0.0 };
        self.0.bodies.push(Body {
            linear_velocity: body.linear_velocity - Vector3::z() * fall,
            angular_velocity: body.angular_velocity,
            ..Body::from_inverse(body.inverse_mass, (inertia + inertia.transpose()) * 0.5)
        });
    }

    fn contact(&mut self, contact: &ContactRecord<f64>) {
        let ContactRecord { a, b, normal, r_a, r_b, mu, .. } = *contact;
        self.0.contacts.push(Contact::new(a, b, normal, r_a, r_b, mu));
    }
}

/// Thirty-two boxes two seconds after their release: a heap. Without gaps and bounces, which the C peer does not
/// support.
fn cluster() -> Island {
    const FRAMES: usize = 120;
    let scene = find("cluster-drop-32").expect("a built-in scene");
    let mut last = LastStep(Island { bodies: Vec::new(), contacts: Vec::new() });
    crate::engines::run(&scene, FRAMES, &mut last).expect("a valid scene");
    last.0
}

/// Nanoseconds a contact and sweep, and nanoseconds a contact around the sweeps, of our solver.
pub fn cost<T: Real>(island: &Island, rule: LocalRule, rounds: usize) -> (f64, f64) {
    cost_of([Ours::<T>::new(island), Ours::new(island)], island, &sweeps(0, rule), rounds)
}

/// The same of two equal solvers, with other settings.
pub fn cost_of<T: Real>(
    [mut one, mut other]: [Ours<T>; 2],
    island: &Island,
    settings: &Settings<T>,
    rounds: usize,
) -> (f64, f64) {
    // All sweeps count, also the first ones, in which contacts change their state: as for the C peer.
    let (none, many) = (Settings { sweeps: 0, ..*settings }, Settings { sweeps: 60, ..*settings });
    let [around, all] = crate::race::race(rounds, [&mut || one.run(&none), &mut || other.run(&many)]);
    let contacts = island.contacts.len() as f64;
    ((all - around) / 60.0 / contacts, around / contacts)
}
