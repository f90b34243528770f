"""What to explain to a class next: what most learners share; and exercises that may be unfair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.reports.class_summary import ClassSummary, ExerciseTally
from grader.reports.wording import counted

TOPICS = 3
SHARED_BY = 2
"""What no known mistake explains is told when so many learners share it: of one, that one's page tells more."""

FEW_PASS = 0.1
ENOUGH_TRIED = 5
"""An exercise is looked at twice when so many tried, and of these at most such a part passed."""


@dataclass(frozen=True)
class Topic:
    """Something that several learners share."""

    exercise: ExerciseTally
    learners: Sequence[int]
    message: str

    @property
    def how_many(self) -> str:
        """How many learners, of how many who could."""
        return f"{len(self.learners)} of the {counted(self.exercise.tried, 'learner')} who tried"


def topics(summary: ClassSummary) -> list[Topic]:
    """The known mistakes that most learners made."""
    return [Topic(made.exercise, made.learners, made.message) for made in summary.misconceptions[:TOPICS]]


def riddles(summary: ClassSummary) -> list[Topic]:
    """What most learners share and no known mistake explains; not from exercises that are doubtful themselves."""
    found = (topic for tally in summary.exercises if not may_be_unfair(tally) for topic in _unexplained(tally))
    shared = (topic for topic in found if len(topic.learners) >= SHARED_BY)
    return sorted(shared, key=lambda topic: -len(topic.learners))[:TOPICS]


def _unexplained(tally: ExerciseTally) -> Iterator[Topic]:
    check = max(tally.checks.values(), key=lambda check: len(check.unexplained), default=None)
    if check and check.unexplained:
        yield Topic(tally, check.unexplained, f"miss “{check.title}” Read a few of their answers.")
    if tally.stuck:
        yield Topic(tally, tally.stuck, "fail every check for one reason, such as code that cannot be loaded.")


def may_be_unfair(tally: ExerciseTally) -> bool:
    """Whether so few pass that the exercise, its lesson or its checks may be at fault, and not the class."""
    return tally.tried >= ENOUGH_TRIED and tally.passed <= FEW_PASS * tally.tried


def doubtful(summary: ClassSummary) -> list[ExerciseTally]:
    """The exercises that nearly nobody passes, in course order."""
    return [tally for tally in summary.exercises if may_be_unfair(tally)]


def most_missed(summary: ClassSummary) -> ExerciseTally | None:
    """The exercise with the check that most learners miss; None when no check was missed."""
    missed = [(check.missed, tally) for tally in summary.exercises if (check := tally.most_missed)]
    return max(missed, key=lambda pair: pair[0])[1] if missed else None
