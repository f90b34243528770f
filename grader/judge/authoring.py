"""All that the author of checks and mistake banks writes with."""

from __future__ import annotations

from .case import Case, function, module
from .compare import same
from .errors import CheckFailed
from .failure import expect, fail
from .mistakes import Mistake
from .points import points
from .reading import Ask, Ended

__all__ = ["Ask", "Case", "CheckFailed", "Ended", "Mistake", "expect", "fail", "function", "module", "points", "same"]
