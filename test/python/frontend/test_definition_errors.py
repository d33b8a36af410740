"""Every TW1xxx code: a wrong definition, and the code, line and hint of its error."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any

import pytest

import tilewright as tw

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "pyfrontend" / "tilewright"


def define(source: str, tmp_path: Path) -> dict[str, Any]:
    """Run a module of the user's; a comment ``# HERE`` marks the line that the error has to name."""
    path = tmp_path / "user_ops.py"
    text = textwrap.dedent(source)
    path.write_text(text)
    names: dict[str, Any] = {}
    exec(compile(text, str(path), "exec", dont_inherit=True), names)
    return names


HEAD = """
import typing
from typing import Literal
import numpy as np
import math
import tilewright as tw
"""


def op(signature: str, *body: str, before: str = "@tw.op") -> str:
    lines = "\n".join("    " + line for line in body)
    return f"{HEAD}\n{before}\ndef f({signature}:\n{lines}\n"


X = 'x: tw.Tensor["*S"]'
RETURNS = ') -> tw.Tensor["*S"]'
XY = 'x: tw.Tensor["N"], y: tw.Tensor["M"]'

CASES: list[tuple[str, str, str]] = [
    ("TW1001", "no annotation", op(f"x{RETURNS}", "return x")),
    ("TW1001", "cannot read the annotation of parameter x", op(f"x: str{RETURNS}", "return x")),
    ("TW1001", "cannot be joined with", op(f'x: tw.Tensor["*S"] | int{RETURNS}', "return x")),
    (
        "TW1001",
        "more than one set of axes",
        op(f'x: tw.Tensor["*S"] | tw.Tensor[""]{RETURNS}', "return x"),
    ),
    ("TW1001", "cannot read the annotation tw.Tensor", op(f"x: tw.Tensor[3]{RETURNS}", "return x")),
    (
        "TW1002",
        "AXES",
        "from __future__ import annotations\n" + op(f"x: tw.Tensor[AXES]{RETURNS}", "return x"),
    ),
    ("TW1003", "is not a name", op(f'x: tw.Tensor["N 3"]{RETURNS}', "return x")),
    ("TW1003", "twice", op(f'x: tw.Tensor["N N"]{RETURNS}', "return x")),
    ("TW1003", "two starred axes", op(f'x: tw.Tensor["*A *B"]{RETURNS}', "return x")),
    ("TW1004", "'float'", op(f'x: tw.Tensor["*S", "T | float"]{RETURNS}', "return x")),
    ("TW1004", "'half'", op(f"{X}{RETURNS}", 'return tw.cast(x, "half")  # HERE')),
    ("TW1004", "cannot be given as T", op(f"{X}{RETURNS}", "return x", before='@tw.op(data_types="T f32")')),
    ("TW1005", "by position", op(f"{X}, a: float{RETURNS}", "return x * a")),
    ("TW1005", "stands after", op(f'{X}, *, y: tw.Tensor["*S"]{RETURNS}', "return x * y")),
    ("TW1005", "names its parameters", op(f"{X}, **more: float{RETURNS}", "return x")),
    ("TW1005", "no tensor input", op(f"*, a: float{RETURNS}", "return a")),
    ("TW1006", "default of a", op(f'{X}, *, a: float = "1"{RETURNS}', "return x * a")),
    ("TW1006", "default of flag", op(f"{X}, *, flag: bool = 0{RETURNS}", "return x + x")),
    ("TW1006", "default of mode", op(f'{X}, *, mode: Literal["a", "b"] = "c"{RETURNS}', "return x + x")),
    ("TW1006", "default of tensor y", op(f'{X}, y: tw.Tensor["*S"] = None{RETURNS}', "return x * y")),
    ("TW1007", "no annotation of f has all", op(f'{XY}) -> tw.Tensor["N"]', "return x * y  # HERE")),
    (
        "TW1007",
        "different orders",
        op('x: tw.Tensor["N M"], y: tw.Tensor["M N"]) -> tw.Tensor["N M"]', "return x * y"),
    ),
    ("TW1008", "no return annotation", op(f"{X})", "return x + x")),
    ("TW1008", "returns", op(f"{X}) -> float", "return x + x")),
    (
        "TW1009",
        "result 0 of f is None",
        op(f'{X}) -> tuple[tw.Tensor["*S"], tw.Tensor["*S"]]', "return None, x"),
    ),
    (
        "TW1009",
        "returns no tensor",
        op(f'{X}) -> tuple[tw.Tensor["*S"] | None, tw.Tensor["*S"] | None]', "return None, None"),
    ),
    (
        "TW1009",
        "written over r, which is absent",
        op(
            f'{X}, r: tw.Tensor["*S"] | None = None) -> tuple[tw.Tensor["*S"], tw.Tensor["*S"] | None]',
            "return x, x + x",
            before='@tw.op(updates="r")',
        ),
    ),
    ("TW1009", "returns None", op(f"{X}{RETURNS}", "x + x")),
    ("TW1009", "returns 2 values", op(f"{X}{RETURNS}", "return x + x, x")),
    ("TW1009", "attribute expression", op(f"{X}, *, a: float{RETURNS}", "x + x", "return a * 2")),
    (
        "TW1010",
        "has the axes",
        op('x: tw.Tensor["N C"], w: tw.Tensor["C"]) -> tw.Tensor["N C"]', "x + x", "return w * w  # HERE"),
    ),
    ("TW1010", "has the type i1", op(f"{X}{RETURNS}", "return x > 0  # HERE")),
    ("TW1010", "has the type i32", op(f"{X}{RETURNS}", 'return tw.cast(x, "i32")  # HERE')),
    (
        "TW1011",
        "differs by element",
        op(f"{X}{RETURNS}", "if x > 0:  # HERE", "    return x", "return x + x"),
    ),
    ("TW1011", "differs by element", op(f"{X}{RETURNS}", "return max(x, x + x)  # HERE")),
    ("TW1011", "differs by element", op(f"{X}{RETURNS}", "return x if x > 0 and x < 1 else x + x  # HERE")),
    (
        "TW1012",
        "run-time values",
        op(f"{X}, *, a: float{RETURNS}", "if a > 0:  # HERE", "    return x", "return x * a"),
    ),
    (
        "TW1012",
        "not known",
        op(f"{X}, *, a: float{RETURNS}", "if a:  # HERE", "    return x", "return x * a"),
    ),
    ("TW1012", "not known", op(f"{X}, *, a: int{RETURNS}", "tw.require(a, 'text')  # HERE", "return x * a")),
    ("TW1013", "computed in f32", op(f'{X}, n: tw.Tensor["*S", "i32"]{RETURNS}', "return x * n  # HERE")),
    (
        "TW1013",
        "computed in i16",
        op(
            'n: tw.Tensor["*S", "i32"], m: tw.Tensor["*S", "i16"]) -> tw.Tensor["*S", "i32"]',
            "return n + m  # HERE",
        ),
    ),
    (
        "TW1013",
        "the float 1.5",
        op('n: tw.Tensor["*S", "i32"]) -> tw.Tensor["*S", "i32"]', "return n * 1.5  # HERE"),
    ),
    (
        "TW1013",
        "the float expression a",
        op('n: tw.Tensor["*S", "i32"], *, a: float) -> tw.Tensor["*S", "i32"]', "return n * a  # HERE"),
    ),
    (
        "TW1014",
        "not defined for integers",
        op('n: tw.Tensor["*S", "i32"]) -> tw.Tensor["*S", "i32"]', "return tw.exp(n)  # HERE"),
    ),
    (
        "TW1014",
        "not defined for integers",
        op('n: tw.Tensor["*S", "i32"]) -> tw.Tensor["*S", "i32"]', "return n / 2  # HERE"),
    ),
    ("TW1014", "of a comparison", op(f"{X}{RETURNS}", "return x * (x > 0)  # HERE")),
    ("TW1014", "of a bool", op(f"{X}, *, flag: bool = False{RETURNS}", "return x * flag  # HERE")),
    ("TW1014", "condition of tw.where is True", op(f"{X}{RETURNS}", "return tw.where(True, x, 0)  # HERE")),
    ("TW1014", "is a number", op(f"{X}{RETURNS}", "return tw.where(x, x, 0)  # HERE")),
    ("TW1014", "tw.cast of 1.0", op(f"{X}{RETURNS}", 'return x + tw.cast(1.0, "f32")  # HERE')),
    ("TW1015", "unknown axis 'S'", op(f"{X}{RETURNS}", 'return x / tw.size("S")  # HERE')),
    ("TW1015", "size of axis C", op(f'{X}, w: tw.Broadcast["C"]{RETURNS}', "return x + x")),
    ("TW1015", "tw.one_element of", op(f"{X}{RETURNS}", "return tw.one_element(x + x)  # HERE")),
    (
        "TW1015",
        "after g has been used",
        op(f'{X}, g: tw.Broadcast["*S"]{RETURNS}', "y = x * g", "return y * tw.one_element(g)  # HERE"),
    ),
    ("TW1016", "1e+39", op(f"{X}{RETURNS}", "return x * 1e39  # HERE")),
    ("TW1016", "1e-50", op(f"{X}{RETURNS}", "return x + 1e-50  # HERE")),
    (
        "TW1016",
        "40000",
        op('n: tw.Tensor["*S", "i16"]) -> tw.Tensor["*S", "i16"]', "return n + 40000  # HERE"),
    ),
    (
        "TW1014",
        "tw.sum of 2, which is one number",
        op(f"{X}{RETURNS}", 'return x - tw.sum(2, over="*S")  # HERE'),
    ),
    (
        "TW1014",
        "tw.max is not defined for integers",
        op('n: tw.Tensor["N", "i32"]) -> tw.Tensor["", "i32"]', 'return tw.max(n, over="N")  # HERE'),
    ),
    (
        "TW1014",
        "sum of a comparison",
        op(f'{X}) -> tw.Tensor[""]', 'return tw.sum(x > 0, over="*S")  # HERE'),
    ),
    ("TW1003", "is not a name", op(f"{X}{RETURNS}", 'return x - tw.sum(x, over="S,")  # HERE')),
    ("TW1015", "unknown axis 'S'", op(f"{X}{RETURNS}", 'return x - tw.mean(x, over="S")  # HERE')),
    ("TW1015", "over no axis", op(f"{X}{RETURNS}", 'return x - tw.mean(x, over="")  # HERE')),
    ("TW1015", "over 0", op(f"{X}{RETURNS}", "return x - tw.min(x, over=0)  # HERE")),
    (
        "TW1015",
        "w: f16[C] does not vary",
        op(
            'x: tw.Tensor["N C"], w: tw.Tensor["C"]) -> tw.Tensor["N C"]',
            'return x * tw.sum(w, over="N")  # HERE',
        ),
    ),
    (
        "TW1017",
        "reduces over [*S] and over [N *S]",
        op(
            'x: tw.Tensor["N C *S"]) -> tw.Tensor["N C *S"]',
            'y = x - tw.sum(x, over="*S")',
            'return y - tw.sum(y, over="N *S")  # HERE',
        ),
    ),
    (
        "TW1017",
        "a result of f has the axes [C]",
        op(
            'x: tw.Tensor["N C *S"], w: tw.Tensor["C"]) -> tuple[tw.Tensor["N C *S"], tw.Tensor["C"]]',
            'return x - tw.sum(x, over="*S"), w + w  # HERE',
        ),
    ),
    ("TW1018", "outside an @tw.op", HEAD + 'tw.sum(1, "N")  # HERE\n'),
    (
        "TW1024",
        "update_weight='a' of f is no number",
        op(
            f'{X}, r: tw.Tensor["*S"], *, b: float) -> tuple[tw.Tensor["*S"], tw.Tensor["*S"]]',
            "return x, x * b + r",
            before='@tw.op(updates="r", update_weight="a")',
        ),
    ),
    (
        "TW1024",
        "fewer than the results",
        op(f"{X}{RETURNS}", "return x + x", before='@tw.op(updates="x")'),
    ),
    (
        "TW1024",
        "over w",
        op(
            f'{X}, w: tw.Tensor["C"]) -> tuple[tw.Tensor["*S"], tw.Tensor["*S"]]',
            "return x, x",
            before='@tw.op(updates="w")',
        ),
    ),
    (
        "TW1018",
        "another trace",
        HEAD
        + "kept = []\n"
        + op(
            f"{X}, *, flag: bool = False{RETURNS}", "kept.append(x)", "return x + kept[0]  # HERE"
        ).removeprefix(HEAD),
    ),
    ("TW1018", "outside an @tw.op", HEAD + 'tw.size("N")  # HERE\n'),
    ("TW1019", "indexing", op(f"{X}{RETURNS}", "return x[0]  # HERE")),
    ("TW1019", "iteration", op(f"{X}{RETURNS}", "return [y for y in x][0]  # HERE")),
    ("TW1019", "no attribute 'shape'", op(f"{X}{RETURNS}", "return x * x.shape[0]  # HERE")),
    ("TW1019", "len()", op(f"{X}{RETURNS}", "return x * len(x)  # HERE")),
    ("TW1019", "math module", op(f"{X}{RETURNS}", "return x * math.exp(x)  # HERE")),
    ("TW1019", "NumPy function", op(f"{X}{RETURNS}", "return np.exp(x)  # HERE")),
    ("TW1019", "numpy.ndarray", op(f"{X}{RETURNS}", "return np.ones(3) * x  # HERE")),
    ("TW1019", "**", op(f"{X}{RETURNS}", "return x ** 2  # HERE")),
    ("TW1019", "&", op(f"{X}{RETURNS}", "return tw.where((x > 0) & (x < 1), x, 0)  # HERE")),
    ("TW1020", "of None", op(f'{X}, w: tw.Tensor["*S"] | None = None{RETURNS}', "return x * w  # HERE")),
    (
        "TW1020",
        "of None",
        op(f'{X}, w: tw.Tensor["*S"] | None = None{RETURNS}', "return x * tw.exp(w)  # HERE"),
    ),
    ("TW1021", "never used", op(f'{X}, y: tw.Tensor["*S"]{RETURNS}', "return x + x")),
    ("TW1021", "refuses every combination", op(f"{X}{RETURNS}", "tw.require(False, 'no')", "return x")),
    ("TW1022", "NameError", op(f"{X}{RETURNS}", "return x * undefined_name  # HERE")),
    ("TW1022", "ZeroDivisionError", op(f"{X}{RETURNS}", "return x * (1 / 0)  # HERE")),
    ("TW1023", "tw.expp", op(f"{X}{RETURNS}", "return tw.expp(x)  # HERE")),
    ("TW1024", "no option 'liek'", op(f"{X}{RETURNS}", "return x + x", before='@tw.op(liek="x")')),
    ("TW1024", "not a tensor input", op(f"{X}{RETURNS}", "return x + x", before='@tw.op(like="y")')),
    ("TW1024", "beyond ASCII", op(f"{X}{RETURNS}", "return x + x").replace("def f(", "def größe(")),
    (
        "TW1024",
        "alias 'y'",
        op(f'{X}, y: tw.Tensor["*S"]{RETURNS}', "return x - y", before='@tw.op(aliases={"y": "x"})'),
    ),
    ("TW1004", "data_types is 3", op(f"{X}{RETURNS}", "return x + x", before="@tw.op(data_types=3)")),
    ("TW1006", "the default of a", op(f"{X}, *, a: int = 2**31{RETURNS}", "return x * a")),
    ("TW1006", "the default of a", op(f"{X}, *, a: float = math.nan{RETURNS}", "return x * a")),
    ("TW1006", "the default of a", op(f"{X}, *, a: float = 10**400{RETURNS}", "return x * a")),
    ("TW1024", "not a function", HEAD + "tw.op(3)  # HERE\n"),
    (
        "TW1024",
        "asks for 'beta'",
        op(f"{X}, *, alpha: float{RETURNS}", "return x * alpha") + "@f.check\ndef c(beta): pass\n",
    ),
]


@pytest.mark.parametrize("future", ["", "from __future__ import annotations\n"], ids=["", "future"])
@pytest.mark.parametrize(
    ("code", "text", "source"), CASES, ids=[f"{c}-{i}" for i, (c, _, _) in enumerate(CASES)]
)
def test_definition_error(code: str, text: str, source: str, future: str, tmp_path: Path) -> None:
    source = future + source
    with pytest.raises(tw.DefinitionError) as caught:
        define(source, tmp_path)
    error = caught.value
    assert error.code == code, str(error)
    assert text in str(error)
    assert error.location is not None
    assert error.location.file.endswith("user_ops.py")
    lines = textwrap.dedent(source).split("\n")
    marked = [i + 1 for i, line in enumerate(lines) if "# HERE" in line]
    if marked:
        assert error.location.line == marked[0]
    else:
        # The definition as a whole: the decorator, the def, or the annotation.
        assert re.match(r"@|def ", lines[error.location.line - 1])


def test_nearest_name_is_suggested(tmp_path: Path) -> None:
    with pytest.raises(tw.DefinitionError) as caught:
        define(op(f"{X}{RETURNS}", "return tw.expp(x)"), tmp_path)
    assert "did you mean exp" in caught.value.hint


@pytest.mark.parametrize("stage", ["1", "2"])
def test_every_code_has_a_test_and_a_page(stage: str) -> None:
    sources = [*PACKAGE.glob("*.py"), *(PACKAGE / "ops").rglob("*.py")]
    used = set(re.findall(rf'"(TW{stage}\d\d\d)"', "".join(p.read_text() for p in sources)))
    used -= {c for c in used if c[3] == "4"}  # TW24xx: planning, tested there
    assert len(used) > 10
    tested = set(
        re.findall(
            rf'"(TW{stage}\d\d\d)"', "".join(p.read_text() for p in Path(__file__).parent.glob("*.py"))
        )
    )
    assert used - tested == set()
    pages = {p.stem for p in (ROOT / "docs" / "errors").glob("*.md")}
    assert used - pages == set()
