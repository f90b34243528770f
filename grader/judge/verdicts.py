"""Full marks that were given before. Small exercises have few right answers, so in a class many files are the same.

The same file with the same seed gets the same verdict, whoever hands it in: a worker sees nothing else of a submission.
Only passed exercises are kept: a failed one may have failed for want of time.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass, field

from grader.results import ExerciseResult

MOST_KEPT = 4096
"""So that memory stays flat in a large class; the file that was not seen for longest goes first."""

Key = tuple[int, str, bytes]


@dataclass
class Verdicts:
    """The results of files that passed, by seed, exercise and content."""

    most: int = MOST_KEPT
    _passed: OrderedDict[Key, ExerciseResult] = field(default_factory=OrderedDict)

    def of(self, seed: int, exercise: str, content: bytes) -> ExerciseResult | None:
        """The result that this very file got before, as one that took no time."""
        key = _key(seed, exercise, content)
        if key not in self._passed:
            return None
        self._passed.move_to_end(key)
        return self._passed[key]

    def note(self, seed: int, content: bytes, result: ExerciseResult) -> None:
        """Keep a result if it is that of a passed exercise."""
        if result.status != "passed":
            return
        self._passed[_key(seed, result.id, content)] = result.model_copy(update={"seconds": 0.0})
        if len(self._passed) > self.most:
            self._passed.popitem(last=False)


def _key(seed: int, exercise: str, content: bytes) -> Key:
    return seed, exercise, hashlib.blake2b(content, digest_size=16).digest()
