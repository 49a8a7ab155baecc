//! Bodies, contacts and settings from bytes, drawn as the property tests draw theirs: usual ones like `strategies`,
//! those at the limits like `tests/input_range.rs`.

use nalgebra::{Matrix3, Vector3};
use stiction::{
    Bodies, Body, BounceMode, Contact, Contacts, LocalRule, MethodChoice, PositionCorrection, Real, Settings, SixRows,
    Surface, SweepOrder, Tread, WarmStart,
};

use crate::{Bytes, Mood, NB, NC};

/// A problem that passed validation.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene<T: Real> {
    pub bodies: Bodies<T, NB>,
    pub contacts: Contacts<T, NC>,
}

/// Contacts that may have friction beyond sliding, and then take two places.
pub type Rough<T> = Contacts<T, { 2 * NC }, SixRows>;

/// Properties of usual scenes.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Ratio of the heaviest to the lightest mass.
    pub mass_ratio: f64,
    /// Largest friction coefficient.
    pub mu: f64,
    /// Whether contacts may bounce.
    pub bounce: bool,
    /// Warm starts up to this many N s.
    pub warm: f64,
    /// Gaps up to this, m.
    pub gap: f64,
    /// Whether immovable bodies may have a velocity.
    pub driven: bool,
}

/// The islands of the passivity study, conveyors added.
pub const WILD: Shape = Shape { mass_ratio: 1e6, mu: 2.0, bounce: true, warm: 10.0, gap: 0.02, driven: true };

/// The islands whose solutions are compared: moderate masses and friction, no bounces.
pub const TAME: Shape = Shape { mass_ratio: 10.0, mu: 0.5, bounce: false, warm: 0.0, gap: 0.0, driven: false };

fn mass_properties<T: Real>(bytes: &mut Bytes<'_>, mood: Mood, mass_ratio: f64) -> (T, Matrix3<T>) {
    let limit = T::INVERSE_MASS_LIMIT.to_f64();
    match mood {
        Mood::Usual => {
            let root = mass_ratio.sqrt();
            let inverse_mass = bytes.log_range(1.0 / root, root);
            let gyration = Vector3::from_fn(|_, _| bytes.log_range(0.5, 20.0));
            (T::lit(inverse_mass), (bytes.rotated(gyration) * inverse_mass).map(T::lit))
        }
        Mood::Raw if bytes.below(4) == 3 => (bytes.raw(), Matrix3::from_fn(|_, _| bytes.raw())),
        _ => {
            let inverse_mass = bytes.up_to(limit).abs().clamp(1.0001 / limit, limit);
            let diagonal = Vector3::from_fn(|_, _| bytes.up_to(limit).abs());
            (T::lit(inverse_mass), (bytes.rotated(diagonal) * 0.99).map(T::lit))
        }
    }
}

/// A body: one in four cannot move.
pub fn body<T: Real>(bytes: &mut Bytes<'_>, mood: Mood, shape: &Shape) -> Body<T> {
    let movable = bytes.below(4) > 0;
    let linear = bytes.vector(mood, 5.0, T::LINEAR_SPEED_LIMIT);
    let angular = bytes.vector(mood, 5.0, T::ANGULAR_SPEED_LIMIT);
    if !movable {
        return if shape.driven {
            Body { linear_velocity: linear, angular_velocity: angular, ..Body::fixed() }
        } else {
            Body::fixed()
        };
    }
    let (inverse_mass, inverse_inertia) = mass_properties(bytes, mood, shape.mass_ratio);
    Body { inverse_mass, inverse_inertia_world: inverse_inertia, linear_velocity: linear, angular_velocity: angular }
}

/// A contact between two of a number of bodies, sometimes of a body that does not exist.
pub fn contact<T: Real>(bytes: &mut Bytes<'_>, mood: Mood, shape: &Shape, bodies: usize) -> Contact<T> {
    let a = bytes.below(bodies);
    let step = 1 + bytes.below((bodies - 1).max(1));
    let lost = mood == Mood::Raw && bytes.below(8) == 7;
    let b = if lost { usize::from(bytes.byte()) } else { (a + step) % bodies };
    let normal = if mood == Mood::Raw && bytes.below(8) == 7 {
        bytes.vector(mood, 1.0, T::ONE)
    } else {
        bytes.direction().map(T::lit)
    };
    Contact {
        a,
        b,
        normal,
        r_a: bytes.vector(mood, 1.0, T::LENGTH_LIMIT),
        r_b: bytes.vector(mood, 1.0, T::LENGTH_LIMIT),
        mu: bytes.magnitude(mood, shape.mu, T::FRICTION_LIMIT),
        restitution: if shape.bounce { bytes.magnitude(mood, 1.0, T::ONE) } else { T::ZERO },
        depth: depth(bytes, mood, shape),
        pre_impact_normal_velocity: (shape.bounce && bytes.below(4) == 3)
            .then(|| bytes.number(mood, 5.0, T::LINEAR_SPEED_LIMIT)),
        warm: WarmStart {
            normal_impulse: bytes.number(mood, shape.warm, T::IMPULSE_LIMIT),
            tangent_impulse: bytes.vector(mood, shape.warm, T::IMPULSE_LIMIT),
        },
    }
}

fn depth<T: Real>(bytes: &mut Bytes<'_>, mood: Mood, shape: &Shape) -> T {
    match mood {
        Mood::Usual => T::lit((0.02 + shape.gap) * bytes.unit() - shape.gap),
        _ => bytes.number(mood, 0.0, T::LENGTH_LIMIT),
    }
}

/// Settings with few sweeps, and a time step: laws hold of every iterate, and a case must not take long.
pub fn settings<T: Real>(bytes: &mut Bytes<'_>, mood: Mood) -> (Settings<T>, T) {
    let methods = [MethodChoice::Auto, MethodChoice::Sweeps, MethodChoice::Accelerated, MethodChoice::Direct];
    let rules = [LocalRule::Exact, LocalRule::HoldAndResolve, LocalRule::Projection, LocalRule::Box];
    let corrections = [PositionCorrection::SplitImpulse, PositionCorrection::None, PositionCorrection::Bias];
    let plain = Settings::default();
    let mut dt = T::lit(1.0 / 60.0);
    let mut settings = Settings {
        method: bytes.pick(&methods),
        local: bytes.pick(&rules),
        bounce: bytes.pick(&[BounceMode::Together, BounceMode::Sequential]),
        order: bytes.pick(&[SweepOrder::Alternating, SweepOrder::Forward, SweepOrder::Colours]),
        position_correction: bytes.pick(&corrections),
        sweeps: u32::from(bytes.byte() % 16),
        min_sweeps: u32::from(bytes.byte() % 4),
        normal_sweeps: u32::from(bytes.byte() % 32),
        factorisations: u32::from(bytes.byte() % 8),
        ..plain
    };
    if bytes.coin() {
        settings.relaxation = T::lit(0.5 + bytes.unit());
        settings.tolerance = T::lit(bytes.pick(&[0.0, 1e-12, 1e-6, 1e-3, 1.0]));
        dt = T::lit(bytes.pick(&[1.0 / 60.0, 1e-3, 0.1, 1e-9, 1e6]));
    }
    if mood == Mood::Raw && bytes.coin() {
        let fields = [
            &mut settings.relaxation,
            &mut settings.accelerated_relaxation,
            &mut settings.tolerance,
            &mut settings.restitution_threshold,
            &mut dt,
            &mut settings.error_reduction,
            &mut settings.slop,
            &mut settings.max_correction_speed,
        ];
        for field in fields {
            if bytes.below(4) == 3 {
                *field = bytes.raw();
            }
        }
    }
    (settings, dt)
}

/// The bodies and contacts that pass validation; rejected ones must change nothing.
pub fn scene<T: Real>(bytes: &mut Bytes<'_>, mood: Mood, shape: &Shape) -> Scene<T> {
    let mut scene = Scene { bodies: Bodies::new(), contacts: Contacts::new() };
    let (bodies, contacts) = (2 + bytes.below(NB - 1), 1 + bytes.below(NC));
    for _ in 0..bodies {
        push_body(&mut scene, body(bytes, mood, shape), mood);
    }
    let there = scene.bodies.len();
    for _ in 0..contacts {
        if there > 0 {
            push_contact(&mut scene, contact(bytes, mood, shape, there), mood);
        }
    }
    scene
}

/// Friction beyond sliding: one in four has none.
pub fn surface<T: Real>(bytes: &mut Bytes<'_>, mood: Mood, shape: &Shape) -> Surface<T> {
    if bytes.below(4) == 3 {
        return Surface::default();
    }
    let radius = |bytes: &mut Bytes<'_>| {
        if bytes.coin() { bytes.magnitude(mood, 0.3, T::LENGTH_LIMIT) } else { T::ZERO }
    };
    let (torsion, rolling) = (radius(bytes), radius(bytes));
    let tread = bytes.coin().then(|| Tread {
        direction: bytes.vector(mood, 1.0, T::LENGTH_LIMIT),
        mu_across: bytes.magnitude(mood, shape.mu, T::FRICTION_LIMIT),
    });
    let warm_moment = bytes.vector(mood, shape.warm, T::IMPULSE_LIMIT);
    Surface { torsion, rolling, tread, is_joined: bytes.coin(), warm_moment }
}

/// The contacts of a scene with friction beyond sliding; rejected friction must change nothing.
pub fn rough<T: Real>(bytes: &mut Bytes<'_>, mood: Mood, shape: &Shape, scene: &Scene<T>) -> Rough<T> {
    let mut contacts = Rough::<T>::empty();
    for contact in (0..scene.contacts.len()).filter_map(|index| scene.contacts.get(index)) {
        let before = contacts.clone();
        if contacts.push_on(contact, surface(bytes, mood, shape)).is_err() {
            assert_eq!(contacts, before, "rejected friction changed the contacts");
            contacts.push(contact).expect("a contact that was valid");
        }
    }
    contacts
}

fn push_body<T: Real>(scene: &mut Scene<T>, body: Body<T>, mood: Mood) {
    if mood == Mood::Usual {
        scene.bodies.push(body).expect("a usual body is valid");
        return;
    }
    let before = scene.bodies.clone();
    if scene.bodies.push(body).is_err() {
        assert_eq!(scene.bodies, before, "a rejected body changed the others");
    }
}

/// Often neither body of a contact can move; such a contact is left out of usual scenes, and rejected by the solve in
/// others.
fn push_contact<T: Real>(scene: &mut Scene<T>, contact: Contact<T>, mood: Mood) {
    let movable = |index: usize| scene.bodies.get(index).is_some_and(|body| body.inverse_mass > T::ZERO);
    if mood == Mood::Usual {
        if movable(contact.a) || movable(contact.b) {
            scene.contacts.push(contact).expect("a usual contact is valid");
        }
        return;
    }
    let before = scene.contacts.clone();
    if scene.contacts.push(contact).is_err() {
        assert_eq!(scene.contacts, before, "a rejected contact changed the others");
    }
}
