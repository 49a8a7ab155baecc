//! Steps over several frames, with manifolds from bytes and the cache on. A rejected step changes neither world nor
//! cache; an accepted step gives finite numbers. Usual ones balance their energy ledger (`ledger.rs`, `tests/step.rs`),
//! gain no energy in bounce and contact, and continue with the same bits from a saved world and cache.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stiction::Observer;
use stiction::{Ledger, PositionCorrection, Real, Report, World};
use stiction_fuzz::steps::{self, Small};
use stiction_fuzz::{Bytes, Mood, NB};

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    if bytes.coin() { film::<f32>(&mut bytes) } else { film::<f64>(&mut bytes) }
});

fn film<T: Real>(bytes: &mut Bytes<'_>) {
    let mood = bytes.mood();
    let settings = steps::settings::<T>(bytes, mood);
    let mut world = steps::world::<T>(bytes, mood);
    let mut pipeline = Small::new(settings);
    let frames = 1 + bytes.below(6);
    for frame in 0..frames {
        let manifolds = steps::manifolds(bytes, mood, &world);
        let dt = T::lit(bytes.pick(&[1.0 / 60.0, 1e-3, 0.1]));
        let before = (frame + 1 == frames).then(|| (world.clone(), pipeline.cache().clone()));
        let mut bounces = Bounces(0.0);
        let stepped =
            steps::step_with(&mut pipeline, &mut world, &manifolds, dt, stiction::Hooks::with_observer(&mut bounces));
        let Some(report) = stepped else { continue };
        if mood == Mood::Usual {
            check_ledger(&report.ledger, bounces.0, &world, &pipeline, dt);
        }
        if let Some((mut again, cache)) = before {
            let mut other = Small::new(settings);
            other.set_cache(cache);
            steps::step(&mut other, &mut again, &manifolds, dt).expect("accepted before");
            assert_eq!(again, world, "another pipeline gives another world");
            assert_eq!(other.cache(), pipeline.cache(), "another pipeline caches something else");
        }
    }
}

/// Work of all bounces of a step, as the islands report it.
struct Bounces(f64);

impl<T: Real> Observer<T> for Bounces {
    fn report(&mut self, _: usize, report: &Report<T>) {
        self.0 += report.bounce_work.to_f64();
    }
}

fn check_ledger<T: Real>(ledger: &Ledger<T>, bounce: f64, world: &World<T, NB>, pipeline: &Small<T>, dt: T) {
    // The tolerance of the rod in `tests/step.rs`: here, too, bodies rotate about one axis much more easily than about
    // another.
    let tolerance = if T::BYTES == 4 { 1e-4 } else { 1e-12 };
    let entries = [ledger.kinetic_before, ledger.kinetic_after, ledger.potential_before, ledger.potential_after];
    let parts =
        [ledger.load, ledger.integration, ledger.position_correction, ledger.bounce, ledger.normal, ledger.friction];
    let total: f64 = entries.iter().chain(&parts).map(|x| x.to_f64().abs()).sum();
    let allowed = tolerance * (total + exchanged(world, pipeline, dt));
    let open = (ledger.change() - ledger.work()).to_f64().abs();
    assert!(open <= allowed, "open by {open:e}, {allowed:e} is allowed: {ledger:?}");
    let still = |i: usize| {
        world
            .get(i)
            .is_some_and(|body| body.linear_velocity.norm() == T::ZERO && body.angular_velocity.norm() == T::ZERO)
    };
    let immovable = |i: usize| world.get(i).is_some_and(|body| body.inverse_mass == T::ZERO);
    let driven = (0..world.len()).any(|i| immovable(i) && !still(i));
    if !driven && pipeline.settings.solver.position_correction != PositionCorrection::Bias {
        let contact = (ledger.normal + ledger.friction).to_f64();
        assert!(contact <= allowed, "contacts add {contact:e}, {allowed:e} is allowed: {ledger:?}");
        assert!(bounce <= allowed, "bounces add {bounce:e}, {allowed:e} is allowed: {ledger:?}");
    }
}

/// Energy that contacts moved between bodies: squeezed bodies exchange more than the ledger shows.
fn exchanged<T: Real>(world: &World<T, NB>, pipeline: &Small<T>, dt: T) -> f64 {
    let speed = |i: usize, arm: f64| {
        let body = world.get(i).expect("a body");
        let own = (body.linear_velocity.norm() + body.angular_velocity.norm() * T::lit(arm)).to_f64();
        own + (pipeline.settings.gravity.norm() * dt).to_f64()
    };
    pipeline
        .contacts()
        .map(|contact| {
            let tangent = contact.t1_impulse.abs() + contact.t2_impulse.abs();
            let impulse = (contact.bounce_impulse + contact.normal_impulse + tangent).to_f64();
            let (a, b) = (contact.r_a.norm().to_f64(), contact.r_b.norm().to_f64());
            impulse * (speed(contact.a, a) + speed(contact.b, b))
        })
        .sum()
}
