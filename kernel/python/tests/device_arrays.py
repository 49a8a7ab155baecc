"""Arrays of PyTorch, CuPy and JAX on a graphics processor: every answer has the bits of numpy's path, and stays there.

A program, because it needs a graphics processor and these libraries; one that is missing is named and left out.

    python kernel/python/tests/device_arrays.py [problems]

At the end it prints how many problems a second are solved when they are on the graphics processor already.
"""

import gc
import os
import sys
import time
import traceback

# Otherwise JAX takes most of the memory for itself.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import numpy as np

import stiction
from problems import random_batch, random_delassus
from stiction import _native

NUMBERS = ["linear", "angular", "normal", "tangent", "bounce", "residual", "residual_scale", "closing_speed"]
NUMBERS += ["energy_before", "energy_after", "friction_work", "sweeps"]
WORDS = ["status", "reason", "method", "state", "passivity_guard"]
FIXED = {"sweeps": 10, "tolerance": 0}


class Torch:
    def __init__(self):
        import torch

        self.module, self.from_dlpack = torch, torch.from_dlpack

    def put(self, array):
        return self.module.as_tensor(array, device="cuda")

    def get(self, array):
        return array.cpu().numpy()

    def address(self, array):
        return array.data_ptr()

    def views(self, array):
        """The same numbers with other strides."""
        axes = list(range(array.ndim))[::-1]
        yield array.permute(axes).contiguous().permute(axes)
        yield self.module.stack([array, array], dim=-1)[..., 0]


class Cupy:
    def __init__(self):
        import cupy

        self.module, self.from_dlpack = cupy, cupy.from_dlpack

    def put(self, array):
        return self.module.asarray(array)

    def get(self, array):
        return self.module.asnumpy(array)

    def address(self, array):
        return array.data.ptr

    def views(self, array):
        yield self.module.asfortranarray(array)
        yield self.module.ascontiguousarray(array[::-1])[::-1]


class Jax:
    def __init__(self):
        import jax

        jax.config.update("jax_enable_x64", True)
        self.module, self.device = jax, jax.devices("gpu")[0]

    def from_dlpack(self, array):
        return self.module.numpy.from_dlpack(array)

    def put(self, array):
        return self.module.device_put(array, self.device)

    def get(self, array):
        return np.asarray(array)

    def address(self, array):
        return array.unsafe_buffer_pointer()

    def views(self, array):
        # Arrays of JAX have no strides.
        return iter(())


def libraries():
    for kind in (Torch, Cupy, Jax):
        try:
            yield kind.__name__, kind()
        except (ImportError, RuntimeError) as error:
            print(f"{kind.__name__}: left out: {error}")


def put(library, arrays):
    return {name: library.put(array) for name, array in arrays.items()}


def same(found, expected, name):
    assert found.shape == expected.shape, (name, found.shape, expected.shape)
    if expected.dtype.kind in "US":
        assert (found == expected).all(), name
    else:
        kind = f"u{expected.dtype.itemsize}"
        assert found.dtype.itemsize == expected.dtype.itemsize, (name, found.dtype)
        assert (np.ascontiguousarray(found).view(kind) == np.ascontiguousarray(expected).view(kind)).all(), name


def check_batch(r, expected, library):
    """Every answer, as the library has it and as a copy."""
    for name in NUMBERS + ([] if expected.moment is None else ["moment"]):
        array = getattr(r, name)
        assert isinstance(array, stiction.DeviceArray)
        theirs = library.from_dlpack(array)
        assert library.address(theirs) == array.__cuda_array_interface__["data"][0], f"{name}: copied"
        same(library.get(theirs), getattr(expected, name), name)
        same(array.numpy(), getattr(expected, name), name)
    for name in WORDS:
        same(getattr(r, name), getattr(expected, name), name)
    assert r.errors == expected.errors and len(r) == len(expected) and repr(r).count("rejected") == repr(expected).count("rejected")


class NoCopies:
    """Nothing of the caller's arrays is copied to the host meanwhile."""

    def __enter__(self):
        self.read, _native.read_device = _native.read_device, None

    def __exit__(self, *_):
        _native.read_device = self.read


def with_options(count, dtype, surfaces):
    bodies, contacts = random_batch(count, seed=3, dtype=dtype)
    rng, shape = np.random.default_rng(5), contacts["mu"].shape
    contacts["count"] = rng.integers(0, shape[1] + 1, count)
    contacts["pre_impact_normal_velocity"] = np.where(rng.uniform(size=shape) < 0.5, np.nan, -1.0).astype(dtype)
    contacts["warm_normal"] = rng.uniform(0, 0.1, shape).astype(dtype)
    contacts["gap"] = rng.choice([0.0, 0.002], shape).astype(dtype)
    if surfaces:
        contacts["torsion"], contacts["rolling"] = (rng.choice([0, 0.02], shape).astype(dtype) for _ in range(2))
    return bodies, contacts


def check_bits(library):
    for dtype, surfaces in [(np.float32, False), (np.float64, False), (np.float32, True), (np.float64, True)]:
        for given in [random_batch(5000, dtype=dtype), with_options(3000, dtype, surfaces)]:
            for settings in [None, FIXED]:
                expected = stiction.solve_batch(*given, settings={**(settings or {}), "method": "sweeps"})
                on_device = [put(library, arrays) for arrays in given]
                for errors in ("raise", "mark"):
                    with NoCopies():
                        r = stiction.solve_batch(*on_device, settings=settings, errors=errors)
                    check_batch(r, expected, library)
                r = stiction.solve_batch(*given, settings=settings, device="gpu")
                assert (r.scalars.view("u1") == expected.scalars.view("u1")).all() and (r.words == expected.words).all()
    small = [{k: v.astype(np.int32) if v.dtype.kind == "i" else v for k, v in arrays.items()} for arrays in given]
    check_batch(stiction.solve_batch(*(put(library, arrays) for arrays in small), settings=FIXED), expected, library)


def check_strides(library):
    bodies, contacts = with_options(1000, np.float32, False)
    expected = stiction.solve_batch(bodies, contacts, settings={"method": "sweeps"})
    plain = [put(library, arrays) for arrays in (bodies, contacts)]
    count = 0
    for views in zip(*(library.views(array) for arrays in plain for array in arrays.values())):
        views = iter(views)
        given = [{name: next(views) for name in arrays} for arrays in plain]
        check_batch(stiction.solve_batch(*given), expected, library)
        count += 1
    W, q, mu = (library.put(array.astype(np.float32)) for array in random_delassus(10))
    for view in library.views(W):
        try:
            stiction.delassus_batch(view, q, mu)
            raise AssertionError("a matrix that is not contiguous was taken")
        except ValueError as error:
            assert str(error).startswith("W: not contiguous"), error
    return count


def check_rejected(library):
    bodies, contacts = random_batch(4000, dtype=np.float32)
    contacts["mu"][17, 3], contacts["a"][400, 0], contacts["depth"][3999, 1] = -0.25, -5, -0.1
    bodies["linear"][2000, 1] = np.nan
    given = [put(library, arrays) for arrays in (bodies, contacts)]
    expected = stiction.solve_batch(bodies, contacts, settings={"method": "sweeps"}, errors="mark")
    check_batch(stiction.solve_batch(*given, errors="mark"), expected, library)
    try:
        stiction.solve_batch(*given)
        raise AssertionError("nothing was raised")
    except ValueError as error:
        assert str(error) == f"problem 17: {expected.errors[17]}", error
    contacts["count"] = np.full(4000, 8)
    contacts["count"][1000] = 9
    try:
        stiction.solve_batch(*(put(library, arrays) for arrays in (bodies, contacts)))
        raise AssertionError("nothing was raised")
    except ValueError as error:
        assert str(error) == "problem 1000: contacts.count: 9, must be 0 to 8", error


def check_delassus(library):
    for dtype, contacts in [(np.float32, 4), (np.float64, 8), (np.float32, 20)]:
        W, q, mu = (array.astype(dtype) for array in random_delassus(2000, contacts))
        mu[1234, 1] = -1
        for warm in (None, np.full_like(q, 0.01)):
            expected = stiction.delassus_batch(W, q, mu, warm=warm, method="sweeps", errors="mark")
            given = [library.put(array) for array in (W, q, mu)]
            r = stiction.delassus_batch(*given, warm=None if warm is None else library.put(warm), errors="mark")
            for name in ("impulses", "velocities", "sweeps", "newton_steps"):
                same(library.get(library.from_dlpack(getattr(r, name))), getattr(expected, name), name)
            same(r.residual, expected.residual, "residual")
            assert r.errors == expected.errors and list(r.errors) == [1234]
            assert (r.status == expected.status).all() and (r.method == expected.method).all()
            there = stiction.delassus_batch(W, q, mu, warm=warm, errors="mark", device="gpu")
            same(there.impulses, expected.impulses, "device=gpu")


def check_mixed(library):
    bodies, contacts = random_batch(100, dtype=np.float32)
    try:
        stiction.solve_batch(put(library, bodies), {**put(library, contacts), "mu": contacts["mu"]})
        raise AssertionError("nothing was raised")
    except TypeError as error:
        assert str(error).startswith("contacts.mu: in the host's memory"), error
    none = [put(library, {name: array[:0] for name, array in arrays.items()}) for arrays in (bodies, contacts)]
    r = stiction.solve_batch(*none)
    assert len(r) == 0 and r.linear.numpy().shape == (0, 5, 3)
    wrong = put(library, bodies)
    wrong["linear"] = library.put(bodies["linear"][:, :, :2].copy())
    try:
        stiction.solve_batch(wrong, put(library, contacts))
        raise AssertionError("nothing was raised")
    except ValueError as error:
        assert str(error) == "bodies.linear: shape (100, 5, 2), must be (100, 5, 3)", error


def check_streams(library):
    """Arrays that a stream is still writing, answers that another one reads."""
    torch = library.module
    bodies, contacts = random_batch(20000, dtype=np.float32)
    expected = stiction.solve_batch(bodies, contacts, settings={"method": "sweeps"})
    one, other = torch.cuda.Stream(), torch.cuda.Stream()
    busy = torch.randn(4096, 4096, device="cuda")
    true = put(library, bodies)
    for stream in (one, one.cuda_stream):
        given = [{name: torch.zeros_like(array) for name, array in true.items()}, put(library, contacts)]
        torch.cuda.synchronize()
        with torch.cuda.stream(one):
            for _ in range(20):
                busy = torch.tanh(busy @ busy)
            for name, array in given[0].items():
                array.copy_(true[name])
            r = stiction.solve_batch(*given, stream=stream, errors="mark")
        with torch.cuda.stream(other):
            linear = torch.from_dlpack(r.linear).clone()
        other.synchronize()
        same(linear.cpu().numpy(), expected.linear, "a stream's answers")
    # What one stream has written, and the default stream solves.
    with torch.cuda.stream(one):
        for _ in range(20):
            busy = torch.tanh(busy @ busy)
        given = [{name: array * 1 for name, array in true.items()}, put(library, contacts)]
        r = stiction.solve_batch(*given, errors="mark")
    same(r.linear.numpy(), expected.linear, "the default stream's answers")


def check_memory(library):
    torch = library.module
    given = [put(library, arrays) for arrays in random_batch(50000, dtype=np.float32)]

    def left():
        gc.collect()
        torch.cuda.synchronize()
        return torch.cuda.mem_get_info()[0]

    kept = torch.from_dlpack(stiction.solve_batch(*given).linear)
    first = kept.clone()
    before = left()
    for _ in range(50):
        r = stiction.solve_batch(*given, settings=FIXED, errors="mark")
        view = torch.from_dlpack(r.angular)
    del r, view
    lost = before - left()
    assert abs(lost) < 64 << 20, f"{lost} bytes were not given back"
    assert (kept == first).all(), "an answer changed while a view of it lived"
    return lost


def seconds(solve, times=5):
    solve()
    found = []
    for _ in range(times):
        start = time.perf_counter()
        solve()
        found.append(time.perf_counter() - start)
    return min(found)


def speed(library, count):
    torch = library.module
    some = min(count, 1 << 16)
    repeated = [
        {name: array.repeat((count // some, *[1] * (array.ndim - 1))) for name, array in put(library, arrays).items()}
        for arrays in random_batch(some, dtype=np.float32)
    ]
    for word, settings in [("10 sweeps", FIXED), ("default settings", None)]:

        def solve(errors):
            r = stiction.solve_batch(*repeated, settings=settings, errors=errors)
            torch.cuda.synchronize()
            return r

        for errors in ("mark", "raise"):
            took = seconds(lambda: solve(errors))
            total = count // some * some
            print(f"{total} problems on the device, {word}, errors={errors}: {total / took / 1e6:.2f} million a second")


def main():
    reason = _native.no_gpu()
    if reason is not None:
        sys.exit(f"no graphics processor: {reason}")
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 20
    found, failed = dict(libraries()), 0
    for name, library in found.items():
        checks = [check_bits, check_strides, check_rejected, check_delassus, check_mixed]
        for check in checks + ([check_streams, check_memory] if name == "Torch" else []):
            start = time.perf_counter()
            try:
                said = check(library)
            except Exception:
                # The others are still of interest.
                failed += 1
                print(f"{name}: {check.__name__}: failed\n{traceback.format_exc()}", flush=True)
                continue
            note = "" if said is None else f" ({said})"
            print(f"{name}: {check.__name__}: passed{note}, {time.perf_counter() - start:.1f} s", flush=True)
    if "Torch" in found:
        speed(found["Torch"], count)
    if not found:
        sys.exit("no library: nothing was checked")
    if failed:
        sys.exit(f"{failed} checks failed")


if __name__ == "__main__":
    main()
