//! Writes random problems whose contacts have three to six rows, with the kernel's answers, for `checks/moments.c` and
//! `checks/moments.cpp`, which solve them again and compare the bits.
//!
//!   moments FILE
//!
//! A file has a word 4 or 8, the bytes of a number, then problems, each after a word: 1 for one with bodies, 2 for one
//! in Delassus form; then a 0; the same for the other precision. All numbers are little-endian.

use std::io::{self, BufWriter, Write};

use mixed::{Dice, OwnBody, OwnContact, OwnOutcome};
use stiction::Real;

#[path = "../tests/mixed/mod.rs"]
mod mixed;

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

    fn precision<T: Real>(&mut self) -> io::Result<()> {
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
        self.words(&[T::BYTES as u32])?;
        for _ in 0..PROBLEMS {
            self.problem::<T>(&mut dice)?;
            self.delassus::<T>(&mut dice)?;
        }
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
