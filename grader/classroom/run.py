"""One run of `kata grade-class`: grades a class into a folder, or resumes a stopped run.

Only one run can use a folder at a time: a lock, which the system frees when a run ends, however it ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from filelock import Timeout

from grader.course import Course
from grader.errors import KataError
from grader.files import lock_at
from grader.intake.names import first_few
from grader.record import Record

from .corrections import PREVIOUS, set_aside
from .dispatch import Dispatch, Lost
from .entries import Entry, OutOfReach, read_entry
from .groups import one_work_each
from .ledger import Known, Ledger, writing
from .members import CLASS_LIST, Members, write_class_list
from .regrading import MOVED, Grades, Move, Regrading, grades_before, moves_since, write_moves
from .results_file import NOT_GRADED, RESULTS, class_of, digest_of, fault_record, write_not_graded
from .run_header import RUN, RunHeader, Terms, read_run, write_run

LOCK = ".lock"


@contextmanager
def sole_run(out: Path) -> Iterator[None]:
    """Lock OUT for this run. OUT is created if missing, and removed again if nothing was written to it.

    Raises KataError when another run has the lock, OSError when OUT cannot be created.
    """
    is_new = not out.exists()
    lock = lock_at(out / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise KataError(f"Another run is grading into {out}: wait until it ends, or give another folder.") from None
    try:
        yield
    finally:
        if is_new and [each.name for each in out.iterdir()] == [LOCK]:
            with suppress(OSError):
                (out / LOCK).unlink()
                out.rmdir()
        lock.release()


@dataclass
class Tally:
    """The progress of a run."""

    total: int
    graded: int = 0
    unchanged: int = 0
    faults: list[str] = field(default_factory=list)
    """Names of records without points because of a fault of the grader."""
    remarks: list[str] = field(default_factory=list)
    """Sentences for the person who grades."""


class ClassRun:
    """Grades a class into OUT. The caller holds the lock on OUT."""

    def __init__(self, out: Path, members: Members, course: Course, terms: Terms, header: RunHeader) -> None:
        self._out, self._members, self._course = out, members, course
        self._terms, self._header = terms, header
        self._ledger = Ledger(out)
        self._known: dict[str, Known] = {}
        self._untaken = len(members.entries)
        self._has_results = False
        self._regrading: Regrading | None = None
        self._before: RunHeader | None = None
        self._read_before: Course | None = None
        self._grades_before: dict[str, Grades] = {}
        self._also: dict[str, list[str]] = {}
        self._times_before: Mapping[str, Mapping[str, datetime]] = {}
        self._anew: list[str] = []
        """Who has handed in something else since the run before."""
        self.moves: list[Move] = []
        """The points that this run changed; filled at its end."""
        self.tally = Tally(self._untaken, remarks=list(members.remarks))

    @property
    def has_results(self) -> bool:
        """Whether OUT holds results of this run, including the run that it resumes."""
        return self._has_results

    def go_on(self, *, again: bool = False) -> None:
        """Resume the earlier run in OUT; does nothing if it left no record.

        again: grade only the chosen exercises again, for learners who have a record.

        Raises KataError when the earlier run had other terms, when its class list is damaged, and when OUT cannot be
        written; then also OSError.
        """
        results = self._out / RESULTS
        if not results.exists() or not results.stat().st_size:
            return
        before = read_run(self._out)
        if before is None:
            raise KataError(
                f"{self._out} holds results of an older make, without the terms they were graded on: "
                "grade the class anew, without --resume."
            )
        before = before.model_copy(update={"source": self._header.source})
        if again:
            self._regrading = Regrading(results, before, self._header, self._course, self._terms)
            self._regrading.refuse_others(self._out)
        elif gone := before.withdrawn(self._header):
            self._read_before = _with_withdrawn(self._course, gone)
        elif differences := before.differences(self._header):
            raise KataError(
                f"{self._out} was graded on other terms: {'; '.join(differences)}. "
                f"{_how_to_resume(before, self._header)}Grade the class anew, without --resume, or give another folder."
            )
        self._before = before
        with writing(self._out / RUN):
            write_run(self._out, before)
        self._times_before = {each.name: each.handed_in_at for each in class_of(self._out, ())}
        recovered = self._ledger.go_on()
        self._has_results = True
        self._known = recovered.known
        self.tally.remarks += recovered.remarks
        self._write_class_list()
        if self._regrading is not None:
            self._regrading.begin()
            self._tell_what_is_left(self._regrading)

    def grade(self, executor: Executor, width: int, note_graded: Callable[[str, bool], None]) -> None:
        """Grade everybody without a record; at the end leave one line a learner, in class order.

        width: the number of batches sent out at the same time. note_graded: called with each learner's name, and
        whether there was anything to grade.

        Raises KataError when the results cannot be written, MachineError and GraderBroken when grading is impossible;
        records already written stay valid.
        """
        dispatch = Dispatch(executor, width, self._terms)
        try:
            for found in dispatch.records(self._todo(note_graded), lambda: self._untaken):
                records = self._records(found)
                self._keep(records if self._regrading is None else self._put_together(records, self._regrading))
                for record in records:
                    note_graded(record.submission, True)
            if self._ledger.is_open:
                self._finish()
            if names := self._with_old_times():
                self.tally.remarks.append(
                    f"Handed in anew, while the roster still has the earlier time: {first_few(names)}. Give --roster "
                    "with the times of today, as it may be late."
                )
        finally:
            self._ledger.close()

    def _finish(self) -> None:
        """Leave one line a learner. Before that list changed points, while both lines of a learner are still there."""
        if self._before is not None:
            results = self._out / RESULTS
            graded = grades_before(results, self._before, counted=False)
            self._grades_before = grades_before(results, self._before, counted=True)
            self._list_moves(moves_since(graded, results, self._now, counted=False))
        self._ledger.finish([member.learner.name for member in self._members.all])
        if self._regrading is not None and not self.tally.faults:
            with writing(self._out / RUN):
                write_run(self._out, self._regrading.header())

    @property
    def _now(self) -> RunHeader | None:
        """The terms of records that do not name their own."""
        before = self._before
        return before and self._header.model_copy(update={"kits": {**before.kits, **self._header.kits}})

    def settle_moves(self) -> None:
        """List the changes in counted points, after policy and corrections were applied to the records again."""
        if self._grades_before:
            self._list_moves(moves_since(self._grades_before, self._out / RESULTS, self._now, counted=True))

    def _list_moves(self, moves: list[Move]) -> None:
        self.moves = moves
        if moves:
            with writing(self._out / MOVED):
                write_moves(self._out, moves)

    def _with_old_times(self) -> list[str]:
        """Who has handed in something else since the run before, though the roster's times are the same."""
        times = {each.learner.name: each.learner.handed_in_at for each in self._members.all}
        return [name for name in self._anew if times[name] and times[name] == self._times_before.get(name)]

    def _todo(self, note_graded: Callable[[str, bool], None]) -> Iterator[Entry]:
        for entries in one_work_each(self._members):
            self._untaken -= len(entries)
            waiting = []
            for entry in entries:
                if (self._regrading is not None and not self._regrading.has(entry.name)) or self._is_unchanged(entry):
                    self.tally.unchanged += 1
                    note_graded(entry.name, False)
                else:
                    if self._regrading is None and (known := self._known.get(entry.name)) and known.complete:
                        self._anew.append(entry.name)
                    waiting.append(entry)
            if waiting:
                first, *others = waiting
                self._also[first.name] = [each.name for each in others]
                yield first

    def _is_unchanged(self, entry: Entry) -> bool:
        known = self._known.get(entry.name)
        if known is None or (self._regrading is None and not (known.complete and known.digest)):
            return False
        try:
            digest = digest_of(read_entry(entry, self._course))
            if self._regrading is not None:
                return self._regrading.is_done(entry.name, digest)
            if self._read_before is not None and not known.is_all_of(digest):
                digest = digest_of(read_entry(entry, self._read_before))
            return known.is_all_of(digest)
        except OutOfReach as error:
            self.tally.remarks.append(f"{entry.name} keeps its record of the earlier run. {error}")
            return True
        except Exception:  # a judge's process will find and report the error
            return False

    def _records(self, found: list[str] | Lost) -> list[Record]:
        """The records of what was graded, one for each whose work it is."""
        if isinstance(found, Lost):
            name = found.entry.name
            self.tally.remarks += [f"{each} was not graded. {found.reason}" for each in (name, *self._also[name])]
            return self._of_each(fault_record(name, found.reason, self._course, self._terms))
        return [record for line in found for record in self._of_each(Record.from_json(line))]

    def _of_each(self, record: Record) -> list[Record]:
        others = self._also[record.submission]
        return [record, *(record.model_copy(update={"submission": name}) for name in others)]

    def _put_together(self, records: list[Record], regrading: Regrading) -> list[Record]:
        """Merge results graded again into whole records; a learner with a fault of the grader keeps the old record."""
        failed = [record.submission for record in records if not record.complete]
        self.tally.faults += failed
        if failed:
            self.tally.remarks.append(f"Not graded again, so the earlier points stay: {', '.join(failed)}.")
        return [regrading.together(record) for record in records if record.complete]

    def _tell_what_is_left(self, regrading: Regrading) -> None:
        if behind := regrading.left_behind():
            more = " ".join(f"--only {id}" for id in behind)
            self.tally.remarks.append(f"Changed as well, and not graded again: {', '.join(behind)}. Add {more}.")
        if waiting := [each.name for each in self._members.entries if not regrading.has(each.name)]:
            self.tally.remarks.append(
                f"Without a record, so nothing is graded again: {first_few(waiting)}. "
                "--resume without --only grades them, before or after."
            )

    def _keep(self, records: list[Record]) -> None:
        if not self._ledger.is_open:  # not earlier: if nothing can be graded, older results stay unchanged
            self._ledger.set_older_aside()
            if set_aside(self._out):
                kept = self._out / PREVIOUS
                self.tally.remarks.append(f"What was set by hand is about the earlier grading, and kept in {kept}.")
            with writing(self._out / RUN):
                write_run(self._out, self._header)
            self._write_class_list()
            self._ledger.begin()
            self._has_results = True
        self._ledger.append([record.to_json() for record in records])
        for record in records:
            self.tally.graded += 1
            if self._regrading is not None:
                continue
            if not record.complete:
                self.tally.faults.append(record.submission)
            elif reason := record.why_unreadable or _why_empty(record):
                self.tally.remarks.append(f"{record.submission}: {reason}")

    def _write_class_list(self) -> None:
        """Write the class list: the class, then learners who only have a record of an earlier run."""
        with writing(self._out / NOT_GRADED):
            write_not_graded(self._out, self._members.left_out)
        path = self._out / CLASS_LIST
        with writing(path):
            gone = write_class_list(path, [member.learner for member in self._members.all], self._known)
        self.tally.remarks += [f"{name} is not among the submissions any more; the record is kept." for name in gone]


def _how_to_resume(before: RunHeader, now: RunHeader) -> str:
    """How to resume if only the kits of some exercises have changed; else empty."""
    changed = before.changed_kits(now)
    if not changed or (before.seed, before.isolation, before.only) != (now.seed, now.isolation, now.only):
        return ""
    return f"To grade these again for everybody: --resume {' '.join(f'--only {id}' for id in changed)}. "


def _with_withdrawn(course: Course, ids: Sequence[str]) -> Course:
    """The course with withdrawn exercises added, to read submissions as before: then they count as unchanged."""
    *others, last = course.units
    gone = (course.exercises[0].model_copy(update={"id": id, "unit": last.folder}) for id in ids)
    return course.model_copy(
        update={"units": (*others, last.model_copy(update={"exercises": (*last.exercises, *gone)}))}
    )


def _why_empty(record: Record) -> str:
    """Why a submission has no exercises, if its problems do not say it already."""
    return record.problems[0].message if record.is_empty and record.problems else ""
