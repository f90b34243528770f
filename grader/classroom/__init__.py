"""Grades a class of submissions into a folder, so that no grade is lost or given twice.

In order of use: `class_folder` and `download` list the folder, `lms_names` and `entries` group files into submissions,
`claims`, `roster` and `members` match them to learners; `run_header` and `ledger` write the results folder; `dispatch`
sends submissions to an executor (`pool` is the local one); `judging` runs in a judge's process; `run` writes what comes
back, and `grade` connects all this. `results_file` reads the results.
"""

from .entries import Entry, entries
from .run_header import Terms

__all__ = ["Entry", "Terms", "entries"]
