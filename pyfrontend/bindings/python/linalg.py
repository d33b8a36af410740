"""Op classes of the linalg dialect.

MLIR's own module also loads its operator DSL (named ops with generated bodies), which needs PyYAML and makes
up most of the import time; the operators here are ``linalg.generic``, so this module leaves the DSL out.
"""

from .._mlir_libs._mlirDialectsLinalg import *  # noqa: F403
from ._linalg_enum_gen import *  # noqa: F403
from ._linalg_ops_gen import *  # noqa: F403
