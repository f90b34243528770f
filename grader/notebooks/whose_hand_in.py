"""Whose each submission for `kata hand-in` is: named with it, called like it, or found as in a class."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from grader.classroom import Entry, entries
from grader.classroom.class_folder import ReadingOptions, class_in
from grader.course import Course
from grader.errors import KataError
from grader.intake.names import ExerciseNames


@contextmanager
def entries_of(
    submissions: Sequence[Path], course: Course, learner: str | None, *, is_class: bool
) -> Iterator[tuple[list[Entry], tuple[str, ...]]]:
    """The submissions by learner, usable inside the context; and sentences about those without a learner.

    learner: whose the one submission is. is_class: whether it is a folder with one submission a learner.
    Raises KataError for a name that is no learner's.
    """
    if not is_class:
        yield _named(submissions, learner, course), ()
        return
    if len(submissions) > 1 or learner is not None:
        raise KataError("With --class there is one folder, and its submissions name their learners.")
    with TemporaryDirectory() as room, class_in(submissions[0], Path(room), course, ReadingOptions()) as everyone:
        yield everyone.entries, everyone.disputes


def _named(submissions: Sequence[Path], learner: str | None, course: Course) -> list[Entry]:
    # absolute, so that `.` has a name too; no link is followed
    paths = [Path(os.path.abspath(path)) for path in submissions]
    if learner is not None:
        if len(paths) > 1:
            raise KataError("--learner names one learner, so it goes with one submission.")
        return [Entry(learner, paths[0])]
    names, units = ExerciseNames(course), {unit.folder for unit in course.units}
    for path in paths:
        if names.nearest_file(path.name) or path.name.removesuffix(".ipynb") in units:
            raise KataError(
                f"{path.name} is named after the work, not after a learner; say whose it is with --learner."
            )
    # each separately: equal names would be numbered as two learners
    return [entry for path in paths for entry in entries([path])]
