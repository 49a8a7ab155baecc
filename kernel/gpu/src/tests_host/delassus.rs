//! Batches in Delassus form.
use stiction::{MethodChoice, Settings};
use stiction_batch::{Control, DelassusBatch, solve_delassus};
use stiction_testkit::small_problems::{CONTACTS, SMALL_PROBLEMS};

use super::driver::{alone, fault, open};

#[test]
fn matrices_have_the_bits_of_processors() {
    let (mut w, mut q, mut mu) = (Vec::new(), Vec::new(), Vec::new());
    let count = 1500;
    for number in 0..count {
        let problem = SMALL_PROBLEMS[number % 2].island(number as u64).delassus(&[]);
        let single = |value: &f64| *value as f32;
        w.extend(problem.w.transpose().iter().map(single));
        q.extend(problem.q.iter().map(single));
        mu.extend(problem.mu.iter().map(single));
    }
    // A coefficient that is none, and an impulse.
    mu[7 * CONTACTS + 2] = -1.0;
    let mut warm = vec![0.0; q.len()];
    warm[3 * CONTACTS * 11] = 0.5;
    warm[3 * CONTACTS * 12 + 1] = f32::NAN;
    let cold = DelassusBatch::new(CONTACTS, &w, &q, &mu).unwrap();
    alone(fault::NONE, || {
        let gpu = open().unwrap();
        for batch in [cold, cold.from_impulses(&warm).unwrap()] {
            for settings in [Settings::default(), Settings { method: MethodChoice::Accelerated, ..Settings::default() }]
            {
                let expected = solve_delassus::<f32, CONTACTS, 0>(&batch, &settings, &Control::on(1)).unwrap();
                let found = gpu.solve_delassus(&batch, &settings).unwrap();
                // Texts, because a number that is NaN differs from itself.
                assert!(format!("{found:?}") == format!("{expected:?}"));
                assert_eq!(found.len(), count);
            }
            assert_eq!(gpu.delassus_time(&batch, &Settings::default()).unwrap().as_micros(), 2000);
        }
        let solved = gpu.solve_delassus(&cold.from_impulses(&warm).unwrap(), &Settings::default()).unwrap();
        let rejected: Vec<usize> = solved.errors.iter().map(|(problem, _)| *problem).collect();
        assert_eq!(rejected, [7, 12], "{:?}", solved.errors);
    });
}
