//! Memory faults: single bits of the memory for lanes flip between two visits.
//!
//! Whatever flips, velocities are finite, no energy is added, other islands are solved as if nothing had happened, and
//! an answer that is reported as solved is solved.

use nalgebra::Vector3;
use stiction::sweep::lane_memory::{LaneMemory, LaneRow, MovableBodies, Velocity, at};
use stiction::{Bodies, Contacts, Hooks, MethodChoice, Report, Settings, Solver, Status};
use stiction_lanes::Lanes;
use stiction_lanes::group::Group;
use stiction_lanes::plan::Plan;
use stiction_lanes::scalar::LaneScalar;
use stiction_testkit::effort;
use stiction_testkit::island::{DT, Island, kinetic_energy};
use stiction_testkit::rng::Rng;
use stiction_testkit::walls::wall;

const NB: usize = 48;
const NC: usize = 192;
const NG: usize = 64;

type Memory<T> = Lanes<T, NB, NC, NG>;

/// Numbers whose bits can be flipped.
trait Bits: LaneScalar {
    const COUNT: usize;
    fn flipped(self, bit: usize) -> Self;
}

impl Bits for f32 {
    const COUNT: usize = 32;
    fn flipped(self, bit: usize) -> f32 {
        f32::from_bits(self.to_bits() ^ (1 << bit))
    }
}

impl Bits for f64 {
    const COUNT: usize = 64;
    fn flipped(self, bit: usize) -> f64 {
        f64::from_bits(self.to_bits() ^ (1 << bit))
    }
}

fn flip_in_group<T: Bits>(group: &mut Group<T>, rng: &mut Rng) -> &'static str {
    let (lane, bit) = (rng.below(T::WIDTH), rng.below(16));
    let index = &mut [&mut group.a, &mut group.b, &mut group.rows][rng.below(3)];
    match rng.below(12) {
        0..=6 => {
            let number = &mut group.numbers[rng.below(at::COUNT)].as_mut()[lane];
            *number = number.flipped(rng.below(T::COUNT));
            "number"
        }
        // Most indices are below 256: flips of their lower bits give other bodies and rows.
        7..=9 => (index[lane] ^= 1 << (if rng.chance(0.7) { bit / 3 } else { bit }), "index").1,
        10 => (group.count ^= 1 << (bit / 2), "count").1,
        _ => (group.has_targets ^= true, "has_targets").1,
    }
}

fn flip_in_plan(plan: &mut Plan<NB, NC>, rng: &mut Rng) -> &'static str {
    let (bit, entry, early) = (rng.below(16), rng.below(NC), rng.below(24));
    match rng.below(8) {
        0 | 1 => (plan.order[entry] ^= 1 << bit, "order").1,
        2 => (plan.starts[early] ^= 1 << bit, "starts").1,
        3 => (plan.in_lanes[early] ^= 1 << bit, "in_lanes").1,
        4 => (plan.filled[early] ^= 1 << (bit / 2), "filled").1,
        5 => {
            let run = &mut plan.runs[early / 3];
            match bit % 3 {
                0 => run.in_lanes ^= true,
                1 => run.first ^= 1 << bit,
                _ => run.end ^= 1 << bit,
            }
            "runs"
        }
        6 => (plan.lane_groups ^= 1 << bit, "lane_groups").1,
        _ => (plan.run_count ^= 1 << bit, "run_count").1,
    }
}

/// Memory in which a bit flips after some visits.
struct Faulty<'a, T: Bits> {
    memory: &'a mut Memory<T>,
    rng: &'a mut Rng,
    visits_left: usize,
    flipped: Option<&'static str>,
}

impl<T: Bits> Faulty<'_, T> {
    fn count_down(&mut self) {
        if self.visits_left > 0 {
            self.visits_left -= 1;
            return;
        }
        if self.flipped.is_none() {
            self.flipped = Some(self.flip());
        }
    }

    fn flip(&mut self) -> &'static str {
        let groups = self.memory.in_lanes().1;
        let (plan, all, squares) = self.memory.stored();
        match self.rng.below(8) {
            0 | 1 => flip_in_plan(plan, self.rng),
            2 => {
                let square = &mut squares[self.rng.below(NC)];
                *square = square.flipped(self.rng.below(T::COUNT));
                "square"
            }
            _ => flip_in_group(&mut all[self.rng.below(groups)], self.rng),
        }
    }
}

impl<T: Bits> LaneMemory<T> for Faulty<'_, T> {
    fn plan(&mut self, rows: usize, movable: &dyn Fn(usize) -> MovableBodies) -> bool {
        self.memory.plan(rows, movable)
    }
    fn load(&mut self, row: &dyn Fn(usize, &mut LaneRow<T>) -> bool) {
        self.memory.load(row);
    }
    fn reload(&mut self, row: &dyn Fn(usize) -> [T; at::CHANGING]) {
        self.memory.reload(row);
    }
    fn runs(&self) -> usize {
        self.memory.runs()
    }
    fn is_in_lanes(&self, run: usize) -> bool {
        self.memory.is_in_lanes(run)
    }
    fn visit(&mut self, run: usize, is_backward: bool, velocities: &mut [Velocity<T>]) {
        self.count_down();
        self.memory.visit(run, is_backward, velocities);
    }
    fn visit_alone(&mut self, run: usize, is_backward: bool, visit: &mut dyn FnMut(usize) -> T) {
        self.count_down();
        self.memory.visit_alone(run, is_backward, visit);
    }
    fn sum_of_squares(&self, is_backward: bool) -> T {
        self.memory.sum_of_squares(is_backward)
    }
    fn store(&self, each: &mut dyn FnMut(usize, [T; 3], T)) {
        self.memory.store(each);
    }
}

/// A wall that is shoved, and a smaller one beside it on the same ground: two islands.
fn two_walls(rng: &mut Rng) -> Island {
    let mut island = wall(8, 2, 0.5);
    // Neighbours follow each other in a wall. In another order, more contacts are independent.
    for at in 1..island.contacts.len() {
        island.contacts.swap(at, rng.below(at + 1));
    }
    let other = wall(1, 2, 0.3);
    let first = island.bodies.len();
    island.bodies.extend(other.bodies.into_iter().skip(1));
    let moved = |body: usize| if body == 0 { 0 } else { first + body - 1 };
    for mut contact in other.contacts {
        (contact.a, contact.b) = (moved(contact.a), moved(contact.b));
        island.contacts.push(contact);
    }
    let speed = [0.0, 0.3, 2.0][rng.below(3)];
    for body in island.bodies.iter_mut().skip(1) {
        body.linear_velocity += rng.direction() * speed;
        body.angular_velocity += rng.direction() * speed;
    }
    let restitution = [0.0, 0.5][rng.below(2)];
    island.contacts.iter_mut().for_each(|contact| contact.restitution = restitution);
    island
}

/// Bodies of the larger wall, with the ground.
fn bodies_of_first() -> usize {
    wall(8, 2, 0.5).bodies.len()
}

struct Answer<T: Bits> {
    report: Report<T>,
    velocities: Vec<(Vector3<T>, Vector3<T>)>,
}

fn solve<T: Bits>(
    solver: &mut Solver<T, NB, NC>,
    (mut bodies, contacts): (Bodies<T, NB>, Contacts<T, NC>),
    settings: &Settings<T>,
    lanes: &mut dyn LaneMemory<T>,
) -> Answer<T> {
    let hooks = Hooks::with_lanes(lanes);
    let report = solver.solve_islands(&mut bodies, &contacts, settings, T::lit(DT), hooks).expect("valid walls");
    let (linear, angular) = (bodies.linear_velocities().iter(), bodies.angular_velocities().iter());
    Answer { report, velocities: linear.copied().zip(angular.copied()).collect() }
}

/// The fastest approach of a contact, m/s.
fn approach<T: Bits>(island: &Island, velocities: &[(Vector3<T>, Vector3<T>)]) -> f64 {
    let at = |body: usize, arm: &Vector3<f64>| {
        let (linear, angular) = (velocities[body].0.map(T::to_f64), velocities[body].1.map(T::to_f64));
        linear + angular.cross(arm)
    };
    let speeds = island.contacts.iter().map(|c| -c.normal.dot(&(at(c.b, &c.r_b) - at(c.a, &c.r_a))));
    speeds.fold(0.0, f64::max)
}

fn energy<T: Bits>(island: &Island, velocities: &[(Vector3<T>, Vector3<T>)]) -> f64 {
    kinetic_energy(&island.rounded::<T>().0, velocities)
}

/// What is wrong with an answer; empty if nothing is.
fn faults<T: Bits>(island: &Island, answer: &Answer<T>, clean: &Answer<T>, tolerance: f64) -> Vec<&'static str> {
    let start: Vec<_> =
        island.rounded::<T>().0.iter().map(|body| (body.linear_velocity, body.angular_velocity)).collect();
    let (before, after) = (energy::<T>(island, &start), energy::<T>(island, &answer.velocities));
    let scale = answer.report.residual.scale.to_f64();
    let is_solved = approach::<T>(island, &answer.velocities) <= 1e-3 * scale.max(1e-3);
    let others = bodies_of_first()..island.bodies.len();
    let is_finite = answer.velocities.iter().all(|(v, w)| v.iter().chain(w.iter()).all(|part| part.is_finite()));
    let mut faults = Vec::new();
    let mut check = |is_well: bool, fault| {
        if !is_well {
            faults.push(fault);
        }
    };
    check(is_finite, "not finite");
    check(after <= before * (1.0 + tolerance), "gained energy");
    check(answer.velocities[0] == start[0], "the ground moves");
    check(answer.velocities[others.clone()] == clean.velocities[others], "another island changed");
    check(answer.report.status != Status::Converged || is_solved, "reported as solved, but contacts approach");
    faults
}

fn study<T: Bits>(name: &str, seed: u64, tolerance: f64) {
    let (mut solver, mut memory) = (Box::new(Solver::<T, NB, NC>::new()), Box::new(Memory::<T>::new()));
    let (mut rng, mut flips, mut bad) = (Rng::new(seed), 0, Vec::new());
    let wanted = effort::cases(2_000, 150_000);
    for round in 0.. {
        if flips >= wanted {
            break;
        }
        assert!(round < 10 + wanted / 4, "{flips} flips: walls are not swept in lanes");
        let island = two_walls(&mut rng);
        let sweeps = 2 + rng.below(30) as u32;
        let settings = Settings { sweeps, method: MethodChoice::Sweeps, ..Settings::default() };
        let clean = solve(&mut solver, island.columns(), &settings, &mut *memory);
        for _ in 0..20 {
            let visits_left = rng.below(2 + 3 * sweeps as usize);
            let mut faulty = Faulty { memory: &mut *memory, rng: &mut rng, visits_left, flipped: None };
            let answer = solve(&mut solver, island.columns(), &settings, &mut faulty);
            let Some(flipped) = faulty.flipped else { continue };
            flips += 1;
            bad.extend(faults(&island, &answer, &clean, tolerance).into_iter().map(|fault| (fault, flipped)));
        }
    }
    println!("{name}: {flips} flipped bits, {} faults", bad.len());
    bad.sort_unstable();
    for kind in bad.chunk_by(|one, other| one == other) {
        println!("{name}: {:?}: {}", kind[0], kind.len());
    }
    assert!(bad.is_empty());
}

#[test]
fn flipped_bits_in_lanes_add_no_energy_in_single_precision() {
    study::<f32>("f32", 71, 1e-5);
}

#[test]
fn flipped_bits_in_lanes_add_no_energy_in_double_precision() {
    study::<f64>("f64", 72, 1e-12);
}
