"""Pseudonyms for learners, the same as long as OUT keeps its key; a separate table says who is who.

A pseudonym is an HMAC of the learner's id with a random key, stored in OUT, readable by its owner only. Without key or
table nobody can find the learner, not even by trying all names of a class.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import overload

from grader.classroom.results_file import Result, Results
from grader.record import Record
from grader.render.csv_text import table, text_field
from grader.writing import write_file

from .members import LEAST_LETTERS, Learner

KEY = ".pseudonyms.key"
WHO_IS_WHO = "who_is_who.csv"
PSEUDONYMOUS = "pseudonymous"
"""In OUT: the folder of exports and pages with pseudonyms."""
KEY_BYTES = 32
LETTERS = 10
OWNER_ALONE = 0o600
LEAST_DIGITS = 4
"""Shorter numbers of a learner's are only searched in file names: they occur in too many texts."""


class PseudonymsError(Exception):
    """Pseudonyms cannot be used; the message is one sentence for people."""


class Pseudonyms:
    """The pseudonyms of the learners of one OUT."""

    def __init__(self, out: Path) -> None:
        """Read OUT's key, or create one. Raises PseudonymsError for a key that others can read, and OSError."""
        self._out = out
        self._key = _key_at(out / KEY) or _draw_key(out / KEY)

    def name_of(self, name: str) -> str:
        """The pseudonym of a learner's name."""
        return _pseudonym(self._key, name)

    def of(self, learner: Learner) -> Learner:
        """A learner of whom only the pseudonym is known."""
        name = self.name_of(learner.name)
        return Learner(
            name=name,
            shown=name,
            handed_in=learner.handed_in,
            in_roster=learner.in_roster,
            is_disputed=learner.is_disputed,
        )

    def of_all(self, learners: Iterable[Learner]) -> list[Learner]:
        """Learners by pseudonym, sorted by it: the class's order would tell who they are."""
        return sorted(map(self.of, learners), key=lambda each: each.name)

    def results(self, results: Results) -> PseudonymousResults:
        """The results of a class by pseudonym, in the pseudonyms' order."""
        return PseudonymousResults(self, results)

    def result(self, result: Result) -> Result:
        """One result by pseudonym; names in its texts are replaced too."""
        learner = self.of(result.learner)
        return Result(_masked(result.record, result.learner, learner.name), learner)

    def write_table(self, learners: Iterable[Learner]) -> Path:
        """Write the table of who is who, readable by the owner only. Raises OSError."""
        rows = [(self.name_of(each.name), each.name, each.shown, each.email) for each in learners]
        path = self._out / WHO_IS_WHO
        told = table([("pseudonym", "id", "name", "email"), *(tuple(map(text_field, row)) for row in sorted(rows))])
        write_file(path, told.encode("utf-8"), below=self._out, synced=True, mode=OWNER_ALONE)
        return path


class PseudonymousResults(Sequence[Result]):
    """Results by pseudonym, each read on access."""

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
    """A learner's pseudonym in OUT; empty if OUT has no pseudonyms. Raises as `Pseudonyms` does."""
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


def masked(text: str, learner: Learner, pseudonym: str, *, of_files: bool = False) -> str:
    """A text with the learner's names replaced by the pseudonym, in any spelling, where they are whole words.

    of_files: the text is about the learner's files, whose names may contain any part of the learner's name.
    """
    names = {learner.name, learner.shown, learner.email, *learner.ids}
    least_digits = 1 if of_files else LEAST_DIGITS
    told = {name for name in names if len(name) >= (least_digits if name.isdigit() else LEAST_LETTERS)}
    if of_files:
        told |= {part for part in re.split(r"[\W_]+", f"{learner.shown} {learner.name}") if _is_telling(part)}
    if not told:
        return text
    longest_first = "|".join(map(_spelt, sorted(told, key=len, reverse=True)))
    # in a file name an underscore separates words; digits after a decimal point are a number, not an id
    words = re.compile(rf"(?<![^\W_])(?<![0-9]\.)(?:{longest_first})(?![^\W_])(?!\.[0-9])", re.IGNORECASE)
    return words.sub(pseudonym, text)


def _is_telling(part: str) -> bool:
    return len(part) >= LEAST_LETTERS and not part.isdigit()


def _spelt(name: str) -> str:
    """A pattern for a name with any separators: Ada Byron, ada_byron, ada-byron."""
    words = [word for word in re.split(r"[\W_]+", name) if word]
    return r"[\W_]{1,3}".join(map(re.escape, words)) if words and "@" not in name else re.escape(name)


def _masked(record: Record, learner: Learner, pseudonym: str) -> Record:
    """A record by pseudonym. The submission's digest is removed too, since it could identify the learner."""

    def mask(text: str) -> str:
        return masked(text, learner, pseudonym)

    def mask_files(text: str) -> str:
        return masked(text, learner, pseudonym, of_files=True)

    problems = tuple(
        each.model_copy(update={"file": mask_files(each.file), "message": mask_files(each.message)})
        for each in record.problems
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
        update={"name": mask_files(record.attempt.name), "reason": mask_files(record.attempt.reason)}
    )
    adjustments = record.adjustments and tuple(
        each.model_copy(update={"reason": mask_files(each.reason)}) for each in record.adjustments
    )
    told = {"problems": problems, "exercises": exercises, "attempt": attempt, "adjustments": adjustments}
    return record.model_copy(update={"submission": pseudonym, "digest": "", **told})
