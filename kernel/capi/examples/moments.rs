//! Writes random problems whose contacts have three to six rows, and worlds with friction beyond sliding, with the
//! kernel's answers, for `checks/moments.c` and `checks/moments.cpp`, which solve and step them again and compare the bits.
//!
//!   moments FILE
//!
//! A file has a word 4 or 8, the bytes of a number, then problems, each after a word: 1 for one with bodies, 2 for one
//! in Delassus form, 3 for a world; then a 0; the same for the other precision. All numbers are little-endian.

use std::io::{self, BufWriter, Write};

use mixed::{Dice, OwnBody, OwnContact, OwnOutcome};
use stiction::{Material, PointId, Real, Surface};
use worlds::{SAVED_EVERY, Start, Step, Story, Touch};

#[path = "../tests/mixed/mod.rs"]
mod mixed;
#[path = "../tests/worlds/mod.rs"]
mod worlds;

/// Problems of each form and precision.
const PROBLEMS: usize = 300;

struct File<W: Write>(W);

impl<W: Write> File<W> {
    fn words(&mut self, words: &[u32]) -> io::Result<()> {
        words.iter().try_for_each(|word| self.0.write_all(&word.to_le_bytes()))
    }

    fn numbers<T: Real>(&mut self, numbers: &[T]) -> io::Result<()> {
        for number in numbers {
            self.0.write_all(&number.to_le_padded()[..T::BYTES])?;
        }
        Ok(())
    }

    fn body<T: Real>(&mut self, body: &OwnBody<T>) -> io::Result<()> {
        self.numbers(&[body.inverse_mass])?;
        self.numbers(&body.inverse_inertia)?;
        self.numbers(&body.linear)?;
        self.numbers(&body.angular)
    }

    fn contact<T: Real>(&mut self, own: &OwnContact<T>) -> io::Result<()> {
        self.words(&[own.a, own.b, own.is_joined, own.unused])?;
        for vector in [own.normal, own.r_a, own.r_b] {
            self.numbers(&vector)?;
        }
        self.numbers(&[own.mu, own.restitution, own.depth, own.warm_normal])?;
        self.numbers(&own.warm_tangent)?;
        self.numbers(&[own.torsion, own.rolling, own.mu_across])?;
        self.numbers(&own.direction)?;
        self.numbers(&own.warm_moment)
    }

    fn outcome<T: Real>(&mut self, own: &OwnOutcome<T>) -> io::Result<()> {
        self.words(&[own.state, own.reached])?;
        self.numbers(&[own.normal])?;
        self.numbers(&own.tangent)?;
        self.numbers(&[own.bounce])?;
        self.numbers(&own.moment)
    }

    fn problem<T: Real>(&mut self, dice: &mut Dice) -> io::Result<()> {
        let problem = mixed::problem::<T>(dice);
        let answer = problem.answer();
        let counts = [problem.bodies.len() as u32, problem.contacts.len() as u32];
        self.words(&[1, problem.given, counts[0], counts[1]])?;
        let choices = [problem.method as u32, problem.islands as u32, problem.correction as u32];
        self.words(&choices)?;
        self.words(&[u32::from(problem.direct)])?;
        problem.bodies.iter().try_for_each(|body| self.body(body))?;
        problem.contacts.iter().try_for_each(|contact| self.contact(contact))?;
        answer.velocities.iter().try_for_each(|velocity| self.numbers(velocity))?;
        answer.contacts.iter().try_for_each(|outcome| self.outcome(outcome))?;
        self.numbers(&answer.friction_work)
    }

    fn delassus<T: Real>(&mut self, dice: &mut Dice) -> io::Result<()> {
        let problem = mixed::delassus::<T>(dice);
        self.words(&[2, u32::from(problem.is_dense), problem.rows as u32, problem.start.len() as u32])?;
        self.numbers(&problem.w)?;
        problem.q.iter().try_for_each(|q| self.numbers(q))?;
        for column in [&problem.mu, &problem.torsion, &problem.rolling] {
            self.numbers(column)?;
        }
        self.words(&problem.is_joined)?;
        problem.start.iter().try_for_each(|start| self.numbers(start))?;
        let answer = problem.answer();
        answer.iter().try_for_each(|(impulse, _)| self.numbers(impulse))?;
        answer.iter().try_for_each(|(_, state)| self.words(&[*state]))
    }

    fn surface<T: Real>(&mut self, surface: &Surface<T>) -> io::Result<()> {
        let (direction, across) = surface.tread.map_or(([T::ZERO; 3], T::ZERO), |t| (t.direction.into(), t.mu_across));
        self.numbers(&[surface.torsion, surface.rolling, across])?;
        self.numbers(&direction)
    }

    fn start<T: Real>(&mut self, start: &Start<T>) -> io::Result<()> {
        let Start { body, surface } = start;
        self.numbers(&[body.inverse_mass])?;
        self.numbers(body.inverse_inertia_body.as_slice())?;
        self.numbers(&worlds::state_of(body))?;
        self.numbers(body.load.force.as_slice())?;
        self.numbers(body.load.torque.as_slice())?;
        self.numbers(&[body.material.mu, body.material.restitution])?;
        self.words(&[u32::from(surface.is_joined)])?;
        self.surface(surface)
    }

    fn touch<T: Real>(&mut self, Touch { manifold, own }: &Touch<T>) -> io::Result<()> {
        self.words(&[manifold.a as u32, manifold.b as u32, manifold.points.len() as u32])?;
        let surface = own.unwrap_or_default();
        self.words(&[manifold.material.is_some(), own.is_some(), surface.is_joined].map(u32::from))?;
        self.numbers(manifold.normal.as_slice())?;
        let material = manifold.material.unwrap_or(Material::SMOOTH);
        self.numbers(&[material.mu, material.restitution])?;
        self.surface(&surface)?;
        for point in &manifold.points {
            let PointId::Feature(feature) = point.id else { return Err(io::Error::other("a point without a feature")) };
            self.numbers(point.on_a.as_slice())?;
            self.numbers(point.on_b.as_slice())?;
            self.numbers(&[point.depth])?;
            self.words(&[feature])?;
        }
        Ok(())
    }

    fn step<T: Real>(&mut self, step: &Step<T>) -> io::Result<()> {
        self.words(&[step.touches.len() as u32])?;
        step.touches.iter().try_for_each(|touch| self.touch(touch))?;
        step.states.iter().try_for_each(|state| self.numbers(state))?;
        self.words(&[step.contacts.len() as u32])?;
        for (moment, reached) in &step.contacts {
            self.numbers(moment)?;
            self.words(&[*reached])?;
        }
        self.numbers(&step.friction_work)
    }

    fn story<T: Real>(&mut self, story: &Story<T>) -> io::Result<()> {
        self.words(&[3, story.starts.len() as u32, story.steps.len() as u32, SAVED_EVERY as u32])?;
        story.starts.iter().try_for_each(|start| self.start(start))?;
        story.steps.iter().try_for_each(|step| self.step(step))
    }

    fn precision<T: Real>(&mut self) -> io::Result<()> {
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
        self.words(&[T::BYTES as u32])?;
        for _ in 0..PROBLEMS {
            self.problem::<T>(&mut dice)?;
            self.delassus::<T>(&mut dice)?;
        }
        worlds::stories::<T>().iter().try_for_each(|story| self.story(story))?;
        self.words(&[0])
    }
}

fn main() -> io::Result<()> {
    let path = std::env::args().nth(1).ok_or(io::Error::other("usage: moments FILE"))?;
    let mut file = File(BufWriter::new(std::fs::File::create(path)?));
    file.precision::<f32>()?;
    file.precision::<f64>()?;
    file.0.flush()
}
