"""Proves kits: each one's checks accept and refuse what they should, each of its mistakes is named, its examples hold.

The examples that learners read in an exercise's docstrings are run: each gives what it says.
"""

from __future__ import annotations

import doctest
import multiprocessing
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from grader.course import Course, Exercise, load_course
from grader.course.stubs import make_stub
from grader.files import started_from_home
from grader.intake import SourceFile, Submission
from grader.judge.bank import Mistake, load_bank
from grader.judge.course_code import TrustedModule, quietly
from grader.judge.grading import Judge
from grader.judge.plan import Kit, expected_of
from grader.record import POINTS_TOLERANCE, ExerciseResult, Record
from grader.sandbox.levels import Level

from .alternatives import load_alternatives
from .kit import misfits, named

EXERCISES_AT_A_TIME = 6
"""Batch size for each process: starting a judge costs a second, waiting for the last batch may cost more."""
SPARE_TIME_FACTOR = 5
"""A reference must finish in this part of the time limit."""
REFERENCE = "reference"
DECIMALS = re.compile(r"\d+\.\d{3,}")


# --- what is graded ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Trial:
    """One file that is graded to prove a kit; `expect` returns what is wrong with its result, but for numbers shown."""

    exercise: Exercise
    name: str
    source: str
    expect: Callable[[ExerciseResult], list[str]]

    def faults(self, result: ExerciseResult) -> list[str]:
        """What is wrong with its result: it is not as expected, or a hidden check shows numbers."""
        leaks = [check.name for check in result.checks if not check.visible and DECIMALS.search(check.message)]
        return [*self.expect(result), *(f"the message of {name} shows a number" for name in leaks)]


def trials(course: Course, exercise: Exercise) -> list[Trial]:
    """All trials that prove one kit, the reference first.

    Raises GraderBroken for an unusable bank of mistakes or unusable checks.
    """
    reference = course.solution_path(exercise).read_text(encoding="utf-8")
    # with a comment added, because an unchanged stub would not be run
    touched_stub = make_stub(reference) + "\n# touched\n"
    right = partial(_all_right, exercise)
    bank = load_bank(course.mistakes_path(exercise))
    checks = Kit(course, exercise).checks
    main = next((check.name for check in checks if check.role == "main"), "a main check")
    return [
        Trial(exercise, REFERENCE, reference, right),
        Trial(exercise, "stub", touched_stub, _nothing_earned),
        *[
            Trial(exercise, f"alternative {id}", source, right)
            for id, source in load_alternatives(course, exercise).items()
        ],
        *[
            Trial(exercise, f"mistake {m.id}", m.source_from(reference), partial(_caught, m, m.caught_by or main, bank))
            for m in bank
        ],
    ]


def _all_right(exercise: Exercise, result: ExerciseResult) -> list[str]:
    wrong = [
        f"{check.name} refuses a right answer: {check.message}" for check in result.checks if check.outcome != "passed"
    ]
    if not wrong and abs(result.points - exercise.points) > POINTS_TOLERANCE:
        wrong.append(f"the checks give {result.points:g} points, course.yml says {exercise.points:g}")
    return wrong


def _nothing_earned(result: ExerciseResult) -> list[str]:
    return [f"the stub earns {result.points:g} points"] if result.points else []


def _caught(mistake: Mistake, caught_by: str, bank: Sequence[Mistake], result: ExerciseResult) -> list[str]:
    failed = {check.name for check in result.checks if check.outcome == "failed"}
    problems = []
    if caught_by not in failed:
        problems.append(f"not caught by {caught_by} (failed: {', '.join(sorted(failed)) or 'nothing'})")
    diagnosed = result.diagnosis[0].mistake if result.diagnosis else "nothing"
    kinds = {each.id: each.same_as or each.id for each in bank}
    if kinds.get(diagnosed) != kinds[mistake.id]:
        problems.append(f"diagnosed as {diagnosed}")
    return problems


# --- grading it -------------------------------------------------------------------------------------------------------


def prove(judge: Judge, planned: Sequence[Trial]) -> list[str]:
    """Grade every trial and return the errors, one sentence each."""
    problems: list[str] = []
    unsound: set[str] = set()
    for trial, result in _results(judge, planned):
        id = trial.exercise.id
        if id in unsound:  # what its checks say of anything else means nothing
            continue
        if result.status == "error":  # a fault of the checks, so the same for every file
            errors = [f"{check.name}: {check.message}" for check in result.checks if check.outcome == "error"]
            found = errors or ["it could not be graded"]
            unsound.add(id)
        else:
            found = trial.faults(result)
            found += _too_slow(judge, trial, result) if trial.name == REFERENCE else asked_otherwise(judge, trial)
        problems += [f"{id}, {trial.name}: {problem}" for problem in found]
        if found and trial.name == REFERENCE:
            unsound.add(id)
    return problems


def _results(judge: Judge, planned: Sequence[Trial]) -> list[tuple[Trial, ExerciseResult]]:
    records: list[Record] = []
    files = (SourceFile(each.exercise.id, each.exercise.file_name, each.source.encode("utf-8")) for each in planned)
    judge.grade((Submission(file.exercise, {file.exercise: file}, ()) for file in files), records.append)
    graded = ({each.id: each for each in record.exercises} for record in records)
    return [(trial, results[trial.exercise.id]) for trial, results in zip(planned, graded, strict=True)]


def _too_slow(judge: Judge, trial: Trial, result: ExerciseResult) -> list[str]:
    """Report a reference that takes too much of its time limit, twice."""
    limit, seconds = trial.exercise.limits.seconds / SPARE_TIME_FACTOR, result.seconds
    if seconds > limit:  # the machine may have been busy with something else
        ((_, again),) = _results(judge, [trial])
        seconds = again.seconds
    if seconds <= limit:
        return []
    return [f"it takes {seconds:.1f} s; a limit of {trial.exercise.limits.seconds:g} s asks for {limit:g}"]


def asked_otherwise(judge: Judge, trial: Trial) -> list[str]:
    """The checks that ask an answer something that is not in the plan. One may stop early, since an answer is wrong."""
    kit = judge.kits[trial.exercise.id]
    with quietly():
        plan, by = judge.expected(kit), expected_of(kit, judge.seed, TrustedModule(trial.source, "a trial").answer)
    found = []
    for check, planned in plan.checks.items():
        known, asked = ([each.question.digest for each in of.exchanges] for of in (planned, by.checks[check]))
        number = next((n for n, digest in enumerate(asked, 1) if digest not in known[n - 1 : n]), None)
        if number is not None:
            told = f"its question {number} is not the one that it asks the reference"
            found.append(f"{check}: {told}. Ask the same, whatever is answered")
    return found


def prove_in_parallel(
    course_file: Path, level: Level, seed: int, ids: Sequence[str], jobs: int, progress: Callable[[str], None]
) -> tuple[int, list[str]]:
    """Prove the kits of these exercises in several processes; return the number of files graded, and the errors.

    `progress` is called with each finished exercise.
    Raises MachineError when this machine cannot isolate, GraderBroken for unusable checks or banks.
    """
    size = min(EXERCISES_AT_A_TIME, -(-len(ids) // jobs))
    parts = [ids[start : start + size] for start in range(0, len(ids), size)]
    spawn = multiprocessing.get_context("spawn")
    graded, problems = 0, list[str]()
    with started_from_home():
        pool = ProcessPoolExecutor(min(jobs, len(parts)), mp_context=spawn)
        proved = pool.map(partial(_prove_part, course_file, seed, level), parts)
    with pool:
        for part, (count, found) in zip(parts, proved, strict=True):
            graded += count
            problems += found
            for id in part:
                progress(id)
    return graded, problems


def _prove_part(course_file: Path, seed: int, level: Level, ids: Sequence[str]) -> tuple[int, list[str]]:
    """Runs in a worker process: prove some kits. A kit with contradictions is not graded at all."""
    course = load_course(course_file)
    exercises = [course.exercise(id) for id in ids]
    found = {each.id: [*misfits(course, each), *wrong_examples(course, each)] for each in exercises}
    problems = [problem for each in found.values() for problem in each]
    sound = [id for id in ids if not found[id]]
    planned = [trial for id in sound for trial in trials(course, course.exercise(id))]
    if planned:
        with closing(Judge(course, level, seed, sound)) as judge:
            problems += prove(judge, planned)
    return len(planned), problems


# --- examples in docstrings -------------------------------------------------------------------------------------------

PROMPT = ">>>"
NEGATIVE_ZERO = re.compile(r"-(0\.0*)(?![0-9])")
ONE_OF_MANY = "for instance"
"""In the comment of an example with a random result: it is run, but its output is not compared."""


def wrong_examples(course: Course, exercise: Exercise) -> list[str]:
    """The first wrong example in the docstrings of the reference, in one sentence."""
    solution = course.solution_path(exercise)
    text, name = solution.read_text(encoding="utf-8"), named(course, solution)
    if PROMPT not in text:
        return []
    try:
        # all docstrings at once, so that lines are the file's; where one ends, so does its last example
        examples = doctest.DocTestParser().get_examples(text.replace('"""', ""))
        names = {**_of_others(course, exercise, text), **TrustedModule(text, f"reference {solution.stem}").namespace}
        for each in examples:
            if ONE_OF_MANY in each.source:
                each.want = ONE_OF_MANY
        runner = doctest.DebugRunner(checker=_Spaced(), verbose=False)
        runner.run(doctest.DocTest(examples, names, name, name, 0, text), out=lambda _: None)
    except SyntaxError as error:
        return [f"{name}:{error.lineno}: SyntaxError: {error.msg}. Mend that line"]
    except doctest.DocTestFailure as wrong:
        shown, wanted = (" ".join(each.split()) or "nothing" for each in (wrong.got, wrong.example.want))
        what = f"gives {shown}, and not {wanted}: mend one of them"
        return [f"{name}:{wrong.example.lineno + 1}: the example {what}"]
    except doctest.UnexpectedException as wrong:
        kind, said, _ = wrong.exc_info
        return [f"{name}:{wrong.example.lineno + 1}: the example ends with {kind.__name__}: {said}. Mend it"]
    except Exception as error:
        return [f"{name}: it cannot be run ({type(error).__name__}: {error}). Mend the file"]
    return []


def _of_others(course: Course, exercise: Exercise, text: str) -> dict[str, Any]:
    """Names from other exercises that examples may use; if two exercises define a name, a required one wins."""
    found: dict[str, Any] = {}
    for other in sorted(course.exercises, key=lambda each: each.id in exercise.requires):
        wanted = [name for name in other.entry_points if name in text and name not in exercise.entry_points]
        path = course.solution_path(other)
        if wanted and path.is_file():
            names = TrustedModule(path.read_text(encoding="utf-8"), f"reference {path.stem}").namespace
            found.update({name: names[name] for name in wanted if name in names})
    return found


class _Spaced(doctest.OutputChecker):
    """Treats outputs as equal that differ only in whitespace, line ends and the sign of a zero."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        texts = ("".join(text.replace(doctest.BLANKLINE_MARKER, "").split()) for text in (want, got))
        one, other = (NEGATIVE_ZERO.sub(r"\1", text) for text in texts)
        return want == ONE_OF_MANY or one == other
