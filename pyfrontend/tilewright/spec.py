"""What may stand behind a parameter's colon in an ``@tw.op`` definition.

::

    x: tw.Tensor["N C *S"]                  a tensor with these axes, of the operator's data type T
    x: tw.Tensor["C", "T | f32"]            ... of type T, or f32
    w: tw.Broadcast["*S", "T | f32"]        any shape that broadcasts to the axes (NumPy's rules)
    g: tw.Scalar["T"]                       a tensor of one element, of any rank
    w: tw.Tensor["C"] | None = None         an input that may be absent
    alpha: float = 1.0                      a number known at run time (no recompilation when it changes)
    r: -> tw.Tensor["*S"] | tw.Tensor[""]   a result whose axes depend on the variant
    r: -> tw.Tensor["C", "w | f32"] | None  ... of the type of the input w, f32 if w is absent; may be None
    n: tw.Counts["R"]                       counts of any real type, f32 in the kernel; [""] is their sum
    mask: tuple[bool, bool] = (True, True)  flags, known during tracing
    flag: bool = False                      known during tracing: each value is a variant of its own
    mode: Literal["none", "mean", "sum"]    (typing.Literal) one of these names, or its position 0, 1, 2
    out: Literal["T", "f32"] = "T"          an element type, if a result names it: -> tw.Tensor["*S", "out"]
"""

from __future__ import annotations

import typing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from . import axes as axes_mod
from . import dtypes
from .errors import DefinitionError, Location, nearest


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """An annotation of a tensor parameter or result; made by indexing Tensor, Broadcast or Scalar.

    Attributes:
        kind: "tensor" (exact shape), "broadcast" (any shape that broadcasts to the axes), "scalar" (one
            element).
        axes: axis names.
        dtype: the constraint as written, "T" if none was.
        optional: whether None may be given, or returned.
        others: for a result, further axes that it may have instead (in other variants).
        counts: whether the elements are counts: numbers of any real type, checked and converted to f32 on the
            host; with no axes the sum of all elements, however many there are.
    """

    kind: str
    axes: axes_mod.Axes
    dtype: str = "T"
    optional: bool = False
    others: tuple[axes_mod.Axes, ...] = ()
    counts: bool = False

    def __or__(self, other: object) -> TensorSpec:
        if other is None or other is type(None):
            return replace(self, optional=True)
        if (
            isinstance(other, TensorSpec)
            and other.kind == self.kind == "tensor"
            and other.dtype == self.dtype
        ):
            return replace(
                self,
                optional=self.optional or other.optional,
                others=(*self.others, other.axes, *other.others),
            )
        raise DefinitionError(
            "TW1001",
            f"a tensor annotation cannot be joined with {other!r}",
            expected="None; for a result also a tw.Tensor of the same type: its axes in other variants",
            location=_caller(),
        )

    __ror__ = __or__


@dataclass(frozen=True, slots=True)
class ChoiceSpec:
    """A parameter that takes one of a few names; its position is accepted in place of the name."""

    names: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class FlagsSpec:
    """A parameter that is a tuple of bools: ``mask: tuple[bool, bool, bool] = (True, True, True)``."""

    number: int


@dataclass(frozen=True, slots=True)
class DTypeSpec:
    """A parameter that is an element type, because the annotation of a result names it."""

    dtype: str


def _caller() -> Location | None:
    from .trace import user_location

    return user_location()


def _tensor_spec(kind: str, item: Any) -> TensorSpec:
    given = cast("tuple[object, ...]", item) if isinstance(item, tuple) else (item,)
    parts = [p for p in given if isinstance(p, str)]
    if not parts or len(parts) != len(given) or len(parts) > (1 if kind == "scalar" else 2):
        raise DefinitionError(
            "TW1001",
            f"cannot read the annotation tw.{kind.capitalize()}[{item!r}]",
            expected='tw.Scalar["T"]' if kind == "scalar" else f'tw.{kind.capitalize()}["N C *S", "T | f32"]',
            location=_caller(),
        )
    if kind == "scalar":
        return TensorSpec(kind, (), parts[0] or "T")
    return TensorSpec(kind, axes_mod.parse(parts[0], _caller()), parts[1] if len(parts) > 1 else "T")


if TYPE_CHECKING:
    # To type checkers a parameter annotated so is a tensor of the language, with its operators.
    from .trace import Value as _Base
else:
    _Base = object


class Tensor(_Base):
    """A tensor with named axes, and maybe a type constraint: ``tw.Tensor["N C *S", "T | f32"]``."""

    def __class_getitem__(cls, item: Any) -> TensorSpec:
        return _tensor_spec("tensor", item)


class Broadcast(_Base):
    """A tensor whose shape broadcasts to the axes by NumPy's rules: ``tw.Broadcast["*S"]``."""

    def __class_getitem__(cls, item: Any) -> TensorSpec:
        return _tensor_spec("broadcast", item)


class Scalar(_Base):
    """A tensor of one element, whatever its rank: ``tw.Scalar["T"]``."""

    def __class_getitem__(cls, item: Any) -> TensorSpec:
        return _tensor_spec("scalar", item)


class Counts(_Base):
    """Numbers of elements, of any real type: ``tw.Counts["R"]``, or ``tw.Counts[""]`` for their sum.

    They reach the kernel in f32, converted by value on the host, where a negative, fractional or absurd count
    is refused.
    """

    def __class_getitem__(cls, item: Any) -> TensorSpec:
        spec = _tensor_spec("tensor", item)
        kind = "tensor" if spec.axes else "scalar"
        return replace(spec, kind=kind, dtype="f32", counts=True)


Spec = TensorSpec | ChoiceSpec | FlagsSpec | DTypeSpec | type


def attribute_spec(annotation: Any) -> Spec | None:
    """The specification of an attribute annotation, or None if it is not one."""
    if annotation in (float, int, bool):
        return typing.cast(type, annotation)
    if typing.get_origin(annotation) is tuple and set(typing.get_args(annotation)) == {bool}:
        return FlagsSpec(len(typing.get_args(annotation)))
    if typing.get_origin(annotation) is typing.Literal:
        names = typing.get_args(annotation)
        return ChoiceSpec(names) if all(type(n) in (str, int) for n in names) else None
    return None


def alternatives(constraint: str, own: str, location: Location | None) -> tuple[str, ...]:
    """The element types that ``constraint`` allows when the operator's data type T is ``own``.

    ``"T | f32"`` means: of type T, or f32. f32 beside T is for half data, so it does not apply to integers.
    Raises TW1004 for a word that is no type.
    """
    found: list[str] = []
    words = constraint.replace("|", " ").split()
    for word in words:
        if word == "T":
            found.append(own)
        elif word in dtypes.TYPES:
            if "T" not in words or dtypes.is_float(word) == dtypes.is_float(own):
                found.append(word)
        else:
            raise DefinitionError(
                "TW1004",
                f"{word!r} in {constraint!r} is not an element type",
                expected="T (the operator's data type), " + ", ".join(dtypes.TYPES),
                hint=nearest(word, ["T", *dtypes.TYPES]),
                location=location,
            )
    if not found:
        raise DefinitionError(
            "TW1004", f"the type constraint {constraint!r} allows nothing", location=location
        )
    return tuple(dict.fromkeys(found))
