#!/usr/bin/env python3
"""MuJoCo's model as the source of dynamics, stiction for the contacts, beside MuJoCo's own step.

    mujoco_dynamics.py                         (needs: pip install numpy "mujoco>=4")

At each time step MuJoCo finds the contacts, their frames and Jacobians J, the mass matrix M and the acceleration a
without contacts. From these come the Delassus matrix W = J inv(M) J' and the free velocity q = J (v + dt a);
`stiction.delassus_batch` gives the impulses x; the velocity becomes v + dt a + inv(M) J' x, and MuJoCo integrates the
position. Two scenes are stepped in this way, and as well by mj_step with MuJoCo's default softness:

- Slopes: a box on slopes of eight angles, all in one call a step. Below the friction angle it must stand still: how far
  it creeps is printed. Above, its speed must be that of Coulomb's law, t g (sin a - mu cos a).
- Arm: an arm of two joints pushes two boxes along a floor. The force at its tip must be the boxes' friction.

MuJoCo's contacts are soft on purpose; other settings (impratio, noslip, solref) make it creep less. These are not
tried here. Units: m, kg, s, N, N s. Exit status: 0, 1 if a check fails, 2 without the packages.
"""
import sys

try:
    import mujoco
    import numpy as np
    import stiction
except ImportError as missing:
    print(f'{missing}; pip install numpy "mujoco>=4", and pip install ./kernel/python', file=sys.stderr)
    sys.exit(2)
if int(mujoco.__version__.split(".")[0]) < 4:
    # Before version 4, a geom's gap made a contact that far below the surface active only.
    print(f'MuJoCo {mujoco.__version__} is too old; pip install "mujoco>=4"', file=sys.stderr)
    sys.exit(2)

GRAVITY = 9.81
# A contact is listed from `gap` on, before it closes; MuJoCo's own step acts on it from a distance of 0.
OPTIONS = """<option timestep="0.002" cone="elliptic" integrator="Euler"/>
  <default><geom margin="0" gap="0.005" friction="{mu}" condim="3"/></default>"""
SLOPE_MU, SLOPE_SECONDS = 0.5, 2.0
ANGLES = np.radians([5, 10, 15, 20, 25, 30, 35, 40])
SLOPE = f"""<mujoco>{OPTIONS.format(mu=SLOPE_MU)}
  <worldbody>
    <geom type="plane" size="20 20 1"/>
    <body pos="0 0 0.05"><freejoint/><geom type="box" size="0.1 0.1 0.05" mass="1"/></body>
  </worldbody></mujoco>"""

ARM_MU, ARM_SECONDS, BOX = 0.4, 3.0, 0.05
BENT, STRETCHED = np.radians([60, -120]), np.radians([25, -50])
ARM = f"""<mujoco>{OPTIONS.format(mu=ARM_MU)}
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body pos="0 0 {BOX}">
      <joint name="shoulder" axis="0 0 1" armature="0.05" damping="10"/>
      <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" mass="1" contype="0" conaffinity="0"/>
      <body pos="0.3 0 0">
        <joint name="elbow" axis="0 0 1" armature="0.05" damping="10"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" mass="0.5" contype="0" conaffinity="0"/>
        <geom name="tip" type="sphere" pos="0.3 0 0" size="0.03" mass="0.1" priority="1" friction="1e-5"/>
      </body>
    </body>
    <body name="near" pos="0.40 0 {BOX}"><freejoint/><geom type="box" size="{BOX} {BOX} {BOX}" mass="1"/></body>
    <body name="far" pos="0.52 0 {BOX}"><freejoint/><geom type="box" size="{BOX} {BOX} {BOX}" mass="1"/></body>
  </worldbody>
  <actuator><position joint="shoulder" kp="300"/><position joint="elbow" kp="300"/></actuator></mujoco>"""


class Problem:
    """The contact problem of a state: v, the velocity without contacts; mu, J, W, and the free velocity q."""

    def __init__(self, model, data):
        for stage in (mujoco.mj_fwdPosition, mujoco.mj_fwdVelocity, mujoco.mj_fwdActuation, mujoco.mj_fwdAcceleration):
            stage(model, data)
        dt = model.opt.timestep
        self.v = data.qvel + dt * data.qacc_smooth
        self.geoms = data.contact.geom.copy()
        self.mu = data.contact.friction[:, 0].copy()
        self.J = np.array([jacobian(model, data, contact) for contact in data.contact]).reshape(-1, model.nv)
        self.response = np.zeros_like(self.J)  # inv(M) J', transposed
        mujoco.mj_solveM(model, data, self.response, self.J)
        self.W, self.q = self.J @ self.response.T, self.J @ self.v
        # An open contact may close within the step; a tenth of a depth is taken back.
        gap = data.contact.dist
        self.q[::3] += np.where(gap > 0.0, gap, 0.1 * gap) / dt


def jacobian(model, data, contact):
    """Velocity of the second body's point minus that of the first's, in the contact's frame, which has the normal from
    the first to the second geom and then two tangents: (3, nv)."""
    of_body = np.zeros((2, 3, model.nv))
    for side, geom in enumerate(contact.geom):
        mujoco.mj_jac(model, data, of_body[side], None, contact.pos, model.geom_bodyid[geom])
    return contact.frame.reshape(3, 3) @ (of_body[1] - of_body[0])


def solve(problems):
    """One call for all problems. A problem with fewer contacts than the largest gets open ones, of no effect."""
    c = max(1, *(len(problem.mu) for problem in problems))
    W = np.tile(np.eye(3 * c), (len(problems), 1, 1))
    q, mu = np.ones((len(problems), 3 * c)), np.zeros((len(problems), c))
    for k, problem in enumerate(problems):
        rows = len(problem.q)
        W[k, :rows, :rows], q[k, :rows], mu[k, : rows // 3] = problem.W, problem.q, problem.mu
    answer = stiction.delassus_batch(W, q, mu)
    if not np.all(answer.status == "converged"):
        sys.exit(f"FAIL not converged: {answer}, residual {answer.residual.max():.1e}")
    return [x[: len(problem.q)] for problem, x in zip(problems, answer.impulses)]


def step(models, datas):
    """Steps all scenes with stiction; returns their problems and impulses."""
    problems = [Problem(model, data) for model, data in zip(models, datas)]
    impulses = solve(problems)
    for model, data, problem, x in zip(models, datas, problems, impulses):
        data.qvel[:] = problem.v + problem.response.T @ x
        mujoco.mj_integratePos(model, data.qpos, data.qvel, model.opt.timestep)
        data.time += model.opt.timestep
    return problems, impulses


def step_mujoco(models, datas):
    for model, data in zip(models, datas):
        mujoco.mj_step(model, data)


def check(text, good):
    print(f"{'ok  ' if good else 'FAIL'} {text}")
    return bool(good)


def slide(stepper):
    """Way in the last half, speed at the end, and height of the box, by angle."""
    models = [mujoco.MjModel.from_xml_string(SLOPE) for _ in ANGLES]
    for model, angle in zip(models, ANGLES):
        model.opt.gravity[:] = GRAVITY * np.sin(angle), 0.0, -GRAVITY * np.cos(angle)
    datas = [mujoco.MjData(model) for model in models]
    steps = round(SLOPE_SECONDS / models[0].opt.timestep)
    for k in range(steps):
        if k == steps // 2:
            begin = np.array([data.qpos[0] for data in datas])
        stepper(models, datas)
    place = np.array([data.qpos for data in datas])
    return place[:, 0] - begin, np.array([data.qvel[0] for data in datas]), place[:, 2]


def slopes():
    ours, theirs = slide(step), slide(step_mujoco)
    law = GRAVITY * (np.sin(ANGLES) - SLOPE_MU * np.cos(ANGLES)) * SLOPE_SECONDS
    print(f"slopes: mu {SLOPE_MU}, friction angle {np.degrees(np.arctan(SLOPE_MU)):.2f} degrees")
    print(f"             moved in the last {SLOPE_SECONDS / 2} s, m      speed after {SLOPE_SECONDS} s, m/s")
    print("  degrees      stiction       MuJoCo          law     stiction       MuJoCo")
    for angle, speed, way, v, their_way, their_v in zip(ANGLES, law, *ours[:2], *theirs[:2]):
        print(f"{np.degrees(angle):9.0f}{way:14.2e}{their_way:13.2e}{max(speed, 0.0):13.6f}{v:13.6f}{their_v:13.6f}")
    below = law < 0.0
    error = np.abs(ours[1][~below] / law[~below] - 1.0).max()
    return [
        check("below the friction angle the box moves less than 1e-9 m", np.abs(ours[0][below]).max() < 1e-9),
        check(f"above, its speed is Coulomb's to 1e-6 (off by {error:.1e})", error < 1e-6),
        check("it stays on the surface, to 1e-6 m", np.abs(ours[2] - 0.05).max() < 1e-6),
    ]


def push(stepper):
    """Model and final state, places of both boxes, and the mean force at the tip in the middle third."""
    model = mujoco.MjModel.from_xml_string(ARM)
    data = mujoco.MjData(model)
    data.qpos[:2] = BENT
    tip, forces = model.geom("tip").id, []
    steps = round(ARM_SECONDS / model.opt.timestep)
    for k in range(steps):
        data.ctrl[:] = BENT + (STRETCHED - BENT) * min(1.0, 1.5 * k / steps)  # the last third at rest
        answer = stepper([model], [data])
        if answer and steps / 3 <= k < steps * 2 / 3:
            (problem,), (x,) = answer
            forces.append(x[::3][(problem.geoms == tip).any(1)].sum() / model.opt.timestep)
    mujoco.mj_forward(model, data)
    places = [data.body(name).xpos[0] for name in ("near", "far")]
    return data, [data.geom("tip").xpos[0] + 0.03, *places], np.mean(forces) if forces else np.nan


def arm():
    data, (tip, near, far), force = push(step)
    _, theirs, _ = push(step_mujoco)
    friction = ARM_MU * 2.0 * GRAVITY
    print(f"arm: force at the tip {force:.3f} N, friction of the boxes {friction:.3f} N")
    print(f"  boxes at the end, m: stiction {near:.5f} {far:.5f}, MuJoCo {theirs[1]:.5f} {theirs[2]:.5f}")
    return [
        check("the tip pushes with the friction of both boxes, to 2 %", abs(force / friction - 1.0) < 0.02),
        check("neither overlaps by more than 0.1 mm", min(near - BOX - tip, far - near - 2 * BOX) > -1e-4),
        check("both boxes rest at the end, to 1e-6 m/s", np.abs(data.qvel[2:]).max() < 1e-6),
        check("MuJoCo's boxes end within 2 mm of these", max(abs(near - theirs[1]), abs(far - theirs[2])) < 2e-3),
    ]


if __name__ == "__main__":
    sys.exit(not all(slopes() + arm()))
