//! Properties that every solve must have, evaluated in double precision on the returned values. Tolerances are those of
//! `stiction_testkit::tolerance`, the table that the property tests use.

use nalgebra::{Matrix3, Vector3};
use stiction::{
    Bodies, Body, Contact, ContactConstraint, ContactOutcome, Contacts, Frame, PositionCorrection, Real, Report,
    Settings, Solver, Status,
};
use stiction_testkit::island::check_energies;
use stiction_testkit::merit::natural_map;
use stiction_testkit::tolerance;

use crate::{Mood, NB, NC};

/// A solve: its input, its output and its report.
pub struct Solve<'a, T: Real> {
    pub mood: Mood,
    pub before: &'a Bodies<T, NB>,
    pub after: &'a Bodies<T, NB>,
    pub contacts: &'a Contacts<T, NC>,
    pub settings: &'a Settings<T>,
    /// The time step, s.
    pub dt: T,
    pub solver: &'a Solver<T, NB, NC>,
    pub report: &'a Report<T>,
}

/// A body in double precision.
#[derive(Clone, Copy)]
struct Double {
    inverse_mass: f64,
    inverse_inertia: Matrix3<f64>,
    linear: Vector3<f64>,
    angular: Vector3<f64>,
}

/// A contact after a solve, in double precision: impulse along `n, t1, t2`, and velocities less the target at the start
/// of the contact phase and at its end.
#[derive(Debug)]
struct Row {
    mu: f64,
    bounce: f64,
    impulse: Vector3<f64>,
    start: Vector3<f64>,
    end: Vector3<f64>,
    /// A third of the trace of its block.
    size: f64,
    /// The speed that the rounding of its velocities is relative to.
    speed: f64,
}

impl<T: Real> Solve<'_, T> {
    /// Every law that applies.
    pub fn check(&self) {
        self.is_finite();
        self.is_in_its_cones();
        self.leaves_the_immovable_alone();
        self.is_not_called_solved_if_it_is_not();
        match self.mood {
            Mood::Usual => self.is_passive_and_truthful(),
            Mood::Limits | Mood::Raw => self.is_passive_at_the_limits(),
        }
    }

    fn outcomes(&self) -> impl Iterator<Item = (Contact<T>, ContactOutcome<T>)> {
        (0..self.contacts.len())
            .map(|i| (self.contacts.get(i).expect("there"), self.solver.contact(i).expect("solved")))
    }

    fn is_finite(&self) {
        let velocities = self.after.linear_velocities().iter().chain(self.after.angular_velocities());
        assert!(velocities.flat_map(|v| v.iter()).all(|x| x.is_finite()), "a velocity that is not finite");
        for (_, ContactOutcome { bounce_impulse: bounce, normal_impulse: normal, tangent_impulse: tangent, .. }) in
            self.outcomes()
        {
            let impulses = [bounce, normal, tangent.x, tangent.y, tangent.z];
            assert!(impulses.iter().all(|x| x.is_finite()), "an impulse that is not finite: {impulses:?}");
        }
        let Report { residual, energy_before, energy_after, bounce_work, contact_work, .. } = self.report;
        let figures = [
            residual.natural,
            residual.closing_speed,
            residual.cone,
            residual.scale,
            *energy_before,
            *energy_after,
            *bounce_work,
            *contact_work,
        ];
        assert!(figures.iter().all(|x| x.is_finite()), "a figure that is not finite: {:?}", self.report);
    }

    fn is_in_its_cones(&self) {
        let tolerance = tolerance::of::<T>("cone membership");
        for (contact, outcome) in self.outcomes() {
            let (normal, bounce) = (outcome.normal_impulse.to_f64(), outcome.bounce_impulse.to_f64());
            assert!(normal >= 0.0 && bounce >= 0.0, "a contact pulls: {outcome:?}");
            let tangent = length(&outcome.tangent_impulse.map(T::to_f64));
            let mu = contact.mu.to_f64();
            let radius = mu * (normal + bounce);
            // In the units of the local step an impulse is a velocity, and within 1 and 2 of it times the block's size.
            let inverse_mass = |index| self.before.get(index).expect("there").inverse_mass.to_f64();
            let least = 2.0 * least_length::<T>() / (inverse_mass(contact.a) + inverse_mass(contact.b));
            assert!(tangent <= radius * (1.0 + tolerance) + least, "{tangent:e} > {radius:e}");
        }
    }

    fn leaves_the_immovable_alone(&self) {
        for i in 0..self.before.len() {
            let (before, after) = (self.before.get(i).expect("there"), self.after.get(i).expect("still there"));
            if before.inverse_mass == T::ZERO {
                assert_eq!(before, after, "an immovable body moved");
            }
        }
    }

    fn is_not_called_solved_if_it_is_not(&self) {
        if self.report.status == Status::Converged && !self.contacts.is_empty() {
            let solved = self.report.residual.is_below(self.settings.tolerance);
            assert!(solved && !self.report.bounce_dropped, "reported as not solved: {:?}", self.report);
        }
    }

    /// The energy check of `tests/input_range.rs` for extreme input: where energy is free of cancellation, there is no
    /// bias for position correction and no immovable body has a velocity, the reported energies are those of the
    /// bodies, and no energy is gained.
    fn is_passive_at_the_limits(&self) {
        let least = T::lit(1.0 / (T::INVERSE_MASS_LIMIT.to_f64() * T::LENGTH_LIMIT.to_f64().powi(2)));
        let plain = |body: Body<T>| {
            let diagonal = body.inverse_inertia_world.diagonal();
            let rotates = diagonal.iter().zip(&body.angular_velocity).all(|(d, spin)| *d > least || *spin == T::ZERO);
            let still = body.linear_velocity == Vector3::zeros() && body.angular_velocity == Vector3::zeros();
            let movable =
                body.inverse_mass > T::ZERO && body.inverse_inertia_world == Matrix3::from_diagonal(&diagonal);
            (movable && rotates) || (body.inverse_mass == T::ZERO && still)
        };
        let all = (0..self.before.len()).filter_map(|i| self.before.get(i)).all(plain);
        if self.settings.position_correction != PositionCorrection::Bias && all {
            let bodies: Vec<_> = (0..self.before.len()).filter_map(|i| self.before.get(i)).collect();
            let after: Vec<_> = self
                .after
                .linear_velocities()
                .iter()
                .copied()
                .zip(self.after.angular_velocities().iter().copied())
                .collect();
            check_energies(self.report, &bodies, &after).unwrap_or_else(|off| panic!("{off}"));
        }
    }

    fn is_passive_and_truthful(&self) {
        let rows = self.rows();
        self.is_passive(&rows);
        self.reports_the_true_residual(&rows);
    }

    /// No energy is gained; where a moving immovable body or a bias adds energy, the report says how much.
    fn is_passive(&self, rows: &[Row]) {
        let energy = |bodies: &Bodies<T, NB>| doubles(bodies).iter().map(Double::energy).sum::<f64>();
        let (before, after) = (energy(self.before), energy(self.after));
        let tolerance = tolerance::of::<T>("passivity");
        let still =
            |body: Body<T>| body.linear_velocity == Vector3::zeros() && body.angular_velocity == Vector3::zeros();
        let all = (0..self.before.len()).filter_map(|i| self.before.get(i));
        let driven = all.filter(|body| body.inverse_mass == T::ZERO).any(|body| !still(body));
        if !driven && self.settings.position_correction != PositionCorrection::Bias {
            assert!(after - before <= tolerance * before, "gains {:e}: {:?}", (after - before) / before, self.report);
        }
        self.reports_the_true_work(rows, before, after);
    }

    /// Reported work is the energy change, to the rounding of the sums that it is made of.
    fn reports_the_true_work(&self, rows: &[Row], before: f64, after: f64) {
        let moved = |row: &Row| (row.impulse.norm() + row.bounce) * (row.speed + row.start.norm() + row.end.norm());
        let magnitude = before + after + rows.iter().map(moved).sum::<f64>();
        // An impulse that was undone leaves rounding in velocities, `ε u` at its contact, which changes the energy by
        // `2 √(E(v) E(δv))`.
        let left: f64 = rows.iter().map(|row| 0.5 * row.speed * row.speed / row.size).sum();
        let rounding = 128.0 * T::EPSILON.to_f64() * ((before + after) * left).sqrt();
        let reported = (self.report.bounce_work + self.report.contact_work).to_f64();
        let off = (reported - (after - before)).abs();
        assert!(
            off <= tolerance::of::<T>("passivity") * magnitude + rounding,
            "a work of {reported:e} is reported, energy changed by {:e}: {:?} {rows:?}",
            after - before,
            self.report
        );
    }

    /// The residual is that of the returned answer (`residual.rs`), evaluated independently.
    fn reports_the_true_residual(&self, rows: &[Row]) {
        let sum = |of: &dyn Fn(&Row) -> f64| rows.iter().map(of).sum::<f64>();
        let map = |row: &Row| natural_map(&row.impulse, &row.end, row.mu, row.bounce, 1.0 / row.size) * row.size;
        let natural = sum(&|row| map(row).norm_squared()).sqrt();
        let impulses = sum(&|row| (row.impulse * row.size).norm_squared());
        let q = sum(&|row| row.start.norm_squared());
        // Without friction the problem has only normals, and sliding velocities are not part of it.
        let smooth = rows.iter().all(|row| row.mu == 0.0);
        let normals = sum(&|row| row.end.x.powi(2));
        let velocities = sum(&|row| row.end.norm_squared());
        let scale = |velocities: f64| q.max(impulses).max(velocities).sqrt();
        let approach = rows.iter().map(|row| -row.end.x).fold(0.0, f64::max);
        let noise = 64.0 * T::EPSILON.to_f64() * sum(&|row| row.speed + (row.impulse.norm() + row.bounce) * row.size);
        let near = |reported: T, truth: f64| (reported.to_f64() - truth).abs() <= noise;
        let reported = &self.report.residual;
        let scaled = near(reported.scale, scale(velocities)) || (smooth && near(reported.scale, scale(normals)));
        assert!(
            scaled && near(reported.natural * reported.scale, natural) && near(reported.closing_speed, approach),
            "natural {natural:e}, scale {:e} and approach {approach:e} are true: {:?} {rows:?}",
            scale(velocities),
            self.report
        );
    }

    fn rows(&self) -> Vec<Row> {
        let (mut bounced, after) = (doubles(self.before), doubles(self.after));
        for (contact, outcome) in self.outcomes() {
            let push = ContactConstraint::new(&contact).expect("a valid contact").frame().n().map(T::to_f64)
                * outcome.bounce_impulse.to_f64();
            bounced[contact.a].push(&contact.r_a.map(T::to_f64), &-push);
            bounced[contact.b].push(&contact.r_b.map(T::to_f64), &push);
        }
        self.outcomes().map(|(contact, outcome)| self.row(&contact, &outcome, &bounced, &after)).collect()
    }

    fn row(&self, contact: &Contact<T>, outcome: &ContactOutcome<T>, bounced: &[Double], after: &[Double]) -> Row {
        let frame = ContactConstraint::new(contact).expect("a valid contact").frame().in_double();
        let (r_a, r_b) = (contact.r_a.map(T::to_f64), contact.r_b.map(T::to_f64));
        let target = Vector3::new(self.target(contact), 0.0, 0.0);
        let velocity =
            |bodies: &[Double]| frame.components(&(bodies[contact.b].at(&r_b) - bodies[contact.a].at(&r_a))) - target;
        let speed = |bodies: &[Double]| bodies[contact.a].speed(&r_a) + bodies[contact.b].speed(&r_b);
        let mut impulse = frame.components(&outcome.tangent_impulse.map(T::to_f64));
        impulse.x = outcome.normal_impulse.to_f64();
        Row {
            mu: contact.mu.to_f64(),
            bounce: outcome.bounce_impulse.to_f64(),
            impulse,
            start: velocity(bounced),
            end: velocity(after),
            size: bounced[contact.a].size(&r_a) + bounced[contact.b].size(&r_b),
            speed: speed(bounced) + speed(after) + target.x.abs(),
        }
    }

    /// The target velocity of the contact phase: zero, the speed that closes a gap, or the bias.
    fn target(&self, contact: &Contact<T>) -> f64 {
        let dt = self.dt;
        let Settings { slop, error_reduction, max_correction_speed, .. } = *self.settings;
        let depth = contact.depth.to_f64();
        if depth < 0.0 {
            depth / dt.to_f64()
        } else if self.settings.position_correction == PositionCorrection::Bias {
            let bias = (depth - slop.to_f64()).max(0.0) * error_reduction.to_f64() / dt.to_f64();
            bias.min(max_correction_speed.to_f64())
        } else {
            0.0
        }
    }
}

impl Double {
    fn at(&self, arm: &Vector3<f64>) -> Vector3<f64> {
        self.linear + self.angular.cross(arm)
    }

    fn speed(&self, arm: &Vector3<f64>) -> f64 {
        self.linear.norm() + self.angular.norm() * arm.norm()
    }

    fn push(&mut self, arm: &Vector3<f64>, impulse: &Vector3<f64>) {
        self.linear += impulse * self.inverse_mass;
        self.angular += self.inverse_inertia * arm.cross(impulse);
    }

    /// A third of the trace of its share of a contact's block.
    fn size(&self, arm: &Vector3<f64>) -> f64 {
        let turning = self.inverse_inertia.trace() * arm.norm_squared() - arm.dot(&(self.inverse_inertia * arm));
        self.inverse_mass + turning / 3.0
    }

    /// Usual bodies can rotate about every axis.
    fn energy(&self) -> f64 {
        if self.inverse_mass == 0.0 {
            return 0.0;
        }
        let momentum = self.inverse_inertia.try_inverse().expect("a body that can rotate") * self.angular;
        0.5 * (self.linear.norm_squared() / self.inverse_mass + self.angular.dot(&momentum))
    }
}

/// The axes of a contact in double precision.
trait InDouble {
    fn in_double(&self) -> Frame<f64>;
}

impl<T: Real> InDouble for Frame<T> {
    fn in_double(&self) -> Frame<f64> {
        let [n, t1, t2] = [self.n(), self.t1(), self.t2()].map(|v| v.map(T::to_f64));
        Frame::new(&n, &t1, &t2).expect("a frame")
    }
}

fn doubles<T: Real>(bodies: &Bodies<T, NB>) -> Vec<Double> {
    (0..bodies.len())
        .filter_map(|i| bodies.get(i))
        .map(|body| Double {
            inverse_mass: body.inverse_mass.to_f64(),
            inverse_inertia: body.inverse_inertia_world.map(T::to_f64),
            linear: body.linear_velocity.map(T::to_f64),
            angular: body.angular_velocity.map(T::to_f64),
        })
        .collect()
}

/// Lengths are compared by their squares, so a length whose square is below the smallest normal number counts as zero:
/// 1e-19 m/s in single precision.
pub fn least_length<T: Real>() -> f64 {
    if T::BYTES == 4 { f64::from(f32::MIN_POSITIVE).sqrt() } else { f64::MIN_POSITIVE.sqrt() }
}

/// Length of a vector whose square may overflow.
pub fn length(v: &Vector3<f64>) -> f64 {
    v.x.hypot(v.y).hypot(v.z)
}
