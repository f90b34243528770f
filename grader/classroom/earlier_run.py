"""What an earlier run demands of one that goes on with it: the same terms, the same class, each row its learner's.

And whose points differ between two runs, or two gradings, and why. Nothing is graded.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from grader.course import Course
from grader.errors import KataError
from grader.intake.names import first_few
from grader.record import ExerciseResult
from grader.render.safe_text import safe_line
from grader.render.wording import counted, score

from .class_list import ClassList
from .grading_terms import Run, changed_kits, differences
from .platforms import Platform, read_names
from .results import ClassResults, Result
from .roster import Learner, folded
from .store import Row, Store, reading
from .submission_files import SubmissionFiles

NUMBERED: Collection[Platform] = ("canvas", "moodle", "brightspace")
"""The platforms that write a number of the learner's beside a display name, which learners can change."""
OTHER_ROSTER = "Give the roster of that run, with new learners added; --anew begins again."


def exercises_of(before: Run | None, course: Course, only: Sequence[str]) -> tuple[str, ...]:
    """The exercises of a run that goes on: those of the run before that there still are, and those that are named."""
    if before is None:
        return tuple(only)
    there = [each.id for each in course.exercises]
    return tuple(id for id in there if id in (*before.exercises, *only)) if before.exercises else ()


def refuse_other_terms(store: Store, before: Run, now: Run, only: Collection[str]) -> list[str]:
    """Raise KataError when a run would grade on other terms than the run before. Returns what stays as it was graded.

    only: the exercises that were named: the course and the programs may have changed since, and these are graded again.
    """
    counting = store.graded_by(before)
    versions = {each.id: each.versions for each in store.runs()}
    oldest = min((run for _, _, run in counting), default=before.id)
    chosen = tuple(id for id in now.exercises if id in before.exercises)
    then = replace(before, exercises=chosen, versions=versions[oldest])
    if only:
        then = replace(then, version=now.version, versions=now.versions, kits=now.kits, digest=now.digest)
    if found := differences(then, replace(now, exercises=chosen)):
        raise KataError(
            f"{store.folder} was graded on other terms: {'; '.join(found)}. {_how_to_resume(then, now)}"
            "--anew begins again; or give another folder."
        )
    stale = {id for id, kit, run in counting if (kit, versions[run]) != (now.kits.get(id, kit), now.versions)}
    return [id for id in now.kits if id in stale and id not in only] if only else []


def refuse_others(store: Store, before: Run, everyone: ClassList, matches: Collection[str]) -> None:
    """Raise KataError if this is another class, or if a row would be lost or another's.

    matches: the entries of which a person has said whose they are.
    """
    graded = store.graded(before)
    if not graded:
        return
    now = {each.id: each for each in everyone.learners}
    known = {each.learner.id: each.learner for each in store.members(before)}
    work = {id for files in everyone.submissions for id in files.learners}
    if moved := list(_moved(known, now)):
        raise KataError(f"The row of {first_few(moved)} would be another's. {OTHER_ROSTER}")
    left = [id for id in known if id in graded and id not in now]
    if left and any(each.in_roster for each in (*now.values(), *known.values())):
        raise KataError(f"{first_few(left)} would lose their row. {OTHER_ROSTER}")
    if everyone.submissions and graded.isdisjoint(work):
        raise KataError(
            f"None of those who were graded into {store.folder} handed in anything of this. It knows "
            f"{first_few(sorted(graded), 3)}, and here are {first_few(sorted(work), 3)}: give another folder."
        )
    others = [files for files in everyone.submissions if files.entry not in matches]
    if told := list(_with_other_owners(store.entries(before), others, everyone.platform)):
        raise KataError(f"{' '.join(told)} Say whose they are with --match.")


def _moved(before: dict[str, Learner], now: dict[str, Learner]) -> Iterator[str]:
    """Ids that now belong to somebody who had another id in the class, and has it no more."""
    owners = {folded(each.name): id for id, each in before.items() if each.in_roster}
    for id, learner in now.items():
        name = folded(learner.name)
        is_renamed = id in before and folded(before[id].name) != name
        owner = owners.get(name, id)
        if is_renamed and owner != id and (owner not in now or folded(now[owner].name) != name):
            yield id


def _with_other_owners(
    before: Mapping[str, Collection[str]], now: Sequence[SubmissionFiles], platform: Platform
) -> Iterator[str]:
    """Sentences on submissions that were another's in the run before, by their name or the platform's number in it.

    And on those that would take the row of a learner who had another number.
    """
    owners = {key: whose for entry, whose in before.items() for key in _keys(entry, platform)}
    numbers: dict[str, set[str]] = {}
    for entry, whose in before.items():
        for id in whose if len(whose) == 1 else ():
            numbers.setdefault(id, set()).update(_numbers(entry, platform))
    for files in now:
        known = [set(owners[key]) for key in _keys(files.entry, platform) if key in owners]
        if any(whose.isdisjoint(files.learners) for whose in known):
            one, theirs = " and ".join(sorted(known[0])), " and ".join(files.learners)
            yield f"{files.entry} was of {one} in the run before, and would be of {theirs}."
        elif new := _numbers(files.entry, platform) - owners.keys():
            for id in files.learners:
                if (had := numbers.get(id)) and id not in files.as_group:
                    old, number = (first_few(sorted(each)) for each in (had, new))
                    yield f"{files.entry} would be of {id}, whose number was {old} in the run before, and is {number}."


def _numbers(entry: str, platform: Platform) -> set[str]:
    return _keys(entry, platform) - {entry}


def _keys(entry: str, platform: Platform) -> set[str]:
    """By what a submission is known again: its name, and a number of the platform's that can be read in one way."""
    names = read_names(platform, [entry, f"{entry}/"]).values() if platform in NUMBERED else ()
    return {entry, *(f"#{name.readings[0].id}" for name in names if len(name.readings) == 1)} - {"#"}


def _how_to_resume(before: Run, now: Run) -> str:
    """How to resume if only the kits of some exercises have changed; else empty."""
    changed = changed_kits(before, now)
    if not changed or (before.seed, before.level) != (now.seed, now.level):
        return ""
    return f"To grade these again for everybody: --resume {' '.join(f'--only {id}' for id in changed)}. "


# --- whose points differ ----------------------------------------------------------------------------------------------

COURSE = "the course"
SEED = "the seed"
ISOLATION = "the isolation"
FILE = "what was handed in"
POLICY = "the policy, the roster or what is set by hand"
CHOSEN = "the exercises that were chosen, or that the course has"
UNKNOWN = "nothing that is recorded"
STAYS = "what counts stays, by the policy or as it is set by hand"


@dataclass(frozen=True)
class Move:
    """A learner's counted points for one exercise, before and after; None where it was not graded."""

    learner: str
    exercise: str
    old: float | None
    new: float | None
    reason: str

    def __str__(self) -> str:
        old, new = ("none" if points is None else score(points) for points in (self.old, self.new))
        return f"{safe_line(self.learner)}  {safe_line(self.exercise)}  {old} -> {new}  ({self.reason})"


def moves_between(before: ClassResults, after: ClassResults) -> Iterator[Move]:
    """The points that differ, of the learners who are in both."""
    there = {each.id for each in after.learners}
    for learner in before.learners:
        if learner.id in there:
            old, new = before.of(learner), after.of(after.learner(learner.id))
            for id in dict.fromkeys([*old.rows, *new.rows]):
                yield from _move(id, old, new, [before, after])


def _move(id: str, old: Result, new: Result, classes: Sequence[ClassResults]) -> Iterator[Move]:
    one, other = (each.exercise(id) if id in each.rows else None for each in (old, new))
    was, now = (None if each is None or each.status == "error" else each.counted_points for each in (one, other))
    reason = ""
    if one is None or other is None:
        reason = CHOSEN
    elif _points(one) != _points(other):
        reason = " and ".join(_causes(old.rows[id], new.rows[id], classes)) or UNKNOWN
        reason += f"; {STAYS}" if was == now else ""
    elif was != now:
        reason = POLICY
    if reason:
        yield Move(old.learner.id, id, was, now, reason)


def _points(exercise: ExerciseResult) -> float | None:
    return None if exercise.status == "error" else exercise.points


def _causes(old: Row, new: Row, classes: Sequence[ClassResults]) -> Iterator[str]:
    """What differs, in words."""
    one, other = (each.runs[row.run] for each, row in zip(classes, (old, new), strict=True))
    told = {
        COURSE: old.kit != new.kit,
        SEED: one.seed != other.seed,
        FILE: old.source != new.source,
        ISOLATION: one.level != other.level,
    }
    yield from (cause for cause, is_so in told.items() if is_so)
    before, after = one.versions, other.versions
    yield from (f"the version of {name}" for name in sorted(before) if before[name] != after.get(name, before[name]))


def told(moves: Sequence[Move], most: int) -> Iterator[str]:
    """The first of these, a line each, and how many more there are."""
    yield from (f"  {move}" for move in islice(moves, most))
    if (more := len(moves) - most) > 0:
        yield f"  and {more} more"


def compared(one: Path, other: Path | None, course: Course) -> Iterator[str]:
    """Yield lines on the differences of two graded classes; of one class, between its last run and the one before.

    Raises KataError when one cannot be read, or there is only one run.
    """
    with ExitStack() as stack:
        after = ClassResults(stack.enter_context(reading(other or one)), course)
        runs = list(after.runs.values())
        if other is None and len(runs) == 1:
            raise KataError(
                f"{one} holds one run: there is nothing to compare it with. Another folder: kata diff {one} OTHER"
            )
        store = stack.enter_context(reading(one))
        before = ClassResults(store, course, runs[-2] if other is None else None)
        names = [str(one), str(other)] if other else ["the run before", "the last run"]
        yield from _differences(before, after, names)


def _differences(before: ClassResults, after: ClassResults, names: list[str]) -> Iterator[str]:
    changes = differences(before.run, after.run)
    yield f"On other terms: {'; '.join(changes)}." if changes else "On the same terms."
    old, new = ([each.id for each in results.learners] for results in (before, after))
    for name, mine, theirs in zip(names, (old, new), (new, old), strict=True):
        if alone := [learner for learner in mine if learner not in set(theirs)]:
            yield f"Only in {name}: {', '.join(map(safe_line, alone))}."
    moves = list(moves_between(before, after))
    yield from told(moves, len(moves))
    moved, both = len({move.learner for move in moves}), len(set(old) & set(new))
    yield f"{counted(len(moves), 'difference')}, of {moved} of {counted(both, 'learner')} in both."
