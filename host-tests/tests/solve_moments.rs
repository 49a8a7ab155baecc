//! Contacts with torsion, rolling and anisotropic friction: closed forms, step by step.
//!
//! Every step is semi-implicit: gravity is added to the velocity, then the contacts are solved; the normal impulse of a
//! body on the ground is exactly `m g h`.

use nalgebra::{Matrix3, Vector3};
use stiction::{
    Bodies, Body, Contact, Contacts, FrictionWork, Report, Settings, SixRows, Solver, Status, Surface, Tread,
};

const G: f64 = 9.81;

/// A round body on the ground, which may be inclined: only its velocity changes.
struct Roller {
    mass: f64,
    inertia: f64,
    radius: f64,
    mu: f64,
    surface: Surface<f64>,
    gravity: Vector3<f64>,
    dt: f64,
    velocity: Vector3<f64>,
    spin: Vector3<f64>,
    solver: Box<Solver<f64, 8, 64, SixRows>>,
}

impl Roller {
    /// A solid ball of 1 kg and radius 0.1 m.
    fn ball(mu: f64, surface: Surface<f64>, dt: f64) -> Self {
        let (mass, radius) = (1.0, 0.1);
        Roller {
            mass,
            inertia: 0.4 * mass * radius * radius,
            radius,
            mu,
            surface,
            gravity: Vector3::new(0.0, 0.0, -G),
            dt,
            velocity: Vector3::zeros(),
            spin: Vector3::zeros(),
            solver: Box::new(Solver::empty()),
        }
    }

    fn step(&mut self) -> (Report<f64>, FrictionWork<f64>) {
        let mut bodies = Bodies::<f64, 8>::new();
        bodies.push(Body::fixed()).unwrap();
        let body = Body {
            linear_velocity: self.velocity + self.gravity * self.dt,
            angular_velocity: self.spin,
            ..Body::from_mass(self.mass, Matrix3::identity() * self.inertia)
        };
        bodies.push(body).unwrap();
        let mut contacts = Contacts::<f64, 64, SixRows>::empty();
        let r_b = Vector3::new(0.0, 0.0, -self.radius);
        let contact = Contact { a: 0, b: 1, normal: Vector3::z(), r_b, mu: self.mu, ..Contact::default() };
        contacts.push_on(contact, self.surface).unwrap();
        let report = self.solver.solve(&mut bodies, &contacts, &Settings::default(), self.dt).unwrap();
        assert_eq!(report.status, Status::Converged, "{report:?}");
        assert!(report.energy_after <= report.energy_before * (1.0 + 1e-14), "{report:?}");
        (self.velocity, self.spin) = (bodies.linear_velocities()[1], bodies.angular_velocities()[1]);
        (report, self.solver.friction_work().unwrap())
    }

    /// How fast the contact point slides along x.
    fn slip(&self) -> f64 {
        self.velocity.x - self.radius * self.spin.y
    }
}

fn rolling(radius: f64) -> Surface<f64> {
    Surface { rolling: radius, ..Surface::default() }
}

fn torsion(radius: f64) -> Surface<f64> {
    Surface { torsion: radius, ..Surface::default() }
}

#[test]
fn a_rolling_ball_slows_down_by_the_closed_form_and_stops() {
    let (rho, dt, start) = (0.005, 4e-3, 1.0);
    let mut ball = Roller::ball(0.3, rolling(rho), dt);
    (ball.velocity.x, ball.spin.y) = (start, start / ball.radius);
    let slowing = rho * G / (ball.radius * 1.4) * dt;
    let steps = (start / slowing) as usize + 1;
    let mut worst = 0.0_f64;
    for step in 1..=steps {
        ball.step();
        worst = worst.max((ball.velocity.x - (start - slowing * step as f64).max(0.0)).abs()).max(ball.slip().abs());
    }
    println!("{steps} steps, worst {worst:.1e}");
    assert!(worst < 1e-12, "{worst:e}");
    assert!(ball.velocity.norm() < 1e-15, "{:e}", ball.velocity.norm());
}

#[test]
fn a_spinning_ball_slows_down_by_the_closed_form_and_stops() {
    let (rho, dt, start) = (0.003, 1e-3, 20.0);
    let mut ball = Roller::ball(0.3, torsion(rho), dt);
    ball.spin.z = start;
    let slowing = rho * ball.mass * G * dt / ball.inertia;
    let steps = (start / slowing) as usize + 1;
    let mut worst = 0.0_f64;
    for step in 1..=steps {
        ball.step();
        worst = worst.max((ball.spin.z - (start - slowing * step as f64).max(0.0)).abs());
    }
    println!("{steps} steps, worst {worst:.1e}");
    assert!(worst < 1e-12 * start, "{worst:e}");
    assert!(ball.spin.norm() < 1e-13 && ball.velocity.norm() < 1e-13);
}

#[test]
fn a_ball_on_a_slope_rests_up_to_the_critical_angle_and_then_rolls_by_the_closed_form() {
    let (rho, dt) = (0.004, 1e-3);
    for factor in [0.999_999, 1.000_001, 2.0, 20.0] {
        let mut ball = Roller::ball(0.9, rolling(rho), dt);
        let tangent: f64 = factor * rho / ball.radius;
        let (cos, sin) = (1.0 / (1.0 + tangent * tangent).sqrt(), tangent / (1.0 + tangent * tangent).sqrt());
        ball.gravity = Vector3::new(G * sin, 0.0, -G * cos);
        let gain = ((G * sin - rho / ball.radius * G * cos) / 1.4).max(0.0);
        let mut worst = 0.0_f64;
        for step in 1..=50 {
            ball.step();
            worst = worst.max((ball.velocity.x - gain * dt * f64::from(step)).abs());
        }
        println!("{factor}: worst {worst:.1e}");
        assert!(worst < 1e-14, "{factor}: {worst:e}");
    }
}

#[test]
fn a_sliding_ball_begins_to_roll_by_the_closed_form() {
    for (mu, rho, start) in [(0.3, 0.005, 1.0), (0.5, 0.01, 2.0), (0.2, 0.0, 2.0)] {
        let dt = 2e-3;
        let mut ball = Roller::ball(mu, rolling(rho), dt);
        ball.velocity.x = start;
        let (k, r) = (0.4, ball.radius);
        let (mut v, mut w, mut worst, mut rolls) = (start, 0.0, 0.0_f64, false);
        for _ in 0..200 {
            let (mut next_v, mut next_w) = (v - mu * G * dt, w + G * dt * (mu - rho / r) / (k * r));
            if rolls || next_v - r * next_w < 0.0 {
                // Rolling from here on: friction does what rolling needs.
                let spin = w - if rho > 0.0 { rho * G * dt / (k * r * r) } else { 0.0 };
                let impulse = (r * spin - v) / (1.0 + 1.0 / k);
                (next_v, rolls) = (v + impulse, true);
                next_w = next_v / r;
            }
            (v, w) = (next_v, next_w);
            if v < 0.0 {
                break;
            }
            ball.step();
            worst = worst.max((ball.velocity.x - v).abs()).max((ball.spin.y - w).abs() * r);
        }
        println!("mu {mu}, rho {rho}: worst {worst:.1e}, rolls {rolls}");
        assert!(rolls && worst < 1e-12, "{worst:e}");
    }
}

#[test]
fn sliding_and_spinning_end_on_their_own_unless_they_are_joined() {
    let (mu, dt) = (0.4, 1e-3);
    for is_joined in [false, true] {
        let mut disc = Roller::ball(mu, Surface::default(), dt);
        disc.radius = 0.0;
        let rho = mu * (disc.inertia / disc.mass).sqrt();
        disc.surface = Surface { torsion: rho, is_joined, ..Surface::default() };
        (disc.velocity.x, disc.spin.z) = (1.0, 10.0);
        let mut worst = 0.0_f64;
        let turn = (disc.inertia / disc.mass).sqrt();
        let start = (1.0 + (10.0 * turn).powi(2)).sqrt();
        for step in 1..=400 {
            disc.step();
            let lost = mu * G * dt * f64::from(step);
            let (v, w) = (disc.velocity.x, disc.spin.z * turn);
            worst = worst.max(if is_joined {
                ((v * v + w * w).sqrt() - (start - lost).max(0.0)).abs()
            } else {
                (v - (1.0 - lost).max(0.0)).abs().max((w - (10.0 * turn - lost).max(0.0)).abs())
            });
        }
        println!("joined {is_joined}: worst {worst:.1e}");
        assert!(worst < 1e-12, "{worst:e}");
        assert!(disc.velocity.norm() < 1e-14 && disc.spin.norm() < 1e-12);
    }
}

#[test]
fn a_ball_with_much_rolling_friction_slides_without_rolling() {
    let mut ball = Roller::ball(0.2, rolling(0.03), 1e-3);
    ball.velocity.x = 2.0;
    for step in 1..=500 {
        ball.step();
        assert!(ball.spin.norm() < 1e-13, "{:e}", ball.spin.norm());
        assert!((ball.velocity.x - (2.0 - 0.2 * G * 1e-3 * f64::from(step))).abs() < 1e-12);
    }
}

#[test]
fn a_skid_across_a_tread_loses_speed_by_each_direction_s_coefficient() {
    let tread = |angle: f64| Surface {
        tread: Some(Tread { direction: Vector3::new(angle.cos(), angle.sin(), 0.3), mu_across: 0.8 }),
        ..Surface::default()
    };
    // Along the tread and across it, friction is exactly opposite to the sliding.
    for (angle, mu) in [(0.0, 0.1), (core::f64::consts::FRAC_PI_2, 0.8)] {
        let mut disc = Roller::ball(0.1, tread(angle), 1e-3);
        disc.radius = 0.0;
        disc.velocity.x = 3.0;
        for _ in 0..100 {
            disc.step();
        }
        assert!((disc.velocity.x - (3.0 - mu * G * 0.1)).abs() < 1e-12, "{:?}", disc.velocity);
        assert!(disc.velocity.y.abs() < 1e-12);
    }
    // In between the impulse is on the ellipse, and the velocity is along its normal.
    let mut disc = Roller::ball(0.1, tread(0.7), 1e-3);
    disc.radius = 0.0;
    disc.velocity.x = 3.0;
    disc.step();
    let lost = Vector3::new(3.0, 0.0, 0.0) - disc.velocity;
    let (along, across) =
        (Vector3::new(0.7_f64.cos(), 0.7_f64.sin(), 0.0), Vector3::new(-0.7_f64.sin(), 0.7_f64.cos(), 0.0));
    let (x, y) = (lost.dot(&along) / (0.1 * G * 1e-3), lost.dot(&across) / (0.8 * G * 1e-3));
    assert!((x.hypot(y) - 1.0).abs() < 1e-12, "{x} {y}");
    let (u, v) = (disc.velocity.dot(&along) * 0.1, disc.velocity.dot(&across) * 0.8);
    assert!((u * y - v * x).abs() < 1e-12 * u.hypot(v), "{u} {v} {x} {y}");
}

#[test]
fn friction_s_work_is_booked_by_what_it_resists() {
    // Sliding, spinning and rolling at once, each with its own bound.
    let surface = Surface { torsion: 0.002, rolling: 0.003, ..Surface::default() };
    let mut ball = Roller::ball(0.3, surface, 1e-3);
    (ball.velocity.x, ball.spin) = (2.0, Vector3::new(0.0, 5.0, 30.0));
    let before = (ball.velocity, ball.spin);
    let (report, work) = ball.step();
    let (m, i, pressed) = (ball.mass, ball.inertia, ball.mass * G * ball.dt);
    // By hand: impulses at their bounds, against the mean of the velocities before and after.
    let (slip, spin, roll) = (2.0 - 0.1 * 5.0, 30.0, 5.0);
    let after_slip = ball.velocity.x - 0.1 * ball.spin.y;
    let sliding = -0.3 * pressed * 0.5 * (slip + after_slip);
    let spinning = -0.002 * pressed * 0.5 * (spin + ball.spin.z);
    let rolling = -0.003 * pressed * 0.5 * (roll + ball.spin.y);
    for (booked, by_hand) in [(work.sliding, sliding), (work.spinning, spinning), (work.rolling, rolling)] {
        assert!((booked - by_hand).abs() < 1e-15, "{booked} {by_hand}");
    }
    assert!((work.total() - report.friction_work).abs() < 1e-15, "{work:?} {report:?}");
    let energy = |(v, w): (Vector3<f64>, Vector3<f64>)| 0.5 * (m * v.norm_squared() + i * w.norm_squared());
    let lost = energy((ball.velocity, ball.spin)) - energy(before);
    assert!((lost - work.total()).abs() < 1e-14, "{lost} {}", work.total());
}

#[test]
fn a_recorder_counts_solves_that_it_cannot_write() {
    let mut bodies = Bodies::<f64, 8>::new();
    bodies.push(Body::fixed()).unwrap();
    bodies.push(Body { linear_velocity: -Vector3::z(), ..Body::from_mass(1.0, Matrix3::identity()) }).unwrap();
    let mut recorder = stiction::FlightRecorder::<4096>::new();
    let mut solver = Solver::<f64, 8, 64, SixRows>::empty();
    for (torsion, dropped) in [(0.0, 0), (0.1, 1), (0.0, 1)] {
        let mut contacts = Contacts::<f64, 64, SixRows>::empty();
        contacts.push_on(Contact { mu: 0.5, ..Contact::default() }, Surface { torsion, ..Surface::default() }).unwrap();
        let hooks = stiction::Hooks { observer: Some(&mut recorder), ..Default::default() };
        solver.solve_with(&mut bodies, &contacts, &Settings::default(), 0.01, hooks).unwrap();
        assert_eq!(recorder.dropped(), dropped);
    }
}
