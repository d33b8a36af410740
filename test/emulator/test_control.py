"""Registers, flags, errors, and the table of instructions."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from device import Core, EmulatorError


def test_registers(lib: ctypes.CDLL) -> None:
    core = Core(lib, block=17)
    assert core.call("GET.CTRL") == 0
    rng = np.random.default_rng(0)
    for _ in range(200):
        word, bit = int(rng.integers(0, 1 << 63)), int(rng.integers(0, 64))
        assert core.call("SBITSET1", word, bit) == word | 1 << bit
        assert core.call("SBITSET0", word, bit) == word & ~(1 << bit)
        core.call("SET.CTRL", word)
        assert core.call("GET.CTRL") == word
    assert core.call("GET.BLOCK.IDX") == 17
    assert (core.call("GET.SUBBLOCKDIM"), core.call("GET.SUBBLOCKID")) == (1, 0)
    core.call("BARRIER", 6)
    core.call("DCCI", 0, 1)
    counters = core.end()
    assert counters.instructions == 1 + 200 * 4 + 5
    assert counters.vector_instructions == 0


def test_flags(lib: ctypes.CDLL) -> None:
    core = Core(lib, block=3)
    core.call("SET.FLAG.IMM", 4, 1, 5)
    core.call("WAIT.FLAG.IMM", 4, 1, 5)
    with pytest.raises(EmulatorError, match=r"block 3: WAIT.*MTE2->V id 5 was not set") as caught:
        core.call("WAIT.FLAG.IMM", 4, 1, 5)
    assert caught.value.code == 4013
    with pytest.raises(EmulatorError, match="does not exist"):
        core.call("SET.FLAG.IMM", 4, 1, 8)
    with pytest.raises(EmulatorError, match="does not exist"):
        core.call("SET.FLAG.IMM", 9, 1, 0)
    core.call("SET.FLAG.IMM", 1, 5, 2)
    with pytest.raises(EmulatorError, match=r"block 3: flag V->MTE3 id 2 is still set"):
        core.end()


@pytest.mark.parametrize(
    ("name", "args", "code", "text"),
    [
        ("TRAP", (), 4014, "TRAP"),
        ("get.sycl.fix.stack.object", (), 4015, "unsupported: returns a buffer of the device print service"),
        ("BARRIER", (9,), 4015, "BARRIER: unsupported"),
        ("MOVEMASK", (2, 0), 4015, "MOVEMASK: unsupported"),
        ("MOVEVA", (8, 0, 0, 0), 4015, "MOVEVA: unsupported"),
        ("S.VNCHWCONV.b16", (7, 0, 0), 4015, "VNCHWCONV"),
    ],
)
def test_errors(lib: ctypes.CDLL, name: str, args: tuple[int, ...], code: int, text: str) -> None:
    core = Core(lib)
    with pytest.raises(EmulatorError, match=text) as caught:
        core.call(name, *args)
    assert caught.value.code == code
    core.call("BARRIER", 6)  # the core is usable afterwards
    core.end()


def test_modes_without_meaning(lib: ctypes.CDLL) -> None:
    core = Core(lib)
    core.set_mask(counter=64)
    at = core.base
    word = 1 | 1 << 8 | 1 << 16 | 8 << 24 | 8 << 32 | 8 << 40
    for name, args in [
        ("VSEL.f32.1", (at, at, at, word | 3 << 48)),
        ("VCADD.f32.order", (at, at, 1 | 1 << 16 | 8 << 32, 2)),
        ("VCMAX.f32.order.v220", (at, at, 1 | 1 << 16 | 8 << 32, 4)),
        ("VSHR.s32", (at, at, 1, word, 1)),
        ("VMRGSORT.f32.V220", (at, 0, 0, 1 | 1 << 12)),
    ]:
        with pytest.raises(EmulatorError, match="unsupported") as caught:
            core.call(name, *args)
        assert caught.value.code == 4015
    core.set_mask(counter=1 << 30)
    with pytest.raises(EmulatorError, match="counter mode"):
        core.call("VADD.f32", at, at, at, word)
    core.end()


def test_faults(lib: ctypes.CDLL) -> None:
    """A wild pointer is an error of the block, not of the process; memcpy stands for scalar code."""
    core = Core(lib)
    libc = ctypes.CDLL(None)
    error = ctypes.create_string_buffer(512)
    for source, text in [(0x10, "unmapped memory at 0x10"), (core.base + (192 << 10), "UB byte 196608")]:
        args = (ctypes.c_uint64 * 6)(core.base, source, 8)
        function = ctypes.cast(libc.memcpy, ctypes.c_void_p)
        code = lib.tw_test_call(function, args, 3, 0, 1, None, error, 512)
        assert code == 4012
        assert text in error.value.decode()
    core.end()


def test_table(lib: ctypes.CDLL) -> None:
    names = [lib.tw_isa_name(i).decode() for i in range(lib.tw_isa_count())]
    assert len(names) == len(set(names)) == 237
    supported = [n for n in names if lib.tw_isa_supported(n.encode()) == 1]
    assert len(supported) >= 0.95 * len(names)
    for i, name in enumerate(names):
        assert hasattr(lib, "tw_isa_" + name.replace(".", "_")), name
        assert bool(lib.tw_isa_reason(i)) == (name not in supported)
    assert lib.tw_isa_supported(b"VADD.f64") == -1


def test_poison(lib: ctypes.CDLL) -> None:
    core = Core(lib)
    assert (core.ub == 0xFF).all()
    core.end()
