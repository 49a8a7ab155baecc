//! `World`: bodies that are stepped, with contacts from the caller's collision detection.
use std::sync::{Mutex, MutexGuard};

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use numpy::ndarray::{Array, Ix1, Ix2};
use numpy::{IntoPyArray, PyReadonlyArray};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stiction::{Manifold, ManifoldPoint, Material, PointId, RigidBody, Surface};
use stiction_cli::json;
use stiction_cli::rig::joints::{MotorEntry, SceneJoint};
use stiction_cli::rig::simulation::Precision;
use stiction_cli::words::{recorded_status, state_name, status_name};

use crate::arrays::{Named, fields};
use crate::errors::{format_names, of_reader, value_error};
use crate::stepper::{BodyState, Choices, LARGEST, Reported, Size, Stepper, grow, make};
use crate::values::{json_of, settings};

const POINT_FIELDS: [&str; 9] = ["a", "b", "normal", "on_a", "on_b", "depth", "id", "mu", "restitution"];

/// Bodies that are stepped.
#[pyclass(frozen, module = "stiction._native")]
pub struct World {
    inner: Mutex<Box<dyn Stepper>>,
}

/// A body as Python gives it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct BodyEntry {
    /// None for a body that cannot move; then there is no inertia either.
    mass: Option<f64>,
    inertia: Option<[[f64; 3]; 3]>,
    position: [f64; 3],
    orientation: [f64; 4],
    linear: [f64; 3],
    angular: [f64; 3],
    mu: f64,
    restitution: f64,
    torsion: f64,
    rolling: f64,
}

impl BodyEntry {
    fn body(&self) -> PyResult<RigidBody<f64>> {
        let at_origin = match (self.mass, self.inertia) {
            (None, None) => RigidBody::fixed(),
            (Some(_), None) => return Err(value_error("inertia: missing, mass is given")),
            (None, Some(_)) => return Err(value_error("mass: missing, inertia is given")),
            (Some(mass), Some(_)) if mass <= 0.0 || mass.is_nan() => {
                return Err(value_error(format!("mass: {mass}, must be above 0")));
            }
            (Some(mass), Some(rows)) => {
                let inertia = Matrix3::from_fn(|row, column| rows[row][column]);
                let body = RigidBody::from_mass(mass, inertia);
                let is_finite = |matrix: &Matrix3<f64>| matrix.iter().all(|number| number.is_finite());
                if is_finite(&inertia) && !is_finite(&body.inverse_inertia_body) {
                    return Err(value_error("inertia: has no inverse"));
                }
                body
            }
        };
        Ok(RigidBody {
            position: self.position.into(),
            orientation: quaternion(self.orientation),
            linear_velocity: self.linear.into(),
            angular_velocity: self.angular.into(),
            material: Material { mu: self.mu, restitution: self.restitution },
            ..at_origin
        })
    }

    fn surface(&self) -> Surface<f64> {
        Surface { torsion: self.torsion, rolling: self.rolling, ..Surface::default() }
    }
}

fn quaternion([w, x, y, z]: [f64; 4]) -> UnitQuaternion<f64> {
    UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z))
}

/// A kernel's line in the names of scenes.
fn world_names(line: &str) -> String {
    let line = line.replacen(".inverse_inertia_body", ".inverse_inertia", 1).replacen(".material.", ".", 1);
    if line.starts_with("dt:") { line } else { format_names(&line) }
}

fn rejected(line: String) -> PyErr {
    value_error(world_names(&line))
}

impl World {
    fn lock(&self) -> PyResult<MutexGuard<'_, Box<dyn Stepper>>> {
        self.inner.lock().map_err(|_| PyRuntimeError::new_err("world: a call before this one failed"))
    }
}

/// Makes room for more; the error names the largest capacity.
fn make_room(inner: &mut Box<dyn Stepper>, wanted: Size) -> Result<(), String> {
    if inner.size().holds(wanted) {
        return Ok(());
    }
    let Size { bodies, contacts, joints } = wanted;
    for (what, count, most) in [
        ("bodies", bodies, LARGEST.bodies),
        ("contacts", contacts, LARGEST.contacts),
        ("joints", joints, LARGEST.joints),
    ] {
        if count > most {
            return Err(format!("{what}: {count}, at most {most} fit"));
        }
    }
    *inner = grow(&mut **inner)?;
    Ok(())
}

#[pymethods]
impl World {
    #[new]
    #[pyo3(signature = (gravity, substeps, length, solver, precision))]
    fn new(
        gravity: [f64; 3],
        substeps: Option<u32>,
        length: f64,
        solver: Option<&Bound<'_, PyAny>>,
        precision: &str,
    ) -> PyResult<Self> {
        let wrong = || value_error(format!("precision: {precision:?}, must be \"f32\" or \"f64\""));
        let precision = Precision::parse(precision).ok_or_else(wrong)?;
        let choices = Choices { gravity, substeps, length, solver: settings(solver)? };
        let none = Size { bodies: 0, contacts: 0, joints: 0 };
        Ok(World { inner: Mutex::new(make(precision, &choices, none).map_err(rejected)?) })
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(self.lock()?.counts().0)
    }

    fn add_body(&self, body: BodyEntry) -> PyResult<usize> {
        let moved = body.body()?;
        let mut inner = self.lock()?;
        let bodies = inner.counts().0 + 1;
        make_room(&mut inner, Size { bodies, contacts: 0, joints: 0 }).map_err(value_error)?;
        inner.add_body(&moved, body.surface()).map_err(rejected)
    }

    fn add_joint(&self, a: usize, b: usize, joint: &Bound<'_, PyDict>) -> PyResult<usize> {
        let entry = json_of("joint", joint.as_any())?.to_string();
        let joint: SceneJoint = json::parse(&entry, "joint", |_| Ok(())).map_err(of_reader)?;
        let mut inner = self.lock()?;
        let joints = inner.counts().1 + 1;
        make_room(&mut inner, Size { bodies: 0, contacts: 0, joints }).map_err(value_error)?;
        inner.add_joint(&joint, [a, b]).map_err(rejected)
    }

    fn set_motor(&self, joint: usize, motor: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let entry = |motor: &Bound<'_, PyDict>| -> PyResult<MotorEntry> {
            json::parse(&json_of("motor", motor.as_any())?.to_string(), "motor", |_| Ok(())).map_err(of_reader)
        };
        let motor = motor.map(entry).transpose()?;
        self.lock()?.set_motor(joint, motor.as_ref()).map_err(rejected)
    }

    fn set_load(&self, body: usize, force: [f64; 3], torque: [f64; 3]) -> PyResult<()> {
        self.lock()?.set_load(body, force.into(), torque.into()).map_err(rejected)
    }

    #[pyo3(signature = (body, position, orientation, linear, angular))]
    fn set_state(
        &self,
        body: usize,
        position: Option<[f64; 3]>,
        orientation: Option<[f64; 4]>,
        linear: Option<[f64; 3]>,
        angular: Option<[f64; 3]>,
    ) -> PyResult<()> {
        let mut inner = self.lock()?;
        let states = inner.states();
        let missing = || value_error(format!("bodies[{body}]: does not exist, there are {}", states.len()));
        let (x, q, v, w) = *states.get(body).ok_or_else(missing)?;
        let vector = |given: Option<[f64; 3]>, now: Vector3<f64>| given.map_or(now, Vector3::from);
        let state = (vector(position, x), orientation.map_or(q, quaternion), vector(linear, v), vector(angular, w));
        inner.set_state(body, state).map_err(rejected)
    }

    fn step<'py>(&self, py: Python<'py>, dt: f64, points: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyDict>> {
        let found = points.map(manifolds_of).transpose()?.unwrap_or_default();
        let stepped = py.detach(|| {
            let mut inner = self.lock()?;
            let count: usize = found.iter().map(|manifold| manifold.points.len()).sum();
            let contacts = if inner.has_moments() { 2 * count } else { count };
            make_room(&mut inner, Size { bodies: 0, contacts, joints: 0 }).map_err(value_error)?;
            inner.step(&found, dt).map_err(rejected)
        });
        report_of(py, &stepped?)
    }

    fn search_margin(&self, dt: f64) -> PyResult<f64> {
        Ok(self.lock()?.search_margin(dt))
    }

    /// Positions, orientations, linear or angular velocities.
    fn states<'py>(&self, py: Python<'py>, which: usize) -> PyResult<Bound<'py, PyAny>> {
        let states = self.lock()?.states();
        let of = |(x, q, v, w): &BodyState| match which {
            0 => x.as_slice().to_vec(),
            1 => vec![q.w, q.i, q.j, q.k],
            2 => v.as_slice().to_vec(),
            _ => w.as_slice().to_vec(),
        };
        Ok(array(py, states.iter().flat_map(of).collect(), if which == 1 { 4 } else { 3 }))
    }

    /// The contacts of the last step.
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let contacts = self.lock()?.contacts();
        let all = PyDict::new(py);
        for (k, name) in ["a", "b"].into_iter().enumerate() {
            let bodies: Vec<i64> = contacts.iter().map(|contact| contact.bodies[k] as i64).collect();
            all.set_item(name, bodies.into_pyarray(py))?;
        }
        for (k, name) in ["normal", "r_a", "r_b", "tangent_impulse"].into_iter().enumerate() {
            let vectors = contacts.iter().flat_map(|contact| contact.vectors[k].as_slice().to_vec());
            all.set_item(name, array(py, vectors.collect(), 3))?;
        }
        for (k, name) in ["depth", "normal_impulse", "bounce_impulse"].into_iter().enumerate() {
            let numbers: Vec<f64> = contacts.iter().map(|contact| contact.numbers[k]).collect();
            all.set_item(name, numbers.into_pyarray(py))?;
        }
        let ids: Vec<i64> = contacts.iter().map(|contact| contact.id).collect();
        all.set_item("id", ids.into_pyarray(py))?;
        all.set_item("state", contacts.iter().map(|contact| state_name(contact.state)).collect::<Vec<_>>())?;
        Ok(all)
    }

    /// The joints after the last step.
    fn joints<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let joints = self.lock()?.joints();
        let all = PyDict::new(py);
        for (k, name) in ["a", "b"].into_iter().enumerate() {
            let bodies: Vec<i64> = joints.iter().map(|joint| joint.bodies[k] as i64).collect();
            all.set_item(name, bodies.into_pyarray(py))?;
        }
        for (k, name) in ["position", "error"].into_iter().enumerate() {
            let numbers: Vec<f64> = joints.iter().map(|joint| joint.numbers[k]).collect();
            all.set_item(name, numbers.into_pyarray(py))?;
        }
        for (k, name) in ["force", "torque"].into_iter().enumerate() {
            let vectors = joints.iter().flat_map(|joint| joint.vectors[k].as_slice().to_vec());
            all.set_item(name, array(py, vectors.collect(), 3))?;
        }
        Ok(all)
    }

    fn digest(&self) -> PyResult<String> {
        Ok(format!("{:016x}", self.lock()?.digest()))
    }
}

/// Rows of numbers as an array.
fn array<'py>(py: Python<'py>, numbers: Vec<f64>, width: usize) -> Bound<'py, PyAny> {
    let rows = numbers.len() / width;
    let array: Array<f64, Ix2> = Array::from_shape_vec((rows, width), numbers).unwrap_or_default();
    array.into_pyarray(py).into_any()
}

fn report_of<'py>(py: Python<'py>, report: &Reported) -> PyResult<Bound<'py, PyDict>> {
    let (all, ledger, joint_work) = (PyDict::new(py), PyDict::new(py), PyDict::new(py));
    all.set_item("status", status_name(report.status))?;
    all.set_item("reason", recorded_status(report.status))?;
    report.counts.iter().try_for_each(|(name, count)| all.set_item(*name, count))?;
    report.flags.iter().try_for_each(|(name, flag)| all.set_item(*name, flag))?;
    report.figures.iter().try_for_each(|(name, figure)| all.set_item(*name, figure))?;
    report.ledger.iter().try_for_each(|(name, figure)| ledger.set_item(*name, figure))?;
    all.set_item("ledger", ledger)?;
    report.joint_work.iter().try_for_each(|(name, figure)| joint_work.set_item(*name, figure))?;
    all.set_item("joint_work", joint_work)?;
    Ok(all)
}

/// The points of a step, in arrays of k entries.
struct Points<'py> {
    indices: [PyReadonlyArray<'py, i64, Ix1>; 2],
    ids: Option<PyReadonlyArray<'py, i64, Ix1>>,
    vectors: [PyReadonlyArray<'py, f64, Ix2>; 3],
    numbers: [Option<PyReadonlyArray<'py, f64, Ix1>>; 3],
    count: usize,
}

impl<'py> Points<'py> {
    fn new(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        let all = fields("manifolds", given, &POINT_FIELDS)?;
        let missing = |at: usize| value_error(format!("manifolds.{}: missing", POINT_FIELDS[at]));
        let of = |at: usize| all[at].as_ref().ok_or_else(|| missing(at));
        let count = match *of(0)?.shape() {
            [count] => count,
            _ => return Err(of(0)?.wrong_shape("(points,)")),
        };
        let number = |at: usize| all[at].as_ref().map(|array: &Named<'py>| array.floats(&[count])).transpose();
        for (one, other) in [(7, 8), (8, 7)] {
            if all[one].is_some() && all[other].is_none() {
                let (given, missing) = (POINT_FIELDS[one], POINT_FIELDS[other]);
                return Err(value_error(format!("manifolds.{missing}: missing, {given} is given")));
            }
        }
        Ok(Points {
            indices: [of(0)?.integers(&[count])?, of(1)?.integers(&[count])?],
            ids: all[6].as_ref().map(|array| array.integers(&[count])).transpose()?,
            vectors: [of(2)?.floats(&[count, 3])?, of(3)?.floats(&[count, 3])?, of(4)?.floats(&[count, 3])?],
            numbers: [number(5)?, number(7)?, number(8)?],
            count,
        })
    }

    fn index(&self, at: usize, k: usize) -> PyResult<usize> {
        let index = self.indices[at].as_array()[k];
        let low = || value_error(format!("manifolds.{}[{k}]: {index} is below 0", POINT_FIELDS[at]));
        usize::try_from(index).map_err(|_| low())
    }

    fn vector(&self, at: usize, k: usize) -> Vector3<f64> {
        let array = self.vectors[at].as_array();
        Vector3::new(0, 1, 2).map(|axis| array[[k, axis]])
    }

    fn number(&self, at: usize, k: usize) -> Option<f64> {
        self.numbers[at].as_ref().map(|array| array.as_array()[k])
    }

    /// The id of a point; one below 0 is none.
    fn id(&self, k: usize) -> PyResult<PointId> {
        let id = self.ids.as_ref().map_or(-1, |ids| ids.as_array()[k]);
        if id < 0 {
            return Ok(PointId::Proximity);
        }
        let high = || value_error(format!("manifolds.{}[{k}]: {id}, must be below 4294967296", POINT_FIELDS[6]));
        u32::try_from(id).map(PointId::Feature).map_err(|_| high())
    }

    fn point(&self, k: usize) -> PyResult<ManifoldPoint<f64>> {
        let [normal, on_a, on_b] = [0, 1, 2].map(|at: usize| self.vector(at, k));
        let depth = self.number(0, k).unwrap_or_else(|| (on_a - on_b).dot(&normal));
        Ok(ManifoldPoint { on_a, on_b, depth, id: self.id(k)? })
    }

    fn material(&self, k: usize) -> Option<Material<f64>> {
        let (mu, restitution) = (self.number(1, k)?, self.number(2, k)?);
        Some(Material { mu, restitution })
    }
}

/// Manifolds: points that follow each other, of one pair, with one normal.
fn manifolds_of(given: &Bound<'_, PyAny>) -> PyResult<Vec<Manifold<f64>>> {
    let points = Points::new(given)?;
    let mut found: Vec<Manifold<f64>> = Vec::new();
    for k in 0..points.count {
        let (a, b) = (points.index(0, k)?, points.index(1, k)?);
        let head = Manifold { material: points.material(k), ..Manifold::new(a, b, points.vector(0, k)) };
        let is_same = |last: &&mut Manifold<f64>| {
            let is_pair = (last.a, last.b, last.normal, last.material) == (a, b, head.normal, head.material);
            is_pair && !last.points.is_full()
        };
        match found.last_mut().filter(is_same) {
            Some(last) => last.points.push(points.point(k)?),
            None => {
                let mut manifold = head;
                manifold.points.push(points.point(k)?);
                found.push(manifold);
            }
        }
    }
    Ok(found)
}
