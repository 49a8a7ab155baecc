"""`World`: bodies that are stepped."""

import numpy as np
import pytest

import stiction

DT = 1 / 60


def corners(world, box, ground=0, **more):
    """Contacts of a cube's lower corners with the ground, as it stands upright."""
    x, y, z = world.positions[box]
    return [
        stiction.Contact(ground, box, [0, 0, 1], [x + i, y + j, 0], [x + i, y + j, z - 0.5], id=2 * int(i > 0) + int(j > 0), **more)
        for i in (-0.5, 0.5)
        for j in (-0.5, 0.5)
    ]


def a_box(speed=0.0, mu=0.5, **options):
    world = stiction.World(**options)
    world.add_body(mu=mu)
    box = world.add_body(mass=2.0, inertia=np.eye(3) / 3, position=[0, 0, 0.5], linear=[speed, 0, 0], mu=mu)
    return world, box


@pytest.mark.parametrize("precision, dtype", [("f64", np.float64), ("f32", np.float32)])
def test_a_box_slides_and_stops_where_it_must(precision, dtype):
    world, box = a_box(speed=3.0, precision=precision)
    for _ in range(60):
        report = world.step(DT, corners(world, box))
    assert report.status == "converged" and report.contacts == 4
    assert abs(world.positions[box][0] - 9 / (2 * 0.5 * 9.81)) < 2e-2
    assert np.abs(world.linear[box]).max() < 1e-3
    for array in (world.positions, world.orientations, world.linear, world.angular):
        assert array.dtype == dtype and len(array) == 2
    assert world.orientations[box].tolist() == pytest.approx([1, 0, 0, 0], abs=1e-4)


def test_impulses_carry_the_weight():
    world, box = a_box()
    for _ in range(30):
        report = world.step(DT, corners(world, box))
    contacts = world.contacts
    assert contacts["a"].tolist() == [0] * 4 and contacts["b"].tolist() == [box] * 4
    total = contacts["normal_impulse"].sum() + contacts["bounce_impulse"].sum()
    assert total == pytest.approx(2.0 * 9.81 * DT, rel=1e-3)
    assert np.abs(contacts["tangent_impulse"]).max() < 1e-3 and set(contacts["state"]) == {"stick"}
    ledger = report.ledger
    change = ledger["kinetic_after"] - ledger["kinetic_before"] + ledger["potential_after"] - ledger["potential_before"]
    parts = ("load", "integration", "bounce", "normal", "friction", "position_correction")
    assert change == pytest.approx(sum(ledger[part] for part in parts), abs=1e-9)


def test_manifolds_as_lists_dicts_and_arrays_have_the_same_bits():
    digests = set()
    for form in (list, lambda found: [vars(contact) for contact in found], as_arrays):
        world, box = a_box(speed=1.0)
        for _ in range(10):
            world.step(DT, form(corners(world, box)))
        digests.add(world.digest)
    assert len(digests) == 1


def as_arrays(found):
    names = ("a", "b", "normal", "on_a", "on_b", "id")
    return {name: np.array([getattr(contact, name) for contact in found]) for name in names}


def test_materials_of_a_contact():
    world, box = a_box(speed=1.0)
    for _ in range(10):
        world.step(DT, corners(world, box, mu=0.0, restitution=0.0))
    assert world.linear[box][0] == pytest.approx(1.0, abs=1e-9)


def test_loads_and_states():
    world = stiction.World(gravity=(0, 0, 0))
    body = world.add_body(mass=2.0, inertia=np.eye(3))
    world.set_load(body, force=[4, 0, 0])
    world.step(0.5)
    assert world.linear[body].tolist() == pytest.approx([1, 0, 0])
    world.set_load(body)
    world.set_state(body, position=[5, 6, 7], linear=[0, 0, 0], orientation=[0, 1, 0, 0])
    world.step(0.5)
    assert world.positions[body].tolist() == [5, 6, 7] and world.orientations[body].tolist() == [0, 1, 0, 0]
    assert world.search_margin(0.5) > 0


def test_a_pendulum_keeps_its_length():
    world = stiction.World()
    wall = world.add_body()
    bob = world.add_body(mass=1.0, inertia=np.eye(3) * 0.1, position=[1, 0, 0])
    assert world.add_joint(wall, bob, ball={"anchor": [0, 0, 0]}) == 0
    for _ in range(60):
        world.step(DT)
    assert np.linalg.norm(world.positions[bob]) == pytest.approx(1.0, abs=1e-3)
    assert world.positions[bob][2] < -0.1


def test_joints_and_contacts_can_be_read():
    world = stiction.World()
    wall = world.add_body()
    lamp = world.add_body(mass=2.0, inertia=np.eye(3) * 0.1, position=[0, 0, -1])
    crank = world.add_body(mass=1.0, inertia=np.eye(3) * 0.2, position=[3, 0, 0])
    world.add_joint(wall, lamp, ball={"anchor": [0, 0, 0]})
    hinge = world.add_joint(wall, crank, hinge={"anchor": [3, 0, 0], "axis": [0, 1, 0]})
    world.set_motor(hinge, position=0.5, stiffness=100.0, damping=10.0, max=50.0)
    for _ in range(120):
        report = world.step(DT)
    joints = world.joints
    assert joints["a"].tolist() == [0, 0] and joints["b"].tolist() == [1, 2]
    assert joints["error"].max() < 1e-9 and joints["position"][hinge] == pytest.approx(0.5, abs=1e-3)
    # The lamp hangs from its joint, and the motor has nothing left to do.
    assert joints["force"] == pytest.approx(np.array([[0, 0, 2 * 9.81], [0, 0, 9.81]]), abs=1e-6)
    assert joints["torque"] == pytest.approx(np.zeros((2, 3)), abs=0.1)
    assert set(report.joint_work) == {"motor", "spring", "friction", "stored_before", "stored_after"}
    world.set_motor(hinge, speed=-3.0, max=5.0)
    assert world.step(DT).joint_work["motor"] > 0 and world.angular[crank][1] < 0
    world.set_motor(hinge)
    assert world.step(DT).joint_work["motor"] == 0
    box_world, box = a_box()
    box_world.step(DT, corners(box_world, box))
    assert sorted(box_world.contacts["id"]) == [0, 1, 2, 3]


def test_an_inertia_is_inverted_by_the_kernel_alone():
    turned = np.array([[0.5, 0.1, -0.2], [0.1, 0.4, 0.05], [-0.2, 0.05, 0.3]])
    world = stiction.World(gravity=(0, 0, 0))
    body = world.add_body(mass=2.0, inertia=turned)
    world.set_load(body, torque=[0.3, -0.1, 0.7])
    world.step(1e-6)
    assert world.angular[body] == pytest.approx(1e-6 * np.linalg.solve(turned, [0.3, -0.1, 0.7]), rel=1e-9)


def test_it_grows_and_keeps_everything():
    world, box = a_box()
    far = world.add_body(mass=1.0, inertia=np.eye(3), position=[0, 0, 50], angular=[1, 2, 3])
    for _ in range(5):
        world.step(DT, corners(world, box))
    before = [world.positions, world.orientations, world.linear, world.angular]
    while len(world) < 100:
        world.add_body(mass=1.0, inertia=np.eye(3), position=[10.0 * len(world), 0, 100])
    after = [world.positions, world.orientations, world.linear, world.angular]
    for old, new in zip(before, after):
        assert np.allclose(old, new[:3], atol=1e-15)
    report = world.step(DT, corners(world, box))
    assert report.warm_started == 4 and far == 2
    while len(world) < 512:
        world.add_body()
    with pytest.raises(ValueError, match="bodies: 513, at most 512 fit"):
        world.add_body()
    assert len(world) == 512


def test_bad_input_changes_nothing():
    world, box = a_box()
    before = world.digest
    touching = corners(world, box)
    point = {"a": [0], "b": [1], "normal": [[0, 0, 1.0]], "on_a": [[0, 0, 0.0]], "on_b": [[0, 0, 0.0]]}
    for call, kind, line in [
        (lambda: world.step(-1), ValueError, "dt: "),
        (lambda: world.step("now"), TypeError, "dt: must be a number, not str"),
        (lambda: world.step(None), TypeError, "dt: must be a number, not NoneType"),
        (lambda: world.step(np.zeros(2)), TypeError, "dt: "),
        (lambda: world.step(10**400), ValueError, "dt: "),
        (lambda: world.step(DT, {**point, "mu": [0.5]}), ValueError, "manifolds.restitution: missing, mu is given"),
        (lambda: world.step(DT, {**point, "restitution": [0.5]}), ValueError, "manifolds.mu: missing, restitution is given"),
        (lambda: world.step(DT, {**point, "id": [2**32]}), ValueError, "manifolds.id[0]: 4294967296, must be below"),
        (lambda: world.step(DT, [{**vars(touching[0]), "deep": 1}]), ValueError, "manifolds[0].deep: unknown field"),
        (lambda: world.add_body(mass="heavy", inertia=np.eye(3)), TypeError, "mass: must be a number, not str"),
        (lambda: world.step(DT, [3]), TypeError, "manifolds: must be stiction.Contact or dicts, not int"),
        (lambda: world.step(DT, [*touching, {"a": 0}]), ValueError, "manifolds[4].b: missing"),
        (lambda: world.step(DT, {**point, "b": [5]}), ValueError, "contacts[0].b: body 5 does not exist"),
        (lambda: world.step(DT, {**point, "b": [-5]}), ValueError, "manifolds.b[0]: -5 is below 0"),
        (lambda: world.step(DT, {**point, "normal": [[0, 0, 9.0]]}), ValueError, "contacts[0].normal: "),
        (lambda: world.step(DT, {**point, "on_a": [[0, 0.0]]}), ValueError, "manifolds.on_a: shape (1, 2)"),
        (lambda: world.step(DT, {**point, "depth": ["deep"]}), TypeError, "manifolds.depth: dtype"),
        (lambda: world.step(DT, {**point, "depths": [0.1]}), ValueError, "manifolds.depths: unknown field"),
        (lambda: world.add_body(mass=-1, inertia=np.eye(3)), ValueError, "mass: -1, must be above 0"),
        (lambda: world.add_body(mass=1), ValueError, "inertia: missing"),
        (lambda: world.add_body(mass=1, inertia=np.zeros((3, 3))), ValueError, "inertia: has no inverse"),
        (lambda: world.add_body(mass=1, inertia=np.eye(3), torsion=-1), ValueError, "bodies[2].torsion: "),
        (lambda: world.add_body(position=[0, 0]), ValueError, "position: shape (2,), must be (3,)"),
        (lambda: world.add_body(position=[0, 0, np.nan]), ValueError, "bodies[2].position: "),
        (lambda: world.add_body(mu=-1), ValueError, "bodies[2].mu: -1 is below 0"),
        (lambda: world.set_state(9, linear=[0, 0, 0]), ValueError, "bodies[9]: does not exist, there are 2"),
        (lambda: world.set_load(9), ValueError, "bodies[9]: "),
        (lambda: world.add_joint(0, 1), ValueError, "must have one of"),
        (lambda: world.add_joint(0, 9, ball={"anchor": [0, 0, 0]}), ValueError, "joints[0].b: body 9 does not exist"),
        (lambda: world.add_joint(0, 1, ball={"anker": [0, 0, 0]}), ValueError, "ball"),
        (lambda: world.add_body(inertia=np.eye(3)), ValueError, "mass: missing"),
        (lambda: world.add_body(mass=np.nan, inertia=np.eye(3)), ValueError, "mass: NaN, must be above 0"),
        (lambda: world.add_body(mass=1, inertia=np.full((3, 3), np.inf)), ValueError, "bodies[2].inverse_inertia: "),
        (lambda: world.set_motor(3, speed=1.0, max=1.0), ValueError, "joints[3]: does not exist, there are 0"),
        (lambda: world.set_motor(0, speed=1.0), ValueError, "motor: missing field"),
        (lambda: world.set_motor(0, speed="fast", max=1.0), TypeError, "speed: invalid type"),
        (lambda: stiction.World(precision="f16"), ValueError, 'precision: "f16"'),
        (lambda: stiction.World(substeps=0), ValueError, "settings.substeps: "),
        (lambda: stiction.World(settings={"sweeps": "x"}), TypeError, "settings.sweeps: "),
    ]:
        with pytest.raises(kind) as raised:
            call()
        assert str(raised.value).startswith(line), str(raised.value)
    assert world.digest == before and len(world) == 2
