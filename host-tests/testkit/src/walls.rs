//! Large islands at rest after a step of gravity: walls in running bond, and pyramids.

use nalgebra::{Matrix3, Vector3};
use stiction::{Body, Contact};

use crate::island::Island;
use crate::known_answers::{DT, GRAVITY};

/// Half a brick's length in m: the grid on which bricks lie. Height and depth of a brick are the same.
const HALF: f64 = 1.0;

/// A brick: its centre in units of half a brick, and its length in the same.
#[derive(Clone, Copy)]
struct Brick {
    centre: f64,
    length: f64,
}

impl Brick {
    /// Where two bricks lie over one another, if they do.
    fn overlap(&self, other: &Brick) -> Option<(f64, f64)> {
        let left = (self.centre - 0.5 * self.length).max(other.centre - 0.5 * other.length);
        let right = (self.centre + 0.5 * self.length).min(other.centre + 0.5 * other.length);
        (right - left > 0.25).then_some((left, right))
    }

    /// A solid block of 0.5 kg a unit of length that has felt gravity for a step.
    fn body(&self) -> Body<f64> {
        let mass = 0.5 * self.length;
        let (long, short) = (self.length * HALF, HALF);
        let moment = |p: f64, q: f64| 12.0 / (mass * (p * p + q * q));
        let inverse = Vector3::new(moment(short, short), moment(long, short), moment(long, short));
        Body {
            linear_velocity: Vector3::new(0.0, 0.0, -GRAVITY * DT),
            ..Body::from_inverse(1.0 / mass, Matrix3::from_diagonal(&inverse))
        }
    }
}

/// Lays courses on the ground, each brick on those below it with four contacts a pair, course by course.
fn lay(courses: impl Iterator<Item = Vec<Brick>>, mu: f64) -> Island {
    let mut island = Island { bodies: vec![Body::fixed()], contacts: Vec::new() };
    let mut below: Vec<(usize, Brick)> = Vec::new();
    for (level, course) in courses.enumerate() {
        let mut laid = Vec::new();
        for brick in course {
            let index = island.bodies.len();
            island.bodies.push(brick.body());
            let ground = [(0, Brick { centre: 0.0, length: f64::INFINITY })];
            let under: &[(usize, Brick)] = if level == 0 { &ground } else { &below };
            for (a, base) in under {
                let Some((left, right)) = brick.overlap(base) else { continue };
                for (x, y) in [(left, -0.5), (right, -0.5), (right, 0.5), (left, 0.5)] {
                    let arm = |centre: f64, up: f64| Vector3::new((x - centre) * HALF, y * HALF, up * HALF);
                    let r_b = arm(brick.centre, -0.5);
                    let r_a = if *a == 0 { Vector3::zeros() } else { arm(base.centre, 0.5) };
                    island.contacts.push(Contact::new(*a, index, Vector3::z(), r_a, r_b, mu));
                }
            }
            laid.push((index, brick));
        }
        below = laid;
    }
    island
}

/// A wall in running bond, `width` bricks of 1 kg wide, odd courses closed by halves: `4 width (2 courses − 1)`
/// contacts.
///
/// ```
/// assert_eq!(stiction_testkit::walls::wall(10, 13, 0.5).contacts.len(), 1000);
/// ```
pub fn wall(width: usize, courses: usize, mu: f64) -> Island {
    let course = |level: usize| {
        let full = |at: f64| Brick { centre: at, length: 2.0 };
        if level.is_multiple_of(2) {
            return (0..width).map(|i| full(2.0 * i as f64)).collect();
        }
        let end = 2.0 * width as f64 - 1.0;
        let half = |centre: f64| Brick { centre, length: 1.0 };
        let inner = (1..width).map(|i| full(2.0 * i as f64 - 1.0));
        std::iter::once(half(-0.5)).chain(inner).chain([half(end - 0.5)]).collect()
    };
    lay((0..courses).map(course), mu)
}

/// A wall cut to so many contacts; bricks that lose all of theirs are left out.
pub fn wall_of(contacts: usize, mu: f64) -> Island {
    let width = [(16, 1), (64, 2), (256, 4), (1024, 8)].iter().find(|(most, _)| contacts <= *most).map_or(16, |w| w.1);
    let courses = (1..).find(|courses| 4 * width * (2 * courses - 1) >= contacts).unwrap_or(1);
    let mut island = wall(width, courses, mu);
    island.contacts.truncate(contacts);
    let bodies = island.contacts.iter().map(|contact| contact.b + 1).max().unwrap_or(1);
    island.bodies.truncate(bodies);
    island
}

/// Boxes in courses that shorten by one from the ground up, each box on two: `courses` of them from `base` on.
///
/// ```
/// assert_eq!(stiction_testkit::walls::pyramid(20, 16, 0.5).bodies.len(), 201);
/// ```
pub fn pyramid(base: usize, courses: usize, mu: f64) -> Island {
    let course = |level: usize| {
        (0..base.saturating_sub(level)).map(|i| Brick { centre: (2 * i + level) as f64, length: 2.0 }).collect()
    };
    lay((0..courses).map(course), mu)
}
