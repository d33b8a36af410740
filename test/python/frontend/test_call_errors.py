# ruff: noqa: F722, F821
"""Every TW2xxx code of bind: a wrong call, its code, and what the message names."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.binding import Info, as_numpy, bind, prepare, shape_signature
from tilewright.errors import DTypeError, ShapeError, TilewrightError
from tilewright.ops import registry
from tilewright.samples import random_inputs

F32 = np.float32
elu = registry.get("elu_backward")
bce = registry.get("binary_cross_entropy_backward")
logits = registry.get("binary_cross_entropy_with_logits_backward")
seed = registry.get("sigmoid_cross_entropy_backward_from_probability")


def zeros(*shape: int, dtype: Any = F32) -> np.ndarray[Any, np.dtype[Any]]:
    return np.zeros(shape, dtype)


V = zeros(4)
M = zeros(2, 4)
NONE = (False, False, False)
bn = registry.get("batch_norm")
bn_backward = registry.get("batch_norm_backward")


class OnDevice:
    """What a torch tensor on a device looks like from outside."""

    __module__ = "torch"
    device = type("device", (), {"type": "npu", "__str__": lambda self: "npu:0"})()

    def data_ptr(self) -> int:
        return 0


class Foreign:
    """An array of another library whose memory cannot be read."""

    def __dlpack__(self, **_: object) -> object:
        raise BufferError("device memory")

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)


CASES: list[tuple[str, str, Callable[[], object]]] = [
    ("TW2001", "self_or_result is missing", lambda: bind(elu, (V,))),
    ("TW2001", "self_or_result is missing or None", lambda: bind(elu, (V, None))),
    ("TW2001", "takes 2 tensors", lambda: bind(elu, (V, V, 1.0))),
    ("TW2001", "is given twice", lambda: bind(elu, (V, V), {"grad": V})),
    ("TW2001", "grad_output is missing", lambda: shape_signature(bce, {"self": (3,)}, {"self": "f32"})),
    ("TW2001", "x has no type", lambda: shape_signature(_integer(), {"x": (3,)}, {}, {})),
    ("TW2001", "x has no shape", lambda: shape_signature(_integer(), {}, {"x": "i32"}, {})),
    ("TW2006", "(-3,)", lambda: shape_signature(_integer(), {"x": (-3,)}, {"x": "i32"}, {})),
    ("TW2002", "did you mean alpha", lambda: bind(elu, (V, V), {"alhpa": 1.0})),
    ("TW2002", "did you mean weight", lambda: shape_signature(bce, {"wieght": (3,)}, {})),
    ("TW2002", "no attribute or input 'beta'", lambda: shape_signature(elu, {}, {}, {"beta": 1})),
    ("TW2002", "no input 'w'", lambda: random_inputs(elu, (3,), "f32", present=["w"])),
    ("TW2003", "grad_output is a builtins.list", lambda: bind(elu, ([1.0], V))),
    ("TW2003", "builtins.float", lambda: bind(bce, (1.0, V, V), {"reduction": 2})),
    ("TW2003", "masked array", lambda: bind(elu, (np.ma.masked_array(V, V == 0), V))),
    ("TW2004", "float64", lambda: bind(elu, (V, zeros(4, dtype=np.float64)))),
    ("TW2004", "complex64", lambda: bind(elu, (V, zeros(4, dtype=np.complex64)))),
    ("TW2004", "bool", lambda: bind(elu, (V, zeros(4, dtype=np.bool_)))),
    ("TW2004", "int64", lambda: bind(bce, (V, V, zeros(4, dtype=np.int64)))),
    ("TW2004", "int32", lambda: bind(elu, (zeros(4, dtype=np.int32), zeros(4, dtype=np.int32)))),
    ("TW2004", "byte-swapped float32", lambda: bind(elu, (V, zeros(4, dtype=">f4")))),
    ("TW2004", "out_dtype", lambda: bind(elu, (V, V), {"out_dtype": "f16"})),
    ("TW2004", "out_dtype", lambda: bind(elu, (V, V), {"out_dtype": []})),
    ("TW2004", "out_dtype", lambda: bind(elu, (V, V), {"out_dtype": np.zeros(2)})),
    ("TW2005", "grad_output is float16", lambda: bind(elu, (zeros(4, dtype=np.float16), V))),
    ("TW2005", "weight is float16", lambda: bind(bce, (V, V, V, zeros(4, dtype=np.float16)))),
    ("TW2005", "weight is float32", lambda: _seed_with_float_weight()),
    ("TW2006", "9 dimensions", lambda: bind(elu, (zeros(*(1,) * 9), zeros(*(1,) * 9)))),
    ("TW2006", "9 dimensions", lambda: bind(bce, (zeros(*(1,) * 9), V, V))),
    ("TW2006", "at least 2 dimensions", lambda: bind(_per_channel(), (V, V))),
    ("TW2006", "1 dimensions", lambda: bind(_per_channel(), (zeros(2, 3), zeros(2, 3)))),
    ("TW2006", "1 dimensions", lambda: random_inputs(_per_channel(), (3,), "f32")),
    ("TW2007", "(2, 3)", lambda: bind(elu, (zeros(2, 3), zeros(3, 2)))),
    ("TW2007", "(3,) for axis C", lambda: bind(_per_channel(), (zeros(2, 4), zeros(3)))),
    (
        "TW2008",
        "(2,)",
        lambda: bind(logits, (zeros(4, 100), zeros(4, 100), zeros(4, 100), None, zeros(2)), {"reduction": 0}),
    ),
    ("TW2008", "(1, 4)", lambda: bind(bce, (zeros(1, 4), V, V), {"reduction": 0})),
    ("TW2008", "(5,)", lambda: bind(bce, (zeros(5), zeros(1), zeros(1)), {"reduction": 0})),
    ("TW2009", "grad_output", lambda: bind(bce, (V, V, V))),
    ("TW2009", "grad_output", lambda: bind(bce, (V, V, V), {"reduction": "sum"})),
    ("TW2010", "alpha is '2'", lambda: bind(elu, (V, V), {"alpha": "2"})),
    ("TW2010", "alpha is True", lambda: bind(elu, (V, V), {"alpha": True})),
    ("TW2010", "is_result is 1", lambda: bind(elu, (V, V), {"is_result": 1})),
    ("TW2010", "n is 2147483648", lambda: bind(_integer(), (zeros(4, dtype=np.int32),), {"n": 2**31})),
    ("TW2010", "n is 1.0", lambda: bind(_integer(), (zeros(4, dtype=np.int32),), {"n": 1.0})),
    ("TW2010", "alpha is an integer of 1329 bits", lambda: bind(elu, (V, V), {"alpha": 10**400})),
    ("TW2011", "alpha is NaN", lambda: bind(elu, (V, V), {"alpha": float("nan")})),
    ("TW2012", "reduction is 3", lambda: bind(bce, (V, V, V), {"reduction": 3})),
    ("TW2012", "reduction is -1", lambda: bind(bce, (V, V, V), {"reduction": -1})),
    ("TW2012", "did you mean mean", lambda: bind(bce, (V, V, V), {"reduction": "maen"})),
    ("TW2012", "reduction is True", lambda: bind(bce, (V, V, V), {"reduction": True})),
    (
        "TW2013",
        "reduction mean of integers",
        lambda: bind(seed, (zeros(dtype=np.int32),) + (zeros(4, dtype=np.int32),) * 2),
    ),
    (
        "TW2013",
        "output_mask wants no result",
        lambda: bind(bn_backward, (M, M, V, V, V), {"output_mask": NONE}),
    ),
    ("TW2013", "without running_var", lambda: bind(bn, (M, V, V, V), {"training": True})),
    ("TW2013", "inference without running", lambda: bind(bn, (M, V, V))),
    (
        "TW2010",
        "output_mask is (1, 0, 1)",
        lambda: bind(bn_backward, (M, M, V, V, V), {"output_mask": (1, 0, 1)}),
    ),
    (
        "TW2010",
        "tuple of 3 bools",
        lambda: bind(bn_backward, (M, M, V, V, V), {"output_mask": (True, False)}),
    ),
    ("TW2014", "eps is -1e-05", lambda: bind(bn, (M, V, V, V, V), {"eps": -1e-5})),
    ("TW2017", "running_mean is updated in place", lambda: _read_only()),
    ("TW2003", "counts holds complex64", lambda: _gather(np.zeros(3, np.complex64))),
    ("TW2007", "counts has the shape (2,)", lambda: _gather(np.ones(2))),
    ("TW2018", "holds -9.22337e+18", lambda: _gather(np.array([-(2**63), 1, 1]))),
    ("TW2018", "holds 0.5", lambda: _gather(np.array([1, 0.5, 1], np.float16))),
    ("TW2018", "holds nan", lambda: _gather(np.array([1, np.nan, 1]))),
    ("TW2018", "holds inf", lambda: _gather(np.array([np.inf, 1, 1]))),
    ("TW2014", "alpha is -2.0 with is_result", lambda: bind(elu, (V, V), {"alpha": -2.0, "is_result": True})),
    ("TW2015", "4611686018427387904 elements", lambda: _huge()),
    ("TW2016", "npu:0", lambda: bind(elu, (OnDevice(), V))),
    ("TW2016", "device memory", lambda: as_numpy(Foreign(), "x")),
]


def _read_only() -> object:
    mean = zeros(4)
    mean.flags.writeable = False
    return bind(bn, (M, V, V, mean, zeros(4)), {"training": True})


def _gather(counts: Any) -> object:
    statistics = zeros(3, 4)
    return bind(
        registry.get("batch_norm_gather_stats_with_counts"), (statistics, statistics, None, None, counts)
    )


def _seed_with_float_weight() -> object:
    n = zeros(4, dtype=np.int32)
    return bind(seed, (n, n, n, V), {"reduction": 0})


def _huge() -> object:
    info = Info((2**31, 2**31), None, np.dtype(F32))
    return prepare(elu, (info, info), {"is_result": False, "out_dtype": "T"})


def _per_channel() -> Any:
    @tw.op
    def shift(x: tw.Tensor["N C *S"], bias: tw.Tensor["C"]) -> tw.Tensor["N C *S"]:
        return x + bias

    return shift


def _integer() -> Any:
    @tw.op(data_types="i32")
    def add(x: tw.Tensor["*S"], *, n: int) -> tw.Tensor["*S"]:
        return x + n

    return add


@pytest.mark.parametrize(
    ("code", "text", "call"), CASES, ids=[f"{c}-{i}" for i, (c, _, _) in enumerate(CASES)]
)
def test_call_error(code: str, text: str, call: Callable[[], object]) -> None:
    with pytest.raises(TilewrightError) as caught:
        call()
    assert caught.value.code == code, str(caught.value)
    assert text in str(caught.value)


def test_kinds_of_errors() -> None:
    """dtype errors are TypeErrors, all others ValueErrors."""
    with pytest.raises(TypeError) as caught:
        bind(elu, (V, zeros(4, dtype=np.float64)))
    assert isinstance(caught.value, DTypeError)
    with pytest.raises(ValueError, match="TW2007") as shape:
        bind(elu, (V, zeros(5)))
    assert isinstance(shape.value, ShapeError)


def test_errors_repeat_on_a_warm_signature() -> None:
    """What is refused cold is refused when the signature is known, too."""
    bind(elu, (V, V), {"alpha": 1.0})
    bind(elu, (V, V), {"alpha": 1.0, "is_result": True})
    for bad in (
        {"alpha": True},
        {"alpha": float("nan")},
        {"alpha": -1.0, "is_result": True},
        {"is_result": 1},
    ):
        for _ in range(2):
            with pytest.raises(ShapeError):
                bind(elu, (V, V), bad)
    bind(elu, (V, V), {"alpha": -1.0})
