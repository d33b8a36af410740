"""Check mode: run a kernel on the emulated device and report hazards.

The emulator follows the pipes of every core with vector clocks and keeps shadow memory of UB and GM, so it
finds what a run that happens to give right values hides: missing flags and barriers, bytes nobody wrote,
blocks that write the same memory.
Nothing here ran on a device.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from tilewright import runtime, symbols
from tilewright.errors import UsageError, nearest

if TYPE_CHECKING:
    import numpy.typing as npt

    from tilewright.binding import Binding
    from tilewright.kernel import Kernel

#: Option -> (default, meaning). Names are those of JAX Pallas' interpret parameters where one fits.
OPTIONS: Mapping[str, tuple[bool | int | str, str]] = {
    "detect_races": (True, "unordered accesses of two pipes of a core to the same bytes"),
    "detect_core_races": (True, "two blocks that use the same bytes of GM, one of them writing"),
    "uninitialized_reads": (True, "reads of UB bytes that nothing has written in the block"),
    "uninitialized_memory": ("nan", 'content of fresh UB: "nan" or "zero"'),
    "out_of_bounds_reads": ("raise", 'end the block with a finding; the only choice is "raise"'),
    "v_barriers": (True, "dependent vector instructions need a barrier of pipe V between them"),
    "dma_barriers": (True, "overlapping transfers of one pipe need a barrier or a round trip of flags"),
    "alignment": (True, "UB operands of transfers and vector instructions start at multiples of 32 bytes"),
    "wrong_results": (True, "results that differ from the float64 reference of the operator"),
    "select_scratch": (False, "lint UB use from 184 KiB on beside selections (Select of Ascend C)"),
    "lints": (True, "also observations that are no hazards by themselves"),
    "random_seed": (0, "start the blocks in a random order, another for every number; 0: by index"),
    "max_findings": (200, "findings in the report; the rest is only counted"),
    "num_cores_or_threads": (0, "host threads of the emulation, 0 for the kernel's own choice"),
}


#: Prefix of the entry points of the vector library.
_ENTRY = "_mlir_ciface_"

#: Options that the emulator does not know.
_OURS = ("num_cores_or_threads", "wrong_results")


@dataclass(frozen=True)
class Instruction:
    """An instruction of a finding.

    Attributes:
        name: after ``llvm.hivm.``, for example "VADD.f32".
        pipe: S, V, MTE2 or MTE3.
        function: function of the kernel object that contains it, or "".
        offset: bytes from the start of that function (of the object if ``function`` is empty).
        call: for an instruction of a library function, "function+offset" of the kernel's call, else "".
        location: "file:line", of the operator's definition, or of the module that was compiled; "" where the
            object has no line, or without llvm-symbolizer.
    """

    name: str
    pipe: str
    function: str = ""
    offset: int = 0
    location: str = ""
    call: str = ""

    def __str__(self) -> str:
        inside = f"{self.function}+{self.offset:#x}" if self.function else f"{self.offset:#x}"
        if self.location:
            library = f", in {inside.removeprefix(_ENTRY)}" if self.call else ""
            return f"{self.name} ({self.pipe}) at {self.location}{library}"
        called = f", called at {self.call}" if self.call else ""
        return f"{self.name} ({self.pipe}) at {inside}{called}"


@dataclass(frozen=True)
class Finding:
    """One hazard or lint.

    Attributes:
        kind: "race_raw", "race_war", "race_waw", "core_race", "wait_without_set", "flag_left_set",
            "flag_overfull", "reserved_event", "ub_bounds", "gm_bounds", "misaligned", "uninitialized_read",
            "mask_mode", "gm_not_written", "not_flushed", "api_misuse", "stopped", "wrong_result", or a lint:
            "select_scratch", "mask_left_set", "reserved_event_held".
        severity: "hazard" or "lint".
        message, hint: what is wrong, what to do.
        block: lowest block that shows it; ``other_block`` is the second one of a core race.
        count: executed pairs that were merged into this finding.
        space, begin, end: "UB" or "GM" and the byte range [begin, end) in UB, or in the GM allocation number
            ``allocation`` (by address); "" if there is none.
        flag: (source pipe, destination pipe, id) or None.
        first, second: the instructions in program order; None where there is only one.
    """

    kind: str
    severity: str
    message: str
    hint: str
    block: int
    count: int
    other_block: int | None = None
    space: str = ""
    begin: int = 0
    end: int = 0
    allocation: int | None = None
    flag: tuple[str, str, int] | None = None
    first: Instruction | None = None
    second: Instruction | None = None

    def __str__(self) -> str:
        lines = [f"{self.kind}: {self.message}"]
        if self.space:
            where = self.space if self.allocation is None else f"{self.space} allocation {self.allocation}"
            lines.append(f"  bytes [{self.begin}, {self.end}) of {where}")
        blocks = f"block {self.block}" + (f" and {self.other_block}" if self.other_block is not None else "")
        lines.append(f"  {blocks}, seen {self.count} times" if self.count > 1 else f"  {blocks}")
        lines += [f"  {word}: {i}" for word, i in (("first", self.first), ("second", self.second)) if i]
        return "\n".join([*lines, f"  hint: {self.hint}"])


@dataclass(frozen=True)
class Check:
    """The result of a checked run.

    Attributes:
        kernel: the kernel's name, "" for an empty call.
        blocks, instructions: what was executed.
        hazards, lints: numbers of distinct findings, also of those beyond ``max_findings``.
        findings: hazards first, in a fixed order.
        scalar_gm_accesses_unseen: kernel code accessed GM with scalar instructions, which are not checked.
    """

    kernel: str = ""
    blocks: int = 0
    instructions: int = 0
    hazards: int = 0
    lints: int = 0
    findings: tuple[Finding, ...] = field(default=())
    scalar_gm_accesses_unseen: bool = False

    @property
    def passed(self) -> bool:
        """True if there is no hazard (lints may be there)."""
        return self.hazards == 0

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for ``--json``."""
        from dataclasses import asdict

        return {"passed": self.passed, **asdict(self)}

    def __str__(self) -> str:
        head = (
            f"{self.kernel}: {self.hazards} hazards, {self.lints} lints in {self.instructions} instructions "
            f"of {self.blocks} blocks"
        )
        return "\n".join([head, *map(str, self.findings)])


def _instruction(data: Mapping[str, Any] | None, sources: symbols.Sources | None) -> Instruction | None:
    if data is None:
        return None
    name, pipe, offset = str(data["instruction"]), str(data["pipe"]), int(data.get("offset", 0))
    path = str(data.get("object", ""))
    if not path:
        return Instruction(name, pipe, "", offset)
    function, inside = symbols.symbols(path).find(offset)
    location = symbols.line(path, offset, sources)
    if "call" not in data:
        return Instruction(name, pipe, function, inside, location)
    # Functions of the compiler's library have no lines: then that of their call.
    at = int(data["call"])
    caller, distance = symbols.symbols(path).find(at)
    call = f"{caller}+{distance:#x}" if caller else f"{at:#x}"
    return Instruction(name, pipe, function, inside, location or symbols.line(path, at, sources), call)


def finding(data: Mapping[str, Any], sources: symbols.Sources | None = None) -> Finding:
    """A finding from the emulator's report; ``sources`` names the lines of the kernel object."""
    flag = data.get("flag")
    return Finding(
        str(data["kind"]),
        str(data["severity"]),
        str(data["message"]),
        str(data["hint"]),
        int(data["block"]),
        int(data["count"]),
        data.get("other_block"),
        str(data.get("space", "")),
        int(data.get("begin", 0)),
        int(data.get("end", 0)),
        data.get("allocation"),
        None if flag is None else (str(flag["source"]), str(flag["destination"]), int(flag["id"])),
        _instruction(data["first"], sources),
        _instruction(data["second"], sources),
    )


def from_report(report: Mapping[str, Any], sources: symbols.Sources | None = None) -> Check:
    """A Check from the emulator's report; an empty report is that of an empty call."""
    if not report:
        return Check()
    findings: Sequence[Mapping[str, Any]] = report["findings"]
    places = [f[which] for f in findings for which in ("first", "second") if f[which]]
    for path in {str(p["object"]) for p in places if p.get("object")}:
        here = [p for p in places if p.get("object") == path]
        symbols.prepare(path, [int(p[at]) for p in here for at in ("offset", "call") if at in p])
    return Check(
        str(report["kernel"]),
        int(report["blocks"]),
        int(report["instructions"]),
        int(report["hazards"]),
        int(report["lints"]),
        tuple(finding(f, sources) for f in findings),
        bool(report["scalar_gm_accesses_unseen"]),
    )


def emulator_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options for the emulator, checked.

    Raises:
        UsageError: TW5008 for an unknown name or a value of the wrong type.
    """
    for name, value in options.items():
        number = value if isinstance(value, int) else 0
        if name not in OPTIONS:
            raise UsageError("TW5008", f"check mode has no option {name!r}", hint=nearest(name, OPTIONS))
        default = OPTIONS[name][0]
        if type(value) is not type(default):
            raise UsageError(
                "TW5008",
                f"check option {name} is {value!r}",
                expected=f"a {type(default).__name__}: {OPTIONS[name][1]}",
            )
        if name == "uninitialized_memory" and value not in ("nan", "zero"):
            raise UsageError("TW5008", f"check option {name} is {value!r}", expected='"nan" or "zero"')
        if name == "out_of_bounds_reads" and value != "raise":
            raise UsageError("TW5008", f"check option {name} is {value!r}", expected='"raise"')
        if name == "max_findings" and not 1 <= number <= 100_000:
            raise UsageError("TW5008", f"check option {name} is {value}", expected="1 to 100000")
        if name == "random_seed" and not 0 <= number < 1 << 63:
            raise UsageError("TW5008", f"check option {name} is {value}", expected="0 to 2^63 - 1")
        if name == "num_cores_or_threads" and not 0 <= number <= 4096:
            raise UsageError("TW5008", f"check option {name} is {value}", expected="0 to 4096")
    return {name: value for name, value in options.items() if name not in _OURS}


def wrong_results(binding: Binding, outputs: Sequence[npt.NDArray[Any]]) -> list[Finding]:
    """Results of a call that are not those of the operator's float64 reference.

    Hazards are about order and bytes; a buffer that is overwritten in a well-defined order before its last
    use only shows in the values.
    """
    from tilewright import compare, reference

    found: list[Finding] = []
    signature = binding.signature
    for i, (got, expected, spec) in enumerate(
        zip(outputs, reference.evaluate(binding), signature.outputs, strict=True)
    ):
        result = compare.compare(got, expected, spec.dtype)
        if not result.passed:
            found.append(
                Finding(
                    "wrong_result",
                    "hazard",
                    f"result {i} differs from the float64 reference: {result}",
                    "data in UB is overwritten before its last use, or an address or a size is wrong",
                    0,
                    result.bad,
                )
            )
    return found


def run(kernel: Kernel, binding: Binding, options: Mapping[str, Any]) -> Check:
    """Run a bound call in check mode.

    Raises:
        UsageError: TW5008 for a wrong option.
        CompileError: TW3nnn.
    """
    threads = options.get("num_cores_or_threads") or None
    outputs: list[npt.NDArray[Any]] = []
    _, report = kernel.observe(binding, runtime.CHECK, emulator_options(options), threads, outputs)
    sites = [node.site for node in binding.signature.variant.graph.nodes]
    result = from_report(report, symbols.graph_sources(sites))
    # The results of a stopped block are missing; its finding says why.
    stopped = {"wait_without_set", "ub_bounds", "gm_bounds", "stopped"} & {f.kind for f in result.findings}
    if not report or stopped or not options.get("wrong_results", True):
        return result
    wrong = wrong_results(binding, outputs)
    return replace(result, hazards=result.hazards + len(wrong), findings=(*wrong, *result.findings))
