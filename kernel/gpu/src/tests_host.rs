//! All of this crate without a graphics processor: a driver whose memory is the host's and whose launches run the code of
//! `kernel/gpu/device` thread by thread. It counts what it lends and fails where it is told to.
#![allow(non_snake_case)]

use std::collections::BTreeMap;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

use stiction::{MethodChoice, Settings, SixRows, Surface, ThreeRows};
use stiction_batch::answers::REJECTED;
use stiction_batch::{
    Answers, Control, DelassusBatch, Layout, Packed, solve_all, solve_all_on_surfaces, solve_delassus,
};
use stiction_batch_layout::SettingsNumbers;
use stiction_batch_layout::given::ReadRows;
use stiction_testkit::small_problems::{BODIES, CONTACTS, SMALL_PROBLEMS, SmallProblem};

use crate::code::{self, CODES};
use crate::device::arguments::SettingsArguments;
use crate::device::{body_contact, delassus};
use crate::driver::{Address, Code, Driver, Functions, Handle};
use crate::{Choices, Gpu, GpuError, Scalar, tests_columns};

pub(crate) const DT: f32 = 1.0 / 60.0;
/// More than two shares.
const MANY: usize = 2 * crate::shares::SHARE + 77;

/// Memory that is lent, by its address.
static MEMORY: Mutex<BTreeMap<Address, Box<[u32]>>> = Mutex::new(BTreeMap::new());
/// Contexts, modules, streams and events that are lent.
static OBJECTS: AtomicI32 = AtomicI32::new(0);
/// Which call of what fails: a number of [`fault`].
static FAULT: AtomicU32 = AtomicU32::new(fault::NONE);
/// Threads that a block can have.
const MOST: c_int = 250;

pub(crate) mod fault {
    pub const NONE: u32 = 0;
    pub const DEVICE: u32 = 1;
    pub const CAPABILITY: u32 = 2;
    pub const VERSION: u32 = 3;
    pub const MODULE: u32 = 4;
    pub const MEMORY: u32 = 5;
    pub const HOST_MEMORY: u32 = 6;
    pub const LAUNCH: u32 = 7;
    pub const COPY: u32 = 8;
}

/// Whether a fault is asked for.
fn fails(fault: u32) -> bool {
    FAULT.load(SeqCst) == fault
}

pub(crate) fn lend(handle: *mut Handle) -> Code {
    OBJECTS.fetch_add(1, SeqCst);
    // SAFETY: the crate passes a place for a handle.
    unsafe { handle.write(Handle::NONE) };
    0
}

pub(crate) fn give_back() -> Code {
    OBJECTS.fetch_sub(1, SeqCst);
    0
}

fn memory() -> MutexGuard<'static, BTreeMap<Address, Box<[u32]>>> {
    MEMORY.lock().unwrap_or_else(PoisonError::into_inner)
}

fn allocate(bytes: usize) -> Address {
    // Not zeros: nobody may count on them.
    let mut numbers = vec![0xdead_beef_u32; bytes.div_ceil(4)].into_boxed_slice();
    let address = numbers.as_mut_ptr() as Address;
    assert!(memory().insert(address, numbers).is_none());
    address
}

fn free(address: Address) -> Code {
    assert!(memory().remove(&address).is_some(), "freed twice");
    0
}

pub(crate) fn copy(from: *const c_void, to: *mut c_void, bytes: usize) -> Code {
    if fails(fault::COPY) {
        return 719;
    }
    // SAFETY: the crate passes arrays of so many bytes, which do not overlap.
    unsafe { from.cast::<u8>().copy_to_nonoverlapping(to.cast(), bytes) };
    0
}

/// Writes a number where the crate asked for it.
pub(crate) fn tell<V>(place: *mut V, value: V) -> Code {
    // SAFETY: the crate passes a place for a value.
    unsafe { place.write(value) };
    0
}

extern "system" fn cuInit(_: c_uint) -> Code {
    if fails(fault::DEVICE) { 100 } else { 0 }
}
extern "system" fn cuDriverGetVersion(version: *mut c_int) -> Code {
    tell(version, if fails(fault::VERSION) { 10_020 } else { 13_000 })
}
extern "system" fn cuGetErrorName(code: Code, name: *mut *const c_char) -> Code {
    if code == 719 { tell(name, c"CUDA_ERROR_LAUNCH_FAILED".as_ptr()) } else { 1 }
}
extern "system" fn cuDeviceGetCount(count: *mut c_int) -> Code {
    tell(count, 1)
}
extern "system" fn cuDeviceGet(device: *mut c_int, number: c_int) -> Code {
    tell(device, number)
}
extern "system" fn cuDeviceGetName(name: *mut c_char, _: c_int, _: c_int) -> Code {
    tell(name.cast(), *b"Host\0")
}
extern "system" fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, _: c_int) -> Code {
    let major = if fails(fault::CAPABILITY) { 6 } else { 9 };
    tell(value, if attribute == 75 { major } else { 0 })
}
extern "system" fn cuDevicePrimaryCtxRetain(handle: *mut Handle, _: c_int) -> Code {
    lend(handle)
}
extern "system" fn cuDevicePrimaryCtxRelease_v2(_: c_int) -> Code {
    give_back()
}
extern "system" fn cuCtxSetCurrent(_: Handle) -> Code {
    0
}
extern "system" fn cuCtxSynchronize() -> Code {
    0
}
extern "system" fn cuModuleLoadDataEx(
    handle: *mut Handle,
    text: *const c_void,
    options: c_uint,
    _: *mut c_int,
    values: *mut *mut c_void,
) -> Code {
    // SAFETY: the text ends with a zero; there are as many values as options.
    let (text, values) =
        unsafe { (std::ffi::CStr::from_ptr(text.cast()), std::slice::from_raw_parts(values, options as usize)) };
    assert!(CODES.iter().any(|code| code.ptx.as_bytes() == text.to_bytes_with_nul()));
    if fails(fault::MODULE) {
        tell(values[0].cast(), *b"line 7\0");
        return 719;
    }
    lend(handle)
}
extern "system" fn cuModuleUnload(_: Handle) -> Code {
    give_back()
}
extern "system" fn cuModuleGetFunction(entry: *mut Handle, _: Handle, name: *const c_char) -> Code {
    // SAFETY: the name ends with a zero.
    let name = unsafe { std::ffi::CStr::from_ptr(name) };
    let place = CODES.iter().position(|code| code.entry.as_bytes() == name.to_bytes_with_nul()).expect("an entry");
    tell(entry, Handle(place as *mut c_void))
}
extern "system" fn cuFuncGetAttribute(value: *mut c_int, attribute: c_int, _: Handle) -> Code {
    assert_eq!(attribute, 0);
    tell(value, MOST)
}
pub(crate) extern "system" fn cuMemAlloc_v2(address: *mut Address, bytes: usize) -> Code {
    if fails(fault::MEMORY) && bytes > 4096 { 2 } else { tell(address, allocate(bytes)) }
}
pub(crate) extern "system" fn cuMemFree_v2(address: Address) -> Code {
    free(address)
}
extern "system" fn cuMemAllocHost_v2(pointer: *mut *mut c_void, bytes: usize) -> Code {
    if fails(fault::HOST_MEMORY) { 2 } else { tell(pointer, allocate(bytes) as *mut c_void) }
}
extern "system" fn cuMemFreeHost(pointer: *mut c_void) -> Code {
    free(pointer as Address)
}
extern "system" fn cuMemcpyHtoD_v2(to: Address, from: *const c_void, bytes: usize) -> Code {
    copy(from, to as *mut c_void, bytes)
}
extern "system" fn cuMemcpyHtoDAsync_v2(to: Address, from: *const c_void, bytes: usize, _: Handle) -> Code {
    copy(from, to as *mut c_void, bytes)
}
extern "system" fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: Address, bytes: usize, _: Handle) -> Code {
    copy(from as *const c_void, to, bytes)
}
extern "system" fn cuMemsetD32Async(address: Address, value: c_uint, count: usize, _: Handle) -> Code {
    // SAFETY: the crate passes an array of so many numbers.
    unsafe { std::slice::from_raw_parts_mut(address as *mut u32, count) }.fill(value);
    0
}
extern "system" fn cuStreamCreate(handle: *mut Handle, _: c_uint) -> Code {
    lend(handle)
}
extern "system" fn cuStreamSynchronize(_: Handle) -> Code {
    0
}
extern "system" fn cuStreamDestroy_v2(_: Handle) -> Code {
    give_back()
}
#[rustfmt::skip]
extern "system" fn cuLaunchKernel(
    entry: Handle, blocks: c_uint, _: c_uint, _: c_uint, block: c_uint, _: c_uint, _: c_uint, _: c_uint, _: Handle,
    places: *mut *mut c_void, _: *mut *mut c_void,
) -> Code {
    if fails(fault::LAUNCH) {
        return 719;
    }
    assert!(block <= MOST.unsigned_abs() && block.is_multiple_of(32));
    let (threads, parameters) = ((blocks * block) as usize, Passed(places));
    match entry.0 as usize {
        code::SOLVE_F32_5_8 => solve::<f32, 5, 8, ThreeRows>(threads, &parameters),
        code::SOLVE_F32_8_16 => solve::<f32, 8, 16, ThreeRows>(threads, &parameters),
        code::SOLVE_F64_5_8 => solve::<f64, 5, 8, ThreeRows>(threads, &parameters),
        code::SURFACES_F32_5_16 => solve::<f32, 5, 16, SixRows>(threads, &parameters),
        code::SURFACES_F64_5_16 => solve::<f64, 5, 16, SixRows>(threads, &parameters),
        code::DELASSUS_F32_8 => solve_matrices::<f32, 8, 576>(threads, &parameters),
        code::DELASSUS_F64_8 => solve_matrices::<f64, 8, 576>(threads, &parameters),
        code::PACK_F32 => tests_columns::pack::<f32>(threads, &parameters),
        code::PACK_F64 => tests_columns::pack::<f64>(threads, &parameters),
        code::UNPACK_F32 => tests_columns::unpack::<f32>(threads, &parameters),
        code::UNPACK_F64 => tests_columns::unpack::<f64>(threads, &parameters),
        other => panic!("{} is not tested on the host", CODES[other].entry),
    }
    0
}

/// What the crate passes to an entry.
pub(crate) struct Passed(*mut *mut c_void);

impl Passed {
    /// The parameter with a number.
    pub(crate) fn at<V: Copy>(&self, number: usize) -> V {
        // SAFETY: the crate passes a place for each parameter, of at least 8 bytes; tests ask for the types of the entry.
        unsafe { (*self.0.add(number)).cast::<V>().read() }
    }

    /// The settings from a parameter on.
    fn settings<T>(&self, first: usize) -> SettingsArguments<T> {
        SettingsArguments { scalars: self.at(first), words: self.at(first + 1) }
    }
}

/// Threads of an entry for bodies with contacts, one after another.
fn solve<T: Scalar, const NB: usize, const NC: usize, R: ReadRows>(threads: usize, passed: &Passed) {
    let arguments = body_contact::Arguments {
        count: passed.at(0),
        bodies: passed.at(1),
        contacts: passed.at(2),
        dt: passed.at(3),
        settings: passed.settings::<T>(4),
        scalars: passed.at(6),
        words: passed.at(7),
        answer_scalars: passed.at(8),
        answer_words: passed.at(9),
    };
    for thread in 0..threads {
        // SAFETY: addresses are the host's, of arrays that the crate made for these problems; one thread after another.
        unsafe { body_contact::run::<T, NB, NC, R>(thread, &arguments) }
    }
}

/// Threads of an entry for Delassus form, one after another.
fn solve_matrices<T: Scalar, const NC: usize, const W: usize>(threads: usize, passed: &Passed) {
    let arguments = delassus::Arguments {
        count: passed.at(0),
        contacts: passed.at(1),
        settings: passed.settings::<T>(2),
        w: passed.at(4),
        q: passed.at(5),
        mu: passed.at(6),
        warm: passed.at(7),
        impulses: passed.at(8),
        velocities: passed.at(9),
        figures: passed.at(10),
        counts: passed.at(11),
    };
    for thread in 0..threads {
        // SAFETY: as above.
        unsafe { delassus::run::<T, NC, W>(thread, &arguments) }
    }
}
extern "system" fn cuEventCreate(handle: *mut Handle, _: c_uint) -> Code {
    lend(handle)
}
extern "system" fn cuEventDestroy_v2(_: Handle) -> Code {
    give_back()
}
extern "system" fn cuEventRecord(_: Handle, _: Handle) -> Code {
    0
}
extern "system" fn cuEventElapsedTime(milliseconds: *mut f32, _: Handle, _: Handle) -> Code {
    tell(milliseconds, 2.0)
}

/// The functions of this driver.
#[rustfmt::skip]
fn table() -> Functions {
    Functions {
        cuInit, cuDriverGetVersion, cuGetErrorName, cuDeviceGetCount, cuDeviceGet, cuDeviceGetName,
        cuDeviceGetAttribute, cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRelease_v2, cuCtxSetCurrent,
        cuCtxSynchronize, cuModuleLoadDataEx, cuModuleUnload, cuModuleGetFunction, cuFuncGetAttribute, cuMemAlloc_v2,
        cuMemFree_v2, cuMemAllocHost_v2, cuMemFreeHost, cuMemcpyHtoD_v2, cuMemcpyHtoDAsync_v2, cuMemcpyDtoHAsync_v2,
        cuMemsetD32Async, cuStreamCreate, cuStreamSynchronize, cuStreamDestroy_v2, cuLaunchKernel, cuEventCreate,
        cuEventDestroy_v2, cuEventRecord, cuEventElapsedTime,
        cuCtxPushCurrent_v2: tests_columns::push, cuCtxPopCurrent_v2: tests_columns::pop,
        cuMemAllocAsync: tests_columns::allocate_in_order, cuMemFreeAsync: tests_columns::free_in_order,
        cuMemcpyDtoH_v2: tests_columns::copy_to_host, cuStreamWaitEvent: tests_columns::wait,
        cuEventSynchronize: tests_columns::wait_here, cuPointerGetAttribute: tests_columns::ordinal,
    }
}

/// Opens the host as a graphics processor.
pub(crate) fn open() -> Result<Gpu, GpuError> {
    Gpu::on(Driver::start(table(), None)?, Choices::default())
}

/// One test at a time: what is lent is counted for all. Everything must have been given back before and after.
pub(crate) fn alone(fault: u32, test: impl FnOnce()) {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    FAULT.store(fault, SeqCst);
    test();
    FAULT.store(fault::NONE, SeqCst);
    assert_eq!((OBJECTS.load(SeqCst), memory().len()), (0, 0), "something was not given back");
}

fn problems<T: Scalar>(kind: SmallProblem, layout: Layout, count: usize) -> Packed<T> {
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
fn words_of<T: Scalar>(answers: &Answers<T>) -> Vec<u64> {
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
        assert_eq!((gpu.name(), gpu.choices().block), ("Host", 512));
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
    };
    for thread in 0..64 {
        // SAFETY: arrays of the lengths that their layout asks for; one thread after another.
        unsafe { body_contact::run::<f32, BODIES, CONTACTS, ThreeRows>(thread, &arguments) }
    }
    let status = |problem: usize| words[layout.at(layout.answer_words(), problem, 0)];
    assert!((0..count).all(|problem| status(problem) == REJECTED));
    assert!((count..64).all(|problem| status(problem) == 0) && scalars.iter().all(|scalar| *scalar == 0.0));
}
