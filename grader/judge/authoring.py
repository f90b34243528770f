"""What authors of checks and of known mistakes import: the words, and nothing else.

What several exercises share stands with the kits, in tests/kits/families.
"""

from .answers import Ask as Ask
from .answers import Ended as Ended
from .bank import Mistake as Mistake
from .bank import without as without
from .case import OUTPUT as OUTPUT
from .case import Case as Case
from .case import called_again as called_again
from .case import function as function
from .case import module as module
from .checks import points as points
from .compare import same as same
from .failure import expect as expect
from .failure import fail as fail
from .faults import CheckFailed as CheckFailed
