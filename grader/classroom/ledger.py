"""Writes OUT/results.jsonl: appends and syncs lines, removes an incomplete one; at the end, one line a learner."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from grader.errors import KataError
from grader.files import open_to_append, remove_unfinished, write_file
from grader.record import Record, RecordError

from .results_file import RESULTS, Line, final_lines

PREVIOUS = "results.previous.jsonl"
DAMAGED = "results.damaged.jsonl"
SUPERSEDED = "results.superseded.jsonl"


@dataclass(frozen=True)
class Known:
    """What an earlier run recorded about one learner.

    again: the digests of the submissions of which exercises were graded again.
    """

    digest: str
    complete: bool
    again: frozenset[str] = frozenset()

    @classmethod
    def of(cls, record: Record) -> Known:
        """Take it from a record."""
        again = (each.graded_again.digest for each in record.exercises if each.graded_again)
        return cls(record.digest, record.complete, frozenset(again))

    def is_all_of(self, digest: str) -> bool:
        """Whether every exercise of the record was graded from a submission with this digest."""
        return {self.digest, *self.again} == {digest}


@dataclass(frozen=True)
class Recovered:
    """The records of an earlier run, and remarks about them."""

    known: dict[str, Known]
    remarks: tuple[str, ...]


class Ledger:
    """The results file of a run. It is created with the first record."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self._path = out / RESULTS
        self._file: int | None = None
        self._size = 0

    @property
    def is_open(self) -> bool:
        """Whether records can be appended."""
        return self._file is not None

    def set_older_aside(self) -> None:
        """Move older results aside, for the new ones to come. Raises KataError."""
        with writing(self._path):
            if self._path.exists():
                _keep_previous(self._out)

    def begin(self) -> None:
        """Create a new file. Raises KataError."""
        with writing(self._path):
            self._open()

    def go_on(self) -> Recovered:
        """Open the file of an earlier run: returns its records, removes an incomplete last line. Raises KataError."""
        with writing(self._path):
            return self._recover()

    def append(self, lines: Sequence[str]) -> None:
        """Append records, each as a line, and sync them to disk.

        Raises KataError when they cannot be written; then the file ends with the last complete record.
        """
        assert self._file is not None
        content = "".join(f"{line}\n" for line in lines).encode("utf-8")
        try:
            _write_all(self._file, content)
            os.fsync(self._file)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._file, self._size)
            raise KataError(f"{self._path} cannot be written: {error.strerror}.") from None
        self._size += len(content)

    def finish(self, order: Sequence[str]) -> None:
        """Leave each learner's last record only, in this order; other learners come after. Raises KataError."""
        self.close()
        places = dict(final_lines(self._path))
        names = [name for name in order if name in places]
        listed = set(names)
        names += [name for name in places if name not in listed]
        lines = [places[name] for name in names]
        with writing(self._path):
            self._keep_superseded(set(lines))
        if _is_all_in_order(lines, self._path.stat().st_size):
            return
        with writing(self._path):
            write_file(self._path, _lines_at(self._path, lines))

    def _keep_superseded(self, final: Set[Line]) -> None:
        """Copy replaced records to another file: they are no results any more, but nothing is deleted."""
        superseded = [line for _, line in final_lines(self._path) if line not in final]
        if superseded:
            with open(open_to_append(self._out / SUPERSEDED), "ab") as kept:
                kept.writelines(_lines_at(self._path, superseded))

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _open(self) -> None:
        remove_unfinished(self._out)
        self._file = open_to_append(self._path)
        self._size = os.fstat(self._file).st_size

    def _recover(self) -> Recovered:
        known: dict[str, Known] = {}
        damaged: list[Line] = []
        remarks = []
        start = 0
        tail = b""
        with self._path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    record = Record.from_json(line)
                except RecordError:
                    if line.endswith(b"\n"):
                        damaged.append(Line(number, start, len(line)))
                    else:
                        remarks.append("The last record was cut short when the earlier run ended and does not count.")
                        break
                else:
                    known[record.submission] = Known.of(record)
                    tail = b"" if line.endswith(b"\n") else b"\n"
                start += len(line)
        if damaged:
            remarks.append(self._set_aside(damaged, start))
        self._open()
        assert self._file is not None
        if not damaged:
            os.ftruncate(self._file, start)
        _write_all(self._file, tail)
        os.fsync(self._file)
        self._size = os.fstat(self._file).st_size
        return Recovered(known, tuple(remarks))

    def _set_aside(self, damaged: Sequence[Line], end: int) -> str:
        """Move lines that are no records to a file beside it."""
        with open(open_to_append(self._out / DAMAGED), "ab") as kept:
            kept.writelines(_lines_at(self._path, damaged))
        write_file(self._path, _lines_at(self._path, list(_between(damaged, end))))
        lines = ", ".join(str(line.number) for line in damaged[:5]) + (", ..." if len(damaged) > 5 else "")
        return f"Not a record, moved to {DAMAGED}, and graded again: line {lines} of {RESULTS}."


def _between(holes: Sequence[Line], end: int) -> Iterator[Line]:
    """Yield the parts of a file between some of its lines."""
    start = 0
    for hole in [*holes, Line(0, end, 0)]:
        if hole.start > start:
            yield Line(0, start, hole.start - start)
        start = hole.start + hole.size


def _keep_previous(out: Path) -> None:
    """Move older results aside; results that were moved there before get a number."""
    if (out / RESULTS).stat().st_size:
        free_previous(out / PREVIOUS)
        (out / RESULTS).rename(out / PREVIOUS)


def free_previous(previous: Path) -> None:
    """Rename `previous` to a numbered name, so that its name is free. Raises OSError."""
    if previous.exists():
        number = 2
        while (older := previous.with_name(f"{previous.stem}.{number}{previous.suffix}")).exists():
            number += 1
        previous.rename(older)


def _is_all_in_order(lines: Sequence[Line], size: int) -> bool:
    """Whether a file consists of exactly these lines, in this order."""
    end = 0
    for line in lines:
        if line.start != end:
            return False
        end += line.size
    return end == size


def _lines_at(path: Path, places: Sequence[Line]) -> Iterator[bytes]:
    with path.open("rb") as file:
        for place in places:
            file.seek(place.start)
            yield file.read(place.size)


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an OSError for this file into a KataError with one sentence."""
    try:
        yield
    except OSError as error:
        raise KataError(f"{path} cannot be written: {error.strerror}.") from None
