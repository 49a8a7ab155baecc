//! What can be known without a graphics processor: it is missed with a reason, and batches are solved all the same. Tests say in
//! their output which case they met; `examples/compare.rs` is what needs one.
use stiction::{Settings, Status};
use stiction_batch::{BatchError, Control, Layout, Packed, solve_all};
use stiction_gpu::{Choices, Gpu, GpuError, SolvedBy, solve_all_here};
use stiction_testkit::small_problems::{BODIES, CONTACTS, SMALL_PROBLEMS, SmallProblem};

const DT: f32 = 1.0 / 60.0;
const COUNT: usize = 500;

/// Problems of a family, cut down to what fits the layout.
fn problems(kind: SmallProblem, layout: Layout) -> Packed<f32> {
    let mut packed = Packed::new(layout, COUNT);
    for index in 0..COUNT {
        let (mut bodies, mut contacts) = kind.island(index as u64).rounded();
        bodies.truncate(layout.bodies);
        contacts.retain(|contact| contact.b < bodies.len());
        contacts.truncate(layout.contacts);
        packed.set(index, &bodies, &contacts).unwrap();
    }
    packed
}

/// Compares statuses, contacts and velocities with those of processors; returns what solved the problems.
fn compare(gpu: &Result<Gpu, GpuError>, problems: &Packed<f32>) -> SolvedBy {
    let settings = Settings::default();
    let expected = solve_all::<f32, BODIES, CONTACTS>(problems, &settings, DT, &Control::on(1)).unwrap();
    let (found, by) = solve_all_here::<f32, BODIES, CONTACTS>(gpu, problems, &settings, DT, &Control::on(2)).unwrap();
    for problem in 0..COUNT {
        let [a, b] = [&found, &expected].map(|answers| answers.status(problem));
        assert!(a == b && a.is_some(), "{problem}: {a:?}, {b:?}");
        for contact in 0..problems.layout().contacts {
            let [a, b] = [&found, &expected].map(|answers| answers.contact(problem, contact).unwrap());
            assert_eq!(a, b, "{problem}: contact {contact}");
        }
        for body in 0..problems.layout().bodies {
            let [a, b] = [&found, &expected].map(|answers| answers.linear_velocity(problem, body).unwrap());
            assert_eq!(a, b, "{problem}: body {body}");
        }
    }
    by
}

#[test]
fn opening_gives_a_graphics_processor_or_the_reason_in_one_line() {
    match Gpu::open() {
        Ok(gpu) => {
            println!("there is a graphics processor: {}, CUDA {}", gpu.name(), gpu.driver_version());
            assert!(!gpu.name().is_empty() && gpu.driver_version() >= 11_000);
        }
        Err(error) => {
            println!("there is none: {error}");
            let line = error.to_string();
            assert!(line.len() > 10 && !line.contains('\n'), "{line:?}");
        }
    }
}

#[test]
fn batches_are_solved_with_the_same_bits_wherever_they_are_solved() {
    let gpu = Gpu::open();
    for kind in SMALL_PROBLEMS {
        for layout in [Layout::blocks(BODIES, CONTACTS), Layout::blocks(3, 4)] {
            let by = compare(&gpu, &problems(kind, layout));
            println!("{kind:?}: {by:?}");
            assert_eq!(by == SolvedBy::Gpu, gpu.is_ok());
        }
    }
}

#[test]
fn several_threads_can_use_a_graphics_processor_at_once() {
    let gpu = Gpu::open();
    std::thread::scope(|scope| {
        for kind in SMALL_PROBLEMS {
            let (gpu, problems) = (&gpu, problems(kind, Layout::blocks(BODIES, CONTACTS)));
            scope.spawn(move || (0..3).for_each(|_| assert_eq!(compare(gpu, &problems) == SolvedBy::Gpu, gpu.is_ok())));
        }
    });
}

#[test]
fn problems_without_code_for_them_are_solved_on_processors() {
    let (gpu, settings) = (Gpu::open(), Settings::default());
    for layout in [Layout::rows(BODIES, CONTACTS), Layout::blocks(17, 12)] {
        let problems = problems(SmallProblem::Feet, layout);
        let (answers, by) =
            solve_all_here::<f32, BODIES, CONTACTS>(&gpu, &problems, &settings, DT, &Control::on(1)).unwrap();
        assert!(matches!(by, SolvedBy::Processors(_)), "{by:?}");
        assert_eq!(answers.solved(), COUNT);
        assert!((0..COUNT).any(|problem| answers.status(problem) == Some(Status::Converged)));
    }
}

#[test]
fn settings_that_no_processor_takes_are_an_error_everywhere() {
    let settings = Settings { tolerance: -1.0, ..Settings::default() };
    let problems = problems(SmallProblem::Feet, Layout::blocks(BODIES, CONTACTS));
    let solved = solve_all_here::<f32, BODIES, CONTACTS>(&Gpu::open(), &problems, &settings, DT, &Control::on(1));
    assert!(matches!(solved, Err(BatchError::Settings(_))), "{:?}", solved.err());
}

#[test]
fn half_a_warp_is_no_block() {
    let choices = Choices { block: 48, ..Choices::default() };
    assert_eq!(Gpu::open_with(choices).err(), Some(GpuError::Block { threads: 48 }));
}

#[test]
fn errors_say_what_was_asked_for_and_what_there_is() {
    let said = |error: GpuError| error.to_string();
    assert_eq!(
        said(GpuError::TooLarge { asked: (Some(19), 12), largest: (Some(16), 64) }),
        "19 bodies and 12 contacts: the largest code for graphics processors has 16 bodies and 64 contacts"
    );
    assert_eq!(
        said(GpuError::TooLarge { asked: (None, 40), largest: (None, 32) }),
        "40 contacts: the largest code for graphics processors has 32 contacts"
    );
    assert_eq!(
        said(GpuError::DriverTooOld { version: 9020, needed: 11_000 }),
        "the driver is too old: it knows CUDA 9.2, 11.0 is needed"
    );
    let capability = GpuError::DeviceTooOld { name: "Card".to_string(), capability: (6, 1), needed: (7, 0) };
    assert_eq!(said(capability), "Card is too old: compute capability 6.1, 7.0 is needed");
    assert_eq!(said(GpuError::Memory { bytes: 4096 }), "the graphics processor has no 4096 bytes of memory left");
    assert!(said(GpuError::HostMemory { bytes: 4096 }).contains("4096 bytes"));
    let module = GpuError::Module { code: "CUDA_ERROR_INVALID_PTX".to_string(), log: "line 7\n".to_string() };
    assert!(said(module).ends_with("CUDA_ERROR_INVALID_PTX: line 7"));
    assert!(said(GpuError::NoFunction { function: "cuInit" }).contains("cuInit"));
    assert!(said(GpuError::Launch { code: "CUDA_ERROR_LAUNCH_FAILED".to_string() }).contains("LAUNCH_FAILED"));
}
