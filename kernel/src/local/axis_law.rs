//! The free axis of a joint: limits, motor, dry friction and spring together, solved exactly.
//!
//! With all other rows of the joint at their targets, the impulse `X` along the axis and the velocity `λ` along it are on
//! a line `X = X⁰ + m λ` with `m > 0` the mass that the axis moves. What acts along the axis never grows with `λ`:
//!
//! ```text
//! spring     −(g λ + p)                        g = h² k + h d,   p = h k C     implicit: stable at every step length
//! motor      ±r, and all between at its speed;  or −(g λ + p) within ±r
//! friction   ±f, and all between at λ = 0
//! drag       0 up to a speed c, −b (λ ∓ c) beyond it: see `joints::build`
//! limits     −down ≤ λ ≤ up, with the impulse that this takes
//! ```
//!
//! So the line and the sum of them cross once. Limits only clamp `λ`, friction decides by the sign of what it cannot
//! hold, and what is left is linear: no iteration.
use crate::math::real::{Real, larger, smaller};

/// What acts along an axis in a step of `h` seconds. Impulses are of that step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AxisLaw<T> {
    /// Largest speeds down and up that limits allow.
    pub speeds: [T; 2],
    /// Largest impulse of dry friction.
    pub friction: T,
    pub spring: Pull<T>,
    pub motor: Drive<T>,
    /// Largest impulse of the motor.
    pub strength: T,
    pub drag: Drag<T>,
}

/// What acts against velocities above a speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Drag<T> {
    /// Speed up to which nothing acts.
    pub calm: T,
    pub gain: T,
}

impl<T: Real> Drag<T> {
    pub const NONE: Self = Drag { calm: T::ZERO, gain: T::ZERO };

    /// The impulse at a velocity.
    #[inline(always)]
    pub fn at(&self, velocity: T) -> T {
        if self.gain > T::ZERO {
            -self.gain * (velocity - larger(-self.calm, smaller(self.calm, velocity)))
        } else {
            T::ZERO
        }
    }
}

/// An impulse `−(gain λ + offset)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pull<T> {
    pub gain: T,
    pub offset: T,
}

/// What a motor wants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Drive<T> {
    Speed(T),
    Position(Pull<T>),
}

/// The impulses along an axis by what they come from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AxisParts<T> {
    pub spring: T,
    pub motor: T,
    pub friction: T,
    pub limit: T,
    pub drag: T,
}

/// Where on its law an axis is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Segment<T> {
    /// It keeps a velocity, whatever impulse that takes.
    Held(T),
    /// Its impulse is `−(gain λ + offset)`.
    Pulled(Pull<T>),
}

impl<T: Real> Pull<T> {
    pub const NONE: Self = Pull { gain: T::ZERO, offset: T::ZERO };

    /// A spring with a damper, `away` from where it has no force.
    pub fn new(stiffness: T, damping: T, away: T, h: T) -> Self {
        Pull { gain: h * (h * stiffness + damping), offset: h * stiffness * away }
    }

    /// The impulse at a velocity.
    #[inline(always)]
    pub fn at(&self, velocity: T) -> T {
        -(self.gain * velocity + self.offset)
    }
}

impl<T: Real> AxisParts<T> {
    pub const NONE: Self =
        AxisParts { spring: T::ZERO, motor: T::ZERO, friction: T::ZERO, limit: T::ZERO, drag: T::ZERO };
}

impl<T: Real> AxisLaw<T> {
    /// Nothing acts along the axis.
    pub const FREE: Self = AxisLaw {
        speeds: [T::MAX, T::MAX],
        friction: T::ZERO,
        spring: Pull::NONE,
        motor: Drive::Speed(T::ZERO),
        strength: T::ZERO,
        drag: Drag::NONE,
    };

    /// The velocity along the axis, and the impulses there, for the line `impulse + mass λ`.
    pub fn solve(&self, impulse: T, mass: T) -> (T, AxisParts<T>) {
        if self.is_free() {
            return (-impulse / mass, AxisParts::NONE);
        }
        let mut free = self.without_limits(impulse, mass);
        let Drag { calm, gain } = self.drag;
        if gain > T::ZERO && free.abs() > calm {
            // Beyond the speed the drag is linear: it belongs to the line, too.
            let edge = if free > T::ZERO { calm } else { -calm };
            let dragged = self.without_limits(impulse - gain * edge, mass + gain);
            free = if free > T::ZERO { larger(calm, dragged) } else { smaller(-calm, dragged) };
        }
        let velocity = self.limited(free);
        (velocity, self.parts(impulse + mass * velocity, velocity, velocity != free))
    }

    /// Whether nothing acts, as along most axes without a motor.
    #[inline(always)]
    fn is_free(&self) -> bool {
        let Pull { gain, offset } = self.spring;
        let sum = self.strength + self.friction + self.drag.gain + gain;
        sum == T::ZERO && offset == T::ZERO && self.speeds == [T::MAX; 2]
    }

    /// The part of the law that a solution is on.
    pub fn segment(&self, velocity: T, parts: &AxisParts<T>) -> Segment<T> {
        let sticks = velocity == T::ZERO && self.friction > T::ZERO && parts.friction.abs() < self.friction;
        let keeps_speed =
            matches!(self.motor, Drive::Speed(speed) if velocity == speed) && parts.motor.abs() < self.strength;
        if parts.limit != T::ZERO || sticks || keeps_speed {
            return Segment::Held(velocity);
        }
        let mut gain = self.spring.gain;
        if parts.drag != T::ZERO {
            gain += self.drag.gain;
        }
        if let Drive::Position(pull) = self.motor
            && parts.motor.abs() < self.strength
        {
            gain += pull.gain;
        }
        let impulse = parts.spring + parts.motor + parts.friction + parts.drag;
        Segment::Pulled(Pull { gain, offset: -(impulse + gain * velocity) })
    }

    /// The least and the largest impulse that can act at a velocity.
    pub fn range(&self, velocity: T) -> [T; 2] {
        let [down, up] = self.speeds;
        let fixed = self.spring.at(velocity) + self.drag.at(velocity);
        let either = |size: T| [-size, size];
        let friction = if velocity == T::ZERO { either(self.friction) } else { [opposite(velocity, self.friction); 2] };
        let motor = match self.motor {
            Drive::Position(pull) => [self.clamped(pull.at(velocity)); 2],
            Drive::Speed(speed) if velocity == speed => either(self.strength),
            Drive::Speed(speed) => [opposite(velocity - speed, self.strength); 2],
        };
        let sum = |k: usize| fixed + friction[k] + motor[k];
        [if velocity == up { -T::MAX } else { sum(0) }, if velocity == -down { T::MAX } else { sum(1) }]
    }

    /// A velocity within limits.
    #[inline(always)]
    pub fn limited(&self, velocity: T) -> T {
        let [down, up] = self.speeds;
        larger(-down, smaller(up, velocity))
    }

    /// The velocity without limits.
    fn without_limits(&self, impulse: T, mass: T) -> T {
        // The spring is linear: it belongs to the line.
        let (at_rest, slope) = (impulse + self.spring.offset, mass + self.spring.gain);
        let [least, most] = self.motor_at_rest();
        if at_rest > most + self.friction {
            smaller(self.driven(at_rest - self.friction, slope), T::ZERO)
        } else if at_rest < least - self.friction {
            larger(self.driven(at_rest + self.friction, slope), T::ZERO)
        } else {
            T::ZERO
        }
    }

    /// The impulses that the motor can have at velocity 0.
    fn motor_at_rest(&self) -> [T; 2] {
        match self.motor {
            Drive::Speed(speed) => [
                if speed > T::ZERO { self.strength } else { -self.strength },
                if speed < T::ZERO { -self.strength } else { self.strength },
            ],
            Drive::Position(pull) => [self.clamped(pull.at(T::ZERO)); 2],
        }
    }

    fn clamped(&self, impulse: T) -> T {
        larger(-self.strength, smaller(self.strength, impulse))
    }

    /// The velocity where a line meets what the motor does.
    fn driven(&self, impulse: T, slope: T) -> T {
        let saturated = |wanted: T| (if wanted > T::ZERO { self.strength } else { -self.strength } - impulse) / slope;
        match self.motor {
            Drive::Speed(speed) => {
                let wanted = impulse + slope * speed;
                if wanted.abs() <= self.strength { speed } else { saturated(wanted) }
            }
            Drive::Position(pull) => {
                let velocity = -(impulse + pull.offset) / (slope + pull.gain);
                let wanted = pull.at(velocity);
                if wanted.abs() <= self.strength { velocity } else { saturated(wanted) }
            }
        }
    }

    /// What an impulse at a velocity consists of. Where a limit holds, it has the rest.
    fn parts(&self, impulse: T, velocity: T, at_limit: bool) -> AxisParts<T> {
        let spring = self.spring.at(velocity);
        let mut rest = impulse - spring;
        let mut take = |impulse: T| {
            rest -= impulse;
            impulse
        };
        let drag = take(self.drag.at(velocity));
        let stuck = velocity == T::ZERO;
        let mut friction = if stuck { T::ZERO } else { take(opposite(velocity, self.friction)) };
        let mut motor = match self.motor {
            Drive::Position(pull) => take(self.clamped(pull.at(velocity))),
            Drive::Speed(speed) if velocity != speed => take(opposite(velocity - speed, self.strength)),
            Drive::Speed(_) => T::ZERO,
        };
        let within = |impulse: T, most: T| larger(-most, smaller(most, impulse));
        if stuck {
            friction = within(rest, self.friction);
            rest -= friction;
        }
        if matches!(self.motor, Drive::Speed(speed) if velocity == speed) {
            motor = within(rest, self.strength);
            rest -= motor;
        }
        AxisParts { spring, motor, friction, limit: if at_limit { rest } else { T::ZERO }, drag }
    }
}

fn opposite<T: Real>(velocity: T, size: T) -> T {
    if velocity > T::ZERO { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Impulses that act at a velocity without limits: the least and the most.
    fn acting(law: &AxisLaw<f64>, velocity: f64) -> [f64; 2] {
        let spring = law.spring.at(velocity);
        let side = |size: f64, at: f64| match at {
            at if at > 0.0 => [-size; 2],
            at if at < 0.0 => [size; 2],
            _ => [-size, size],
        };
        let motor = match law.motor {
            Drive::Speed(speed) => side(law.strength, velocity - speed),
            Drive::Position(pull) => [pull.at(velocity).clamp(-law.strength, law.strength); 2],
        };
        let friction = side(law.friction, velocity);
        [0, 1].map(|k| spring + motor[k] + friction[k] + law.drag.at(velocity))
    }

    /// A pseudorandom number in -1..1.
    fn next(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn random_law(state: &mut u64) -> AxisLaw<f64> {
        let mut next = || next(state);
        let mut maybe = |value: f64, chance: f64| if next() < chance { value } else { 0.0 };
        let spring = Pull { gain: maybe(0.7, 0.0), offset: maybe(0.4, 0.0) };
        let motor = if maybe(1.0, 0.0) > 0.0 {
            Drive::Speed(maybe(0.5, 0.3))
        } else {
            Drive::Position(Pull { gain: 2.0, offset: maybe(-0.6, 0.5) })
        };
        let mut speed = |half: f64| if maybe(1.0, 0.0) > 0.0 { 1e9 } else { half };
        let speeds = [speed(0.0), speed(0.2)];
        let drag = Drag { calm: maybe(0.3, 0.0), gain: maybe(1.5, 0.0) };
        AxisLaw { speeds, friction: maybe(0.3, 0.0), spring, motor, strength: maybe(0.8, 0.3), drag }
    }

    #[test]
    fn impulses_and_velocity_are_on_the_line_and_obey_the_law() {
        let mut state = 7;
        let (mut at_limits, mut stuck, mut driven) = (0, 0, 0);
        for _ in 0..200_000 {
            let law = random_law(&mut state);
            let (impulse, mass) = (2.0 * next(&mut state), 1.01 + next(&mut state));
            let (velocity, parts) = law.solve(impulse, mass);
            let (low, high) = (-law.speeds[0], law.speeds[1]);
            assert!((low..=high).contains(&velocity));
            let AxisParts { spring, motor, friction, limit, drag } = parts;
            let sum = spring + motor + friction + limit + drag;
            assert!(drag * velocity <= 0.0 && (drag == 0.0 || velocity.abs() > law.drag.calm), "{law:?}: {parts:?}");
            assert!((sum - (impulse + mass * velocity)).abs() < 1e-13, "{law:?}: {parts:?}");
            assert!(friction.abs() <= law.friction && motor.abs() <= law.strength);
            assert!(friction * velocity <= 0.0, "friction drives: {law:?}: {parts:?}");
            // A limit pushes only where it holds, and only inwards.
            let inwards = (limit >= -1e-13 || velocity == high) && (limit <= 1e-13 || velocity == low);
            assert!(inwards, "{law:?}: {velocity} {parts:?}");
            let [least, most] = acting(&law, velocity);
            let others = sum - limit;
            assert!(others >= least - 1e-13 && others <= most + 1e-13, "{law:?}: {velocity} {parts:?}");
            let [low, high] = law.range(velocity);
            assert!((low - 1e-13..=high + 1e-13).contains(&sum), "{law:?}: {velocity} {low} {sum} {high}");
            at_limits += u32::from(limit != 0.0);
            stuck += u32::from(velocity == 0.0);
            driven += u32::from(matches!(law.motor, Drive::Speed(speed) if speed == velocity && speed != 0.0));
        }
        assert!(at_limits > 1000 && stuck > 1000 && driven > 1000, "{at_limits} {stuck} {driven}");
    }

    #[test]
    fn a_free_axis_has_no_impulse() {
        let (velocity, parts) = AxisLaw::<f64>::FREE.solve(0.3, 2.0);
        assert_eq!((velocity, parts), (-0.15, AxisParts::NONE));
    }
}
