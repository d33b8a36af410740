"""The timing model, piece by piece, on instruction streams: queues, flags, banks, memory, intervals."""

from __future__ import annotations

import ctypes
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from device import Core
from tilewright import targets, timing
from tilewright.timing import profiles
from tilewright.timing.model import options

#: Round numbers, so that expected times can be written down.
ROUND = {
    "clock_mhz": 1000, "vector_cores": 40, "l2_bytes": 0, "l2_dirty_share": 1,
    "hbm_gb_s": 1000, "gm_read_efficiency": 1,
    "gm_mixed_efficiency": 1, "l2_gb_s": 1e6, "scalar_issue": 0, "vector_overhead": 24, "mask_floor": 16,
    "vector_tail": 5, "barrier": 1, "barrier_chain": 0, "flag": 7, "mte_descriptor": 20, "mte_burst": 8,
    "mte2_latency_gm": 100, "mte2_latency_l2": 50, "mte2_rate_gm": 50, "mte2_rate_l2": 80, "mte3_rate": 50,
    "mte3_latency": 60, "misaligned_rate": 0.5, "launch_fixed_us": 1, "launch_per_block_us": 0.5,
    "start_skew": 0, "latency_jitter": 0,
}  # fmt: skip
BLOCK = 32


def base(**values: float) -> timing.Profile:
    return profiles.profile("A2-calibration").replaced({**ROUND, **values})


def run(
    program: list[Any],
    cores: int = 1,
    footprint: dict[str, float] | None = None,
    values: dict[str, float] | None = None,
    **more: Any,
) -> dict[str, Any]:
    stream = {"programs": [program], "blocks": [[0, cores]], "footprint": footprint or {}}
    return timing.simulate(base(**(values or {})), stream, samples=more.pop("samples", 0), **more)


def cycles(program: list[Any], **more: Any) -> float:
    return float(run(program, **more)["cold"]["core_cycles"])


def operand(
    begin: int, write: bool = False, block_stride: int = 1, repeat_stride: int = 8, **more: int
) -> dict[str, int]:
    return {
        "write": int(write), "begin": begin, "block_stride": block_stride * BLOCK,
        "repeat_stride": repeat_stride * BLOCK, **more,
    }  # fmt: skip


def vector(repeats: int, *operands: dict[str, int], op: str = "VADD.f32", **more: Any) -> dict[str, Any]:
    return {"op": op, "repeats": repeats, "operands": list(operands), **more}


def work(*operands: dict[str, int], repeats: int = 4, op: str = "VADD.f32", **values: float) -> float:
    """Cycles of the repeats alone."""
    report = run([vector(repeats, *operands, op=op)], values=values)["cold"]
    return float(report["vector_cycles"]) - 24


# ---- queues, flags, barriers ---------------------------------------------------------------------


def test_a_load_takes_transfer_and_latency() -> None:
    assert cycles([{"load": 5000}]) == pytest.approx(5000 / 50 + 100)
    assert cycles([{"load": 4}]) == pytest.approx(20 + 100)
    assert cycles([{"load": 1024, "rows": 16}]) == pytest.approx(16 * 8 + 100)
    assert cycles([{"load": 5000, "misaligned": 1}]) == pytest.approx(5000 / 25 + 100)
    # The latency of queued transfers overlaps with the transfers behind them.
    assert cycles([{"load": 5000}, {"load": 5000}]) == pytest.approx(200 + 100)


def test_a_store_takes_transfer_and_latency() -> None:
    assert cycles([{"store": 5000}]) == pytest.approx(100 + 60)


def test_pipes_run_side_by_side_without_flags() -> None:
    together = cycles([{"load": 5000}, vector(100), {"store": 5000}])
    assert together == pytest.approx(max(200, 100 + 24 + 5, 160))


def test_flags_order_pipes() -> None:
    chain = [
        {"load": 5000}, {"set": ["MTE2", "V", 0]}, {"wait": ["MTE2", "V", 0]}, vector(100),
        {"set": ["V", "MTE3", 1]}, {"wait": ["V", "MTE3", 1]}, {"store": 5000},
    ]  # fmt: skip
    assert cycles(chain) == pytest.approx((200 + 7) + (24 + 100 + 5 + 7) + 160)


def test_a_wait_takes_the_oldest_set() -> None:
    program = [
        {"load": 5000}, {"set": ["MTE2", "V", 0]}, {"load": 5000}, {"set": ["MTE2", "V", 0]},
        {"wait": ["MTE2", "V", 0]}, vector(10),
    ]  # fmt: skip
    # The second load is not waited for: the addition ends before it.
    one = run([*program, {"wait": ["MTE2", "V", 0]}])["cold"]
    assert one["vector_cycles"] == pytest.approx(300 + 7)
    other = run([*program[:-1], {"wait": ["MTE2", "V", 0]}, vector(10)])["cold"]
    assert other["vector_cycles"] == pytest.approx(307 + 34)


def test_flags_of_the_scalar_unit_stop_it() -> None:
    program = [
        {"load": 5000}, {"set": ["MTE2", "S", 0]}, {"wait": ["MTE2", "S", 0]}, {"ub_accesses": 10},
        {"set": ["S", "MTE3", 0]}, {"wait": ["S", "MTE3", 0]}, {"store": 5000},
    ]  # fmt: skip
    assert cycles(program) == pytest.approx(207 + 10 * 10 + 7 + 160)


def test_a_missing_set_is_an_error() -> None:
    with pytest.raises(tw.ExecutionError, match="never set") as caught:
        run([{"wait": ["MTE2", "V", 0]}, vector(1)])
    assert caught.value.code == "TW4103"


def test_barriers() -> None:
    both = vector(100), vector(100)
    assert run([*both])["cold"]["vector_cycles"] == pytest.approx(248)
    assert run([both[0], {"barrier": "V"}, both[1]])["cold"]["vector_cycles"] == pytest.approx(248 + 5 + 1)
    # A full barrier drains every pipe before the scalar unit goes on.
    program = [{"load": 5000}, {"barrier": "ALL"}, vector(100)]
    assert cycles(program) == pytest.approx(200 + 1 + 24 + 100 + 5)
    # After little work the set-up of the next step shows.
    tiny = [vector(4), {"barrier": "V"}, vector(4)]
    assert run(tiny, values={"barrier_chain": 50})["cold"]["vector_cycles"] == pytest.approx(28 + 6 + 50 + 28)


def test_scalar_work() -> None:
    values = {"scalar_issue": 3.0, "scalar_instruction": 2.0, "scalar_gm_access": 100.0}
    program = [{"scalars": 4, "compiled": 5, "gm_accesses": 2}]
    assert cycles(program, values=values) == pytest.approx(4 * 3 + 5 * 2 + 2 * 100)
    # A slow scalar unit is the bound of many small instructions.
    assert cycles([{"loop": 100, "body": [vector(1)]}], values={"scalar_issue": 30}) >= 100 * 30


def test_the_queue_of_a_pipe_is_finite() -> None:
    program = [{"loop": 50, "body": [{"load": 5000}]}, vector(1)]
    deep, shallow = (cycles(program, values={"queue_depth": depth}) for depth in (64, 4))
    assert deep == pytest.approx(5000 + 100)
    assert shallow == pytest.approx(deep), "the end of the loads does not move"
    early, late = (run(program, values={"queue_depth": d})["cold"]["vector_cycles"] for d in (64, 4))
    assert early == pytest.approx(25)
    assert late > 4500, "the addition is issued when the queue has taken the last load"


def test_double_buffering_overlaps() -> None:
    def pipeline(slots: int, tiles: int = 40) -> list[Any]:
        program: list[Any] = [{"set": ["V", "MTE2", slot]} for slot in range(slots)]
        for tile in range(tiles):
            slot = tile % slots
            program += [
                {"wait": ["V", "MTE2", slot]}, {"load": 5000}, {"set": ["MTE2", "V", slot]},
                {"wait": ["MTE2", "V", slot]}, vector(176), {"set": ["V", "MTE2", slot]},
            ]  # fmt: skip
        return program

    serial, overlapped = cycles(pipeline(1)), cycles(pipeline(2))
    assert serial == pytest.approx(40 * (200 + 7 + 200 + 5 + 7), rel=0.02)
    assert overlapped < 0.62 * serial
    assert overlapped >= 40 * 200, "no pipe does more than its work"


# ---- banks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dst", "src0", "src1", "per_repeat"),
    [
        (0x20000, 0x0, 0x10100, 1),  # three bank groups apart from each other
        (0x10000, 0x0, 0x4000, 2),  # both sources in one bank
        (0x14100, 0x0, 0x10000, 2),  # in one group, in different banks
        (0x4000, 0x0, 0x10100, 1),  # the destination follows a source through its banks: the write is late
        (0x4080, 0x0, 0x10100, 2),  # it follows four blocks behind: half of the banks are read and written
    ],
)
def test_bank_conflicts(dst: int, src0: int, src1: int, per_repeat: int) -> None:
    assert work(operand(dst, True), operand(src0), operand(src1)) == pytest.approx(4 * per_repeat)


def test_block_strides_fold_an_operand_onto_few_groups() -> None:
    dst = operand(0x20000, True)
    for stride, per_repeat in ((1, 1), (8, 4), (16, 8), (3, 1), (0, 1)):
        found = work(dst, operand(0, block_stride=stride), op="VABS.f32")
        assert found == pytest.approx(4 * per_repeat), stride
    assert work(operand(0x20000, True, block_stride=16), operand(0), op="VABS.f32") == pytest.approx(4 * 8)


def test_a_source_without_repeat_stride_is_read_once() -> None:
    dst = operand(0x20000, True)
    # Both sources are in one bank group; the second is read in the first repeat only.
    assert work(dst, operand(0), operand(0x4000, repeat_stride=0)) == pytest.approx(2 + 3)


def test_partial_overlap_costs_what_overlaps() -> None:
    # The second source moves on by seven blocks a repeat: its groups drift away from those of the first.
    found = work(operand(0x20000, True), operand(0), operand(0x4000, blocks=2, repeat_stride=4), repeats=16)
    assert 16 < found < 32


def test_rates_and_their_rule() -> None:
    dst, a, b = operand(0x20000, True), operand(0), operand(0x10100)
    clash = operand(0x4000)
    assert work(dst, a, b, op="VDIV.f32") == pytest.approx(8)
    assert work(dst, a, clash, op="VDIV.f32") == pytest.approx(16), "rate times conflicts"
    assert work(dst, a, clash, op="VDIV.f32", bank_maximum=1) == pytest.approx(8)
    assert work(dst, a, op="VEXP.f16") == pytest.approx(16)
    assert work(dst, a, op="VCADD.f32.order") == pytest.approx(28)


def test_mask_floor_is_for_binary_instructions() -> None:
    for op, floor in (("VADD.f32", 16), ("VABS.f32", 0)):
        masked, full = (
            run([vector(4, op=op, masked=flag)])["cold"]["vector_cycles"] for flag in (1, 0)
        )  # fmt: skip
        assert masked - full == pytest.approx(floor)


def test_overhead_after_a_drain_only() -> None:
    body = [{"loop": 100, "body": [vector(10)]}]
    always = run(body)["cold"]["vector_cycles"]
    drained = run(body, values={"overhead_on_drain": 1})["cold"]["vector_cycles"]
    assert always == pytest.approx(3400)
    assert drained < 1100


def test_recorded_and_written_instructions_agree(lib: ctypes.CDLL) -> None:
    """An addition executed by the emulated core gives the step that the stream describes."""
    error = ctypes.create_string_buffer(600)
    for src1, per_repeat in ((0x4000, 2), (0x4100, 1)):
        core = Core(lib)
        code = lib.tw_test_core_observe(2, json.dumps(options(base(), samples=0)).encode(), error, 600)
        assert code == 0, error.value
        core.set_mask()
        word = 1 | 1 << 8 | 1 << 16 | 8 << 24 | 8 << 32 | 8 << 40 | 7 << 56
        core.ub[:] = 0
        core.call("VADD.f32", core.base + 0x20000, core.base, core.base + src1, word)
        report = ctypes.c_void_p()
        assert lib.tw_test_core_report(0, ctypes.byref(report)) == 0
        found = json.loads(ctypes.string_at(report.value or 0))
        lib.tw_free(report)
        core.end()
        assert found["cold"]["vector"] == {
            "overhead_cycles": 24, "mask_cycles": 0, "repeats": 7, "conflicts": 7 * (per_repeat - 1),
        }  # fmt: skip
        assert found["cold"]["vector_cycles"] == pytest.approx(24 + 7 * per_repeat)


# ---- shared memory -------------------------------------------------------------------------------


def test_cores_share_the_memory() -> None:
    # 1000 bytes a cycle for all, 50 for one: from 20 cores on the memory is the bound.
    for cores in (1, 10, 20, 40):
        found = cycles([{"load": 500_000}], cores=cores)
        assert found == pytest.approx(500_000 / min(50, 1000 / cores) + 100, rel=1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_sharing_conserves_bytes(seed: int) -> None:
    """However transfers interleave, every byte is moved once and never faster than memory or pipe allow."""
    random = np.random.default_rng(seed)

    def transfer() -> dict[str, int]:
        kind = ("load", "store")[int(random.integers(2))]
        return {kind: int(random.integers(1, 100_000)), "rows": int(random.integers(1, 9))}

    programs = [[transfer() for _ in range(int(random.integers(1, 12)))] for _ in range(12)]
    stream = {"programs": programs, "blocks": [[i, 1] for i in range(12)]}
    report = timing.simulate(base(hbm_gb_s=300), stream, samples=0)["cold"]
    loaded, stored = (
        [sum(step.get(kind, 0) for step in program) for program in programs] for kind in ("load", "store")
    )
    memory = report["memory"]
    assert memory["read_bytes"] == pytest.approx(sum(loaded), rel=1e-5)
    assert memory["written_bytes"] == pytest.approx(sum(stored), rel=1e-5)
    assert memory["memory_bytes"] == pytest.approx(sum(loaded) + sum(stored), rel=1e-5)
    longest = report["slowest_core_us"] * 1000
    assert longest >= (sum(loaded) + sum(stored)) / 300
    assert longest >= max(max(a, b) for a, b in zip(loaded, stored, strict=True)) / 50
    assert memory["utilisation"] <= 1 + 1e-6


def test_a_pool_that_is_not_exhausted_slows_nobody() -> None:
    alone = cycles([{"load": 50_000}])
    assert cycles([{"load": 50_000}], cores=20) == pytest.approx(alone)


def test_more_blocks_than_cores() -> None:
    one = cycles([{"load": 5000}], cores=4, values={"vector_cores": 4})
    three = cycles([{"load": 5000}], cores=12, values={"vector_cores": 4})
    assert three == pytest.approx(3 * one)
    many = run([{"load": 32}], cores=65536)
    assert many["blocks"] == 65536
    assert many["cold"]["us"] == pytest.approx(1 + 0.5 * 65536 + many["cold"]["slowest_core_us"])


def test_launch_cost() -> None:
    report = run([{"load": 5000}], cores=8)
    assert report["launch_us"] == pytest.approx(1 + 0.5 * 8)
    assert report["cold"]["us"] == pytest.approx(5 + 0.2)


def test_cold_and_warm() -> None:
    big = {"l2_bytes": 1e6}
    report = run([{"load": 50_000}], cores=8, footprint={"read": 400_000}, values=big)
    assert report["cold"]["memory"]["l2_hit"] == 0
    assert report["warm"]["memory"]["l2_hit"] == 1
    assert report["cold"]["core_cycles"] == pytest.approx(1000 + 100)
    assert report["warm"]["core_cycles"] == pytest.approx(50_000 / 80 + 50)
    part = run([{"load": 50_000}], footprint={"read": 750_000}, values=big)
    assert part["warm"]["memory"]["l2_hit"] == pytest.approx(0.5)
    over = run([{"load": 50_000}], footprint={"read": 1_100_000}, values=big)
    assert over["warm"] == over["cold"]


def test_l2_absorbs_stores_up_to_its_size() -> None:
    def stored(footprint: float, **values: float) -> float:
        report = run(
            [{"store": 50_000}],
            cores=40,
            footprint={"written": footprint},
            values={"l2_bytes": 1e6, **values},
        )
        return float(report["cold"]["memory"]["memory_bytes"])

    assert stored(500_000) == 0
    assert stored(2_000_000) == pytest.approx(40 * 50_000 / 2)
    assert stored(2_000_000, l2_dirty_share=0.25) == pytest.approx(40 * 50_000 * 7 / 8)
    assert stored(500_000, write_through=1) == pytest.approx(40 * 50_000)
    assert stored(500_000, l2_bytes=0) == pytest.approx(40 * 50_000)


def test_a_stored_byte_is_written_back_once() -> None:
    """However often the bytes beside it are loaded: they evict clean lines then."""
    program = [{"load": 50_000}] * 3 + [{"store": 50_000}]
    footprint = {"read": 2e6, "written": 2e6, "loaded": 6e6, "stored": 2e6}
    values = {"l2_bytes": 1e6, "l2_dirty_share": 0}
    memory = run(program, cores=40, footprint=footprint, values=values)["cold"]["memory"]
    assert memory["written_back"] == 1
    assert memory["memory_bytes"] == pytest.approx(6e6 + 2e6)


def test_mixed_traffic_reaches_less() -> None:
    values = {"gm_mixed_efficiency": 0.5}
    reads = run([{"load": 500}], footprint={"read": 1000}, values=values)["cold"]["memory"]["reachable_gb_s"]
    mixed = run([{"load": 500}], footprint={"read": 1000, "written": 500}, values=values)
    assert reads == pytest.approx(1000)
    assert mixed["cold"]["memory"]["reachable_gb_s"] == pytest.approx(500)
    # Four loads of every byte: a fifth of the traffic is stores.
    moved = {"read": 1000, "written": 1000, "loaded": 4000, "stored": 1000}
    again = run([{"load": 500}], footprint=moved, values=values)
    assert again["cold"]["memory"]["reachable_gb_s"] == pytest.approx(1000 * (1 - 0.5 * 3 / 5))


# ---- intervals and profiles ----------------------------------------------------------------------


def test_intervals_hold_the_value_and_follow_the_ranges() -> None:
    stream = {"programs": [[{"loop": 20, "body": [{"load": 20_000}, vector(100)]}]], "blocks": [[0, 40]]}
    uncertain = timing.profile("Ascend910B4")
    report = timing.simulate(uncertain, stream, samples=64)["cold"]
    assert report["low_us"] < report["us"] < report["high_us"]
    fixed = uncertain.replaced({name: c.value for name, c in uncertain.constants.items()})
    certain = timing.simulate(fixed, stream, samples=64)["cold"]
    assert certain["low_us"] == certain["us"] == certain["high_us"] == report["us"]
    again = timing.simulate(uncertain, stream, samples=64)["cold"]
    assert again == report, "equal seeds, equal intervals"
    assert timing.simulate(uncertain, stream, samples=64, seed=5)["cold"] != report


def test_representatives_give_nearly_the_interval_of_all_cores() -> None:
    stream = {"programs": [[{"loop": 50, "body": [{"load": 20_000}, vector(100)]}]], "blocks": [[0, 40]]}
    profile = timing.profile("Ascend910B4")
    full = timing.simulate(profile, stream, samples=24, sample_steps=10**9)["cold"]
    few = timing.simulate(profile, stream, samples=24, sample_steps=1)["cold"]
    for name in ("low_us", "high_us"):
        assert few[name] == pytest.approx(full[name], rel=0.08)


def test_sampled_times_are_listed_set_by_set() -> None:
    """With equal seeds entry i of two kernels is timed under the same constants."""
    profile = timing.profile("Ascend910B4")
    short = {"programs": [[{"loop": 5, "body": [{"load": 20_000}, vector(100)]}]], "blocks": [[0, 40]]}
    long = {"programs": [[{"loop": 500, "body": [{"load": 20_000}, vector(100)]}]], "blocks": [[0, 40]]}
    times = {
        name: timing.simulate(profile, stream, samples=24, sample_times=1)["cold"]["sample_us"]
        for name, stream in (("short", short), ("long", long))
    }
    assert len(times["short"]) == len(times["long"]) == 24, "also where representatives would be used"
    assert times["short"] != sorted(times["short"]), "in the order of the sets"
    assert all(a < b for a, b in zip(times["short"], times["long"], strict=True))
    clocks = profile.replaced({n: c.value for n, c in profile.constants.items() if n != "launch_fixed_us"})
    a, b = (
        timing.simulate(clocks, s, samples=24, sample_times=1)["cold"]["sample_us"] for s in (short, long)
    )
    gaps = [y - x for x, y in zip(a, b, strict=True)]
    assert max(gaps) - min(gaps) < 1e-3 * max(gaps), "the launch is the same in each pair"
    assert "sample_us" not in timing.simulate(profile, short, samples=24)["cold"]
    with pytest.raises(tw.ExecutionError, match="sample_times"):
        timing.simulate(profile, short, sample_times=2)


@pytest.mark.parametrize("target", targets.names())
def test_every_target_has_a_profile(target: str) -> None:
    found = timing.profile(target)
    entry = targets.get(target)
    assert found.name == target
    assert found.value("vector_cores") == entry.vector_cores
    if entry.clock_mhz:
        assert found.value("clock_mhz") == entry.clock_mhz
        assert found.value("l2_bytes") == entry.l2_bytes
        low, high = entry.hbm_peak_gb_s
        assert low <= found.value("hbm_gb_s") <= high
    assert all(c.source and c.unit for c in found.constants.values())
    report = timing.simulate(found, {"programs": [[{"load": 1 << 20}]], "blocks": [[0, 8]]}, samples=4)
    assert report["modelled"] is True
    assert report["cold"]["us"] > 0


def test_damaged_profiles(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    good = {"value": 1, "low": 1, "high": 2, "unit": "u", "confidence": "L", "source": "s"}
    for text in (
        "{", "[]", '{"format": 2}', json.dumps({"format": 1, "extends": "c220", "constants": {"flag": {}}}),
        json.dumps({"format": 1, "constants": {"flag": {**good, "low": 3}}}),
        json.dumps({"format": 1, "constants": {"flag": {**good, "confidence": "X"}}}),
    ):  # fmt: skip
        path.write_text(text)
        with pytest.raises(tw.UsageError) as caught:
            timing.profile(path)
        assert caught.value.code == "TW5201"
    path.write_text(
        json.dumps({"format": 1, "name": "mine", "extends": "Ascend910B4", "constants": {"flag": good}})
    )
    assert timing.profile(path).value("flag") == 1
    assert timing.profile(path).value("clock_mhz") == 1500
    with pytest.raises(tw.UsageError, match="vector_overhead") as caught:
        timing.profile(path).replaced({"vector_overheads": 3})
    assert caught.value.code == "TW5201"


@pytest.mark.parametrize(
    "stream",
    [
        {},
        {"programs": [[]], "blocks": []},
        {"programs": [[]], "blocks": [[1, 1]]},
        {"programs": [[{"nothing": 1}]], "blocks": [[0, 1]]},
        {"programs": [[{"op": "VNOPE.f32"}]], "blocks": [[0, 1]]},
        {"programs": [[{"set": ["MTE2", "X", 0]}]], "blocks": [[0, 1]]},
        {"programs": [[{"set": ["MTE2", "V", 8]}]], "blocks": [[0, 1]]},
        {"programs": [[{"load": -1}]], "blocks": [[0, 1]]},
        {"programs": [[{"loop": 1 << 40, "body": [{"load": 1}]}]], "blocks": [[0, 1]]},
    ],
)
def test_malformed_streams(stream: dict[str, Any]) -> None:
    with pytest.raises(tw.ExecutionError) as caught:
        timing.simulate(base(), stream, samples=0)
    assert caught.value.code == "TW4103"


def test_malformed_constants(lib: ctypes.CDLL) -> None:
    good = {**options(base()), "programs": [[]], "blocks": [[0, 1]]}
    error = ctypes.create_string_buffer(600)
    report = ctypes.c_void_p()

    def status(request: Any) -> int:
        code = int(lib.tw_timing_simulate(json.dumps(request).encode(), ctypes.byref(report), error, 600))
        lib.tw_free(report)
        return code

    assert status(good) == 0
    for change in (
        {"flag": -1}, {"flag": [2, 1, 1]}, {"flag": "x"}, {"clock_mhz": 0}, {"unknown": 1},
        {"queue_depth": 0},
    ):  # fmt: skip
        assert status({**good, "constants": {**good["constants"], **change}}) == 4003
        assert error.value
    assert status({**good, "samples": -1}) == 4003
    assert status({**good, "speed": 1}) == 4003
    assert status({**good, "rates": {"VADD": 1}}) == 4003
    assert status({"programs": [], "blocks": []}) == 4003
