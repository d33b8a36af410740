"""Element types: our short names, and what NumPy, ml_dtypes and torch call them.

Everywhere inside the package an element type is its short name (a ``str``): "f32", "f16", "bf16", "i32",
    "i16",
and "i1" for the result of a comparison, which never reaches memory.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, cast

import numpy as np


@dataclass(frozen=True, slots=True)
class ElementType:
    """One element type of the language.

    Attributes:
        name: short name, e.g. "bf16".
        long: the name NumPy, ml_dtypes and torch use, e.g. "bfloat16".
        size: bytes in memory.
        is_float: True for the floating types.
        compute: the type arithmetic runs in. Half types compute in f32 (one rounding at the end); integers in
            their own type, with wrap-around.
        largest: largest finite value.
    """

    name: str
    long: str
    size: int
    is_float: bool
    compute: str
    largest: float


TYPES: dict[str, ElementType] = {
    t.name: t
    for t in (
        ElementType("f32", "float32", 4, True, "f32", float(np.finfo(np.float32).max)),
        ElementType("f16", "float16", 2, True, "f32", 65504.0),
        ElementType("bf16", "bfloat16", 2, True, "f32", 3.3895313892515355e38),
        ElementType("i32", "int32", 4, False, "i32", 2.0**31 - 1),
        ElementType("i16", "int16", 2, False, "i16", 2.0**15 - 1),
    )
}
FLOATS: tuple[str, ...] = ("f32", "f16", "bf16")

# As a plain type, so that type checkers do not narrow to a dtype of unknown scalars.
_DTYPE: type[Any] = np.dtype
_BY_LONG = {t.long: t.name for t in TYPES.values()}


def is_float(name: str) -> bool:
    """Whether the short name ``name`` is a floating type ("i1" is not)."""
    return name in TYPES and TYPES[name].is_float


@functools.cache
def long_name(dtype: Any) -> str:
    """The long name of a dtype: ``np.dtype``, NumPy scalar class, ``torch.dtype``, "f32" or "float32"."""
    if isinstance(dtype, str):
        text = dtype.removeprefix("torch.")
        return TYPES[text].long if text in TYPES else text
    if isinstance(dtype, _DTYPE):
        # A byte-swapped type has a native name; keep it apart, it cannot be handed to a kernel.
        return str(dtype.name) if dtype.isnative else f"byte-swapped {dtype.name}"
    if isinstance(dtype, type):
        return str(np.dtype(cast(Any, dtype)).name)
    return str(dtype).removeprefix("torch.")


@functools.cache
def short_name(dtype: Any) -> str | None:
    """The short name of a dtype object or string, or None if the language does not have that type."""
    return _BY_LONG.get(long_name(dtype))


@functools.cache
def numpy_dtype(name: str) -> np.dtype[Any]:
    """The NumPy dtype of a short name; bf16 needs ml_dtypes, which is imported only then."""
    if name == "bf16":
        import ml_dtypes

        half: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
        return half
    return np.dtype(TYPES[name].long)
