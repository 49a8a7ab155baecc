//! Batches of bodies with contacts: several shares, precisions, capacities, and faults.
use std::ptr::{null, null_mut};

use stiction::{Settings, Surface, ThreeRows};
use stiction_batch::answers::REJECTED;
use stiction_batch::{Answers, Control, Layout, Packed, solve_all, solve_all_on_surfaces};
use stiction_batch_layout::SettingsNumbers;
use stiction_testkit::small_problems::{BODIES, CONTACTS, SMALL_PROBLEMS, SmallProblem};

use super::driver::{alone, fault, open};
use crate::Scalar;
use crate::device::arguments::SettingsArguments;
use crate::device::body_contact;

pub const DT: f32 = 1.0 / 60.0;
/// More than two shares.
const MANY: usize = 2 * crate::shares::SHARE + 77;

pub fn problems<T: Scalar>(kind: SmallProblem, layout: Layout, count: usize) -> Packed<T> {
    let mut packed = Packed::new(layout, count);
    for index in 0..count {
        let (mut bodies, mut contacts) = kind.island(index as u64).rounded();
        bodies.truncate(layout.bodies);
        contacts.retain(|contact| contact.b < bodies.len());
        contacts.truncate(layout.contacts);
        if index % 1000 == 999 {
            contacts[0].mu = T::lit(f64::NAN);
        }
        packed.set(index, &bodies, &contacts).unwrap();
    }
    packed
}

/// Every word of the answers, problem after problem.
pub fn words_of<T, S, W>(answers: &Answers<T, S, W>) -> Vec<u64>
where
    T: Scalar,
    S: AsRef<[T]>,
    W: AsRef<[u32]>,
{
    let (layout, (scalars, words)) = (answers.layout(), answers.arrays());
    let of_problem = |problem: usize| {
        let figures = (0..layout.answer_scalars()).map(move |k| layout.at(layout.answer_scalars(), problem, k));
        let counts = (0..layout.answer_words()).map(move |k| layout.at(layout.answer_words(), problem, k));
        figures.map(|at| scalars[at].to_f64().to_bits()).chain(counts.map(|at| words[at].into()))
    };
    (0..answers.len()).flat_map(of_problem).collect()
}

#[test]
fn every_word_of_several_shares_is_that_of_a_batch_on_processors() {
    let settings = Settings { sweeps: 10, tolerance: 0.0, ..Settings::default() };
    alone(fault::NONE, || {
        let gpu = open().unwrap();
        assert_eq!((gpu.name(), gpu.choices().block), ("Host", 0));
        for (kind, count) in SMALL_PROBLEMS.into_iter().zip([MANY, 3000, 1]) {
            let problems = problems::<f32>(kind, Layout::blocks(BODIES, CONTACTS), count);
            let expected = solve_all::<f32, BODIES, CONTACTS>(&problems, &settings, DT, &Control::default()).unwrap();
            let found = gpu.solve_all(&problems, &settings, DT).unwrap();
            assert!(words_of(&found) == words_of(&expected), "{kind:?}");
            assert_eq!(format!("{:?}", found.errors()), format!("{:?}", expected.errors()));
            assert_eq!(found.errors().len(), count / 1000);
        }
    });
}

#[test]
fn double_precision_and_a_larger_capacity_have_the_bits_of_processors() {
    alone(fault::NONE, || {
        let gpu = open().unwrap();
        let wide = problems::<f64>(SmallProblem::Mixed, Layout::blocks(BODIES, CONTACTS), 1100);
        let expected = solve_all::<f64, BODIES, CONTACTS>(&wide, &Settings::default(), 0.01, &Control::on(1)).unwrap();
        let found = gpu.solve_all(&wide, &Settings::default(), 0.01).unwrap();
        assert!(words_of(&found) == words_of(&expected));
        assert_eq!(found.errors().len(), 1);
        // One body more than the smallest capacity has.
        let large = problems::<f32>(SmallProblem::Linked, Layout::blocks(BODIES + 1, CONTACTS), 300);
        let expected = solve_all::<f32, { BODIES + 1 }, CONTACTS>(&large, &Settings::default(), DT, &Control::on(1));
        let found = gpu.solve_all(&large, &Settings::default(), DT).unwrap();
        assert!(words_of(&found) == words_of(&expected.unwrap()));
    });
}

#[test]
fn friction_beyond_sliding_has_the_bits_of_processors() {
    let (layout, count) = (Layout::blocks(BODIES, 2 * CONTACTS).with_surfaces(), 700);
    let mut problems = Packed::<f32>::new(layout, count);
    for index in 0..count {
        let (bodies, contacts) = SMALL_PROBLEMS[index % 3].island(index as u64).rounded();
        let surface = |k: usize| match (index + k) % 3 {
            0 => Surface::default(),
            1 => Surface { torsion: 0.02, ..Surface::default() },
            _ => Surface { torsion: 0.01, rolling: 0.005, ..Surface::default() },
        };
        let surfaces: Vec<Surface<f32>> = (0..contacts.len()).map(surface).collect();
        problems.set_on_surfaces(index, &bodies, &contacts, &surfaces).unwrap();
    }
    alone(fault::NONE, || {
        for settings in [Settings::default(), Settings { sweeps: 4, tolerance: 0.0, ..Settings::default() }] {
            let expected = solve_all_on_surfaces::<f32, 5, 16>(&problems, &settings, DT, &Control::on(1)).unwrap();
            let found = open().unwrap().solve_all(&problems, &settings, DT).unwrap();
            assert!(words_of(&found) == words_of(&expected));
            assert!((0..count).any(|problem| found.moment(problem, 1).is_some_and(|moment| moment.norm() > 1e-6)));
        }
    });
}

#[test]
fn batches_of_different_layouts_and_none_at_all_follow_each_other() {
    let settings = Settings::default();
    alone(fault::NONE, || {
        let gpu = open().unwrap();
        for layout in [Layout::blocks(BODIES, CONTACTS), Layout::blocks(3, 4), Layout::blocks(BODIES, CONTACTS)] {
            let problems = problems::<f32>(SmallProblem::Linked, layout, 70);
            let solved = gpu.solve_all(&problems, &settings, DT).unwrap();
            assert_eq!((solved.layout(), solved.solved()), (layout, 70));
            assert_eq!(gpu.kernel_time(&problems, &settings, DT).unwrap().as_micros(), 2000);
        }
        assert!(gpu.solve_all(&Packed::<f32>::new(Layout::blocks(1, 1), 0), &settings, DT).unwrap().is_empty());
        assert_eq!(gpu.solve_all(&Packed::<f32>::new(Layout::blocks(0, 0), 3), &settings, DT).unwrap().solved(), 3);
    });
}

#[test]
fn a_driver_that_cannot_be_used_says_why_and_keeps_nothing() {
    for (fault, line) in [
        (fault::DEVICE, "the driver finds no graphics processor"),
        (fault::VERSION, "the driver is too old: it knows CUDA 10.2, 11.2 is needed"),
        (fault::CAPABILITY, "Host is too old: compute capability 6.0, 7.0 is needed"),
    ] {
        alone(fault, || assert_eq!(open().unwrap_err().to_string(), line));
    }
}

#[test]
fn a_batch_that_fails_says_why_and_keeps_nothing() {
    let problems = problems::<f32>(SmallProblem::Feet, Layout::blocks(BODIES, CONTACTS), MANY);
    for (fault, line) in [
        (fault::MODULE, "the driver does not compile the code: CUDA_ERROR_LAUNCH_FAILED: line 7"),
        (fault::MEMORY, "the graphics processor has no "),
        (fault::HOST_MEMORY, "the host has no "),
        (fault::LAUNCH, "the graphics processor failed: CUDA_ERROR_LAUNCH_FAILED"),
        (fault::WAIT, "the graphics processor failed: CUDA_ERROR_LAUNCH_FAILED"),
        (fault::COPY, "cuMemcpyHtoD_v2: CUDA_ERROR_LAUNCH_FAILED"),
    ] {
        alone(fault, || {
            let said = open().unwrap().solve_all(&problems, &Settings::default(), DT).unwrap_err().to_string();
            assert!(said.starts_with(line), "{said}");
        });
    }
}

#[test]
fn settings_that_device_code_does_not_know_reject_everything() {
    let layout = Layout::blocks(BODIES, CONTACTS);
    let (packed, count) = (problems::<f32>(SmallProblem::Feet, layout, 40), 40);
    let mut numbers = SettingsNumbers::of(&Settings::<f32>::default());
    numbers.words[0] = 99;
    let mut scalars = vec![0.0; layout.length(layout.answer_scalars(), count)];
    let mut words = vec![0; layout.length(layout.answer_words(), count)];
    let (given_scalars, given_words) = packed.arrays();
    let arguments = body_contact::Arguments {
        count: count as u32,
        bodies: BODIES as u32,
        contacts: CONTACTS as u32,
        dt: DT,
        settings: SettingsArguments { scalars: numbers.scalars.as_ptr(), words: numbers.words.as_ptr() },
        scalars: given_scalars.as_ptr(),
        words: given_words.as_ptr(),
        answer_scalars: scalars.as_mut_ptr(),
        answer_words: words.as_mut_ptr(),
        pass: body_contact::Pass { number: 0, sweeps: 50, counters: null_mut(), from: null(), to: null_mut() },
    };
    for thread in 0..64 {
        // SAFETY: arrays of the lengths that their layout asks for; one thread after another.
        unsafe { body_contact::run::<f32, BODIES, CONTACTS, ThreeRows>(thread, &arguments) }
    }
    let status = |problem: usize| words[layout.at(layout.answer_words(), problem, 0)];
    assert!((0..count).all(|problem| status(problem) == REJECTED));
    assert!((count..64).all(|problem| status(problem) == 0) && scalars.iter().all(|scalar| *scalar == 0.0));
}
