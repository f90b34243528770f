"""Makes the wheel that learners install: the program with a course, whole and sealed, or with plans for its answers.

A plan is what checks ask, what is expected, and what known mistakes answer. A check asks wrong code what it asks the
reference, which `kata verify` holds it to. So running the checks on the reference gives all questions. The mistakes'
code is not stored.

Either wheel is tested before it is written: with the course in it, every reference must pass.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from grader.course import FILE_NAME, Course, load_course
from grader.course.installed import packed
from grader.errors import KataError
from grader.files import write_file
from grader.intake import read_submission
from grader.judge.course_code import TrustedModule, quietly
from grader.judge.grading import Judge
from grader.judge.plan import Kit, KnownAnswers, Plan, expected_of, file_of, identity, packed_sample
from grader.judge.questions import Exchange, same_answers
from grader.record import MAX_SEED, Record

from .wheel import course_files, wheel_of

README = """\
The file beside this one is the course, with solutions, checks and known mistakes. It is packed so that nobody reads an
answer by accident. That is no secret: it is an ordinary zip. `kata solution ID` shows an answer after you have passed.
"""

FEW_EXERCISES = 4
"""Up to this many exercises are planned in this process: starting another takes longer."""


def learners_wheel(
    course: Course, *, with_answers: bool, advance: Callable[[str], None] = lambda exercise: None
) -> tuple[str, bytes, int]:
    """Make the wheel of a course: its file name, its content, and the number of checks in it.

    with_answers: the whole course, sealed. Else plans take the place of solutions and known mistakes, and `advance` is
    called with each planned exercise.
    Raises KataError when a reference does not pass, CourseError, GraderBroken for unusable checks or mistakes, OSError.
    """
    if with_answers:
        files = course_files(course)
        name, content = packed(files)
        carried = {name: content, "README.txt": README.encode()}
    else:
        carried = files = planned_course(course, advance)
    checks = _tried(course, files)
    return *wheel_of(carried, "answers" if with_answers else "plans"), checks


def planned_course(course: Course, advance: Callable[[str], None] = lambda exercise: None) -> dict[str, bytes]:
    """The files of the course with plans in place of its answers. Raises as `learners_wheel` does."""
    seed = own_seed(course)
    files = course_files(course, planned_seed=seed)
    ids = [each.id for each in course.exercises]
    is_many = len(ids) > FEW_EXERCISES
    with ProcessPoolExecutor(mp_context=get_context("spawn")) if is_many else nullcontext() as pool:
        plans = (pool.map if pool else map)(partial(_plan_of, course.root, seed), ids)
        for exercise, plan in zip(course.exercises, plans, strict=True):
            files[course.plan_path(exercise).relative_to(course.root).as_posix()] = plan
            advance(exercise.id)
    return files


def own_seed(course: Course) -> int:
    """The seed of the plans: it follows from the course, where a class's seed is drawn at random."""
    digest, _ = packed(course_files(course))
    return int(Path(digest).stem, 16) % (MAX_SEED + 1)


def _plan_of(root: Path, seed: int, id: str) -> bytes:
    """The plan of one exercise of the course in a folder."""
    course = load_course(root / FILE_NAME)
    kit = Kit(course, course.exercise(id))
    with quietly():
        return file_of(_with_mistakes(expected_of(kit, seed)), identity(kit, seed))


def _with_mistakes(plan: Plan) -> Plan:
    """The plan with what wrong answers will be compared with. If all checks train a model, it has no mistakes."""

    def samples(module: TrustedModule, asked: Exchange) -> list[bytes]:
        """What it answers; of what differs from the reference by rounding alone, the reference's."""
        pairs = zip(module.answer(asked.question), asked.answers, strict=True)
        return [packed_sample(right if same_answers(answer, right) else answer) for answer, right in pairs]

    sampled = [
        (mistake, KnownAnswers({id: samples(module, each) for id, each in plan.asked.items()}))
        for mistake, module in (plan.code.mistakes if plan.code and plan.asked else ())
    ]
    return replace(plan, slacks={id: plan.slack(each.question) for id, each in plan.asked.items()}, sampled=sampled)


def _tried(course: Course, files: Mapping[str, bytes]) -> int:
    """The number of checks in these files. Raises KataError when a reference does not pass one of them."""
    records: list[Record] = []
    with tempfile.TemporaryDirectory(prefix="kata-release-") as folder, quietly():
        for path, content in files.items():
            write_file(Path(folder) / path, content)
        made = load_course(Path(folder) / FILE_NAME)
        judge = Judge(made, "none", made.seed_for())
        judge.grade([read_submission(course.root / "solutions", course)], records.append)
    checks = [(result.id, check) for record in records for result in record.exercises for check in result.checks]
    conversing = {(id, check.name) for id, kit in judge.kits.items() for check in kit.checks if check.converses}
    for id, check in checks:
        needs_answers = check.outcome == "skipped" and (id, check.name) in conversing
        if check.outcome != "passed" and not needs_answers:
            raise KataError(f"{id}: the reference does not pass {check.name}: {check.message}")
    return len(checks)
