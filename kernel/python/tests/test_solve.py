"""`solve` has the command's bits and words, and `solve_batch` has those of `solve`."""

import json
import os
import subprocess

import numpy as np
import pytest

import stiction
from problems import BODIES, CONTACTS, DT, one_of, random_batch

SETTINGS = [{"dt": DT}, {"dt": DT, "sweeps": 10, "tolerance": 0}, {"dt": DT, "stabilisation": "bias"},
            {"dt": DT, "method": "sweeps"}, {"dt": DT, "method": "direct"}, {"dt": DT, "method": "accelerated"}]


def assert_same_bits(result, index, answer):
    """A problem of a batch has every number of an answer."""
    for name in ("linear", "angular"):
        assert getattr(result, name)[index].tolist() == [body[name] for body in answer["bodies"]], (index, name)
    contacts = answer["contacts"]
    for name in ("normal", "tangent", "bounce", "state"):
        given = getattr(result, name)[index][: len(contacts)].tolist()
        assert given == [contact[name] for contact in contacts], (index, name)
    for name in ("status", "reason", "method", "sweeps", "energy_before", "energy_after", "friction_work"):
        assert getattr(result, name)[index] == answer[name], (index, name)
    assert result.residual[index] == answer["residual"]["natural"], index
    assert result.passivity_guard[index] == answer["passivity_guard"], index


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_batch_has_the_bits_of_single_solves(settings):
    bodies, contacts = random_batch(150)
    result = stiction.solve_batch(bodies, contacts, settings=settings)
    assert len(result) == 150
    answers = [stiction.solve(one_of(bodies, contacts, index, settings)) for index in range(150)]
    for index, answer in enumerate(answers):
        assert_same_bits(result, index, answer)
    if settings.get("method") == "direct":
        assert sum(answer["newton_steps"] > 0 for answer in answers) > 20


def test_large_problems_have_the_bits_of_single_solves():
    for size in (2, 6, 20):
        bodies, contacts = random_batch(3 * size, seed=size)
        bodies = {name: array.reshape(3, size * BODIES, *array.shape[2:]) for name, array in bodies.items()}
        contacts = {name: array.reshape(3, size * CONTACTS, *array.shape[2:]) for name, array in contacts.items()}
        shift = np.repeat(np.arange(size) * BODIES, CONTACTS)
        contacts["a"], contacts["b"] = contacts["a"] + shift, contacts["b"] + shift
        if size * BODIES > 64:
            with pytest.raises(ValueError, match="bodies: 100 a problem, at most 64 fit"):
                stiction.solve_batch(bodies, contacts)
            continue
        result = stiction.solve_batch(bodies, contacts)
        for index in range(3):
            assert_same_bits(result, index, stiction.solve(one_of(bodies, contacts, index)))


def test_friction_beyond_sliding_has_the_bits_of_single_solves():
    bodies, contacts = random_batch(60, seed=5)
    rng = np.random.default_rng(6)
    contacts["torsion"] = rng.uniform(0, 0.05, contacts["mu"].shape)
    contacts["rolling"] = rng.choice([0, 0.01], contacts["mu"].shape)
    contacts["mu_across"] = rng.uniform(0, 1, contacts["mu"].shape)
    contacts["friction_direction"] = rng.normal(size=contacts["normal"].shape)
    result = stiction.solve_batch(bodies, contacts)
    for index in range(60):
        answer = stiction.solve(one_of(bodies, contacts, index))
        assert_same_bits(result, index, answer)
        assert result.moment[index].tolist() == [contact["moment"] for contact in answer["contacts"]]
    assert np.abs(result.moment).max() > 0
    plain = {name: contacts[name] for name in contacts if name not in ("torsion", "rolling", "mu_across", "friction_direction")}
    assert stiction.solve_batch(bodies, plain).moment is None


def test_warm_starts_and_counts_have_the_bits_of_single_solves():
    bodies, contacts = random_batch(60, seed=7)
    rng = np.random.default_rng(8)
    contacts["count"] = rng.integers(0, CONTACTS + 1, 60)
    warm = {"warm_normal": rng.uniform(0, 0.1, contacts["mu"].shape), "warm_tangent": 0.01 * rng.normal(size=(60, CONTACTS, 3))}
    recorded = np.where(rng.random(contacts["mu"].shape) < 0.5, np.nan, -1.0)
    # What is beyond the count is not read.
    contacts["mu"] = np.where(np.arange(CONTACTS) < contacts["count"][:, None], contacts["mu"], np.nan)
    result = stiction.solve_batch(bodies, {**contacts, **warm, "pre_impact_normal_velocity": recorded})
    for index in range(60):
        problem = one_of(bodies, contacts, index)
        for place, contact in enumerate(problem["contacts"]):
            normal, tangent = (warm[name][index, place].tolist() for name in ("warm_normal", "warm_tangent"))
            contact["warm"] = {"normal": normal, "tangent": tangent}
            velocity = float(recorded[index, place])
            contact["pre_impact_normal_velocity"] = None if np.isnan(velocity) else velocity
        assert_same_bits(result, index, stiction.solve(problem))
        assert not result.normal[index, contacts["count"][index] :].any()


def test_a_gap_may_close_and_no_further():
    # A ball above the ground may come down as far as the ground.
    bodies = {"inverse_mass": [[0.0, 1]], "linear": [[[0.0, 0, 0], [0, 0, -1]]]}
    contacts = {"a": [[0]], "b": [[1]], "normal": [[[0, 0, 1]]], "r_a": [[[0, 0, 0]]], "r_b": [[[0, 0, 0]]], "mu": [[0.5]]}
    result = stiction.solve_batch(bodies, {**contacts, "gap": [[0.005]]}, settings={"dt": 0.01})
    assert np.isclose(result.linear[0, 1, 2], -0.5)
    both = stiction.solve_batch(bodies, {**contacts, "gap": [[0.005]], "depth": [[0.0]]}, settings={"dt": 0.01})
    assert (both.scalars == result.scalars).all()


def test_float32_has_float32_answers():
    bodies, contacts = random_batch(100, dtype=np.float32)
    result = stiction.solve_batch(bodies, contacts)
    assert result.linear.dtype == result.residual.dtype == np.float32
    for index in range(100):
        answer = stiction.solve(one_of(bodies, contacts, index), precision="f32")
        assert_same_bits(result, index, answer)


def test_other_types_become_float64():
    bodies, contacts = random_batch(5)
    half = {name: array.astype(np.float16 if array.dtype.kind == "f" else np.int8) for name, array in contacts.items()}
    half["normal"] = contacts["normal"]
    mixed = {**contacts, "mu": contacts["mu"].astype(np.float32)}
    whole = {**bodies, "linear": bodies["linear"].astype(int)}
    swapped = {name: array.astype(array.dtype.newbyteorder()) for name, array in bodies.items()}
    for given in [(bodies, half), (bodies, mixed), (whole, contacts), (swapped, contacts)]:
        doubles = [{name: a.astype(np.float64 if a.dtype.kind == "f" or name == "linear" else int) for name, a in arrays.items()}
                   for arrays in given]
        result, expected = stiction.solve_batch(*given), stiction.solve_batch(*doubles)
        assert result.linear.dtype == np.float64 and (result.scalars == expected.scalars).all()
    lists = [{name: array.tolist() for name, array in arrays.items()} for arrays in (bodies, contacts)]
    assert (stiction.solve_batch(*lists).scalars == stiction.solve_batch(bodies, contacts).scalars).all()


def changed(array, how):
    """The same numbers, in other places."""
    if how == "fortran":
        return np.asfortranarray(array)
    if how == "read-only":
        array = array.copy()
        array.setflags(write=False)
        return array
    if how == "every second":
        wide = np.repeat(array, 2, axis=0)
        return wide[::2]
    if how == "backwards":
        return np.ascontiguousarray(array[::-1])[::-1]
    if how == "unaligned":
        raw = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
        raw[...] = array
        return raw
    record = np.zeros(array.shape, [("pad", np.int8), ("value", array.dtype)])
    record["value"] = array
    return record["value"]


@pytest.mark.parametrize("how", ["fortran", "read-only", "every second", "backwards", "unaligned", "record"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_strides(how, dtype):
    bodies, contacts = random_batch(33, dtype=dtype)
    expected = stiction.solve_batch(bodies, contacts)
    strided = [{name: changed(array, how) for name, array in arrays.items()} for arrays in (bodies, contacts)]
    before = [{name: array.copy() for name, array in arrays.items()} for arrays in strided]
    result = stiction.solve_batch(*strided)
    assert (result.scalars == expected.scalars).all() and (result.words == expected.words).all()
    for arrays, copies in zip(strided, before):
        assert all((arrays[name] == copies[name]).all() for name in arrays)


def test_one_body_for_all_problems_needs_no_copies():
    bodies, contacts = random_batch(1)
    many = [{name: np.broadcast_to(array, (1000, *array.shape[1:])) for name, array in arrays.items()} for arrays in (bodies, contacts)]
    result = stiction.solve_batch(*many)
    assert (result.linear == stiction.solve_batch(bodies, contacts).linear).all()


def test_answers_are_views_of_one_array():
    result = stiction.solve_batch(*random_batch(20))
    for name in ("linear", "angular", "normal", "tangent", "bounce", "residual", "energy_after"):
        assert np.shares_memory(getattr(result, name), result.scalars), name
    assert result.linear.strides == (result.scalars.strides[0], 24, 8)


@pytest.mark.parametrize("count", [0, 1])
def test_few_problems(count):
    result = stiction.solve_batch(*random_batch(count))
    assert result.linear.shape == (count, BODIES, 3) and result.tangent.shape == (count, CONTACTS, 3)
    assert result.status.shape == (count,) and len(result) == count
    assert repr(result).startswith("<BatchResult: ")


def test_no_contacts():
    bodies, contacts = random_batch(4)
    none = {name: array[:, :0] for name, array in contacts.items()}
    result = stiction.solve_batch(bodies, none)
    assert (result.linear == bodies["linear"]).all() and (result.status == "converged").all()


def test_bits_do_not_depend_on_threads():
    bodies, contacts = random_batch(2000, seed=3)
    results = [stiction.solve_batch(bodies, contacts, threads=threads) for threads in (1, 2, 7, None)]
    for result in results[1:]:
        assert (result.scalars == results[0].scalars).all() and (result.words == results[0].words).all()


def command():
    return os.environ.get("STICTION_COMMAND")


@pytest.mark.skipif(command() is None, reason="STICTION_COMMAND names no command `stiction`")
@pytest.mark.parametrize("precision", ["f32", "f64"])
def test_solve_is_what_the_command_prints(tmp_path, precision):
    bodies, contacts = random_batch(10, dtype={"f32": np.float32, "f64": np.float64}[precision])
    for index in range(10):
        problem = one_of(bodies, contacts, index)
        path = tmp_path / "problem.json"
        path.write_text(json.dumps(problem))
        given = [command(), "solve", str(path), "--precision", precision]
        printed = subprocess.run(given, check=True, capture_output=True, text=True).stdout
        assert stiction.solve(problem, precision=precision) == json.loads(printed)


def test_solve_takes_arrays():
    bodies, contacts = random_batch(1)
    problem = one_of(bodies, contacts, 0)
    arrays = one_of(bodies, contacts, 0)
    for row in arrays["bodies"]:
        row["linear"], row["inverse_mass"] = np.array(row["linear"]), np.float64(row["inverse_mass"])
    arrays["contacts"] = tuple(arrays["contacts"])
    assert stiction.solve(arrays) == stiction.solve(problem)
