"""The zip file that Gradescope accepts as an autograder.

Follows Gradescope's "Autograder Specifications" (gradescope-autograders.readthedocs.io, specs): `setup.sh` and
`run_autograder` at the root of the zip; the rest is found at /autograder/source; the working directory is /autograder.
"""

from __future__ import annotations

from grader.course import FILE_NAME, Course
from grader.files import zip_of
from grader.render.wording import score

from .wheel import course_files, wheel_of

ROOT = "/autograder"
COURSE = "source/course"
"""The course's folder, relative to the root."""

_PROGRAMS = ("setup.sh", "run_autograder")

_SETUP = """\
#!/usr/bin/env bash
# Run by Gradescope once, as root, while it builds the image.
set -euo pipefail
root="${{KATA_AUTOGRADER:-{root}}}"

apt-get update
apt-get install -y --no-install-recommends bubblewrap libseccomp2 python3 python3-venv
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || {{
    echo "Python 3.10 or newer is needed: choose Ubuntu 22.04 or later as the base image." >&2
    exit 1
}}
python3 -m venv "$root/venv"
"$root/venv/bin/pip" install --no-cache-dir "$root/source/{wheel}"

# The course's own solutions have to get full marks here, else right work of learners would lose points.
"$root/venv/bin/python" -I -m grader.release.walled solutions "$root/{course}"
"""

_RUN = """\
#!/usr/bin/env bash
# Run by Gradescope for each submission.
root="${{KATA_AUTOGRADER:-{root}}}"
exec "${{KATA_PYTHON:-$root/venv/bin/python}}" -I -m grader.release.walled submission "$root"
"""

_README = """\
{title}
{line}

This zip holds the solutions and the hidden checks. It is for Gradescope's autograder page alone, never for learners.

1. Make a programming assignment worth {points} points.
2. Upload this zip as its autograder, with Ubuntu 22.04 or later as the base image.
3. Give it at least 2 GB of memory and a time limit of 10 minutes or more.
4. The build ends by grading the course's own solutions and fails when they lose points there. Test it with a
   submission of your own too: it should say "Isolation: full" or "Isolation: reduced".

Isolation
---------
Submissions are graded at the level "full" (namespaces, Landlock and seccomp) where the container allows it, else at
"reduced": Landlock and seccomp keep the code from files, network and other processes. Every result says which level it
was. A container that allows neither gives no grade: nothing is ever run without a wall.
"""


def gradescope_zip(course: Course) -> bytes:
    """The zip for a course; the same course and package give the same bytes.

    Raises OSError when a file of the course cannot be read.
    """
    wheel, program = wheel_of()
    title = f"{course.title} {course.version} as an autograder for Gradescope"
    texts = {
        "setup.sh": _SETUP.format(root=ROOT, wheel=wheel, course=f"{COURSE}/{FILE_NAME}"),
        "run_autograder": _RUN.format(root=ROOT),
        "README.txt": _README.format(title=title, line="=" * len(title), points=score(points_of(course))),
    }
    files = {name: text.encode() for name, text in texts.items()}
    files |= {f"course/{path}": content for path, content in course_files(course).items()}
    return zip_of({**files, wheel: program}.items(), programs=_PROGRAMS)


def points_of(course: Course) -> float:
    """Points of all exercises together, without extra credit and what is exempt for everybody."""
    return sum(
        exercise.points
        for unit in course.units
        if not unit.extra_credit
        for exercise in unit.exercises
        if exercise.id not in course.policy.exempt
    )
