"""Published scenarios, replayed through the model: how far it is from what others measured.

A data folder holds up to four CSV files of published figures, like test/data/timing: ``case_studies.csv``,
``tadd_tile_cycles.csv``, ``pto_tile_cycles.csv``, ``operator_durations.csv``. Every row is turned into an
instruction stream from its own columns, so a folder with other rows of the same form works too. Rows that
need parts the model does not have (cube cores, unknown tile operations) are listed as not modelled.
"""

from __future__ import annotations

import csv
import json
import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilewright import native
from tilewright.errors import UsageError
from tilewright.timing import profiles
from tilewright.timing.model import simulate
from tilewright.timing.profiles import Profile

Row = Mapping[str, str]
Step = dict[str, Any]

FOLDER = "calibration"
BLOCK, REPEAT = 32, 256
#: Bounds of the protocol, as shares of the measured value.
BOUNDS = {"bank_conflict_ub": 0.10, "add_high_performance": 0.15, "tadd": 0.10}

_SIZES = {"half": 2, "bfloat16": 2, "int16": 2, "uint16": 2, "float": 4, "int32": 4, "uint32": 4}
_SUFFIX = {
    "half": "f16", "bfloat16": "f16", "int16": "s16", "uint16": "s16", "float": "f32", "int32": "s32",
    "uint32": "s32",
}  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """One published figure against the model.

    Attributes:
        group: file or suite, with the quantity.
        case: which row.
        measured, modelled: in ``unit``.
        unit: "us" or "cycles".
        bound: largest accepted relative error of this figure, None if it is only reported.
    """

    group: str
    case: str
    measured: float
    modelled: float
    unit: str
    bound: float | None = None

    @property
    def error(self) -> float:
        """Relative error, positive if the model is too slow."""
        return self.modelled / self.measured - 1

    @property
    def passed(self) -> bool:
        return self.bound is None or abs(self.error) <= self.bound


@dataclass(frozen=True)
class Skipped:
    """A row the model cannot replay, and why."""

    group: str
    case: str
    reason: str


@dataclass(frozen=True)
class Calibration:
    """All comparisons of a data folder."""

    folder: Path
    comparisons: Sequence[Comparison]
    skipped: Sequence[Skipped]

    def groups(self) -> dict[str, list[Comparison]]:
        found: dict[str, list[Comparison]] = {}
        for comparison in self.comparisons:
            found.setdefault(comparison.group, []).append(comparison)
        return found

    def summary(self) -> dict[str, dict[str, Any]]:
        """Mean and largest error of each group, and whether it is within its bound."""
        return {name: _summary(name, group) for name, group in self.groups().items()}

    @property
    def passed(self) -> bool:
        return all(part["passed"] for part in self.summary().values())


def _summary(name: str, group: Sequence[Comparison]) -> dict[str, Any]:
    errors = [abs(c.error) for c in group]
    mean_bound = BOUNDS["tadd"] if name.startswith("tadd_tile_cycles") else None
    passed = all(c.passed for c in group) and (mean_bound is None or statistics.fmean(errors) < mean_bound)
    return {
        "points": len(group),
        "mean_error": statistics.fmean(errors),
        "median_error": statistics.median(errors),
        "largest_error": max(errors),
        "bound": mean_bound if mean_bound is not None else group[0].bound,
        "bound_of": "mean" if mean_bound is not None else "each" if group[0].bound is not None else "none",
        "passed": passed,
    }


# ---- reading -------------------------------------------------------------------------------------


def default_folder() -> Path:
    """The figures that come with the package."""
    return native.root() / FOLDER


def _rows(folder: Path, name: str) -> list[Row]:
    path = folder / name
    if not path.exists():
        return []
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError("TW5202", f"the calibration data {path} cannot be read: {error}") from error


def _number(row: Row, name: str, otherwise: float | None = None) -> float:
    text = (row.get(name) or "").strip().split()
    if not text and otherwise is not None:
        return otherwise
    try:
        return float(int(text[0], 0)) if text[0].lower().startswith("0x") else float(text[0])
    except (IndexError, ValueError) as error:
        raise _UnusableError(f"column {name} is {row.get(name)!r}") from error


def _integer(row: Row, name: str, otherwise: int | None = None) -> int:
    return int(_number(row, name, otherwise))


def _address(row: Row, name: str, otherwise: int) -> int:
    """A UB address, or a usual one where the row has none that can be read."""
    try:
        return _integer(row, name, otherwise)
    except _UnusableError:
        return otherwise


class _UnusableError(Exception):
    """This row cannot be replayed; the text says why."""


# ---- instruction streams -------------------------------------------------------------------------


def _operand(
    begin: int, write: bool, *, blocks: int = 8, block_stride: int = 1, repeat_stride: int = 8
) -> dict[str, int]:
    """Strides in blocks of 32 bytes."""
    return {
        "write": int(write), "begin": begin, "blocks": blocks,
        "block_stride": block_stride * BLOCK, "repeat_stride": repeat_stride * BLOCK,
    }  # fmt: skip


def _binary(
    op: str, repeats: int, src0: int, src1: int, dst: int, blocks: int = 8, masked: bool = False
) -> Step:
    return {
        "op": op, "repeats": repeats, "masked": int(masked),
        "operands": [_operand(dst, True, blocks=blocks), _operand(src0, False, blocks=blocks),
                     _operand(src1, False, blocks=blocks)],
    }  # fmt: skip


def _stream(
    programs: Sequence[Sequence[Step]],
    blocks: Sequence[tuple[int, int]],
    read: float = 0,
    written: float = 0,
    streamed: float = 0,
) -> dict[str, Any]:
    return {
        "programs": programs,
        "blocks": [list(b) for b in blocks if b[1]],
        "footprint": {"read": read, "written": written, "streamed": streamed},
    }


def _run(profile: Profile, stream: Mapping[str, Any]) -> dict[str, Any]:
    cold: dict[str, Any] = simulate(profile, stream, samples=0, max_steps=1 << 28)["cold"]
    return cold


# ---- add_high_performance ------------------------------------------------------------------------


def _add_iteration(row: Row, elements: int, slot: int) -> list[Step]:
    """One iteration: two loads, an addition, a store, and the flags between them."""
    size = _SIZES[row["dtype"]]
    suffix = "_pong" if slot else ""
    src0, src1, dst = (
        _address(row, f"ub_{name}{suffix}", _address(row, f"ub_{name}", default) + slot * 0x18000)
        for name, default in (("src0", 0), ("src1", 0x8000), ("dst", 0x10000))
    )
    transfer = {"load": elements * size, "rows": 1, "misaligned": int(elements * size % 256 != 0)}
    if row.get("l2_hint_inputs", "default").strip() not in ("", "default"):
        transfer["streaming"] = 1
    compute = "S" if row.get("vec_op", "").strip() == "scalar" else "V"
    if compute == "S":
        # Per element: two loads and a store of UB, two conversions, the addition, and the loop.
        work: Step = {"ub_accesses": 3 * elements, "compiled": 4 * elements}
    else:
        work = _binary(f"VADD.{_SUFFIX[row['dtype']]}", math.ceil(elements * size / REPEAT), src0, src1, dst)
    return [
        {"wait": [compute, "MTE2", slot]},
        *[transfer] * _integer(row, "copies_in_per_iter", 2),
        {"set": ["MTE2", compute, slot]},
        {"wait": ["MTE2", compute, slot]},
        {"wait": ["MTE3", compute, slot]},
        work,
        {"set": [compute, "MTE2", slot]},
        {"set": [compute, "MTE3", slot]},
        {"wait": [compute, "MTE3", slot]},
        *[{"store": elements * size, "rows": 1}] * _integer(row, "copies_out_per_iter", 1),
        {"set": ["MTE3", compute, slot]},
    ]


def _add_program(row: Row, rows: int, columns: int) -> list[Step]:
    elements = _integer(row, "elems_per_copy")
    iterations, rest = divmod(rows * columns, elements)
    slots = 1 if row.get("buffering", "single").strip().lower().startswith("single") else 2
    compute = "S" if row.get("vec_op", "").strip() == "scalar" else "V"
    program: list[Step] = []
    for slot in range(slots):
        program += [{"set": [compute, "MTE2", slot]}, {"set": ["MTE3", compute, slot]}]
    round_ = [step for slot in range(slots) for step in _add_iteration(row, elements, slot)]
    program.append({"loop": iterations // slots, "body": round_})
    for slot in range(iterations % slots):
        program += _add_iteration(row, elements, slot)
    if rest:
        program += _add_iteration(row, rest, iterations % slots)
    for slot in range(slots):
        program += [{"wait": [compute, "MTE2", slot]}, {"wait": ["MTE3", compute, slot]}]
    return program


def _shape(text: str) -> list[int]:
    inner = text[text.index("[") + 1 : text.index("]")]
    return [int(part) for part in inner.replace(",", ";").split(";")]


def _add(row: Row, profile: Profile) -> list[Comparison]:
    rows, columns = _shape(row["tensor_shape"])
    blocks = _integer(row, "blocks")
    base, big = divmod(rows, blocks)
    size = _SIZES[row["dtype"]]
    programs = [_add_program(row, base + 1, columns), _add_program(row, base, columns)]
    moved = rows * columns * size
    streamed = 2 * moved if row.get("l2_hint_inputs", "default").strip() not in ("", "default") else 0
    report = _run(profile, _stream(programs, [(0, big), (1, blocks - big)], 2 * moved, moved, streamed))
    bound = BOUNDS["add_high_performance"]
    found = [
        Comparison("add_high_performance task", row["case"], _number(row, "task_duration_us"), report["us"],
                   "us", bound)
    ]  # fmt: skip
    quantities: list[tuple[str, str, float, float | None]] = [
        ("core_time_us", "core", report["core_us"], bound),
        ("vec_us", "vector", report["occupied"]["VECTOR"] * report["core_us"], None),
        ("mte2_us", "MTE2", report["busy"]["MTE2"] * report["core_us"], None),
        ("mte3_us", "MTE3", report["busy"]["MTE3"] * report["core_us"], None),
    ]
    for column, name, modelled, limit in quantities:
        if (row.get(column) or "").strip() and modelled > 0 and _number(row, column) > 1:
            found.append(
                Comparison(
                    f"add_high_performance {name}", row["case"], _number(row, column), modelled, "us", limit
                )
            )
    return found


# ---- data_copy -----------------------------------------------------------------------------------


def _copy(row: Row, profile: Profile) -> list[Comparison]:
    if row["core_type"].strip() != "AIV":
        raise _UnusableError("copies to L1 run on cube cores, which are not modelled")
    rows, columns = _shape(row["tensor_shape"])
    moved = rows * columns * _SIZES[row["dtype"]]
    blocks, size = _integer(row, "blocks"), _integer(row, "bytes_per_copy")
    length = _integer(row, "block_len_B", size)
    copies = moved // size
    base, big = divmod(copies, blocks)
    load: Step = {
        "load": size,
        "rows": _integer(row, "block_count", 1),
        "misaligned": int(length % 256 != 0 and length > 512),
    }
    programs = [[{"loop": base + 1, "body": [load]}], [{"loop": base, "body": [load]}]]
    report = _run(profile, _stream(programs, [(0, big), (1, blocks - big)], moved))
    found = [
        Comparison(f"{row['suite']} task", row["case"], _number(row, "task_duration_us"), report["us"], "us")
    ]
    if (row.get("mte2_us") or "").strip():
        modelled = report["busy"]["MTE2"] * report["core_us"]
        found.append(Comparison(f"{row['suite']} MTE2", row["case"], _number(row, "mte2_us"), modelled, "us"))
    return found


# ---- bank_conflict_ub ----------------------------------------------------------------------------

_OPS = {
    "add": "VADD", "sub": "VSUB", "mul": "VMUL", "max": "VMAX", "min": "VMIN", "div": "VDIV", "adds": "VADDS",
    "muls": "VMULS", "abs": "VABS", "exp": "VEXP", "ln": "VLN", "sqrt": "VSQRT", "relu": "VRELU",
}  # fmt: skip


def _bank(row: Row, profile: Profile) -> list[Comparison]:
    name = row["vec_op"].strip().lower()
    if name not in _OPS:
        raise _UnusableError(f"no instruction for {row['vec_op']}")
    size = _SIZES[row["dtype"]]
    lanes = _integer(row, "mask", REPEAT // size)
    blocks = math.ceil(lanes * size / BLOCK)
    operands = [
        _operand(
            _integer(row, f"ub_{operand}"), operand == "dst", blocks=blocks,
            block_stride=_integer(row, f"{operand}_blk_stride", 1),
            repeat_stride=_integer(row, f"{operand}_rep_stride", 8),
        )
        for operand in ("dst", "src0", "src1")
        if (row.get(f"ub_{operand}") or "").strip()
    ]  # fmt: skip
    step: Step = {
        "op": f"{_OPS[name]}.{_SUFFIX[row['dtype']]}", "repeats": _integer(row, "repeats"),
        "masked": int(lanes * size < REPEAT), "operands": operands,
    }  # fmt: skip
    body: Step = {"loop": _integer(row, "instructions", 1), "body": [step]}
    report = _run(profile, _stream([[body]], [(0, _integer(row, "blocks", 1))]))
    modelled = report["vector_cycles"] / profile.value("clock_mhz")
    measured = _number(row, "ticks_50MHz") / 50
    bound = BOUNDS["bank_conflict_ub"]
    return [Comparison("bank_conflict_ub", row["case"], measured, modelled, "us", bound)]


def _case_study(row: Row, profile: Profile) -> list[Comparison]:
    suites: dict[str, Callable[[Row, Profile], list[Comparison]]] = {
        "add_high_performance": _add, "bank_conflict_ub": _bank,
    }  # fmt: skip
    suite = row["suite"].strip()
    if suite in suites:
        return suites[suite](row, profile)
    if suite.startswith("data_copy"):
        return _copy(row, profile)
    raise _UnusableError("unknown suite")


# ---- tiles ---------------------------------------------------------------------------------------


def _tile_report(profile: Profile, steps: Sequence[Step]) -> float:
    """Cycles until the vector unit has executed the tile, mask set-up included."""
    return float(_run(profile, _stream([steps], [(0, 1)]))["vector_cycles"])


#: Setting the mode and the mask before a tile operation.
_MASK_SETUP: Step = {"scalars": 2}


def _tadd(row: Row, profile: Profile) -> list[Comparison]:
    size = _SIZES[row["dtype"]]
    width = _integer(row, "cols") * size
    repeats = _integer(row, "vec_block")
    # Every published point has its operands in one bank group.
    conflicts = _integer(row, "vec_bank_group_conflict", repeats) > 0
    src1 = 0x4000 if conflicts else 0x4100
    masked = width % REPEAT != 0
    blocks = 8 if not masked else max(1, math.ceil(min(width, REPEAT) / BLOCK))
    op = row.get("op", "TADD").strip()
    if op not in _TILES:
        raise _UnusableError(f"tile operation {op} is not replayed")
    step = _binary(f"{_TILES[op]}.{_SUFFIX[row['dtype']]}", repeats, 0, src1, 0x8000, blocks, masked)
    case = f"{row.get('series', '')} {row['dtype']} {row['rows']}x{row['cols']}".strip()
    modelled = _tile_report(profile, [{**step, **_MASK_SETUP}])
    return [Comparison("tadd_tile_cycles", case, _number(row, "vec_cycles"), modelled, "cycles")]


#: Tile operations that are one vector instruction.
_TILES = {
    "TADD": "VADD", "TSUB": "VSUB", "TMUL": "VMUL", "TDIV": "VDIV", "TMAX": "VMAX", "TMIN": "VMIN",
    "TADDS": "VADDS", "TSUBS": "VADDS", "TMULS": "VMULS", "TMAXS": "VMAXS", "TMINS": "VMINS", "TABS": "VABS",
    "TEXP": "VEXP", "TLOG": "VLN", "TSQRT": "VSQRT", "TRSQRT": "VRSQRT", "TRELU": "VRELU", "TNOT": "VNOT",
    "TAND": "VAND", "TOR": "VOR", "TRECIP": "VREC",
}  # fmt: skip
_BINARY = {"VADD", "VSUB", "VMUL", "VDIV", "VMAX", "VMIN", "VAND", "VOR"}
#: Instructions that exist for 16-bit words only.
_WORDS = {"VNOT", "VAND", "VOR"}


def _addresses(text: str) -> dict[str, int]:
    return {name: int(value, 0) for name, value in (part.split("=") for part in text.split())}


def _pto(row: Row, profile: Profile) -> list[Comparison]:
    if (row.get("implausible") or "").strip():
        raise _UnusableError("fewer cycles than repeats: not a measurement of this operation")
    op = row["op"].strip()
    if op not in _TILES:
        raise _UnusableError(f"tile operation {op} is not one vector instruction")
    name, type_ = _TILES[op], row["in_dtype"].strip()
    suffix = "s16" if name in _WORDS else _SUFFIX.get(type_, "")
    repeats = _integer(row, "min_repeats_256B")
    at = _addresses(row.get("local_addresses") or "")
    source = at.get("src0Tile", at.get("srcTile", 0))
    operands = [_operand(at.get("dstTile", 0x8000), True), _operand(source, False)]
    if name in _BINARY:
        operands.append(_operand(at.get("src1Tile", 0x4000), False))
    step: Step = {"op": f"{name}.{suffix}", "repeats": repeats, "operands": operands}
    isolated = max(
        (
            rate["isolated"]
            for prefix, rate in profiles.rates().items()
            if name == prefix and "isolated" in rate
        ),
        default=0.0,
    )
    start = max(0.0, isolated - profile.value("vector_overhead"))
    modelled = _tile_report(profile, [step]) + start
    case = f"{op} {row['case']}"
    return [Comparison("pto_tile_cycles", case, _number(row, "expected_cycles"), modelled, "cycles")]


# ---- library operators ------------------------------------------------------------------------------

#: Library kernels are not ours and their tiling is not published: a plain double-buffered kernel stands for
#: them, so these figures are bounds to look at, not values to hit.
_LIBRARY_TILE = 8192
_LIBRARY = {"add": "VADD", "mul": "VMUL"}
_DEVICES = {"910B4-1": "Ascend910B4-1", "A3-die": "Ascend910_9382"}


def _library_program(elements: int, size: int, op: str) -> list[Step]:
    """Two slots of two inputs and an output; 16-bit floats are computed in f32."""
    program: list[Step] = []
    for slot in (0, 1):
        program += [{"set": ["V", "MTE2", slot]}, {"set": ["MTE3", "V", slot]}]
    tiles = max(1, math.ceil(elements / _LIBRARY_TILE))
    for tile in range(tiles):
        slot, count = tile % 2, min(_LIBRARY_TILE, elements - tile * _LIBRARY_TILE)
        wide = math.ceil(count * 4 / REPEAT)
        work: list[Step] = [_binary(f"{op}.f32", wide, 0, 0x10100, 0x20000)]
        if size == 2:
            to_f32: Step = {"op": "VCONV.bf162f32.v220", "repeats": wide}
            work = [to_f32, to_f32, {"barrier": "V"}, *work, {"barrier": "V"},
                    {"op": "VCONV.f322bf16r.v220", "repeats": wide}]  # fmt: skip
        program += [
            {"wait": ["V", "MTE2", slot]},
            *[{"load": count * size, "rows": 1}] * 2,
            {"set": ["MTE2", "V", slot]},
            {"wait": ["MTE2", "V", slot]},
            {"wait": ["MTE3", "V", slot]},
            *work,
            {"set": ["V", "MTE2", slot]},
            {"set": ["V", "MTE3", slot]},
            {"wait": ["V", "MTE3", slot]},
            {"store": count * size, "rows": 1},
            {"set": ["MTE3", "V", slot]},
        ]
    for slot in (0, 1):
        program += [{"wait": ["V", "MTE2", slot]}, {"wait": ["MTE3", "V", slot]}]
    return program


def _library(row: Row, profile: Profile) -> list[Comparison]:
    op = row["op"].strip()
    device = _DEVICES.get(row["soc"].strip())
    if op not in _LIBRARY or device is None:
        raise _UnusableError("only add and mul of known devices are replayed")
    shapes, types = json.loads(row["inputs_shape"]), row["inputs_dtype"]
    size = 2 if "float16" in types else 4 if "float32" in types or "'float'" in types else 0
    if len(shapes) != 2 or shapes[0] != shapes[1] or not size or "int" in types:
        raise _UnusableError("broadcast, scalar or integer operands")
    elements, blocks = math.prod(shapes[0]), _integer(row, "block_dim")
    base, big = divmod(elements, blocks)
    programs = [_library_program(base + (1 if big else 0), size, _LIBRARY[op])]
    stream = _stream(programs, [(0, blocks)], 2 * elements * size, elements * size)
    report = simulate(profiles.profile(device), stream, samples=0)
    case = f"{op} {'x'.join(map(str, shapes[0]))} {blocks} blocks"
    measured = _number(row, "median_us")
    return [
        Comparison(f"library on {row['soc'].strip()}, {cache}", case, measured, report[cache]["us"], "us")
        for cache in ("cold", "warm")
    ]


# ---- all -----------------------------------------------------------------------------------------


def _replay(
    group: str, rows: Iterable[Row], case: Callable[[Row], str],
    replay: Callable[[Row, Profile], list[Comparison]], profile: Profile,
    found: list[Comparison], skipped: list[Skipped],
) -> None:  # fmt: skip
    for row in rows:
        try:
            found += replay(row, profile)
        except _UnusableError as error:
            skipped.append(Skipped(group, case(row), str(error)))
        except (KeyError, ValueError) as error:
            skipped.append(Skipped(group, case(row), f"the row is not of the known form ({error!r})"))


def calibrate(folder: Path | None = None, profile: Profile | None = None) -> Calibration:
    """Replay every row of a data folder.

    Args:
        folder: CSV files of published figures; the package's own if None.
        profile: constants; those of the part on which the case studies ran if None.

    Raises:
        UsageError: TW5202 if the folder has none of the files, or one cannot be read.
    """
    where = default_folder() if folder is None else folder
    used = profiles.profile(profiles.CALIBRATION) if profile is None else profile
    studies, tiles = _rows(where, "case_studies.csv"), _rows(where, "tadd_tile_cycles.csv")
    pto = _rows(where, "pto_tile_cycles.csv")
    if not (studies or tiles or pto):
        raise UsageError(
            "TW5202",
            f"the folder {where} has no calibration data",
            expected="case_studies.csv, tadd_tile_cycles.csv or pto_tile_cycles.csv",
        )
    found: list[Comparison] = []
    skipped: list[Skipped] = []
    _replay(
        "case_studies",
        studies,
        lambda r: f"{r.get('suite')} {r.get('case')}",
        _case_study,
        used,
        found,
        skipped,
    )
    _replay("tadd_tile_cycles", tiles, lambda r: f"{r.get('dtype')} {r.get('rows')}x{r.get('cols')}", _tadd,
            used, found, skipped)  # fmt: skip
    library = _rows(where, "operator_durations.csv")
    _replay("operator_durations", library, lambda r: f"{r.get('soc')} {r.get('op')} {r.get('inputs_shape')}",
            _library, used, found, skipped)  # fmt: skip
    _replay("pto_tile_cycles", pto, lambda r: f"{r.get('op')} {r.get('case')}", _pto, used, found, skipped)
    return Calibration(where, found, skipped)


def as_json(calibration: Calibration, profile: Profile) -> str:
    """The calibration as one JSON object."""
    return json.dumps(as_dict(calibration, profile), indent=2)


def as_dict(calibration: Calibration, profile: Profile) -> dict[str, Any]:
    """Plain data."""
    return {
        "note": "modelled, against figures that others published; this project measured nothing on a device",
        "profile": profile.name,
        "folder": str(calibration.folder),
        "passed": calibration.passed,
        "groups": calibration.summary(),
        "points": [
            {
                "group": c.group, "case": c.case, "unit": c.unit, "measured": c.measured,
                "modelled": round(c.modelled, 3), "error": round(c.error, 4), "bound": c.bound,
                "passed": c.passed,
            }
            for c in calibration.comparisons
        ],
        "skipped": [{"group": s.group, "case": s.case, "reason": s.reason} for s in calibration.skipped],
    }  # fmt: skip
