//! Contacts of a pipeline, found by the caller's collision detection.

use core::ffi::c_void;

use stiction::Material;
use stiction::PointId;
use stiction::step::manifold::{self as manifold};
use stiction::{ContactCollector as KernelCollector, Real, RigidBody as KernelBody, Surface as KernelSurface, World};

use crate::body_surface::{StepRows, Surface, read_surface};
use crate::error::{Ending, Error, Fault};
use crate::view::check_pointer;
use crate::world::RigidBody;

/// How a point is recognised in the next step.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointKind {
    /// By the detector's own id, unique within a pair of bodies.
    Feature = 0,
    /// By its position on the body.
    Proximity = 1,
}

/// One point of a manifold.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ManifoldPoint<T> {
    /// The point on A's surface, world coordinates, m.
    pub on_a: [T; 3],
    /// The point on B's surface, world coordinates, m.
    pub on_b: [T; 3],
    /// Penetration depth, m; negative for a gap.
    pub depth: T,
    /// How it is recognised: one of StictionPointKind.
    pub kind: u32,
    /// Its id, where it has one.
    pub feature: u32,
}

/// Up to four points where two bodies touch.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Manifold<T> {
    /// Index of body A.
    pub a: u32,
    /// Index of body B.
    pub b: u32,
    /// Unit normal from A to B.
    pub normal: [T; 3],
    /// Number of valid points, 0 to 4.
    pub point_count: u32,
    /// Whether `mu` and `restitution` apply to this pair; if not, the mean of the two bodies' values is used. Such a pair
    /// has no friction beyond sliding, unless `stiction_f32_collect_on` gives it.
    pub has_material: bool,
    /// Friction coefficient of the pair.
    pub mu: T,
    /// Restitution of the pair, 0 to 1.
    pub restitution: T,
    /// The contact points.
    pub points: [ManifoldPoint<T>; 4],
}

impl<T: Real> ManifoldPoint<T> {
    const NONE: Self = ManifoldPoint { on_a: [T::ZERO; 3], on_b: [T::ZERO; 3], depth: T::ZERO, kind: 0, feature: 0 };
}

impl<T: Real> Manifold<T> {
    /// As the kernel's type.
    pub fn to_kernel(&self) -> Result<manifold::Manifold<T>, Fault> {
        let mut kernel = manifold::Manifold::new(self.a as usize, self.b as usize, self.normal.into());
        let points = self.points.get(..self.point_count as usize);
        for point in points.ok_or(Fault::new(Error::BadChoice, "manifold.point_count"))? {
            let id = match point.kind {
                0 => PointId::Feature(point.feature),
                1 => PointId::Proximity,
                _ => return Err(Fault::new(Error::BadChoice, "manifold.points.kind")),
            };
            let point =
                manifold::ManifoldPoint { on_a: point.on_a.into(), on_b: point.on_b.into(), depth: point.depth, id };
            // At most four points, and the capacity is four.
            let _ = kernel.points.try_push(point);
        }
        kernel.material = self.has_material.then_some(Material { mu: self.mu, restitution: self.restitution });
        Ok(kernel)
    }
}

/// Reads a manifold. A material or points that it does not have are not read, because C may leave them unset. Its
/// `bool` is read as a byte, where every value except 0 means true, so that an invalid one is not undefined behaviour.
///
/// # Safety
/// The pointer is null, or the bytes of a manifold are readable there.
pub unsafe fn read_manifold<T: Real>(manifold: *const Manifold<T>) -> Result<Manifold<T>, Fault> {
    check_pointer(manifold, "manifold")?;
    // SAFETY: neither null nor misaligned, readable by the caller's promise; fields are read one by one, the flag as a
    // byte.
    unsafe {
        let mut read = Manifold {
            a: (&raw const (*manifold).a).read(),
            b: (&raw const (*manifold).b).read(),
            normal: (&raw const (*manifold).normal).read(),
            point_count: (&raw const (*manifold).point_count).read(),
            has_material: (&raw const (*manifold).has_material).cast::<u8>().read() != 0,
            mu: T::ZERO,
            restitution: T::ZERO,
            points: [ManifoldPoint::NONE; 4],
        };
        if read.has_material {
            read.mu = (&raw const (*manifold).mu).read();
            read.restitution = (&raw const (*manifold).restitution).read();
        }
        let points = (&raw const (*manifold).points).cast::<ManifoldPoint<T>>();
        for (index, point) in read.points.iter_mut().enumerate().take(read.point_count as usize) {
            *point = points.add(index).read();
        }
        Ok(read)
    }
}

/// Collects the manifolds of a substep. Opaque, and valid only while the callback runs.
pub struct ContactCollector<T: Real>(core::marker::PhantomData<T>);

/// The kernel's `ContactCollector` and world of any capacity.
pub trait CollectorObject<T: Real> {
    /// Adds a manifold.
    fn push(&mut self, manifold: &manifold::Manifold<T>) -> Result<(), stiction::InputError<T>>;
    /// Adds a manifold with friction beyond sliding of its own.
    fn push_on(&mut self, manifold: &manifold::Manifold<T>, surface: &KernelSurface<T>) -> Result<(), Ending<T>>;
    /// The current state of a body.
    fn body(&self, index: usize) -> Option<KernelBody<T>>;
}

/// The arguments of a detection callback.
pub struct WorldAndCollector<'a, 'b, T: Real, const NB: usize, const NC: usize, R: StepRows<T>> {
    /// The bodies.
    pub world: &'a World<T, NB, R>,
    /// Receives the contacts.
    pub collector: &'a mut KernelCollector<'b, T, NB, NC, R>,
}

impl<T: Real, const NB: usize, const NC: usize, R: StepRows<T>> CollectorObject<T>
    for WorldAndCollector<'_, '_, T, NB, NC, R>
{
    fn push(&mut self, manifold: &manifold::Manifold<T>) -> Result<(), stiction::InputError<T>> {
        self.collector.push(manifold)
    }

    fn push_on(&mut self, manifold: &manifold::Manifold<T>, surface: &KernelSurface<T>) -> Result<(), Ending<T>> {
        R::push_on(self.collector, manifold, surface)
    }

    fn body(&self, index: usize) -> Option<KernelBody<T>> {
        self.world.get(index)
    }
}

/// The object that a handle of type [`ContactCollector`] points to.
struct Handle<'a, T: Real> {
    object: &'a mut dyn CollectorObject<T>,
    /// The first error. It rejects the step even if the callback ignores it.
    rejected: Option<Ending<T>>,
}

/// Collision detection, called in every substep. It passes manifolds to `collector` by `stiction_f32_collect`; `false`
/// rejects the step.
pub type Detect<T> = Option<unsafe extern "C" fn(user: *mut c_void, collector: *mut ContactCollector<T>) -> bool>;

/// Calls the C function with a handle that is valid during the call. Returns the first error, or `CallbackFailed` if
/// the function returned false.
///
/// # Safety
/// The function may be called with `user`.
pub unsafe fn call<T: Real>(
    detect: unsafe extern "C" fn(*mut c_void, *mut ContactCollector<T>) -> bool,
    user: *mut c_void,
    object: &mut dyn CollectorObject<T>,
) -> Result<(), Ending<T>> {
    let mut handle = Handle { object, rejected: None };
    let pointer = &raw mut handle;
    // SAFETY: the caller's promise; the handle outlives the call.
    let (found, rejected) = unsafe { (detect(user, pointer.cast()), (*pointer).rejected) };
    match rejected {
        Some(ending) => Err(ending),
        None if found => Ok(()),
        None => Err(Fault::new(Error::CallbackFailed, "detect").into()),
    }
}

/// Adds a manifold's contacts.
///
/// # Safety
/// `collector` is null or the handle of the callback that runs; `manifold` is null or readable.
pub unsafe fn collect<T: Real>(
    collector: *mut ContactCollector<T>,
    manifold: *const Manifold<T>,
) -> Result<(), Ending<T>> {
    // SAFETY: the caller's promise.
    unsafe { add(collector, manifold, |object, manifold| Ok(object.push(manifold)?)) }
}

/// Adds a manifold's contacts, with friction beyond sliding of their own.
///
/// # Safety
/// As for [`collect`]; `surface` is null or readable.
pub unsafe fn collect_on<T: Real>(
    collector: *mut ContactCollector<T>,
    manifold: *const Manifold<T>,
    surface: *const Surface<T>,
) -> Result<(), Ending<T>> {
    // SAFETY: the caller's promise.
    unsafe { add(collector, manifold, |object, manifold| object.push_on(manifold, &read_surface(surface)?)) }
}

/// Adds a manifold by `push`; an error rejects the step.
///
/// # Safety
/// As for [`collect`].
unsafe fn add<T: Real>(
    collector: *mut ContactCollector<T>,
    manifold: *const Manifold<T>,
    push: impl FnOnce(&mut dyn CollectorObject<T>, &manifold::Manifold<T>) -> Result<(), Ending<T>>,
) -> Result<(), Ending<T>> {
    let handle = collector.cast::<Handle<'_, T>>();
    check_pointer(handle, "collector")?;
    // SAFETY: the caller's promise.
    unsafe {
        let manifold = read_manifold(manifold).and_then(|manifold| manifold.to_kernel()).map_err(Ending::from);
        let pushed = manifold.and_then(|manifold| push((*handle).object, &manifold));
        if let Err(ending) = pushed {
            (*handle).rejected = (*handle).rejected.or(Some(ending));
        }
        pushed
    }
}

/// The state of a body in this substep.
///
/// # Safety
/// `collector` is null or the handle of the callback that runs; `body` is null or can be written.
pub unsafe fn body<T: Real>(
    collector: *const ContactCollector<T>,
    index: usize,
    body: *mut RigidBody<T>,
) -> Result<(), Ending<T>> {
    let handle = collector.cast::<Handle<'_, T>>();
    check_pointer(handle, "collector")?;
    check_pointer(body, "body")?;
    // SAFETY: the caller's promise.
    unsafe {
        let found = (*handle).object.body(index).ok_or(Fault::new(Error::NoSuchBody, "index"))?;
        body.write(RigidBody::from_kernel(&found));
    }
    Ok(())
}
