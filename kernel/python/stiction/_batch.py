"""Many problems at once, and their answers."""

import warnings
from collections.abc import Mapping
from functools import cached_property

from . import _native
from . import _on_device as device_calls
from ._answers import STATE, Answers
from ._device import on_host


class BatchResult(Answers):
    """Answers of :func:`solve_batch`. Arrays of numbers are views of one array, ``scalars``."""

    def __init__(self, arrays):
        self.scalars = arrays["scalars"]
        self.words = arrays["words"]
        self.errors = arrays["errors"]
        self._fields = arrays["fields"]
        self._bodies, self._contacts = arrays["bodies"], arrays["contacts"]

    def _codes(self, name):
        return self.words[:, self._fields[name]]

    def _figure(self, name):
        return self.scalars[:, self._fields[name]]

    def _field(self, name, *shape):
        first, end = self._fields[name]
        return self.scalars[:, first:end].reshape(len(self), *shape)

    @property
    def linear(self):
        """Linear velocities, (n, b, 3), m/s."""
        return self._field("linear", self._bodies, 3)

    @property
    def angular(self):
        """Angular velocities, (n, b, 3), rad/s."""
        return self._field("angular", self._bodies, 3)

    @property
    def normal(self):
        """Normal impulses of the contact phase, (n, c), N s."""
        return self._field("normal", self._contacts)

    @property
    def tangent(self):
        """Friction impulses on b in world axes, (n, c, 3), N s."""
        return self._field("tangent", self._contacts, 3)

    @property
    def bounce(self):
        """Normal impulses of the bounce, (n, c), N s. The whole normal impulse is ``normal + bounce``."""
        return self._field("bounce", self._contacts)

    @property
    def moment(self):
        """Moments on b in world axes, (n, c, 3), N m s; None without friction beyond sliding."""
        first, end = self._fields["moment"]
        has_none = first == end and self._contacts > 0
        return None if has_none else self._field("moment", self._contacts, 3)

    @property
    def residual(self):
        """Natural map over all contacts, relative to ``residual_scale``, (n,)."""
        return self._figure("residual")

    @property
    def residual_scale(self):
        """The speed that ``residual`` is relative to, (n,), m/s."""
        return self._figure("residual_scale")

    @property
    def closing_speed(self):
        """Worst closing speed left, (n,), m/s."""
        return self._figure("closing_speed")

    @property
    def energy_before(self):
        """Kinetic energy before, (n,), J."""
        return self._figure("energy_before")

    @property
    def energy_after(self):
        """Kinetic energy after, (n,), J."""
        return self._figure("energy_after")

    @property
    def friction_work(self):
        """Work of friction, (n,), J."""
        return self._figure("friction_work")

    @property
    def sweeps(self):
        """Sweeps of the contact phase, (n,)."""
        return self._codes("sweeps")

    @property
    def passivity_guard(self):
        """Whether the guard scaled an impulse down, (n,)."""
        return (self._codes("flags") & 1).astype(bool)

    @cached_property
    def state(self):
        """What each contact does, (n, c): "open", "stick" or "slide"."""
        return STATE[self.words[:, self._fields["states"] :]]


class DelassusResult(Answers):
    """Answers of :func:`delassus_batch`."""

    def __init__(self, arrays):
        self._arrays = arrays
        #: Impulses along normal and two tangents, (n, 3c), N s.
        self.impulses = arrays["impulses"]
        #: Velocities ``W x + q``, (n, 3c), m/s.
        self.velocities = arrays["velocities"]
        #: Natural map relative to the norm of q, (n,).
        self.residual = arrays["residual"]
        #: Sweeps, (n,).
        self.sweeps = arrays["sweeps"]
        #: Steps of Newton's method, (n,).
        self.newton_steps = arrays["newton_steps"]
        #: Why problems were rejected, by their numbers, with ``errors="mark"``.
        self.errors = arrays["errors"]

    def _codes(self, name):
        return self._arrays[name]


def _named(whole, arrays):
    """Arrays of a dict by their full names; none of what is no dict, which is rejected later."""
    if not isinstance(arrays, Mapping):
        return {}
    return {f"{whole}.{name}": value for name, value in arrays.items() if value is not None}


def _on_host(arrays):
    if not isinstance(arrays, Mapping):
        return arrays
    return {name: on_host(value) for name, value in arrays.items()}


def _warn(arrays):
    """Says why a graphics processor that was asked for solved nothing."""
    reason = arrays.pop("reason")
    if reason is not None:
        warnings.warn(f"solved on processors, not on a graphics processor: {reason}", RuntimeWarning, stacklevel=3)
    return arrays


def solve_batch(
    bodies, contacts, *, settings=None, threads=None, errors="raise", progress=None, device=None, stream=None
):
    """Solves many problems of bodies with contacts, each with the bits of :func:`solve` (float64).

    ``bodies`` and ``contacts`` are dicts of arrays, for n problems of b bodies and c contacts each:

    ==================================================  =============  =============================================
    bodies: inverse_mass                                (n, b)         0 for a body that cannot move
    bodies: inverse_inertia, linear, angular            (n, b, ...)    world axes; optional, 0 without
    contacts: a, b                                      (n, c)         indices of bodies
    contacts: normal, r_a, r_b                          (n, c, 3)      from a to b; from centres of mass
    contacts: mu                                        (n, c)
    contacts: restitution, depth, gap                   (n, c)         optional
    contacts: torsion, rolling                          (n, c)         optional, m
    contacts: mu_across, friction_direction             (n, c[, 3])    optional, together
    contacts: warm_normal, warm_tangent, warm_moment    (n, c[, 3])    optional
    contacts: pre_impact_normal_velocity                (n, c)         optional; NaN for none
    contacts: count                                     (n,)           optional: how many contacts a problem has
    ==================================================  =============  =============================================

    >>> import numpy as np
    >>> speeds = np.linspace(0, 2, 100)
    >>> balls = {"inverse_mass": np.tile([0.0, 1.0], (100, 1)), "linear": np.zeros((100, 2, 3))}
    >>> balls["linear"][:, 1, 2] = -speeds
    >>> up = np.tile([0.0, 0, 1], (100, 1, 1))
    >>> zero, one = np.zeros((100, 1), int), np.ones((100, 1), int)
    >>> touch = {"a": zero, "b": one, "normal": up, "r_a": 0 * up, "r_b": -up, "mu": zero + 0.5}
    >>> r = stiction.solve_batch(balls, touch)
    >>> r
    <BatchResult: 100 converged>
    >>> bool(np.allclose(r.normal[:, 0], speeds)), bool(np.allclose(r.linear, 0))
    (True, True)

    ``settings`` is a dict as in a problem's file, with ``dt``. With the method "auto", the default, problems on which
    sweeps do not suffice are solved by a direct method; "sweeps" has none. A tolerance of 0 asks for a fixed number of sweeps.
    ``threads`` is one a core by default; answers do not depend on it.

    A problem that is rejected raises a ``ValueError``. With ``errors="mark"`` the others are solved: its status is
    "rejected", its numbers are 0, and ``r.errors`` has the reason.

    >>> touch["mu"][17] = -0.1
    >>> stiction.solve_batch(balls, touch)
    Traceback (most recent call last):
    ValueError: problem 17: contacts[0].mu: -0.1 is below 0
    >>> stiction.solve_batch(balls, touch, errors="mark").errors
    {17: 'contacts[0].mu: -0.1 is below 0'}

    ``progress`` is called with the number of problems that are done, some times a second. Ctrl-C ends the call.

    Arrays that are on a graphics processor, the first one of CUDA, are read where they are, and the answers, a
    :class:`DeviceBatchResult`, stay there. Floats are float32 or float64, integers int32 or int64, strides any. With ``device="gpu"``
    numpy's arrays are copied there and the answers back; where that is not possible, a ``RuntimeWarning`` says why, and processors
    solve the same. On a graphics processor there are no direct methods: "auto" means "sweeps", whatever solves in the end.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")  # where there is no graphics processor
    ...     r = stiction.solve_batch(balls, touch, device="gpu", errors="mark")
    >>> bool((r.linear == stiction.solve_batch(balls, touch, settings={"method": "sweeps"}, errors="mark").linear).all())
    True

    ``stream`` is the one that the solve is part of: of PyTorch or CuPy, or the driver's number; the default one without it. By
    default the call waits, to raise what was rejected. With ``errors="mark"`` it does not, and nothing is copied to the host:
    ``r.errors`` is found when it is asked for. ``threads`` and ``progress`` mean processors only.
    """
    device_calls.check_device(device)
    if device_calls.are_on_device({**_named("bodies", bodies), **_named("contacts", contacts)}, device, stream):
        return device_calls.solve_batch(bodies, contacts, settings, errors, stream)
    on_gpu = device == "gpu"
    settings = device_calls.sweeps_only(settings) if on_gpu else settings
    given = _on_host(bodies), _on_host(contacts), settings
    return BatchResult(_warn(_native.solve_batch(*given, threads, errors, progress, on_gpu)))


def delassus_batch(
    W,
    q,
    mu,
    *,
    sweeps=50,
    tolerance=None,
    method="auto",
    warm=None,
    threads=None,
    errors="raise",
    progress=None,
    device=None,
    stream=None,
):
    """Solves many problems in Delassus form, ``u = W x + q``: W (n, 3c, 3c), q (n, 3c) and mu (n, c).

    The rows of a contact are normal, then two tangents. ``warm`` (n, 3c) are impulses to start from.

    >>> import numpy as np
    >>> r = stiction.delassus_batch([np.eye(3)], [[-1.0, 2, 0]], [[0.5]])
    >>> r.impulses.round(12).tolist(), np.abs(r.velocities).round(12).tolist()
    ([[1.0, -0.5, 0.0]], [[0.0, 1.5, 0.0]])
    >>> r.status.tolist(), bool(r.residual[0] < 1e-12)
    (['converged'], True)

    ``method`` is "auto", "sweeps", "accelerated" or "direct"; ``tolerance`` is relative, and 0 asks for exactly
    ``sweeps`` sweeps. ``threads``, ``errors``, ``progress``, ``device`` and ``stream`` are those of :func:`solve_batch`. Arrays on a
    graphics processor must be contiguous and have one type; their answers are a :class:`DeviceDelassusResult`.
    """
    device_calls.check_device(device)
    settings = {"sweeps": sweeps, "tolerance": tolerance, "method": method}
    arrays = {"W": W, "q": q, "mu": mu, **({} if warm is None else {"warm": warm})}
    if device_calls.are_on_device(arrays, device, stream):
        return device_calls.delassus_batch(arrays, settings, errors, stream)
    on_gpu = device == "gpu"
    settings = device_calls.sweeps_only(settings) if on_gpu else settings
    W, q, mu = (on_host(value) for value in (W, q, mu))
    warm = None if warm is None else on_host(warm)
    return DelassusResult(_warn(_native.delassus_batch(W, q, mu, warm, settings, threads, errors, progress, on_gpu)))
