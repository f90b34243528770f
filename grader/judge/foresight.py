"""What the checks will ask. With one seed they ask every file for an exercise the same, so in a class it becomes known.

The questions of the first file that passes are kept. Later files get them all at once, together with their task, so that
neither side waits for the other. Answers that are byte for byte those of a file that passed pass too, and no check is
run: all that a check sees of a file is what it answers, unless it looks at the source. Other answers are looked at by
the checks as always, which find them there already.
"""

from __future__ import annotations

from dataclasses import dataclass, field

MOST_ANSWERS = 1024
"""Ways of answering one exercise that are remembered; rounding makes a few of what is right."""


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
    """The questions of one exercise as a file was asked them that passed, and what such files said."""

    first: Conversation
    passed: set[bytes] = field(default_factory=set)

    def note(self, told: Conversation) -> None:
        """Remember what a file said that passed, if it was asked these very questions."""
        if told.names == self.first.names and len(self.passed) < MOST_ANSWERS:
            self.passed.add(told.digest)


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

    def note(self, seed: int, exercise: str, told: Conversation) -> None:
        """Remember the conversation with a file that passed every check, none of which looked at its source."""
        known = self.of(seed, exercise)
        if known is None:
            known = self._known[exercise] = Foreseen(told)
        known.note(told)
