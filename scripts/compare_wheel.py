"""Does a wheel without answers say what `kata grade` says? For every reference, alternative and known mistake.

    python scripts/compare_wheel.py                       all exercises
    python scripts/compare_wheel.py softmax attention     these exercises only

Each is judged twice, with the whole course and with the plans that a wheel without answers holds, from their seed: how
each check ends must be the same, and so must the mistakes that are named. What differs is printed; exit status 1 when a
check ends in another way. (A wheel with answers holds the whole course itself.)
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.authoring.alternatives import load_alternatives
from grader.course import Course, load_course
from grader.course.model import part_of
from grader.files import write_file
from grader.intake import SourceFile, Submission
from grader.judge.bank import load_bank
from grader.judge.grading import Judge
from grader.record import ExerciseResult, Record
from grader.release.learners_wheel import planned_course
from grader.sandbox.doctor import strongest_level
from grader.sandbox.levels import Level

ROOT = Path(__file__).resolve().parents[1]

NOT_NAMED = frozenset({"tiny_gpt"})
"""Exercises whose mistakes plans do not name: they would have to be trained."""


@dataclass(frozen=True)
class Difference:
    """What the two say of the same file. `is_verdict`: how a check ended, else which mistakes are named."""

    what: str
    whole: object
    planned: object
    is_verdict: bool

    def __str__(self) -> str:
        return f"{self.what}: {self.whole} in the course, {self.planned} with plans"


def sources_of(course: Course, ids: Sequence[str]) -> dict[str, dict[str, str]]:
    """Of each exercise the reference, the alternatives and the known mistakes, by name."""
    found: dict[str, dict[str, str]] = {}
    for exercise in map(course.exercise, ids):
        reference = course.solution_path(exercise).read_text("utf-8")
        named = found[exercise.id] = {"the reference": reference}
        for id, source in load_alternatives(course, exercise).items():
            named[f"the alternative {id}"] = source
        for mistake in load_bank(course.mistakes_path(exercise)):
            named[f"the mistake {mistake.id}"] = mistake.source_from(reference)
    return found


def submissions_of(
    course: Course, sources: Mapping[str, Mapping[str, str]]
) -> Iterator[tuple[Submission, dict[str, str]]]:
    """Submissions of one file an exercise until all are handed in, each with what its files are."""
    for number in range(max(map(len, sources.values()))):
        what = {id: list(named)[number] for id, named in sources.items() if number < len(named)}
        files = {
            id: SourceFile(id, course.exercise(id).file_name, sources[id][name].encode()) for id, name in what.items()
        }
        yield Submission(f"number {number}", files, ()), what


def compare(
    course: Course, planned: Course, sources: Mapping[str, Mapping[str, str]], seed: int, level: Level
) -> Iterator[Difference]:
    """Judge all of these with both, and tell what differs."""
    pairs = list(submissions_of(course, sources))
    found = []
    for each in (course, planned):
        records: list[Record] = []
        judge = Judge(each, level, seed, list(sources))
        try:
            judge.grade((submission for submission, _ in pairs), records.append)
        finally:
            judge.close()
        found.append(records)
    for (_, what), whole, released in zip(pairs, *found, strict=True):
        for one, other in zip(whole.exercises, released.exercises, strict=True):
            if one.id in what:
                yield from _differences(f"{one.id}, {what[one.id]}", one, other)


def _differences(what: str, whole: ExerciseResult, released: ExerciseResult) -> Iterator[Difference]:
    for one, other in zip(whole.checks, released.checks, strict=True):
        if one.outcome != other.outcome:
            yield Difference(f"{what}, {one.name}", one.outcome, f"{other.outcome} {other.message}", True)
    if (whole.status, whole.points) != (released.status, released.points):
        here, there = (f"{each.status} with {each.points:g} points" for each in (whole, released))
        yield Difference(what, here, there, True)
    named, also = ([diagnosis.mistake for diagnosis in each.diagnosis] for each in (whole, released))
    if named != also and whole.id not in NOT_NAMED:
        yield Difference(what, named, also, False)


def main(arguments: Sequence[str]) -> int:
    """Compare, print what differs and how much was compared."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("ids", nargs="*", help="exercises; all by default")
    parser.add_argument("--isolation", default=None, help="as of `kata check` (default: the strongest there is)")
    options = parser.parse_args(arguments)
    course = load_course(ROOT / "course.yml")
    sources = sources_of(course, options.ids or [each.id for each in course.exercises])
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kata-compare-") as folder:
        for path, content in planned_course(part_of(course, list(sources))).items():
            write_file(Path(folder) / path, content)
        planned = load_course(Path(folder) / "course.yml")
        seed = planned.planned_seed or 0
        found = list(compare(course, planned, sources, seed, options.isolation or strongest_level()))
    for difference in found:
        print(difference)
    files, verdicts = sum(map(len, sources.values())), sum(each.is_verdict for each in found)
    print(
        f"{files} files of {len(sources)} exercises with the seed {seed}: {verdicts} verdicts and "
        f"{len(found) - verdicts} diagnoses differ ({time.monotonic() - began:.0f} s)"
    )
    return 1 if verdicts else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
