"""Speed of single emulated instructions on data in UB: elements per second of one host thread.

    python bench/isa_speed.py [--json]

Targets: VADD/VMUL f32 5 G elements/s, VEXP f32 0.8 G elements/s, transfers near memcpy.
The figures are those of this host; they say nothing about the device.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import sys
import time
from pathlib import Path

import numpy as np

SELF = Path(__file__).resolve().parent
ELEMENTS = 12288
CONVERSIONS = ("VCONV_f162f32_v220", "VCONV_f322f16r_v220", "VCONV_f322bf16r_v220", "VCONV_f322s32r_v220")
CONTIGUOUS_BIN = 1 | 1 << 8 | 1 << 16 | 8 << 24 | 8 << 32 | 8 << 40 | 1 << 56
CONTIGUOUS_UN = 1 | 1 << 16 | 8 << 32 | 8 << 40 | 1 << 56


def library() -> ctypes.CDLL:
    root = os.environ.get("TILEWRIGHT_NATIVE")
    if root is None:
        from tilewright import native  # the installed package

        return ctypes.CDLL(str(native.path("lib/libtilewright_emulator.so")), mode=ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(str(Path(root) / "lib/libtilewright_emulator.so"), mode=ctypes.RTLD_GLOBAL)


def measure(lib: ctypes.CDLL, name: str, args: list[int], scalar: float = 0.0) -> float:
    """Seconds per call, best of 5 rounds."""
    function = ctypes.cast(getattr(lib, "tw_isa_" + name), ctypes.c_void_p)
    values = (ctypes.c_uint64 * 6)(*args)
    bits = int(np.float32(scalar).view(np.uint32))
    error = ctypes.create_string_buffer(512)
    best = float("inf")
    times = 200
    for _ in range(5):
        start = time.perf_counter()
        code = lib.tw_test_call(
            function,
            values,
            ctypes.c_size_t(len(args)),
            ctypes.c_uint64(bits),
            times,
            None,
            error,
            ctypes.c_size_t(512),
        )
        best = min(best, (time.perf_counter() - start) / times)
        if code:
            raise SystemExit(f"{name}: {error.value.decode()}")
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    lib = library()
    lib.tw_test_core_begin.restype = ctypes.c_uint64
    lib.tw_emulator_level.restype = ctypes.c_char_p
    gm = np.random.default_rng(0).standard_normal(1 << 20).astype(np.float32)
    ranges = (ctypes.c_uint64 * 3)(gm.ctypes.data, gm.nbytes, 3)
    ub = int(lib.tw_test_core_begin(0, ranges, ctypes.c_size_t(1)))
    view = np.ctypeslib.as_array((ctypes.c_float * (48 << 10)).from_address(ub))
    view[:] = np.random.default_rng(1).standard_normal(view.size)
    size = ELEMENTS * 4
    d, a, b = ub, ub + size, ub + 2 * size
    measure(lib, "SET_CTRL", [1 << 56])
    measure(lib, "MOVEMASK", [0, ELEMENTS])
    burst = 1 << 4 | size << 16
    cases: dict[str, tuple[str, list[int]]] = {}
    for name in ["VADD_f32", "VMUL_f32", "VMAX_f32", "VDIV_f32", "VCMPV_GT_f32", "VADD_f16", "VADD_s32"]:
        cases[name] = (name, [d, a, b, CONTIGUOUS_BIN])
    for name in (*(f"V{op}_f32" for op in ("EXP", "LN", "SQRT", "RSQRT", "ABS")), *CONVERSIONS):
        if hasattr(lib, "tw_isa_" + name):
            cases[name] = (name, [d, a, CONTIGUOUS_UN])
    cases["load"] = ("MOV_OUT_TO_UB_ALIGN_b32_V220", [d, gm.ctypes.data, burst, 0])
    cases["store"] = ("MOV_UB_TO_OUT_ALIGN_b32_V220", [gm.ctypes.data, d, burst, 0])
    result: dict[str, float] = {}
    for label, (name, args) in cases.items():
        result[label] = ELEMENTS / measure(lib, name, args, 1.5) / 1e9
    view.view(np.uint64)[0] = b  # mask address of VSEL mode 2
    measure(lib, "SET_CMPMASK", [ub])
    result["VSEL_f32"] = ELEMENTS / measure(lib, "VSEL_f32_1", [d, a, b, CONTIGUOUS_BIN | 2 << 48]) / 1e9
    lib.tw_test_core_end(None, None, 0)
    level = lib.tw_emulator_level().decode()
    if options.json:
        json.dump(
            {"level": level, "giga_elements_per_s": {k: round(v, 3) for k, v in result.items()}},
            sys.stdout,
            indent=1,
        )
        print()
    else:
        print(f"level {level}, {ELEMENTS} elements, G elements/s on one thread")
        for label, speed in result.items():
            print(f"  {label:24} {speed:7.2f}")


if __name__ == "__main__":
    main()
