"""Arrays on a graphics processor and the keyword `device`, where there is none: the same bits on processors, and clear errors."""

import warnings

import numpy as np
import pytest

import stiction
from problems import random_batch, random_delassus
from stiction import _native

HAS_NONE = _native.no_gpu()
without = pytest.mark.skipif(HAS_NONE is None, reason="there is a graphics processor")


class Interface:
    """An array as CUDA libraries show it."""

    def __init__(self, array, **changes):
        self._array, self._changes = array, changes

    @property
    def __cuda_array_interface__(self):
        array = self._array
        shown = {"shape": array.shape, "typestr": array.dtype.str, "data": (array.ctypes.data, False), "version": 3}
        return {**shown, "strides": array.strides, "stream": None, **self._changes}


class Dlpack:
    """An array that says by DLPack where it is."""

    def __init__(self, array, device=(2, 0)):
        self._array, self._device = array, device

    def __dlpack_device__(self):
        return self._device

    def __dlpack__(self, *, stream=None):
        return self._array.__dlpack__()


def there(arrays, kind=Interface):
    return {name: kind(array) for name, array in arrays.items()}


def as_words(r):
    return [r.scalars.tobytes(), r.words.tobytes()]


def test_a_graphics_processor_that_is_not_there_is_a_warning_and_the_same_bits():
    bodies, contacts = random_batch(40)
    for settings, method in [(None, "sweeps"), ({"sweeps": 20}, "sweeps"), ({"method": "accelerated"}, "accelerated")]:
        expected = stiction.solve_batch(bodies, contacts, settings={**(settings or {}), "method": method})
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            r = stiction.solve_batch(bodies, contacts, settings=settings, device="gpu")
        assert as_words(r) == as_words(expected)
        if HAS_NONE is not None:
            assert [str(warning.message) for warning in said] == [
                f"solved on processors, not on a graphics processor: {HAS_NONE}"
            ]
            assert said[0].category is RuntimeWarning and said[0].filename == __file__


@without
def test_it_is_said_once():
    W, q, mu = random_delassus(10)
    expected = stiction.delassus_batch(W, q, mu, method="sweeps")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("default")
        for _ in range(3):
            r = stiction.delassus_batch(W, q, mu, device="gpu")
            assert (r.impulses == expected.impulses).all() and (r.sweeps == expected.sweeps).all()
    assert len(said) == 1


def test_rejected_problems_are_those_of_processors():
    bodies, contacts = random_batch(30)
    contacts["mu"][7, 3], contacts["a"][12, 0], contacts["depth"][20, 1] = -1, -5, -0.1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        r = stiction.solve_batch(bodies, contacts, device="gpu", errors="mark")
        with pytest.raises(ValueError, match="^problem 7: contacts\\[3\\].mu: -1 is below 0$"):
            stiction.solve_batch(bodies, contacts, device="gpu")
    expected = stiction.solve_batch(bodies, contacts, settings={"method": "sweeps"}, errors="mark")
    assert r.errors == expected.errors and as_words(r) == as_words(expected) and list(r.errors) == [7, 12, 20]


@without
@pytest.mark.parametrize("kind", [Interface, Dlpack])
def test_arrays_on_a_graphics_processor_that_cannot_be_used_are_one_error(kind):
    bodies, contacts = random_batch(4)
    reason = f"on a graphics processor, and none can be used: {HAS_NONE}"
    with pytest.raises(RuntimeError) as error:
        stiction.solve_batch(there(bodies, kind), there(contacts, kind))
    assert str(error.value) == f"bodies.inverse_mass: {reason}"
    with pytest.raises(RuntimeError) as error:
        stiction.delassus_batch(*(kind(array) for array in random_delassus(4)))
    assert str(error.value) == f"W: {reason}"


def test_arrays_in_two_places_are_an_error():
    bodies, contacts = random_batch(4)
    for wrong, line in [
        ((there(bodies), contacts), "contacts.a: in the host's memory, bodies.inverse_mass is on a graphics processor"),
        (
            (bodies, {**contacts, "mu": Dlpack(contacts["mu"])}),
            "contacts.mu: on a graphics processor, bodies.inverse_mass is in the host's memory",
        ),
        (({**there(bodies), "linear": bodies["linear"].tolist()}, there(contacts)), "bodies.linear: in the host's memory"),
    ]:
        with pytest.raises(TypeError) as error:
            stiction.solve_batch(*wrong)
        assert str(error.value).startswith(line)
    W, q, mu = random_delassus(4)
    with pytest.raises(TypeError, match="^q: on a graphics processor, W is in the host's memory$"):
        stiction.delassus_batch(W, Interface(q), mu)


def test_other_devices_are_an_error():
    bodies, contacts = random_batch(4)
    for device, line in [
        ((2, 1), "contacts.mu: on graphics processor 1, must be on the first one, 0"),
        ((10, 0), "contacts.mu: on a device of DLPack's kind 10, must be CUDA's or the host's"),
    ]:
        with pytest.raises(ValueError) as error:
            stiction.solve_batch(bodies, {**contacts, "mu": Dlpack(contacts["mu"], device)})
        assert str(error.value) == line


def test_wrong_options_are_errors():
    bodies, contacts = random_batch(4)
    for options, line in [
        ({"device": "tpu"}, "device: 'tpu', must be None, \"cpu\" or \"gpu\""),
        ({"stream": 1}, "stream: only for arrays on a graphics processor"),
        ({"device": "gpu", "settings": {"method": "direct"}}, 'settings.method: "direct", must be "auto", "sweeps"'),
    ]:
        with pytest.raises(ValueError) as error:
            stiction.solve_batch(bodies, contacts, **options)
        assert str(error.value).startswith(line)
    with pytest.raises(ValueError, match="^bodies.inverse_mass: on a graphics processor, device is \"cpu\"$"):
        stiction.solve_batch(there(bodies), there(contacts), device="cpu")


def test_arrays_of_other_libraries_in_the_host_memory_are_read_there():
    bodies, contacts = random_batch(10)
    expected = stiction.solve_batch(bodies, contacts)
    passed = ({name: Dlpack(array, (1, 0)) for name, array in arrays.items()} for arrays in (bodies, contacts))
    assert as_words(stiction.solve_batch(*passed, device="cpu")) == as_words(expected)
