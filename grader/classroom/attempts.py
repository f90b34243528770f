"""Several attempts a learner: each is graded as a submission of its own, called LEARNER/ATTEMPT, in OUT/attempts.

That folder is what `kata grade-class` makes of any class, so resuming, locks and durability are the same;
`chosen_attempts` then makes OUT/results.jsonl from it, one record a learner.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from grader.course import Course
from grader.submission import SubmissionError, find_submissions
from grader.submission.naming import is_passed_over, printable

from .class_zip import are_work
from .entries import Entry, entries
from .lock import sole_run
from .members import Member, Members, first_few
from .results_file import RESULTS
from .run_header import RUN, RunError

ATTEMPTS = "attempts"
_ONLY = "1"
"""What an attempt is called whose learner has handed in no folder of attempts."""


def graded_in(out: Path) -> Path:
    """The folder with what was graded: OUT, or the folder of attempts in it."""
    inner = out / ATTEMPTS
    return inner if (inner / RUN).exists() else out


@contextmanager
def folder_for_run(out: Path, *, attempts: bool) -> Iterator[Path]:
    """Keep OUT for this run; the folder that it grades into.

    Raises RunError when another run has it or it holds a class that was graded the other way, OSError when it cannot
    be made.
    """
    with sole_run(out):
        has_attempts = graded_in(out) != out
        if attempts and not has_attempts and ((out / RUN).exists() or (out / RESULTS).exists()):
            raise RunError(f"{out} holds a class that was graded without --attempts: give another folder.")
        if has_attempts and not attempts:
            raise RunError(f"{out} holds a class that was graded with --attempts: give that too, or another folder.")
        if not attempts:
            yield out
            return
        with sole_run(out / ATTEMPTS, below=out):
            yield out / ATTEMPTS


def attempts_of(members: Members, course: Course) -> Members:
    """Every attempt of a class as a submission: in class order, each learner's in the order of their names."""
    all: list[Member] = []
    strays: list[str] = []
    whole: list[str] = []
    for member in members.all:
        if member.entry is None:
            continue
        learner = member.learner
        found, others = _handed_over(member.entry)
        if are_work([path.name for path in found], course):
            whole.append(learner.shown)
            found = []
        if found:
            strays += [f"{learner.shown}/{printable(name)}" for name in others]
        attempts = entries(found) if found else [replace(member.entry, name=_ONLY)]
        for each in sorted(attempts, key=lambda attempt: in_order(attempt.name)):
            name = f"{learner.name}/{each.name}"
            one = learner.model_copy(update={"name": name, "shown": f"{learner.shown}, attempt {each.name}"})
            all.append(Member(one, replace(each, name=name)))
    remarks = list(members.remarks)
    if whole:
        remarks.append(f"These folders hold exercises themselves, so each is one attempt: {first_few(whole)}.")
    if strays:
        remarks.append(f"No attempts, since they are no folder, zip, notebook or .py file: {first_few(strays)}.")
    return Members(tuple(all), tuple(remarks))


def whose(name: str) -> tuple[str, str]:
    """The learner and the attempt that a record in the folder of attempts is of."""
    learner, _, attempt = name.rpartition("/")  # a file's name, which the attempt's is, has no /
    return learner, attempt


def in_order(name: str) -> tuple[list[tuple[str, int]], str]:
    """By what attempts are sorted: 2 comes before 10."""
    parts = re.split(r"(\d+)", name.casefold())
    return [(text, int(number or 0)) for text, number in zip(parts[::2], [*parts[1::2], ""], strict=True)], name


def _handed_over(entry: Entry) -> tuple[list[Path], list[str]]:
    """The submissions in a learner's folder, and what else is in it; nothing where it is no folder, or shut."""
    try:
        if entry.parts or entry.path.is_symlink() or not entry.path.is_dir():
            return [], []
        found = find_submissions(entry.path)
        names = {path.name for path in found}
        others = sorted(name for name in os.listdir(entry.path) if not is_passed_over(name) and name not in names)
    except (OSError, SubmissionError):  # reading it will tell
        return [], []
    return found, others
