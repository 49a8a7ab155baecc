#!/usr/bin/env python3
"""A ball that rolls and a disc that spins: MuJoCo, `stiction solve` and the closed form.

    mujoco_rolling.py STICTION > benches/results/x86_64-linux/mujoco.csv       (pip install mujoco; STICTION: the command)

Prints one CSV line per motion, time step and solver. Mass 1 kg, radius R = 0.1 m, sliding friction 0.3:
  roll: a ball with rolling friction 5 mm, starts at 1 m/s without slip. Its deceleration is rho g / (1.4 R).
  spin: a disc with torsion 3 mm and one contact point, the lowest of a round foot, starts at 20 rad/s about the normal.
        Its deceleration is tau m g / I.
Columns: deceleration from a tenth to nine tenths of the time to the stop; the largest slip in that time, the velocity at
the contact point, m/s; velocity one second after the stop; creep, the velocity after two seconds from rest under
half of the load that friction can hold (a slope, a torque about the normal), where the law says none. Units m and s for
`roll`, rad and s for `spin`. Slip and creep of MuJoCo use its own contact point, inside the penetration.
"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import mujoco
except ImportError as missing:
    print(f"mujoco_rolling.py: {missing}; needs pip install mujoco", file=sys.stderr)
    sys.exit(2)

RADIUS, MU, ROLLING, TORSION, G = 0.1, 0.3, 0.005, 0.003, 9.81
# About the axes of the body; the last is the normal.
INERTIA = {"roll": [0.4 * RADIUS**2] * 3, "spin": [0.25 * RADIUS**2, 0.25 * RADIUS**2, 0.5 * RADIUS**2]}
MOTIONS = {
    # Start, deceleration by the closed form.
    "roll": (1.0, ROLLING * G / (1.4 * RADIUS)),
    "spin": (20.0, TORSION * G / INERTIA["spin"][2]),
}
STEPS = {"2 ms": 0.002, "1/240 s": 1.0 / 240.0}
# Name, cone, impratio, whether contacts are as stiff as the time step allows, steps without softness afterwards.
SETTINGS = [
    ("MuJoCo default", "pyramidal", 1, False, 0),
    ("MuJoCo elliptic", "elliptic", 1, False, 0),
    ("MuJoCo elliptic impratio 10", "elliptic", 10, False, 0),
    ("MuJoCo elliptic impratio 100 stiff", "elliptic", 100, True, 0),
    ("MuJoCo elliptic impratio 100 stiff noslip 20", "elliptic", 100, True, 20),
]


class MuJoCo:
    def __init__(self, motion, step, setting):
        name, cone, impratio, stiff, noslip = setting
        self.motion, self.name = motion, name
        solref = f'solref="{2 * step} 1" solimp="0.99 0.999 0.001 0.5 2"' if stiff else ""
        surface = f'condim="{6 if motion == "roll" else 4}" friction="{MU} {TORSION} {ROLLING}" {solref}'
        self.model = mujoco.MjModel.from_xml_string(f"""
            <mujoco><option timestep="{step}" gravity="0 0 {-G}" cone="{cone}" impratio="{impratio}"
                            noslip_iterations="{noslip}" tolerance="1e-12"/>
              <worldbody><geom type="plane" size="100 100 1" {surface}/>
                <body pos="0 0 {RADIUS}"><freejoint/>
                  <inertial pos="0 0 0" mass="1" diaginertia="{' '.join(map(str, INERTIA[motion]))}"/>
                  <geom type="sphere" size="{RADIUS}" {surface}/></body>
              </worldbody></mujoco>""")
        self.data = mujoco.MjData(self.model)
        for _ in range(int(2.0 / step)):  # At rest, as deep as it stands.
            self.step()
        self.data.qvel[:] = 0.0
        self.data.qpos[:2] = 0.0

    def start(self, speed):
        if self.motion == "roll":
            self.data.qvel[0], self.data.qvel[4] = speed, speed / self.arm()
        else:
            self.data.qvel[5] = speed

    def load(self):
        if self.motion == "roll":
            tangent = 0.5 * ROLLING / RADIUS
            cosine = (1.0 + tangent**2) ** -0.5
            self.model.opt.gravity[:] = [G * tangent * cosine, 0.0, -G * cosine]
        else:
            self.data.xfrc_applied[1, 5] = 0.5 * TORSION * G

    def arm(self):
        """From the centre to the contact point."""
        return self.data.qpos[2] - self.data.contact[0].pos[2] if self.data.ncon else RADIUS

    def step(self):
        mujoco.mj_step(self.model, self.data)

    def speed(self):
        return self.data.qvel[0] if self.motion == "roll" else self.data.qvel[5]

    def slip(self):
        return self.data.qvel[0] - self.arm() * self.data.qvel[4]


class Ours:
    name = "stiction"

    def __init__(self, motion, step, command):
        self.motion, self.time, self.command = motion, step, command
        self.linear, self.angular, self.gravity, self.torque = [0.0] * 3, [0.0] * 3, [0.0, 0.0, -G], 0.0
        self.folder = tempfile.TemporaryDirectory()

    def start(self, speed):
        if self.motion == "roll":
            self.linear[0], self.angular[1] = speed, speed / RADIUS
        else:
            self.angular[2] = speed

    def load(self):
        if self.motion == "roll":
            tangent = 0.5 * ROLLING / RADIUS
            cosine = (1.0 + tangent**2) ** -0.5
            self.gravity = [G * tangent * cosine, 0.0, -G * cosine]
        else:
            self.torque = 0.5 * TORSION * G

    def step(self):
        linear = [v + self.time * g for v, g in zip(self.linear, self.gravity)]
        angular = self.angular[:2] + [self.angular[2] + self.time * self.torque / INERTIA[self.motion][2]]
        inverse = [[(row == column) / INERTIA[self.motion][row] for column in range(3)] for row in range(3)]
        surface = {"rolling": ROLLING} if self.motion == "roll" else {"torsion": TORSION}
        problem = {
            "bodies": [{"inverse_mass": 0},
                       {"inverse_mass": 1, "inverse_inertia": inverse, "linear": linear, "angular": angular}],
            "contacts": [{"a": 0, "b": 1, "normal": [0, 0, 1], "r_a": [0, 0, 0], "r_b": [0, 0, -RADIUS], "mu": MU,
                          **surface}],
            "settings": {"dt": self.time},
        }
        path = os.path.join(self.folder.name, "problem.json")
        with open(path, "w") as file:
            json.dump(problem, file)
        answer = subprocess.run([self.command, "solve", path], capture_output=True, check=True)
        body = json.loads(answer.stdout)["bodies"][1]
        self.linear, self.angular = body["linear"], body["angular"]

    def speed(self):
        return self.linear[0] if self.motion == "roll" else self.angular[2]

    def slip(self):
        return self.linear[0] - RADIUS * self.angular[1]


def measured(make, motion, step):
    start, slowing = MOTIONS[motion]
    stop = start / slowing
    body, slip, speeds = make(), 0.0, {}
    body.start(start)
    first, last = int(0.1 * stop / step), int(0.9 * stop / step)
    for count in range(1, int((stop + 1.0) / step) + 1):
        body.step()
        speeds[count] = body.speed()
        if first <= count <= last:
            slip = max(slip, abs(body.slip()))
    deceleration = (speeds[first] - speeds[last]) / ((last - first) * step)
    left = speeds[count]
    body = make()
    body.load()
    for _ in range(int(2.0 / step)):
        body.step()
    return body.name, [deceleration, slip, left, body.speed()]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    command = sys.argv[1]
    print(f"MuJoCo {mujoco.__version__}", file=sys.stderr)
    print("motion,time step,solver,deceleration,slip,velocity a second after the stop,creep under half of the load")
    for motion, (_, slowing) in MOTIONS.items():
        for words, step in STEPS.items():
            print(f"{motion},{words},closed form,{slowing:.6f},0,0,0")
            makers = [lambda setting=setting: MuJoCo(motion, step, setting) for setting in SETTINGS]
            for make in makers + [lambda: Ours(motion, step, command)]:
                name, figures = measured(make, motion, step)
                cells = [f"{figures[0]:.6f}"] + [f"{abs(figure):.1e}" for figure in figures[1:]]
                name = name.replace("MuJoCo", f"MuJoCo {mujoco.__version__}")
                print(f"{motion},{words},{name},{','.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
