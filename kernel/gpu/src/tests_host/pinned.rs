//! Batches in pinned memory: the answers of other batches, again and again, without a copy within the host, and faults.
use stiction::Settings;
use stiction_batch::{DelassusBatch, Layout, Packed};
use stiction_testkit::small_problems::{BODIES, CONTACTS, SmallProblem};

use super::batches::{DT, problems, words_of};
use super::driver::{alone, fail, fault, open};
use crate::{Gpu, GpuError, PinnedProblems, Scalar};

/// More than one share.
const MANY: usize = crate::shares::SHARE + 77;

fn pinned<T: Scalar>(gpu: &Gpu, packed: &Packed<T>) -> PinnedProblems<T> {
    let (scalars, words) = packed.arrays();
    Packed::from_arrays(
        packed.layout(),
        packed.len(),
        (gpu.pinned_copy(scalars).unwrap(), gpu.pinned_copy(words).unwrap()),
    )
    .unwrap()
}

#[test]
fn a_pinned_batch_has_the_answers_of_any_other() {
    let (layout, settings) = (Layout::blocks(BODIES, CONTACTS), Settings { sweeps: 10, ..Settings::default() });
    let [feet, linked] = [SmallProblem::Feet, SmallProblem::Linked].map(|kind| problems::<f32>(kind, layout, MANY));
    alone(fault::NONE, || {
        let gpu = open().unwrap();
        let mut batch = pinned(&gpu, &feet);
        let mut answers = gpu.pinned_answers(layout, MANY).unwrap();
        assert_eq!((batch.arrays().1 == feet.arrays().1, answers.solved(), answers.status(0)), (true, 0, None));
        let expected = gpu.solve_all(&feet, &settings, DT).unwrap();
        gpu.solve_pinned(&batch, &mut answers, &settings, DT).unwrap();
        assert!(words_of(&answers) == words_of(&expected));
        assert_eq!(format!("{:?}", answers.errors()), format!("{:?}", expected.errors()));
        // A problem that was rejected is replaced, another one becomes one that is.
        let mut changed = feet.clone();
        for (index, number, mu) in [(999, 5, 0.5), (3, 3, f32::NAN)] {
            let (bodies, mut contacts) = SmallProblem::Feet.island(number).rounded();
            contacts[0].mu = mu;
            batch.set(index, &bodies, &contacts).unwrap();
            changed.set(index, &bodies, &contacts).unwrap();
        }
        let expected = gpu.solve_all(&changed, &settings, DT).unwrap();
        gpu.solve_pinned(&batch, &mut answers, &settings, DT).unwrap();
        assert!(words_of(&answers) == words_of(&expected));
        assert_eq!(answers.errors()[0].0, 3);
        assert!(answers.error(999).is_none());
        // Other problems into the same memory for answers.
        let expected = gpu.solve_all(&linked, &settings, DT).unwrap();
        gpu.solve_pinned(&pinned(&gpu, &linked), &mut answers, &settings, DT).unwrap();
        assert!(words_of(&answers) == words_of(&expected));
    });
}

#[test]
fn pinned_memory_may_have_no_problems_or_no_numbers() {
    alone(fault::NONE, || {
        let gpu = open().unwrap();
        for (layout, count) in [(Layout::blocks(0, 0), 0), (Layout::blocks(0, 0), 3), (Layout::blocks(2, 1), 0)] {
            let problems = gpu.pinned_problems::<f64>(layout, count).unwrap();
            let mut answers = gpu.pinned_answers::<f64>(layout, count).unwrap();
            gpu.solve_pinned(&problems, &mut answers, &Settings::default(), 0.01).unwrap();
            assert_eq!(answers.solved(), count);
        }
    });
}

#[test]
fn answers_that_do_not_fit_the_problems_are_errors_and_stay() {
    alone(fault::NONE, || {
        let (gpu, layout) = (open().unwrap(), Layout::blocks(2, 1));
        let problems = gpu.pinned_problems::<f32>(layout, 3).unwrap();
        let mut same = gpu.pinned_answers::<f32>(layout, 3).unwrap();
        gpu.solve_pinned(&problems, &mut same, &Settings::default(), DT).unwrap();
        let more = gpu.pinned_problems::<f32>(layout, 4).unwrap();
        let said = gpu.solve_pinned(&more, &mut same, &Settings::default(), DT).unwrap_err().to_string();
        assert_eq!((said.as_str(), same.solved()), ("answers: length 3, must be 4", 3));
        let mut rows = gpu.pinned_answers::<f32>(Layout::rows(2, 1), 3).unwrap();
        assert_eq!(gpu.solve_pinned(&problems, &mut rows, &Settings::default(), DT), Err(GpuError::OtherLayout));
        let huge = gpu.pinned_array::<f64>(usize::MAX / 4).unwrap_err();
        assert_eq!(huge, GpuError::HostMemory { bytes: usize::MAX });
    });
}

#[test]
fn a_pinned_batch_that_fails_has_no_answers_and_can_be_solved_again() {
    let (layout, settings) = (Layout::blocks(BODIES, CONTACTS), Settings::default());
    let feet = problems::<f32>(SmallProblem::Feet, layout, 2000);
    for fault in [fault::LAUNCH, fault::WAIT, fault::COPY, fault::MEMORY] {
        alone(fault::NONE, || {
            let gpu = open().unwrap();
            let (batch, mut answers) = (pinned(&gpu, &feet), gpu.pinned_answers(layout, 2000).unwrap());
            gpu.solve_pinned(&batch, &mut answers, &settings, DT).unwrap();
            assert_eq!((answers.solved(), answers.errors().len()), (1998, 2));
            // Memory is asked for again: that of other sizes is given back.
            gpu.solve_all(&feet, &settings, DT).unwrap();
            fail(fault);
            gpu.solve_pinned(&batch, &mut answers, &settings, DT).unwrap_err();
            assert_eq!((answers.solved(), answers.errors().len()), (0, 0));
            fail(fault::NONE);
            gpu.solve_pinned(&batch, &mut answers, &settings, DT).unwrap();
            assert_eq!((answers.solved(), answers.errors().len()), (1998, 2));
        });
    }
    alone(fault::HOST_MEMORY, || {
        let said = open().unwrap().pinned_problems::<f32>(layout, 2000).unwrap_err().to_string();
        assert!(said.starts_with("the host has no "), "{said}");
    });
}

#[test]
fn pinned_matrices_have_the_answers_of_others() {
    let (mut w, mut q, mut mu) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..700 {
        let problem = SmallProblem::Linked.island(number).delassus(&[]);
        w.extend(problem.w.transpose().iter().copied());
        q.extend(problem.q.iter().copied());
        mu.extend(problem.mu.iter().copied());
    }
    mu[5 * CONTACTS] = -1.0;
    let (settings, start) = (Settings::<f64>::default(), vec![0.1; q.len()]);
    let cold = DelassusBatch::new(CONTACTS, &w, &q, &mu).unwrap();
    let warm = cold.from_impulses(&start).unwrap();
    alone(fault::NONE, || {
        let gpu = open().unwrap();
        let (arrays, start) =
            ([&w, &q, &mu].map(|array| gpu.pinned_copy(array).unwrap()), gpu.pinned_copy(&start).unwrap());
        for (batch, start) in [(cold, None), (warm, Some(&start))] {
            let expected = gpu.solve_delassus(&batch, &settings).unwrap();
            let found = gpu.solve_delassus_pinned(CONTACTS, arrays.each_ref(), start, &settings).unwrap();
            assert_eq!(format!("{found:?}"), format!("{expected:?}"));
            assert_eq!(found.errors.len(), 1);
        }
        let short = [&arrays[0], &arrays[1], &arrays[1]];
        let said = gpu.solve_delassus_pinned(CONTACTS, short, None, &settings).unwrap_err().to_string();
        assert_eq!(said, format!("q: length {}, must be {}", q.len(), 3 * q.len()));
    });
}
