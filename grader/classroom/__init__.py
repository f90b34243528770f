"""A class of submissions, graded into a folder so that no grade is lost or given twice.

In the order in which a class travels: `class_folder` and `download` say what lies there, `lms_names` and `entries` what
belongs together, `claims`, `roster` and `members` whose it is; `run_header` and `ledger` keep the folder; `dispatch`
sends submissions to an executor (`pool` is the local one);
`judging` is what happens in a judge's process; `run` puts it together. `results_file` reads what came of it.
`attempts` makes a class of every learner's attempts, and of that again one record a learner.
"""

from .entries import Entry, entries
from .run_header import Terms

__all__ = ["Entry", "Terms", "entries"]
