"""The answers that benchmarks grade: what learners wrote, and classes made of the course's right and wrong answers."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import yaml

from grader.authoring.alternatives import load_alternatives
from grader.course import Course, Exercise
from grader.intake import SourceFile, Submission
from grader.judge.bank import load_bank

WRITTEN = Path(__file__).with_name("written")
SHARE_OF_WRONG = 0.15
CLASS_SEED = 3
SIX = (
    "softmax",
    "context_vector",
    "self_attention",
    "causal_attention",
    "multi_head_attention",
    "grouped_query_attention",
)
"""One exercise of each step on the way to grouped-query attention."""

Kind = Literal["seen", "held_back", "right"]


def written(exercise: str, kind: Kind) -> dict[int, str]:
    """What learners wrote for an exercise, by number; see benchmarks/written/README.md."""
    path = WRITTEN / f"{exercise}.yml"
    answers = yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else {}
    return dict(answers.get(kind, {}))


def right_answers(course: Course, exercise: Exercise) -> dict[str, str]:
    """The reference and the alternatives, by name."""
    reference = course.solution_path(exercise).read_text(encoding="utf-8")
    return {"reference": reference, **load_alternatives(course, exercise)}


def wrong_answers(course: Course, exercise: Exercise) -> dict[str, str]:
    """The known mistakes, by id."""
    reference = course.solution_path(exercise).read_text(encoding="utf-8")
    return {each.id: each.source_from(reference) for each in load_bank(course.mistakes_path(exercise))}


@dataclass
class Learner:
    """What one learner hands in: sources by exercise, and which of them are wrong."""

    name: str
    sources: dict[str, str] = field(default_factory=dict)
    wrong: set[str] = field(default_factory=set)

    def submission(self) -> Submission:
        """As the judge gets it."""
        files = {id: SourceFile(id, f"{id}.py", text.encode("utf-8")) for id, text in self.sources.items()}
        return Submission(self.name, files, ())


def class_of(course: Course, ids: Sequence[str], count: int, share_of_wrong: float = SHARE_OF_WRONG) -> list[Learner]:
    """So many learners, the same for the same exercises: a larger class begins with the smaller one."""
    return list(_learners(course, ids, count, share_of_wrong))


def _learners(course: Course, ids: Sequence[str], count: int, share_of_wrong: float) -> Iterator[Learner]:
    right = {id: list(right_answers(course, course.exercise(id)).values()) for id in ids}
    wrong = {id: list(wrong_answers(course, course.exercise(id)).values()) for id in ids}
    for number in range(count):
        learner, chance = Learner(f"learner{number:04d}"), random.Random(f"{CLASS_SEED} {number}")
        for id in ids:
            if chance.random() < share_of_wrong:
                learner.wrong.add(id)
            chosen = chance.choice(wrong[id] if id in learner.wrong else right[id])
            learner.sources[id] = f"{chosen}\n# {learner.name}\n"  # no two files are alike, so each is really run
        yield learner


def write_class(folder: Path, learners: Sequence[Learner]) -> None:
    """One folder a learner, one file an exercise."""
    for learner in learners:
        own = folder / learner.name
        own.mkdir(parents=True)
        for id, source in learner.sources.items():
            (own / f"{id}.py").write_text(source, encoding="utf-8")
