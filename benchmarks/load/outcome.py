"""What came of a class under one disturbance, and the table of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """What came of one class. `runs`: the first and each that went on; `as_alone`: who got what is due."""

    name: str
    happened: str
    learners: int
    hostile: int
    runs: int
    seconds: float
    as_alone: int
    honest: int
    lost: int
    twice: int
    attacks_with_full_points: int
    not_graded_and_not_named: int
    said: list[str]

    @property
    def holds(self) -> bool:
        """Whether nobody was harmed and nothing lost."""
        harm = self.lost + self.twice + self.attacks_with_full_points + self.not_graded_and_not_named
        return self.as_alone == self.honest and not harm


def row(outcome: Outcome) -> str:
    """One line of the table."""
    times = outcome.runs - 1
    went_on = f"{times} time{'s' * (times > 1)}" if times else "never"
    return (
        f"| {outcome.name} | {outcome.happened or 'nothing'} | {went_on} | {outcome.seconds:.0f} "
        f"| {outcome.as_alone:,} of {outcome.honest:,} | {outcome.lost} | {outcome.twice} "
        f"| {outcome.attacks_with_full_points} of {outcome.hostile} |"
    )


def table(outcomes: Sequence[Outcome]) -> str:
    """All of them, as Markdown."""
    titles = (
        "| what | what happened | stopped | seconds | honest with their points | lost | twice | attacks that passed |"
    )
    return "\n".join([titles, "|---|---|---|---|---|---|---|---|", *map(row, outcomes)])
