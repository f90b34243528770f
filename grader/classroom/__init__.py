"""A class of submissions, graded into a folder so that no grade is lost or given twice.

In the order in which a class travels: `class_zip` and `download` say what lies there, `lms_names` and `entries` what
belongs together, `claims`, `roster` and `members` whose it is, `not_graded` what is left; `lock`,
`run_header` and `ledger` keep the folder; `dispatch` sends submissions to an executor (`judges` is the local one);
`judging` is what happens in a judge's process; `run` puts it together. `results_file` reads what came of it.
`attempts` makes a class of every learner's attempts, `chosen_attempts` one record a learner of that again.
"""

from .entries import Entry, entries
from .run_header import Terms

__all__ = ["Entry", "Terms", "entries"]
