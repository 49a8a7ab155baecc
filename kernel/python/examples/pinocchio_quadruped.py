#!/usr/bin/env python3
"""A quadruped with Pinocchio's dynamics and stiction's contacts, and Pinocchio's own solvers on the same problems.

    pinocchio_quadruped.py [--plot FILE]       (needs: pip install numpy "pin>=4"; matplotlib for --plot)

The robot is built here: a trunk and four legs of three joints, held by PD control, on four point feet. It stands on
rough ground. Then the ground becomes slippery and the trunk is pushed: all feet slide. At each time step Pinocchio
gives the Delassus matrix W = J inv(M) J' and the free velocity q = J (v + dt a) of the feet, `stiction.delassus_batch`
the impulses x, and the velocity becomes v + dt a + inv(M) J' x. The control is implicit: dt D + dt^2 K is added to the
inertia of the joints. Feet on soft legs hardly feel each other; on stiff legs they do, and the problem is harder.

Then all problems are solved again, from zero: by stiction in one call and in one call a problem, and by Pinocchio's
solvers ADMM and PGS, which take one problem a call. All solve Coulomb's law with the De Saxce correction and without
compliance. Pinocchio's four tolerances are set to the value that is printed, it may do ITERATIONS iterations, and all
else is as it has it. A tolerance means something else to each solver: compare by the residual, which is computed here,
see `residuals`. Times are those of the calls alone, the best of RUNS runs over all problems. The way from Python into
the library and back is in them, once a problem for Pinocchio and for stiction "by one"; "inside" is Pinocchio's own
clock, which starts after its setup. Matrices are put into Pinocchio's form before. Iterations are sweeps for stiction;
where they do not suffice, Newton's method follows, and its steps are not counted.

Units: m, kg, s, N, N s, rad. Exit status: 0, 1 if a check fails, 2 without the packages.
"""
import argparse
import sys
import time

try:
    import numpy as np
    import pinocchio as pin
    import stiction
    pin.ADMMConstraintSolver  # new in version 4
except (ImportError, AttributeError) as missing:
    print(f'{missing}; pip install numpy "pin>=4", and pip install ./kernel/python', file=sys.stderr)
    sys.exit(2)

DT, STAND, SLIP = 1e-3, 1.0, 0.4  # s
ROUGH, SLIPPERY, PUSH = 0.8, 0.1, np.array([30.0, 15.0, 0.0])  # N, on the trunk
LEGS, ROTOR = {"soft": (200.0, 8.0), "stiff": (20_000.0, 400.0)}, 0.02  # N m/rad, N m s/rad; kg m^2
FEET, ITERATIONS, RUNS = 4, 10_000, 3
# Pinocchio has two tangents, then the normal; stiction the normal first.
NORMAL_FIRST = np.arange(3 * FEET).reshape(FEET, 3)[:, [2, 0, 1]].ravel()
NORMAL_LAST = np.argsort(NORMAL_FIRST)
at = lambda x, y, z: pin.SE3(np.eye(3), np.array([x, y, z], float))


def quadruped():
    """The model, and the frames of its feet."""
    model, feet = pin.Model(), []
    trunk = model.addJoint(0, pin.JointModelFreeFlyer(), at(0, 0, 0), "trunk")
    model.appendBodyToJoint(trunk, pin.Inertia.FromBox(12.0, 0.6, 0.3, 0.12), at(0, 0, 0))
    for leg, x, y in (("lf", 0.25, 0.15), ("rf", 0.25, -0.15), ("lh", -0.25, 0.15), ("rh", -0.25, -0.15)):
        hip = model.addJoint(trunk, pin.JointModelRX(), at(x, y, 0), leg + "_hip")
        thigh = model.addJoint(hip, pin.JointModelRY(), at(0, 0, 0), leg + "_thigh")
        shank = model.addJoint(thigh, pin.JointModelRY(), at(0, 0, -0.2), leg + "_shank")
        model.appendBodyToJoint(hip, pin.Inertia.FromSphere(0.5, 0.05), at(0, 0, 0))
        model.appendBodyToJoint(thigh, pin.Inertia.FromBox(1.0, 0.03, 0.03, 0.2), at(0, 0, -0.1))
        model.appendBodyToJoint(shank, pin.Inertia.FromBox(0.2, 0.02, 0.02, 0.2), at(0, 0, -0.1))
        feet.append(model.addFrame(pin.Frame(leg + "_foot", shank, at(0, 0, -0.2), pin.FrameType.OP_FRAME)))
    return model, feet


class Robot:
    def __init__(self, stiffness, damping):
        (self.model, self.feet), self.stiffness, self.damping = quadruped(), stiffness, damping
        self.model.armature = np.repeat([0.0, ROTOR + DT * damping + DT**2 * stiffness], [6, 3 * FEET])
        self.data = self.model.createData()
        self.pose = np.tile([0.0, 0.8, -1.6], FEET)  # rad: hip, thigh, shank
        self.q, self.v = np.concatenate([pin.neutral(self.model)[:7], self.pose]), np.zeros(self.model.nv)
        pin.framesForwardKinematics(self.model, self.data, self.q)
        self.q[2] = -self.foot_points()[0, 2]
        self.weight = pin.computeTotalMass(self.model) * 9.81

    def foot_points(self):
        return np.array([self.data.oMf[foot].translation for foot in self.feet])

    def constraints(self, mu):
        """Pinocchio's point contacts between the ground, in the world's axes, and the feet."""
        models, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
        for foot, point in zip(self.feet, self.foot_points()):
            of = self.model.frames[foot]
            contact = pin.PointContactConstraintModel(self.model, 0, at(*point), of.parentJoint, of.placement)
            contact.setFriction(mu)
            models.append(pin.ConstraintModel(contact))
            datas.append(models[-1].createData())
            models[-1].calc(self.model, self.data, datas[-1])
        return models, datas

    def contact_problem(self, mu, push):
        """Velocity without contacts; Delassus matrix, free velocity and inv(M) J' with normals first."""
        model, data = self.model, self.data
        motors = self.stiffness * (self.pose - self.q[7:] - DT * self.v[6:]) - self.damping * self.v[6:]
        tau = np.concatenate([pin.XYZQUATToSE3(self.q[:7]).rotation.T @ push, np.zeros(3), motors])
        v = self.v + DT * pin.aba(model, data, self.q, self.v, tau)
        pin.crba(model, data, self.q)
        pin.computeJointJacobians(model, data, self.q)
        pin.updateFramePlacements(model, data)
        models, datas = self.constraints(mu)
        factors = pin.ConstraintCholeskyDecomposition(model, data, models, datas)
        factors.compute(model, data, models, datas, 0.0)
        W = factors.getDelassusOperatorCholeskyExpression().matrix()
        J = np.vstack([contact.jacobian(model, data, of) for contact, of in zip(models, datas)])[NORMAL_FIRST]
        free, gap = J @ v, self.foot_points()[:, 2]
        # An open foot may come down as far as the ground; one below it is brought back in some ten steps.
        free[::3] += np.where(gap > 0.0, gap, 0.1 * gap) / DT
        return v, W[np.ix_(NORMAL_FIRST, NORMAL_FIRST)], free, pin.computeMinverse(model, data, self.q) @ J.T

    def step(self, mu, push):
        v, W, free, response = self.contact_problem(mu, push)
        answer = stiction.delassus_batch(W[None], free[None], np.full((1, FEET), mu))
        self.v = v + response @ answer.impulses[0]
        self.q = pin.integrate(self.model, self.q, DT * self.v)
        return W, free, np.full(FEET, mu), answer.impulses[0], answer.velocities[0], self.q[:3].copy()


def residuals(W, q, mu, x):
    """The natural map of Coulomb's law as a velocity, over the norm of q, (n,): zero exactly at solutions.

    Per contact: k (x - P(x - (u + mu |u_t| n) / k)) with u = W x + q, P the projection onto the cone |x_t| <= mu x_n,
    and k the mean of the diagonal of the contact's own block of W. The norm is over all contacts."""
    n, c = mu.shape
    k = np.einsum("nii->ni", W).reshape(n, c, 3).mean(2, keepdims=True)
    u = (np.einsum("nij,nj->ni", W, x) + q).reshape(n, c, 3)
    u[..., 0] += mu * np.linalg.norm(u[..., 1:], axis=2)
    x = x.reshape(n, c, 3)
    z = x - u / k
    size = np.linalg.norm(z[..., 1:], axis=2)
    normal = np.maximum((z[..., 0] + mu * size) / (1.0 + mu**2), 0.0)
    on_cone = np.insert((mu * normal / np.maximum(size, 1e-300))[..., None] * z[..., 1:], 0, normal, axis=2)
    nearest = np.where((size <= mu * z[..., 0])[..., None], z, on_cone)
    return np.linalg.norm((k * (x - nearest)).reshape(n, -1), axis=1) / np.linalg.norm(q, axis=1)


def with_stiction(W, q, mu, by_one=False, **settings):
    calls = list(zip(W[:, None], q[:, None], mu[:, None])) if by_one else [(W, q, mu)]

    def run():
        begin = time.perf_counter()
        answers = [stiction.delassus_batch(*given, **settings) for given in calls]
        return time.perf_counter() - begin, answers

    seconds, answers = min((run() for _ in range(RUNS)), key=lambda run: run[0])
    whole = lambda of: np.concatenate([getattr(answer, of) for answer in answers])
    return whole("impulses"), whole("status") == "converged", whole("sweeps"), seconds, np.nan


def with_pinocchio(kind, tolerance, W, q, mu, constraints):
    solver, settings = getattr(pin, kind + "ConstraintSolver")(3 * FEET), getattr(pin, kind + "SolverSettings")()
    settings.max_iterations, settings.measure_timings = ITERATIONS, True
    for of in ("absolute_feasibility", "relative_feasibility", "absolute_complementarity", "relative_complementarity"):
        setattr(settings, of + "_tol", tolerance)

    def run():
        operators = [pin.DelassusOperatorDense(np.asfortranarray(one)) for one in W[:, NORMAL_LAST][:, :, NORMAL_LAST]]
        results = [getattr(pin, kind + "SolverResult")() for _ in W]
        seconds = inside = 0.0
        for operator, free, one_mu, result in zip(operators, q[:, NORMAL_LAST], mu[:, 0], results):
            models, datas = constraints[one_mu]
            begin = time.perf_counter()
            solver.solve(operator, free, models, datas, settings, result)
            seconds += time.perf_counter() - begin
            inside += solver.getElapsedTime() * 1e-6
        return seconds, inside, results

    seconds, inside, results = min((run() for _ in range(RUNS)), key=lambda run: run[0])
    x = np.array([result.retrieveConstraintImpulses() for result in results])[:, NORMAL_FIRST]
    converged, iterations = np.array([(result.converged, result.iterations) for result in results]).T
    return x, converged == 1, iterations, seconds, inside


def compare(robot, W, q, mu):
    """Prints the table; returns residuals by solver."""
    constraints = {one: robot.constraints(one) for one in np.unique(mu)}
    solvers = {
        "stiction, one call": lambda: with_stiction(W, q, mu),
        "stiction, 1 thread": lambda: with_stiction(W, q, mu, threads=1),
        "stiction 1e-06, 1 th": lambda: with_stiction(W, q, mu, threads=1, tolerance=1e-6),
        "stiction, by one": lambda: with_stiction(W, q, mu, by_one=True, threads=1),
    }
    for kind in ("ADMM", "PGS"):
        for given in (1e-6, 1e-8, 1e-10):
            solvers[f"{kind} {given:.0e}"] = lambda a=kind, b=given: with_pinocchio(a, b, W, q, mu, constraints)
    found = {}
    print(f"{len(W)} problems of {FEET} contacts    residual        us a problem       iterations      not")
    print("                         worst   median     call   inside   median    max  converged")
    for name, solve in solvers.items():
        x, converged, count, seconds, inside = solve()
        found[name] = residuals(W, q, mu, x)
        figures = f"{found[name].max():9.1e}{np.median(found[name]):9.1e}"
        figures += f"{1e6 * seconds / len(W):9.1f}{1e6 * inside / len(W):9.1f}".replace("nan", "  -")
        print(f"{name:21}{figures}{np.median(count):9.0f}{count.max():7d}{np.sum(~converged):11d}")
    return found


def check(text, good):
    print(f"{'ok  ' if good else 'FAIL'} {text}")
    return bool(good)


def check_motion(robot, mu, x, u, trunk):
    """Prints what the robot did, and whether it is what the laws ask for."""
    x, u, standing = x.reshape(-1, FEET, 3), u.reshape(-1, FEET, 3), mu[:, 0] == ROUGH
    quiet = np.flatnonzero(standing)[-100:]
    force, slid = x[..., 0].sum(1) / DT, np.linalg.norm(trunk[-1, :2] - trunk[quiet[-1], :2])
    speed, friction = (np.linalg.norm(of[..., 1:], axis=2) for of in (u, x))
    print(f"standing: height {trunk[quiet[-1], 2]:.4f} m, on feet {force[quiet].mean():.3f} N of {robot.weight:.3f} N")
    print(f"slipping: {slid:.4f} m, at the end {speed[-1].mean():.4f} m/s")
    slides = (x[..., 0] > 1e-6) & (speed > 1e-3) & ~standing[:, None]
    bound = SLIPPERY * x[slides, 0]
    against = np.einsum("ij,ij->i", x[slides][:, 1:], u[slides][:, 1:]) / (friction[slides] * speed[slides])
    return [
        check("the feet carry the weight, to 1e-3", np.isclose(force[quiet].mean(), robot.weight, 1e-3)),
        check("no foot moves while the robot stands, to 1e-6 m/s", np.abs(u[quiet]).max() < 1e-6),
        check("all feet slide at the end", slides[-100:].all() and slid > 0.01),
        check("friction of sliding is mu times normal force, to 1e-7", np.allclose(friction[slides], bound, 1e-7)),
        check("and against the velocity, to 1e-7", np.allclose(against, -1.0, 1e-7)),
        check("no foot is below the ground by more than 0.1 mm", robot.foot_points()[:, 2].min() > -1e-4),
    ]


def plot(file, found):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(found), sharey=True, figsize=(12, 4))
    for graph, (legs, by_solver) in zip(axes, found.items()):
        for name, residual in by_solver.items():
            graph.semilogy(DT * np.arange(len(residual)), np.maximum(residual, 1e-17), label=name, linewidth=0.8)
        graph.set(title=f"residual, {legs} legs", xlabel="time, s")
    graph.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.savefig(file, bbox_inches="tight")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", metavar="FILE", help="picture of forces and residuals")
    file, good, found = parser.parse_args().plot, [], {}
    for legs, control in LEGS.items():
        print(f"--- {legs} legs")
        robot = Robot(*control)
        steps = [(ROUGH, 0.0 * PUSH)] * round(STAND / DT) + [(SLIPPERY, PUSH)] * round(SLIP / DT)
        W, q, mu, x, u, trunk = (np.array(of) for of in zip(*(robot.step(*given) for given in steps)))
        good += check_motion(robot, mu, x, u, trunk)
        found[legs] = compare(robot, W, q, mu)
        good.append(check("residuals of stiction are at most 1e-8", found[legs]["stiction, one call"].max() <= 1e-8))
    if file:
        plot(file, found)
    return int(not all(good))


if __name__ == "__main__":
    sys.exit(main())
