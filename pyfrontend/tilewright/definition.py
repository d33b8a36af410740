"""``@tw.op``: from a Python function to an operator with parameters, variants and graphs.

The definition is checked when the decorator runs: annotations, defaults, and one trace for every combination
of bool and choice attributes and of present and absent optional inputs, in every kind of data type (half
floats, and integers where the operator takes them). So a wrong definition fails on import, with the user's
file and line.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast, overload

from . import axes as axes_mod
from . import dtypes, hostexpr
from . import spec as specs
from .errors import DefinitionError, ShapeError, TilewrightError, nearest
from .graph import Graph, Result, Site
from .spec import ChoiceSpec, DTypeSpec, FlagsSpec, Spec, TensorSpec, alternatives
from .trace import Builder, HostValue, RefusedVariantError, Value, display_path, user_locals, user_location

Static = bool | str | int | tuple[bool, ...]
"""The value of an attribute that is known during tracing."""


@dataclass(frozen=True, slots=True)
class TensorParameter:
    """A tensor input: its name and annotation."""

    name: str
    spec: TensorSpec


@dataclass(frozen=True, slots=True)
class Attribute:
    """A keyword-only parameter.

    Attributes:
        name: its name.
        spec: float, int, bool, or a ChoiceSpec or DTypeSpec.
        default: default value, ``inspect.Parameter.empty`` if it has to be given.
    """

    name: str
    spec: Spec
    default: Any

    @property
    def is_static(self) -> bool:
        """Whether the value is known during tracing, so that each value is a variant."""
        return self.spec not in (float, int)

    @property
    def required(self) -> bool:
        return self.default is inspect.Parameter.empty

    def values(self) -> tuple[Static, ...]:
        """The values of a static attribute, in order."""
        if self.spec is bool:
            return (False, True)
        if isinstance(self.spec, ChoiceSpec):
            return self.spec.names
        if isinstance(self.spec, FlagsSpec):
            return tuple(itertools.product((False, True), repeat=self.spec.number))
        assert isinstance(self.spec, DTypeSpec)
        return tuple(self.spec.dtype.replace("|", " ").split())

    def kind(self) -> str:
        """What the attribute is, for messages: "float", "bool", "one of none, mean, sum"."""
        if isinstance(self.spec, type):
            return self.spec.__name__
        if isinstance(self.spec, FlagsSpec):
            return f"tuple of {self.spec.number} bools"
        return "one of " + ", ".join(str(v) for v in self.values())


@dataclass(frozen=True)
class Variant:
    """One compiled form of an operator: data types, present inputs, and the values of static attributes.

    Attributes:
        op: the operator.
        data_type: the operator's data type T.
        dtypes: element type of each tensor parameter, None where an optional input is absent.
        static: value of each static attribute, in the order of the parameters.
    """

    op: Op
    data_type: str
    dtypes: tuple[str | None, ...]
    static: tuple[tuple[str, Static], ...]

    @cached_property
    def key(self) -> str:
        """Canonical name: ``elu_backward(grad_output=f16, self_or_result=f16; is_result=false)``."""
        tensors = [f"{p.name}={d or 'none'}" for p, d in zip(self.op.tensors, self.dtypes, strict=True)]
        choices = [f"{n}={_static_text(v)}" for n, v in self.static]
        return f"{self.op.name}({', '.join(tensors)}; {', '.join(choices)})"

    @cached_property
    def graph(self) -> Graph:
        """The traced graph. Raises ShapeError TW2013 if the operator refuses this combination."""
        return self.op.trace(self)

    def text(self) -> str:
        """The graph's canonical text: the part of a cache key that stands for the mathematics."""
        return self.graph.text()


def _static_text(value: Static) -> str:
    if isinstance(value, tuple):
        return "".join("1" if v else "0" for v in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


class Op:
    """An operator made by ``@tw.op``; called like the function it was made of, with arrays.

    Attributes:
        name: the function's name.
        doc: the function's docstring.
        tensors: tensor inputs in order.
        attributes: keyword-only attributes in order.
        results: annotations of the results.
        data_types: what the data type T may be.
        like: the tensor input whose memory format the results take.
        samples: for random inputs, the distribution of each tensor ("normal", "probability", ...), see
            samples.py.
        aten: the torch operator with the same meaning, or "".
        aliases: other names under which a tensor input may be given.
        updates: inputs over which the last results are written, in this order; they are not returned.
        update_weight: the attribute that weighs the updates, or ""; where it is 0 the inputs stay.
        empty: the value of results without summands, if it is not what the formula gives.
        site: where it is defined.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        data_types: str = "f32 f16 bf16",
        like: str = "",
        samples: Mapping[str, str] | None = None,
        aten: str = "",
        aliases: Mapping[str, str] | None = None,
        updates: str = "",
        update_weight: str = "",
        empty: float | None = None,
        namespace: Mapping[str, Any] | None = None,
    ) -> None:
        self.function = function
        self.name = function.__name__
        self.doc = inspect.getdoc(function) or ""
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self.__module__ = function.__module__
        code = function.__code__
        self.site = Site(display_path(code.co_filename), code.co_firstlineno)
        self.data_types = self._data_types(data_types)
        self.checks: list[Callable[..., None]] = []
        self.updates = tuple(updates.split())
        self.update_weight = update_weight
        self.empty = empty
        self.tensors: tuple[TensorParameter, ...]
        self.attributes: tuple[Attribute, ...]
        self.results: tuple[TensorSpec, ...]
        self._read_signature(namespace or {})
        self.order = axes_mod.AxisOrder(
            [t.spec.axes for t in self.tensors]
            + [axes for r in self.results for axes in (r.axes, *r.others)],
            self.site,
        )
        self._check_axes()
        self.attribute_names = frozenset(a.name for a in self.attributes)
        self.statics = tuple(a for a in self.attributes if a.is_static)
        self.numbers = tuple(a for a in self.attributes if not a.is_static)
        self.like = like or next(t.name for t in self.tensors if t.spec.kind == "tensor")
        self.samples = dict(samples or {})
        self.aten = aten
        self.aliases = dict(aliases or {})
        if not self.name.isascii():
            # It becomes the name of a kernel, a symbol that all tools have to spell alike.
            raise self._wrong("TW1024", f"the name {self.name} has letters beyond ASCII")
        for alias in self.aliases:
            if alias in {*(t.name for t in self.tensors), *self.attribute_names}:
                raise self._wrong(
                    "TW1024",
                    f"the alias {alias!r} is the name of a parameter of {self.name}",
                    hint="aliases={other name: parameter}",
                )
        for what in (self.like, *self.samples, *self.aliases.values(), *self.updates):
            if what not in {t.name for t in self.tensors}:
                raise self._wrong(
                    "TW1024",
                    f"@tw.op names {what!r}, which is not a tensor input of {self.name}",
                    hint=nearest(what, (t.name for t in self.tensors)),
                )
        self._check_updates()
        self._variants: dict[tuple[Any, ...], Variant] = {}
        self._check_definition()

    # -- reading the signature --------------------------------------------------------------------

    def _wrong(self, code: str, what: str, *, expected: str = "", hint: str = "") -> DefinitionError:
        return DefinitionError(code, what, expected=expected, hint=hint, location=self.site)

    def _data_types(self, text: str) -> tuple[str, ...]:
        if not isinstance(text, str):  # callers without a type checker
            raise self._wrong("TW1004", f"data_types is {text!r}", expected='a text such as "f32 f16 bf16"')
        names = alternatives(text, "f32", self.site)
        if "T" in text.replace("|", " ").split():
            raise self._wrong(
                "TW1004", "the operator's data types cannot be given as T", expected="f32 f16 ..."
            )
        return names

    def _evaluate(self, what: str, annotation: Any, namespace: Mapping[str, Any]) -> Any:
        if not isinstance(annotation, str):
            return annotation
        try:
            # Compiled as part of the user's file, so that errors name it.
            tree = ast.increment_lineno(ast.parse(annotation, mode="eval"), self.site.line - 1)
            code = compile(tree, self.function.__code__.co_filename, "eval")
            return eval(code, self.function.__globals__, dict(namespace))
        except DefinitionError:
            raise
        except Exception as error:
            raise self._wrong(
                "TW1002",
                f"the annotation of {what} cannot be evaluated: {annotation} ({error})",
                hint="with `from __future__ import annotations` the names must be global in the module "
                "or local where the operator is defined",
            ) from None

    def _read_signature(self, namespace: Mapping[str, Any]) -> None:
        tensors: list[TensorParameter] = []
        attributes: list[Attribute] = []
        signature = inspect.signature(self.function)
        for p in signature.parameters.values():
            if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
                raise self._wrong("TW1005", f"{self.name} takes *{p.name}; an operator names its parameters")
            if p.annotation is p.empty:
                raise self._wrong(
                    "TW1001",
                    f"parameter {p.name} of {self.name} has no annotation",
                    expected='tw.Tensor["*S"] for an input; float, int, bool, Literal[...] for an attribute',
                )
            annotation = self._evaluate(f"parameter {p.name}", p.annotation, namespace)
            if isinstance(annotation, TensorSpec):
                if annotation.others:
                    raise self._wrong(
                        "TW1001",
                        f"the input {p.name} of {self.name} has more than one set of axes",
                        expected="one tw.Tensor, maybe with `| None`",
                    )
                if p.kind == p.KEYWORD_ONLY:
                    raise self._wrong(
                        "TW1005",
                        f"the tensor {p.name} stands after *",
                        hint="tensors first, then *, then attributes",
                    )
                tensors.append(self._tensor(p, annotation))
                continue
            spec = specs.attribute_spec(annotation)
            if spec is None:
                raise self._wrong(
                    "TW1001",
                    f"cannot read the annotation of parameter {p.name}: {annotation!r}",
                    expected="tw.Tensor, tw.Broadcast, tw.Scalar with axes; float, int, bool, Literal[...], "
                    "tuple[bool, ...]",
                )
            if p.kind != p.KEYWORD_ONLY:
                raise self._wrong(
                    "TW1005",
                    f"the attribute {p.name} can be given by position",
                    hint="put * before the attributes: def op(x, *, alpha: float = 1.0)",
                )
            attributes.append(self._attribute(p, spec))
        if not tensors:
            raise self._wrong("TW1005", f"{self.name} has no tensor input")
        self.tensors, self.attributes = tuple(tensors), tuple(attributes)
        self.results = self._results(signature.return_annotation, namespace)
        self.attributes = tuple(map(self._element_type, self.attributes))

    def _tensor(self, p: inspect.Parameter, spec: TensorSpec) -> TensorParameter:
        alternatives(spec.dtype, "f32", self.site)
        if p.default is not p.empty and not (p.default is None and spec.optional):
            raise self._wrong(
                "TW1006",
                f"the default of tensor {p.name} is {p.default!r}",
                expected="no default, or None behind an annotation with `| None`",
            )
        return TensorParameter(p.name, spec)

    def _attribute(self, p: inspect.Parameter, spec: Spec) -> Attribute:
        attribute = Attribute(p.name, spec, p.default)
        if not attribute.required:
            d = p.default
            if spec is float:
                fits = isinstance(d, (int, float)) and not isinstance(d, bool)
                fits = fits and (abs(d) <= sys.float_info.max or d in (math.inf, -math.inf))
            elif spec is int:
                fits = isinstance(d, int) and not isinstance(d, bool) and -(2**31) <= d < 2**31
            elif spec is bool:
                fits = isinstance(d, bool)
            else:
                fits = d in attribute.values()
            if not fits:
                raise self._wrong(
                    "TW1006", f"the default of {p.name} is {d!r}", expected=f"{attribute.kind()}"
                )
        return attribute

    def _element_type(self, attribute: Attribute) -> Attribute:
        """The attribute, turned into one of element types if the annotation of a result names it."""
        if attribute.name not in {r.dtype for r in self.results}:
            return attribute
        assert isinstance(attribute.spec, ChoiceSpec)
        constraint = " | ".join(str(n) for n in attribute.spec.names)
        alternatives(constraint, "f32", self.site)
        return Attribute(attribute.name, DTypeSpec(constraint), attribute.default)

    def _results(self, annotation: Any, namespace: Mapping[str, Any]) -> tuple[TensorSpec, ...]:
        expected = '-> tw.Tensor["*S"], or -> tuple[tw.Tensor["*S"], tw.Tensor["C"]]'
        if annotation is inspect.Signature.empty:
            raise self._wrong("TW1008", f"{self.name} has no return annotation", expected=expected)
        value = self._evaluate("the result", annotation, namespace)
        specs: tuple[Any, ...] = (
            getattr(value, "__args__", ()) if not isinstance(value, TensorSpec) else (value,)
        )
        if not specs or not all(isinstance(s, TensorSpec) and s.kind == "tensor" for s in specs):
            raise self._wrong("TW1008", f"{self.name} returns {value!r}", expected=expected)
        names = {a.name for a in self.attributes if isinstance(a.spec, ChoiceSpec)}
        for s in specs:
            if s.dtype not in names:
                self._own_type(s.dtype, "f32", {t.name: "f32" for t in self.tensors})
        return specs

    def _own_type(self, constraint: str, data_type: str, types: Mapping[str, str | None]) -> str:
        """The element type of a result: "f32", "T", or "w | f32", the type of the input w if it is there."""
        words = constraint.replace("|", " ").split()
        if words and words[0] in types:
            return types[words[0]] or alternatives(" ".join(words[1:]) or "T", data_type, self.site)[0]
        return alternatives(constraint, data_type, self.site)[0]

    def _check_updates(self) -> None:
        """The last results have the axes of the inputs that they replace. Raises TW1024."""
        if len(self.updates) >= len(self.results) and self.updates:
            raise self._wrong(
                "TW1024",
                f"@tw.op(updates=...) of {self.name} names {len(self.updates)} inputs",
                expected="fewer than the results: the last ones are written over these inputs",
            )
        parameters = {t.name: t for t in self.tensors}
        if self.update_weight and self.update_weight not in {a.name for a in self.numbers}:
            raise self._wrong(
                "TW1024",
                f"update_weight={self.update_weight!r} of {self.name} is no number attribute",
                hint=nearest(self.update_weight, (a.name for a in self.numbers)),
            )
        for name, result in zip(self.updates, self.results[-len(self.updates) :], strict=False):
            spec = parameters[name].spec
            if spec.kind != "tensor" or result.others or spec.axes != result.axes:
                raise self._wrong(
                    "TW1024",
                    f"{self.name} cannot write a result with the axes {axes_mod.render(result.axes)} over "
                    f"{name}",
                    expected=f"a tw.Tensor input and a result with the same axes; {name} has "
                    f"{axes_mod.render(spec.axes)}",
                )

    def _check_axes(self) -> None:
        bound = {
            a for t in self.tensors if t.spec.kind == "tensor" and not t.spec.optional for a in t.spec.axes
        }
        for axes in self.order.annotations:
            for a in axes:
                if a not in bound:
                    raise self._wrong(
                        "TW1015",
                        f"the size of axis {a} is not given by any input of {self.name}",
                        expected=f"a mandatory tw.Tensor input with axis {a}",
                        hint=nearest(a, bound) if bound else "",
                    )

    # -- variants and traces ----------------------------------------------------------------------

    def variant(
        self, data_type: str, tensor_dtypes: Sequence[str | None], static: Mapping[str, Static]
    ) -> Variant:
        """The variant of these types and static attribute values (types as written in Variant.dtypes)."""
        values = tuple((a.name, self._resolve(a, static[a.name], data_type)) for a in self.statics)
        key = (data_type, tuple(tensor_dtypes), values)
        found = self._variants.get(key)
        if found is None:
            found = self._variants[key] = Variant(self, data_type, tuple(tensor_dtypes), values)
        return found

    def _resolve(self, attribute: Attribute, value: Static, data_type: str) -> Static:
        return data_type if isinstance(attribute.spec, DTypeSpec) and value == "T" else value

    def variants(self, data_type: str, *, all_types: bool = False) -> Iterator[Variant]:
        """All combinations of static attributes and present inputs for one data type T.

        With ``all_types``, also all combinations of the types that the constraints of the inputs allow;
        otherwise each input has the first one. Combinations that the operator refuses are left out.
        """
        choices: list[tuple[str | None, ...]] = []
        for t in self.tensors:
            allowed: tuple[str | None, ...] = alternatives(t.spec.dtype, data_type, self.site)
            allowed = allowed if all_types else allowed[:1]
            choices.append((*allowed, None) if t.spec.optional else allowed)
        seen: set[Variant] = set()
        for types in itertools.product(*choices):
            for values in itertools.product(*(a.values() for a in self.statics)):
                static = {a.name: v for a, v in zip(self.statics, values, strict=True)}
                if any(
                    static[a.name] != "T"
                    and static[a.name] not in alternatives(a.spec.dtype, data_type, self.site)
                    for a in self.statics
                    if isinstance(a.spec, DTypeSpec)
                ):
                    continue
                variant = self.variant(data_type, types, static)
                if variant in seen:
                    continue
                seen.add(variant)
                try:
                    _ = variant.graph
                except ShapeError:
                    continue
                yield variant

    def trace(self, variant: Variant) -> Graph:
        """Run the body for one variant. Definition errors carry the user's line."""
        with Builder(self.name, self.order) as builder:
            arguments: dict[str, object] = {}
            for t, type_ in zip(self.tensors, variant.dtypes, strict=True):
                if type_ is None:
                    arguments[t.name] = None
                else:
                    arguments[t.name] = builder.input(t.name, t.spec.kind, type_, t.spec.axes, self.site)
            static = dict(variant.static)
            for a in self.attributes:
                arguments[a.name] = (
                    static[a.name] if a.is_static else HostValue(hostexpr.attribute(a.name, a.spec is int))
                )
            try:
                returned = self.function(**arguments)
            except RefusedVariantError as refused:
                raise ShapeError(
                    "TW2013",
                    f"{self.name}: {refused.what}",
                    expected=refused.expected,
                    hint=refused.hint or f"this call is the variant {variant.key}",
                ) from None
            except TilewrightError:
                raise
            except Exception as error:
                raise self._foreign(error) from error
            return builder.finish(self._finish_results(builder, returned, variant))

    def _foreign(self, error: Exception) -> DefinitionError:
        """An ordinary Python exception in the body, with the line where it happened."""
        trace = error.__traceback__
        site = self.site
        while trace is not None:
            code = trace.tb_frame.f_code
            if code is self.function.__code__:
                site = Site(display_path(code.co_filename), trace.tb_lineno)
            trace = trace.tb_next
        if isinstance(error, AttributeError) and getattr(error, "obj", None) is sys.modules.get("tilewright"):
            from . import FUNCTIONS

            return DefinitionError(
                "TW1023",
                f"tw.{error.name} does not exist",
                expected="a function of the language",
                hint=nearest(str(error.name), FUNCTIONS),
                location=site,
            )
        if isinstance(error, TypeError) and "ufunc" in str(error):
            return DefinitionError(
                "TW1019",
                f"a NumPy function is applied to a tensor of {self.name}",
                expected="functions of the language: tw.exp(x), tw.maximum(a, b), ...",
                hint="arrays must be inputs of the operator",
                location=site,
            )
        return DefinitionError(
            "TW1022",
            f"the body of {self.name} raised {type(error).__name__}: {error}",
            hint="the body runs once per variant with symbolic tensors, when the operator is defined",
            location=site,
        )

    def _finish_results(self, builder: Builder, returned: object, variant: Variant) -> list[Result]:
        values = cast("tuple[object, ...]", returned) if isinstance(returned, tuple) else (returned,)
        if returned is None:
            raise self._wrong(
                "TW1009",
                f"{self.name} returns None in the variant {variant.key}",
                hint="is a `return` missing?",
            )
        if len(values) != len(self.results):
            raise self._wrong(
                "TW1009",
                f"{self.name} returns {len(values)} values",
                expected=f"{len(self.results)}, as its annotation says",
            )
        results: list[Result] = []
        for i, (value, spec) in enumerate(zip(values, self.results, strict=True)):
            if value is None and spec.optional:
                continue
            if not isinstance(value, Value):
                raise self._wrong(
                    "TW1009",
                    f"result {i} of {self.name} is {value!r}",
                    expected="a tensor",
                    hint="the result of an operator has to depend on a tensor",
                )
            if value.builder is not builder:
                raise self._wrong("TW1018", f"result {i} of {self.name} is a tensor of another trace")
            if value.node.axes not in (spec.axes, *spec.others):
                allowed = " or ".join(axes_mod.render(a) for a in (spec.axes, *spec.others))
                raise DefinitionError(
                    "TW1010",
                    f"result {i} of {self.name} has the axes {axes_mod.render(value.node.axes)}",
                    expected=f"{allowed}, as the return annotation says",
                    location=value.node.site,
                )
            stored = self._store(value, self._result_type(i, variant))
            results.append(Result(f"out{i}", value.node.axes, stored.number))
        if not results:
            raise self._wrong(
                "TW1009",
                f"{self.name} returns no tensor in the variant {variant.key}",
                hint="refuse a variant without results: tw.require(first or second, message)",
            )
        return results

    def updated(self, result: int) -> str | None:
        """The input over which the result of this number is written, None for one that is returned."""
        first = len(self.results) - len(self.updates)
        return self.updates[result - first] if result >= first else None

    def _result_type(self, result: int, variant: Variant) -> str:
        types = {t.name: d for t, d in zip(self.tensors, variant.dtypes, strict=True)}
        updated = self.updated(result)
        if updated is not None:
            own = types[updated]
            if own is None:
                raise self._wrong(
                    "TW1009",
                    f"result {result} of {self.name} is written over {updated}, which is absent in the "
                    f"variant {variant.key}",
                    expected=f"None where {updated} is None; the annotation of the result ends in `| None`",
                )
            return own
        constraint = self.results[result].dtype
        static = dict(variant.static)
        if constraint in static:
            return str(static[constraint])
        return self._own_type(constraint, variant.data_type, types)

    def _store(self, value: Value, type_: str) -> Value:
        """The value in the type of the result: half results are rounded here, once."""
        if value.type == type_:
            return value
        site = value.node.site
        if (
            value.type in dtypes.TYPES
            and dtypes.is_float(value.type) == dtypes.is_float(type_)
            and (dtypes.is_float(type_))
        ):
            if value.type != "f32" and type_ != "f32":
                value = value.builder.convert(value, "f32", site)
            return value.builder.convert(value, type_, site)
        raise DefinitionError(
            "TW1010",
            f"a result of {self.name} has the type {value.type}",
            expected=type_,
            hint="comparisons become numbers by tw.where(condition, 1, 0); other types by tw.cast"
            if value.type == "i1"
            else f'convert it: tw.cast(x, "{type_}")',
            location=value.node.site,
        )

    def _check_definition(self) -> None:
        """Trace all combinations once in every kind of type; half floats stand for f32 too."""
        kinds: dict[str, str] = {}
        for t in self.data_types:
            kind = "half" if t in ("f16", "bf16") else "f32" if t == "f32" else t
            kinds.setdefault(kind, t)
        if "half" in kinds:
            kinds.pop("f32", None)
        used: set[str] = set()
        alive = False
        for t in kinds.values():
            for variant in self.variants(t):
                alive = True
                graph = variant.graph
                read = {o for n in graph.nodes for o in n.operands} | {r.node for r in graph.results}
                used.update(graph.inputs[i].name for i in range(len(graph.inputs)) if i in read)
        used.update(word for r in self.results for word in r.dtype.replace("|", " ").split())
        if not alive:
            raise self._wrong("TW1021", f"{self.name} refuses every combination of types and attributes")
        for p in self.tensors:
            if p.name not in used:
                raise self._wrong(
                    "TW1021",
                    f"the input {p.name} of {self.name} is never used",
                    hint="remove it from the signature",
                )

    # -- public -----------------------------------------------------------------------------------

    def check(self, function: Callable[..., None]) -> Callable[..., None]:
        """Register a check of call arguments: ``@my_op.check``.

        The function takes any of the operator's attributes by name and calls ``tw.require``. It runs on the
        host when a signature or an attribute value is seen for the first time.
        """
        names = inspect.signature(function).parameters
        for name in names:
            if name not in self.attribute_names:
                raise DefinitionError(
                    "TW1024",
                    f"the check of {self.name} asks for {name!r}, which is not an attribute of it",
                    hint=nearest(name, self.attribute_names),
                    location=Site(
                        display_path(function.__code__.co_filename), function.__code__.co_firstlineno
                    ),
                )
        self.checks.append(function)
        return function

    def run_checks(self, attributes: Mapping[str, Any]) -> None:
        """Run all registered checks. Raises ShapeError TW2014."""
        for function in self.checks:
            function(**{name: attributes[name] for name in inspect.signature(function).parameters})

    def signature(self) -> str:
        """One line: ``elu_backward(grad_output, self_or_result, *, alpha=1.0, ...)``."""
        parts = [t.name + (" = None" if t.spec.optional else "") for t in self.tensors]
        if self.attributes:
            parts.append("*")
        parts += [a.name if a.required else f"{a.name}={a.default!r}" for a in self.attributes]
        return f"{self.name}({', '.join(parts)})"

    def __repr__(self) -> str:
        return f"<tw.op {self.signature()}>"

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """On arrays: compile for the default target and run. Inside another operator: its mathematics."""
        if any(isinstance(a, Value) for a in (*args, *kwargs.values())):
            return self.function(*args, **kwargs)
        import tilewright

        return tilewright.compile(self)(*args, **kwargs)


@overload
def op(function: Callable[..., Any], /) -> Op: ...


@overload
def op(
    *,
    data_types: str = ...,
    like: str = ...,
    samples: Mapping[str, str] | None = ...,
    aten: str = ...,
    aliases: Mapping[str, str] | None = ...,
    updates: str = ...,
    update_weight: str = ...,
    empty: float | None = ...,
) -> Callable[[Callable[..., Any]], Op]: ...


def op(
    function: Callable[..., Any] | None = None, /, **options: Any
) -> Op | Callable[[Callable[..., Any]], Op]:
    """Make an operator of a function: ``@tw.op`` or ``@tw.op(data_types="f32 f16 bf16 i32", like="x")``.

    Options:
        data_types: what the operator's data type T may be; default "f32 f16 bf16".
        like: the tensor input whose memory format the results take; default the first ``tw.Tensor``.
        samples: distributions of random inputs by name, see tilewright/samples.py.
        aten: the torch operator of the same meaning.
        aliases: other names of tensor inputs.
        updates: inputs over which the last results are written, such as "running_mean running_var".
        update_weight: the attribute that weighs the updates; where it is 0 the inputs stay bit for bit.
        empty: the value of results when there is nothing to reduce, if it is not what the formula gives.

    Raises DefinitionError (TW1xxx) with the user's file and line if the definition is wrong.
    """
    known = ("data_types", "like", "samples", "aten", "aliases", "updates", "update_weight", "empty")
    for name in options:
        if name not in known:
            raise DefinitionError(
                "TW1024",
                f"@tw.op has no option {name!r}",
                hint=nearest(name, known),
                location=user_location(),
            )

    def wrap(f: Callable[..., Any]) -> Op:
        if not inspect.isfunction(f):
            raise DefinitionError(
                "TW1024", f"@tw.op on {f!r}, which is not a function", location=user_location()
            )
        # Annotations that are strings may name local variables of the place of definition.
        return Op(f, namespace=user_locals(), **options)

    return wrap if function is None else wrap(function)
