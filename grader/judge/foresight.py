"""What the checks will ask. With one seed they ask every file for an exercise the same: in a class it becomes known.

The questions of the first file that passes are kept. Later files get them all at once, together with their task, so
that neither side waits for the other. Answers that are byte for byte those of another file get the same verdict, and no
check is run: all that a check sees of a file is what it answers, unless it looks at the source. New answers are looked
at by the checks as always, which find them there already.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from grader.results import ExerciseResult

MOST_ANSWERS = 512
"""Ways of answering one exercise that are remembered: rounding makes a few of what is right, and mistakes recur."""


@dataclass(frozen=True)
class Conversation:
    """All that was asked of one file, in order, and the digest of all that it said.

    `frames` are what was sent, `names` the questions' digests, `seconds` the time that the answers took.
    """

    frames: tuple[bytes, ...]
    names: tuple[bytes, ...]
    seconds: float
    digest: bytes


@dataclass
class Foreseen:
    """The questions of one exercise as a file was asked them that passed, and what files got for which answers."""

    first: Conversation
    results: dict[bytes, ExerciseResult] = field(default_factory=dict)

    def note(self, told: Conversation, result: ExerciseResult) -> None:
        """Remember what a file got for its answers, if it was asked these very questions."""
        if told.names == self.first.names and len(self.results) < MOST_ANSWERS:
            self.results[told.digest] = result


class Foresight:
    """What is known of one seed's questions, by exercise; of another seed nothing is."""

    def __init__(self) -> None:
        self._seed: int | None = None
        self._known: dict[str, Foreseen] = {}

    def of(self, seed: int, exercise: str) -> Foreseen | None:
        """The questions for an exercise, once a file has passed."""
        if seed != self._seed:
            self._seed = seed
            self._known.clear()
        return self._known.get(exercise)

    def note(self, seed: int, told: Conversation, result: ExerciseResult, *, looked_at_source: bool) -> None:
        """Remember a conversation, and its result unless that depends on more than what was said."""
        if any(check.outcome == "error" for check in result.checks):
            return
        known = self.of(seed, result.id)
        if known is None and all(check.outcome == "passed" for check in result.checks):
            known = self._known[result.id] = Foreseen(told)
        if known is not None and not looked_at_source:
            known.note(told, result)
