"""Grades a class of submissions into a folder, so that no grade is lost or given twice.

In order of use: `class_contents` lists the folder, `platforms`, `roster` and `class_list` say whose each submission is;
`grade` runs it all: `dispatch` sends submissions to an executor (`pool` is the local one, `cluster` many machines),
`judging` runs in a judge's process, `run` keeps what comes back in the database, `store`. `results` reads records with
final points (`final_points`) from it, and `publishing` writes results.jsonl and the pages.
"""

from .grading_terms import Terms

__all__ = ["Terms"]
