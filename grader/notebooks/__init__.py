"""nbgrader keeps the gradebook, our judge grades: course folder, release, rebuilding and grading of notebooks.

Only modules of this package import nbgrader, nbconvert and nbformat, the extra `instructor`. The judge works in a
process of its own (`grader.service`), which imports none of them.
"""

from __future__ import annotations

import os
import sys
import warnings


def prepare() -> None:
    """Have nbgrader's own code find `alembic`, and leave out what its models make SQLAlchemy warn of, to no effect."""
    from sqlalchemy.exc import SAWarning

    warnings.filterwarnings("ignore", category=SAWarning)
    # nbgrader calls it by its bare name; it stands beside this Python even where no environment is activated
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)])
