"""OUT/results.jsonl from OUT/attempts: of each learner the attempt that counts, with its final points.

It grades nothing, and can be done again when the course's policy or what is known of hand-ins has changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from grader.course import Course
from grader.policy.adjusting import adjusted
from grader.policy.choosing import Tried, chosen
from grader.policy.rules import HandIn
from grader.results import Record
from grader.submission.naming import kind_of_file

from .attempts import ATTEMPTS, in_order, whose
from .final_points import nobody, rewrite, without_hints, without_time
from .kept_times import KeptTimes
from .learners import CLASS_LIST, ClassListError, write_class_list
from .ledger import writing
from .members import Members, first_few
from .opened_hints import hints_by_learner
from .results_file import Result, Results, ResultsError, class_of, read_results, ungraded
from .times import Moments, by_attempt, by_learner

_Places = Mapping[str, Sequence[int]]
"""Where each learner's records stand among those of all attempts, in the order of the attempts' names."""


def keep_class_list(out: Path, members: Members) -> None:
    """Write down the learners of a class of attempts.

    Raises LedgerError when that cannot be done, ResultsError when what an earlier run left cannot be read.
    """
    path = out / CLASS_LIST
    recorded = _places(read_results(out / ATTEMPTS))
    try:
        with writing(path):
            write_class_list(path, [member.learner for member in members.all], recorded)
    except ClassListError as error:
        raise ResultsError(str(error)) from None


def choose_attempts(out: Path, course: Course, times: KeptTimes, *, raw: bool) -> list[str]:
    """Make OUT's records from those of the attempts; sentences about what the person who grades should know.

    raw: leave out final points, and choose by the graded ones.

    Raises ResultsError when records cannot be read, LedgerError when they cannot be written.
    """
    results = read_results(out / ATTEMPTS)
    places = _places(results)
    learners = class_of(out, places)
    rows, strange = by_attempt(times.hand_in_rows, learners)
    until, stranger = by_learner(times.extension_rows, learners)
    hints, strangest = hints_by_learner(times.hints or (), learners)
    at: dict[str, Moments] = {}
    for learner in learners:
        names = [results.learners[place].name for place in places.get(learner.name, ())]
        known, odd = _moments(rows.get(learner.name, {}) if names else {}, [whose(name)[1] for name in names])
        at |= {f"{learner.name}/{name}": moments for name, moments in known.items()}
        strange = (*strange, *(f"{learner.name}, attempt {name}," for name in odd))

    def tried(result: Result, learner: str) -> Tried:
        moments = at.get(result.learner.name, {})
        hand_in = HandIn(moments, until.get(learner, {}), hints.get(learner, {}))
        record = result.record if raw else adjusted(result.record, course, hand_in)
        return Tried(whose(result.learner.name)[1], record, max(moments.values(), default=None))

    def records() -> Iterator[Record]:
        for learner in learners:
            if learner.name in places:
                attempts = [tried(results[place], learner.name) for place in places[learner.name]]
                record = chosen(attempts, course.policy.attempts)
                yield record.model_copy(update={"submission": learner.name})

    rewrite(out, records())
    unknown = [each.name for each in results.learners if each.name not in at]
    missing = [] if raw else [*without_time(unknown, course), *without_hints(times, course)]
    remarks = [*nobody(strange, stranger, strangest), *missing]
    if waiting := [learner.name for learner in ungraded(out / ATTEMPTS)]:
        remarks.append(f"Not graded yet, so they do not count so far: {first_few(waiting)}.")
    return remarks


def _places(results: Results) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for place, learner in enumerate(results.learners):
        found.setdefault(whose(learner.name)[0], []).append(place)
    for places in found.values():
        places.sort(key=lambda place: in_order(whose(results.learners[place].name)[1]))
    return found


def _moments(rows: Mapping[str, Moments], attempts: Sequence[str]) -> tuple[dict[str, Moments], list[str]]:
    """One learner's moments by attempt, and what is none of the learner's attempts.

    rows: by the attempt as it was written; without one it is the last that has no row of its own.
    """
    spelt = {name.casefold(): name for name in attempts}
    found: dict[str, Moments] = {}
    odd = []
    for written, moments in rows.items():
        name = spelt.get(written.casefold()) or spelt.get(_without_ending(written).casefold())
        if name is not None:
            found.setdefault(name, moments)
        elif written:
            odd.append(written)
    if "" in rows and attempts:
        found.setdefault(attempts[-1], rows[""])
    return found, odd


def _without_ending(name: str) -> str:
    return name if kind_of_file(name) == "unknown" else name.rpartition(".")[0]
