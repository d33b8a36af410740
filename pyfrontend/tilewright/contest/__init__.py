"""The contest: compiled kernels, handwritten references, and the stock compiler's automatic schedules.

All run on the emulated device in one process and are timed by one model; nothing here ran on a device.
"""

from tilewright.contest.run import run
from tilewright.contest.suite import SUITES, Row, rows

__all__ = ["SUITES", "Row", "rows", "run"]
