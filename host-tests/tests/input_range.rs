//! Every input that validation accepts gives finite numbers, up to the limits of every input.

use nalgebra::{Matrix3, Vector3};
use stiction::Hooks;
use stiction::{Bodies, Body, Contact, Contacts, LocalRule, PositionCorrection, Real, Settings, Solver, WarmStart};
use stiction_testkit::capacity::solve;
use stiction_testkit::effort;
use stiction_testkit::island::check_energies;
use stiction_testkit::reports::Reports;
use stiction_testkit::rng::Rng;

fn cases() -> u32 {
    effort::cases(3_000, 60_000)
}

/// A number of any size up to a limit, often the limit itself, often 0.
fn size(rng: &mut Rng, limit: f64) -> f64 {
    let sign = if rng.chance(0.5) { -1.0 } else { 1.0 };
    sign * match rng.below(5) {
        0 => 0.0,
        1 => limit,
        2 => rng.log_range(1e-40, 1e-10),
        _ => rng.log_range(1e-6 / limit, limit),
    }
}

fn vector<T: Real>(rng: &mut Rng, limit: T) -> Vector3<T> {
    let limit = limit.to_f64();
    Vector3::new(size(rng, limit), size(rng, limit), size(rng, limit)).map(T::lit)
}

fn body<T: Real>(rng: &mut Rng) -> Body<T> {
    let limit = T::INVERSE_MASS_LIMIT.to_f64();
    let inverse_mass = rng.log_range(1.0 / limit, limit).clamp(1.0001 / limit, limit);
    let mut entry = || size(rng, limit).abs();
    let diagonal = Vector3::new(entry(), entry(), entry());
    let inverse_inertia = if rng.chance(0.5) {
        Matrix3::from_diagonal(&diagonal)
    } else {
        let r = rng.rotation();
        let m = r * Matrix3::from_diagonal(&diagonal) * r.transpose();
        (m + m.transpose()) * 0.5 * 0.99
    };
    Body {
        inverse_mass: T::lit(inverse_mass),
        inverse_inertia_world: inverse_inertia.map(T::lit),
        linear_velocity: vector(rng, T::LINEAR_SPEED_LIMIT),
        angular_velocity: vector(rng, T::ANGULAR_SPEED_LIMIT),
    }
}

fn contact<T: Real>(rng: &mut Rng, bodies: usize) -> Contact<T> {
    let a = rng.below(bodies);
    let b = (a + 1 + rng.below(bodies - 1)) % bodies;
    let axis = [Vector3::x(), Vector3::y(), Vector3::z()][rng.below(3)];
    let normal = if rng.chance(0.5) { axis } else { rng.direction() };
    let limit = T::IMPULSE_LIMIT.to_f64();
    Contact {
        restitution: T::lit([0.0, 0.5, 1.0][rng.below(3)]),
        depth: T::lit(size(rng, T::LENGTH_LIMIT.to_f64()).abs()),
        pre_impact_normal_velocity: rng.chance(0.2).then(|| T::lit(size(rng, T::LINEAR_SPEED_LIMIT.to_f64()))),
        warm: WarmStart { normal_impulse: T::lit(size(rng, limit)), tangent_impulse: vector(rng, T::IMPULSE_LIMIT) },
        ..Contact::new(
            a,
            b,
            normal.map(T::lit),
            vector(rng, T::LENGTH_LIMIT),
            vector(rng, T::LENGTH_LIMIT),
            T::lit(size(rng, T::FRICTION_LIMIT.to_f64()).abs()),
        )
    }
}

/// Settings of any kind.
fn settings<T: Real>(rng: &mut Rng) -> Settings<T> {
    let rules = [LocalRule::Exact, LocalRule::HoldAndResolve, LocalRule::Projection, LocalRule::Box];
    let position_corrections = [PositionCorrection::None, PositionCorrection::SplitImpulse, PositionCorrection::Bias];
    Settings {
        local: rules[rng.below(4)],
        sweeps: rng.below(12) as u32,
        relaxation: T::lit(if rng.chance(0.5) { 1.0 } else { rng.range(0.1, 1.9) }),
        position_correction: position_corrections[rng.below(3)],
        ..Settings::<T>::default()
    }
}

fn study<T: Real>(name: &str, seed: u64) {
    let mut rng = Rng::new(seed);
    let (mut worst, mut checked) = (0.0_f64, 0);
    for case in 0..cases() {
        let mut bodies: Vec<Body<T>> = (0..1 + rng.below(3)).map(|_| body(&mut rng)).collect();
        bodies.insert(0, Body::fixed());
        let contacts: Vec<Contact<T>> = (0..1 + rng.below(4)).map(|_| contact(&mut rng, bodies.len())).collect();
        let settings = settings(&mut rng);
        let answer = solve(&bodies, &contacts, &settings, T::lit(1.0 / 60.0))
            .unwrap_or_else(|error| panic!("{error}: {bodies:?}"));
        let report = &answer.report;
        let all = answer.velocities.iter().flat_map(|(v, w)| v.iter().chain(w.iter()).copied().collect::<Vec<_>>());
        assert!(all.into_iter().all(|x| x.is_finite()), "{name} case {case}: {bodies:?} {contacts:?} {settings:?}");
        let impulses = answer.contacts.iter().flat_map(|c| {
            [c.normal_impulse, c.bounce_impulse, c.tangent_impulse.x, c.tangent_impulse.y, c.tangent_impulse.z]
        });
        assert!(impulses.into_iter().all(|x| x.is_finite()), "{name} case {case}: {contacts:?}");
        let residual = &report.residual;
        let figures = [
            residual.natural,
            residual.closing_speed,
            residual.cone,
            residual.scale,
            report.energy_before,
            report.energy_after,
        ];
        assert!(
            figures.iter().all(|x| x.is_finite()),
            "{name} case {case}: {report:?} {bodies:?} {contacts:?} {settings:?}"
        );
        assert!(figures.iter().chain([&report.bounce_work, &report.contact_work]).all(|x| x.is_finite()), "{report:?}");
        // Energy is checked where it is free of cancellation, and no spin about a locked axis can add some.
        let least = 1.0 / (T::INVERSE_MASS_LIMIT.to_f64() * T::LENGTH_LIMIT.to_f64().powi(2));
        let plain = |b: &Body<T>| {
            let diagonal = b.inverse_inertia_world.diagonal();
            let spins_freely =
                diagonal.iter().zip(&b.angular_velocity).all(|(d, spin)| d.to_f64() > least || *spin == T::ZERO);
            b.inverse_inertia_world == Matrix3::from_diagonal(&diagonal) && spins_freely
        };
        let diagonal = bodies.iter().all(plain);
        if settings.position_correction != PositionCorrection::Bias && diagonal {
            let gain = check_energies(report, &bodies, &answer.velocities);
            let gain = gain.unwrap_or_else(|off| panic!("{name} case {case}: {off} {bodies:?} {contacts:?}"));
            worst = worst.max(gain);
            checked += 1;
        }
    }
    println!("{name}: {} solved, largest relative energy gain {worst:.1e} of {checked}", cases());
    assert!(checked > cases() / 40, "too few were checked");
}

#[test]
fn every_valid_input_gives_a_finite_answer_in_double_precision() {
    study::<f64>("f64", 21);
}

#[test]
fn every_valid_input_gives_a_finite_answer_in_single_precision() {
    study::<f32>("f32", 22);
}

/// A ball on the same ground as bodies at the limits of every input: it ends with the same bits as alone.
fn beside_an_extreme_island<T: Real>(name: &str, seed: u64) {
    let mut rng = Rng::new(seed);
    let ball = Body {
        inverse_mass: T::ONE,
        inverse_inertia_world: Matrix3::identity(),
        linear_velocity: Vector3::new(1.0, 0.5, -1.0).map(T::lit),
        angular_velocity: Vector3::zeros(),
    };
    let touching = |ball: usize| Contact::new(0, ball, Vector3::z(), Vector3::zeros(), -Vector3::z(), T::lit(0.5));
    let solve = |bodies: &[Body<T>], contacts: &[Contact<T>], settings: &Settings<T>| {
        let (mut columns, mut rows) = (Bodies::<T, 8>::new(), Contacts::<T, 64>::new());
        for body in bodies {
            columns.push(*body).unwrap();
        }
        for contact in contacts {
            rows.push(*contact).unwrap();
        }
        let mut reports = Reports::default();
        let mut solver = Solver::<T, 8, 64>::new();
        solver
            .solve_islands(&mut columns, &rows, settings, T::lit(1.0 / 60.0), Hooks::with_observer(&mut reports))
            .unwrap();
        let last = columns.get(bodies.len() - 1).unwrap();
        (last.linear_velocity, last.angular_velocity, reports.0.last().unwrap().residual.natural)
    };
    for case in 0..cases() {
        let extreme = [Body::fixed(), body(&mut rng), body(&mut rng), ball];
        let mut contacts: Vec<Contact<T>> = (0..1 + rng.below(4)).map(|_| contact(&mut rng, 3)).collect();
        contacts.push(touching(3));
        let settings = settings(&mut rng);
        let alone = solve(&[Body::fixed(), ball], &[touching(1)], &settings);
        assert_eq!(solve(&extreme, &contacts, &settings), alone, "{name} case {case}: {extreme:?} {contacts:?}");
    }
    println!("{name}: {} extreme islands, the ball beside them always unaffected", cases());
}

#[test]
fn islands_at_the_input_limits_do_not_affect_other_islands() {
    beside_an_extreme_island::<f32>("f32", 23);
    beside_an_extreme_island::<f64>("f64", 24);
}

/// Found by the study above with debug assertions on, case 26,138: friction of 3e-8 beside impulses of 1e11. Interior
/// points left an impulse four times as long as its cone is wide.
#[test]
fn tiny_friction_with_huge_impulses_stays_within_its_cone() {
    let diagonal = |x: f32, y: f32, z: f32| Matrix3::from_diagonal(&Vector3::new(x, y, z));
    let light = Matrix3::new(
        561536450.0,
        -273917060.0,
        -335143100.0,
        -273917060.0,
        235990160.0,
        273107170.0,
        -335143100.0,
        273107170.0,
        317545600.0,
    );
    let bodies = [
        Body::fixed(),
        Body {
            inverse_mass: 0.00055429357,
            inverse_inertia_world: diagonal(1.4161459e-16, 114037920.0, 1.0196012e-11),
            linear_velocity: Vector3::new(2.0913106e-11, 6.6755925e-34, 0.0),
            angular_velocity: Vector3::new(0.0, -7.340801e-8, 4.357022e-15),
        },
        Body {
            inverse_mass: 13555366.0,
            inverse_inertia_world: light,
            linear_velocity: Vector3::new(4.283268, 1.420341e-27, -0.025512403),
            angular_velocity: Vector3::new(100000.0, -8.55239e-9, 1.3257914e-32),
        },
    ];
    let arm = |x: f32, y: f32, z: f32| Vector3::new(x, y, z);
    let deep = Contact {
        depth: 10000.0,
        ..Contact::new(
            2,
            0,
            Vector3::z(),
            arm(-0.003057921, -0.01625445, 0.0),
            arm(-0.000575804, 0.0, 0.0),
            2.8404886e-8,
        )
    };
    let mut rough =
        Contact::new(2, 0, Vector3::z(), arm(1648.8433, 10000.0, 5.253358), arm(0.0, 10000.0, 1.8530969e-7), 1e6);
    rough.warm.tangent_impulse = Vector3::new(0.0, -1.8108146e-30, 365430430.0);
    let mut smooth = Contact::new(
        1,
        2,
        Vector3::x(),
        arm(0.12991714, 5.5639355e-9, -10000.0),
        arm(1.9087243e-10, 0.00013152769, 0.0),
        0.0,
    );
    (smooth.restitution, smooth.warm.normal_impulse) = (1.0, -261595940.0);
    smooth.warm.tangent_impulse = Vector3::new(1e15, 0.0, 33195920000.0);
    let contacts = [deep, rough, smooth];
    let settings = Settings { relaxation: 1.7151024, sweeps: 6, ..Settings::<f32>::default() };
    let answer = solve(&bodies, &contacts, &settings, 1.0 / 60.0).expect("a valid problem");
    for (outcome, contact) in answer.contacts.iter().zip(&contacts) {
        let tangent = outcome.tangent_impulse.map(f64::from).norm();
        let radius = f64::from(contact.mu) * (f64::from(outcome.normal_impulse) + f64::from(outcome.bounce_impulse));
        assert!(tangent <= radius * (1.0 + 5e-7), "{tangent} is outside {radius}");
    }
}
