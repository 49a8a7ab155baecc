//! A driver whose memory is the host's. It counts what is allocated and fails where it is told to.
#![allow(non_snake_case)]

use std::collections::BTreeMap;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::columns;
use super::launches::run;
use crate::code::CODES;
use crate::driver::{Address, Code, Driver, Functions, Handle};
use crate::{Choices, Gpu, GpuError};

/// Memory that is allocated, by its address, aligned for all numbers.
static MEMORY: Mutex<BTreeMap<Address, Box<[u64]>>> = Mutex::new(BTreeMap::new());
/// Contexts, modules, streams and events that exist.
static OBJECTS: AtomicI32 = AtomicI32::new(0);
/// Which call of what fails: a number of [`fault`].
static FAULT: AtomicU32 = AtomicU32::new(fault::NONE);
/// Threads that a block can have.
const MOST: c_int = 250;
/// Local memory that a thread has.
pub const LOCAL_BYTES: c_int = 1000;

/// Numbers of faults.
pub mod fault {
    pub const NONE: u32 = 0;
    pub const DEVICE: u32 = 1;
    pub const CAPABILITY: u32 = 2;
    pub const VERSION: u32 = 3;
    pub const MODULE: u32 = 4;
    pub const MEMORY: u32 = 5;
    pub const HOST_MEMORY: u32 = 6;
    pub const LAUNCH: u32 = 7;
    pub const COPY: u32 = 8;
    /// A launch that began and failed later.
    pub const WAIT: u32 = 9;
}

/// Whether a fault is asked for.
fn fails(fault: u32) -> bool {
    FAULT.load(SeqCst) == fault
}

pub fn create(handle: *mut Handle) -> Code {
    OBJECTS.fetch_add(1, SeqCst);
    // SAFETY: the crate passes a place for a handle.
    unsafe { handle.write(Handle::NONE) };
    0
}

pub fn give_back() -> Code {
    OBJECTS.fetch_sub(1, SeqCst);
    0
}

fn memory() -> MutexGuard<'static, BTreeMap<Address, Box<[u64]>>> {
    MEMORY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Copies of other memory are slow, and what is begun with it may be read later.
fn check_pinned(first: *const c_void, bytes: usize) {
    let (first, end) = (first as Address, first as Address + bytes as Address);
    let holds = |start: Address, bytes: usize| start <= first && end <= start + bytes as Address;
    let is_pinned = memory().iter().any(|(start, numbers)| holds(*start, size_of_val(&**numbers)));
    assert!(is_pinned, "a copy from or to memory that is not pinned");
}

fn allocate(bytes: usize) -> Address {
    // Not zeros: nobody may count on them.
    let mut numbers = vec![0xdead_beef_dead_beef_u64; bytes.div_ceil(8)].into_boxed_slice();
    let address = numbers.as_mut_ptr() as Address;
    assert!(memory().insert(address, numbers).is_none());
    address
}

fn free(address: Address) -> Code {
    assert!(memory().remove(&address).is_some(), "freed twice");
    0
}

pub fn copy(from: *const c_void, to: *mut c_void, bytes: usize) -> Code {
    if fails(fault::COPY) {
        return 719;
    }
    // SAFETY: the crate passes arrays of so many bytes, which do not overlap.
    unsafe { from.cast::<u8>().copy_to_nonoverlapping(to.cast(), bytes) };
    0
}

/// Writes a number where the crate asked for it.
pub fn tell<V>(place: *mut V, value: V) -> Code {
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
    create(handle)
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
    create(handle)
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
    match attribute {
        0 => tell(value, MOST),
        3 => tell(value, LOCAL_BYTES),
        other => panic!("attribute {other}"),
    }
}
pub extern "system" fn cuMemAlloc_v2(address: *mut Address, bytes: usize) -> Code {
    if fails(fault::MEMORY) && bytes > 4096 { 2 } else { tell(address, allocate(bytes)) }
}
pub extern "system" fn cuMemFree_v2(address: Address) -> Code {
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
extern "system" fn cuMemcpyDtoH_v2(to: *mut c_void, from: Address, bytes: usize) -> Code {
    copy(from as *const c_void, to, bytes)
}
extern "system" fn cuMemcpyHtoDAsync_v2(to: Address, from: *const c_void, bytes: usize, _: Handle) -> Code {
    // Tables are small, and the driver reads them before it returns.
    if bytes > 1 << 14 {
        check_pinned(from, bytes);
    }
    copy(from, to as *mut c_void, bytes)
}
extern "system" fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: Address, bytes: usize, _: Handle) -> Code {
    check_pinned(to, bytes);
    copy(from as *const c_void, to, bytes)
}
extern "system" fn cuMemsetD32Async(address: Address, value: c_uint, count: usize, _: Handle) -> Code {
    // SAFETY: the crate passes an array of so many numbers.
    unsafe { std::slice::from_raw_parts_mut(address as *mut u32, count) }.fill(value);
    0
}
extern "system" fn cuStreamCreate(handle: *mut Handle, _: c_uint) -> Code {
    create(handle)
}
extern "system" fn cuStreamSynchronize(_: Handle) -> Code {
    if fails(fault::WAIT) { 719 } else { 0 }
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
    run(entry.0 as usize, (blocks * block) as usize, places);
    0
}
extern "system" fn cuEventCreate(handle: *mut Handle, _: c_uint) -> Code {
    create(handle)
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
        cuMemFree_v2, cuMemAllocHost_v2, cuMemFreeHost, cuMemcpyHtoD_v2, cuMemcpyDtoH_v2, cuMemcpyHtoDAsync_v2,
        cuMemcpyDtoHAsync_v2,
        cuMemsetD32Async, cuStreamCreate, cuStreamSynchronize, cuStreamDestroy_v2, cuLaunchKernel, cuEventCreate,
        cuEventDestroy_v2, cuEventRecord, cuEventElapsedTime, cuCtxPushCurrent_v2: columns::push,
        cuCtxPopCurrent_v2: columns::pop, cuMemAllocAsync: columns::allocate_in_order,
        cuMemFreeAsync: columns::free_in_order, cuStreamWaitEvent: columns::wait,
        cuEventSynchronize: columns::wait_here, cuPointerGetAttribute: columns::ordinal,
    }
}

/// Opens the host as a graphics processor.
pub fn open() -> Result<Gpu, GpuError> {
    Gpu::on(Driver::start(table(), None)?, Choices::default())
}

/// From here on this fails.
pub fn fail(fault: u32) {
    FAULT.store(fault, SeqCst);
}

/// One test at a time: what is allocated is counted for all. Everything must have been given back before and after.
pub fn alone(fault: u32, test: impl FnOnce()) {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    fail(fault);
    test();
    fail(fault::NONE);
    assert_eq!((OBJECTS.load(SeqCst), memory().len()), (0, 0), "something was not given back");
}
