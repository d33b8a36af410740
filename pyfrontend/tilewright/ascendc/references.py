"""The handwritten reference kernels (kernels_ref/): host tiling in C++, the kernel, and how to call them.

A reference is a folder ``kernels_ref/<op>`` with ``op_host/<op>_tiling.cpp`` (a C entry ``<op>_host_tiling``)
and ``op_kernel/<op>.cpp``. ``Call`` binds one call: the host tiling decides blocks, tiling key and tiling
data; the kernel of that key and those types is compiled; ``run``, ``check`` and ``time`` launch it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tilewright import native, runtime, targets
from tilewright.ascendc.compiler import build, include_folder
from tilewright.ascendc.kernel import AscendKernel
from tilewright.check import Check
from tilewright.errors import CompileError, ShapeError
from tilewright.runtime import Counters
from tilewright.targets import Target
from tilewright.timing import Profile, profile
from tilewright.timing.model import failed, options
from tilewright.timing.report import TimeReport

Array = npt.NDArray[Any]

#: Element type -> (type in kernel code, ge::DataType).
TYPES: Mapping[str, tuple[str, int]] = {
    "f32": ("float", 0), "f16": ("half", 1), "bf16": ("bfloat16_t", 27), "i32": ("int32_t", 3),
    "i16": ("int16_t", 6),
}  # fmt: skip

_CAPACITY = 4096
#: Bytes around every buffer that must not change.
GUARD = 512


class _Request(ctypes.Structure):
    _fields_ = [
        ("sizes", ctypes.POINTER(ctypes.c_int64)), ("size_count", ctypes.c_int64),
        ("types", ctypes.POINTER(ctypes.c_int32)), ("type_count", ctypes.c_int64),
        ("attributes", ctypes.POINTER(ctypes.c_double)), ("attribute_count", ctypes.c_int64),
        ("cores", ctypes.c_uint64), ("ub", ctypes.c_uint64),
    ]  # fmt: skip


class _Result(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("capacity", ctypes.c_uint64), ("data_size", ctypes.c_uint64),
        ("block_dim", ctypes.c_uint64), ("tiling_key", ctypes.c_uint64), ("workspace", ctypes.c_uint64),
    ]  # fmt: skip


@dataclass(frozen=True)
class Tiling:
    """What the host tiling decided: blocks, key, bytes of workspace, tiling data."""

    block_dim: int
    key: int
    workspace: int
    data: bytes


def folder() -> Path:
    """``kernels_ref``.

    Raises:
        CompileError: TW3201 if it is not installed.
    """
    for found in (Path(__file__).parents[3] / "kernels_ref", native.root() / "kernels_ref"):
        if (found / "common").is_dir():
            return found
    raise CompileError("TW3201", "the reference kernels of tilewright are not installed")


@lru_cache(maxsize=32)
def _host(name: str) -> Any:
    source = folder() / name / "op_host" / f"{name}_tiling.cpp"
    made = build(
        f'#include "{source}"\n', ["-std=c++17", "-O1", "-fPIC", "-Wall", "-Wextra"],
        f"host tiling of {name}", suffix=".so", exports=True,
    )  # fmt: skip
    function = getattr(ctypes.CDLL(str(made)), f"{name}_host_tiling")
    function.argtypes = [ctypes.POINTER(_Request), ctypes.POINTER(_Result)]
    function.restype = ctypes.c_int
    return function


def tile(
    name: str,
    sizes: Sequence[int],
    types: Sequence[str],
    attributes: Sequence[float],
    target: str | Target = targets.DEFAULT,
    cores: int | None = None,
) -> Tiling:
    """Run the host tiling of a reference.

    Raises:
        ShapeError: TW2402 if it refuses the call.
        CompileError: TW3200, TW3201.
    """
    device = targets.get(target)
    room = ctypes.create_string_buffer(_CAPACITY)
    request = _Request(
        (ctypes.c_int64 * len(sizes))(*sizes), len(sizes),
        (ctypes.c_int32 * len(types))(*(TYPES[t][1] for t in types)), len(types),
        (ctypes.c_double * len(attributes))(*attributes), len(attributes),
        device.vector_cores if cores is None else cores, device.ub_bytes,
    )  # fmt: skip
    result = _Result(ctypes.addressof(room), _CAPACITY, 0, 0, 0, 0)
    status = int(_host(name)(ctypes.byref(request), ctypes.byref(result)))
    if status:
        raise ShapeError(
            "TW2402",
            f"the host tiling of {name} refuses sizes {list(sizes)}, types {list(types)}, "
            f"attributes {list(attributes)}",
        )
    return Tiling(
        int(result.block_dim), int(result.tiling_key), int(result.workspace), room.raw[: result.data_size]
    )


@lru_cache(maxsize=256)
def _kernel(name: str, entry: str, defines: tuple[tuple[str, str], ...], key: int) -> AscendKernel:
    source = folder() / name / "op_kernel" / f"{entry}.cpp"
    return AscendKernel(source, entry=entry, defines=dict(defines), tiling_key=key)


@dataclass
class Call:
    """A call of a reference that only has to be launched.

    Attributes:
        name: the reference.
        tiling: what the host decided.
        kernel: the compiled kernel.
        inputs: the entry's input arrays by name.
        outputs: name -> (shape, element type); arrays are made for every launch, between guard bytes.
        initial: contents of outputs that are also inputs (updated in place).
    """

    name: str
    tiling: Tiling
    kernel: AscendKernel
    inputs: dict[str, Array]
    outputs: dict[str, tuple[tuple[int, ...], np.dtype[Any]]]
    initial: dict[str, Array] = field(default_factory=lambda: dict[str, Array]())

    def _arguments(self) -> tuple[dict[str, Any], dict[str, Array], dict[str, Array]]:
        arguments, raws = dict[str, Any](), dict[str, Array]()
        results = dict[str, Array]()
        for name, array in self.inputs.items():
            arguments[name] = _guarded(array.shape, array.dtype, raws, name)
            arguments[name][...] = array
        for name, (shape, dtype) in self.outputs.items():
            results[name] = arguments[name] = _guarded(shape, dtype, raws, name)
            if name in self.initial:
                results[name][...] = self.initial[name]
        data = runtime.empty((max(len(self.tiling.data), 1),), np.uint8)
        data[: len(self.tiling.data)] = np.frombuffer(self.tiling.data, np.uint8)
        arguments["tiling"] = data
        if self.tiling.workspace:
            arguments["workspace"] = runtime.empty((self.tiling.workspace,), np.uint8)
        return arguments, results, raws

    @property
    def _written(self) -> list[str]:
        return [("+" if name in self.initial else "") + name for name in self.outputs]

    def run(self, threads: int | None = None) -> tuple[dict[str, Array], Counters]:
        """Launch; results by name and the emulator's counts.

        Raises:
            ExecutionError: TW4nnn with the kernel's line; TW4010 if bytes around a buffer changed.
        """
        arguments, results, raws = self._arguments()
        counters = self.kernel.launch(self.tiling.block_dim, arguments, self._written, threads)
        _check_guards(self.name, raws)
        return results, counters

    def check(self, options: Mapping[str, Any] | None = None) -> Check:
        """Run in check mode."""
        arguments, _, _ = self._arguments()
        return self.kernel.check(self.tiling.block_dim, arguments, self._written, options)

    def log(self, block: int = 0) -> list[dict[str, Any]]:
        """The instructions of one block."""
        arguments, _, _ = self._arguments()
        report = self.kernel.observe(
            self.tiling.block_dim, arguments, self._written, runtime.LOG, {"block": block}
        )
        listed: list[dict[str, Any]] = report["instructions"]
        return listed

    def time(
        self, target: str | Target = targets.DEFAULT, constants: Profile | None = None, **more: Any
    ) -> TimeReport:
        """Model the time; an estimate, not a measurement.

        Raises:
            ExecutionError: TW4103 if the model cannot finish.
        """
        used = profile(targets.get(target)) if constants is None else constants
        arguments, _, _ = self._arguments()
        report = self.kernel.observe(
            self.tiling.block_dim, arguments, self._written, runtime.TIME, options(used, **more)
        )
        if "error" in report:
            raise failed(str(report.get("message", "no message")))
        return TimeReport(self.name, used, report)


def _guarded(shape: tuple[int, ...], dtype: np.dtype[Any], raws: dict[str, Array], name: str) -> Array:
    kind = np.dtype(dtype)
    size = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
    raw = runtime.empty((size + 2 * GUARD,), np.uint8)
    raw[:] = 0xA5
    raws[name] = raw
    return raw[GUARD : GUARD + size].view(kind).reshape(shape)


def _check_guards(name: str, raws: Mapping[str, Array]) -> None:
    from tilewright.errors import ExecutionError

    for buffer, raw in raws.items():
        if (raw[:GUARD] != 0xA5).any() or (raw[-GUARD:] != 0xA5).any():
            raise ExecutionError("TW4010", f"kernel {name} wrote outside its buffer {buffer}")


def prepare(
    name: str,
    inputs: Mapping[str, Array],
    outputs: Mapping[str, tuple[tuple[int, ...], np.dtype[Any]]],
    *,
    sizes: Sequence[int],
    types: Sequence[str],
    attributes: Sequence[float],
    defines: Mapping[str, str],
    entry: str = "",
    target: str | Target = targets.DEFAULT,
    cores: int | None = None,
    initial: Mapping[str, Array] | None = None,
) -> Call:
    """Tile, compile and bind one call of a reference.

    Args:
        name: the reference's folder.
        inputs, outputs, initial: see ``Call``.
        sizes, types, attributes: the request of the host tiling.
        defines: element types of the kernel, for instance ``{"DTYPE_X": "half"}``.
        entry: the kernel, if the folder has several.
    """
    include_folder()
    tiling = tile(name, sizes, types, attributes, target, cores)
    kernel = _kernel(name, entry or name, tuple(sorted(defines.items())), tiling.key)
    return Call(entry or name, tiling, kernel, dict(inputs), dict(outputs), dict(initial or {}))


def elu_grad_v2(
    dy: Array,
    x: Array,
    *,
    alpha: float = 1.0,
    scale: float = 1.0,
    input_scale: float = 1.0,
    is_result: bool = False,
    out_dtype: str | None = None,
    target: str | Target = targets.DEFAULT,
    cores: int | None = None,
) -> Call:
    """EluGradV2 on arrays of one type; output ``y``, float for half types if ``out_dtype`` is "f32"."""
    from tilewright.dtypes import numpy_dtype, short_name

    own = short_name(x.dtype) or ""
    out = own if out_dtype in (None, "T") else str(out_dtype)
    return prepare(
        "elu_grad_v2", {"dy": dy, "x": x}, {"y": (x.shape, numpy_dtype(out))},
        sizes=[x.size], types=[own, out], attributes=[alpha, scale, input_scale, float(is_result)],
        defines={"DTYPE_X": TYPES[own][0], "DTYPE_Y": TYPES[out][0]}, target=target, cores=cores,
    )  # fmt: skip


#: Formula of the binary cross-entropy family -> (entry, number in the host tiling).
BCE = {
    "sigmoid": ("binary_cross_entropy_grad", 0),
    "probability": ("binary_cross_entropy_backward", 1),
    "logit": ("binary_cross_entropy_with_logits_backward", 2),
}
#: Reductions as the family of these kernels numbers them; aten numbers them none 0, mean 1, sum 2.
BCE_REDUCTIONS = {"none": 0, "sum": 1, "mean": 2}


def binary_cross_entropy_grad(
    grad: Array,
    logits: Array,
    labels: Array,
    weight: Array | None = None,
    *,
    reduction: str = "mean",
    formula: str = "sigmoid",
    target: str | Target = targets.DEFAULT,
    cores: int | None = None,
) -> Call:
    """A gradient of binary cross-entropy on arrays of one type; output ``outgrad``.

    Args:
        grad: one element for "sum" and "mean", else as large as ``logits``.
        logits: the prediction: probabilities for "sigmoid" and "probability", logits for "logit".
        labels, weight: as large as ``logits``; the formula "sigmoid" needs a weight (ones if there is none).
        reduction: "none", "sum", "mean".
    """
    from tilewright.dtypes import short_name

    own = short_name(logits.dtype) or ""
    entry, number = BCE[formula]
    if weight is None and formula == "sigmoid":
        weight = np.ones(logits.shape, logits.dtype)
    inputs = {"grad": grad, "logits": logits, "labels": labels}
    inputs["weight"] = np.empty(0, logits.dtype) if weight is None else weight
    return prepare(
        "binary_cross_entropy_grad", inputs, {"outgrad": (logits.shape, logits.dtype)}, entry=entry,
        sizes=[logits.size], types=[own],
        attributes=[BCE_REDUCTIONS[reduction], number, float(weight is not None)],
        defines={"DTYPE_LOGITS": TYPES[own][0]}, target=target, cores=cores,
    )  # fmt: skip


def extents(shape: Sequence[int]) -> tuple[int, int, int]:
    """(batches, channels, spatial) of a channel-second shape of rank 2 or more."""
    return int(shape[0]), int(shape[1]), int(np.prod(shape[2:], dtype=np.int64))


def batch_normalization_grad(
    grad_output: Array,
    input: Array,
    weight: Array,
    save_mean: Array,
    save_invstd: Array,
    *,
    target: str | Target = targets.DEFAULT,
    cores: int | None = None,
) -> Call:
    """Batch-norm backward in training, all tensors of one type, channel second.

    Outputs ``grad_input``, ``grad_weight``, ``grad_bias``.
    """
    from tilewright.dtypes import short_name

    own = short_name(input.dtype) or ""
    channels = (input.shape[1],)
    inputs = {
        "grad_output": grad_output, "input": input, "weight": weight, "bias": np.empty(0, input.dtype),
        "save_mean": save_mean, "save_invstd": save_invstd,
    }  # fmt: skip
    outputs = {
        "grad_input": (input.shape, input.dtype), "grad_weight": (channels, input.dtype),
        "grad_bias": (channels, input.dtype),
    }  # fmt: skip
    return prepare(
        "batch_normalization_grad", inputs, outputs, sizes=extents(input.shape), types=[own],
        attributes=[1e-5], defines={"DTYPE_INPUT": TYPES[own][0]}, target=target, cores=cores,
    )  # fmt: skip


def _norm(
    entry: str,
    variant: int,
    inputs: Mapping[str, Array],
    outputs: Mapping[str, tuple[tuple[int, ...], np.dtype[Any]]],
    x: Array,
    weight: Array,
    attributes: tuple[float, float],
    target: str | Target,
    cores: int | None,
    initial: Mapping[str, Array] | None = None,
) -> Call:
    from tilewright.dtypes import short_name

    own, parameter = short_name(x.dtype) or "", short_name(weight.dtype) or ""
    return prepare(
        "batch_norm", inputs, outputs, entry=entry, sizes=extents(x.shape), types=[own, parameter],
        attributes=[variant, *attributes],
        defines={"DTYPE_X": TYPES[own][0], "DTYPE_WEIGHT": TYPES[parameter][0]},
        target=target, cores=cores, initial=initial,
    )  # fmt: skip


def batch_norm_inference(
    x: Array,
    weight: Array,
    bias: Array,
    running_mean: Array,
    running_var: Array,
    *,
    eps: float = 1e-5,
    target: str | Target = targets.DEFAULT,
    cores: int | None = None,
) -> Call:
    """Batch norm with frozen statistics, channel second; output ``y``."""
    none = np.empty(0, np.float32)
    inputs = {
        "x": x, "weight": weight, "bias": bias, "running_mean": running_mean, "running_var": running_var,
        "save_mean": none, "save_invstd": none,
    }  # fmt: skip
    return _norm("batch_norm", 0, inputs, {"y": (x.shape, x.dtype)}, x, weight, (eps, 0.0), target, cores)


def batch_norm_training(
    x: Array,
    weight: Array,
    bias: Array,
    running_mean: Array,
    running_var: Array,
    *,
    momentum: float = 0.1,
    eps: float = 1e-5,
    target: str | Target = targets.DEFAULT,
    cores: int | None = None,
) -> Call:
    """Batch norm in training, channel second.

    Outputs ``y``, ``save_mean``, ``save_invstd`` (f32), and the updated ``running_mean``, ``running_var``.
    """
    channels = (x.shape[1],)
    outputs = {
        "y": (x.shape, x.dtype), "save_mean": (channels, np.dtype(np.float32)),
        "save_invstd": (channels, np.dtype(np.float32)), "running_mean": (channels, weight.dtype),
        "running_var": (channels, weight.dtype),
    }  # fmt: skip
    initial = {"running_mean": running_mean, "running_var": running_var}
    return _norm(
        "batch_norm", 1, {"x": x, "weight": weight, "bias": bias}, outputs, x, weight, (eps, momentum),
        target, cores, initial,
    )  # fmt: skip


def batch_norm_frozen_grad(
    grad_output: Array,
    x: Array,
    weight: Array,
    running_mean: Array,
    running_var: Array,
    *,
    eps: float = 1e-5,
    target: str | Target = targets.DEFAULT,
    cores: int | None = None,
) -> Call:
    """Batch-norm backward with frozen statistics; ``grad_input``, ``grad_weight``, ``grad_bias``."""
    channels = (x.shape[1],)
    inputs = {
        "grad_output": grad_output, "x": x, "weight": weight, "running_mean": running_mean,
        "running_var": running_var,
    }  # fmt: skip
    outputs = {
        "grad_input": (x.shape, x.dtype), "grad_weight": (channels, weight.dtype),
        "grad_bias": (channels, weight.dtype),
    }  # fmt: skip
    return _norm("batch_norm_frozen_grad", 2, inputs, outputs, x, weight, (eps, 0.0), target, cores)
