"""The generated texts of a bundle: its README and its course.yml.

course.yml is written from the data, so that the author's comments are left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from grader.course import Course
from grader.course.model import BUNDLE_FORMAT
from grader.course.part import catalogue_of

HEAD = "# A learner's bundle, made by `kata release`: the course without its answers.\n"


def bundle_catalogue(course: Course) -> bytes:
    """The course.yml of a bundle of this course."""
    return HEAD.encode() + catalogue_of(course.model_copy(update={"bundle": BUNDLE_FORMAT}))


TEXT = """\
# {title}

This is what a learner needs of the course: lessons, exercises, and their checks.
Version {version}, {exercises} exercises, {checks} checks.

## Begin

Python 3.10 or newer. In this folder:

    python -m venv .venv
    . .venv/bin/activate         # Windows: .venv\\Scripts\\activate
    pip install ./program

On Linux, pip may choose a PyTorch with several gigabytes of CUDA that nothing here uses; for a much smaller download,
set `PIP_EXTRA_INDEX_URL` to PyTorch's index of CPU builds first.

Then make a folder of your own and work there. KATA_COURSE names this folder as the course; a course is a program, so
`kata` never searches for one. Put that line into your shell's profile, with this folder's path in place of `$PWD`.

    export KATA_COURSE="$PWD"    # Windows: $env:KATA_COURSE = $PWD
    kata init ~/attention
    cd ~/attention
    kata                         # where you are, and the next exercise
    kata watch                   # leave it running: every save is checked at once

Each folder in `exercises/` is a unit: its `README.md` is the lesson, its `.py` files are yours to edit. There are also
`kata check ID`, `kata hint ID`, `kata list`, `kata next`, `kata reset ID`, `kata review`, `kata report`, and pytest.

## What is checked

All checks of each exercise are in `tests/kits`, and what they ask and expect in `plans`, for {seeds}.
An exercise is passed, and has a ✓, when every one of its checks held: the same checks that your work is graded with
when you hand it in, then with other numbers. A check that needs more than this bundle knows says so, and gives neither
tick nor points. Known mistakes are named. The course's own answers are {answers}.

## When there is a newer bundle

Unzip it beside this one: it brings a folder of its own, under another name. Then, in the new folder:

    pip install ./program
    export KATA_COURSE="$PWD"
    kata init ~/attention

This brings lessons and untouched exercises up to date. A file that you have changed is never touched, and your
progress, hints and reviews stay. So do not work in this folder itself. If you have: copy `exercises`, `review` and
`.kata`, as far as they are here, into your own folder before `kata init`.
"""


def readme(course: Course, seeds: Sequence[int], checks: int, *, with_solutions: bool) -> bytes:
    """The README of a bundle with this number of checks."""
    return TEXT.format(
        title=course.title,
        version=course.version,
        exercises=len(course.exercises),
        checks=checks,
        seeds=f"{len(seeds)} seeds, one of which each run takes by chance" if len(seeds) > 1 else "one seed",
        answers="sealed: `kata solution ID` opens one after passing" if with_solutions else "not in here",
    ).encode("utf-8")
