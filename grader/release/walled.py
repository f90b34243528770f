"""Grades in a container of Gradescope's or on a machine of GitHub's, at the strongest isolation level that works there.

    python -I -m grader.release.walled submission ROOT         Gradescope's `run_autograder`; ROOT is /autograder there
    python -I -m grader.release.walled solutions COURSE.yml    before any learner: they must get full marks

Nothing is run without isolation: the result then has a sentence and no score. Another version of torch, too little
memory or a slow machine would cost learners points for right work, so the course's own solutions are graded first.
"""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

from grader.classroom.results import final_record
from grader.course import FILE_NAME, Course, load_course
from grader.course.installed import refuse_exposed
from grader.errors import KataError
from grader.files import write_file
from grader.formats.autograding import as_json, gradescope
from grader.intake import read_submission
from grader.record import POINTS_TOLERANCE, Record
from grader.sandbox.doctor import examine, strongest_level
from grader.sandbox.levels import GRADING_LEVELS, MachineError
from grader.service.client import judge_for

from .autograders import COURSE, points_of

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
    return final_record(records[0], course)[0]


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
