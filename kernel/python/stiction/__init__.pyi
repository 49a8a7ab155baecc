from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str

_Precision = Literal["f32", "f64"]
_Errors = Literal["raise", "mark"]
_Method = Literal["auto", "sweeps", "accelerated", "direct"]
_Progress = Callable[[int], object]
_Device = Literal["cpu", "gpu"]
_Floats = NDArray[np.floating[Any]]
_Words = NDArray[np.str_]
_Counts = NDArray[np.uint32]

class _OnDlpack(Protocol):
    def __dlpack__(self, *, stream: Any = None) -> Any: ...
    def __dlpack_device__(self) -> tuple[Any, int]: ...

class _OnCuda(Protocol):
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

_OnGpu = _OnDlpack | _OnCuda

class _Answers:
    errors: dict[int, str]
    @property
    def status(self) -> _Words: ...
    @property
    def reason(self) -> _Words: ...
    @property
    def method(self) -> _Words: ...
    def __len__(self) -> int: ...

class BatchResult(_Answers):
    scalars: _Floats
    words: _Counts
    @property
    def linear(self) -> _Floats: ...
    @property
    def angular(self) -> _Floats: ...
    @property
    def normal(self) -> _Floats: ...
    @property
    def tangent(self) -> _Floats: ...
    @property
    def bounce(self) -> _Floats: ...
    @property
    def moment(self) -> _Floats | None: ...
    @property
    def residual(self) -> _Floats: ...
    @property
    def residual_scale(self) -> _Floats: ...
    @property
    def closing_speed(self) -> _Floats: ...
    @property
    def energy_before(self) -> _Floats: ...
    @property
    def energy_after(self) -> _Floats: ...
    @property
    def friction_work(self) -> _Floats: ...
    @property
    def sweeps(self) -> _Counts: ...
    @property
    def passivity_guard(self) -> NDArray[np.bool_]: ...
    @property
    def state(self) -> _Words: ...

class DelassusResult(_Answers):
    impulses: _Floats
    velocities: _Floats
    residual: _Floats
    sweeps: _Counts
    newton_steps: _Counts

class DeviceArray:
    def __init__(self, memory: Any, kind: str, shape: Sequence[int], offset: int, stream: Any) -> None: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def size(self) -> int: ...
    def numpy(self) -> NDArray[Any]: ...
    def __len__(self) -> int: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...

class _OnDevice(_Answers):
    errors: dict[int, str]
    @property
    def codes(self) -> dict[str, DeviceArray]: ...

class DeviceBatchResult(_OnDevice):
    @property
    def linear(self) -> DeviceArray: ...
    @property
    def angular(self) -> DeviceArray: ...
    @property
    def normal(self) -> DeviceArray: ...
    @property
    def tangent(self) -> DeviceArray: ...
    @property
    def bounce(self) -> DeviceArray: ...
    @property
    def moment(self) -> DeviceArray | None: ...
    @property
    def residual(self) -> DeviceArray: ...
    @property
    def residual_scale(self) -> DeviceArray: ...
    @property
    def closing_speed(self) -> DeviceArray: ...
    @property
    def energy_before(self) -> DeviceArray: ...
    @property
    def energy_after(self) -> DeviceArray: ...
    @property
    def friction_work(self) -> DeviceArray: ...
    @property
    def sweeps(self) -> DeviceArray: ...
    @property
    def passivity_guard(self) -> NDArray[np.bool_]: ...
    @property
    def state(self) -> _Words: ...

class DeviceDelassusResult(_OnDevice):
    @property
    def impulses(self) -> DeviceArray: ...
    @property
    def velocities(self) -> DeviceArray: ...
    @property
    def residual(self) -> _Floats: ...
    @property
    def kernel_residual(self) -> DeviceArray: ...
    @property
    def sweeps(self) -> DeviceArray: ...
    @property
    def newton_steps(self) -> DeviceArray: ...

@overload
def solve_batch(
    bodies: Mapping[str, ArrayLike],
    contacts: Mapping[str, ArrayLike],
    *,
    settings: Mapping[str, Any] | None = None,
    threads: int | None = None,
    errors: _Errors = "raise",
    progress: _Progress | None = None,
    device: _Device | None = None,
    stream: None = None,
) -> BatchResult: ...
@overload
def solve_batch(
    bodies: Mapping[str, _OnGpu],
    contacts: Mapping[str, _OnGpu],
    *,
    settings: Mapping[str, Any] | None = None,
    threads: int | None = None,
    errors: _Errors = "raise",
    progress: _Progress | None = None,
    device: _Device | None = None,
    stream: Any = None,
) -> DeviceBatchResult: ...
@overload
def delassus_batch(
    W: ArrayLike,
    q: ArrayLike,
    mu: ArrayLike,
    *,
    sweeps: int = 50,
    tolerance: float | None = None,
    method: _Method = "auto",
    warm: ArrayLike | None = None,
    threads: int | None = None,
    errors: _Errors = "raise",
    progress: _Progress | None = None,
    device: _Device | None = None,
    stream: None = None,
) -> DelassusResult: ...
@overload
def delassus_batch(
    W: _OnGpu,
    q: _OnGpu,
    mu: _OnGpu,
    *,
    sweeps: int = 50,
    tolerance: float | None = None,
    method: _Method = "auto",
    warm: _OnGpu | None = None,
    threads: int | None = None,
    errors: _Errors = "raise",
    progress: _Progress | None = None,
    device: _Device | None = None,
    stream: Any = None,
) -> DeviceDelassusResult: ...
def solve(problem: Mapping[str, Any], *, precision: _Precision = "f64") -> dict[str, Any]: ...
def run(
    scene: str | PathLike[str] | Mapping[str, Any],
    *,
    precision: _Precision = "f64",
    seconds: float | None = None,
    record: str | PathLike[str] | None = None,
    progress: _Progress | None = None,
) -> dict[str, Any]: ...
def scenes() -> list[str]: ...
@dataclass(frozen=True)
class StepReport:
    status: str
    reason: str
    contacts: int
    contacts_left_out: int
    warm_started: int
    islands: int
    sweeps: int
    newton_steps: int
    residual: float
    closing_speed: float
    depth: float
    passivity_guard: bool
    bounce_dropped: bool
    ledger: dict[str, float]
    joint_work: dict[str, float]

@dataclass
class Contact:
    a: int
    b: int
    normal: Sequence[float] | _Floats
    on_a: Sequence[float] | _Floats
    on_b: Sequence[float] | _Floats
    depth: float | None = None
    id: int | None = None
    mu: float | None = None
    restitution: float | None = None

class World:
    def __init__(
        self,
        *,
        gravity: ArrayLike = ...,
        substeps: int | None = None,
        length: float = 1.0,
        settings: Mapping[str, Any] | None = None,
        precision: _Precision = "f64",
    ) -> None: ...
    def __len__(self) -> int: ...
    def add_body(
        self,
        *,
        mass: float | None = None,
        inertia: ArrayLike | None = None,
        position: ArrayLike = ...,
        orientation: ArrayLike = ...,
        linear: ArrayLike = ...,
        angular: ArrayLike = ...,
        mu: float = 0.0,
        restitution: float = 0.0,
        torsion: float = 0.0,
        rolling: float = 0.0,
    ) -> int: ...
    def add_joint(self, a: int, b: int, **joint: Any) -> int: ...
    def set_motor(self, joint: int, **motor: float) -> None: ...
    def set_load(self, body: int, force: ArrayLike = ..., torque: ArrayLike = ...) -> None: ...
    def set_state(
        self,
        body: int,
        *,
        position: ArrayLike | None = None,
        orientation: ArrayLike | None = None,
        linear: ArrayLike | None = None,
        angular: ArrayLike | None = None,
    ) -> None: ...
    def step(
        self, dt: float, manifolds: Iterable[Contact | Mapping[str, Any]] | Mapping[str, ArrayLike] = ()
    ) -> StepReport: ...
    def search_margin(self, dt: float) -> float: ...
    @property
    def positions(self) -> _Floats: ...
    @property
    def orientations(self) -> _Floats: ...
    @property
    def linear(self) -> _Floats: ...
    @property
    def angular(self) -> _Floats: ...
    @property
    def contacts(self) -> dict[str, NDArray[Any]]: ...
    @property
    def joints(self) -> dict[str, NDArray[Any]]: ...
    @property
    def digest(self) -> str: ...
