//! What a graphics processor's threads do, done by a host: the words of all answers are those of a batch on processors.
//!
//! Threads run in an order that no launch promises, last to first, and there are more of them than problems.
use stiction::{Body, Contact, MethodChoice, PositionCorrection, Settings};
use stiction_batch::{Answers, Control, Layout, Packed, solve_all};
use stiction_batch_layout::SettingsNumbers;
use stiction_batch_layout::words::{NOT_BEGUN, REJECTED};
use stiction_gpu_device::{Arguments, body_contact};
use stiction_testkit::small_problems::{BODIES, CONTACTS, SMALL_PROBLEMS, SmallProblem};

const DT: f32 = 1.0 / 60.0;
/// Not a whole number of blocks.
const COUNT: usize = 1_500;

type Island = (Vec<Body<f32>>, Vec<Contact<f32>>);

/// The arrays of a launch, answers included.
struct Launch {
    problems: Packed<f32>,
    answers: (Vec<f32>, Vec<u32>),
}

fn launch(problems: Packed<f32>, numbers: &SettingsNumbers<f32>) -> Launch {
    let layout = problems.layout();
    let count = problems.len();
    let mut scalars = vec![0.0; layout.length(layout.answer_scalars(), count)];
    let mut words = vec![0; layout.length(layout.answer_words(), count)];
    (0..count).for_each(|problem| words[layout.at(layout.answer_words(), problem, 0)] = NOT_BEGUN);
    let given = problems.given();
    let arguments = Arguments {
        count: count as u32,
        bodies: layout.bodies as u32,
        contacts: layout.contacts as u32,
        dt: DT,
        settings_scalars: numbers.scalars.as_ptr(),
        settings_words: numbers.words.as_ptr(),
        scalars: given.scalars.as_ptr(),
        words: given.words.as_ptr(),
        answer_scalars: scalars.as_mut_ptr(),
        answer_words: words.as_mut_ptr(),
    };
    for thread in (0..count.next_multiple_of(128)).rev() {
        // SAFETY: arrays of the lengths that their layout asks for; one thread after another.
        unsafe { body_contact::run::<f32, BODIES, CONTACTS>(thread, &arguments) }
    }
    Launch { problems, answers: (scalars, words) }
}

fn packed(layout: Layout, islands: &[Island]) -> Packed<f32> {
    let mut packed = Packed::new(layout, islands.len());
    for (index, (bodies, contacts)) in islands.iter().enumerate() {
        packed.set(index, bodies, contacts).unwrap();
    }
    packed
}

fn islands(kind: SmallProblem) -> Vec<Island> {
    (0..COUNT).map(|index| kind.island(3 + index as u64).rounded()).collect()
}

/// Compares every word of every answer, and what lies between the last problem and the end of its block.
fn compare(launch: &Launch, settings: &Settings<f32>) -> Answers<f32> {
    let expected = solve_all::<f32, BODIES, CONTACTS>(&launch.problems, settings, DT, &Control::on(1)).unwrap();
    let (blocks, rows) = (launch.problems.layout(), expected.layout());
    let (scalars, words) = expected.arrays();
    for problem in 0..expected.len() {
        for k in 0..rows.answer_scalars().min(blocks.answer_scalars()) {
            let [found, wanted] = [
                launch.answers.0[blocks.at(blocks.answer_scalars(), problem, k)],
                scalars[rows.at(rows.answer_scalars(), problem, k)],
            ];
            assert_eq!(found.to_bits(), wanted.to_bits(), "{problem}: scalar {k}: {found} is not {wanted}");
        }
        for k in 0..rows.answer_words() {
            let found = launch.answers.1[blocks.at(blocks.answer_words(), problem, k)];
            assert_eq!(found, words[rows.at(rows.answer_words(), problem, k)], "{problem}: word {k}");
        }
    }
    for problem in expected.len()..expected.len().next_multiple_of(blocks.side_by_side()) {
        assert!(
            (0..blocks.answer_words()).all(|k| launch.answers.1[blocks.at(blocks.answer_words(), problem, k)] == 0)
        );
    }
    expected
}

#[test]
fn threads_answer_what_a_batch_answers_word_for_word() {
    let fixed = Settings { sweeps: 10, tolerance: 0.0, ..Settings::default() };
    let accelerated = Settings {
        method: MethodChoice::Accelerated,
        position_correction: PositionCorrection::SplitImpulse,
        ..Settings::default()
    };
    let mut converged = 0;
    for kind in SMALL_PROBLEMS {
        for settings in [fixed, Settings::default(), accelerated] {
            let problems = packed(Layout::blocks(BODIES, CONTACTS), &islands(kind));
            let expected = compare(&launch(problems, &SettingsNumbers::of(&settings)), &settings);
            assert_eq!(expected.solved(), COUNT);
            let statuses = (0..COUNT).filter_map(|problem| expected.status(problem));
            converged += statuses.filter(|status| *status == stiction::Status::Converged).count();
        }
    }
    assert!(converged > COUNT, "{converged}");
}

#[test]
fn rejected_problems_say_so_and_have_no_other_number() {
    let mut islands = islands(SmallProblem::Linked);
    islands[3].0[2].inverse_mass = -1.0;
    islands[40].1[3].mu = f32::NAN;
    islands[77].1[7].b = 12;
    islands[COUNT - 1].1[0].b = 0;
    let settings = Settings::default();
    let launch = launch(packed(Layout::blocks(BODIES, CONTACTS), &islands), &SettingsNumbers::of(&settings));
    let expected = compare(&launch, &settings);
    let rejected: Vec<usize> = expected.errors().iter().map(|(problem, _)| *problem).collect();
    assert_eq!(rejected, [3, 40, 77, COUNT - 1]);
}

#[test]
fn a_layout_may_have_fewer_bodies_and_contacts_than_the_capacity() {
    let mut islands = islands(SmallProblem::Feet);
    for (index, (bodies, contacts)) in islands.iter_mut().enumerate() {
        bodies.truncate(2 + index % 2);
        contacts.truncate(2 * (bodies.len() - 1));
    }
    let (settings, layout) = (Settings::default(), Layout::blocks(3, 4));
    let launch = launch(packed(layout, &islands), &SettingsNumbers::of(&settings));
    let wide = packed(Layout::blocks(BODIES, CONTACTS), &islands);
    let expected = solve_all::<f32, BODIES, CONTACTS>(&wide, &settings, DT, &Control::on(1)).unwrap();
    for problem in 0..COUNT {
        for contact in 0..2 * (1 + problem % 2) {
            let at = layout.at(layout.answer_scalars(), problem, layout.normal().start + contact);
            let wanted = expected.contact(problem, contact).unwrap().normal_impulse;
            assert_eq!(launch.answers.0[at].to_bits(), wanted.to_bits(), "{problem}: contact {contact}");
        }
        let status = launch.answers.1[layout.at(layout.answer_words(), problem, 0)];
        assert_eq!(status, expected.count_of(problem, "status").unwrap());
    }
}

#[test]
fn settings_that_device_code_does_not_know_reject_everything() {
    let mut numbers = SettingsNumbers::of(&Settings::default());
    numbers.words[0] = 99;
    let launch = launch(packed(Layout::blocks(BODIES, CONTACTS), &islands(SmallProblem::Feet)), &numbers);
    let layout = launch.problems.layout();
    for problem in 0..COUNT {
        assert_eq!(launch.answers.1[layout.at(layout.answer_words(), problem, 0)], REJECTED);
    }
    assert!(launch.answers.0.iter().all(|scalar| *scalar == 0.0));
}
