//! Bit flips in cached data, and deadlines at any moment.

use nalgebra::{DVector, Matrix3, Vector3};
use stiction::Hooks;
use stiction::KeptContacts;
use stiction::{Frame, Real, Settings, Solver, Status};
use stiction_scenes::boxes::{Boxes, sliding_cube, stack};
use stiction_testkit::capacity::solve;
use stiction_testkit::effort;
use stiction_testkit::island::{Island, kinetic_energy};
use stiction_testkit::merit::natural_map;
use stiction_testkit::random_islands::FAMILIES;
use stiction_testkit::rng::Rng;
use stiction_testkit::tolerance;

/// Numbers whose bits can be flipped.
trait Bits: Real {
    fn flipped(self, bit: u32) -> Self;
}

impl Bits for f32 {
    fn flipped(self, bit: u32) -> f32 {
        f32::from_bits(self.to_bits() ^ (1 << bit))
    }
}

impl Bits for f64 {
    fn flipped(self, bit: u32) -> f64 {
        f64::from_bits(self.to_bits() ^ (1 << bit))
    }
}

/// Every bit of every warm start of some islands, one at a time.
#[test]
fn flipped_bits_in_a_warm_start_are_rejected_or_harmless() {
    fn study<T: Bits>(name: &str, seed: u64, islands: usize) {
        let (mut rng, mut rejected, mut solved) = (Rng::new(seed), 0, 0);
        let settings = Settings::<T> { sweeps: 5, ..Settings::default() };
        for round in 0..islands {
            let (bodies, mut contacts) = FAMILIES[round % 4].island(&mut rng).rounded::<T>();
            let before: Vec<_> = bodies.iter().map(|body| (body.linear_velocity, body.angular_velocity)).collect();
            let before = kinetic_energy(&bodies, &before);
            let good = solve(&bodies, &contacts, &Settings { sweeps: 50, ..settings }, T::lit(1.0 / 60.0)).unwrap();
            for (contact, outcome) in contacts.iter_mut().zip(&good.contacts) {
                (contact.warm.normal_impulse, contact.warm.tangent_impulse) =
                    (outcome.normal_impulse, outcome.tangent_impulse);
            }
            let flipped_contact = rng.below(contacts.len());
            for bit in 0..8 * T::BYTES as u32 {
                for part in 0..4 {
                    let mut contacts = contacts.clone();
                    let warm = &mut contacts[flipped_contact].warm;
                    let number = if part == 3 { &mut warm.normal_impulse } else { &mut warm.tangent_impulse[part] };
                    *number = number.flipped(bit);
                    match solve(&bodies, &contacts, &settings, T::lit(1.0 / 60.0)) {
                        Err(error) => {
                            let line = error.to_string();
                            assert!(line.starts_with(&format!("contacts[{flipped_contact}].warm")), "{line}");
                            rejected += 1;
                        }
                        Ok(answer) => {
                            let after = kinetic_energy(&bodies, &answer.velocities);
                            assert!(after <= before * (1.0 + tolerance::of::<T>("passivity")), "bit {bit}: {after}");
                            solved += 1;
                        }
                    }
                }
            }
        }
        println!("{name}: {rejected} flips rejected, {solved} solved, finite and passive");
        assert!(rejected > 0 && solved > rejected);
    }
    let islands = effort::cases(8, 80);
    study::<f32>("f32", 31, islands);
    study::<f64>("f64", 32, islands);
}

/// Recomputes the checksum, as if the bit had flipped in memory.
fn seal(bytes: &mut [u8]) {
    let end = bytes.len() - 4;
    let words = bytes[..end].chunks(4).map(|chunk| u32::from_le_bytes(chunk.try_into().unwrap()));
    let checksum: u32 = words.fold(0x811c_9dc5, |sum, word| (sum ^ word).wrapping_mul(0x0100_0193).rotate_left(13));
    bytes[end..].copy_from_slice(&checksum.to_le_bytes());
}

/// Every bit of every kept contact, one at a time, in bytes whose checksum is recomputed and so does not notice.
#[test]
fn a_step_from_a_cache_with_a_flipped_bit_is_finite_and_passive() {
    fn study<T: Real>(name: &str, make: fn() -> Boxes<T, 3, 8>) {
        let mut boxes = make();
        for _ in 0..20 {
            boxes.step().unwrap();
        }
        let mut saved = vec![0; KeptContacts::<T, 8>::most_saved_bytes()];
        let length = boxes.pipeline.cache().save(&mut saved).unwrap();
        saved.truncate(length);
        let (energy, world) = (boxes.energy(), boxes.world.clone());
        let (mut rejected, mut stepped) = (0, 0);
        for bit in 16 * 8..(length - 4) * 8 {
            let mut bytes = saved.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            seal(&mut bytes);
            boxes.world.clone_from(&world);
            if boxes.pipeline.restore_cache(&bytes).is_err() {
                rejected += 1;
                continue;
            }
            let mut corrected = 0.0;
            for _ in 0..3 {
                // `step` checks the ledger.
                let report = boxes.step().unwrap();
                assert!(report.residual.is_finite());
                corrected += report.ledger.position_correction.to_f64();
            }
            // A flipped depth is corrected, which may lift the body; nothing else may.
            let gained = boxes.energy() - energy - corrected;
            assert!(gained <= 1e-3 * energy, "bit {bit}: {gained} J of {energy} J");
            stepped += 1;
        }
        println!("{name}: {rejected} flips rejected, {stepped} stepped on");
        assert!(rejected > 0 && stepped > rejected);
    }
    study::<f32>("f32, stack", || stack(2));
    study::<f64>("f64, stack", || stack(2));
    study::<f32>("f32, slide", sliding_cube);
}

/// The residual by its definition in `residual.rs`, from impulses and the whole matrix, and the worst approach.
fn residual_by_definition(island: &Island, solver: &Solver<f64, 16, 64>) -> (f64, f64) {
    let whole = island.delassus(&[]);
    let mut x = DVector::zeros(whole.q.len());
    for (i, contact) in island.contacts.iter().enumerate() {
        let (outcome, frame) = (solver.contact(i).unwrap(), Frame::from_normal(&contact.normal).unwrap());
        let along = Vector3::new(
            outcome.normal_impulse,
            frame.t1().dot(&outcome.tangent_impulse),
            frame.t2().dot(&outcome.tangent_impulse),
        );
        x.fixed_rows_mut::<3>(3 * i).copy_from(&along);
    }
    let u = &whole.w * &x + &whole.q;
    let (mut total, mut impulses, mut approach) = (0.0, 0.0, 0.0_f64);
    for (i, contact) in island.contacts.iter().enumerate() {
        let k: Matrix3<f64> = whole.w.fixed_view::<3, 3>(3 * i, 3 * i).into_owned();
        let size = k.trace() / 3.0;
        let (own, speed) = (x.fixed_rows::<3>(3 * i).into_owned(), u.fixed_rows::<3>(3 * i).into_owned());
        total += (natural_map(&own, &speed, contact.mu, 0.0, 1.0 / size) * size).norm_squared();
        impulses += (own * size).norm_squared();
        approach = approach.max(-speed.x);
    }
    (total.sqrt() / whole.q.norm().max(impulses.sqrt()).max(u.norm()), approach)
}

/// At any deadline the reported residual is that of the returned answer, computed by its definition from the impulses
/// alone.
#[test]
fn reported_residual_is_the_true_one_at_every_deadline() {
    let mut rng = Rng::new(33);
    let mut worst = 0.0_f64;
    for round in 0..effort::cases(40, 400) {
        let island = FAMILIES[round % 4].island(&mut rng);
        for allowed in 0..12 {
            let (mut bodies, contacts) = island.columns::<f64, 16, 64>();
            let mut solver = Solver::<f64, 16, 64>::new();
            let mut asked = 0;
            let mut deadline = || {
                asked += 1;
                asked > allowed
            };
            let report = solver
                .solve_with(
                    &mut bodies,
                    &contacts,
                    &Settings::default(),
                    1.0 / 60.0,
                    Hooks::with_should_stop(&mut deadline),
                )
                .unwrap();
            let (natural, approach) = residual_by_definition(&island, &solver);
            let reported = (report.residual.natural, report.residual.closing_speed);
            let difference = ((reported.0 - natural) / natural.max(1e-9)).abs();
            worst = worst.max(difference);
            assert!(difference < 1e-5, "round {round}, {allowed} sweeps: reported {reported:?}, true {natural:e}");
            assert!((reported.1 - approach).abs() < 1e-9 * report.residual.scale, "{reported:?} {approach:e}");
            assert!(report.energy_after <= report.energy_before * (1.0 + 1e-15));
            assert!(report.status != Status::Deadline || report.sweeps == allowed, "the deadline is noticed at once");
        }
    }
    println!("reported and true residuals differ by at most {worst:.1e}, relative");
}
