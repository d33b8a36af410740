"""Handwritten Ascend C on the emulated device: compile, run, check, time; the reference kernels."""

from tilewright.ascendc.compiler import compile_kernel, include_folder
from tilewright.ascendc.kernel import AscendKernel

__all__ = ["AscendKernel", "compile_kernel", "include_folder"]
