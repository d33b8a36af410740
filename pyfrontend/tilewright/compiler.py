"""From one variant of an operator to a binary: cache, emission, passes, back end.

A binary serves every shape of its layout class, so it is looked up by (variant, layout class, target) only.
On a cache hit nothing here imports MLIR or starts a process.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tilewright import cache, identity, wheel
from tilewright.errors import CompileError, ExecutionError
from tilewright.layout import Layout
from tilewright.pipeline import PASSES, Lowered, pipeline, stage_name
from tilewright.plan import Capacity
from tilewright.plan_reduction import ReductionCapacity
from tilewright.targets import Target
from tilewright.toolchain import FINAL_MODULE, FLAGS, hivmc

if TYPE_CHECKING:
    from tilewright.definition import Variant
    from tilewright.runtime import LoadedKernel
    from tilewright.toolchain import Compilation


#: Parts of UB to try for kernels with reductions. Buffers of different passes share addresses there, and how
#: well AscendNPU-IR's planner packs them is known only afterwards.
UB_SHARES = (1.0, 0.94, 0.88, 0.8, 0.7)
UB_OVERFLOW = "TW3015"


class Statistics:
    """What the compiler did in this process; tests and warm-up code read it.

    Attributes:
        compilations: binaries that were compiled.
        cache_hits: binaries that were taken from the cache folder.
        seconds: wall-clock time of the compilations.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.reset()

    def count(self, *, hit: bool, seconds: float) -> None:
        """Add one binary."""
        with self._lock:
            self.compilations += not hit
            self.cache_hits += hit
            self.seconds += 0.0 if hit else seconds

    def reset(self) -> None:
        """Back to zero."""
        with self._lock:
            self.compilations, self.cache_hits, self.seconds = 0, 0, 0.0


statistics = Statistics()


class Binary:
    """A compiled variant.

    Attributes:
        key: content key, the binary's name in the cache.
        path: the kernel object.
        metadata: what the compiler recorded, see ``describe``.
        cache_hit: it came from the cache folder.
        seconds: time to get it, in this process.
    """

    def __init__(
        self, key: str, path: Path, metadata: Mapping[str, Any], cache_hit: bool, seconds: float
    ) -> None:
        self.key, self.path, self.metadata = key, path, metadata
        self.cache_hit, self.seconds = cache_hit, seconds

    @cached_property
    def name(self) -> str:
        """The kernel function's name."""
        return str(self.metadata["kernel"])

    @cached_property
    def arguments(self) -> tuple[str, ...]:
        """Meaning of each argument in order: "lock", "tensor:x", "scalar:s0", "tiling:tile", ..."""
        return tuple(self.metadata["arguments"])

    @cached_property
    def capacity(self) -> Capacity:
        """What the kernel can hold, for the planner."""
        return Capacity.from_attribute(self.metadata["plan"])

    @cached_property
    def reduction(self) -> ReductionCapacity:
        """What a kernel with reductions can hold, for its planner."""
        return ReductionCapacity.from_attribute(self.metadata["plan"])

    @cached_property
    def loaded(self) -> LoadedKernel:
        """The kernel on the emulated device, opened on first use.

        Raises:
            ExecutionError: TW4102 if the object is a device binary.
        """
        from tilewright.runtime import LoadedKernel

        if self.metadata["hivmc"] == "cann":
            raise ExecutionError(
                "TW4102",
                "the kernel was compiled by CANN's hivmc for a real device and cannot run here",
                hint="compile it with TILEWRIGHT_HIVMC=ours for the emulated device",
            )
        return LoadedKernel(self.path, self.name)


class Request(NamedTuple):
    """Everything a binary is determined by.

    Attributes:
        variant, layout, target: what is compiled.
        schedule: schedule of a kernel with reductions, else "".
        hivmc: the program that ends the compilation.
        tools: name -> identity of each tool.
    """

    variant: Variant
    layout: Layout
    target: Target
    hivmc: hivmc.Hivmc
    tools: Mapping[str, str]
    schedule: str = ""

    def parts(self) -> dict[str, str]:
        """Name -> text of all parts of the cache key."""
        return {
            "variant": self.variant.key,
            "graph": self.variant.text(),
            "layout": self.layout.text(),
            "target": self.target.name,
            "passes": " ".join(pipeline(self.target, self.schedule)),
            "flags": " ".join(FLAGS),
            **{f"tool {name}": value for name, value in self.tools.items()},
        }


def request(
    variant: Variant, layout: Layout, target: Target, hivmc_choice: str | None = None, schedule: str = ""
) -> Request:
    """A request with the tools of this environment. Raises TW3001..TW3010 if one of them is missing."""
    chosen = hivmc.choose(hivmc_choice)
    return Request(variant, layout, target, chosen, identity.tools(chosen, wheel.locate()), schedule)


class Built(NamedTuple):
    """A fresh compilation: the kernel, its description, and the text of the stages if they were asked for."""

    kernel: bytes
    metadata: dict[str, object]
    stages: dict[str, str]


def describe(asked: Request, lowered: Lowered, compiled: Compilation, seconds: float) -> dict[str, object]:
    """The metadata stored beside a kernel object."""
    from dataclasses import asdict

    module = compiled.module
    return {
        "operator": asked.variant.op.name,
        "variant": asked.variant.key,
        "layout": asked.layout.text(),
        "target": asked.target.name,
        "schedule": asked.schedule,
        "hivmc": asked.hivmc.kind,
        "kernel": lowered.name,
        "arguments": list(lowered.arguments),
        "plan": lowered.plan,
        "ub_bytes": module.ub_bytes,
        "ub_buffers": [asdict(buffer) for buffer in module.buffers],
        "synchronisation": asdict(module.synchronisation),
        "tools": dict(asked.tools),
        "compile_seconds": round(seconds, 4),
    }


def build(asked: Request, *, keep_stages: bool = False) -> Built:
    """Compile, without looking at the cache.

    Raises:
        CompileError: TW3nnn; the message names the stage and the failure bundle.
    """
    start = time.perf_counter()
    from tilewright import emit, pipeline
    from tilewright.toolchain import compile_hivm

    linalg = emit.linalg(asked.variant.graph, asked.layout)
    shares = UB_SHARES if asked.schedule else (1.0,)
    for share in shares:
        lowered = pipeline.lower(
            linalg,
            asked.target,
            schedule=asked.schedule,
            ub_share=share,
            keep_stages=keep_stages,
            versions=asked.tools,
        )
        try:
            compiled = compile_hivm(
                lowered.hivm,
                target=asked.target.name,
                hivmc_choice=str(asked.hivmc.path) if asked.hivmc.kind == "other" else asked.hivmc.kind,
                entries=[lowered.name],
                stages=lowered.stages or {stage_name(0, "linalg"): linalg},
                versions=asked.tools,
            )
        except CompileError as error:
            if error.code != UB_OVERFLOW or share == shares[-1]:
                raise
        else:
            break
    stages = dict(lowered.stages)
    if keep_stages:
        stages[f"{len(PASSES) + 2:02d}-{FINAL_MODULE}"] = compiled.module.text
    metadata = describe(asked, lowered, compiled, time.perf_counter() - start)
    return Built(compiled.kernel, metadata, stages)


def compile_variant(
    variant: Variant, layout: Layout, target: Target, *, hivmc_choice: str | None = None, schedule: str = ""
) -> Binary:
    """The binary of a variant: from the cache, or compiled and stored there.

    Raises:
        CompileError: TW3nnn, TW3040 among them if compiling is forbidden.
        UsageError: TW5001 if the cache folder cannot be written.
    """
    start = time.perf_counter()
    asked = request(variant, layout, target, hivmc_choice, schedule)

    def compile_now() -> cache.Built:
        built = build(asked)
        return cache.Built(built.kernel, built.metadata)

    entry = cache.opened().get(cache.make_key(asked.parts()), compile_now)
    seconds = time.perf_counter() - start
    statistics.count(hit=entry.hit, seconds=seconds)
    return Binary(entry.key, entry.kernel, cast("Mapping[str, Any]", entry.metadata), entry.hit, seconds)
