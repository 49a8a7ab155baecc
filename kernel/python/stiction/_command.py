"""What the command ``stiction`` does: one problem, and simulations of scenes."""

from . import _native
from ._values import number


def solve(problem, *, precision="f64"):
    """Solves one problem; both are dicts as in the files of ``stiction solve``, with the same bits and words.

    >>> box = {"inverse_mass": 1, "inverse_inertia": [[6, 0, 0], [0, 6, 0], [0, 0, 6]], "linear": [0, 0, -1]}
    >>> contact = {"a": 0, "b": 1, "normal": [0, 0, 1], "r_a": [0, 0, 0], "r_b": [0, 0, -0.5], "mu": 0.5}
    >>> answer = stiction.solve({"bodies": [{"inverse_mass": 0}, box], "contacts": [contact]})
    >>> answer["status"], round(answer["contacts"][0]["normal"], 12)
    ('converged', 1.0)

    numpy's arrays and numbers may stand for lists and numbers. ``precision`` is "f64" or "f32".

    >>> contact["mu"] = -0.1
    >>> stiction.solve({"bodies": [{"inverse_mass": 0}, box], "contacts": [contact]})
    Traceback (most recent call last):
    ValueError: contacts[0].mu: -0.1 is below 0
    """
    return _native.solve(problem, precision)


def run(scene, *, precision="f64", seconds=None, record=None, progress=None):
    """Simulates a scene, by its name, from a file or from a dict; returns the summary of ``stiction run``.

    >>> summary = stiction.run("stack-4", seconds=0.5)
    >>> summary["frames"], len(summary["bodies"])
    (30, 5)

    ``seconds`` replaces the length of the scene. ``record`` is a file: SQLite, for ``stiction plot``, ``inspect`` and
    ``replay``. ``progress`` is called with the number of frames, some times a second. Ctrl-C ends a run; its recording
    has the frames until then.
    """
    seconds = None if seconds is None else number("seconds", seconds)
    return _native.run(scene, precision, seconds, record, progress)


def scenes():
    """The names of the scenes that come with it.

    >>> "stack-4" in stiction.scenes()
    True
    """
    return _native.scene_names()
