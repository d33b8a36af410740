"""What the model says about one launch, for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tilewright.timing import profiles
from tilewright.timing.model import failed, options

if TYPE_CHECKING:
    from tilewright.binding import Binding
    from tilewright.kernel import Kernel
    from tilewright.timing.profiles import Profile

NOTE = "modelled estimate under published constants; nothing was measured on a device"

#: The memory counts as the bound when it is busy for this share of the time.
_SATURATED = 0.85
#: Below this share no pipe is the bound: the launch waits for latencies, flags and barriers.
_PIPE = 0.5


@dataclass(frozen=True)
class TimeReport:
    """Modelled time of one launch.

    Attributes:
        kernel: the kernel's name.
        profile: constants that were used.
        data: the model's report: ``cold`` and ``warm`` (data in memory, or in L2 as far as it fits), each
            with ``us``, ``low_us``, ``high_us`` (launch included; 5 to 95 % over the ranges of the
            constants), busy shares per pipe, bytes; and ``timeline`` if it was asked for.
    """

    kernel: str
    profile: Profile
    data: Mapping[str, Any]

    def us(self, cache: str = "cold") -> float:
        """Modelled microseconds, launch included."""
        return float(self.data[cache]["us"])

    def interval(self, cache: str = "cold") -> tuple[float, float]:
        """Modelled microseconds over the ranges of the constants (5 to 95 %)."""
        return float(self.data[cache]["low_us"]), float(self.data[cache]["high_us"])

    def bound(self, cache: str = "cold") -> str:
        """What limits the launch: memory, MTE2, VECTOR, MTE3, SCALAR, latency, or launch."""
        part = self.data[cache]
        if part["slowest_core_us"] < float(self.data["launch_us"]):
            return "launch"
        if part["memory"]["utilisation"] >= _SATURATED:
            return "memory"
        pipe, share = max(part["occupied"].items(), key=lambda item: item[1])
        return str(pipe) if share >= _PIPE else "latency"

    def parallelism(self, cache: str = "cold") -> float:
        """Mean number of the pipes VECTOR, MTE2, MTE3 at work; above 1 they overlap, 3 is the most."""
        occupied = self.data[cache]["occupied"]
        return float(occupied["VECTOR"] + occupied["MTE2"] + occupied["MTE3"])

    def roofline(self, cache: str = "cold") -> dict[str, float]:
        """Bytes moved and how their rate compares with the memory.

        Returns:
            ``bytes``: loaded and stored. ``gb_s``: their rate over the modelled time of the cores, in 1e9
            bytes a second. ``peak_gb_s``: the memory's published peak. ``of_peak``: their quotient (above 1
            when L2 serves). ``memory_floor_us``: bytes at peak rate, a lower bound for data outside L2.
        """
        part = self.data[cache]
        moved = float(part["memory"]["read_bytes"] + part["memory"]["written_bytes"])
        core_us, peak = float(part["slowest_core_us"]), self.profile.value("hbm_gb_s")
        rate = moved / core_us / 1e3 if core_us > 0 else 0.0
        return {
            "bytes": moved,
            "gb_s": rate,
            "peak_gb_s": peak,
            "of_peak": rate / peak,
            "memory_floor_us": moved / peak / 1e3,
        }

    def as_dict(self) -> dict[str, Any]:
        """Plain data without the timeline."""
        report = {key: value for key, value in self.data.items() if key not in ("timeline", "cold", "warm")}
        for cache in ("cold", "warm"):
            report[cache] = {
                **self.data[cache],
                "bound": self.bound(cache),
                "parallelism": self.parallelism(cache),
                "roofline": self.roofline(cache),
            }
        return {"kernel": self.kernel, "profile": self.profile.name, "note": NOTE, **report}

    def __str__(self) -> str:
        lines = [f"{self.kernel} on {self.profile.name}: {NOTE}"]
        for cache, where in (("cold", "data in memory"), ("warm", "data in L2 as far as it fits")):
            part, (low, high), roof = self.data[cache], self.interval(cache), self.roofline(cache)
            busy = ", ".join(f"{name} {share:.0%}" for name, share in part["busy"].items())
            lines += [
                f"  {cache} ({where}): modelled {self.us(cache):.2f} us, {low:.2f} to {high:.2f} us over the "
                f"constants' ranges, of it launch {self.data['launch_us']:.2f} us",
                f"    bound by {self.bound(cache)}; {self.parallelism(cache):.2f} of 3 pipes at work; busy "
                f"{busy}; memory {part['memory']['utilisation']:.0%}",
                f"    {roof['bytes']:.0f} bytes at {roof['gb_s']:.0f} GB/s, {roof['of_peak']:.0%} of the "
                f"peak of {roof['peak_gb_s']:.0f} GB/s",
            ]
        return "\n".join(lines)


def time_call(
    kernel: Kernel, binding: Binding, profile: Profile | None = None, threads: int | None = None, **more: Any
) -> TimeReport | None:
    """Run a bound call in time mode; None for an empty call, which launches nothing.

    Args:
        kernel, binding: the call.
        profile: constants; the target's own if None.
        threads: host threads.
        more: options of the time mode (emulator/timing/Report.h), for instance ``samples``, ``seed``,
            ``timeline_cores``.

    Raises:
        ExecutionError: the emulator's TW4nnn; TW4103 if the trace is too long for ``max_steps``.
    """
    from tilewright import runtime

    used = profiles.profile(kernel.target) if profile is None else profile
    launch, report = kernel.observe(binding, runtime.TIME, options(used, **more), threads)
    if launch is None:
        return None
    if "error" in report:
        raise failed(str(report.get("message", "no message")))
    return TimeReport(launch.binary.name, used, report)
