"""Keeps OUT/results.jsonl: lines are appended and synced, a torn one is cut off, and the end is one line a learner."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from grader.record import Record, RecordError
from grader.writing import open_to_append, remove_unfinished, sync_folder, write_file

from .results_file import RESULTS, Line, final_lines

PREVIOUS = "results.previous.jsonl"
DAMAGED = "results.damaged.jsonl"
SUPERSEDED = "results.superseded.jsonl"


class LedgerError(Exception):
    """The results cannot be written; the text is one sentence. What was written before stays valid."""


@dataclass(frozen=True)
class Known:
    """What an earlier run found out about one learner.

    again: the digests of what was read where exercises were graded again.
    """

    digest: str
    complete: bool
    again: frozenset[str] = frozenset()

    @classmethod
    def of(cls, record: Record) -> Known:
        """What a record tells."""
        again = (each.graded_again.digest for each in record.exercises if each.graded_again)
        return cls(record.digest, record.complete, frozenset(again))

    def is_all_of(self, digest: str) -> bool:
        """Whether every exercise of the record is of a submission with this digest."""
        return {self.digest, *self.again} == {digest}


@dataclass(frozen=True)
class Recovered:
    """What an earlier run left, and what there is to say about it."""

    known: dict[str, Known]
    remarks: tuple[str, ...]


class Ledger:
    """The results file of a run. Nothing is written before the first record is there."""

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
        """Keep older results beside the new ones that will come. Raises LedgerError."""
        with writing(self._path):
            if self._path.exists():
                _keep_previous(self._out)

    def begin(self) -> None:
        """Make a new file. Raises LedgerError."""
        with writing(self._path):
            self._open()

    def go_on(self) -> Recovered:
        """Take up the file of an earlier run: what counts in it, with a torn last line cut off. Raises LedgerError."""
        with writing(self._path):
            return self._recover()

    def append(self, lines: Sequence[str]) -> None:
        """Write records, each as a line, and wait until they are on the disk.

        Raises LedgerError when they cannot be written; the file then ends with the last record that could be.
        """
        assert self._file is not None
        content = "".join(f"{line}\n" for line in lines).encode("utf-8")
        try:
            _write_all(self._file, content)
            os.fsync(self._file)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._file, self._size)
            raise LedgerError(f"{self._path} cannot be written: {error.strerror}.") from None
        self._size += len(content)

    def finish(self, order: Sequence[str]) -> None:
        """Leave each learner's last record alone, in this order; learners not in it come after. Raises LedgerError."""
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
            write_file(self._path, _lines_at(self._path, lines), synced=True)

    def _keep_superseded(self, final: Set[Line]) -> None:
        """Records that a newer one of the same learner has replaced are no results, but nothing is thrown away."""
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
        sync_folder(self._out)

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
        """Take lines that are no records out of the file; they are kept beside it."""
        with open(open_to_append(self._out / DAMAGED), "ab") as kept:
            kept.writelines(_lines_at(self._path, damaged))
        write_file(self._path, _lines_at(self._path, list(_between(damaged, end))), synced=True)
        lines = ", ".join(str(line.number) for line in damaged[:5]) + (", ..." if len(damaged) > 5 else "")
        return f"Not a record, moved to {DAMAGED}, and graded again: line {lines} of {RESULTS}."


def _between(holes: Sequence[Line], end: int) -> Iterator[Line]:
    """The stretches of a file around some lines of it."""
    start = 0
    for hole in [*holes, Line(0, end, 0)]:
        if hole.start > start:
            yield Line(0, start, hole.start - start)
        start = hole.start + hole.size


def _keep_previous(out: Path) -> None:
    """Put older results beside the new, and results older than those beside them under a number."""
    if (out / RESULTS).stat().st_size:
        free_previous(out / PREVIOUS)
        (out / RESULTS).rename(out / PREVIOUS)


def free_previous(previous: Path) -> None:
    """Give what is kept as `previous` a number, so that what is put aside next has that name. Raises OSError."""
    if previous.exists():
        number = 2
        while (older := previous.with_name(f"{previous.stem}.{number}{previous.suffix}")).exists():
            number += 1
        previous.rename(older)


def _is_all_in_order(lines: Sequence[Line], size: int) -> bool:
    """Whether a file consists of just these lines, in this order."""
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
    """Tell in one sentence that a file cannot be written. Raises LedgerError in place of OSError."""
    try:
        yield
    except OSError as error:
        raise LedgerError(f"{path} cannot be written: {error.strerror}.") from None
