"""What platforms grade with: the zip for Gradescope, the workflow for GitHub's repositories, and what runs there.

    python -I -m grader.release.autograders submission ROOT         Gradescope's `run_autograder`; ROOT is /autograder
    python -I -m grader.release.autograders solutions COURSE.yml    before any learner: they must get full marks

It grades at the strongest isolation level that works in the container. Nothing is run without isolation: the result
then has a sentence and no score. Another version of torch, too little memory or a slow machine would cost learners
points for right work, so the course's own solutions are graded first.

Gradescope's "Autograder Specifications" (gradescope-autograders.readthedocs.io, specs): `setup.sh` and `run_autograder`
stand at the root of the zip; the rest is found at /autograder/source; the working directory is /autograder.

classroom-resources/autograding-grading-reporter (README.md): the workflow is called "Autograding Tests", has one job
called run-autograding-tests, and passes each grading step's output to the reporter as <STEP>_RESULTS in base64. Without
GitHub Classroom the same workflow grades as well: the reporter then only displays the result.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from grader.classroom.results import final_record
from grader.course import FILE_NAME, Course, load_course
from grader.course.installed import refuse_exposed
from grader.errors import KataError
from grader.files import write_file, zip_of
from grader.formats.autograding import as_json, gradescope
from grader.intake import read_submission
from grader.record import POINTS_TOLERANCE, Record
from grader.render.wording import score
from grader.sandbox.doctor import examine, strongest_level
from grader.sandbox.levels import GRADING_LEVELS, MachineError
from grader.service.client import judge_for

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
    for name, form in [(repository, _REPOSITORY), *((name, _NAME) for name in (*units, *only))]:
        if not form.fullmatch(name):
            raise KataError(f"{name!r} is no name of a repository (OWNER/NAME), a unit or an exercise.")
    chosen = "".join([f"--unit {unit} " for unit in units] + [f"--only {id} " for id in only])
    return _text("classroom.yml").replace("CHOSEN ", chosen).replace("OWNER/NAME", repository)


def _text(name: str) -> str:
    return (_TEXTS / name).read_text("utf-8")


# --- in a container ---------------------------------------------------------------------------------------------------

NOT_YOUR_FAULT = "That is no fault of your work, and it is not a zero. Please tell the people who run the course."


def grade_walled(submission: Path, course: Course) -> Record:
    """Grade a submission.

    Raises MachineError when this machine cannot isolate, KataError when there is no record.
    """
    findings = examine()
    level = strongest_level(findings)
    if level not in GRADING_LEVELS:
        raise MachineError("; ".join(f"{each.part} ({each.remedy})" for each in findings if not each.works))
    print(f"Isolation: {level}", flush=True)
    refuse_exposed(level, course.root)
    records: list[Record] = []
    with closing(judge_for(course, level, course.seed_for())) as judge:
        judge.grade([read_submission(submission, course)], records.append)
    return final_record(records[0], course)


def grade_submission(root: Path) -> int:
    """Grade ROOT/submission and write ROOT/results/results.json; 0 when that contains a grade."""
    try:
        course = load_course(root / COURSE / FILE_NAME)
        record = grade_walled(root / "submission", course)
    except MachineError as missing:
        print(f"This container cannot isolate submissions: {missing}. No grade was recorded.")
        result = {"output": f"Nothing was graded. {NOT_YOUR_FAULT}"}
    except KataError as reason:
        result = {"output": f"Nothing was graded: {reason} {NOT_YOUR_FAULT}"}
    else:
        result = gradescope(record, course.titles, points_of(course))
    write_file(root / "results" / "results.json", as_json(result).encode("utf-8"), below=root)
    return 0 if "score" in result else 1


def try_solutions(course: Path) -> int:
    """Grade the solutions of the course; 1, with their names, when right work would lose points here.

    0 where nothing can be graded at all: then no learner is graded wrongly either.
    """
    try:
        record = grade_walled(course.parent / "solutions", load_course(course))
    except MachineError as missing:
        print(f"This machine cannot isolate submissions, so the solutions were not tried: {missing}.")
        return 0
    except KataError as reason:
        print(f"The course's own solutions could not be graded: {reason}")
        return 1
    lost = [each.id for each in record.exercises if each.points < each.max_points - POINTS_TOLERANCE]
    if lost:
        print(f"Right work loses points on this machine, so it must grade nobody. Look at: {', '.join(lost)}.")
    return 1 if lost else 0


if __name__ == "__main__":
    _, what, place = sys.argv
    sys.exit({"submission": grade_submission, "solutions": try_solutions}[what](Path(place)))
