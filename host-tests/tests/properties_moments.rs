//! Laws of contacts with torsion, rolling and anisotropic friction, over random islands that mix them with plain ones.
//!
//! Bounds and powers are computed here in double precision, from world vectors and without the kernel's rows.

use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use stiction::{Bodies, Body, Contact, ContactOutcome, Contacts, ErrorKind, Hooks, InputField, SixRows, Solver};
use stiction::{BounceMode, LocalRule, MethodChoice, Real, Settings, Status, Surface, Tread};
use stiction_testkit::capacity::{Solved, solve_on_surfaces};
use stiction_testkit::effort;
use stiction_testkit::island::{DT, Island, check_energies};
use stiction_testkit::strategies::*;
use stiction_testkit::tolerance;

fn cases() -> u32 {
    effort::cases(500, 10_000)
}

/// Makes a test of a generic property in each precision.
macro_rules! in_both_precisions {
    ($($law:ident => $name:ident),* $(,)?) => {
        mod double { $(#[test] fn $name() { super::$law::<f64>() })* }
        mod single { $(#[test] fn $name() { super::$law::<f32>() })* }
    };
}

in_both_precisions! {
    passivity => no_island_with_moments_gains_energy_or_leaves_its_bounds,
    momentum => free_islands_keep_their_momentum,
    wrenches => wrenches_are_the_change_of_the_velocities,
    swap => swapping_bodies_a_and_b_gives_the_same_answer,
    rotated => rotating_the_world_rotates_the_answer_and_its_treads,
    mirrored => mirroring_the_world_mirrors_the_answer,
    heavier => a_power_of_two_of_all_masses_changes_no_bit_of_a_velocity,
    law => every_contact_of_a_converged_answer_obeys_its_law,
    islands_alone => an_island_solved_among_others_has_the_bits_of_it_alone,
    islands_together => islands_solved_together_move_as_solved_separately,
    plain => default_surfaces_have_the_bits_of_three_rows,
    rejected => a_bad_surface_is_rejected_by_name_and_changes_nothing,
    capacity => a_contact_with_moments_takes_two_places,
    emptied => emptied_contacts_equal_new_ones,
}

/// An island whose contacts have surfaces.
#[derive(Debug, Clone)]
pub(crate) struct Rough {
    island: Island,
    surfaces: Vec<Surface<f64>>,
}

/// Bodies, and contacts with their surfaces.
pub(crate) type Rounded<T> = (Vec<Body<T>>, Vec<(Contact<T>, Surface<T>)>);

/// A surface: plain, with torsion, rolling or both, maybe with a shared bound, maybe with a tread.
fn surface(shape: Shape) -> impl Strategy<Value = Surface<f64>> + Clone {
    let radius = || log_uniform(1e-4, 1.0);
    let moments = prop_oneof![
        2 => Just((0.0, 0.0, false)),
        1 => radius().prop_map(|torsion| (torsion, 0.0, false)),
        1 => radius().prop_map(|rolling| (0.0, rolling, false)),
        1 => (radius(), radius()).prop_map(|(torsion, rolling)| (torsion, rolling, false)),
        1 => radius().prop_map(|torsion| (torsion, 0.0, true)),
        1 => (radius(), radius()).prop_map(|(torsion, rolling)| (torsion, rolling, true)),
    ];
    let mu_across = prop_oneof![1 => Just(0.0), 9 => 0.0..=shape.mu];
    let tread = (direction(), log_uniform(1e-3, 1e3), mu_across)
        .prop_map(|(direction, length, mu_across)| Tread { direction: direction * length, mu_across });
    let tread = prop_oneof![2 => Just(None), 1 => tread.prop_map(Some)];
    (moments, tread, vector(shape.warm)).prop_map(|((torsion, rolling, is_joined), tread, warm_moment)| Surface {
        torsion,
        rolling,
        tread,
        is_joined,
        warm_moment,
    })
}

pub(crate) fn rough(shape: Shape) -> impl Strategy<Value = Rough> {
    let surfaces = prop::collection::vec(surface(shape), shape.contacts);
    (island(shape), surfaces).prop_map(|(island, mut surfaces)| {
        surfaces.truncate(island.contacts.len());
        for (surface, contact) in surfaces.iter_mut().zip(&island.contacts) {
            // A direction close to the normal is rounding once its part across it is taken.
            if let Some(tread) = &mut surface.tread
                && tread.direction.cross(&contact.normal).norm() < 0.3 * tread.direction.norm()
            {
                tread.direction =
                    tread.direction.norm() * Vector3::new(contact.normal.y, contact.normal.z, contact.normal.x);
                if tread.direction.cross(&contact.normal).norm() < 0.3 * tread.direction.norm() {
                    surface.tread = None;
                }
            }
        }
        Rough { island, surfaces }
    })
}

impl Rough {
    /// The same problem after a rotation or a mirroring. Angular velocities and moments are axial vectors.
    fn moved(&self, motion: &Matrix3<f64>) -> Rough {
        let hand = motion.determinant().signum();
        let mut island = self.island.rotated(motion);
        island.bodies.iter_mut().for_each(|body| body.angular_velocity *= hand);
        let surface = |surface: &Surface<f64>| Surface {
            tread: surface.tread.map(|tread| Tread { direction: motion * tread.direction, ..tread }),
            warm_moment: motion * surface.warm_moment * hand,
            ..*surface
        };
        Rough { island, surfaces: self.surfaces.iter().map(surface).collect() }
    }

    /// The same problem with A and B exchanged in every contact.
    fn swapped(&self) -> Rough {
        let surface = |surface: &Surface<f64>| Surface { warm_moment: -surface.warm_moment, ..*surface };
        Rough { island: self.island.swapped(), surfaces: self.surfaces.iter().map(surface).collect() }
    }

    /// The same problem with all masses multiplied, and warm starts with them.
    fn heavier(&self, factor: f64) -> Rough {
        let surface = |surface: &Surface<f64>| Surface { warm_moment: surface.warm_moment * factor, ..*surface };
        Rough { island: self.island.heavier(factor), surfaces: self.surfaces.iter().map(surface).collect() }
    }

    /// The same problem without treads that have hardly any friction one way. There the velocity counts as little as the
    /// friction, so that solved answers differ by more than their tolerance.
    fn without_skates(&self) -> Rough {
        let is_skate = |mu: f64, tread: &Tread<f64>| mu.min(tread.mu_across) < 0.1 * mu.max(tread.mu_across);
        let pairs = self.surfaces.iter().zip(&self.island.contacts);
        let surfaces = pairs.map(|(surface, contact)| Surface {
            tread: surface.tread.filter(|tread| !is_skate(contact.mu, tread)),
            ..*surface
        });
        Rough { surfaces: surfaces.collect(), ..self.clone() }
    }

    /// Both problems in one world, with the first one's ground, which is body 0, for both.
    fn beside(&self, other: &Rough) -> Rough {
        let mut both = self.clone();
        let first = both.island.bodies.len() - 1;
        both.island.bodies.extend_from_slice(&other.island.bodies[1..]);
        let moved = |index: usize| if index == 0 { 0 } else { first + index };
        let contacts = other.island.contacts.iter();
        both.island.contacts.extend(contacts.map(|c| Contact { a: moved(c.a), b: moved(c.b), ..*c }));
        both.surfaces.extend_from_slice(&other.surfaces);
        both
    }

    pub(crate) fn rounded<T: Real>(&self) -> Rounded<T> {
        let (bodies, contacts) = self.island.rounded::<T>();
        (bodies, contacts.into_iter().zip(self.surfaces.iter().map(round_surface)).collect())
    }

    fn solve<T: Real>(&self, settings: &Settings<T>) -> Solved<T> {
        let (bodies, contacts) = self.rounded::<T>();
        solve_on_surfaces(&bodies, &contacts, settings, T::lit(DT)).expect("strategies draw valid problems")
    }
}

fn round_surface<T: Real>(surface: &Surface<f64>) -> Surface<T> {
    let tread =
        |tread: Tread<f64>| Tread { direction: tread.direction.map(T::lit), mu_across: T::lit(tread.mu_across) };
    Surface {
        torsion: T::lit(surface.torsion),
        rolling: T::lit(surface.rolling),
        tread: surface.tread.map(tread),
        is_joined: surface.is_joined,
        warm_moment: surface.warm_moment.map(T::lit),
    }
}

fn wide<T: Real>(v: &Vector3<T>) -> Vector3<f64> {
    v.map(T::to_f64)
}

/// What a contact's friction may be, in double precision.
struct Bounds {
    n: Vector3<f64>,
    /// Tangents, each with its coefficient.
    tangents: [(Vector3<f64>, f64); 2],
    torsion: f64,
    rolling: f64,
    is_joined: bool,
}

/// Sliding friction and moment of a contact, or its velocities, in its bounds' axes.
struct Parts {
    sliding: [f64; 2],
    spin: f64,
    rolling: Vector3<f64>,
}

impl Bounds {
    fn of<T: Real>((contact, surface): &(Contact<T>, Surface<T>)) -> Self {
        let n = wide(&contact.normal).normalize();
        let (mu, torsion, rolling) = (contact.mu.to_f64(), surface.torsion.to_f64(), surface.rolling.to_f64());
        let (along, across) = surface.tread.map_or_else(
            || (if n.x.abs() < 0.8 { Vector3::x() } else { Vector3::y() }, mu),
            |tread| (wide(&tread.direction), tread.mu_across.to_f64()),
        );
        let t1 = (along - n * n.dot(&along)).normalize();
        // The smaller of two coefficients is at least a millionth of the larger.
        let least = 1e-6 * mu.max(across);
        let tangents = [(t1, mu.max(least)), (n.cross(&t1), across.max(least))];
        Bounds { n, tangents, torsion, rolling, is_joined: surface.is_joined && torsion > 0.0 && least > 0.0 }
    }

    fn parts(&self, linear: &Vector3<f64>, angular: &Vector3<f64>) -> Parts {
        let spin = self.n.dot(angular);
        Parts { sliding: self.tangents.map(|(t, _)| t.dot(linear)), spin, rolling: angular - self.n * spin }
    }

    /// How far the impulse reaches beyond its bounds, relative to them; `share` is how much of each vector is rounding.
    fn excess(&self, pressed: f64, tangent: &Vector3<f64>, moment: &Vector3<f64>, share: f64) -> f64 {
        let Parts { sliding, spin, rolling } = self.parts(tangent, moment);
        let over = |x: f64, bound: f64| if x == 0.0 { 0.0 } else { x / bound };
        let beyond = |reach: f64, rounding: f64| {
            if reach <= pressed + rounding * share { 0.0 } else { (reach - rounding * share) / pressed - 1.0 }
        };
        let [(_, mu_1), (_, mu_2)] = self.tangents;
        let slide = over(sliding[0], mu_1).hypot(over(sliding[1], mu_2));
        let slide_rounding = over(tangent.norm(), mu_1.min(mu_2));
        let roll = if self.rolling > 0.0 {
            beyond(rolling.norm() / self.rolling, moment.norm() / self.rolling)
        } else {
            over((rolling.norm() - share * moment.norm()).max(0.0), 0.0)
        };
        let twist = if self.torsion > 0.0 { spin.abs() / self.torsion } else { 0.0 };
        let twist_rounding = over(moment.norm(), self.torsion);
        if self.is_joined {
            return roll.max(beyond(slide.hypot(twist), slide_rounding + twist_rounding));
        }
        let spun = if self.torsion > 0.0 {
            beyond(twist, twist_rounding)
        } else {
            over((spin.abs() - share * moment.norm()).max(0.0), 0.0)
        };
        let slid = beyond(slide, slide_rounding);
        assert!(!slid.is_nan() && !spun.is_nan() && !roll.is_nan());
        roll.max(spun).max(slid)
    }

    /// How much more the groups could dissipate, J: each at its bound against its velocity.
    fn missing_dissipation(&self, pressed: f64, x: &Parts, u: &Parts) -> [f64; 3] {
        let [(_, mu_1), (_, mu_2)] = self.tangents;
        let slide = (mu_1 * u.sliding[0]).hypot(mu_2 * u.sliding[1]);
        let spin = self.torsion * u.spin.abs();
        let slide_power = x.sliding[0] * u.sliding[0] + x.sliding[1] * u.sliding[1];
        let spin_power = x.spin * u.spin;
        let roll = pressed * self.rolling * u.rolling.norm() + x.rolling.dot(&u.rolling);
        if self.is_joined {
            [pressed * slide.hypot(spin) + slide_power + spin_power, 0.0, roll]
        } else {
            [pressed * slide + slide_power, pressed * spin + spin_power, roll]
        }
    }
}

fn pressed<T: Real>(outcome: &ContactOutcome<T>) -> f64 {
    outcome.normal_impulse.to_f64() + outcome.bounce_impulse.to_f64()
}

fn is_finite<T: Real>(solved: &Solved<T>) -> bool {
    let all = |v: &Vector3<T>| v.iter().all(|x| x.is_finite());
    let outcome =
        |c: &ContactOutcome<T>| c.normal_impulse.is_finite() && c.bounce_impulse.is_finite() && all(&c.tangent_impulse);
    let report = &solved.report;
    let numbers = [report.energy_before, report.energy_after, report.bounce_work, report.contact_work];
    let more = [report.friction_work, report.bounce_missing, report.residual.natural, report.residual.cone];
    solved.velocities.iter().all(|(v, w)| all(v) && all(w))
        && solved.contacts.iter().all(outcome)
        && solved.moments.iter().all(all)
        && solved.wrenches.iter().all(|wrench| all(&wrench.force) && all(&wrench.torque))
        && numbers.iter().chain(&more).all(|x| x.is_finite())
}

/// Few sweeps: properties must hold for every iterate, not only for solutions.
fn few_sweeps<T: Real>(sweeps: u32) -> Settings<T> {
    Settings { sweeps, tolerance: T::ZERO, ..Settings::default() }
}

fn passivity<T: Real>() {
    let islands = effort::cases(2_000, 100_000);
    let shape = Shape { bodies: 7, contacts: 16, mass_ratio: 1e6, mu: 2.0, warm: 10.0, ..Shape::default() };
    let free = Shape { bodies: 8, ground: false, ..shape };
    let problem = prop_oneof![3 => rough(shape), 1 => rough(free)];
    let sweeps = prop_oneof![3 => 0..=5u32, 1 => Just(Settings::<T>::default().sweeps)];
    let choices = (0..8u32, proptest::bool::ANY, 0..4usize, 0.5..1.5_f64);
    let cases = (problem, sweeps, choices);
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let (mut worst, mut farthest, mut guarded, mut converged, mut moments) = (0.0_f64, 0.0_f64, 0, 0, 0_usize);
    let share = tolerance::of::<T>("moment bounds");
    let smallest = if T::BYTES == 4 { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
    let underflow = (smallest / T::EPSILON.to_f64()).sqrt();
    for case in 0..islands {
        let (rough, sweeps, (rule, sequential, method, relaxation)) = cases.new_tree(&mut runner).unwrap().current();
        // Half of the cases have exact rules for all contacts, the rest all other choices.
        let local = match rule {
            5 => LocalRule::HoldAndResolve,
            6 => LocalRule::Projection,
            7 => LocalRule::Box,
            _ => LocalRule::Exact,
        };
        let bounce = if sequential { BounceMode::Sequential } else { BounceMode::Together };
        let methods = [MethodChoice::Auto, MethodChoice::Sweeps, MethodChoice::Accelerated, MethodChoice::Direct];
        let method = methods[method];
        let relaxation = if rule < 4 { T::ONE } else { T::lit(relaxation) };
        // No more factorisations than these: an answer must be passive wherever a method stops.
        let choices = Settings { local, bounce, method, relaxation, ..Settings::<T>::default() };
        let settings = Settings { sweeps, factorisations: 30, ..choices };
        let (bodies, contacts) = rough.rounded::<T>();
        let solved = rough.solve(&settings);
        assert!(is_finite(&solved), "case {case}: {solved:?}");
        let gain = check_energies(&solved.report, &bodies, &solved.velocities);
        worst = worst.max(gain.unwrap_or_else(|error| panic!("case {case}: {error}\n{rough:?}\n{settings:?}")));
        for ((contact, outcome), moment) in contacts.iter().zip(&solved.contacts).zip(&solved.moments) {
            assert!(outcome.normal_impulse >= T::ZERO && outcome.bounce_impulse >= T::ZERO, "case {case}");
            // Squares of a plain contact's impulse underflow here; contacts with moments are exact even so.
            let inverse_mass = bodies[contact.0.a].inverse_mass + bodies[contact.0.b].inverse_mass;
            if !contact.1.has_moments() && pressed(outcome) * inverse_mass.to_f64() < underflow {
                continue;
            }
            let (tangent, moment) = (wide(&outcome.tangent_impulse), wide(moment));
            // A subnormal vector has too few digits for a direction.
            let moment = if moment.norm() < smallest { Vector3::zeros() } else { moment };
            let excess = Bounds::of(contact).excess(pressed(outcome), &tangent, &moment, share);
            assert!(excess <= share, "case {case}: {excess:e} beyond the bounds, {contact:?} {outcome:?} {moment:?}");
            farthest = farthest.max(excess);
            moments += usize::from(moment != Vector3::zeros());
        }
        guarded += u32::from(solved.report.passivity_guard);
        converged += u32::from(solved.report.status == Status::Converged);
    }
    println!(
        "{} bits: {islands} islands with {moments} moments, largest relative gain {worst:.2e}, farthest beyond a bound \
         {farthest:.2e}, guard acted in {guarded}, converged {converged}",
        8 * T::BYTES
    );
    assert!(guarded > 0 && moments > islands as usize, "the study does not test what it should");
}

/// Free bodies whose contact points are the same world points seen from both, and the bodies' positions.
fn free_world() -> impl Strategy<Value = (Rough, Vec<Vector3<f64>>)> {
    let shape = Shape { bodies: 6, contacts: 10, ground: false, warm: 1.0, ..Shape::default() };
    (rough(shape), prop::collection::vec(vector(2.0), 6)).prop_map(|(mut rough, places)| {
        for contact in &mut rough.island.contacts {
            contact.r_b = places[contact.a] + contact.r_a - places[contact.b];
        }
        (rough, places)
    })
}

fn momentum<T: Real>() {
    let tolerance = tolerance::of::<T>("momentum");
    check(cases(), (free_world(), 0..8u32), |((rough, places), sweeps)| {
        let (bodies, _) = rough.rounded::<T>();
        let solved = rough.solve(&few_sweeps::<T>(sweeps));
        let total = |velocities: &[(Vector3<T>, Vector3<T>)]| {
            let (mut linear, mut angular, mut scale) = (Vector3::zeros(), Vector3::zeros(), 0.0);
            for ((body, (v, w)), x) in bodies.iter().zip(velocities).zip(&places) {
                let p = wide(v) / body.inverse_mass.to_f64();
                let inertia = body.inverse_inertia_world.map(T::to_f64).try_inverse().expect("a body that can rotate");
                let spin: Vector3<f64> = inertia * wide(w);
                linear += p;
                angular += x.cross(&p) + spin;
                scale += p.norm() + spin.norm();
            }
            (linear, angular, scale)
        };
        let before = total(&bodies.iter().map(|b| (b.linear_velocity, b.angular_velocity)).collect::<Vec<_>>());
        let after = total(&solved.velocities);
        let impulses: f64 = solved.contacts.iter().map(pressed).sum();
        let moments: f64 = solved.moments.iter().map(|moment| wide(moment).norm()).sum();
        let scale = before.2 + after.2 + impulses + moments;
        let (linear, angular) = ((before.0 - after.0).norm() / scale, (before.1 - after.1).norm() / scale);
        prop_assert!(linear <= tolerance && angular <= tolerance, "linear {linear:e}, angular {angular:e}");
        Ok(())
    });
}

fn wrenches<T: Real>() {
    let tolerance = tolerance::of::<T>("momentum");
    let shape = Shape { bodies: 5, warm: 1.0, ..Shape::default() };
    check(cases(), (rough(shape), 0..8u32), |(rough, sweeps)| {
        let (bodies, contacts) = rough.rounded::<T>();
        let solved = rough.solve(&few_sweeps::<T>(sweeps));
        for (i, (body, (v, w))) in bodies.iter().zip(&solved.velocities).enumerate() {
            let (mut force, mut torque) = (0.0, 0.0);
            for (c, ((contact, _), outcome)) in contacts.iter().zip(&solved.contacts).enumerate() {
                let arm = if contact.a == i { contact.r_a } else { contact.r_b };
                if contact.a == i || contact.b == i {
                    let impulse = pressed(outcome) + wide(&outcome.tangent_impulse).norm();
                    force += impulse;
                    torque += impulse * wide(&arm).norm() + wide(&solved.moments[c]).norm();
                }
            }
            let (inverse_mass, inverse_inertia) =
                (body.inverse_mass.to_f64(), body.inverse_inertia_world.map(T::to_f64));
            let wrench = &solved.wrenches[i];
            let dv = wide(v) - wide(&body.linear_velocity) - wide(&wrench.force) * (DT * inverse_mass);
            let dw = wide(w) - wide(&body.angular_velocity) - inverse_inertia * wide(&wrench.torque) * DT;
            let scales =
                [wide(v).norm() + 5.0 + force * inverse_mass, wide(w).norm() + 5.0 + torque * inverse_inertia.norm()];
            prop_assert!(dv.norm() <= tolerance * scales[0], "body {i}: {:e}", dv.norm() / scales[0]);
            prop_assert!(dw.norm() <= tolerance * scales[1], "body {i}: {:e}", dw.norm() / scales[1]);
        }
        Ok(())
    });
}

/// Whether an answer is the other one moved, relative to its speeds. Where a bounce is barely possible, rounding decides
/// whether it is dropped or the guard acts; such cases are left out.
fn is_moved<T: Real>(
    rough: &Rough,
    [a, b]: [&Solved<T>; 2],
    motion: &Matrix3<f64>,
    law: &str,
) -> Result<(), TestCaseError> {
    let decisions = |solved: &Solved<T>| (solved.report.bounce_dropped, solved.report.passivity_guard);
    prop_assume!(decisions(a) == decisions(b));
    let hand = motion.determinant().signum();
    let (mut difference, mut scale) = (0.0_f64, 1.0_f64);
    for ((v, w), (v2, w2)) in a.velocities.iter().zip(&b.velocities) {
        let (v, w) = (wide(v), wide(w));
        difference = difference.max((motion * v - wide(v2)).norm()).max((motion * w * hand - wide(w2)).norm());
        scale = scale.max(v.norm()).max(w.norm());
    }
    for (i, contact) in rough.island.contacts.iter().enumerate() {
        let inverse_mass = rough.island.bodies[contact.a].inverse_mass + rough.island.bodies[contact.b].inverse_mass;
        let (moment, other) = (wide(&a.moments[i]), wide(&b.moments[i]));
        let swapped = if law == "swap" { -1.0 } else { 1.0 };
        difference = difference.max((motion * moment * hand * swapped - other).norm() * inverse_mass);
        scale = scale.max((pressed(&a.contacts[i]) + moment.norm()) * inverse_mass);
    }
    let tolerance = tolerance::of::<T>(if a.report.passivity_guard { "guarded" } else { law });
    prop_assert!(difference <= tolerance * scale, "{difference:e} of {scale}: {:?} {:?}", a.report, b.report);
    Ok(())
}

fn swap<T: Real>() {
    let shape = Shape { warm: 1.0, ..Shape::default() };
    check(cases(), (rough(shape), 0..8u32), |(rough, sweeps)| {
        let settings = few_sweeps::<T>(sweeps);
        let answers = [&rough.solve(&settings), &rough.swapped().solve(&settings)];
        is_moved(&rough, answers, &Matrix3::identity(), "swap")
    });
}

fn rotated<T: Real>() {
    let shape = Shape { warm: 1.0, ..Shape::default() };
    check(cases(), (rough(shape), rotation(), 0..8u32), |(rough, rotation, sweeps)| {
        let settings = few_sweeps::<T>(sweeps);
        let answers = [&rough.solve(&settings), &rough.moved(&rotation).solve(&settings)];
        is_moved(&rough, answers, &rotation, "rotated world")
    });
}

fn mirrored<T: Real>() {
    let shape = Shape { warm: 1.0, ..Shape::default() };
    check(cases(), (rough(shape), direction(), 0..8u32), |(rough, plane, sweeps)| {
        let settings = few_sweeps::<T>(sweeps);
        let mirror = Matrix3::identity() - plane * plane.transpose() * 2.0;
        let answers = [&rough.solve(&settings), &rough.moved(&mirror).solve(&settings)];
        is_moved(&rough, answers, &mirror, "rotated world")
    });
}

fn heavier<T: Real>() {
    let shape = Shape { warm: 1.0, mass_ratio: 1e4, ..Shape::default() };
    check(cases(), (rough(shape), 0..10u32, -8..=8_i32), |(rough, sweeps, power)| {
        let settings = few_sweeps::<T>(sweeps);
        let factor = 2.0_f64.powi(power);
        let (light, heavy) = (rough.solve(&settings), rough.heavier(factor).solve(&settings));
        prop_assert_eq!(&light.velocities, &heavy.velocities);
        let factor = T::lit(factor);
        for (i, (x, y)) in light.contacts.iter().zip(&heavy.contacts).enumerate() {
            prop_assert_eq!(
                (x.normal_impulse * factor, x.bounce_impulse * factor, x.tangent_impulse * factor),
                (y.normal_impulse, y.bounce_impulse, y.tangent_impulse)
            );
            prop_assert_eq!(light.moments[i] * factor, heavy.moments[i]);
        }
        Ok(())
    });
}

/// Relative velocity of B at a contact, and relative angular velocity.
fn velocity_at<T: Real>(contact: &Contact<T>, velocities: &[(Vector3<T>, Vector3<T>)]) -> (Vector3<f64>, Vector3<f64>) {
    let [(va, wa), (vb, wb)] = [contact.a, contact.b].map(|i| (wide(&velocities[i].0), wide(&velocities[i].1)));
    (vb + wb.cross(&wide(&contact.r_b)) - va - wa.cross(&wide(&contact.r_a)), wb - wa)
}

fn law<T: Real>() {
    let shape = Shape { bodies: 5, contacts: 10, warm: 1.0, ..Shape::default() };
    let (mut worst, mut solved_count, mut all) = ([0.0_f64; 5], 0_u32, 0_u32);
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let strategy = rough(shape);
    let settings = Settings::<T> { sweeps: 1000, ..Settings::default() };
    let limit = tolerance::of::<T>("law of moments");
    for case in 0..cases() {
        let rough = strategy.new_tree(&mut runner).unwrap().current();
        let (bodies, contacts) = rough.rounded::<T>();
        let solved = rough.solve(&settings);
        all += 1;
        if solved.report.status != Status::Converged {
            continue;
        }
        solved_count += 1;
        let start: Vec<_> = bodies.iter().map(|b| (b.linear_velocity, b.angular_velocity)).collect();
        let mut scale = 0.0_f64;
        let mut sizes = Vec::new();
        for (i, (contact, _)) in contacts.iter().enumerate() {
            let stiffness = |body: &Body<T>, arm: &Vector3<T>| {
                let cross = wide(arm).cross_matrix();
                3.0 * body.inverse_mass.to_f64() - (cross * body.inverse_inertia_world.map(T::to_f64) * cross).trace()
            };
            let size =
                (stiffness(&bodies[contact.a], &contact.r_a) + stiffness(&bodies[contact.b], &contact.r_b)) / 3.0;
            sizes.push(size);
            for velocities in [&start, &solved.velocities] {
                let (u, w) = velocity_at(contact, velocities);
                scale += u.norm_squared() + w.norm_squared();
            }
            let impulse = pressed(&solved.contacts[i]) + wide(&solved.moments[i]).norm();
            scale += (size * impulse).powi(2);
        }
        let scale = scale.sqrt();
        for (i, contact) in contacts.iter().enumerate() {
            let (bounds, outcome) = (Bounds::of(contact), &solved.contacts[i]);
            let pressed = pressed(outcome);
            let (u, w) = velocity_at(&contact.0, &solved.velocities);
            let normal = bounds.n.dot(&u) + (-contact.0.depth.to_f64()).max(0.0) / DT;
            let x = bounds.parts(&wide(&outcome.tangent_impulse), &wide(&solved.moments[i]));
            let [slide, spin, roll] = bounds.missing_dissipation(pressed, &x, &bounds.parts(&u, &w));
            let unit = scale * (pressed + scale / sizes[i]);
            let violations = [
                -normal / scale,
                outcome.normal_impulse.to_f64() * normal.abs() / unit,
                slide.abs() / unit,
                spin.abs() / unit,
                roll.abs() / unit,
            ];
            for (worst, violation) in worst.iter_mut().zip(violations) {
                *worst = worst.max(violation);
            }
            let is_lawful = violations.iter().all(|violation| *violation <= limit);
            assert!(
                is_lawful,
                "case {case}, contact {i}: {violations:?}, {contact:?}, {outcome:?} {:?}",
                solved.report
            );
        }
    }
    let worst = worst.map(|worst| format!("{worst:.1e}")).join(", ");
    println!("{} bits: {solved_count} of {all} converged, worst violations {worst}", 8 * T::BYTES);
    assert!(solved_count * 10 > all * 8, "{solved_count} of {all}");
}

/// Velocities, impulses and moments after a solve of every island alone, or of all together.
struct Answer<T> {
    is_solved: bool,
    velocities: Vec<(Vector3<T>, Vector3<T>)>,
    contacts: Vec<(ContactOutcome<T>, Vector3<T>)>,
    islands: usize,
}

fn answer<T: Real>(rough: &Rough, settings: &Settings<T>, separate: bool) -> Answer<T> {
    let (mut bodies, mut contacts) = (Bodies::<T, 33>::new(), Contacts::<T, 128, SixRows>::empty());
    let (all_bodies, all_contacts) = rough.rounded::<T>();
    all_bodies.into_iter().for_each(|body| assert!(bodies.push(body).is_ok()));
    all_contacts.into_iter().for_each(|(contact, surface)| assert!(contacts.push_on(contact, surface).is_ok()));
    let mut solver = Box::new(Solver::<T, 33, 128, SixRows>::empty());
    let (dt, hooks) = (T::lit(DT), Hooks::default());
    let report = if separate {
        solver.solve_islands(&mut bodies, &contacts, settings, dt, hooks)
    } else {
        solver.solve_with(&mut bodies, &contacts, settings, dt, hooks)
    };
    let velocities = bodies.linear_velocities().iter().copied().zip(bodies.angular_velocities().iter().copied());
    Answer {
        is_solved: report.expect("strategies draw valid problems").status == Status::Converged,
        velocities: velocities.collect(),
        contacts: (0..contacts.len()).map(|i| (solver.contact(i).unwrap(), solver.moment(i).unwrap())).collect(),
        islands: solver.islands(),
    }
}

fn islands_alone<T: Real>() {
    let shape = Shape { bodies: 3, contacts: 6, warm: 1.0, ..Shape::default() };
    check(cases(), (rough(shape), rough(shape), 0..20u32), |(one, other, sweeps)| {
        let settings = Settings { sweeps, ..Settings::<T>::default() };
        let both = answer(&one.beside(&other), &settings, true);
        let (one, other) = (answer(&one, &settings, true), answer(&other, &settings, true));
        prop_assert_eq!(both.islands, one.islands + other.islands);
        let velocities: Vec<_> = one.velocities.iter().chain(&other.velocities[1..]).collect();
        prop_assert_eq!(both.velocities.iter().collect::<Vec<_>>(), velocities);
        let contacts: Vec<_> = one.contacts.iter().chain(&other.contacts).collect();
        prop_assert_eq!(both.contacts.iter().collect::<Vec<_>>(), contacts);
        Ok(())
    });
}

fn islands_together<T: Real>() {
    let tolerance = tolerance::of::<T>("solved stays solved");
    let shape = Shape { bodies: 2, contacts: 3, mass_ratio: 10.0, mu: 0.5, bounce: false, ..Shape::default() };
    check(cases(), (rough(shape), rough(shape)), |(one, other)| {
        let (one, other) = (one.without_skates(), other.without_skates());
        let goal = (16.0 * T::EPSILON.to_f64()).max(1e-12);
        let settings = Settings::<T> { sweeps: 2000, tolerance: T::lit(goal), ..Settings::default() };
        let both = one.beside(&other);
        let (separate, together) = (answer(&both, &settings, true), answer(&both, &settings, false));
        prop_assume!(separate.is_solved && together.is_solved);
        let (mut difference, mut scale) = (0.0_f64, 1.0_f64);
        for ((v, w), (v2, w2)) in separate.velocities.iter().zip(&together.velocities) {
            difference = difference.max((wide(v) - wide(v2)).norm()).max((wide(w) - wide(w2)).norm());
            scale = scale.max(wide(v).norm()).max(wide(w).norm());
        }
        prop_assert!(difference <= tolerance * scale, "{difference:e} of {scale}");
        Ok(())
    });
}

fn plain<T: Real>() {
    let shape = Shape { bodies: 6, contacts: 16, mass_ratio: 1e4, mu: 2.0, warm: 3.0, ..Shape::default() };
    check(cases(), (island(shape), 0..60u32, 0..4usize), |(island, sweeps, rule)| {
        let local = [LocalRule::Exact, LocalRule::HoldAndResolve, LocalRule::Projection, LocalRule::Box][rule];
        let settings = Settings::<T> { sweeps, local, ..Settings::default() };
        let surfaces = vec![Surface::default(); island.contacts.len()];
        let three = island.solve(&settings).expect("strategies draw valid problems");
        let six = Rough { island, surfaces }.solve(&settings);
        prop_assert_eq!(three.report, six.report);
        prop_assert_eq!(three.velocities, six.velocities);
        prop_assert_eq!(three.contacts, six.contacts);
        prop_assert_eq!(three.couplings, six.couplings);
        prop_assert_eq!(three.wrenches, six.wrenches);
        prop_assert!(six.moments.iter().all(|moment| *moment == Vector3::zeros()));
        Ok(())
    });
}

fn rejected<T: Real>() {
    let mut contacts = Contacts::<T, 64, SixRows>::empty();
    let contact =
        Contact { mu: T::HALF, normal: Vector3::new(T::ZERO, T::lit(0.6), T::lit(0.8)), ..Contact::default() };
    let good = Surface { torsion: T::lit(0.1), ..Surface::default() };
    contacts.push_on(contact, good).unwrap();
    let before = contacts.clone();
    let (nan, infinite, one) = (T::lit(f64::NAN), T::lit(f64::INFINITY), T::ONE);
    let across = |direction: Vector3<T>, mu_across: T| Surface { tread: Some(Tread { direction, mu_across }), ..good };
    let (x, zero) = (Vector3::x(), T::ZERO);
    let below = |value: T| ErrorKind::TooSmall { value, min: T::ZERO };
    let bad = [
        ("torsion", Surface { torsion: -one, ..good }, below(-one)),
        ("torsion", Surface { torsion: nan, ..good }, ErrorKind::NotFinite),
        ("torsion", Surface { torsion: infinite, ..good }, ErrorKind::NotFinite),
        ("rolling", Surface { rolling: -one, ..good }, below(-one)),
        ("rolling", Surface { rolling: nan, ..good }, ErrorKind::NotFinite),
        ("rolling", Surface { rolling: infinite, ..good }, ErrorKind::NotFinite),
        ("rolling", Surface { rolling: -infinite, ..good }, ErrorKind::NotFinite),
        ("mu_across", across(x, -one), below(-one)),
        ("mu_across", across(x, nan), ErrorKind::NotFinite),
        ("mu_across", across(x, infinite), ErrorKind::NotFinite),
        ("friction_direction", across(contact.normal, one), ErrorKind::AlongTheNormal),
        ("friction_direction", across(contact.normal * T::lit(-30.0), one), ErrorKind::AlongTheNormal),
        ("friction_direction", across(Vector3::zeros(), one), ErrorKind::AlongTheNormal),
        ("friction_direction", across(Vector3::new(one, nan, zero), one), ErrorKind::NotFinite),
        ("friction_direction", across(Vector3::new(zero, zero, -infinite), one), ErrorKind::NotFinite),
        ("warm.moment", Surface { warm_moment: Vector3::new(zero, zero, nan), ..good }, ErrorKind::NotFinite),
        ("warm.moment", Surface { warm_moment: Vector3::new(infinite, zero, zero), ..good }, ErrorKind::NotFinite),
    ];
    for (name, surface, kind) in bad {
        let error = contacts.push_on(contact, surface).expect_err(name);
        assert_eq!((error.field, error.kind), (InputField::Contact(1, name), kind), "{surface:?}");
        assert_eq!(contacts, before, "{surface:?}");
    }
    // The contact itself is checked first.
    let error = contacts.push_on(Contact { mu: nan, ..contact }, Surface { torsion: nan, ..good }).unwrap_err();
    assert_eq!(error.field, InputField::Contact(1, "mu"));
    // A later warm start.
    let error = contacts.set_warm_moment(0, Vector3::new(zero, nan, zero)).unwrap_err();
    assert_eq!((error.field, error.kind), (InputField::Contact(0, "warm.moment"), ErrorKind::NotFinite));
    let error = contacts.set_warm_moment(1, Vector3::zeros()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::NoSuchContact { contacts: 1 });
    assert_eq!(contacts, before);
    // Above the limits.
    let above = T::LENGTH_LIMIT * T::lit(2.0);
    for (name, surface) in
        [("torsion", Surface { torsion: above, ..good }), ("rolling", Surface { rolling: above, ..good })]
    {
        let error = contacts.push_on(contact, surface).unwrap_err();
        assert_eq!(error.field, InputField::Contact(1, name));
        assert_eq!(error.kind, ErrorKind::TooLarge { value: above, max: T::LENGTH_LIMIT });
        assert_eq!(contacts, before);
    }
}

fn capacity<T: Real>() {
    let contact = Contact { mu: T::HALF, ..Contact::default() };
    let surfaces = [
        Surface { torsion: T::HALF, ..Surface::default() },
        Surface { rolling: T::HALF, ..Surface::default() },
        Surface { torsion: T::HALF, rolling: T::HALF, is_joined: true, ..Surface::default() },
    ];
    let tread = Some(Tread { direction: Vector3::x(), mu_across: T::ONE });
    for surface in surfaces {
        let mut contacts = Contacts::<T, 4, SixRows>::empty();
        contacts.push_on(contact, surface).unwrap();
        contacts.push_on(contact, Surface { tread, ..Surface::default() }).unwrap();
        assert_eq!((contacts.len(), contacts.places()), (2, 3));
        let before = contacts.clone();
        let error = contacts.push_on(contact, surface).unwrap_err();
        assert_eq!((error.field, error.kind), (InputField::Contact(2, ""), ErrorKind::Full { capacity: 4 }));
        assert_eq!(contacts, before);
        contacts.push(contact).unwrap();
        let before = contacts.clone();
        for error in [contacts.push(contact), contacts.push_on(contact, Surface::default())] {
            assert_eq!(error.unwrap_err().kind, ErrorKind::Full { capacity: 4 });
        }
        assert_eq!(contacts, before);
        contacts.clear();
        assert_eq!(contacts.places(), 0);
        contacts.push_on(contact, surface).unwrap();
        contacts.push_on(contact, surface).unwrap();
        assert_eq!((contacts.len(), contacts.places()), (2, 4));
    }
}

fn emptied<T: Real>() {
    let contact = Contact { mu: T::HALF, ..Contact::default() };
    let mut contacts = Contacts::<T, 64, SixRows>::empty();
    for _ in 0..2 {
        contacts.push_on(contact, Surface { torsion: T::HALF, ..Surface::default() }).unwrap();
    }
    contacts.clear();
    assert_eq!(contacts, Contacts::empty());
    let mut others = Contacts::<T, 64, SixRows>::empty();
    for contacts in [&mut contacts, &mut others] {
        contacts.push(contact).unwrap();
        contacts.push_on(contact, Surface::default()).unwrap();
    }
    assert_eq!(contacts, others);
}

/// A ball of 2 kg and radius 0.25 m that hits the ground at 3 m/s, with restitution 0.6; a disc if it has no radius.
fn bounced(radius: f64, mu: f64, surface: Surface<f64>, velocity: [f64; 2], spin: [f64; 3]) -> [Vector3<f64>; 2] {
    let mut bodies = Bodies::<f64, 8>::new();
    bodies.push(Body::fixed()).unwrap();
    let body = Body {
        linear_velocity: Vector3::new(velocity[0], velocity[1], -3.0),
        angular_velocity: Vector3::from(spin),
        ..Body::from_mass(2.0, Matrix3::identity() * INERTIA)
    };
    bodies.push(body).unwrap();
    let mut contacts = Contacts::<f64, 64, SixRows>::empty();
    let contact = Contact { r_b: Vector3::new(0.0, 0.0, -radius), mu, restitution: 0.6, ..Contact::default() };
    contacts.push_on(contact, surface).unwrap();
    let mut solver = Solver::<f64, 8, 64, SixRows>::empty();
    let report = solver.solve(&mut bodies, &contacts, &Settings::default(), DT).unwrap();
    assert_eq!(report.status, Status::Converged, "{report:?}");
    let outcome = solver.contact(0).unwrap();
    // All of the impulse is the bounce's.
    assert!((outcome.bounce_impulse - PRESSED).abs() < 1e-13 && outcome.normal_impulse == 0.0, "{outcome:?}");
    let after = [bodies.linear_velocities()[1], bodies.angular_velocities()[1]];
    assert!((after[0].z - 1.8).abs() < 1e-14, "{after:?}");
    after
}

/// Of the ball: 2/5 m r².
const INERTIA: f64 = 0.4 * 2.0 * 0.25 * 0.25;
/// The bounce's impulse: (1 + 0.6) · 2 kg · 3 m/s.
const PRESSED: f64 = 9.6;

#[test]
fn a_spinning_ball_that_bounces_loses_spin_by_the_impulse_of_the_bounce() {
    for (torsion, spin) in [(0.004, 20.0), (0.01, -20.0), (0.1, 30.0), (1.0, 30.0)] {
        let surface = Surface { torsion, ..Surface::default() };
        let [velocity, angular] = bounced(0.25, 0.3, surface, [0.0; 2], [0.0, 0.0, spin]);
        let left: f64 = (spin.abs() - torsion * PRESSED / INERTIA).max(0.0);
        assert!((angular.z - left.copysign(spin)).abs() < 1e-12, "{torsion}: {angular:?}, {left}");
        assert!(velocity.xy().norm() + angular.xy().norm() < 1e-14, "{velocity:?} {angular:?}");
    }
}

#[test]
fn a_ball_that_bounces_obliquely_slides_spins_and_rolls_by_the_closed_form() {
    let (mu, torsion, rolling) = (0.1, 0.01, 0.006);
    let surface = Surface { torsion, rolling, ..Surface::default() };
    let [velocity, angular] = bounced(0.25, mu, surface, [30.0, 0.0], [0.0, 5.0, 40.0]);
    assert!((velocity - Vector3::new(30.0 - mu * PRESSED / 2.0, 0.0, 1.8)).norm() < 1e-12, "{velocity:?}");
    let rolls = 5.0 + (0.25 * mu - rolling) * PRESSED / INERTIA;
    let expected = Vector3::new(0.0, rolls, 40.0 - torsion * PRESSED / INERTIA);
    assert!((angular - expected).norm() < 1e-12, "{angular:?} {expected:?}");
}

#[test]
fn a_disc_that_bounces_and_spins_shares_one_bound_of_the_bounce() {
    let (mu, turn) = (0.2, (INERTIA / 2.0_f64).sqrt());
    let surface = Surface { torsion: mu * turn, is_joined: true, ..Surface::default() };
    let [velocity, angular] = bounced(0.0, mu, surface, [3.0, 0.0], [0.0, 0.0, 4.0 / turn]);
    // Velocity and spin times the radius of gyration are one vector of length 5, shortened along itself.
    let left = 1.0 - mu * PRESSED / 2.0 / 5.0;
    assert!((velocity.x - 3.0 * left).abs() < 1e-12 && (angular.z * turn - 4.0 * left).abs() < 1e-12);
}
