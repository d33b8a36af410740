"""How an operator of the registry looks in torch: its schema, and what each argument of it means.

Where aten has the operator, names, order and defaults are aten's (numbers are ``float`` where aten says
``Scalar``); what only ours has follows as keyword-only arguments. Other operators take their tensors first
and then their attributes, in the order of their definition.
"""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

import torch
from tilewright.definition import Attribute, Op, TensorParameter
from tilewright.spec import ChoiceSpec

#: Kinds of tensor arguments.
TENSORS = "TOCS"

REDUCTIONS = ("none", "mean", "sum")


class Argument(NamedTuple):
    """An argument of a schema.

    Attributes:
        name: the operator's own name of it.
        kind: T tensor, O optional tensor, C counts, S counts whose sum is used; f float, i int, known at run
            time only; b bool, B list of bools, I int, s string, that choose a variant.
        text: its declaration, for example "int reduction=1".
        keyword_only: after the star.
    """

    name: str
    kind: str
    text: str
    keyword_only: bool = False


class Form(NamedTuple):
    """An operator's form in torch."""

    op: Op
    arguments: tuple[Argument, ...]

    @property
    def name(self) -> str:
        return self.op.name

    @property
    def kinds(self) -> str:
        """One letter an argument."""
        return "".join(a.kind for a in self.arguments)

    @property
    def schema(self) -> str:
        """The text that torch.library takes."""
        positional = [a.text for a in self.arguments if not a.keyword_only]
        # No argument without a default may follow one with a default.
        last = max((i for i, text in enumerate(positional) if "=" not in text), default=-1)
        positional = [t.partition("=")[0] if i < last else t for i, t in enumerate(positional)]
        named = [a.text for a in self.arguments if a.keyword_only]
        listed = ", ".join(positional + (["*", *named] if named else []))
        count = len(self.op.results) - len(self.op.updates)
        return f"{self.name}({listed}) -> " + (
            "Tensor" if count == 1 else f"({', '.join(['Tensor'] * count)})"
        )

    @property
    def tensors(self) -> list[str]:
        """Names of the tensor arguments, in the schema's order."""
        return [a.name for a in self.arguments if a.kind in TENSORS]

    @property
    def absent_is_empty(self) -> bool:
        """Whether results that a call does not produce are empty tensors instead of None.

        That is aten's way in forward operators (the statistics of batch norm in inference).
        """
        return bool(self.op.updates)


def form(op: Op) -> Form:
    """The form of an operator in torch."""
    tensors = {t.name: _tensor(op, t) for t in op.tensors}
    attributes = {a.name: a for a in op.attributes}
    named = _aten_arguments(op, set(tensors) | set(attributes))
    found: list[Argument] = []
    for name, default in named:
        if name in tensors:
            found.append(tensors[name])
        else:
            found.append(_attribute(attributes[name], default, False))
    known = {a.name for a in found}
    if not found:
        found += tensors.values()
        found += [_attribute(a, a.default, False) for a in op.attributes]
    else:
        found += [_attribute(a, a.default, True) for a in op.attributes if a.name not in known]
    return Form(op, tuple(found))


_REQUIRED = inspect.Parameter.empty


def _aten_arguments(op: Op, known: set[str]) -> list[tuple[str, Any]]:
    """(name, default) of aten's arguments, if each is one of ours and none of our tensors is missing."""
    if not op.aten:
        return []
    name = op.aten.removeprefix("aten::")
    packet = getattr(torch.ops.aten, name.partition(".")[0], None)
    if packet is None:
        return []
    arguments = getattr(packet, name.partition(".")[2] or "default")._schema.arguments
    names = [a.name for a in arguments]
    if not set(names) <= known or not {t.name for t in op.tensors} <= set(names):
        return []
    return [(a.name, a.default_value if a.has_default_value() else _REQUIRED) for a in arguments]


def _tensor(op: Op, parameter: TensorParameter) -> Argument:
    name = parameter.name
    mark = f"({'abcd'[op.updates.index(name)]}!)" if name in op.updates else ""
    if getattr(parameter.spec, "counts", False):
        return Argument(name, "C" if parameter.spec.axes else "S", f"Tensor {name}")
    if parameter.spec.optional:
        return Argument(name, "O", f"Tensor{mark}? {name}=None")
    return Argument(name, "T", f"Tensor{mark} {name}")


def _attribute(attribute: Attribute, default: Any, keyword_only: bool) -> Argument:
    spec = attribute.spec
    if spec is float:
        kind, type_ = "f", "float"
    elif spec is int:
        kind, type_ = "i", "int"
    elif spec is bool:
        kind, type_ = "b", "bool"
    elif (number := getattr(spec, "number", None)) is not None:
        kind, type_ = "B", f"bool[{number}]"
    elif is_coded(attribute):
        kind, type_ = "I", "int"
    else:
        kind, type_ = "s", "str"
    text = f"{type_} {attribute.name}"
    if default is not _REQUIRED:
        text += f"={_literal(attribute, kind, default)}"
    return Argument(attribute.name, kind, text, keyword_only)


def is_coded(attribute: Attribute) -> bool:
    """Whether a choice travels as its position: the reductions, as in aten."""
    return isinstance(attribute.spec, ChoiceSpec) and tuple(attribute.spec.names) == REDUCTIONS


def _literal(attribute: Attribute, kind: str, default: Any) -> str:
    if kind == "f":
        return repr(float(default))
    if kind == "B":
        return "[" + ", ".join(map(str, default)) + "]"
    if kind == "s":
        return f'"{default}"'
    if kind == "I" and isinstance(default, str):
        assert isinstance(attribute.spec, ChoiceSpec)
        return str(attribute.spec.names.index(default))
    return str(default)
