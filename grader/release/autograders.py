"""What platforms grade with: the zip for Gradescope, and the workflow for learners' repositories on GitHub.

Gradescope's "Autograder Specifications" (gradescope-autograders.readthedocs.io, specs): `setup.sh` and `run_autograder`
stand at the root of the zip; the rest is found at /autograder/source; the working directory is /autograder.

classroom-resources/autograding-grading-reporter (README.md): the workflow is called "Autograding Tests", has one job
called run-autograding-tests, and passes each grading step's output to the reporter as <STEP>_RESULTS in base64. Without
GitHub Classroom the same workflow grades as well: the reporter then only displays the result.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from grader.course import Course
from grader.errors import KataError
from grader.files import zip_of
from grader.render.wording import score

from .wheel import course_files, wheel_of

COURSE = "source/course"
"""The course's folder in Gradescope's container, relative to /autograder."""
WORKFLOW = ".github/workflows/classroom.yml"
TOKEN = "KATA_COURSE_TOKEN"

_TEXTS = Path(__file__).with_name("texts")
_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+")
_NAME = re.compile(r"[a-z0-9_]+")


def gradescope_zip(course: Course) -> bytes:
    """The zip for a course; the same course and package give the same bytes.

    Raises OSError when a file of the course cannot be read.
    """
    wheel, program = wheel_of()
    title = f"{course.title} {course.version} as an autograder for Gradescope"
    readme = _text("README.txt").format(title=title, line="=" * len(title), points=score(points_of(course)))
    texts = {
        "setup.sh": _text("setup.sh").replace("WHEEL", wheel),
        "run_autograder": _text("run_autograder.sh"),
        "README.txt": readme,
    }
    files = {name: text.encode() for name, text in texts.items()}
    files |= {f"course/{path}": content for path, content in course_files(course).items()}
    return zip_of({**files, wheel: program}.items(), programs=("setup.sh", "run_autograder"))


def points_of(course: Course) -> float:
    """Points of all exercises together, without extra credit and what is exempt for everybody."""
    counting = [each for unit in course.units if not unit.extra_credit for each in unit.exercises]
    return sum(each.points for each in counting if each.id not in course.policy.exempt)


def github_workflow(repository: str, *, units: Sequence[str] = (), only: Sequence[str] = ()) -> str:
    """The text of the file WORKFLOW.

    repository: "owner/name" of the course. units, only: the folders or numbers of the units and the ids of the
    exercises that count; all if both are empty. Raises KataError when a name is invalid.
    """
    if not _REPOSITORY.fullmatch(repository):
        raise KataError(f"{repository!r} is no repository on GitHub: write it as OWNER/NAME.")
    for name in (*units, *only):
        if not _NAME.fullmatch(name):
            raise KataError(f"{name!r} is no name of a unit or an exercise, such as 01_soft_lookup or softmax.")
    chosen = "".join([f"--unit {unit} " for unit in units] + [f"--only {id} " for id in only])
    return _text("classroom.yml").replace("CHOSEN ", chosen).replace("OWNER/NAME", repository)


def _text(name: str) -> str:
    return (_TEXTS / name).read_text("utf-8")
