"""What authors of checks and of known mistakes import: the words, and nothing else.

What several exercises share stands with the kits, in tests/kits/families.
"""

from .answers import Ended
from .bank import Mistake, without
from .case import OUTPUT, Case, called_again, function, module
from .checks import points
from .compare import same
from .failure import expect, fail
from .faults import CheckFailed

__all__ = ["OUTPUT", "Case", "CheckFailed", "Ended", "Mistake", "called_again", "expect", "fail", "function", "module"]
__all__ += ["points", "same", "without"]
