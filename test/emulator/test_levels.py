"""The lane functions compiled for different processors give the same bits."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from model import Side, bin_word, random_values, un_word

from device import DTYPES, UB_BYTES, Core, load_library

HERE = Path(__file__).resolve().parent


def digest() -> str:
    """Hash of UB after every element-wise instruction over 8,191 random values."""
    lib = load_library()
    names = [lib.tw_isa_name(i).decode() for i in range(lib.tw_isa_count())]
    total = hashlib.sha256()
    rng = np.random.default_rng(0)
    core = Core(lib)
    n = 8191
    for name in names:
        family = name.split(".")[0]
        if family not in {
            *(
                "VADD",
                "VSUB",
                "VMUL",
                "VMAX",
                "VMIN",
                "VDIV",
                "VAND",
                "VOR",
                "VEXP",
                "VLN",
                "VSQRT",
                "VRSQRT",
                "VREC",
            ),
            *("VABS", "VRELU", "VNOT", "VCONV", "VCMPV"),
        }:
            continue
        pair = re.match(r"VCONV\.(bf16|f16|f32|s16|s32|s64|s8|u8)2(bf16|f16|f32|s16|s32|s64|s8|u8)", name)
        dtype = DTYPES[pair[1] if pair else name.split(".")[-1]]
        core.ub[:] = random_values(rng, dtype, UB_BYTES // dtype.itemsize).view(np.uint8)
        core.set_mask(counter=n)
        side = Side(dtype)
        two = family in ("VADD", "VSUB", "VMUL", "VMAX", "VMIN", "VDIV", "VAND", "VOR", "VCMPV")
        if two:
            core.call(name, core.base, core.base + 65536, core.base + 131072, bin_word(side, side, side, 1))
        else:
            wide = max(2, dtype.itemsize)
            if pair:
                target = DTYPES[pair[2]]
                wide = max(wide, target.itemsize)
                dst, src = (
                    Side(target, 0, 1, 8 * target.itemsize // wide),
                    Side(dtype, 0, 1, 8 * dtype.itemsize // wide),
                )
            else:
                dst = src = side
            core.call(name, core.base, core.base + 98304, un_word(dst, src, 1))
        # Which NaN an operation on two NaNs gives depends on how the compiler orders its operands.
        result = core.ub.copy().view(DTYPES[pair[2]] if pair else dtype)
        if result.dtype.kind not in "iu":
            result[np.isnan(result)] = np.nan
        total.update(name.encode() + result.tobytes())
    return f"{lib.tw_emulator_level().decode()} {total.hexdigest()}"


def test_levels_agree() -> None:
    found: dict[str, str] = {}
    for level in ("base", "v3", "v4"):
        run = subprocess.run(
            [sys.executable, __file__],
            env={**os.environ, "TILEWRIGHT_ISA_LEVEL": level, "PYTHONPATH": str(HERE)},
            check=True,
            capture_output=True,
            text=True,
        )
        used, value = run.stdout.split()
        found[used] = value
    if len(found) == 1:
        pytest.skip("this processor has only the baseline")
    assert len(set(found.values())) == 1, found


if __name__ == "__main__":
    print(digest())
