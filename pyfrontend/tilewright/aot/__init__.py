"""Kernels for programs without Python: ``tilewright export``."""
