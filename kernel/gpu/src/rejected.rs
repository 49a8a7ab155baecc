//! Why problems were rejected. A graphics processor tells only that they were; the host reads and validates them again.
use stiction::{InputError, Settings, Solver};
use stiction_batch::Packed;
use stiction_batch::answers::REJECTED;
use stiction_batch_layout::Problem;

use crate::error::GpuError;
use crate::rungs::RUNGS;

/// Problems whose words say that they were rejected, and why, in their order.
pub fn errors(
    rung: usize,
    problems: &Packed<f32>,
    words: &[u32],
    settings: &Settings<f32>,
    dt: f32,
) -> Result<Vec<(usize, InputError<f32>)>, GpuError> {
    let (layout, why) = (problems.layout(), WHY[rung]);
    let is_rejected = |problem: &usize| words[layout.at(layout.answer_words(), *problem, 0)] == REJECTED;
    let rejected = (0..problems.len()).filter(is_rejected);
    rejected
        .map(|problem| match why(problems, problem, settings, dt) {
            Some(error) => Ok((problem, error)),
            None => Err(GpuError::Disagrees { problem }),
        })
        .collect()
}

type Why = fn(&Packed<f32>, usize, &Settings<f32>, f32) -> Option<InputError<f32>>;

/// With the capacity of each rung.
const WHY: [Why; RUNGS.len()] = [why::<5, 8>];

/// What the host says to a problem.
fn why<const NB: usize, const NC: usize>(
    problems: &Packed<f32>,
    index: usize,
    settings: &Settings<f32>,
    dt: f32,
) -> Option<InputError<f32>> {
    let mut problem = Problem::<f32, NB, NC>::empty();
    let loaded = problems.given().load(index, &mut problem).and_then(|()| problem.check_size(&problems.layout()));
    loaded.and_then(|()| Solver::validate(&problem.bodies, &problem.contacts, settings, dt)).err()
}

#[cfg(test)]
mod tests {
    use stiction_batch::{Control, Layout, solve_all};
    use stiction_testkit::small_problems::{BODIES, CONTACTS, SmallProblem};

    use super::*;

    /// Problems, some of which are rejected, and the words of a graphics processor that says so.
    fn faulty() -> (Packed<f32>, Vec<u32>) {
        let layout = Layout::blocks(BODIES, CONTACTS);
        let mut problems = Packed::new(layout, 70);
        for index in 0..70 {
            let (mut bodies, mut contacts) = SmallProblem::Linked.island(index as u64).rounded();
            match index {
                3 => bodies[2].inverse_mass = -1.0,
                40 => contacts[3].mu = f32::NAN,
                69 => contacts[7].b = 12,
                _ => {}
            }
            problems.set(index, &bodies, &contacts).unwrap();
        }
        let mut words = vec![0; layout.length(layout.answer_words(), 70)];
        [3, 40, 69].iter().for_each(|problem| words[layout.at(layout.answer_words(), *problem, 0)] = REJECTED);
        (problems, words)
    }

    #[test]
    fn reasons_are_those_of_a_batch_on_processors() {
        let ((problems, words), settings) = (faulty(), Settings::default());
        let expected = solve_all::<f32, BODIES, CONTACTS>(&problems, &settings, 0.01, &Control::on(1)).unwrap();
        let found = errors(0, &problems, &words, &settings, 0.01).unwrap();
        assert_eq!(format!("{found:?}"), format!("{:?}", expected.errors()));
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn a_problem_that_only_a_graphics_processor_rejects_is_an_error() {
        let ((problems, mut words), layout) = (faulty(), Layout::blocks(BODIES, CONTACTS));
        words[layout.at(layout.answer_words(), 5, 0)] = REJECTED;
        let found = errors(0, &problems, &words, &Settings::default(), 0.01);
        assert_eq!(found, Err(GpuError::Disagrees { problem: 5 }));
    }
}
