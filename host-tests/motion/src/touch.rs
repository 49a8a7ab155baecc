//! When bodies that approach each other will touch.
//!
//! A step sees contacts at its start. A body that arrives in its middle would be seen below the surface, by up to the
//! distance that it moves in a step, and would bounce there: a ball that falls 2 m in steps of 1/60 s with restitution
//! 0.3 then rises to between two thirds and all of the correct height. So the rig ends a step early where a bounce
//! begins, and makes the rest of the step after it.
//!
//! The moment comes from the points that are nearest now: with gap `g`, approach speed `p` and acceleration `b` towards
//! each other, `g = pτ + ½bτ²` has its first root at
//!
//! ```text
//! τ = 2g / (p + √(p² + 2bg))
//! ```
//!
//! This is exact for bodies that fly without rotation. For a rotating body it is slightly off; the next part of the
//! step corrects that.

use nalgebra::Vector3;
use stiction::{ContactRows, Real, World};

use crate::detector::{Ahead, Detector};

/// A touch sooner than this part of a step counts as now.
pub const NOW: f64 = 1e-3;

/// Maximum number of parts of a step; a later touch is handled where it is found.
pub const MOST_PARTS: usize = 8;

/// Settings that decide whether a touch ends a part of a step.
pub struct Rules {
    /// Gravity, m/s².
    pub gravity: Vector3<f64>,
    /// Approach speed below which nothing bounces, m/s.
    pub threshold: f64,
    /// Gap that is a contact already, m.
    pub margin: f64,
}

/// A body's motion in double precision.
struct Mover {
    center: Vector3<f64>,
    linear: Vector3<f64>,
    angular: Vector3<f64>,
    acceleration: Vector3<f64>,
}

impl Mover {
    fn velocity_at(&self, point: &Vector3<f64>) -> Vector3<f64> {
        self.linear + self.angular.cross(&(point - self.center))
    }
}

fn mover<T: Real, const NB: usize, R: ContactRows>(
    world: &World<T, NB, R>,
    index: usize,
    gravity: &Vector3<f64>,
) -> Option<Mover> {
    let body = world.get(index)?;
    let moves = body.inverse_mass > T::ZERO;
    Some(Mover {
        center: body.position.map(T::to_f64),
        linear: body.linear_velocity.map(T::to_f64),
        angular: body.angular_velocity.map(T::to_f64),
        acceleration: if moves { *gravity } else { Vector3::zeros() },
    })
}

/// When and how fast a point closes.
struct Arrival {
    time: f64,
    speed: f64,
}

/// How everything moves at the start of a part of a step.
pub struct Outlook {
    movers: Vec<Mover>,
    restitution: Vec<f64>,
    rules: Rules,
    dt: f64,
}

impl Outlook {
    /// For the next `dt` seconds.
    pub fn new<T: Real, const NB: usize, R: ContactRows>(world: &World<T, NB, R>, rules: Rules, dt: f64) -> Self {
        let movers = (0..world.len()).filter_map(|i| mover(world, i, &rules.gravity)).collect();
        let restitution =
            (0..world.len()).filter_map(|i| world.get(i)).map(|body| body.material.restitution.to_f64()).collect();
        Outlook { movers, restitution, rules, dt }
    }

    /// The first moment at which a point begins to bounce, or would pass through by more than the margin. Moments
    /// within [`NOW`] of either end do not start a new part.
    pub fn first_touch<T: Real, const NB: usize, R: ContactRows>(
        &self,
        world: &World<T, NB, R>,
        detector: &Detector,
    ) -> Option<f64> {
        let reach: Vec<f64> =
            self.movers.iter().enumerate().map(|(i, body)| self.reach(body, detector.radius(i))).collect();
        let fastest = reach.iter().fold(0.0, |most: f64, reach| most.max(*reach));
        if 2.0 * fastest <= self.rules.threshold * self.dt {
            return None;
        }
        let worth = |ahead: &Ahead| {
            let arrival = self.arrival(ahead)?;
            let overrun = ahead.gap > self.rules.margin && arrival.speed * (self.dt - arrival.time) > self.rules.margin;
            let within = arrival.time > NOW * self.dt && arrival.time < (1.0 - NOW) * self.dt;
            (within && (self.bounces(ahead) || overrun)).then_some(arrival.time)
        };
        let ahead = detector.ahead(world.positions(), world.orientations(), &reach);
        ahead.iter().filter_map(worth).min_by(f64::total_cmp)
    }

    /// Whether a point will bounce, but not yet.
    pub fn bounces_later(&self, ahead: &Ahead) -> bool {
        self.bounces(ahead) && self.arrival(ahead).is_some_and(|arrival| arrival.time > NOW * self.dt)
    }

    fn bounces(&self, ahead: &Ahead) -> bool {
        self.restitution[ahead.pair.0] * self.restitution[ahead.pair.1] > 0.0
    }

    /// How far a body of this radius can move.
    fn reach(&self, body: &Mover, radius: f64) -> f64 {
        let speed = body.linear.norm() + body.angular.norm() * radius;
        (speed + 0.5 * body.acceleration.norm() * self.dt) * self.dt
    }

    /// When a point closes, if it does and not too slowly to matter.
    fn arrival(&self, ahead: &Ahead) -> Option<Arrival> {
        let (a, b) = (&self.movers[ahead.pair.0], &self.movers[ahead.pair.1]);
        let speed = -(b.velocity_at(&ahead.on_b) - a.velocity_at(&ahead.on_a)).dot(&ahead.normal);
        let acceleration = -(b.acceleration - a.acceleration).dot(&ahead.normal);
        let square = speed * speed + 2.0 * acceleration * ahead.gap;
        let arrival = Arrival { time: 2.0 * ahead.gap / (speed + square.sqrt()), speed: square.sqrt() };
        (speed > 0.0 && square > self.rules.threshold * self.rules.threshold).then_some(arrival)
    }
}
