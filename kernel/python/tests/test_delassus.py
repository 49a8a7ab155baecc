"""`delassus_batch`: closed forms, residuals, types."""

import numpy as np
import pytest

import stiction
from problems import random_delassus


def natural_map(W, q, mu, x):
    """Natural map of every problem relative to q, written down independently."""
    u = np.einsum("nij,nj->ni", W, x) + q
    shape = (*mu.shape, 3)
    x, u = x.reshape(shape), u.reshape(shape)
    shifted = u.copy()
    shifted[..., 0] += mu * np.linalg.norm(u[..., 1:], axis=-1)
    z = x - shifted
    length = np.linalg.norm(z[..., 1:], axis=-1)
    rim = (z[..., 0] + mu * length) / (1 + mu * mu)
    inside, polar = length <= mu * z[..., 0], mu * length <= -z[..., 0]
    scale = np.where(length > 0, mu * rim / np.where(length > 0, length, 1), 0)
    cone = np.concatenate([rim[..., None], z[..., 1:] * scale[..., None]], axis=-1)
    cone = np.where(inside[..., None], z, np.where(polar[..., None], 0, cone))
    error = (x - cone).reshape(len(q), -1)
    return np.linalg.norm(error, axis=1) / np.linalg.norm(q, axis=1)


def test_one_contact_has_the_closed_form():
    rng = np.random.default_rng(0)
    q, mu, mass = rng.normal(size=(500, 3)), rng.uniform(0, 1, (500, 1)), rng.uniform(0.1, 10, (500, 1))
    r = stiction.delassus_batch(np.eye(3) / mass[:, :, None], q, mu)
    normal = mass[:, 0] * np.maximum(-q[:, 0], 0)
    slip = np.linalg.norm(q[:, 1:], axis=1)
    friction = np.minimum(mu[:, 0] * normal, mass[:, 0] * slip)
    tangent = -q[:, 1:] * (friction / slip)[:, None]
    assert np.allclose(r.impulses, np.column_stack([normal, tangent]), atol=1e-12)
    assert (r.status == "converged").all() and (r.residual < 1e-9).all()


@pytest.mark.parametrize("contacts", [1, 4, 8, 9, 20, 40, 130])
def test_random_problems_are_solved(contacts):
    W, q, mu = random_delassus(400 // contacts, contacts)
    r = stiction.delassus_batch(W, q, mu)
    assert np.allclose(r.velocities, np.einsum("nij,nj->ni", W, r.impulses) + q, atol=1e-10)
    assert np.allclose(r.residual, natural_map(W, q, mu, r.impulses), rtol=1e-3, atol=1e-13)
    converged = r.status == "converged"
    assert converged.mean() > 0.95 and (r.residual[converged] < 1e-4).all()
    assert set(r.method) <= {"block_pgs", "newton", "interior_point", "active_set", "scalar_pgs", "accelerated"}


def test_sweeps_are_counted_and_a_warm_start_saves_some():
    W, q, mu = random_delassus(50)
    fixed = stiction.delassus_batch(W, q, mu, sweeps=7, tolerance=0)
    assert (fixed.sweeps == 7).all()
    plain = stiction.delassus_batch(W, q, mu, method="sweeps", sweeps=1000)
    assert (plain.newton_steps == 0).all()
    again = stiction.delassus_batch(W, q, mu, method="sweeps", sweeps=1000, warm=plain.impulses)
    assert again.sweeps.sum() < plain.sweeps.sum() / 5
    few = stiction.delassus_batch(W, q, mu, method="sweeps", sweeps=1, tolerance=1e-14)
    assert (few.status == "sweep_limit").any() and few.residual.max() > 1e-6


def test_float32_and_strides():
    W, q, mu = random_delassus(30)
    r = stiction.delassus_batch(*(array.astype(np.float32) for array in (W, q, mu)))
    assert r.impulses.dtype == r.velocities.dtype == r.residual.dtype == np.float32
    double = stiction.delassus_batch(W, q, mu)
    assert np.allclose(r.impulses, double.impulses, atol=1e-3)
    for change in (np.asfortranarray, lambda a: np.repeat(a, 2, axis=0)[::2], lambda a: a.tolist()):
        other = stiction.delassus_batch(change(W), change(q), change(mu))
        assert (other.impulses == double.impulses).all()


def test_threads_and_few_problems():
    W, q, mu = random_delassus(300, seed=4)
    results = [stiction.delassus_batch(W, q, mu, threads=threads) for threads in (1, 2, 7)]
    for r in results[1:]:
        assert (r.impulses == results[0].impulses).all() and (r.residual == results[0].residual).all()
    none = stiction.delassus_batch(W[:0], q[:0], mu[:0])
    assert none.impulses.shape == (0, 12) and none.status.shape == (0,) and len(none) == 0


def test_rejected_problems_are_marked():
    W, q, mu = random_delassus(100)
    expected = stiction.delassus_batch(W, q, mu)
    mu[70, 2] = -1
    r = stiction.delassus_batch(W, q, mu, errors="mark")
    assert r.errors == {70: "mu[2]: -1 is below 0"} and r.status[70] == "rejected" and r.method[70] == ""
    assert not r.impulses[70].any() and r.residual[70] == 0
    others = np.arange(100) != 70
    assert (r.impulses[others] == expected.impulses[others]).all()
