"""From command line words to a call: operator, types, shapes, attributes."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tilewright import axes as axes_mod
from tilewright import dtypes, targets
from tilewright.binding import Signature, scalars, shape_signature, static_value
from tilewright.definition import Attribute, Op, TensorParameter
from tilewright.errors import DTypeError, ShapeError, UsageError, nearest
from tilewright.kernel import Kernel
from tilewright.ops import registry
from tilewright.spec import ChoiceSpec, DTypeSpec, FlagsSpec, alternatives

Shape = tuple[int, ...]

_BOOLS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


@dataclass(frozen=True)
class Call:
    """A call without data.

    Attributes:
        op: the operator.
        dtype: its data type T.
        shapes, types: shape and element type of every present tensor, in the order of the parameters.
        attributes: attribute values that were given.
    """

    op: Op
    dtype: str
    shapes: dict[str, Shape]
    types: dict[str, str]
    attributes: dict[str, Any]

    def signature(self) -> Signature:
        """The checked signature. Raises ShapeError and DTypeError like a call on arrays."""
        static = {a.name: self.attributes[a.name] for a in self.op.statics if a.name in self.attributes}
        return shape_signature(self.op, self.shapes, self.types, static)

    def check_numbers(self, signature: Signature) -> None:
        """Refuse values of number attributes as a call would; those that must be given may be missing."""
        if all(a.name in self.attributes or not a.required for a in self.op.numbers):
            scalars(signature, self.attributes)


def parse_shape(text: str, option: str = "--shape") -> Shape:
    """``"32,64,7,7"`` -> (32, 64, 7, 7); ``""`` is the shape of a number."""
    words = [word.strip() for word in text.split(",")] if text.strip() else []
    if any(not (word.isascii() and word.isdecimal()) for word in words):
        raise UsageError(
            "TW5005",
            f"{option} {text!r} is not a shape",
            expected='sizes separated by commas, such as "32,64,7,7"',
        )
    return tuple(int(word) for word in words)


def _pairs(words: Sequence[str], option: str) -> dict[str, str]:
    found = dict[str, str]()
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise UsageError("TW5005", f"{option} {word!r} has no value", expected=f"{option} NAME=VALUE")
        if name in found:
            raise UsageError("TW5005", f"{option} gives {name} twice")
        found[name] = value
    return found


def parse_attribute(attribute: Attribute, text: str) -> Any:
    """The value of an attribute from its text."""
    spec = attribute.spec
    try:
        if spec is float:
            return float(text)
        if spec is int:
            return int(text)
        if spec is bool:
            return _BOOLS[text.lower()]
    except (ValueError, KeyError):
        raise ShapeError(
            "TW2010", f"--attr {attribute.name}={text} is not a {attribute.kind()}", expected=attribute.kind()
        ) from None
    if isinstance(spec, FlagsSpec):
        words = [word.strip().lower() for word in text.split(",")]
        if all(word in _BOOLS for word in words):
            return tuple(_BOOLS[word] for word in words)
        raise ShapeError(
            "TW2010",
            f"--attr {attribute.name}={text} is not a {attribute.kind()}",
            expected="1 or 0 for each, separated by commas",
        )
    if isinstance(spec, ChoiceSpec):
        return int(text) if text.lstrip("-").isdecimal() and text not in spec.names else text
    if isinstance(spec, DTypeSpec):
        return text if text == "T" else (dtypes.short_name(text) or text)
    return text


def _attributes(op: Op, words: Sequence[str]) -> dict[str, Any]:
    by_name = {a.name: a for a in op.attributes}
    found = dict[str, Any]()
    for name, text in _pairs(words, "--attr").items():
        if name not in by_name:
            raise ShapeError("TW2002", f"{op.name} has no attribute {name!r}", hint=nearest(name, by_name))
        found[name] = parse_attribute(by_name[name], text)
    return found


def _tensor_name(op: Op, name: str, option: str) -> str:
    names = [t.name for t in op.tensors]
    known = op.aliases.get(name, name)
    if known not in names:
        raise ShapeError("TW2002", f"{option}: {op.name} has no input {name!r}", hint=nearest(name, names))
    return known


def _type(op: Op, text: str, what: str) -> str:
    short = dtypes.short_name(text)
    if short is None:
        expected = ", ".join(op.data_types)
        raise DTypeError(
            "TW2004", f"{op.name}: {what} is {text}", expected=expected, hint=nearest(text, dtypes.TYPES)
        )
    return short


def _types(
    op: Op, dtype: str, present: Sequence[TensorParameter], overrides: Mapping[str, str]
) -> dict[str, str]:
    types = dict[str, str]()
    for t in present:
        given = overrides.get(t.name)
        types[t.name] = (
            alternatives(t.spec.dtype, dtype, None)[0] if given is None else _type(op, given, t.name)
        )
    return types


def _kinds(op: Op, dtype: str, types: Mapping[str, str], attributes: Mapping[str, Any]) -> dict[str, str]:
    """Kind of each present tensor in this variant: it may be one element where the annotation is wider."""
    static = {a.name: static_value(op, a, attributes.get(a.name, a.default), dtype) for a in op.statics}
    graph = op.variant(dtype, tuple(types.get(t.name) for t in op.tensors), static).graph
    return {node.name: node.kind for node in graph.inputs}


def _shapes(
    op: Op,
    present: Sequence[TensorParameter],
    kinds: Mapping[str, str],
    main: Shape | None,
    overrides: Mapping[str, Shape],
) -> dict[str, Shape]:
    """Shapes of all tensors from that of the data: axes give the rest, one-element inputs are ()."""
    like = next(t for t in op.tensors if t.name == op.like)
    main = overrides.get(like.name, main)
    extents = dict[str, Shape]()
    if main is not None:
        spans = axes_mod.split(like.spec.axes, len(main))
        if spans is None:
            raise ShapeError(
                "TW2006",
                f"{op.name}: {like.name} has {len(main)} dimensions",
                expected=f"the axes {axes_mod.render(like.spec.axes)}",
            )
        extents = {axis: main[span] for axis, span in spans.items()}
    shapes = dict[str, Shape]()
    for t in present:
        if t.name in overrides:
            shapes[t.name] = overrides[t.name]
        elif kinds[t.name] == "scalar":
            shapes[t.name] = ()
        elif all(axis in extents for axis in t.spec.axes):
            shapes[t.name] = tuple(e for axis in t.spec.axes for e in extents[axis])
        else:
            raise UsageError(
                "TW5005", f"the shape of {t.name} is not given", hint=f"--shape, or --shape-of {t.name}=N,..."
            )
    return shapes


def types_of(op: Op, words: Sequence[str]) -> dict[str, str]:
    """The text of ``--dtype-of`` for each tensor, by its own name."""
    found = dict[str, str]()
    for name, text in _pairs(words, "--dtype-of").items():
        found[_tensor_name(op, name, "--dtype-of")] = text
    return found


def _check_given(
    op: Op,
    options: argparse.Namespace,
    shapes: Mapping[str, Shape],
    types: Mapping[str, str],
    given: Mapping[str, tuple[Shape, str]],
) -> None:
    """Shapes and types in options must be those of the arrays of a file. Raises TW5006."""
    shapes, types = dict(shapes), dict(types)
    if options.shape is not None:
        shapes.setdefault(op.like, parse_shape(options.shape))
    if options.dtype is not None:
        types.setdefault(op.like, options.dtype)
    for name, (shape, type_) in given.items():
        if shapes.get(name, shape) != shape:
            raise UsageError(
                "TW5006", f"{name} of the file has the shape {shape}, the options say {shapes[name]}",
                hint="leave the shape out: the file has it",
            )  # fmt: skip
        said = types.get(name, type_)
        if dtypes.short_name(said) != dtypes.short_name(type_):
            raise UsageError(
                "TW5006", f"{name} of the file is {type_}, the options say {said}",
                hint="nothing is converted; 16-bit words of a file may stand for bf16 only",
            )  # fmt: skip


def parse(options: argparse.Namespace, given: Mapping[str, tuple[Shape, str]] | None = None) -> Call:
    """The call that the options describe.

    Args:
        options: with the attributes of ``main._add_call_options``.
        given: shape and element type of inputs that come from a file; they need no option.

    Raises:
        UsageError: TW5005, TW5101 (no such operator).
        ShapeError, DTypeError: TW2nnn.
    """
    given = given or {}
    op = registry.get(options.operator)
    attributes = _attributes(op, options.attr)
    shapes = {
        _tensor_name(op, name, "--shape-of"): parse_shape(text, "--shape-of")
        for name, text in _pairs(options.shape_of, "--shape-of").items()
    }
    overrides = types_of(op, options.dtype_of)
    _check_given(op, options, shapes, overrides, given)
    shapes.update({name: shape for name, (shape, _) in given.items()})
    overrides.update({name: type_ for name, (_, type_) in given.items()})
    wanted = {_tensor_name(op, name, "--with") for name in options.present} | shapes.keys() | overrides.keys()
    present = [t for t in op.tensors if not t.spec.optional or t.name in wanted]
    default = overrides.get(op.like) or ("f32" if "f32" in op.data_types else op.data_types[0])
    dtype = _type(op, default if options.dtype is None else options.dtype, "--dtype")
    if dtype not in op.data_types:
        raise DTypeError("TW2004", f"{op.name}: --dtype is {dtype}", expected=", ".join(op.data_types))
    types = _types(op, dtype, present, overrides)
    main = None if options.shape is None else parse_shape(options.shape)
    kinds = _kinds(op, dtype, types, attributes)
    return Call(op, dtype, _shapes(op, present, kinds, main, shapes), types, attributes)


def kernel_of(op: Op, options: argparse.Namespace) -> Kernel:
    """The kernel with the target and the tiling of the command line."""
    target = targets.get(targets.DEFAULT if options.target is None else options.target)
    return Kernel(
        op,
        target,
        cores=options.cores,
        tile=options.tile,
        threads=getattr(options, "threads", None),
        hivmc=options.hivmc,
        schedule=options.schedule,
        group=options.group,
        tile_rows=options.tile_rows,
        tile_cols=options.tile_cols,
    )
