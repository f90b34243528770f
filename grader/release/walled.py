"""Grades in a container of Gradescope's or on a machine of GitHub's, at the strongest isolation level that works there.

    python -I -m grader.release.walled submission ROOT         Gradescope's `run_autograder`; ROOT is /autograder there
    python -I -m grader.release.walled solutions COURSE.yml    before any learner: they must get full marks

Nothing is run without isolation: the result then has a sentence and no score. Another version of torch, too little
memory or a slow machine would cost learners points for right work, so the course's own solutions are graded first.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from grader.course import FILE_NAME, load_course
from grader.errors import KataError
from grader.files import write_file
from grader.formats.autograding import as_json, gradescope
from grader.record import POINTS_TOLERANCE, Record
from grader.sandbox.doctor import examine, strongest_level
from grader.sandbox.levels import GRADING_LEVELS, MachineError

from .autograders import COURSE, points_of

NOT_YOUR_FAULT = "That is no fault of your work, and it is not a zero. Please tell the people who run the course."


def grade_walled(submission: Path, course: Path) -> Record:
    """Grade a submission. The output of `kata grade` goes to this program's own.

    Raises MachineError when this machine cannot isolate, KataError when there is no record.
    """
    findings = examine()
    level = strongest_level(findings)
    if level not in GRADING_LEVELS:
        raise MachineError("; ".join(f"{each.part} ({each.remedy})" for each in findings if not each.works))
    print(f"Isolation: {level}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "record.json"
        command: list[str | Path] = [sys.executable, "-I", "-m", "grader", "grade", submission, "--course", course]
        done = subprocess.run(
            [*command, "--isolation", level, "--json", written],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        print(done.stderr, file=sys.stderr, flush=True)
        if written.is_file():
            return Record.from_json(written.read_bytes())
    raise KataError(done.stderr.strip().rpartition("\n")[2] or "the grader ended without a word.")


def grade_submission(root: Path) -> int:
    """Grade ROOT/submission and write ROOT/results/results.json; 0 when that contains a grade."""
    course = root / COURSE / FILE_NAME
    try:
        record = grade_walled(root / "submission", course)
    except MachineError as missing:
        print(f"This container cannot isolate submissions: {missing}. No grade was recorded.")
        result = {"output": f"Nothing was graded. {NOT_YOUR_FAULT}"}
    except KataError as reason:
        result = {"output": f"Nothing was graded: {reason} {NOT_YOUR_FAULT}"}
    else:
        loaded = load_course(course)
        result = gradescope(record, loaded.titles, points_of(loaded))
    write_file(root / "results" / "results.json", as_json(result).encode("utf-8"), below=root)
    return 0 if "score" in result else 1


def try_solutions(course: Path) -> int:
    """Grade the solutions of the course; 1, with their names, when right work would lose points here.

    0 where nothing can be graded at all: then no learner is graded wrongly either.
    """
    try:
        record = grade_walled(course.parent / "solutions", course)
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
