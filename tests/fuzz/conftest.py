"""The fuzz targets are a package of their own, which the command `scripts/fuzz.py` imports by the same name."""

import sys
from pathlib import Path

ROOT = str(Path(__file__).resolve().parents[2])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)
