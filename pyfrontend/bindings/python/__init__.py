"""MLIR's Python bindings, built for this package against the MLIR it links.

``tilewright.mlir`` is LLVM's ``mlir`` package of the same version under a private name, plus the op classes
of tilewright's own dialects. Importing ``tilewright.mlir.ir`` and the dialects loads libMLIR and takes 0.3 to
0.5 s, so import them where they are used, off the path of a cache hit.

MLIR is part of the LLVM project: Apache-2.0 WITH LLVM-exception, see LICENSE.TXT in this folder.
"""
