"""The timing model: modelled microseconds of a launch, with interval, cold and warm.

Everything here is a modelled estimate of an event-driven simulation (emulator/timing) under constants that
others published (emulator/profiles). Nothing was measured on a device.
"""

from tilewright.timing.model import simulate
from tilewright.timing.profiles import Profile, profile
from tilewright.timing.report import TimeReport

__all__ = ["Profile", "TimeReport", "profile", "simulate"]
