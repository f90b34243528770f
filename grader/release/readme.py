"""The first page of a bundle: how to begin, what is checked, and how a newer bundle comes in."""

from __future__ import annotations

from grader.course import Course

TEXT = """\
# {title}

This is what a learner needs of the course: lessons, exercises, and the checks that you may see.
Version {version}, {exercises} exercises, {visible} checks to see and {hidden} hidden ones.

## Begin

Python 3.10 or newer. In this folder:

    python -m venv .venv
    . .venv/bin/activate         # Windows: .venv\\Scripts\\activate
    pip install ./program

On Linux, pip may choose a PyTorch with several gigabytes of CUDA that nothing here uses; for a much smaller download,
set `PIP_EXTRA_INDEX_URL` to PyTorch's index of CPU builds first.

Then make a folder of your own and work there. `--course .` names this folder as the course: it is a program, so none is
ever used that you have not named. You say so once; `kata` remembers it for your folder.

    kata init ~/attention --course .
    cd ~/attention
    kata                         # where you are, and the next exercise
    kata watch                   # leave it running: every save is checked at once

Each folder in `exercises/` is a unit: its `README.md` is the lesson, its `.py` files are yours to edit. There are also
`kata check ID`, `kata hint ID`, `kata list`, `kata next`, `kata reset ID`, `kata review`, `kata report`, and pytest.

## What is checked

Every exercise has checks that you can see: they are in `tests/checks`, and always ask with the same numbers. The
others are hidden, and are run when you hand in your work: `kata check` says how many there are, and `kata check -v`
what each of them looks at. To pass what you can see is a good sign and not yet a grade: code that is made to fit one
example fails the hidden checks. The course's own answers are not in here.

## When there is a newer bundle

Unzip it beside this one: it brings a folder of its own, under another name. Then, in the new folder:

    pip install ./program
    kata init ~/attention --course .

This brings lessons and untouched exercises up to date. A file that you have changed is never touched, and your
progress, hints and reviews stay. So do not work in this folder itself. If you have: copy `exercises`, `review` and
`.kata`, as far as they are here, into your own folder before `kata init`.
"""


def readme(course: Course, *, visible: int, hidden: int) -> bytes:
    """The page for a course with so many visible and hidden checks."""
    return TEXT.format(
        title=course.title,
        version=course.version,
        exercises=len(course.exercises),
        visible=visible,
        hidden=hidden,
    ).encode("utf-8")
