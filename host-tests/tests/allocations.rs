//! A solve allocates nothing: counted, in both forms, with and without direct methods, and in a whole step.

use stiction::DirectMemory;
use stiction::Hooks;
use stiction::{Settings, Solver};
use stiction_scenes::boxes::{Boxes, Pair, material, solid_box};
use stiction_testkit::known_answers::stack;
use stiction_testkit::walls::wall;

/// Allocations while something runs.
fn allocations(work: impl FnOnce()) -> u64 {
    allocation_counter::measure(work).count_total
}

#[test]
fn the_allocation_counter_counts_allocations() {
    assert!(allocations(|| drop(std::hint::black_box(vec![1, 2, 3]))) > 0);
}

#[test]
fn a_solve_allocates_nothing() {
    let (mut bodies, contacts) = wall(4, 3, 0.5).columns::<f32, 32, 128>();
    let mut solver = Box::new(Solver::<f32, 32, 128>::new());
    let mut solved = None;
    let counted = allocations(|| solved = Some(solver.solve(&mut bodies, &contacts, &Settings::default(), 1.0 / 60.0)));
    assert!(solved.is_some_and(|solved| solved.is_ok()));
    assert_eq!(counted, 0);
}

#[test]
fn a_direct_solve_allocates_nothing() {
    let (mut bodies, contacts) = stack(4, 1000.0, 0.5).columns::<f64, 5, 16>();
    let mut solver = Box::new(Solver::<f64, 5, 16>::new());
    let mut direct_memory = Box::new(DirectMemory::<f64, 16, 200>::new());
    let mut report = None;
    let counted = allocations(|| {
        let settings = Settings::default();
        report = solver
            .solve_with(&mut bodies, &contacts, &settings, 1.0 / 60.0, Hooks::with_direct(direct_memory.view()))
            .ok();
    });
    assert!(report.is_some_and(|report| report.direct.newton_steps > 0), "{report:?}");
    assert_eq!(counted, 0);
}

#[test]
fn a_step_allocates_nothing() {
    let mut boxes = Box::new(Boxes::<f32, 2, 4>::new(material(0.5, 0.0), 1.0 / 60.0));
    let mut cube = solid_box(1.0, [0.5; 3], material(0.5, 0.0));
    cube.position.z = 0.5;
    let body = boxes.add(cube, [0.5; 3]);
    boxes.pairs.push(Pair::BoxOnPlane { ground: 0, body, normal: nalgebra::Vector3::z() });
    let counted = allocations(|| {
        for _ in 0..10 {
            assert!(boxes.step().is_ok_and(|report| report.contacts == 4));
        }
    });
    assert_eq!(counted, 0);
}
