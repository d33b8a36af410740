"""The argument block of a kernel, from the meaning of its arguments.

Objects of our hivmc describe their block themselves; a binary of CANN does not, so the block follows from the
Triton kernel ABI that launchers use on devices: the address of the synchronisation area, the kernel's
arguments, the three extents of the grid; addresses and 64-bit numbers at multiples of 8, others of 4.
"""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.runtime import Argument


def fields(arguments: Sequence[str], scalar_types: Sequence[str]) -> tuple[tuple[Argument, ...], int]:
    """The fields and the size of the block of a kernel.

    Args:
        arguments: what ``Binary.arguments`` says; program ids are not passed.
        scalar_types: element types of the scalar arguments.
    """
    found = [Argument("ffts", "i64", 0, 8)]
    at = 8
    types = iter(scalar_types)
    for name in arguments:
        word = name.partition(":")[0]
        if word == "pid":
            continue
        if word in ("lock", "workspace"):
            kind, type_, size = word, "i8", 8
        elif word == "tensor":
            kind, type_, size = "pointer", "", 8
        elif word == "scalar":
            kind, type_, size = "scalar", next(types), 4
        elif word == "grid":
            kind, type_, size = "grid", "i32", 4
        else:
            kind, type_, size = "scalar", "i64", 8
        at = -(-at // size) * size
        found.append(Argument(kind, type_, at, size))
        at += size
    return tuple(found), -(-at // 8) * 8
