"""The README of a workspace: what this folder is, what to type, and where the lessons are."""

from __future__ import annotations

from grader.course import Course

NAME = "README.md"

TEXT = """\
# {title}: your folder

This folder is yours. Read a lesson, write in the `.py` files beside it, save. Type in this folder:

    kata                    # where you are, and the next exercise
    kata watch              # leave it running: every save is checked at once
    kata check {first}{space}# one exercise, by its id
    kata hint {first} {space}# the first hint is free, each further one opens after another try
    kata list               # what is passed, tried and open
    kata reset {first}{space}# the given file again; your old work is kept
    kata review             # write something again that you have passed, on the day that it is due
    kata report             # your progress as a page

| lesson | exercises |
|---|---|
{lessons}
{glossary}
Your progress is in `.kata`, with everything that `reset` put aside. What is handed out for a review lies in `review`.
`kata init` on this folder brings lessons and untouched exercises up to date, and leaves alone what you have changed.
"""

GLOSSARY = """
The documents have several names for one thing: [the glossary](docs/glossary.md) puts them side by side.
"""


def first_page(course: Course) -> str:
    """The page for a workspace of this course."""
    lessons = [
        f"| [{unit.title}](exercises/{unit.folder}/README.md) | {len(unit.exercises)}"
        f"{' (extra credit)' if unit.extra_credit else ''} |"
        for unit in course.units
    ]
    first = course.exercises[0].id
    return TEXT.format(
        title=course.title,
        first=first,
        space=" " * max(13 - len(first), 1),
        lessons="\n".join(lessons),
        glossary=GLOSSARY if course.glossary_path.is_file() else "",
    )
