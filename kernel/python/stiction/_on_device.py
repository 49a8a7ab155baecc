"""Batches whose arrays are on a graphics processor."""

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from . import _native
from ._answers import SOLVED, STATE, Answers
from ._device import DeviceArray, Given, handle_of, is_on_device

_FIELDS = _native.DEVICE_FIELDS
_OF_BODIES = 4
_INTEGERS = ("a", "b", "count")


def check_device(device):
    """Rejects what is no device."""
    if device not in (None, "cpu", "gpu"):
        raise ValueError(f'device: {device!r}, must be None, "cpu" or "gpu"')


def are_on_device(arrays, device, stream):
    """Whether arrays, by their names, are on the graphics processor; all or none must be."""
    places = {name: is_on_device(name, value) for name, value in arrays.items()}
    found = next(iter(places.values()), False)
    for name, place in places.items():
        if place != found:
            here, there = ("on a graphics processor", "in the host's memory")[:: 1 if place else -1]
            raise TypeError(f"{name}: {here}, {next(iter(places))} is {there}")
    if found:
        name = next(iter(places))
        if device == "cpu":
            raise ValueError(f'{name}: on a graphics processor, device is "cpu"')
        reason = _native.no_gpu()
        if reason is not None:
            raise RuntimeError(f"{name}: on a graphics processor, and none can be used: {reason}")
    elif stream is not None:
        raise ValueError("stream: only for arrays on a graphics processor")
    return found


def sweeps_only(settings):
    """Settings as a graphics processor has them: without direct methods."""
    if settings is None:
        return {"method": "sweeps"}
    if not isinstance(settings, Mapping):
        return settings
    method = settings.get("method")
    if isinstance(method, str) and method == "direct":
        choices = '"auto", "sweeps" or "accelerated" on a graphics processor'
        raise ValueError(f'settings.method: "direct", must be {choices}')
    is_auto = method is None or isinstance(method, str) and method == "auto"
    return {**settings, "method": "sweeps"} if is_auto else settings


def _array(name, text):
    return property(lambda self: self._arrays[name], doc=text)


class _OnDevice(Answers):
    """What answers on a graphics processor have. ``codes`` and numbers stay there; words are made of copies."""

    def __init__(self, answers, stream, ask):
        memory = answers.pop("memory")
        self._arrays = {name: DeviceArray(memory, *array, stream) for name, array in answers.items()}
        self._copies, self._ask = {}, ask

    def _codes(self, name):
        if name not in self._copies:
            self._copies[name] = self._arrays[name].numpy()
        return self._copies[name]

    def __len__(self):
        return len(self._arrays["status"])

    @property
    def codes(self):
        """The words as numbers, on the graphics processor: a dict with "status", "method" and others."""
        names = {"status": "status", "method": "method", "flags": "flags", "state": "states"}
        return {name: self._arrays[of] for name, of in names.items() if of in self._arrays}

    @cached_property
    def errors(self):
        """Why problems were rejected, by their numbers. It is found when it is first asked for, from the arrays as they are then."""
        problems = np.flatnonzero(self._codes("status") == SOLVED)
        reasons = self._ask.reasons(problems) if len(problems) else {}
        self._ask = None
        return reasons

    def _raise_first(self):
        """Raises the first reason, if there is one."""
        problems = np.flatnonzero(self._codes("status") == SOLVED)
        if len(problems):
            problem = self._ask.first(problems)
            raise ValueError(f"problem {problem}: {self._ask.reasons([problem])[problem]}")
        self._ask, self.errors = None, {}


class DeviceBatchResult(_OnDevice):
    """Answers of :func:`solve_batch` on a graphics processor: arrays are :class:`DeviceArray`, words are copied to the host."""

    linear = _array("linear", "Linear velocities, (n, b, 3), m/s.")
    angular = _array("angular", "Angular velocities, (n, b, 3), rad/s.")
    normal = _array("normal", "Normal impulses of the contact phase, (n, c), N s.")
    tangent = _array("tangent", "Friction impulses on b in world axes, (n, c, 3), N s.")
    bounce = _array("bounce", "Normal impulses of the bounce, (n, c), N s. The whole normal impulse is ``normal + bounce``.")
    residual = _array("residual", "Natural map over all contacts, relative to ``residual_scale``, (n,).")
    residual_scale = _array("residual_scale", "The speed that ``residual`` is relative to, (n,), m/s.")
    closing_speed = _array("closing_speed", "Worst closing speed left, (n,), m/s.")
    energy_before = _array("energy_before", "Kinetic energy before, (n,), J.")
    energy_after = _array("energy_after", "Kinetic energy after, (n,), J.")
    friction_work = _array("friction_work", "Work of friction, (n,), J.")
    sweeps = _array("sweeps", "Sweeps of the contact phase, (n,), int32.")

    @property
    def moment(self):
        """Moments on b in world axes, (n, c, 3), N m s; None without friction beyond sliding."""
        return self._arrays.get("moment")

    @property
    def passivity_guard(self):
        """Whether the guard scaled an impulse down, (n,), on the host."""
        return (self._codes("flags") & 1).astype(bool)

    @cached_property
    def state(self):
        """What each contact does, (n, c), on the host: "open", "stick" or "slide"."""
        return STATE[self._codes("states")]


class DeviceDelassusResult(_OnDevice):
    """Answers of :func:`delassus_batch` on a graphics processor: arrays are :class:`DeviceArray`, words are copied to the host."""

    impulses = _array("impulses", "Impulses along normal and two tangents, (n, 3c), N s.")
    velocities = _array("velocities", "Velocities ``W x + q``, (n, 3c), m/s.")
    kernel_residual = _array("natural_rel_q", "Natural map relative to the norm of q as the kernel has it, (n,).")
    sweeps = _array("sweeps", "Sweeps, (n,), int32.")
    newton_steps = _array("newton_steps", "Steps of Newton's method, (n,), int32: none.")

    def __init__(self, answers, stream, ask):
        super().__init__(answers, stream, ask)
        self._given = {name: ask.arrays[name] for name in ("q", "mu")}

    @cached_property
    def residual(self):
        """Natural map relative to the norm of q, (n,). It is computed on the host when it is first asked for, from the arrays as they
        are then."""
        every = np.arange(len(self))
        q, mu = (self._given[name].rows(every) for name in ("q", "mu"))
        vectors = self.impulses.numpy(), self.velocities.numpy()
        return _native.delassus_residual(q, mu, *vectors, self._codes("status").tolist())


class _AskBatch:
    """Asks the host why problems were rejected; a graphics processor says only that they were."""

    def __init__(self, bodies, contacts, most, settings):
        self.bodies, self.contacts, self.most, self.settings = bodies, contacts, most, settings

    def _wrong_counts(self, problems):
        count = self.contacts.get("count")
        counts = np.zeros(len(problems), int) if count is None else count.rows(problems).astype(int)
        return counts, (counts < 0) | (counts > self.most)

    def first(self, problems):
        """The problem that a batch on processors names first: numbers of contacts are checked before all others."""
        _, wrong = self._wrong_counts(problems)
        return int(problems[np.argmax(wrong)]) if wrong.any() else int(problems[0])

    def reasons(self, problems):
        bodies = {name: array.rows(problems) for name, array in self.bodies.items()}
        contacts = {name: array.rows(problems) for name, array in self.contacts.items()}
        counts, wrong = self._wrong_counts(problems)
        if wrong.any():
            contacts["count"] = np.where(wrong, 0, counts)
        found = _native.solve_batch(bodies, contacts, self.settings, None, "mark", None, False)["errors"]
        for at in np.flatnonzero(wrong):
            found[int(at)] = f"contacts.count: {counts[at]}, must be 0 to {self.most}"
        return _by_number(problems, found)


class _AskDelassus:
    """The same for matrices."""

    def __init__(self, arrays, settings):
        self.arrays, self.settings = arrays, settings

    def first(self, problems):
        return int(problems[0])

    def reasons(self, problems):
        rows = {name: array.rows(problems) for name, array in self.arrays.items()}
        given = (rows["W"], rows["q"], rows["mu"], rows.get("warm"), self.settings)
        return _by_number(problems, _native.delassus_batch(*given, None, "mark", None, False)["errors"])


def _by_number(problems, found):
    if len(found) < len(problems):
        problem = next(int(problem) for at, problem in enumerate(problems) if at not in found)
        reason = "its arrays have changed since, or the device code is another version's"
        raise RuntimeError(f"problem {problem}: rejected on the graphics processor only: {reason}")
    return {int(problem): found[at] for at, problem in enumerate(problems)}


def _check_errors(errors):
    if errors not in ("raise", "mark"):
        raise ValueError(f'errors: "{errors}", must be "raise" or "mark"')


def solve_batch(bodies, contacts, settings, errors, stream):
    """:func:`stiction.solve_batch` for arrays on a graphics processor."""
    _check_errors(errors)
    handle, settings = handle_of(stream), sweeps_only(settings)
    bodies, contacts = (
        {name: Given(f"{whole}.{name}", value, handle) for name, value in arrays.items() if value is not None}
        for whole, arrays in (("bodies", bodies), ("contacts", contacts))
    )
    stand_ins = ({name: array.stand_in() for name, array in arrays.items()} for arrays in (bodies, contacts))
    is_single, sizes, (has_surfaces, has_moments) = _native.check_batch(*stand_ins)
    for name, array in {**bodies, **contacts}.items():
        letter, words = ("i", "int32 or int64") if name in _INTEGERS else ("f", "float32 or float64")
        array.check_type(letter, words)
    arrays = [bodies.get(name) for name in _FIELDS[:_OF_BODIES]] + [contacts.get(name) for name in _FIELDS[_OF_BODIES:]]
    columns = [None if array is None else array.column() for array in arrays]
    places = 2 * sizes[2] if has_moments else sizes[2]
    how = (is_single, has_surfaces, places)
    answers = _native.solve_resident(columns, sizes, how, settings, handle)
    result = DeviceBatchResult(answers, stream, _AskBatch(bodies, contacts, sizes[2], settings))
    if errors == "raise":
        result._raise_first()
    return result


def delassus_batch(arrays, settings, errors, stream):
    """:func:`stiction.delassus_batch` for arrays on a graphics processor."""
    _check_errors(errors)
    handle, settings = handle_of(stream), sweeps_only(settings)
    arrays = {name: Given(name, value, handle) for name, value in arrays.items()}
    shape = arrays["mu"].shape
    if len(shape) != 2 or shape[1] == 0:
        least = " with at least 1 contact" if len(shape) == 2 else ""
        raise ValueError(f"mu: shape {shape}, must be (problems, contacts){least}")
    n, c = shape
    shapes = {"W": (n, 3 * c, 3 * c), "q": (n, 3 * c), "mu": (n, c), "warm": (n, 3 * c)}
    first = arrays["W"]
    for name, array in arrays.items():
        array.check_type("f", "float32 or float64")
        if array.shape != shapes[name]:
            raise ValueError(f"{name}: shape {array.shape}, must be {shapes[name]}")
        if array.dtype != first.dtype:
            raise TypeError(f"{name}: dtype {array.dtype}, must be {first.dtype} as W on a graphics processor")
        if not array.is_row_by_row():
            raise ValueError(f"{name}: not contiguous, must be row by row on a graphics processor")
    addresses = [arrays[name].address for name in ("W", "q", "mu")]
    warm = arrays["warm"].address if "warm" in arrays else None
    is_single = first.dtype == np.float32
    answers = _native.solve_resident_matrices(addresses, warm, shape, is_single, settings, handle)
    result = DeviceDelassusResult(answers, stream, _AskDelassus(arrays, settings))
    if errors == "raise":
        result._raise_first()
    return result
