"""The helpers of the folder above (harness.py) are importable here as well."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
