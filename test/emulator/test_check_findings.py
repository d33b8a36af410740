"""Check mode on hand-made instruction sequences: each finding where it belongs, none where it does not."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from checked import ALL, BINARY, MTE2, MTE3, UNARY, CheckedCore, S, V

from device import Array, EmulatorError


@pytest.fixture
def x() -> Array:
    return np.arange(4096, dtype=np.float32)


def whole(lib: ctypes.CDLL, x: Array, y: Array, *, skip: str = "", **options: object) -> CheckedCore:
    """Two rounds of load, add, store on one buffer each, with every flag it needs except ``skip``."""
    core = CheckedCore(lib, [(x, 1), (y, 3)], **options)

    def sync(source: int, target: int, name: str) -> None:
        if name != skip:
            core.sync(source, target)

    for turn in range(2):
        core.load(0, x, 64, at=64 * turn)
        sync(MTE2, V, "loaded")
        core.add(1024, 0, 0)
        sync(V, MTE2, "read")
        sync(V, MTE3, "computed")
        core.store(y, 1024, 64, at=64 * turn)
        sync(MTE3, V, "stored")
    core.set_mask()
    return core


@pytest.mark.parametrize(
    ("skip", "kind", "first", "second", "begin"),
    [
        ("", None, "", "", 0),
        ("loaded", "race_raw", "MTE2", "V", 0),
        ("read", "race_war", "V", "MTE2", 0),
        ("computed", "race_raw", "V", "MTE3", 1024),
        ("stored", "race_war", "MTE3", "V", 1024),
    ],
)
def test_pipes(
    lib: ctypes.CDLL, x: Array, skip: str, kind: str | None, first: str, second: str, begin: int
) -> None:
    y = np.zeros(4096, np.float32)
    findings = [f for f in whole(lib, x, y, skip=skip, v_barriers=False).report() if f["space"] == "UB"]
    if kind is None:
        assert findings == []
        return
    found = next(f for f in findings if f["kind"] == kind)
    assert (found["first"]["pipe"], found["second"]["pipe"]) == (first, second)
    assert (found["begin"], found["end"]) == (begin, begin + 256)
    assert found["severity"] == "hazard"
    assert f"PIPE_{first}, PIPE_{second}" in found["hint"]


def test_races_can_be_switched_off(lib: ctypes.CDLL, x: Array) -> None:
    y = np.zeros(4096, np.float32)
    assert whole(lib, x, y, skip="loaded", detect_races=False).report() == []


def test_only_common_bytes_race(lib: ctypes.CDLL, x: Array) -> None:
    """A load beside the bytes in use is free; one that shares a single element is not."""
    for at, expected in ((40, []), (32, ["race_war"])):
        core = CheckedCore(lib, [(x, 1)])
        core.fill(0, 9)  # bytes 0 .. 36 of V
        core.barrier(V)
        core.add(512, 0, 0, 9)
        core.load(at // 32 * 32 + (32 if at == 40 else 0), x, 8)
        kinds = core.kinds()
        assert [k for k in kinds if k == "race_war"] == expected


def test_both_write(lib: ctypes.CDLL, x: Array) -> None:
    core = CheckedCore(lib, [(x, 1)])
    core.fill(0)
    core.load(128, x, 8)
    findings = core.report()
    assert [f["kind"] for f in findings if f["severity"] == "hazard"] == ["race_waw"]
    assert (findings[0]["begin"], findings[0]["end"]) == (128, 160)


def test_flag_carries_what_its_pipe_knows(lib: ctypes.CDLL, x: Array) -> None:
    """MTE2 -> V -> MTE3: the store knows that the load is complete without a flag of its own."""
    y = np.zeros(64, np.float32)
    core = CheckedCore(lib, [(x, 1), (y, 2)])
    core.load(0, x, 64)
    core.sync(MTE2, V)
    core.sync(V, MTE3)
    core.store(y, 0, 64)
    assert core.kinds() == []


def test_wait_of_another_flag_does_not_help(lib: ctypes.CDLL, x: Array) -> None:
    core = CheckedCore(lib, [(x, 1)])
    core.set(MTE2, V, 1)
    core.load(0, x, 64)
    core.set(MTE2, V, 2)
    core.wait(MTE2, V, 1)
    core.add(1024, 0, 0)
    core.wait(MTE2, V, 2)
    core.set_mask()
    assert core.kinds() == ["race_raw"]


def test_scalar_pipe_passes_it_on(lib: ctypes.CDLL, x: Array) -> None:
    """What S waited for holds for everything that it issues afterwards."""
    core = CheckedCore(lib, [(x, 1)])
    core.load(0, x, 64)
    core.sync(MTE2, S)
    core.add(1024, 0, 0)
    core.set_mask()
    assert core.kinds() == []


def test_barriers(lib: ctypes.CDLL, x: Array) -> None:
    for pipe, expected in ((ALL, []), (V, ["race_raw"]), (MTE2, ["race_raw"])):
        core = CheckedCore(lib, [(x, 1)])
        core.load(0, x, 64)
        core.barrier(pipe)
        core.add(1024, 0, 0)
        core.set_mask()
        assert core.kinds() == expected


def test_vector_barriers(lib: ctypes.CDLL) -> None:
    for barrier, option, expected in ((True, True, []), (False, True, ["race_raw"]), (False, False, [])):
        core = CheckedCore(lib, v_barriers=option)
        core.fill(0)
        if barrier:
            core.barrier(V)
        core.add(1024, 0, 0)
        core.set_mask()
        assert core.kinds() == expected


def test_overlapping_stores(lib: ctypes.CDLL) -> None:
    y = np.zeros(256, np.float32)
    for at, barrier, option, expected in (
        (32, False, True, ["race_waw"]),
        (32, True, True, []),
        (64, False, True, []),
        (32, False, False, []),
    ):
        core = CheckedCore(lib, [(y, 2)], dma_barriers=option)
        core.fill(0)
        core.sync(V, MTE3)
        core.store(y, 0, 64)
        if barrier:
            core.barrier(MTE3)
        core.store(y, 0, 64, at=at)
        core.set_mask()
        findings = [f for f in core.report() if f["kind"] != "gm_not_written"]
        assert [f["kind"] for f in findings] == expected
        if expected:
            assert (findings[0]["space"], findings[0]["begin"], findings[0]["end"]) == ("GM", 128, 256)
            assert "pipe_barrier[PIPE_MTE3]" in findings[0]["hint"]


def test_gm_between_pipes(lib: ctypes.CDLL, x: Array) -> None:
    """A load of what the block stored before."""
    for synced, expected in ((False, ["race_raw"]), (True, [])):
        core = CheckedCore(lib, [(x, 3)])
        core.fill(0)
        core.sync(V, MTE3)
        core.store(x, 0, 64, at=100)
        if synced:
            core.sync(MTE3, MTE2)
        core.load(4096, x, 8, at=163)
        core.set_mask()
        assert core.kinds() == expected


def test_unwritten_bytes_matter_when_they_are_stored(lib: ctypes.CDLL) -> None:
    y = np.zeros(64, np.float32)
    for stored, expected in ((32, []), (33, ["uninitialized_read"])):
        core = CheckedCore(lib, [(y, 3)])
        core.fill(0, 32)
        core.barrier(V)
        core.add(1024, 0, 0, 64)  # half of the lanes have no value
        core.sync(V, MTE3)
        core.store(y, 1024, stored)
        core.set_mask()
        findings = core.report()
        assert [f["kind"] for f in findings] == expected
        if expected:
            assert (findings[0]["begin"], findings[0]["end"]) == (1024 + 128, 1024 + 132)
    core = CheckedCore(lib, [(y, 3)], uninitialized_reads=False)
    core.store(y, 0, 64)
    assert core.kinds() == []


def test_fill_after_a_row_has_no_value(lib: ctypes.CDLL, x: Array) -> None:
    y = np.zeros(64, np.float32)
    for length, expected in ((5, []), (6, ["uninitialized_read"])):
        core = CheckedCore(lib, [(x, 1), (y, 3)])
        core.load(0, x, 5, rows=3)
        core.sync(MTE2, MTE3)
        core.store(y, 32, length)
        findings = core.report()
        assert [f["kind"] for f in findings] == expected
        if expected:
            assert findings[0]["first"]["pipe"] == "MTE2"


def test_masked_lanes_are_not_written(lib: ctypes.CDLL) -> None:
    y = np.zeros(64, np.float32)
    for mask, count in (((1 << 64) - 1, 0), (0x5555_5555_5555_5555, 1), ((1 << 20) - 1, 1)):
        core = CheckedCore(lib, [(y, 3)])
        core.set_mask(mask=mask)
        core.call("MOVEV.f32", core.base, 1 | 8 << 32 | 1 << 56)
        core.set_mask()
        core.sync(V, MTE3)
        core.store(y, 0, 64)
        assert [k for k in core.kinds() if k == "uninitialized_read"] == ["uninitialized_read"] * count


def test_reduction_passes_missing_values_on(lib: ctypes.CDLL) -> None:
    """The sum of a repeat has no value when one of its lanes has none; it matters when it is stored."""
    y = np.zeros(8, np.float32)
    for stored, expected in ((1, []), (2, ["uninitialized_read"])):
        core = CheckedCore(lib, [(y, 3)])
        core.fill(0, 64 + 40)
        core.barrier(V)
        core.set_mask(mask=(1 << 64) - 1)
        core.call("VCADD.f32.order", core.base + 1024, core.base, 1 | 1 << 16 | 8 << 32 | 2 << 56, 0)
        core.set_mask()
        core.sync(V, MTE3)
        core.store(y, 1024, stored)
        findings = core.report()
        assert [f["kind"] for f in findings] == expected
        if expected:
            assert (findings[0]["begin"], findings[0]["end"]) == (1028, 1032)


def test_selection_takes_one_source(lib: ctypes.CDLL) -> None:
    """Lanes of the source that is not there do no harm; V may also overwrite what it has read."""
    y = np.zeros(64, np.float32)
    core = CheckedCore(lib, [(y, 3)])
    core.fill(0)
    core.fill(256)
    core.barrier(V)
    core.set_mask(mask=(1 << 64) - 1)
    core.call("VSEL.f32.1", core.base + 1024, core.base, core.base + 4096, BINARY)
    core.set_mask()
    core.fill(0)
    core.set_mask()
    core.sync(V, MTE3)
    core.store(y, 1024, 64)
    assert core.kinds() == []


def test_scalar_stores_count_as_written(lib: ctypes.CDLL) -> None:
    y = np.zeros(64, np.float32)
    core = CheckedCore(lib, [(y, 3)])
    core.ub[:32] = 5
    core.store(y, 0, 8)
    assert core.kinds() == []


def test_flags(lib: ctypes.CDLL) -> None:
    core = CheckedCore(lib)
    core.set(MTE2, V, 3)
    core.set(MTE2, V, 3)
    core.wait(MTE2, V, 3)
    core.wait(MTE2, V, 3)
    findings = core.report()
    assert [f["kind"] for f in findings] == ["flag_overfull"]
    assert findings[0]["flag"] == {"source": "MTE2", "destination": "V", "id": 3}

    core = CheckedCore(lib)
    core.set(V, MTE3, 2)
    findings = core.report()
    assert [f["kind"] for f in findings] == ["flag_left_set"]
    assert findings[0]["flag"] == {"source": "V", "destination": "MTE3", "id": 2}

    core = CheckedCore(lib)
    core.set(V, MTE3, 2)
    core.wait(V, MTE3, 2)
    assert core.kinds() == []


def test_deadlock_is_reported(lib: ctypes.CDLL) -> None:
    core = CheckedCore(lib)
    core.set(MTE2, V, 1)
    core.try_call("WAIT.FLAG.IMM", MTE2, V, 0)
    assert core.failed == 4013
    findings = core.report()
    assert [f["kind"] for f in findings] == ["wait_without_set"]
    assert "pipe V waits for flag MTE2->V id 0" in findings[0]["message"]
    assert "MTE2->V id 1" in findings[0]["message"]


def test_reserved_ids(lib: ctypes.CDLL) -> None:
    """The library sets and waits for id 7 by itself; a flag held over that call is set twice."""
    core = CheckedCore(lib)
    core.set(V, S, 7)
    core.sync(V, S, 7)  # as inside a library function
    core.wait(V, S, 7)
    assert core.kinds()[0] == "reserved_event"
    core = CheckedCore(lib)
    core.set(V, S, 7)
    core.fill(0)
    core.wait(V, S, 7)
    core.set_mask()
    assert core.kinds() == ["reserved_event_held"]
    core = CheckedCore(lib, lints=False)
    core.set(V, S, 7)
    core.fill(0)
    core.wait(V, S, 7)
    assert core.kinds() == []


def test_bounds(lib: ctypes.CDLL, x: Array) -> None:
    core = CheckedCore(lib, [(x, 1)])
    core.try_call("VADD.f32", core.base + (192 << 10) - 32, core.base, core.base, BINARY)
    assert core.failed == 4011
    assert "ub_bounds" in core.kinds()
    core = CheckedCore(lib, [(x, 1)])
    core.try_call(
        "MOV.OUT.TO.UB.ALIGN.b32.V220", core.base, x.ctypes.data + x.nbytes - 4, 1 << 4 | 8 << 16, 0
    )
    assert core.failed == 4010
    findings = core.report()
    assert [f["kind"] for f in findings] == ["gm_bounds"]
    assert findings[0]["second"]["instruction"] == "MOV.OUT.TO.UB.ALIGN.b32.V220"


def test_other_errors_are_findings(lib: ctypes.CDLL) -> None:
    core = CheckedCore(lib)
    core.try_call("TRAP")
    findings = core.report()
    assert [f["kind"] for f in findings] == ["stopped"]
    assert "TW4014" in findings[0]["message"]


def test_alignment(lib: ctypes.CDLL, x: Array) -> None:
    for option, expected in ((True, ["misaligned"]), (False, [])):
        core = CheckedCore(lib, [(x, 1)], alignment=option)
        core.load(16, x, 64)
        assert core.kinds() == expected
    core = CheckedCore(lib)
    core.fill(0)
    core.barrier(V)
    core.set_mask(mask=(1 << 64) - 1)
    core.call("VCADD.f32.order", core.base + 1028, core.base, 1 | 1 << 16 | 8 << 32 | 1 << 56, 0)
    core.set_mask()
    assert core.kinds() == []  # results of a reduction are aligned to elements


def test_mask_of_the_other_mode(lib: ctypes.CDLL) -> None:
    core = CheckedCore(lib)
    core.fill(0)
    core.call("SET.CTRL", core.call("GET.CTRL") & ~(1 << 56))  # the count is left in the mask
    core.barrier(V)
    core.call("VEXP.f32", core.base + 1024, core.base, UNARY)
    assert core.kinds() == ["mask_mode"]
    core = CheckedCore(lib)
    core.fill(0)
    core.set_mask(mask=(1 << 64) - 1)
    core.barrier(V)
    core.call("VEXP.f32", core.base + 1024, core.base, UNARY)
    core.set_mask()
    assert core.kinds() == []


def test_counter_mode_left_on(lib: ctypes.CDLL) -> None:
    core = CheckedCore(lib)
    core.fill(0)
    assert core.kinds() == ["mask_left_set"]


def test_select_scratch(lib: ctypes.CDLL, x: Array) -> None:
    for top, expected in ((184 << 10, ["select_scratch"]), ((184 << 10) - 256, [])):
        core = CheckedCore(lib, [(x, 1)], select_scratch=True)
        core.load(top, x, 64)
        core.fill(0)
        core.barrier(V)
        core.call("SET.CMPMASK", core.base)
        core.set_mask(mask=(1 << 64) - 1)
        core.call("VSEL.f32.1", core.base + 1024, core.base, core.base, BINARY | 1 << 48)
        core.set_mask()
        assert core.kinds() == expected


def test_equal_findings_are_counted(lib: ctypes.CDLL, x: Array) -> None:
    core = CheckedCore(lib, [(x, 1)], v_barriers=False)
    for _ in range(5):
        core.load(0, x, 64)
        core.add(1024, 0, 0)
        core.barrier(ALL)
    core.set_mask()
    findings = core.report()
    assert [(f["kind"], f["count"]) for f in findings] == [("race_raw", 5)]


def test_options_are_checked(lib: ctypes.CDLL) -> None:
    for options, text in (
        ({"detect_race": True}, "unknown check option detect_race"),
        ({"detect_races": 1}, "takes true or false"),
        ({"uninitialized_memory": "five"}, '"nan" or "zero"'),
        ({"max_findings": 0}, "from 1 to"),
        ({"out_of_bounds_reads": "ignore"}, '"raise" only'),
    ):
        with pytest.raises(EmulatorError, match=text) as caught:
            CheckedCore(lib, **options)
        assert caught.value.code == 4003


def test_fresh_memory(lib: ctypes.CDLL) -> None:
    assert (CheckedCore(lib, uninitialized_memory="zero").ub == 0).all()
    core = CheckedCore(lib)
    assert np.isnan(core.ub.view(np.float32)).all()
    assert np.isnan(core.ub.view(np.float16)).all()
