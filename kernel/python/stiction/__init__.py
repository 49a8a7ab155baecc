"""Contact of rigid bodies with exact Coulomb friction: many problems at once, numpy in and out.

>>> import numpy as np
>>> import stiction

A thousand contacts with the identity as their matrix land at 1 m/s and slide at different speeds:

>>> speeds = np.linspace(0, 2, 1000)
>>> q = np.stack([-np.ones(1000), speeds, np.zeros(1000)], axis=1)
>>> r = stiction.delassus_batch(np.tile(np.eye(3), (1000, 1, 1)), q, np.full((1000, 1), 0.5))
>>> bool((r.status == "converged").all())
True
>>> r.impulses[999].round(9).tolist()  # friction is at its bound
[1.0, -0.5, 0.0]

- :func:`solve_batch`: bodies with contacts
- :func:`delassus_batch`: matrices and free velocities of your own dynamics
- :func:`solve`: one problem, as the command ``stiction solve`` has it
- :func:`run`, :func:`scenes`: simulations of scenes, as ``stiction run`` has them
- :class:`World`: bodies that are stepped, with your own collision detection

Both batches also take arrays on a graphics processor, of PyTorch, CuPy, JAX and others, and then give :class:`DeviceArray`.

A wrong shape, index or value is a ``ValueError``, a wrong type a ``TypeError``; the message names the problem, the place
and the field. All calls release the interpreter's lock; do not write to their arrays from other threads meanwhile.
"""

from ._batch import BatchResult, DelassusResult, delassus_batch, solve_batch
from ._command import run, scenes, solve
from ._device import DeviceArray
from ._native import __version__
from ._on_device import DeviceBatchResult, DeviceDelassusResult
from ._world import Contact, StepReport, World

__all__ = [
    "BatchResult",
    "Contact",
    "DelassusResult",
    "DeviceArray",
    "DeviceBatchResult",
    "DeviceDelassusResult",
    "StepReport",
    "World",
    "__version__",
    "delassus_batch",
    "run",
    "scenes",
    "solve",
    "solve_batch",
]
