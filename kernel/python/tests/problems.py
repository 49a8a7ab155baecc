"""Random problems as arrays, and as dicts for one problem each."""

import numpy as np

BODIES, CONTACTS = 5, 8
DT = 0.01


def random_batch(count, seed=0, dtype=np.float64):
    """Problems of 5 bodies, the first one immovable, and 8 contacts, some of them with restitution and depth."""
    rng = np.random.default_rng(seed)
    shape = (count, BODIES)
    half = rng.normal(size=(*shape, 3, 3))
    bodies = {
        "inverse_mass": rng.uniform(0.2, 5, shape),
        "inverse_inertia": half @ half.swapaxes(2, 3) + np.eye(3),
        "linear": rng.normal(size=(*shape, 3)),
        "angular": rng.normal(size=(*shape, 3)),
    }
    for field in bodies.values():
        field[:, 0] = 0
    normal = rng.normal(size=(count, CONTACTS, 3))
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    a = rng.integers(0, BODIES - 1, (count, CONTACTS))
    contacts = {
        "a": a,
        "b": a + 1 + (rng.integers(0, BODIES, (count, CONTACTS)) % (BODIES - 1 - a)),
        "normal": normal,
        "r_a": rng.uniform(-0.5, 0.5, (count, CONTACTS, 3)),
        "r_b": rng.uniform(-0.5, 0.5, (count, CONTACTS, 3)),
        "mu": rng.uniform(0, 1, (count, CONTACTS)),
        "restitution": rng.choice([0.0, 0.5], (count, CONTACTS)),
        "depth": rng.choice([0.0, 0.001], (count, CONTACTS)),
    }
    return cast(bodies, dtype), cast(contacts, dtype)


def cast(arrays, dtype):
    return {name: array if array.dtype.kind == "i" else array.astype(dtype) for name, array in arrays.items()}


def one_of(bodies, contacts, index, settings=None):
    """A problem of a batch as a dict for `stiction.solve`."""
    count = int(contacts["count"][index]) if "count" in contacts else contacts["mu"].shape[1]
    contact = {name: array for name, array in contacts.items() if name != "count"}
    rows = [{name: array[index, i].tolist() for name, array in bodies.items()} for i in range(bodies["linear"].shape[1])]
    touching = [{name: array[index, i].tolist() for name, array in contact.items()} for i in range(count)]
    return {"bodies": rows, "contacts": touching, **({"settings": settings} if settings else {})}


def random_delassus(count, contacts=4, seed=0):
    """Matrices J M⁻¹ Jᵀ of random Jacobians, free velocities and coefficients."""
    rng = np.random.default_rng(seed)
    jacobian = rng.normal(size=(count, 3 * contacts, 6 * contacts))
    return (
        jacobian @ jacobian.swapaxes(1, 2) / contacts,
        rng.normal(size=(count, 3 * contacts)),
        rng.uniform(0, 1, (count, contacts)),
    )
