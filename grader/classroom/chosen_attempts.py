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

from .attempt_times import attempt_times
from .attempts import ATTEMPTS, in_order, whose
from .corrections import read_corrections
from .download import first_few
from .final_points import nobody, rewrite, without_hints, without_time
from .kept_times import KeptTimes
from .learners import CLASS_LIST, ClassListError, Learner, write_class_list
from .ledger import writing
from .members import Members
from .not_graded import write_not_graded
from .opened_hints import hints_by_learner
from .results_file import Result, Results, ResultsError, class_of, read_results, ungraded
from .times import by_learner

_Places = Mapping[str, Sequence[int]]
"""Where each learner's records stand among those of all attempts, in the order of the attempts' names."""


def keep_class_list(out: Path, members: Members) -> None:
    """Write down the learners of a class of attempts, and what was not graded.

    Raises LedgerError when that cannot be done, ResultsError when what an earlier run left cannot be read.
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
    """Make OUT's records from those of the attempts; sentences about what the person who grades should know.

    raw: leave out final points, and choose by the graded ones.

    Raises ResultsError when records cannot be read, LedgerError when they cannot be written.
    """
    results = read_results(out / ATTEMPTS)
    places = _places(results)
    learners = class_of(out, places)
    known = attempt_times(times.hand_in_rows, learners, _names(results, learners, places))
    until, stranger = by_learner(times.extension_rows, learners)
    hints, strangest = hints_by_learner(times.hints or (), learners)
    corrections = read_corrections(out)
    strange = (*known.nobody, *(f"{learner}, attempt {name}," for learner, name in known.odd))

    def tried(result: Result, learner: str) -> Tried:
        moments = known.at.get(result.learner.name, {})
        hand_in = HandIn(moments, until.get(learner, {}), hints.get(learner, {}), corrections.get(learner, {}))
        record = result.record if raw else adjusted(result.record, course, hand_in, always=any(corrections.values()))
        return Tried(whose(result.learner.name)[1], record, max(moments.values(), default=None))

    def records() -> Iterator[Record]:
        for learner in learners:
            if learner.name in places and not learner.is_disputed:
                attempts = [tried(results[place], learner.name) for place in places[learner.name]]
                record = chosen(attempts, course.policy.attempts, course.policy.attempts_at_most)
                yield record.model_copy(update={"submission": learner.name})

    rewrite(out, records())
    unknown = [each.name for each in results.learners if each.name not in known.at]
    missing = [] if raw else [*without_time(unknown, course), *without_hints(times, course)]
    remarks = [*nobody(strange, stranger, strangest), *missing]
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
        found.setdefault(whose(learner.name)[0], []).append(place)
    for places in found.values():
        places.sort(key=lambda place: in_order(whose(results.learners[place].name)[1]))
    return found


def _names(results: Results, learners: Sequence[Learner], places: _Places) -> dict[str, list[str]]:
    """The names of each learner's attempts, in their order."""
    return {
        learner.name: [whose(results.learners[place].name)[1] for place in places.get(learner.name, ())]
        for learner in learners
    }
