"""The one table of targets: used by the compiler, the planner, ``doctor`` and the documentation.

Core counts and memory sizes are those that ``bishengir-opt --hacc-append-device-spec=target=NAME`` of
ascendnpu-ir 1.2.0 prints (its sizes are in bits; here they are in bytes). L2, clock and HBM figures of the
910B parts come from the platform files of CANN 8.1.RC1 and from vendor documents, as collected in the timing
model's sources; rates are peak figures published by others, nothing here was measured by us, and 0 means that
no published figure is known. Parts without a published figure of their own are left at 0 instead of being
filled from a relative.
"""

from __future__ import annotations

from typing import NamedTuple

from tilewright.errors import UsageError, nearest

KIB = 1024
MIB = 1024 * KIB

UB_BYTES = 192 * KIB
#: Select with a tensor operand writes its mask table at UB offset 184 KiB (Ascend C documentation reserves 8
#: KiB).
UB_RESERVE_BYTES = 8 * KIB

_SPEC = "bishengir-opt 1.2.0 device spec"
_PLATFORM = "CANN 8.1.RC1 platform_config"


class Target(NamedTuple):
    """One device.

    Attributes:
        name: the name that ``bishengir-compile --target`` takes.
        vector_cores, cube_cores: number of cores of a device.
        ub_bytes: unified buffer of a vector core.
        ub_reserve_bytes: top of the unified buffer that plans leave free.
        ub_align_bytes: alignment of a UB buffer.
        clock_mhz: core clock, 0 if unknown.
        l2_bytes: L2 cache, 0 if unknown.
        hbm_bytes: device memory, 0 if unknown.
        hbm_peak_gb_s: published peak rate in 1e9 bytes a second as (low, high); (0, 0) if unknown.
        aliases: other spellings users may write; compared without case.
        sources: where the figures are from.
    """

    name: str
    vector_cores: int
    cube_cores: int
    ub_bytes: int = UB_BYTES
    ub_reserve_bytes: int = UB_RESERVE_BYTES
    ub_align_bytes: int = 32
    clock_mhz: int = 0
    l2_bytes: int = 0
    hbm_bytes: int = 0
    hbm_peak_gb_s: tuple[int, int] = (0, 0)
    aliases: tuple[str, ...] = ()
    sources: tuple[str, ...] = (_SPEC,)

    @property
    def ub_usable_bytes(self) -> int:
        """UB bytes a plan may use."""
        return self.ub_bytes - self.ub_reserve_bytes

    def as_dict(self) -> dict[str, object]:
        """Plain data for ``--json``."""
        return {**self._asdict(), "ub_usable_bytes": self.ub_usable_bytes}


def _b(
    suffix: str, pairs: int, clock: int, l2: int, hbm_gib: int, rate: tuple[int, int], rate_source: str
) -> Target:
    name = "Ascend910B" + suffix
    return Target(
        name=name,
        vector_cores=2 * pairs,
        cube_cores=pairs,
        clock_mhz=clock,
        l2_bytes=l2,
        hbm_bytes=hbm_gib * 1024 * MIB,
        hbm_peak_gb_s=rate,
        aliases=("910B" + suffix, "Ascend 910B" + suffix),
        sources=(_SPEC, _PLATFORM, rate_source),
    )


def _a3(suffix: str, pairs: int, *, figures: bool = False) -> Target:
    return Target(
        name="Ascend910_" + suffix,
        vector_cores=2 * pairs,
        cube_cores=pairs,
        clock_mhz=1800 if figures else 0,
        l2_bytes=192 * MIB if figures else 0,
        hbm_bytes=64 * 1024 * MIB if figures else 0,
        hbm_peak_gb_s=(1600, 1600) if figures else (0, 0),
        aliases=("910_" + suffix,),
        sources=(_SPEC, _PLATFORM, "vendor documents") if figures else (_SPEC,),
    )


_FAMILY = "vendor documents for the family, which disagree"

TABLE: tuple[Target, ...] = (
    _b("1", 24, 1850, 192 * MIB, 64, (1600, 1800), _FAMILY),
    _b("2", 24, 1800, 192 * MIB, 64, (1600, 1800), _FAMILY),
    _b("2C", 24, 1800, 192 * MIB, 64, (1600, 1800), _FAMILY),
    _b("3", 20, 1800, 192 * MIB, 64, (1600, 1600), "vendor documents"),
    _b("4", 20, 1500, 96 * MIB, 32, (800, 800), "vendor tuning example; 0.75 TB/s was reported by a user"),
    _b("4-1", 20, 1500, 168 * MIB, 32, (1600, 1600), "derived from published streaming rates"),
    _a3("9362", 20),
    _a3("9372", 20),
    _a3("9381", 24),
    _a3("9382", 24, figures=True),
    _a3("9391", 24),
    _a3("9392", 24),
)

DEFAULT = "Ascend910B4"

_BY_NAME = {spelling.lower(): target for target in TABLE for spelling in (target.name, *target.aliases)}


def names() -> list[str]:
    """All target names in table order."""
    return [target.name for target in TABLE]


def get(name: str | Target) -> Target:
    """The target called ``name`` (or one of its aliases, without regard to case).

    Raises:
        UsageError: TW5003 with the nearest names if there is none.
    """
    if isinstance(name, Target):
        return name
    if not isinstance(name, str):  # callers without a type checker
        raise UsageError(
            "TW5003",
            f"unknown target {name!r}",
            expected="a name of the target table",
            hint=", ".join(names()),
        )
    target = _BY_NAME.get(name.strip().lower())
    if target is None:
        hint = nearest(name.strip(), names())
        if name.lower().startswith(("ascend950", "950", "ascend910_95")):
            hint = "the 950 generation has another vector unit and is not supported; " + hint
        raise UsageError(
            "TW5003", f"unknown target {name!r}", expected="a name of the target table", hint=hint
        )
    return target
