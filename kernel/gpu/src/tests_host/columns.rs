//! Arrays of callers on the host that plays the graphics processor (`tests_host`): whatever their strides and types, answers have
//! every word of a batch in the layout.
use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

use stiction::nalgebra::Vector3;
use stiction::{Body, Contact, InputError, Settings, WarmStart};
use stiction_batch::answers::REJECTED;
use stiction_batch::{Answers, Control, DelassusBatch, Layout, Packed, solve_delassus};
use stiction_testkit::small_problems::SmallProblem;

use super::batches::DT;
use super::caller::{BODIES, CONTACTS, One, Order, arrays, bits, packed, problems};
use super::driver::{self as host, alone, fault, open};
use super::launches::Passed;
use crate::columns::Kind;
use crate::device::columns;
use crate::dlpack::{CUDA, Received, pass_on};
use crate::driver::{Address, Code, Handle};
use crate::resident::{AT_A_TIME, ResidentAnswers, ResidentMatrices, ResidentProblems};
use crate::{GpuError, Scalar};

pub extern "system" fn push(_: Handle) -> Code {
    let mut handle = Handle::NONE;
    host::create(&mut handle)
}
pub extern "system" fn pop(_: *mut Handle) -> Code {
    host::give_back()
}
pub extern "system" fn allocate_in_order(address: *mut Address, bytes: usize, _: Handle) -> Code {
    host::cuMemAlloc_v2(address, bytes)
}
pub extern "system" fn free_in_order(address: Address, _: Handle) -> Code {
    host::cuMemFree_v2(address)
}
pub extern "system" fn wait(_: Handle, _: Handle, _: c_uint) -> Code {
    0
}
pub extern "system" fn wait_here(_: Handle) -> Code {
    0
}
pub extern "system" fn ordinal(value: *mut c_void, attribute: c_int, address: Address) -> Code {
    assert_eq!(attribute, 9);
    host::tell(value.cast::<c_int>(), 0);
    if address == 0 { 1 } else { 0 }
}

/// Threads of an entry that packs, one after another.
pub fn pack<T: Scalar>(threads: usize, passed: &Passed) {
    let arguments = columns::PackArguments {
        count: passed.at(0),
        first: passed.at(1),
        bodies: passed.at(2),
        contacts: passed.at(3),
        has_surfaces: passed.at(4),
        table: passed.at(5),
        scalars: passed.at(6),
        words: passed.at(7),
    };
    for thread in 0..threads {
        // SAFETY: addresses are the host's, of arrays for these problems; one thread after another.
        unsafe { columns::pack::<T>(thread, &arguments) }
    }
}

/// Threads of an entry that unpacks, one after another.
pub fn unpack<T: Scalar>(threads: usize, passed: &Passed) {
    let arguments = columns::UnpackArguments::<T> {
        count: passed.at(0),
        first: passed.at(1),
        is_blocks: passed.at(2),
        scalars_each: passed.at(3),
        words_each: passed.at(4),
        scalars: passed.at(5),
        words: passed.at(6),
        table: passed.at(7),
        scalar_columns: passed.at(8),
        word_columns: passed.at(9),
    };
    for thread in 0..threads {
        // SAFETY: as above.
        unsafe { columns::unpack::<T>(thread, &arguments) }
    }
}

/// The numbers of an array of answers, as bits.
fn found(answers: &ResidentAnswers, name: &str) -> Vec<u64> {
    let array = answers.arrays.iter().find(|array| array.name == name).unwrap_or_else(|| panic!("{name}"));
    let length = array.shape.iter().product::<usize>() * array.kind.bytes();
    let bytes = answers.memory.read(array.offset, length).unwrap();
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |all, byte| all << 8 | u64::from(*byte));
    bytes.chunks(array.kind.bytes()).map(number).collect()
}

/// Whether every word of answers is that of a batch in the layout.
fn check<T: Scalar>(found_in: &ResidentAnswers, expected: &Answers<T>) {
    let (layout, (scalars, words)) = (expected.layout(), expected.arrays());
    let (mut next, mut next_word) = (0, 0);
    for array in &found_in.arrays {
        let length: usize = array.shape[1..].iter().product();
        let (each, first) = match array.kind {
            Kind::Float(_) => (layout.answer_scalars(), &mut next),
            Kind::Integer => (layout.answer_words(), &mut next_word),
        };
        let at = |problem: usize, k: usize| layout.at(each, problem, *first + k);
        let number = |problem: usize, k: usize| match array.kind {
            Kind::Float(bytes) => bits(scalars[at(problem, k)], bytes),
            Kind::Integer => words[at(problem, k)].into(),
        };
        let wanted: Vec<u64> = (0..expected.len())
            .flat_map(|problem| (0..length).map(move |k| (problem, k)))
            .map(|(p, k)| number(p, k))
            .collect();
        assert!(found(found_in, array.name) == wanted, "{}", array.name);
        *first += length;
    }
    assert_eq!((next, next_word), (layout.answer_scalars(), layout.answer_words()));
}

/// Solves problems from arrays in every order, and in the layout.
fn compare<T: Scalar>(count: usize, sizes: [usize; 2], has_surfaces: bool) {
    let layout = Layout::blocks(BODIES, CONTACTS);
    let layout = if has_surfaces { layout.with_surfaces() } else { layout };
    let one = |number: usize| match number % 100 {
        13 => One::new(number, has_surfaces).spoiled(number / 100 % 5),
        _ => One::<T>::new(number, has_surfaces),
    };
    let all: Vec<One<T>> = (0..count).map(one).collect();
    let (settings, dt) = (Settings { sweeps: 10, ..Settings::default() }, T::lit(0.01));
    let gpu = open().unwrap();
    let expected = gpu.solve_all(&packed(&all, layout), &settings, dt).unwrap();
    assert_eq!(expected.errors().len(), (count + 86) / 100);
    for order in [Order::Rows, Order::Reversed, Order::Sparse] {
        let arrays = arrays(&all, sizes, order, has_surfaces);
        // SAFETY: the arrays have all entries; there is no other stream.
        let answers = unsafe { gpu.solve_resident(&problems(&arrays, count, has_surfaces), &settings, dt, 0) };
        check(&answers.unwrap(), &expected);
        assert!(arrays.iter().flatten().all(|array| array.bytes.last() == Some(&u64::MAX)));
    }
}

#[test]
fn arrays_of_any_strides_have_the_words_of_a_batch_in_the_layout() {
    alone(fault::NONE, || {
        compare::<f32>(AT_A_TIME + 77, [4, 8], false);
        compare::<f64>(1014, [8, 4], false);
        compare::<f32>(300, [4, 4], true);
        compare::<f64>(1, [8, 8], true);
    });
}

#[test]
fn arrays_of_single_precision_in_a_batch_of_double_precision_are_converted() {
    // Numbers of single precision only, so that both are the same.
    let all: Vec<One<f64>> = (0..50)
        .map(|number| {
            let mut one = One::<f64>::new(number, false);
            let single = |v: &mut f64| *v = f64::from(*v as f32);
            for contact in &mut one.contacts {
                for vector in [&mut contact.normal, &mut contact.r_a, &mut contact.r_b] {
                    vector.iter_mut().for_each(single);
                }
                for number in [&mut contact.mu, &mut contact.depth, &mut contact.warm.normal_impulse] {
                    single(number);
                }
                contact.warm.tangent_impulse.iter_mut().for_each(single);
                // No longer a unit vector in double precision.
                contact.normal = Vector3::z();
            }
            one
        })
        .collect();
    alone(fault::NONE, || {
        let (gpu, settings) = (open().unwrap(), Settings::default());
        let expected = gpu.solve_all(&packed(&all, Layout::blocks(BODIES, CONTACTS)), &settings, 0.01).unwrap();
        let (mut mixed, single) = (arrays(&all, [8, 8], Order::Rows, false), arrays(&all, [4, 8], Order::Rows, false));
        for (k, array) in single.into_iter().enumerate().filter(|(k, _)| *k >= 4) {
            mixed[k] = array;
        }
        // SAFETY: as above.
        let answers = unsafe { gpu.solve_resident(&problems(&mixed, 50, false), &settings, 0.01, 0) };
        check(&answers.unwrap(), &expected);
    });
}

#[test]
fn one_problem_can_be_given_for_all_and_optional_arrays_left_out() {
    let (count, one) = (70, One::<f32>::new(2, false));
    let plain = Contact { restitution: 0.0, depth: 0.0, pre_impact_normal_velocity: None, ..one.contacts[0] };
    let contacts: Vec<Contact<f32>> = one
        .contacts
        .iter()
        .map(|c| Contact {
            warm: WarmStart::cold(),
            ..Contact { a: c.a, b: c.b, normal: c.normal, r_a: c.r_a, r_b: c.r_b, mu: c.mu, ..plain }
        })
        .collect();
    let contacts = contacts.into_iter().cycle().take(CONTACTS).collect();
    let all: Vec<One<f32>> = vec![One { contacts, count: CONTACTS as i64, ..one }];
    alone(fault::NONE, || {
        let (gpu, settings) = (open().unwrap(), Settings::default());
        let mut arrays = arrays(&all, [4, 8], Order::Rows, false);
        for array in arrays.iter_mut().flatten() {
            array.column.strides[0] = 0;
        }
        arrays.iter_mut().skip(10).for_each(|array| *array = None);
        // SAFETY: as above; all problems have the same numbers.
        let answers = unsafe { gpu.solve_resident(&problems(&arrays, count, false), &settings, DT, 0) }.unwrap();
        let expected = gpu.solve_all(&packed(&all, Layout::blocks(BODIES, CONTACTS)), &settings, DT).unwrap();
        let velocity = |body: usize| expected.linear_velocity(0, body).unwrap();
        let wanted = (0..BODIES).flat_map(|body| velocity(body).iter().copied().collect::<Vec<_>>());
        let wanted: Vec<u64> = wanted.map(|number| bits(number, 4)).collect();
        assert!(found(&answers, "linear").chunks(3 * BODIES).all(|of_problem| of_problem == wanted));
        assert_eq!(found(&answers, "status").len(), count);
        // No problems at all.
        // SAFETY: as above.
        let none = unsafe { gpu.solve_resident(&problems(&arrays, 0, false), &settings, DT, 0) }.unwrap();
        assert!(found(&none, "linear").is_empty() && none.arrays[0].shape == [0, BODIES, 3]);
    });
}

#[test]
fn matrices_are_solved_where_they_are() {
    let (count, mut w, mut q, mut mu) = (900, Vec::new(), Vec::new(), Vec::new());
    for number in 0..count {
        let problem = SmallProblem::Linked.island(number as u64).delassus(&[]);
        w.extend(problem.w.transpose().iter().map(|value| *value as f32));
        q.extend(problem.q.iter().map(|value| *value as f32));
        mu.extend(problem.mu.iter().map(|value| *value as f32));
    }
    mu[7 * CONTACTS + 2] = -1.0;
    let warm: Vec<f32> = (0..q.len()).map(|k| 0.001 * (k % 7) as f32).collect();
    let (batch, settings) = (DelassusBatch::new(CONTACTS, &w, &q, &mu).unwrap(), Settings::default());
    let [w, q, mu, warm_at] = [&w, &q, &mu, &warm].map(|numbers| numbers.as_ptr() as u64);
    alone(fault::NONE, || {
        let gpu = open().unwrap();
        for (batch, warm) in [(batch, None), (batch.from_impulses(&warm).unwrap(), Some(warm_at))] {
            let expected = solve_delassus::<f32, CONTACTS, 0>(&batch, &settings, &Control::on(1)).unwrap();
            let problems = ResidentMatrices { count, contacts: CONTACTS, arrays: [w, q, mu], warm };
            // SAFETY: the arrays have the lengths of a batch; there is no other stream.
            let answers = unsafe { gpu.solve_resident_matrices(&problems, &settings, 0) }.unwrap();
            let as_bits = |numbers: &[f32]| numbers.iter().map(|number| bits(*number, 4)).collect::<Vec<_>>();
            assert!(found(&answers, "impulses") == as_bits(&expected.impulses));
            assert!(found(&answers, "velocities") == as_bits(&expected.velocities));
            let status = found(&answers, "status");
            assert_eq!(
                (status[7], status.iter().filter(|word| **word == REJECTED.into()).count()),
                (REJECTED.into(), 1)
            );
            let sweeps: Vec<u64> = (0..count).map(|k| expected.count_of(k, "sweeps").unwrap().into()).collect();
            assert!(found(&answers, "sweeps") == sweeps);
            let work: Vec<u64> = (0..count).map(|k| bits(expected.figures[7 * k + 6], 4)).collect();
            assert!(found(&answers, "work") == work);
        }
    });
}

#[test]
fn failures_say_why_and_keep_nothing() {
    let all: Vec<One<f32>> = (0..40).map(|number| One::new(number, false)).collect();
    let arrays = arrays(&all, [4, 8], Order::Rows, false);
    let solve = || {
        let (gpu, settings) = (open().unwrap(), Settings::default());
        // SAFETY: as above.
        unsafe { gpu.solve_resident(&problems(&arrays, 40, false), &settings, DT, 0) }.unwrap_err().to_string()
    };
    for (fault, line) in [
        (fault::MODULE, "the driver does not compile the code"),
        (fault::MEMORY, "the graphics processor has no "),
        (fault::LAUNCH, "the graphics processor failed: CUDA_ERROR_LAUNCH_FAILED"),
        (fault::COPY, "cuMemcpyHtoDAsync_v2: CUDA_ERROR_LAUNCH_FAILED"),
    ] {
        alone(fault, || assert!(solve().starts_with(line), "{line}"));
    }
    alone(fault::NONE, || {
        let gpu = open().unwrap();
        let too_large = ResidentProblems { bodies: 17, ..problems(&arrays, 40, false) };
        // SAFETY: as above.
        let failed = unsafe { gpu.solve_resident(&too_large, &Settings::<f32>::default(), DT, 0) };
        assert!(matches!(failed, Err(GpuError::TooLarge { asked: (Some(17), 8), .. })));
    });
}

#[test]
fn answers_are_passed_on_and_received_until_the_last_is_released() {
    let all: Vec<One<f32>> = (0..40).map(|number| One::new(number, false)).collect();
    let arrays = arrays(&all, [4, 8], Order::Rows, false);
    alone(fault::NONE, || {
        let (gpu, settings) = (open().unwrap(), Settings::default());
        // SAFETY: as above.
        let answers = unsafe { gpu.solve_resident(&problems(&arrays, 40, false), &settings, DT, 0) }.unwrap();
        let address = answers.memory.address();
        for (name, kind) in [("angular", (2, 32)), ("status", (0, 32))] {
            let array = answers.arrays.iter().find(|array| array.name == name).unwrap();
            for is_versioned in [false, true] {
                let managed = pass_on(&answers.memory, array.offset, &array.shape, array.kind, is_versioned);
                assert_eq!(Arc::strong_count(&answers.memory), 2);
                // SAFETY: nobody else has the struct.
                let received = unsafe { Received::take(managed) }.unwrap();
                assert_eq!((received.address, received.kind), (address + array.offset as u64, kind));
                assert_eq!(received.device, (CUDA, 0));
                assert_eq!(received.shape, array.shape.iter().map(|length| *length as i64).collect::<Vec<_>>());
                let strides: &[i64] = if name == "status" { &[1] } else { &[3 * BODIES as i64, 3, 1] };
                assert_eq!(received.strides, strides);
                drop(received);
                assert_eq!(Arc::strong_count(&answers.memory), 1);
            }
        }
        assert!(gpu.has(address) && !gpu.has(0));
        // SAFETY: there is no other stream; the memory is filled.
        unsafe {
            answers.memory.make_wait(2).unwrap();
            gpu.order(1, 2).unwrap();
            assert_eq!(gpu.read(address, 12).unwrap(), answers.memory.read(0, 12).unwrap());
        }
    });
}

/// The host says why a problem was rejected; device code only that it was.
#[test]
fn a_number_of_bodies_that_no_problem_has_is_rejected_at_once() {
    let mut packed = Packed::<f32>::new(Layout::blocks(1, 1), 1);
    packed.set(0, &[Body::fixed()], &[]).unwrap();
    let (scalars, words) = packed.arrays();
    let mut words = words.to_vec();
    words[0] = u32::MAX;
    let given = stiction_batch_layout::Given { layout: packed.layout(), scalars, words: &words };
    let mut problem = stiction_batch::Problem::<f32, 1, 1>::empty();
    let loaded: Result<(), InputError<f32>> = given.load(0, &mut problem);
    assert!(loaded.is_err());
}
