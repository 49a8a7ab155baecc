//! The JSON form of a problem, in SI units; unknown fields are rejected by name.

use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};
use stiction::{BounceMode, LocalRule, MethodChoice, PositionCorrection, Real, Settings, SweepOrder, WarmStart};
use stiction::{Surface, Tread};

use crate::json::{entries, object};
use crate::lanes::{default_level, lanes_for};
use stiction_lanes::Level;
use stiction_lanes::scalar::LaneScalar;
use stiction_testkit::capacity::{MakeLanes, Solved, solve_in_lanes, solve_on_surfaces};
use stiction_testkit::island::Island;

/// A whole file.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Problem {
    /// The bodies.
    pub bodies: Vec<BodyEntry>,
    /// The contacts.
    pub contacts: Vec<ContactEntry>,
    /// The settings; absent ones take the kernel's defaults for the precision.
    #[serde(default)]
    pub settings: SettingsEntry,
}

/// A body. Fields other than `inverse_mass` are 0 when absent.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BodyEntry {
    /// 1/kg; 0 for a body that cannot move.
    pub inverse_mass: f64,
    /// World axes, 1/(kg m²), row by row.
    #[serde(default)]
    pub inverse_inertia: [[f64; 3]; 3],
    /// m/s.
    #[serde(default)]
    pub linear: [f64; 3],
    /// rad/s.
    #[serde(default)]
    pub angular: [f64; 3],
}

/// A contact.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ContactEntry {
    /// Body A.
    pub a: usize,
    /// Body B.
    pub b: usize,
    /// Unit normal from A to B.
    pub normal: [f64; 3],
    /// From A's centre of mass, m.
    pub r_a: [f64; 3],
    /// From B's centre of mass, m.
    pub r_b: [f64; 3],
    /// Friction coefficient.
    pub mu: f64,
    /// Restitution.
    #[serde(default)]
    pub restitution: f64,
    /// Penetration, m.
    #[serde(default)]
    pub depth: f64,
    /// Recorded normal velocity before impact, m/s.
    #[serde(default)]
    pub pre_impact_normal_velocity: Option<f64>,
    /// Impulse to start from.
    #[serde(default)]
    pub warm: WarmEntry,
    /// Largest moment about the normal over the normal impulse, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub torsion: Option<f64>,
    /// Largest moment against rolling over the normal impulse, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolling: Option<f64>,
    /// Friction coefficient across `friction_direction`; `mu` is the one along it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mu_across: Option<f64>,
    /// World vector; its part across the normal counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction_direction: Option<[f64; 3]>,
}

impl ContactEntry {
    /// Whether it has a field that contacts with three rows do not have.
    fn has_surface(&self) -> bool {
        let numbers = [self.torsion, self.rolling, self.mu_across];
        let vectors = [self.friction_direction, self.warm.moment];
        numbers.iter().any(Option::is_some) || vectors.iter().any(Option::is_some)
    }

    /// Friction beyond sliding, rounded to a precision.
    fn surface<T: Real>(&self) -> Surface<T> {
        let vector = |v: [f64; 3]| Vector3::from(v.map(T::lit));
        let tread = |(direction, mu_across)| Tread { direction: vector(direction), mu_across: T::lit(mu_across) };
        Surface {
            torsion: T::lit(self.torsion.unwrap_or(0.0)),
            rolling: T::lit(self.rolling.unwrap_or(0.0)),
            tread: self.friction_direction.zip(self.mu_across).map(tread),
            warm_moment: vector(self.warm.moment.unwrap_or_default()),
            ..Surface::default()
        }
    }
}

/// An impulse to start from, N s.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct WarmEntry {
    /// Normal part.
    #[serde(default)]
    pub normal: f64,
    /// Friction on B, world vector.
    #[serde(default)]
    pub tangent: [f64; 3],
    /// Moment on B, world vector, N m s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moment: Option<[f64; 3]>,
}

/// Settings, each optional.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "settings of the kernel, under the published names of the file format")]
pub struct SettingsEntry {
    pub local: Option<LocalEntry>,
    pub bounce: Option<BounceEntry>,
    pub order: Option<OrderEntry>,
    pub relaxation: Option<f64>,
    pub accelerated_relaxation: Option<f64>,
    pub sweeps: Option<u32>,
    pub least_sweeps: Option<u32>,
    pub normal_sweeps: Option<u32>,
    pub factorisations: Option<u32>,
    pub tolerance: Option<f64>,
    pub restitution_threshold: Option<f64>,
    pub dt: Option<f64>,
    pub stabilisation: Option<StabilisationEntry>,
    pub error_reduction: Option<f64>,
    pub slop: Option<f64>,
    pub max_correction_speed: Option<f64>,
    pub method: Option<MethodEntry>,
}

/// Declares an enum of the file format and its kernel counterpart.
macro_rules! entry {
    ($(#[$doc:meta])* $entry:ident => $kernel:ident { $($variant:ident),* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
        #[serde(rename_all = "snake_case")]
        #[allow(missing_docs, reason = "each variant is the kernel's of the same name")]
        pub enum $entry { $($variant),* }
        impl From<$entry> for $kernel {
            fn from(entry: $entry) -> Self {
                match entry { $($entry::$variant => $kernel::$variant),* }
            }
        }
    };
}

entry!(/// `local`.
    LocalEntry => LocalRule { Exact, HoldAndResolve, Projection, Box });
entry!(/// `bounce`.
    BounceEntry => BounceMode { Together, Sequential });
entry!(/// `order`.
    OrderEntry => SweepOrder { Alternating, Forward, Colours });
entry!(/// `method`.
    MethodEntry => MethodChoice { Auto, Sweeps, Accelerated, Direct });
entry!(/// `stabilisation`.
    StabilisationEntry => PositionCorrection { None, SplitImpulse, Bias });

impl SettingsEntry {
    /// The kernel's settings, with defaults for those that are absent.
    pub fn settings<T: Real>(&self, default: Settings<T>) -> Settings<T> {
        let number = |value: Option<f64>, default: T| value.map_or(default, T::lit);
        Settings {
            method: self.method.map_or(default.method, Into::into),
            local: self.local.map_or(default.local, Into::into),
            bounce: self.bounce.map_or(default.bounce, Into::into),
            order: self.order.map_or(default.order, Into::into),
            relaxation: number(self.relaxation, default.relaxation),
            accelerated_relaxation: number(self.accelerated_relaxation, default.accelerated_relaxation),
            sweeps: self.sweeps.unwrap_or(default.sweeps),
            min_sweeps: self.least_sweeps.unwrap_or(default.min_sweeps),
            normal_sweeps: self.normal_sweeps.unwrap_or(default.normal_sweeps),
            factorisations: self.factorisations.unwrap_or(default.factorisations),
            tolerance: number(self.tolerance, default.tolerance),
            restitution_threshold: number(self.restitution_threshold, default.restitution_threshold),
            position_correction: self.stabilisation.map_or(default.position_correction, Into::into),
            error_reduction: number(self.error_reduction, default.error_reduction),
            slop: number(self.slop, default.slop),
            max_correction_speed: number(self.max_correction_speed, default.max_correction_speed),
        }
    }
}

/// Rejects arrays where the format has objects.
fn check_objects(problem: &serde_json::Value) -> Result<(), String> {
    object("problem", problem)?;
    for list in ["bodies", "contacts"] {
        for (i, entry) in entries(problem, list).enumerate() {
            object(&format!("{list}[{i}]"), entry)?;
            entry.get("warm").map_or(Ok(()), |warm| object(&format!("{list}[{i}].warm"), warm))?;
        }
    }
    problem.get("settings").map_or(Ok(()), |settings| object("settings", settings))
}

/// The default time step of a problem, s.
const DEFAULT_DT: f64 = 1.0 / 60.0;

/// A kernel's error in the names of the format.
fn format_names(line: &str) -> String {
    let names = [
        ("linear_velocity:", "linear:"),
        ("angular_velocity:", "angular:"),
        ("_world:", ":"),
        ("_impulse:", ":"),
        ("dt:", "settings.dt:"),
    ];
    names.iter().fold(line.to_string(), |line, (kernel, format)| line.replacen(kernel, format, 1))
}

impl Problem {
    /// Solves it; the error is one line that names the field.
    pub fn solve<T: LaneScalar>(&self) -> Result<Solved<T>, String> {
        self.solve_with(&self.settings.settings::<T>(Settings::default()))
    }

    /// Solves it with other settings, but with its own time step.
    pub fn solve_with<T: LaneScalar>(&self, settings: &Settings<T>) -> Result<Solved<T>, String> {
        self.solve_at(settings, default_level())
    }

    /// The same with the instructions of a level, or without lanes: for tests.
    #[doc(hidden)]
    pub fn solve_at<T: LaneScalar>(&self, settings: &Settings<T>, level: Option<Level>) -> Result<Solved<T>, String> {
        let dt = T::lit(self.settings.dt.unwrap_or(DEFAULT_DT));
        let (bodies, contacts) = self.island().rounded::<T>();
        if self.contacts.iter().any(ContactEntry::has_surface) {
            let surfaces = self.contacts.iter().map(ContactEntry::surface);
            let contacts: Vec<_> = contacts.into_iter().zip(surfaces).collect();
            let solved = solve_on_surfaces(&bodies, &contacts, settings, dt);
            return solved.map_err(|error| format_names(&error.to_string()));
        }
        let make = level.map(|level| move |most| lanes_for(most, level));
        let make = make.as_ref().map(|make| make as MakeLanes<'_, T>);
        let solved = solve_in_lanes(&bodies, &contacts, settings, dt, make);
        solved.map_err(|error| format_names(&error.to_string()))
    }

    /// Reads JSON; the error is one line that names the field.
    pub fn parse(json: &str) -> Result<Self, String> {
        let problem: Problem = crate::json::parse(json, "problem", check_objects)?;
        problem.check_directions()?;
        Ok(problem)
    }

    /// Rejects a friction coefficient across a direction without the direction, and the other way round.
    fn check_directions(&self) -> Result<(), String> {
        for (i, contact) in self.contacts.iter().enumerate() {
            let (missing, given) = match (contact.mu_across, contact.friction_direction) {
                (None, Some(_)) => ("mu_across", "friction_direction"),
                (Some(_), None) => ("friction_direction", "mu_across"),
                _ => continue,
            };
            return Err(format!("contacts[{i}].{missing}: missing, {given} is given"));
        }
        Ok(())
    }

    /// Rejects numbers whose meaning changes in a precision: an inverse mass that rounds to 0 would make a movable body
    /// immovable, and a negative one that rounds to 0 would not be rejected.
    pub fn check_precision<T: Real>(&self) -> Result<(), String> {
        for (i, body) in self.bodies.iter().enumerate() {
            let value = body.inverse_mass;
            if value != 0.0 && T::lit(value) == T::ZERO {
                return Err(format!("bodies[{i}].inverse_mass: {value:e} is 0 in this precision"));
            }
        }
        // For the kernel a negative depth is a gap; the format has no gaps.
        if let Some(i) = self.contacts.iter().position(|contact| contact.depth < 0.0) {
            return Err(format!("contacts[{i}].depth: {} is below 0", self.contacts[i].depth));
        }
        Ok(())
    }

    /// Bodies and contacts in double precision, with sliding friction only.
    pub fn island(&self) -> Island {
        let vector = |v: &[f64; 3]| Vector3::from_column_slice(v);
        let body = |body: &BodyEntry| stiction::Body {
            inverse_mass: body.inverse_mass,
            inverse_inertia_world: Matrix3::from_fn(|i, j| body.inverse_inertia[i][j]),
            linear_velocity: vector(&body.linear),
            angular_velocity: vector(&body.angular),
        };
        let contact = |contact: &ContactEntry| stiction::Contact {
            a: contact.a,
            b: contact.b,
            normal: vector(&contact.normal),
            r_a: vector(&contact.r_a),
            r_b: vector(&contact.r_b),
            mu: contact.mu,
            restitution: contact.restitution,
            depth: contact.depth,
            pre_impact_normal_velocity: contact.pre_impact_normal_velocity,
            warm: WarmStart { normal_impulse: contact.warm.normal, tangent_impulse: vector(&contact.warm.tangent) },
        };
        Island { bodies: self.bodies.iter().map(body).collect(), contacts: self.contacts.iter().map(contact).collect() }
    }

    /// The JSON form of an island.
    pub fn from_island(island: &Island, settings: SettingsEntry) -> Self {
        let array = |v: &Vector3<f64>| [v.x, v.y, v.z];
        let body = |body: &stiction::Body<f64>| BodyEntry {
            inverse_mass: body.inverse_mass,
            inverse_inertia: std::array::from_fn(|i| std::array::from_fn(|j| body.inverse_inertia_world[(i, j)])),
            linear: array(&body.linear_velocity),
            angular: array(&body.angular_velocity),
        };
        let contact = |contact: &stiction::Contact<f64>| ContactEntry {
            a: contact.a,
            b: contact.b,
            normal: array(&contact.normal),
            r_a: array(&contact.r_a),
            r_b: array(&contact.r_b),
            mu: contact.mu,
            restitution: contact.restitution,
            depth: contact.depth,
            pre_impact_normal_velocity: contact.pre_impact_normal_velocity,
            warm: WarmEntry {
                normal: contact.warm.normal_impulse,
                tangent: array(&contact.warm.tangent_impulse),
                moment: None,
            },
            torsion: None,
            rolling: None,
            mu_across: None,
            friction_direction: None,
        };
        Problem {
            bodies: island.bodies.iter().map(body).collect(),
            contacts: island.contacts.iter().map(contact).collect(),
            settings,
        }
    }
}
