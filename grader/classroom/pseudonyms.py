"""Names that tell nobody who a learner is, the same as long as OUT keeps its key; who is who stands in a file apart.

A pseudonym is an HMAC of the learner's id with a key that is drawn once for OUT and kept there, for its owner alone.
Whoever has neither the key nor the table cannot tell whose a pseudonym is, not even by trying all names of a class.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import re
import secrets
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import overload

from grader.classroom.results_file import Result, Results
from grader.record import Record
from grader.render.csv_text import table, text_field
from grader.writing import write_file

from .members import Learner

KEY = ".pseudonyms.key"
WHO_IS_WHO = "who_is_who.csv"
PSEUDONYMOUS = "pseudonymous"
"""In OUT, the folder of exports and pages that bear pseudonyms."""
KEY_BYTES = 32
LETTERS = 10
OWNER_ALONE = 0o600
LEAST_LETTERS = 3
"""A shorter name is part of too many words to be looked for in a text."""


class PseudonymsError(Exception):
    """There can be no pseudonyms; the text is one sentence for people."""


class Pseudonyms:
    """The pseudonyms of the learners of one OUT."""

    def __init__(self, out: Path) -> None:
        """Take the key of OUT, or draw one. Raises PseudonymsError for a key that others can read, and OSError."""
        self._out = out
        self._key = _key_at(out / KEY) or _draw_key(out / KEY)

    def name_of(self, name: str) -> str:
        """What a learner is called instead."""
        return _pseudonym(self._key, name)

    def of(self, learner: Learner) -> Learner:
        """A learner of whom nothing but the pseudonym is told."""
        name = self.name_of(learner.name)
        return Learner(
            name=name,
            shown=name,
            handed_in=learner.handed_in,
            in_roster=learner.in_roster,
            is_disputed=learner.is_disputed,
        )

    def of_all(self, learners: Iterable[Learner]) -> list[Learner]:
        """Learners by their pseudonyms: the order of a class would tell who they are."""
        return sorted(map(self.of, learners), key=lambda each: each.name)

    def results(self, results: Results) -> PseudonymousResults:
        """The results of a class by pseudonyms, in their order."""
        return PseudonymousResults(self, results)

    def result(self, result: Result) -> Result:
        """One result by its pseudonym; in texts that may quote the learner, the name is replaced too."""
        learner = self.of(result.learner)
        return Result(_masked(result.record, _called(result.learner), learner.name), learner)

    def write_table(self, learners: Iterable[Learner]) -> Path:
        """Write who is who, for the owner alone. Raises OSError."""
        rows = [(self.name_of(each.name), each.name, each.shown, each.email) for each in learners]
        path = self._out / WHO_IS_WHO
        told = table([("pseudonym", "id", "name", "email"), *(tuple(map(text_field, row)) for row in sorted(rows))])
        write_file(path, told.encode("utf-8"), below=self._out, synced=True, mode=OWNER_ALONE)
        return path


class PseudonymousResults(Sequence[Result]):
    """Results by pseudonyms, each read when it is asked for."""

    def __init__(self, pseudonyms: Pseudonyms, results: Results) -> None:
        self._pseudonyms, self._results = pseudonyms, results
        names = [pseudonyms.name_of(each.name) for each in results.learners]
        self._places = sorted(range(len(names)), key=names.__getitem__)

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> list[Result]: ...
    def __getitem__(self, index: int | slice) -> Result | list[Result]:
        if isinstance(index, slice):
            return [self._at(place) for place in self._places[index]]
        return self._at(self._places[index])

    def __iter__(self) -> Iterator[Result]:
        return map(self._at, self._places)

    def _at(self, place: int) -> Result:
        return self._pseudonyms.result(self._results[place])


def pseudonym_in(out: Path, name: str) -> str:
    """What a learner is called in OUT; nothing where no pseudonyms were ever given. Raises as `Pseudonyms` does."""
    key = _key_at(out / KEY)
    return _pseudonym(key, name) if key else ""


def _pseudonym(key: bytes, name: str) -> str:
    digest = hmac.new(key, name.encode("utf-8", "surrogatepass"), hashlib.sha256).digest()
    return f"learner-{base64.b32encode(digest).decode().lower()[:LETTERS]}"


def _key_at(path: Path) -> bytes | None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode) or (os.name == "posix" and found.st_mode & 0o077):
        raise PseudonymsError(f"{path} can be read by others than its owner: chmod 600 {path}")
    key = path.read_bytes()
    if len(key) != KEY_BYTES:
        raise PseudonymsError(f"{path} is no key of {KEY_BYTES} bytes: take it away, and pseudonyms are given anew.")
    return key


def _draw_key(path: Path) -> bytes:
    key = secrets.token_bytes(KEY_BYTES)
    write_file(path, key, synced=True, mode=OWNER_ALONE)
    return key


def _called(learner: Learner) -> Collection[str]:
    """What a learner is called, as far as it can be told from other words."""
    names = {learner.name, learner.shown, learner.email, *learner.ids}
    return {name for name in names if len(name) >= LEAST_LETTERS and not name.isdigit()}


def masked(text: str, names: Collection[str], pseudonym: str) -> str:
    """A text in which a name is replaced wherever it stands as a word of its own, however it is written."""
    if not names:
        return text
    longest_first = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    words = re.compile(rf"(?<!\w)(?:{longest_first})(?!\w)", re.IGNORECASE)
    return words.sub(pseudonym, text)


def _masked(record: Record, names: Collection[str], pseudonym: str) -> Record:
    """A record by its pseudonym. What the learner has handed in is not told by its digest either."""

    def mask(text: str) -> str:
        return masked(text, names, pseudonym)

    problems = tuple(
        each.model_copy(update={"file": mask(each.file), "message": mask(each.message)}) for each in record.problems
    )
    exercises = tuple(
        each.model_copy(
            update={
                "checks": tuple(one.model_copy(update={"message": mask(one.message)}) for one in each.checks),
                "graded_again": each.graded_again and each.graded_again.model_copy(update={"digest": ""}),
            }
        )
        for each in record.exercises
    )
    attempt = record.attempt and record.attempt.model_copy(
        update={"name": mask(record.attempt.name), "reason": mask(record.attempt.reason)}
    )
    adjustments = record.adjustments and tuple(
        each.model_copy(update={"reason": mask(each.reason)}) for each in record.adjustments
    )
    told = {"problems": problems, "exercises": exercises, "attempt": attempt, "adjustments": adjustments}
    return record.model_copy(update={"submission": pseudonym, "digest": "", **told})
