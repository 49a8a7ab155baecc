"""Bodies that are stepped, with contacts from your own collision detection."""

import operator
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from . import _native
from ._values import number

_FLOATS = {"f32": np.float32, "f64": np.float64}


@dataclass(frozen=True)
class StepReport:
    """What a step did."""

    #: "converged", "sweep_limit" or "deadline".
    status: str
    #: The same in more words.
    reason: str
    #: Contacts.
    contacts: int
    #: Contacts that did not fit, the shallowest ones.
    contacts_left_out: int
    #: Contacts that began with an impulse of the step before.
    warm_started: int
    #: Islands.
    islands: int
    #: Passes over contacts of the island that took most.
    sweeps: int
    #: Steps of Newton's method.
    newton_steps: int
    #: Worst relative residual of an island.
    residual: float
    #: Worst closing speed left, m/s.
    closing_speed: float
    #: Deepest penetration that the step started from, m.
    depth: float
    #: Whether the guard scaled an impulse down.
    passivity_guard: bool
    #: Whether a bounce was discarded.
    bounce_dropped: bool
    #: Energies at both ends and the work of every part, J.
    ledger: dict = field(repr=False)
    #: Work of motors, springs and friction along the axes of joints, and what springs have stored at both ends, J.
    joint_work: dict = field(repr=False)


@dataclass
class Contact:
    """A point where two bodies touch, for :meth:`World.step`.

    ``depth`` is below 0 for a gap; without it, it follows from the two points. ``id`` is the detector's own, by which
    the point is recognised in the next step, below 2**32. ``mu`` and ``restitution`` are given together; without them the
    bodies' own are combined.
    """

    a: int
    b: int
    normal: object
    on_a: object
    on_b: object
    depth: float = None
    id: int = None
    mu: float = None
    restitution: float = None


def _arrays_of(contacts):
    """A list of contacts as a dict of arrays."""
    names = ["a", "b", "normal", "on_a", "on_b", "depth", "id", "mu", "restitution"]
    for place, contact in enumerate(contacts):
        for name in contact if isinstance(contact, Mapping) else ():
            if name not in names:
                raise ValueError(f"manifolds[{place}].{name}: unknown field, expected one of {', '.join(names)}")
    arrays = {}
    for name in names:
        column = [_field_of(contact, name) for contact in contacts]
        missing = [place for place, value in enumerate(column) if value is None]
        if not missing:
            arrays[name] = column
        elif len(missing) < len(column) or name in names[:5]:
            raise ValueError(f"manifolds[{missing[0]}].{name}: missing")
    return arrays


def _field_of(contact, name):
    if isinstance(contact, Mapping):
        return contact.get(name)
    if isinstance(contact, Contact):
        return getattr(contact, name)
    raise TypeError(f"manifolds: must be stiction.Contact or dicts, not {type(contact).__name__}")


def _numbers(name, value, *shape):
    try:
        array = np.asarray(value, dtype=float)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None
    if array.shape != shape:
        raise ValueError(f"{name}: shape {array.shape}, must be {shape}")
    return array.tolist()


def _index(name, value, least=0):
    try:
        value = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: must be an integer, not {type(value).__name__}") from None
    if not least <= value < 2**31:
        raise ValueError(f"{name}: {value}, must be {least} or more")
    return value


def _optional(name, value, *shape):
    return None if value is None else _numbers(name, value, *shape)


class World:
    """Bodies that are stepped. It grows as bodies, joints and contacts are added.

    A box lands on the ground:

    >>> world = stiction.World()
    >>> ground = world.add_body(mu=0.5)
    >>> box = world.add_body(mass=1.0, inertia=np.eye(3) / 6, position=[0, 0, 0.51], mu=0.5)
    >>> for _ in range(60):
    ...     x, y, z = world.positions[box]
    ...     corners = [[x + i, y + j, z - 0.5] for i in (-0.5, 0.5) for j in (-0.5, 0.5)]
    ...     report = world.step(
    ...         1 / 60,
    ...         [stiction.Contact(ground, box, [0, 0, 1], [x, y, 0], [x, y, z], id=k)
    ...          for k, (x, y, z) in enumerate(corners)],
    ...     )
    >>> report.status, report.contacts
    ('converged', 4)
    >>> bool(abs(world.positions[box][2] - 0.5) < 1e-3)
    True

    ``settings`` are those of a problem's file. ``length`` is the smallest extent of a body, m: margins and slop follow
    from it. ``substeps`` are the parts of a step; the default is for one of 1/60 s.
    """

    def __init__(self, *, gravity=(0, 0, -9.81), substeps=None, length=1.0, settings=None, precision="f64"):
        gravity = _numbers("gravity", gravity, 3)
        substeps = None if substeps is None else _index("substeps", substeps)
        self._native = _native.World(gravity, substeps, number("length", length), settings, precision)
        self._dtype = _FLOATS[precision]

    def __len__(self):
        return len(self._native)

    def __repr__(self):
        return f"<World: {len(self)} bodies>"

    def add_body(
        self,
        *,
        mass=None,
        inertia=None,
        position=(0, 0, 0),
        orientation=(1, 0, 0, 0),
        linear=(0, 0, 0),
        angular=(0, 0, 0),
        mu=0.0,
        restitution=0.0,
        torsion=0.0,
        rolling=0.0,
    ):
        """Adds a body and returns its index; without a mass, one that cannot move.

        ``inertia`` (3, 3) is in body axes, ``orientation`` a unit quaternion w, x, y, z. Friction and restitution of two
        bodies are geometric means.
        """
        return self._native.add_body(
            {
                "mass": None if mass is None else number("mass", mass),
                "inertia": _optional("inertia", inertia, 3, 3),
                "position": _numbers("position", position, 3),
                "orientation": _numbers("orientation", orientation, 4),
                "linear": _numbers("linear", linear, 3),
                "angular": _numbers("angular", angular, 3),
                "mu": number("mu", mu),
                "restitution": number("restitution", restitution),
                "torsion": number("torsion", torsion),
                "rolling": number("rolling", rolling),
            }
        )

    def add_joint(self, a, b, **joint):
        """Adds a joint between two bodies and returns its index: one kind as in a scene's file, and ``collide``.

        >>> world = stiction.World()
        >>> wall, door = world.add_body(), world.add_body(mass=20, inertia=np.eye(3), position=[0.4, 0, 1])
        >>> world.add_joint(wall, door, hinge={"anchor": [0, 0, 1], "axis": [0, 0, 1], "limits": [-1.5, 1.5]})
        0
        >>> world.set_state(door, angular=[0, 0, 1], linear=[0, 0.4, 0])
        >>> bool(world.step(1 / 60).residual < 1e-6) and bool(world.positions[door][1] > 0.006)
        True

        Kinds: ball, hinge, slider, fixed, distance, rope, spring. Anchors and axes are in world coordinates.
        """
        a, b = _index("a", a), _index("b", b)
        return self._native.add_joint(a, b, {**joint, "a": "a", "b": "b"})

    def set_motor(self, joint, **motor):
        """Replaces the motor of a hinge or slider: ``speed`` and ``max``, or ``position``, ``stiffness``, ``damping`` and
        ``max``, as in a scene's file; nothing for no motor.

        >>> world = stiction.World(gravity=(0, 0, 0))
        >>> frame, wheel = world.add_body(), world.add_body(mass=1, inertia=np.eye(3))
        >>> hinge = world.add_joint(frame, wheel, hinge={"anchor": [0, 0, 0], "axis": [0, 0, 1]})
        >>> world.set_motor(hinge, speed=2.0, max=60.0)
        >>> report = world.step(1 / 60)
        >>> world.angular[wheel].round(6).tolist(), round(report.joint_work["motor"], 2)
        ([0.0, 0.0, 1.0], 0.5)
        """
        self._native.set_motor(_index("joint", joint), motor or None)

    def set_load(self, body, force=(0, 0, 0), torque=(0, 0, 0)):
        """Sets the force, N, and torque, N m, that act on a body in every step until changed."""
        body = _index("body", body)
        self._native.set_load(body, _numbers("force", force, 3), _numbers("torque", torque, 3))

    def set_state(self, body, *, position=None, orientation=None, linear=None, angular=None):
        """Sets where a body is and how it moves; what is not given stays."""
        body = _index("body", body)
        position, orientation = _optional("position", position, 3), _optional("orientation", orientation, 4)
        linear, angular = _optional("linear", linear, 3), _optional("angular", angular, 3)
        self._native.set_state(body, position, orientation, linear, angular)

    def step(self, dt, manifolds=()):
        """Moves all bodies on by ``dt`` seconds and returns a :class:`StepReport`.

        ``manifolds`` are contact points: a list of :class:`Contact`, or of dicts with its fields, or a dict of arrays:
        a, b (k,), normal, on_a, on_b (k, 3), and optionally depth, id, mu, restitution (k,). Up to four points that
        follow each other, of one pair and with one normal, are a manifold. All are in world coordinates, as they are now.
        A step that is rejected changes nothing.
        """
        if not isinstance(manifolds, Mapping):
            contacts = list(manifolds)
            manifolds = _arrays_of(contacts) if contacts else None
        return StepReport(**self._native.step(number("dt", dt), manifolds))

    def search_margin(self, dt):
        """Gap up to which a detector should look for contacts, m."""
        return self._native.search_margin(number("dt", dt))

    @property
    def positions(self):
        """Centres of mass, (n, 3), m."""
        return self._states(0)

    @property
    def orientations(self):
        """Unit quaternions w, x, y, z, (n, 4), from body axes to world axes."""
        return self._states(1)

    @property
    def linear(self):
        """Linear velocities, (n, 3), m/s."""
        return self._states(2)

    @property
    def angular(self):
        """Angular velocities, (n, 3), rad/s."""
        return self._states(3)

    @property
    def contacts(self):
        """The contacts of the last step: a dict of arrays, a row each. Impulses are those of the whole step, N s.

        a, b; normal, r_a, r_b (from the centres of mass), depth; id (the detector's own, -1 without one); normal_impulse,
        tangent_impulse, bounce_impulse; state.
        """
        return {name: np.asarray(column) for name, column in self._native.contacts().items()}

    @property
    def joints(self):
        """The joints after the last step: a dict of arrays, a row each.

        a, b; position (angle of a hinge, rad, way of a slider or distance of anchors, m); error (how far it is apart, m);
        force, torque on b in the last part of the step, with all that motors, springs and limits do, in world axes.
        """
        return {name: np.asarray(column) for name, column in self._native.joints().items()}

    @property
    def digest(self):
        """Digest of all bits of positions, orientations and velocities."""
        return self._native.digest()

    def _states(self, which):
        return self._native.states(which).astype(self._dtype, copy=False)
