"""Arrays on a graphics processor: those of other libraries, which are read where they are, and answers, which stay there."""

import math
import operator

import numpy as np

from . import _native

#: DLPack's kinds of devices: CUDA's, its managed memory, and the host's.
_CUDA, _MANAGED, _HOST = 2, 13, (1, 3)
#: DLPack's codes of types as numpy's letters.
_LETTERS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}
#: Bytes that take as long to copy as a copy takes to begin, about.
_BEGIN = 1 << 16


def is_on_device(name, value):
    """Whether an array is on the graphics processor; the host's are not. Others are rejected."""
    if isinstance(value, (np.ndarray, list, tuple, int, float)):
        return False
    if hasattr(type(value), "__dlpack_device__"):
        kind, number = value.__dlpack_device__()
        kind = int(kind)
        if kind in _HOST:
            return False
        if kind not in (_CUDA, _MANAGED):
            raise ValueError(f"{name}: on a device of DLPack's kind {kind}, must be CUDA's or the host's")
        if number != 0:
            raise ValueError(f"{name}: on graphics processor {number}, must be on the first one, 0")
        return True
    return hasattr(value, "__cuda_array_interface__")


def on_host(value):
    """What numpy can read: an array of another library that has DLPack only is passed on by it."""
    has_other = isinstance(value, np.ndarray) or hasattr(value, "__array__") or hasattr(value, "__array_interface__")
    return np.from_dlpack(value) if hasattr(value, "__dlpack__") and not has_other else value


def handle_of(stream):
    """The driver's name of a stream: of PyTorch, of CuPy, or a number; 0 without one."""
    if stream is None:
        return 0
    for name in ("cuda_stream", "ptr"):
        if hasattr(stream, name):
            stream = getattr(stream, name)
            break
    try:
        handle = operator.index(stream)
    except TypeError:
        kind = type(stream).__name__
        raise TypeError(f"stream: must be an integer, or have cuda_stream or ptr, not {kind}") from None
    if handle < 0:
        raise ValueError(f"stream: {handle}, must be 0 or more")
    return handle


def row_by_row(shape, size):
    """Strides in bytes of an array without gaps."""
    return tuple(size * math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


class Given:
    """An array of the caller on the graphics processor. It is there as long as this is."""

    def __init__(self, name, value, stream):
        self.name = name
        if hasattr(type(value), "__dlpack__"):
            self._take(value, stream)
        else:
            self._read(value, stream)
        if self.size and not _native.has_address(self.address):
            raise ValueError(f"{name}: not in the memory of the first graphics processor")

    def _take(self, value, stream):
        # The default stream has the number 1 there.
        wanted = {"stream": stream or 1}
        try:
            try:
                capsule = value.__dlpack__(**wanted, max_version=(1, 0))
            except TypeError:
                capsule = value.__dlpack__(**wanted)
            self._owner = _native.Received(capsule)
        except (BufferError, RuntimeError, ValueError) as error:
            raise ValueError(f"{self.name}: {error}") from error
        self.address, (kind, number), (code, bits), shape, strides = self._owner.array()
        if kind not in (_CUDA, _MANAGED) or number != 0:
            raise ValueError(f"{self.name}: on device {number} of DLPack's kind {kind}, must be CUDA's first")
        if code not in _LETTERS:
            raise TypeError(f"{self.name}: dtype of DLPack's code {code} with {bits} bits, must be floats or integers")
        self.dtype = np.dtype(f"{_LETTERS[code]}{max(bits // 8, 1)}")
        self.shape = tuple(shape)
        self.strides = tuple(_signed(stride * self.dtype.itemsize) for stride in strides)

    def _read(self, value, stream):
        self._owner = value
        given = value.__cuda_array_interface__
        if given.get("mask") is not None:
            raise ValueError(f"{self.name}: has a mask, must have all entries")
        self.address, self.shape = int(given["data"][0] or 0), tuple(given["shape"])
        self.dtype = np.dtype(given["typestr"])
        strides = given.get("strides")
        self.strides = row_by_row(self.shape, self.dtype.itemsize) if strides is None else tuple(strides)
        producer = given.get("stream")
        if producer is not None and int(producer) != (stream or 1):
            _native.order_streams(int(producer), stream)

    @property
    def size(self):
        return math.prod(self.shape)

    def stand_in(self):
        """An array of numpy with the same type and shape, without memory of its own."""
        return np.broadcast_to(np.zeros((), self.dtype), self.shape)

    def check_type(self, letter, words):
        """Rejects types that device code does not read."""
        if self.size and not (self.dtype.kind == letter and self.dtype.itemsize in (4, 8) and self.dtype.isnative):
            raise TypeError(f"{self.name}: dtype {self.dtype}, must be {words} on a graphics processor")
        if self.size and any(number % self.dtype.itemsize for number in (self.address, *self.strides)):
            raise ValueError(f"{self.name}: address and strides must be multiples of an entry's {self.dtype.itemsize} bytes")

    def is_row_by_row(self):
        expected = row_by_row(self.shape, self.dtype.itemsize)
        return not self.size or all(
            length == 1 or stride == wanted for length, stride, wanted in zip(self.shape, self.strides, expected)
        )

    def column(self):
        """What native code needs: address, bytes of an entry, strides along four axes."""
        strides = (*self.strides, 0, 0, 0)[:4]
        return (self.address, self.dtype.itemsize, strides) if self.size else None

    def rows(self, problems):
        """A copy of some problems' entries on the host."""
        shape, strides = self.shape[1:], self.strides[1:]
        if len(problems) * (_span(shape, strides) + _BEGIN) < _span(self.shape, self.strides):
            starts = [self.address + int(problem) * self.strides[0] for problem in problems]
            return np.stack([self._copy(start, shape, strides) for start in starts])
        return self._copy(self.address, self.shape, self.strides)[problems]

    def _copy(self, address, shape, strides):
        if not math.prod(shape):
            return np.zeros(shape, self.dtype)
        before = sum(-stride * (length - 1) for length, stride in zip(shape, strides) if stride < 0)
        copied = _native.read_device(address - before, _span(shape, strides) + self.dtype.itemsize)
        return np.ndarray(shape, self.dtype, buffer=copied, offset=before, strides=strides)


def _signed(number):
    """A number of bytes as addresses count: modulo 2^64. CuPy divides a negative stride as if it had no sign."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def _span(shape, strides):
    """Bytes from the first entry in memory to the last."""
    return sum(abs(stride) * (length - 1) for length, stride in zip(shape, strides))


class DeviceArray:
    """An answer on the graphics processor, row by row; read-only by agreement.

    Other libraries use it without a copy: ``torch.from_dlpack(a)``, ``cupy.from_dlpack(a)``, ``jax.dlpack.from_dlpack(a)``, or
    whatever reads ``__cuda_array_interface__``. :meth:`numpy` copies it to the host. The arrays of one call share one piece of memory,
    which is given back with the last of them and of those that other libraries made of them.
    """

    def __init__(self, memory, kind, shape, offset, stream):
        self._memory, self._offset, self._stream = memory, offset, stream
        self._shape, self._dtype = tuple(shape), np.dtype(kind)

    @property
    def shape(self):
        """Lengths of its axes."""
        return self._shape

    @property
    def dtype(self):
        """numpy's type of its entries."""
        return self._dtype

    @property
    def strides(self):
        """Bytes from an entry to the next along each axis."""
        return row_by_row(self._shape, self._dtype.itemsize)

    @property
    def ndim(self):
        """How many axes it has."""
        return len(self._shape)

    @property
    def size(self):
        """How many entries it has."""
        return math.prod(self._shape)

    def numpy(self):
        """A copy on the host; waits until the answer is there."""
        copied = self._memory.read(self._offset, self.size * self._dtype.itemsize)
        return copied.view(self._dtype).reshape(self._shape)

    def __len__(self):
        if not self._shape:
            raise TypeError("an array without axes has no length")
        return self._shape[0]

    def __repr__(self):
        return f"<DeviceArray: {self._shape}, {self._dtype}>"

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("an array on a graphics processor is copied to the host")
        return self.numpy() if dtype is None else self.numpy().astype(dtype, copy=False)

    @property
    def __cuda_array_interface__(self):
        return {
            "version": 3,
            "shape": self._shape,
            "typestr": self._dtype.str,
            "data": (self._memory.address + self._offset if self.size else 0, False),
            "strides": None,
            # The default stream has the number 1 there.
            "stream": handle_of(self._stream) or 1,
        }

    def __dlpack_device__(self):
        return (_CUDA, 0)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if dl_device is not None and tuple(dl_device) != (_CUDA, 0):
            raise BufferError("dl_device: the array is on the first graphics processor; numpy() copies it to the host")
        if copy:
            raise BufferError("copy: the array is passed on without one")
        # -1: whoever asks takes care of the order.
        if stream != -1:
            self._memory.make_wait(handle_of(stream) or 1)
        is_versioned = max_version is not None and max_version[0] >= 1
        return self._memory.capsule(self._offset, list(self._shape), self._dtype.str, is_versioned)
