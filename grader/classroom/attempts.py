"""Several attempts a learner: each is graded as a submission named LEARNER/ATTEMPT, into OUT/attempts.

OUT/attempts is an ordinary results folder of `kata grade-class`, so resuming, locks and durability are the same.
OUT/results.jsonl is made from it: for each learner the attempt that counts, with its final points. This step grades
nothing; it can run again when the policy or the hand-in times have changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from grader.course import Course
from grader.intake import LeftOut, SubmissionError, look_into
from grader.intake.names import first_few, printable
from grader.policy.adjusting import adjusted
from grader.policy.choosing import Tried, chosen, in_time_order
from grader.policy.rules import HandIn
from grader.record import Record

from .corrections import read_corrections
from .download import are_work
from .entries import Entry, entries
from .exemptions import exempt_by_learner
from .final_points import nobody, rewrite, told_withdrawn, withdrawn, without_hints, without_time
from .kept_times import KeptTimes, hints_by_learner
from .ledger import writing
from .members import CLASS_LIST, ClassListError, Learner, Member, Members, write_class_list
from .results_file import RESULTS, Result, Results, ResultsError, class_of, read_results, ungraded, write_not_graded
from .run import sole_run
from .run_header import RUN, RunError
from .times import attempt_times, by_learner

ATTEMPTS = "attempts"
_ONLY = "1"
"""The attempt's name for a learner who handed in a single submission, no folder of attempts."""


def graded_in(out: Path) -> Path:
    """The folder with the graded submissions: OUT, or the folder of attempts in it."""
    inner = out / ATTEMPTS
    return inner if (inner / RUN).exists() else out


@contextmanager
def folder_for_run(out: Path, *, attempts: bool) -> Iterator[Path]:
    """Lock OUT for this run; yields the folder to grade into.

    Raises RunError when another run has the lock or OUT was graded with the other setting of --attempts, OSError when
    OUT cannot be created.
    """
    with sole_run(out):
        has_attempts = graded_in(out) != out
        if attempts and not has_attempts and ((out / RUN).exists() or (out / RESULTS).exists()):
            raise RunError(f"{out} holds a class that was graded without --attempts: give another folder.")
        if has_attempts and not attempts:
            raise RunError(f"{out} holds a class that was graded with --attempts: give that too, or another folder.")
        if not attempts:
            yield out
            return
        with sole_run(out / ATTEMPTS, below=out):
            yield out / ATTEMPTS


def attempts_of(members: Members, course: Course, times: KeptTimes | None = None) -> Members:
    """Every attempt of a class as a submission: in class order, each learner's attempts sorted by name.

    If a learner has more attempts than the course allows, the last ones are graded: by time if the times of all are
    known, else by name.
    """
    found = _Attempts(course)
    theirs = [(each.learner, found.of(each)) for each in members.all if each.entry is not None]
    rows = times.hand_in_rows if times else []
    names = {learner.name: [each.name for each in attempts] for learner, attempts in theirs}
    known = attempt_times(rows, [learner for learner, _ in theirs], names)
    all: list[Member] = []
    for learner, attempts in theirs:
        moments = [known.at.get(f"{learner.name}/{each.name}", {}).values() for each in attempts]
        order = in_time_order([max(each, default=None) for each in moments])
        late = set(order[-course.policy.attempts_at_most :])
        found.leave_out(learner, [each for place, each in enumerate(attempts) if place not in late], course)
        all += [_one(learner, each) for place, each in enumerate(attempts) if place in late]
    remarks = (*members.remarks, *found.remarks())
    return replace(members, all=tuple(all), remarks=remarks, left_out=(*members.left_out, *found.left_out))


def _one(learner: Learner, attempt: Entry) -> Member:
    name = f"{learner.name}/{attempt.name}"
    one = learner.model_copy(update={"name": name, "shown": f"{learner.shown}, attempt {attempt.name}"})
    return Member(one, replace(attempt, name=name))


class _Attempts:
    """Finds the attempts of each learner, and files that are no attempt."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._whole: list[str] = []
        self._strays: list[str] = []
        self._too_many: list[str] = []
        self.left_out: list[LeftOut] = []

    def of(self, member: Member) -> list[Entry]:
        """The attempts in a learner's submission, sorted by name."""
        entry, learner = member.entry, member.learner
        assert entry is not None
        if entry.earlier:
            return [replace(each, name=each.attempt, earlier=()) for each in (*entry.earlier, entry)]
        found, others = _handed_over(entry)
        if are_work([path.name for path in found], self._course, loosely=True):
            self._whole.append(learner.shown)
            found = []
        if found:
            self._strays += [f"{learner.shown}/{printable(each.name)}" for each in others if not each.is_usual]
            self.left_out += [replace(each, name=f"{entry.path.name}/{each.name}") for each in others]
        attempts = entries(found, "plain") if found else [replace(entry, name=_ONLY)]
        return sorted(attempts, key=lambda attempt: in_order(attempt.name))

    def leave_out(self, learner: Learner, attempts: Sequence[Entry], course: Course) -> None:
        """Record the attempts beyond the number that may count."""
        self._too_many += [f"{learner.shown}/{each.name}" for each in attempts]
        most = course.policy.attempts_at_most
        why = (
            f"The last {most} attempts of a learner count (attempts_at_most in course.yml), and this is an earlier one."
        )
        self.left_out += [LeftOut(f"{learner.name}/{path.name}", why) for each in attempts for path in each.files]

    def remarks(self) -> Iterator[str]:
        """Yield sentences for the person who grades."""
        if self._whole:
            yield f"These folders hold exercises themselves, so each is one attempt: {first_few(self._whole)}."
        if self._strays:
            yield f"No attempts, since they are no folder, zip, tar, notebook or .py file: {first_few(self._strays)}."
        if self._too_many:
            most = self._course.policy.attempts_at_most
            yield f"More than {most} attempts (attempts_at_most), so not graded: {first_few(self._too_many)}."


def learner_and_attempt(name: str) -> tuple[str, str]:
    """The learner and the attempt of a record in the folder of attempts."""
    learner, _, attempt = name.rpartition("/")  # an attempt is named after a file, so it contains no /
    return learner, attempt


def in_order(name: str) -> tuple[list[tuple[str, int]], str]:
    """The sort key of attempts: 2 comes before 10."""
    parts = re.split(r"(\d+)", name.casefold())
    return [(text, int(number or 0)) for text, number in zip(parts[::2], [*parts[1::2], ""], strict=True)], name


def _handed_over(entry: Entry) -> tuple[list[Path], list[LeftOut]]:
    """The submissions in a learner's folder, and its other files; nothing if it is no folder or cannot be opened."""
    try:
        if entry.parts or entry.path.is_symlink() or not entry.path.is_dir():
            return [], []
        found = look_into(entry.path)
    except (OSError, SubmissionError):  # reading it reports the error
        return [], []
    return list(found.submissions), list(found.others)


_Places = Mapping[str, Sequence[int]]
"""For each learner the indices of their records among all, in the order of the attempts' names."""


def keep_class_list(out: Path, members: Members) -> None:
    """Write the class list of a class of attempts, and what was not graded.

    Raises LedgerError when they cannot be written, ResultsError when an earlier run's records cannot be read.
    """
    path = out / CLASS_LIST
    recorded = _places(read_results(out / ATTEMPTS))
    try:
        with writing(path):
            write_class_list(path, [member.learner for member in members.all], recorded)
            write_not_graded(out, members.left_out)
    except ClassListError as error:
        raise ResultsError(str(error)) from None


def choose_attempts(out: Path, course: Course, times: KeptTimes, *, raw: bool) -> list[str]:
    """Make OUT's records from those of the attempts; returns sentences for the person who grades.

    raw: leave out final points, and choose by the graded ones.

    Raises ResultsError when records cannot be read, LedgerError when they cannot be written.
    """
    results = read_results(out / ATTEMPTS)
    places = _places(results)
    learners = class_of(out, places)
    known = attempt_times(times.hand_in_rows, learners, _names(results, learners, places))
    until, stranger = by_learner(times.extension_rows, learners)
    hints, strangest = hints_by_learner(times.hints or (), learners)
    exempt, excused = exempt_by_learner(times.exempt or (), learners)
    gone = [] if raw else withdrawn(results, course)
    corrections = read_corrections(out)
    strange = (*known.nobody, *(f"{learner}, attempt {name}," for learner, name in known.odd))

    def tried(result: Result, learner: str) -> Tried:
        moments = known.at.get(result.learner.name, {})
        known_of = HandIn(
            at=moments,
            until=until.get(learner, {}),
            hints=hints.get(learner, {}),
            corrections=corrections.get(learner, {}),
            exempt=exempt.get(learner, {}),
        )
        always = any(corrections.values()) or bool(gone or times.exempt)
        record = result.record if raw else adjusted(result.record, course, known_of, always=always)
        return Tried(learner_and_attempt(result.learner.name)[1], record, max(moments.values(), default=None))

    def records() -> Iterator[Record]:
        for learner in learners:
            if learner.name in places and not learner.is_disputed:
                attempts = [tried(results[place], learner.name) for place in places[learner.name]]
                record = chosen(attempts, course.policy.attempts, course.policy.attempts_at_most)
                yield record.model_copy(update={"submission": learner.name})

    rewrite(out, records())
    unknown = [each.name for each in results.learners if each.name not in known.at]
    missing = [] if raw else [*without_time(unknown, course), *without_hints(times, course)]
    remarks = [*nobody(strange, stranger, strangest, excused), *missing, *told_withdrawn(gone)]
    if known.without_own and course.policy.due:
        remarks.append(
            "No time of their own, so their learner's latest (a column attempt tells them apart): "
            f"{first_few(known.without_own)}."
        )
    if waiting := [learner.name for learner in ungraded(out / ATTEMPTS)]:
        remarks.append(f"Not graded yet, so they do not count so far: {first_few(waiting)}.")
    return remarks


def _places(results: Results) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for place, learner in enumerate(results.learners):
        found.setdefault(learner_and_attempt(learner.name)[0], []).append(place)
    for places in found.values():
        places.sort(key=lambda place: in_order(learner_and_attempt(results.learners[place].name)[1]))
    return found


def _names(results: Results, learners: Sequence[Learner], places: _Places) -> dict[str, list[str]]:
    """The names of each learner's attempts, sorted."""
    return {
        learner.name: [learner_and_attempt(results.learners[place].name)[1] for place in places.get(learner.name, ())]
        for learner in learners
    }
