"""A class of submissions, graded into a folder so that no grade is lost or given twice.

In the order in which a class travels: `entries`, `lms_names`, `class_zip` and `roster` say who handed in what; `lock`,
`run_header` and `ledger` keep the folder; `dispatch` sends submissions to an executor (`judges` is the local one);
`judging` is what happens in a judge's process; `run` puts it together. `results_file` reads what came of it.
`attempts` makes a class of every learner's attempts, `chosen_attempts` one record a learner of that again.
"""

from .entries import Entry, entries
from .terms import Terms

__all__ = ["Entry", "Terms", "entries"]
