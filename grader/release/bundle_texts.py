"""The generated texts of a bundle: its README and its course.yml.

course.yml is written from the data, so that the author's comments are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.course import Course
from grader.course.model import BUNDLE_FORMAT
from grader.course.part import catalogue_of

if TYPE_CHECKING:
    from .bundle import Contents


HEAD = "# A learner's bundle, made by `kata release`: the course without its answers.\n"


def bundle_catalogue(course: Course, *, all_checks: bool) -> bytes:
    """The course.yml of a bundle of this course."""
    told = {"bundle": BUNDLE_FORMAT, **({} if all_checks else {"bundle_checks": "visible"})}
    return HEAD.encode() + catalogue_of(course.model_copy(update=told))


TEXT = """\
# {title}

This is what a learner needs of the course: lessons, exercises, and {contained}.
Version {version}, {exercises} exercises, {counted}.

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

{checked}

## When there is a newer bundle

Unzip it beside this one: it brings a folder of its own, under another name. Then, in the new folder:

    pip install ./program
    export KATA_COURSE="$PWD"
    kata init ~/attention

This brings lessons and untouched exercises up to date. A file that you have changed is never touched, and your
progress, hints and reviews stay. So do not work in this folder itself. If you have: copy `exercises`, `review` and
`.kata`, as far as they are here, into your own folder before `kata init`.
"""


ALL = """\
All checks of each exercise are in `tests/kits`, and what they ask and expect in `plans`, for {seeds}. Each run
takes one of these by chance; `kata check --seed N` takes a certain one. An exercise is passed, and has a ✓, when every
one of its checks held: the same checks that your work is graded with when you hand it in, then with other numbers. A
check that needs more than this bundle knows says so, and gives neither tick nor points. Known mistakes are named. The
course's own answers are {answers}."""

VISIBLE = """\
Of every exercise you have the checks that the course shows you: they are in `tests/kits`. The others run when you
hand in your work. So nothing here is called passed, and there are no points: `kata check` says "the example passes"
and how many checks are to come, and `kata check -v` what each of them looks at. That the example passes is a good sign
and not yet a grade: code that is made to fit one example fails the others. The course's own answers are not in here."""


def readme(course: Course, contents: Contents, *, checks: int, hidden: int) -> bytes:
    """The README of a bundle with `checks` checks that names `hidden` more."""
    seeds = f"{len(contents.seeds)} seeds" if len(contents.seeds) > 1 else "one seed"
    answers = "sealed: `kata solution ID` opens one after passing" if contents.with_solutions else "not in here"
    return TEXT.format(
        title=course.title,
        version=course.version,
        exercises=len(course.exercises),
        contained="their checks" if contents.all_checks else "the checks that you may see",
        counted=f"{checks} checks" if contents.all_checks else f"{checks} checks to see and {hidden} hidden ones",
        checked=ALL.format(seeds=seeds, answers=answers) if contents.all_checks else VISIBLE,
    ).encode("utf-8")
