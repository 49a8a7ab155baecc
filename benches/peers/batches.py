#!/usr/bin/env python3
"""Solves small contact problems with the Python package, and with peers.

    batches.py FOLDER ours         answers each line `PRECISION EFFORT THREADS` of standard input with a line of figures:
                                   seconds, bytes a problem that a call adds to the memory of the process
    batches.py FOLDER count PRECISION EFFORT TIMES      solves them so many times on one thread, for a tool that counts
    batches.py FOLDER stiction COUNT
    batches.py FOLDER pinocchio COUNT      (pip install pin)
    batches.py FOLDER mujoco COUNT         (pip install "mujoco>=4")
    batches.py FOLDER siconos COUNT        (Debian: apt-get install python3-siconos, and the Python of the system)

FOLDER has the problems as raw arrays, written by the benchmark `batches`. Solvers solve the first COUNT problems on
one thread, peers one problem a call, and print CSV lines: solver,microseconds a problem,mean iterations,solved,median
residual,largest residual. Only the call that solves is timed. The residual is the natural map of the exact Coulomb
problem in units of the largest free velocity, computed here for all.
"""
import os
import pathlib
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

# Beside this program are others with the names of packages.
sys.path.remove(str(pathlib.Path(__file__).resolve().parent))

import numpy as np

TIME_STEP = 1.0 / 60.0
TOLERANCE = 1e-8
EFFORTS = {
    "sweeps10": {"sweeps": 10, "tolerance": 0.0},
    "default": {},
    "sweeps": {"method": "sweeps"},
    "exact": {"sweeps": 1000, "tolerance": TOLERANCE},
}


class Problems:
    """The arrays of the folder."""

    def __init__(self, folder):
        self.n, self.b, self.c = map(int, (folder / "shape").read_text().split())

        def read(name, *shape):
            numbers = np.fromfile(folder / name).reshape(self.n, *shape)
            return numbers.astype(np.int64) if name in ("a", "b") else numbers

        self.bodies = {"inverse_mass": read("inverse_mass", self.b),
                       "inverse_inertia": read("inverse_inertia", self.b, 3, 3),
                       "linear": read("linear", self.b, 3), "angular": read("angular", self.b, 3)}
        self.contacts = {name: read(name, self.c) for name in ("a", "b", "mu")}
        self.contacts |= {name: read(name, self.c, 3) for name in ("normal", "r_a", "r_b")}

    def single(self, precision):
        """The arrays in a precision."""
        kind = {"f32": np.float32, "f64": np.float64}[precision]
        convert = lambda array: array if array.dtype == np.int64 else array.astype(kind)
        return [{name: convert(array) for name, array in arrays.items()} for arrays in (self.bodies, self.contacts)]

    def first(self, count):
        """The first problems alone."""
        cut = lambda arrays: {name: np.ascontiguousarray(array[:count]) for name, array in arrays.items()}
        return cut(self.bodies), cut(self.contacts)

    def axes(self, count):
        """Normal and two tangents of the first problems' contacts."""
        normal = self.contacts["normal"][:count]
        helper = np.where(np.abs(normal[..., :1]) < 0.6, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
        one = np.cross(normal, helper)
        one /= np.linalg.norm(one, axis=-1, keepdims=True)
        return np.stack([normal, one, np.cross(normal, one)], axis=-2)

    def delassus(self, count):
        """W and the free velocity of the first problems, with rows along normal and two tangents."""
        axes, size = self.axes(count), 3 * self.c
        jacobian = np.zeros((count, self.c, 3, self.b, 6))
        for side, arm, sign in (("a", "r_a", -1.0), ("b", "r_b", 1.0)):
            body, arm = self.contacts[side][:count], self.contacts[arm][:count]
            turning = np.cross(arm[:, :, None, :], axes)
            block = sign * np.concatenate([axes, turning], axis=-1)
            jacobian[np.arange(count)[:, None], np.arange(self.c)[None, :], :, body] += block
        inverse = np.zeros((count, self.b, 6, 6))
        inverse[..., :3, :3] = self.bodies["inverse_mass"][:count, :, None, None] * np.eye(3)
        inverse[..., 3:, 3:] = self.bodies["inverse_inertia"][:count]
        velocity = np.concatenate([self.bodies["linear"], self.bodies["angular"]], axis=-1)[:count]
        moved = np.einsum("nckbi,nbij->nckbj", jacobian, inverse).reshape(count, size, -1)
        jacobian = jacobian.reshape(count, size, -1)
        return moved @ jacobian.transpose(0, 2, 1), (jacobian @ velocity.reshape(count, -1, 1))[..., 0]


def residuals(w, q, mu, impulses):
    """The natural map of each problem: how far impulses are from what the friction cone makes of impulse less velocity."""
    x = impulses.reshape(len(q), -1, 3)
    u = (np.einsum("nij,nj->ni", w, impulses.reshape(len(q), -1)) + q).reshape(x.shape)
    u[..., 0] += mu * np.hypot(u[..., 1], u[..., 2])
    # Velocities in units of impulses: over the diagonal blocks' mean.
    diagonal = np.einsum("nii->ni", w).reshape(x.shape).mean(axis=-1, keepdims=True)
    step = x - onto_cone(x - u / diagonal, mu)
    return np.abs(step * diagonal).max(axis=(1, 2)) / np.abs(q).max(axis=1)


def onto_cone(x, mu):
    """The nearest point of the friction cone |x_t| <= mu x_n."""
    normal, tangent = x[..., 0], np.hypot(x[..., 1], x[..., 2])
    height = np.maximum((normal + mu * tangent) / (1.0 + mu * mu), 0.0)
    length = np.where(tangent > 0.0, tangent, 1.0)
    nearest = np.concatenate([height[..., None], x[..., 1:] * (mu * height / length)[..., None]], axis=-1)
    return np.where((tangent <= mu * normal)[..., None], x, nearest)


def ours(problems):
    """Times calls of `solve_batch`."""
    import stiction

    print("ready", flush=True)
    for line in sys.stdin:
        precision, effort, threads = line.split()
        bodies, contacts = problems.single(precision)
        before = resident()
        begin = time.perf_counter()
        answers = stiction.solve_batch(bodies, contacts, settings=EFFORTS[effort], threads=int(threads))
        seconds = time.perf_counter() - begin
        print(seconds, (resident() - before) / problems.n, flush=True)
        del answers


def counted(problems, precision, effort, times):
    """Solves all problems so many times."""
    import stiction

    bodies, contacts = problems.single(precision)
    for _ in range(int(times)):
        stiction.solve_batch(bodies, contacts, settings=EFFORTS[effort], threads=1)


def resident():
    """Bytes of memory of this process."""
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def report(solver, seconds, iterations, solved, left):
    print(f"{solver},{1e6 * seconds:.2f},{np.mean(iterations):.1f},{np.mean(solved):.4f},{np.median(left):.2e},"
          f"{left.max():.2e}", flush=True)


def fastest(solve, count, rounds=5):
    """The fastest of so many passes over all problems: seconds a problem, and what the last pass answers."""
    best = float("inf")
    for _ in range(rounds):
        seconds, answers = 0.0, []
        for index in range(count):
            spent, answer = solve(index)
            seconds += spent
            answers.append(answer)
        best = min(best, seconds / count)
    return best, [np.array(part) for part in zip(*answers)]


def stiction_here(problems, count):
    """Our own package, all problems in one call: from bodies and contacts, and from matrices."""
    import stiction

    w, q = problems.delassus(count)
    bodies, contacts = problems.first(count)
    axes = problems.axes(count)

    def along_axes(answers):
        tangent = np.einsum("ncki,nci->nck", axes[..., 1:, :], answers.tangent)
        return np.concatenate([answers.normal[..., None], tangent], axis=-1).reshape(count, -1)

    calls = {effort: (lambda settings: stiction.solve_batch(bodies, contacts, settings=settings, threads=1), along_axes)
             for effort in ("sweeps10", "default", "exact")}
    calls["exact, from matrices"] = (
        lambda settings: stiction.delassus_batch(w, q, contacts["mu"], **settings, threads=1), lambda it: it.impulses)
    for name, (call, impulses) in calls.items():
        best = float("inf")
        for _ in range(5):
            begin = time.perf_counter()
            answers = call(EFFORTS[name.partition(",")[0]])
            best = min(best, (time.perf_counter() - begin) / count)
        left = residuals(w, q, contacts["mu"], impulses(answers))
        report(f"stiction {name}".replace(",", ""), best, answers.sweeps, answers.status == "converged", left)


def pinocchio(problems, count):
    """Pinocchio's ADMM and PGS on dense matrices, to the tolerance that is given them."""
    import pinocchio as pin

    w, q = problems.delassus(count)
    # Pinocchio has the normal last.
    last = np.concatenate([3 * np.arange(problems.c)[:, None] + k for k in (1, 2, 0)], axis=1).ravel()
    back = np.argsort(last)
    model = pin.Model()
    body = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "body")
    model.appendBodyToJoint(body, pin.Inertia.Random(), pin.SE3.Identity())

    def prepared(index):
        models, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
        for mu in problems.contacts["mu"][index]:
            contact = pin.PointContactConstraintModel(model, body)
            contact.setFriction(float(mu))
            contact.setCompliance(np.zeros(3))
            models.append(pin.ConstraintModel(contact))
            datas.append(models[-1].createData())
        matrix = np.asfortranarray(w[index][np.ix_(last, last)])
        return matrix, q[index][last].copy(), models, datas

    given = [prepared(index) for index in range(count)]
    for name, tolerance in (("ADMM", 1e-6), ("ADMM", TOLERANCE), ("PGS", TOLERANCE)):
        make = {"ADMM": (pin.ADMMConstraintSolver, pin.ADMMSolverSettings, pin.ADMMSolverResult),
                "PGS": (pin.PGSConstraintSolver, pin.PGSSolverSettings, pin.PGSSolverResult)}[name]

        def solve(index):
            matrix, free, models, datas = given[index]
            solver, settings, result = (kind() for kind in make)
            settings.max_iterations = 1000
            for kind in ("absolute", "relative"):
                setattr(settings, f"{kind}_feasibility_tol", tolerance)
                setattr(settings, f"{kind}_complementarity_tol", tolerance)
            operator = pin.DelassusOperatorDense(matrix)
            begin = time.perf_counter()
            done = solver.solve(operator, free, models, datas, settings, result)
            seconds = time.perf_counter() - begin
            return seconds, (result.retrieveConstraintImpulses()[back], result.iterations, done)

        seconds, (impulses, iterations, done) = fastest(solve, count)
        left = residuals(w, q, problems.contacts["mu"][:count], impulses)
        report(f"Pinocchio {name} {tolerance:g}", seconds, iterations, done, left)


def siconos(problems, count):
    """Siconos' NSGS on dense matrices."""
    import siconos.numerics as sn

    w, q = problems.delassus(count)

    def solve(index):
        mu = problems.contacts["mu"][index].copy()
        problem = sn.FrictionContactProblem(3, np.asfortranarray(w[index]), q[index].copy(), mu)
        options = sn.SolverOptions(sn.SICONOS_FRICTION_3D_NSGS)
        options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = 1000
        options.dparam[sn.SICONOS_DPARAM_TOL] = TOLERANCE
        impulses, velocities = np.zeros(3 * problems.c), np.zeros(3 * problems.c)
        begin = time.perf_counter()
        failed = sn.fc3d_nsgs(problem, impulses, velocities, options)
        seconds = time.perf_counter() - begin
        return seconds, (impulses, options.iparam[sn.SICONOS_IPARAM_ITER_DONE], failed == 0)

    seconds, (impulses, iterations, done) = fastest(solve, count)
    left = residuals(w, q, problems.contacts["mu"][:count], impulses)
    report(f"Siconos NSGS {TOLERANCE:g}", seconds, iterations, done, left)


def mujoco(problems, count):
    """The constraint solvers of MuJoCo on the same contact set. Its contacts are soft: it solves another problem."""
    import mujoco as mj

    for solver in ("Newton", "CG", "PGS"):
        bench = Soft(mj, problems, solver)
        seconds, (impulses, iterations) = fastest(bench.solve, count)
        w, q = problems.delassus(count)
        left = residuals(w, q, problems.contacts["mu"][:count], impulses)
        report(f"MuJoCo {solver}", seconds, iterations, np.ones(count), left)


class Soft:
    """A model of MuJoCo with as many free bodies and contacts, which takes over the numbers of a problem."""

    def __init__(self, mj, problems, solver):
        self.mj, self.problems, self.axes = mj, problems, problems.axes(problems.n)
        feet = problems.c // (problems.b - 1)
        sphere = '<geom type="sphere" size="0.1" pos="{} 0 0"/>'
        body = '<body pos="{} 0 0.0999"><freejoint/>' + "".join(sphere.format(0.3 * k) for k in range(feet)) + "</body>"
        bodies = "".join(body.format(5.0 * k) for k in range(problems.b - 1))
        self.model = mj.MjModel.from_xml_string(
            f'<mujoco><option cone="elliptic" solver="{solver}" timestep="{TIME_STEP}" gravity="0 0 0"/>'
            f'<worldbody><geom type="plane" size="100 100 1"/>{bodies}</worldbody></mujoco>')
        self.data = mj.MjData(self.model)

    def load(self, index):
        """Masses, velocities and contacts of a problem, and all that MuJoCo computes before its solver begins."""
        mj, model, data = self.mj, self.model, self.data
        mj.mj_resetData(model, data)
        mj.mj_kinematics(model, data)
        mj.mj_collision(model, data)
        self.put_bodies(index)
        for part in (mj.mj_kinematics, mj.mj_comPos, mj.mj_crb, mj.mj_factorM):
            part(model, data)
        self.put_contacts(index)
        mj.mj_makeConstraint(model, data)
        mj.mj_projectConstraint(model, data)
        mj.mj_fwdVelocity(model, data)
        # Velocities are those without contacts already.
        data.qfrc_smooth[:] = data.qacc_smooth[:] = data.qacc_warmstart[:] = 0.0
        if index == 0:
            self.check(index)

    def put_bodies(self, index):
        """One above the other, so that the two arms of each contact end in the same point."""
        bodies = self.problems.bodies
        for body in range(1, self.problems.b):
            values, turn = np.linalg.eigh(bodies["inverse_inertia"][index, body])
            turn *= np.sign(np.linalg.det(turn))
            self.model.body_mass[body] = 1.0 / bodies["inverse_mass"][index, body]
            self.model.body_inertia[body] = 1.0 / values
            # Principal axes and centre of mass are the body's own.
            self.model.body_ipos[body], self.model.body_iquat[body] = 0.0, [1.0, 0.0, 0.0, 0.0]
            place, speed = self.data.qpos[7 * body - 7:7 * body], self.data.qvel[6 * body - 6:6 * body]
            place[:3] = 0.0, 0.0, 0.2 * body
            self.mj.mju_mat2Quat(place[3:], turn.ravel())
            speed[:3], speed[3:] = bodies["linear"][index, body], turn.T @ bodies["angular"][index, body]

    def put_contacts(self, index):
        """The contacts that MuJoCo has found where bodies lie on the plane become those of the problem."""
        contacts = {name: array[index] for name, array in self.problems.contacts.items()}
        for number in range(self.problems.c):
            contact, body = self.data.contact[number], contacts["b"][number]
            contact.pos[:] = self.data.xpos[body] + contacts["r_b"][number]
            contact.frame[:] = self.axes[index, number].ravel()
            contact.friction[:2] = contacts["mu"][number]
            contact.geom[:] = [self.model.body_geomadr[contacts[side][number]] for side in "ab"]
            contact.dist = 0.0

    def check(self, index):
        """The matrix of the contacts must be that of the problem."""
        rows, columns = 3 * self.problems.c, self.model.nv
        jacobian = self.data.efc_J.reshape(-1, columns)[:rows]
        mass = np.zeros((columns, columns))
        self.mj.mj_fullM(self.model, self.data, mass)
        wanted = self.problems.delassus(index + 1)[0][index]
        if np.abs(jacobian @ np.linalg.solve(mass, jacobian.T) - wanted).max() > 1e-9 * np.abs(wanted).max():
            sys.exit("mujoco: it has another matrix")

    def solve(self, index):
        self.load(index)
        begin = time.perf_counter()
        self.mj.mj_fwdConstraint(self.model, self.data)
        seconds = time.perf_counter() - begin
        force = self.data.efc_force[:3 * self.problems.c]
        return seconds, (TIME_STEP * force, int(self.data.solver_niter.sum()))


def main():
    words = sys.argv[1:]
    peers = {"stiction": stiction_here, "pinocchio": pinocchio, "mujoco": mujoco, "siconos": siconos}
    commands = {"ours": (ours, 0), "count": (counted, 3)} | {name: (peer, 1) for name, peer in peers.items()}
    command, arguments = commands.get(words[1], (None, 0)) if len(words) > 1 else (None, 0)
    if command is None or len(words) != 2 + arguments:
        sys.exit(__doc__)
    words[2:] = map(int, words[2:]) if arguments == 1 else words[2:]
    try:
        command(Problems(pathlib.Path(words[0])), *words[2:])
    except ImportError as missing:
        sys.exit(f"{words[1]}: {missing}")


if __name__ == "__main__":
    main()
