"""Bad input: an exception of the right type that names the place and the field; nothing is changed."""

import copy

import numpy as np
import pytest

import stiction
from problems import one_of, random_batch, random_delassus

COUNT = 20


def batch(bodies=None, contacts=None, **options):
    """A change of a batch: functions that change its arrays in place or replace them."""

    def call():
        given = random_batch(COUNT)
        for change, arrays in zip((bodies, contacts), given):
            if change:
                change(arrays)
        copies = copy.deepcopy(given)
        try:
            stiction.solve_batch(*given, **options)
        finally:
            for arrays, before in zip(given, copies):
                assert list(arrays) == list(before)
                for name, array in arrays.items():
                    if isinstance(array, np.ndarray):
                        np.testing.assert_array_equal(array, before[name])
                    else:
                        assert array == before[name]

    return call


def put(name, place, value):
    """Sets an entry."""

    def change(arrays):
        arrays[name][place] = value

    return change


def replaced(name, value):
    """Replaces an array, or removes it."""

    def change(arrays):
        arrays.pop(name, None)
        if value is not None:
            arrays[name] = value(random_batch(COUNT)) if callable(value) else value

    return change


def delassus(change, **options):
    def call():
        arrays = list(random_delassus(COUNT))
        change(arrays)
        stiction.delassus_batch(*arrays, **options)

    return call


def set_in(which, place, value):
    def change(arrays):
        arrays[which][place] = value

    return change


def swapped(which, make):
    def change(arrays):
        arrays[which] = make(arrays[which])

    return change


def nothing(_):
    pass


ONES = np.ones((COUNT, 8))
TABLE = {
    # Values: the problem, the place and the field.
    "negative friction": (batch(None, put("mu", (17, 3), -0.1)), ValueError, "problem 17: contacts[3].mu: -0.1 is below 0"),
    "NaN velocity": (batch(put("linear", (4, 2, 1), np.nan)), ValueError, "problem 4: bodies[2].linear: must be"),
    "infinite spin": (batch(put("angular", (4, 2, 1), np.inf)), ValueError, "problem 4: bodies[2].angular: must be"),
    "negative mass": (batch(put("inverse_mass", (0, 1), -1)), ValueError, "problem 0: bodies[1].inverse_mass: -1 is below 0"),
    "inertia not symmetric": (batch(put("inverse_inertia", (9, 1, 0, 1), 5)), ValueError, "problem 9: bodies[1].inverse_inertia: "),
    "inertia without mass": (batch(put("inverse_inertia", (9, 0, 0, 0), 1)), ValueError, "problem 9: bodies[0].inverse_inertia: "),
    "no such body": (batch(None, put("b", (19, 7), 12)), ValueError, "problem 19: contacts[7].b: body 12 does not exist"),
    "index beyond all": (batch(None, put("b", (19, 7), 2**40)), ValueError, "problem 19: contacts[7].b: "),
    "index below 0": (batch(None, put("a", (3, 0), -1)), ValueError, "problem 3: contacts[0].a: -1 is below 0"),
    "body with itself": (batch(None, lambda c: c["b"].__setitem__((2, 5), c["a"][2, 5])), ValueError, "problem 2: contacts[5].b: "),
    "normal too long": (batch(None, put("normal", (1, 1), [0, 0, 2])), ValueError, "problem 1: contacts[1].normal: "),
    "restitution above 1": (batch(None, put("restitution", (1, 6), 1.5)), ValueError, "problem 1: contacts[6].restitution: 1.5 is above 1"),
    "depth below 0": (batch(None, put("depth", (1, 6), -0.5)), ValueError, "problem 1: contacts[6].depth: -0.5 is below 0"),
    "NaN gap": (batch(None, lambda c: c.update(gap=np.where(np.arange(8) == 6, np.nan, 0 * ONES))), ValueError, "problem 0: contacts[6].gap: must be"),
    "infinite speed before": (
        batch(None, replaced("pre_impact_normal_velocity", np.full((COUNT, 8), np.inf))),
        ValueError, "problem 0: contacts[0].pre_impact_normal_velocity: must be"),
    "NaN to start from": (batch(None, replaced("warm_normal", np.full((COUNT, 8), np.nan))), ValueError, "problem 0: contacts[0].warm_normal: must be"),
    "huge number": (batch(put("linear", (8, 3, 0), 1e300)), ValueError, "problem 8: bodies[3].linear: "),
    "count above the contacts": (batch(None, replaced("count", np.full(COUNT, 9))), ValueError, "problem 0: contacts.count: 9, must be 0 to 8"),
    # Shapes.
    "too few dimensions": (batch(replaced("inverse_mass", np.ones(5))), ValueError, "bodies.inverse_mass: shape (5,), must be (problems, bodies)"),
    "other number of problems": (batch(None, replaced("mu", ONES[1:])), ValueError, f"contacts.mu: shape ({COUNT - 1}, 8), must be ({COUNT}, contacts)"),
    "vectors of two": (batch(replaced("linear", np.ones((COUNT, 5, 2)))), ValueError, f"bodies.linear: shape ({COUNT}, 5, 2), must be ({COUNT}, 5, 3)"),
    "ragged": (batch(None, replaced("restitution", [[1.0], [1.0, 2.0]])), ValueError, "contacts.restitution: "),
    "too many contacts": (
        batch(None, lambda c: c.update({k: np.repeat(v, 40, axis=1) for k, v in c.items()})),
        ValueError, "contacts: 320 a problem, at most 256 fit"),
    # Fields.
    "field missing": (batch(None, replaced("r_b", None)), ValueError, "contacts.r_b: missing"),
    "unknown field": (batch(replaced("mass", ONES)), ValueError, "bodies.mass: unknown field, expected one of inverse_mass"),
    "direction without coefficient": (
        batch(None, replaced("friction_direction", np.ones((COUNT, 8, 3)))), ValueError, "contacts.mu_across: missing, friction_direction is given"),
    # Types.
    "strings": (batch(None, replaced("mu", np.full((COUNT, 8), "1"))), TypeError, "contacts.mu: dtype <U1, must be floats"),
    "complex": (batch(replaced("linear", np.ones((COUNT, 5, 3), complex))), TypeError, "bodies.linear: dtype complex128"),
    "objects": (batch(replaced("linear", np.full((COUNT, 5, 3), None))), TypeError, "bodies.linear: dtype object"),
    "indices that are floats": (batch(None, replaced("a", ONES)), TypeError, "contacts.a: dtype float64, must be integers"),
    "bodies that are an array": (lambda: stiction.solve_batch(ONES, {}), TypeError, "bodies: must be a dict of arrays, not "),
    "name that is no string": (batch(lambda b: b.update({3: ONES})), TypeError, "bodies: names must be strings"),
    # Settings and options.
    "unknown setting": (batch(settings={"sweep": 3}), ValueError, "settings.sweep: unknown field `sweep`"),
    "setting of another type": (batch(settings={"sweeps": "many"}), TypeError, "settings.sweeps: invalid type"),
    "settings that are a list": (batch(settings=[3]), TypeError, "settings: must be a dict, not list"),
    "negative tolerance": (batch(settings={"tolerance": -1.0}), ValueError, "settings.tolerance: -1 is below 0"),
    "NaN tolerance": (batch(settings={"tolerance": float("nan")}), ValueError, "settings.tolerance: must be a finite number"),
    "time step of 0": (batch(settings={"dt": 0}), ValueError, "settings.dt: "),
    "no threads": (batch(threads=0), ValueError, "threads: 0, must be 1 to 1024"),
    "threads below 0": (batch(threads=-3), ValueError, "threads: -3, must be 1 to 1024"),
    "very many threads": (batch(threads=10**30), ValueError, "threads: 1000000000000000000000000000000, must be"),
    "half a thread": (batch(threads=1.5), TypeError, "threads: must be an integer or None"),
    "other word for errors": (batch(errors="ignore"), ValueError, 'errors: "ignore", must be "raise" or "mark"'),
    "progress that is no function": (batch(progress=3), TypeError, "progress: must be callable or None"),
    # Matrices.
    "matrix of another size": (delassus(swapped(0, lambda w: w[:, :-1])), ValueError, f"W: shape ({COUNT}, 11, 12), must be ({COUNT}, 12, 12)"),
    "q of another length": (delassus(swapped(1, lambda q: q[:, :-1])), ValueError, f"q: shape ({COUNT}, 11), must be ({COUNT}, 12)"),
    "no contacts at all": (delassus(swapped(2, lambda mu: mu[:, :0])), ValueError, "mu: shape (20, 0), must be (problems, contacts) with"),
    "NaN in q": (delassus(set_in(1, (6, 4), np.nan)), ValueError, "problem 6: q[1]: must be a finite number"),
    "NaN in warm": (delassus(nothing, warm=np.full((COUNT, 12), np.nan)), ValueError, "problem 0: warm[0]: must be a finite number"),
    "NaN in W": (delassus(set_in(0, (6, 4, 4), np.nan)), ValueError, "problem 6: W.block["),
    "negative mu": (delassus(set_in(2, (6, 3), -0.5)), ValueError, "problem 6: mu[3]: -0.5 is below 0"),
    "matrix that is not positive": (delassus(set_in(0, (6, 4, 4), -9.0)), ValueError, "problem 6: W.block[1]: "),
    "warm of another length": (delassus(nothing, warm=np.zeros((COUNT, 3))), ValueError, f"warm: shape ({COUNT}, 3), must be ({COUNT}, 12)"),
    "unknown method": (delassus(nothing, method="newton"), ValueError, "settings.method: unknown variant `newton`"),
    "sweeps below 0": (delassus(nothing, sweeps=-1), ValueError, "settings.sweeps: "),
    "sweeps that are a float": (delassus(nothing, sweeps=1.5), TypeError, "settings.sweeps: invalid type"),
    "very many contacts": (
        lambda: stiction.delassus_batch(np.zeros((1, 771, 771)), np.zeros((1, 771)), np.zeros((1, 257))),
        ValueError, "mu: 257 contacts a problem, at most 256 fit"),
}


@pytest.mark.parametrize("name", TABLE)
def test_bad_input(name):
    call, kind, line = TABLE[name]
    with pytest.raises(kind) as raised:
        call()
    assert type(raised.value) is kind and str(raised.value).startswith(line), str(raised.value)


def test_the_table_is_long_enough():
    assert len(TABLE) >= 30


ALONE = {
    "negative friction": (lambda p: p["contacts"][3].update(mu=-0.1), ValueError, "contacts[3].mu: -0.1 is below 0"),
    "unknown field": (lambda p: p["contacts"][3].update(mus=1), ValueError, "contacts[3].mus: unknown field"),
    "missing field": (lambda p: p["contacts"][3].pop("mu"), ValueError, "contacts[3]: missing field `mu`"),
    "a word": (lambda p: p["contacts"][3].update(mu="rough"), TypeError, "contacts[3].mu: invalid type"),
    "NaN": (lambda p: p["contacts"][3].update(mu=float("nan")), ValueError, "contacts[3].mu: must be a finite number"),
    "a set": (lambda p: p["bodies"][1].update(linear={1.0}), TypeError, "bodies[1].linear: set is no value"),
    "vector of two": (lambda p: p["bodies"][1].update(linear=[1.0, 2.0]), ValueError, "bodies[1].linear"),
    "a list for an object": (lambda p: p["bodies"].__setitem__(1, [1.0]), TypeError, "bodies[1]: must be an object"),
    "itself": (lambda p: p.update(bodies=p), ValueError, "bodies.bodies"),
}


@pytest.mark.parametrize("name", ALONE)
def test_bad_input_of_one_problem(name):
    change, kind, line = ALONE[name]
    problem = one_of(*random_batch(1), 0)
    change(problem)
    with pytest.raises(kind) as raised:
        stiction.solve(problem)
    assert type(raised.value) is kind and str(raised.value).startswith(line), str(raised.value)


def test_other_arguments_of_solve_and_run():
    problem = one_of(*random_batch(1), 0)
    for call, kind, line in [
        (lambda: stiction.solve([]), TypeError, "problem: must be a dict, not list"),
        (lambda: stiction.solve(problem, precision="f16"), ValueError, 'precision: "f16", must be "f32" or "f64"'),
        (lambda: stiction.run("no-such-scene"), ValueError, 'scene: "no-such-scene" is no scene'),
        (lambda: stiction.run(3), TypeError, "scene: must be a name, a path or a dict, not int"),
        (lambda: stiction.run({"bodies": 3}), (ValueError, TypeError), "bodies"),
        (lambda: stiction.run("stack-4", seconds=-1), ValueError, "seconds: "),
        (lambda: stiction.run("stack-4", seconds=float("nan")), ValueError, "seconds: "),
    ]:
        with pytest.raises(kind) as raised:
            call()
        assert str(raised.value).startswith(line), str(raised.value)


def test_rejected_problems_are_marked_and_cost_the_others_nothing():
    bodies, contacts = random_batch(1000)
    expected = stiction.solve_batch(bodies, contacts)
    contacts["mu"][256, 3] = np.nan
    bodies["inverse_mass"][999, 1] = -1
    result = stiction.solve_batch(bodies, contacts, errors="mark")
    lines = {256: "contacts[3].mu: must be a finite number", 999: "bodies[1].inverse_mass: -1 is below 0"}
    assert result.errors == lines
    rejected = np.isin(np.arange(1000), list(lines))
    assert (result.status[rejected] == "rejected").all() and (result.method[rejected] == "").all()
    assert not result.scalars[rejected].any()
    assert (result.scalars[~rejected] == expected.scalars[~rejected]).all()
    assert (result.status[~rejected] == expected.status[~rejected]).all()


def test_answers_that_do_not_fit_in_memory():
    masses = np.broadcast_to(np.ones((1, 5)), (2**50, 5))
    none = np.broadcast_to(np.zeros((1, 0)), (2**50, 0))
    contacts = {name: none for name in ("mu",)} | {name: none.astype(int) for name in ("a", "b")}
    contacts |= {name: np.broadcast_to(np.zeros((1, 0, 3)), (2**50, 0, 3)) for name in ("normal", "r_a", "r_b")}
    with pytest.raises(MemoryError, match="bytes for the answers"):
        stiction.solve_batch({"inverse_mass": masses}, contacts)
