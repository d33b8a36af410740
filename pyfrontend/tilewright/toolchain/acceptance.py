"""What a final module has to satisfy before its kernel counts as compiled.

``bishengir-compile`` returns 0 for kernels that it did not lower, that call functions its library does not
have, and that it turned into element-by-element loops. Its exit status proves nothing; these checks do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tilewright.toolchain.module import FinalModule

_UNLOWERED = re.compile(r"\bhivm\.hir\.(load|store|copy|nd2nz|fixpipe|v\w+)\b")
#: A buffer of one element is a scalar on its way between the units (a half scalar is extended by way of UB).
_SCALAR = re.compile(r"\bmemref\.(load|store)\b.* memref<(?!1x[a-z]).*address_space<ub>")

#: Calls whose surplus trailing operands the library definition ignores: pad mode and pad value of UB-to-UB
#: copies.
_SURPLUS = re.compile(r"^copy_ubuf_to_ubuf_")
_SURPLUS_COUNT = 2


@dataclass(frozen=True)
class Finding:
    """A failed check: error code, one sentence, 1-based line in the final module (0: the whole module)."""

    code: str
    what: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.what} (line {self.line})" if self.line else self.what


def _entries(module: FinalModule, entries: Sequence[str]) -> Iterator[Finding]:
    by_name = {function.name: function for function in module.functions}
    marked = [function for function in module.functions if "hacc.entry" in function.text]
    if not entries and not marked:
        yield Finding("TW3020", "no function of the final module is an entry (attribute hacc.entry)")
    for name in entries:
        function = by_name.get(name)
        if function is None:
            yield Finding("TW3020", f"the final module has no function @{name}")
        elif "hacc.entry" not in function.text:
            yield Finding("TW3020", f"@{name} did not become a kernel entry (no hacc.entry)", function.line)


def _unlowered(module: FinalModule) -> Iterator[Finding]:
    for number, line in enumerate(module.lines, start=1):
        match = _UNLOWERED.search(line)
        if match is not None:
            yield Finding("TW3021", f"hivm.hir.{match[1]} was not lowered", number)


def _library(module: FinalModule, library: Mapping[str, int]) -> Iterator[Finding]:
    for function in module.functions:
        if not function.private or "llvm.emit_c_interface" not in function.text:
            continue
        defined = library.get(function.name)
        if defined is None:
            yield Finding(
                "TW3022",
                f"the library has no function @{function.name}, which the module calls",
                function.line,
            )
        elif defined != function.parameters and not (
            _SURPLUS.match(function.name) and function.parameters == defined + _SURPLUS_COUNT
        ):
            yield Finding(
                "TW3022",
                f"@{function.name} is called with {function.parameters} parameters, "
                f"the library's has {defined}",
                function.line,
            )


def _scalar_loops(module: FinalModule) -> Iterator[Finding]:
    # Single elements of GM may be read on purpose (one-element inputs), and single elements of UB as well
    # (a channel's values, once a tile). A vector operation that the compiler cannot lower becomes a loop that
    # also writes single elements of UB, about fifty times slower.
    found = [(number, _SCALAR.search(line)) for number, line in module.lines_in_loops()]
    if not any(match is not None and match[1] == "store" for _, match in found):
        return
    for number, match in found:
        if match is not None:
            yield Finding(
                "TW3023",
                f"a vector operation became a scalar loop: memref.{match[1]} of single UB elements",
                number,
            )


def check(
    module: FinalModule,
    *,
    entries: Sequence[str] = (),
    library: Mapping[str, int] | None = None,
    scalar_loops: bool = False,
) -> list[Finding]:
    """All failed checks, the most telling first; empty if the module is accepted.

    Args:
        module: the final module.
        entries: names of functions that have to be kernel entries; with none given, some function has to be
        one.
        library: library function name -> number of parameters; None leaves that check to hivmc, which links
            the library and refuses unknown names and other parameter lists itself.
        scalar_loops: accept element-by-element loops over UB: slow on a device, not wrong.
    """
    findings = [*_entries(module, entries), *_unlowered(module)]
    if not scalar_loops:
        findings.extend(_scalar_loops(module))
    if library is not None:
        findings.extend(_library(module, library))
    return findings
