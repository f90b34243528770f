"""What authors of checks and of known mistakes import: the words, and nothing else.

What several exercises share stands with the kits, in tests/kits/families.
"""

from .bank import Mistake
from .checks import points
from .compare import OUTPUT, same
from .failure import expect, fail
from .faults import CheckFailed
from .questions import Case, Ended, called_again, function, module

__all__ = ["OUTPUT", "Case", "CheckFailed", "Ended", "Mistake", "called_again", "expect", "fail", "function", "module"]
__all__ += ["points", "same"]
