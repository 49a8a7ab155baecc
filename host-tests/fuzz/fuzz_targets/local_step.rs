//! One contact alone. The exact step: no answer is NaN; for finite input it is finite and in its cone
//! (`local/exact.rs`); and for the blocks that `tests/local.rs` draws it satisfies Coulomb's law to 16 ε cond(K), from
//! any guess. The other rules are called through a solve of one sweep: all laws of a solve hold, and no rule has a
//! smaller residual than the exact one.

#![no_main]

use libfuzzer_sys::fuzz_target;
use nalgebra::{Matrix3, Vector3};
use stiction::local::{Block, Cone, LocalSolution, exact, exact_near};
use stiction::{LocalRule, Real, Settings, Solver};
use stiction_fuzz::laws::{Solve, least_length};
use stiction_fuzz::scene::{self, Scene, WILD};
use stiction_fuzz::{Bytes, Mood, NB, NC};
use stiction_testkit::merit::{condition, violation};
use stiction_testkit::tolerance;

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    match bytes.below(4) {
        0 => alone::<f64>(&mut bytes),
        1 => alone::<f32>(&mut bytes),
        2 => by_every_rule::<f64>(&mut bytes),
        _ => by_every_rule::<f32>(&mut bytes),
    }
});

fn alone<T: Real>(bytes: &mut Bytes<'_>) {
    match bytes.mood() {
        Mood::Usual => obeys_coulomb::<T>(bytes),
        mood => is_admissible::<T>(bytes, mood),
    }
}

fn obeys_coulomb<T: Real>(bytes: &mut Bytes<'_>) {
    let most = if T::BYTES == 4 { 1e4 } else { 1e6 };
    let spread = bytes.log_range(1.0, most);
    let eigenvalues = Vector3::new(1.0, bytes.log_range(1.0 / spread, 1.0), 1.0 / spread);
    let k: Matrix3<T> = (bytes.rotated(eigenvalues) * bytes.log_range(1e-3, 1e3)).map(T::lit);
    let speed = bytes.log_range(1e-6, 1e3);
    let free: Vector3<T> = (bytes.direction() * speed).map(T::lit);
    let preload = if bytes.coin() { T::lit(bytes.log_range(1e-3, 1.0) * speed) } else { T::ZERO };
    let cone = Cone { mu: T::lit(3.0 * bytes.unit()), preload };
    let (block, unit) = Block::new(&k);
    let afresh = exact(&block, &cone, &free);
    check_cone(&cone, &afresh);
    let guess =
        if bytes.coin() { bytes.log_range(1e-12, 1e12) } else { afresh.sigma.to_f64() * (1.0 + bytes.signed()) };
    let near = exact_near(&block, &cone, &free, T::lit(guess));
    check_cone(&cone, &near);
    let (k, free, unit): (Matrix3<f64>, Vector3<f64>, f64) = (k.map(T::to_f64), free.map(T::to_f64), unit.to_f64());
    let allowed = 16.0 * T::EPSILON.to_f64() * condition(&k) * free.norm();
    for solution in [afresh, near] {
        let x = solution.impulse.map(T::to_f64) / unit;
        let error = violation(&k, &free, &x, cone.mu.to_f64(), preload.to_f64() / unit);
        assert!(
            error <= allowed,
            "off by {:.1} of what is allowed: {k} {free} {cone:?} guess {guess:e}",
            error / allowed
        );
        // At a solution `ΔE = x·u − ½ x·Kx`, and neither part is positive; only the tolerance of the law remains.
        let gain = x.dot(&free) + 0.5 * x.dot(&(k * x));
        assert!(gain <= allowed * x.norm(), "adds {gain:e} J");
    }
}

/// Any valid block, and velocities beyond the limits of validation.
fn is_admissible<T: Real>(bytes: &mut Bytes<'_>, mood: Mood) {
    let limit = T::INVERSE_MASS_LIMIT.to_f64();
    let eigenvalues = Vector3::from_fn(|_, _| bytes.up_to(limit).abs());
    let k: Matrix3<T> = bytes.rotated(eigenvalues).map(T::lit);
    if k.trace().to_f64() < 1.0 / limit {
        return;
    }
    let most = T::lit(4.0) * (T::LINEAR_SPEED_LIMIT + T::ANGULAR_SPEED_LIMIT * T::LENGTH_LIMIT);
    let free = bytes.vector(mood, 1.0, most);
    let cone = Cone {
        mu: T::lit(bytes.up_to(T::FRICTION_LIMIT.to_f64()).abs()),
        preload: T::lit(bytes.up_to(most.to_f64()).abs()),
    };
    let (block, _) = Block::new(&k);
    let guess = bytes.number(mood, 1.0, T::MAX);
    for solution in [exact(&block, &cone, &free), exact_near(&block, &cone, &free, guess)] {
        let within = free.iter().all(|x| x.abs() <= most);
        assert!(!solution.impulse.iter().any(|x| x.to_f64().is_nan()), "NaN: {k} {free} {cone:?}");
        if within {
            assert!(solution.impulse.iter().all(|x| x.is_finite()), "not finite: {k} {free} {cone:?} {solution:?}");
            check_cone(&cone, &solution);
        }
    }
}

fn check_cone<T: Real>(cone: &Cone<T>, solution: &LocalSolution<T>) {
    assert!(solution.sigma.is_finite(), "{solution:?}");
    let x = solution.impulse.map(T::to_f64);
    let (tangent, radius) = (x.y.hypot(x.z), cone.mu.to_f64() * (x.x + cone.preload.to_f64()));
    let tolerance = tolerance::of::<T>("cone membership");
    let least = least_length::<T>();
    assert!(x.x >= 0.0 && tangent <= radius * (1.0 + tolerance) + least, "outside: {solution:?} {cone:?}");
}

fn by_every_rule<T: Real>(bytes: &mut Bytes<'_>) {
    let mood = bytes.mood();
    let mut scene = Scene::<T> { bodies: Default::default(), contacts: Default::default() };
    for _ in 0..2 {
        let _ = scene.bodies.push(scene::body(bytes, mood, &WILD));
    }
    if scene.bodies.len() < 2 || scene.contacts.push(scene::contact(bytes, mood, &WILD, 2)).is_err() {
        return;
    }
    let rules = [LocalRule::Exact, LocalRule::HoldAndResolve, LocalRule::Projection, LocalRule::Box];
    let residual = rules.map(|local| swept_once(&scene, mood, local));
    let Some((exact, scale)) = residual[0] else { return };
    if mood == Mood::Usual {
        let contact = scene.contacts.get(0).expect("one contact");
        let mass =
            |i: usize| scene.bodies.get(i).map(|body| (body.inverse_mass, body.inverse_inertia_world)).expect("a body");
        let ((m_a, i_a), (m_b, i_b)) = (mass(contact.a), mass(contact.b));
        let k = stiction::ContactConstraint::new(&contact)
            .expect("a valid contact")
            .effective_mass((m_a, &i_a), (m_b, &i_b));
        let condition = Block::new(&k).0.coupling().condition.to_f64();
        // Bodies that move together have more rounding in their contact's velocity than its own size suggests.
        let speed = |i: usize, arm: &Vector3<T>| {
            let body = scene.bodies.get(i).expect("a body");
            (body.linear_velocity.norm() + body.angular_velocity.norm() * arm.norm()).to_f64()
        };
        let together = (speed(contact.a, &contact.r_a) + speed(contact.b, &contact.r_b)) / scale;
        let allowed = tolerance::of::<T>("exact is best") * condition * together.max(1.0);
        for (other, _) in residual.iter().flatten() {
            assert!(exact <= other + allowed, "the exact rule leaves {exact:e}, another {other:e}: {contact:?}");
        }
    }
}

/// The natural residual after one sweep with a rule, and its scale; `None` where the solve is rejected.
fn swept_once<T: Real>(scene: &Scene<T>, mood: Mood, local: LocalRule) -> Option<(f64, f64)> {
    let settings = Settings { local, sweeps: 1, tolerance: T::ZERO, ..Settings::default() };
    let dt = T::lit(1.0 / 60.0);
    let mut solver = Solver::<T, NB, NC>::new();
    let mut bodies = scene.bodies.clone();
    let report = solver.solve(&mut bodies, &scene.contacts, &settings, dt).ok()?;
    let (before, contacts) = (&scene.bodies, &scene.contacts);
    Solve { mood, before, after: &bodies, contacts, settings: &settings, dt, solver: &solver, report: &report }.check();
    Some((report.residual.natural.to_f64(), report.residual.scale.to_f64()))
}
