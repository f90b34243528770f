"""A large class to grade: right and wrong answers to four exercises, and one learner in twenty who attacks.

What every honest learner is due is known beforehand: each answer is graded alone first, and nobody disturbs the judge.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from grader.course import Course, Exercise
from grader.intake import SourceFile, Submission
from grader.judge.alternatives import load_alternatives
from grader.judge.grading import Judge
from grader.judge.mistakes import load_bank
from grader.record import Record

EXERCISES = ("softmax", "causal_mask", "split_heads", "repeat_kv")
ATTACKED = "softmax"
"""The exercise for which the files of tests/attacks/corpus were written."""
HOSTILE_SHARE = 0.05
RIGHT_SHARE = 0.7
SEED = 20


@dataclass
class HandIns:
    """The class: what each learner handed in, by exercise, and who is hostile with which file."""

    answers: dict[str, dict[str, bytes]] = field(default_factory=dict)
    hostile: dict[str, str] = field(default_factory=dict)

    def write(self, folder: Path) -> None:
        """One folder a learner. A last line with the name makes every file another one, so each is really run."""
        for learner, files in self.answers.items():
            own = folder / learner
            own.mkdir(parents=True)
            for id, content in files.items():
                (own / f"{id}.py").write_bytes(content + f"\n# {learner}\n".encode())

    @property
    def honest(self) -> list[str]:
        """Everybody else."""
        return [learner for learner in self.answers if learner not in self.hostile]


def hand_ins(course: Course, learners: int) -> HandIns:
    """The same class for the same number of learners."""
    chosen = random.Random(SEED)
    right = {id: list(_right(course, course.exercise(id))) for id in EXERCISES}
    wrong = {id: list(_wrong(course, course.exercise(id))) for id in EXERCISES}
    attacks = _attacks(course)
    made = HandIns()
    for number in range(learners):
        learner = f"learner-{number:04d}"
        made.answers[learner] = {
            id: chosen.choice(right[id] if chosen.random() < RIGHT_SHARE else wrong[id]) for id in EXERCISES
        }
        if chosen.random() < HOSTILE_SHARE:
            attack = chosen.choice(attacks)
            made.hostile[learner] = attack.stem
            made.answers[learner][ATTACKED] = attack.read_bytes()
    return made


def _right(course: Course, exercise: Exercise) -> Iterator[bytes]:
    yield course.solution_path(exercise).read_bytes()
    for source in load_alternatives(course, exercise).values():
        yield source.encode("utf-8")


def _wrong(course: Course, exercise: Exercise) -> Iterator[bytes]:
    reference = course.solution_path(exercise).read_text("utf-8")
    for mistake in load_bank(course.mistakes_path(exercise)):
        yield mistake.source_from(reference).encode()


def _attacks(course: Course) -> list[Path]:
    """The hostile files that must not pass; a few of the corpus are only odd, and right."""
    folder = course.root / "tests" / "attacks"
    handling = yaml.safe_load((folder / "handling.yml").read_text("utf-8"))
    return [folder / "corpus" / f"{name}.py" for name in sorted(handling) if handling[name][0] == "failed"]


def points_alone(course: Course, class_: HandIns) -> dict[tuple[str, bytes], float]:
    """What each honest answer gets when nothing else happens on the machine, by exercise and file."""
    answers = sorted({item for learner in class_.honest for item in class_.answers[learner].items()})
    records: list[Record] = []
    judge = Judge(course, "full", SEED, EXERCISES)
    try:
        judge.grade(map(_alone, answers), records.append)
    finally:
        judge.close()
    by_id = [{result.id: result.points for result in record.exercises} for record in records]
    return {answer: points[answer[0]] for answer, points in zip(answers, by_id, strict=True)}


def _alone(answer: tuple[str, bytes]) -> Submission:
    id, content = answer
    return Submission("alone", {id: SourceFile(id, f"{id}.py", content)}, ())


def due(class_: HandIns, alone: dict[tuple[str, bytes], float]) -> dict[str, dict[str, float]]:
    """The points that every honest learner must get, by exercise."""
    return {
        learner: {id: alone[id, content] for id, content in class_.answers[learner].items()}
        for learner in class_.honest
    }


def ids() -> Sequence[str]:
    """The options by which `kata grade-class` grades these exercises only."""
    return [part for id in EXERCISES for part in ("--only", id)]
