"""A run and one before it: whether it can go on with it, whose points differ between them, and why.

Who goes on has the same terms and the same class: no row is lost, or becomes another's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from grader.course import Course
from grader.errors import KataError
from grader.intake.names import first_few
from grader.render.safe_text import safe_line
from grader.render.wording import counted, score

from .class_list import ClassList, SubmissionFiles
from .grading_terms import Run, changes, differences, terms_of
from .platforms import NUMBERED, Platform, read_names
from .results import ClassResults, Result
from .roster import Learner, folded
from .store import Store, reading

# --- the same terms ---------------------------------------------------------------------------------------------------


def refuse_other_terms(store: Store, before: Run, now: Run) -> None:
    """Raise KataError when a run would grade another course, with another seed, in another isolation, other names."""
    terms = [
        {"the course": run.title, "the seed": run.seed, "the isolation": run.level, "the platform": run.platform}
        for run in (before, now)
    ]
    if told := changes(*terms):
        raise KataError(
            f"{store.folder} was graded on other terms: {'; '.join(told)}. --anew begins again; or give another folder."
        )


def about_changes(store: Store, before: Run, now: Run, only: Collection[str]) -> Iterator[str]:
    """Sentences on exercises whose results are of other checks or programs than now, and whether they are replaced."""
    runs = {each.id: each for each in store.runs()}
    counting = [(id, runs[run].kits[id], runs[run].versions) for id, run in store.graded_by(before) if id in now.kits]
    changed = {id for id, kit, _ in counting if kit != now.kits[id]}
    others = [(id, changes(programs, now.versions)) for id, _, programs in counting]
    if only:
        stale = changed.union(id for id, programs in others if programs)
        if left := [id for id in now.kits if id in stale and id not in only]:
            more = " ".join(f"--only {id}" for id in left)
            yield f"Changed as well, and not graded again: {', '.join(left)}. Add {more}."
        return
    if told := [id for id in now.kits if id in changed]:
        yield f"Graded again for everybody, since the checks, solution or known mistakes changed: {', '.join(told)}."
    if programs := sorted({each for _, told in others for each in told}):
        yield f"Graded again for everybody, since {'; '.join(programs)}."


# --- the same class ---------------------------------------------------------------------------------------------------

OTHER_ROSTER = "Give the roster of that run, with new learners added; --anew begins again."


def refuse_others(store: Store, before: Run, everyone: ClassList, matches: Collection[str]) -> None:
    """Raise KataError if this is another class, or if a row would be lost or another's.

    matches: the entries of which a person has said whose they are.
    """
    graded = {learner.id for learner, standing in store.standing(before) if standing == "graded"}
    if not graded:
        return
    known = {each.id: each for each in store.learners(before.first)}
    now = {each.id: each for each in everyone.learners}
    if moved := list(_moved(known, now)):
        raise KataError(f"The row of {first_few(moved)} would be another's. {OTHER_ROSTER}")
    left = [id for id in known if id in graded and id not in now]
    if left and any(each.in_roster for each in (*now.values(), *known.values())):
        raise KataError(f"{first_few(left)} would lose their row. {OTHER_ROSTER}")
    entries = store.entries(before)
    there, here = graded, {id for files in everyone.submissions for id in files.learners}
    if not here:  # nobody's ids are known here: the names of what they handed in are
        there, here = set(entries), {each.entry for each in everyone.unmatched if each.is_submission}
    if here and there.isdisjoint(here):
        raise KataError(
            f"None of those who were graded into {store.folder} handed in anything of this. It knows "
            f"{first_few(sorted(there), 3)}, and here are {first_few(sorted(here), 3)}: give another folder."
        )
    others = [files for files in everyone.submissions if files.entry not in matches]
    if told := list(_with_other_owners(entries, others, everyone.platform)):
        raise KataError(f"{' '.join(told)} Say whose they are with --match.")


def _moved(before: Mapping[str, Learner], now: Mapping[str, Learner]) -> Iterator[str]:
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
    owners: dict[str, Collection[str]] = {}
    numbers: dict[str, set[str]] = defaultdict(set)
    for entry, whose in before.items():
        had = _numbers(entry, platform)
        owners |= dict.fromkeys([entry, *had], whose)
        for id in whose if len(whose) == 1 else ():
            numbers[id] |= had
    for files in now:
        new = _numbers(files.entry, platform)
        known = [owners[key] for key in (files.entry, *new) if key in owners]
        if wrong := [whose for whose in known if set(whose).isdisjoint(files.learners)]:
            one, theirs = " and ".join(sorted(wrong[0])), " and ".join(files.learners)
            yield f"{files.entry} was of {one} in the run before, and would be of {theirs}."
        elif new - owners.keys():
            for id in (id for id in files.learners if numbers[id] and id not in files.as_group):
                old, other = (first_few(sorted(each)) for each in (numbers[id], new))
                yield f"{files.entry} would be of {id}, whose number was {old} in the run before, and is {other}."


def _numbers(entry: str, platform: Platform) -> set[str]:
    """The platform's number in a submission's name, where it can be read in one way: by it work is known again."""
    names = read_names(platform, [entry, f"{entry}/"]).values() if platform in NUMBERED else ()
    return {f"#{name.readings[0].id}" for name in names if len(name.readings) == 1} - {"#"}


def own_work_first(
    submissions: Sequence[SubmissionFiles], before: Mapping[str, Collection[str]]
) -> tuple[list[SubmissionFiles], list[str]]:
    """The submissions without the members of a group who were graded by work of their own; and sentences on these.

    before: whose each entry of the class's folder was in the runs before.
    """
    alone = {id for whose in before.values() if len(whose) == 1 for id in whose}
    left: list[SubmissionFiles] = []
    told: list[str] = []
    for files in submissions:
        own = [id for id in files.as_group if id in alone and id not in before.get(files.entry, ())]
        if own:
            told.append(f"{first_few(own)} handed in alone before: that counts, not the group's {files.entry}.")
        left.append(replace(files, learners=tuple(id for id in files.learners if id not in own)))
    return [files for files in left if files.learners], told


# --- whose points differ ----------------------------------------------------------------------------------------------

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
    there = {each.id: each for each in after.learners}
    for learner in before.learners:
        if learner.id in there:
            old, new = before.of(learner), after.of(there[learner.id])
            for id in dict.fromkeys([*old.rows, *new.rows]):
                yield from _move(id, old, new, [before, after])


def _move(id: str, old: Result, new: Result, classes: Sequence[ClassResults]) -> Iterator[Move]:
    one, other = (each.exercise(id) if id in each.rows else None for each in (old, new))
    none = (None, None)  # where the grader failed there is no mark
    was, earned = (one.counted_points, one.points) if one and one.status != "error" else none
    now, earned_now = (other.counted_points, other.points) if other and other.status != "error" else none
    reason = ""
    if one is None or other is None:
        reason = "the exercises that were chosen, or that the course has"
    elif earned != earned_now:
        reason = " and ".join(_causes(id, old, new, classes)) or "nothing that is recorded"
        reason += f"; {STAYS}" if was == now else ""
    elif was != now:
        reason = "the policy, the roster or what is set by hand"
    if reason:
        yield Move(old.learner.id, id, was, now, reason)


def _causes(id: str, old: Result, new: Result, classes: Sequence[ClassResults]) -> list[str]:
    """What a result depends on and differs, in words."""
    depends_on = []
    for result, results in zip((old, new), classes, strict=True):
        row = result.rows[id]
        run, is_fault = results.runs[row.run], row.result.status == "error"
        about = {"the course": run.kits.get(id), "what was handed in": row.source, "a fault of the grader": is_fault}
        depends_on.append(terms_of(run) | about)
    before, after = depends_on
    return [cause for cause in before if cause in after and before[cause] != after[cause]]


def told(moves: Sequence[Move], most: int) -> Iterator[str]:
    """The first of these, a line each, and how many more there are."""
    yield from (f"  {move}" for move in moves[:most])
    if (more := len(moves) - most) > 0:
        yield f"  and {more} more"


def compared(one: Path, other: Path | None, course: Course) -> Iterator[str]:
    """Yield lines on the differences of two graded classes; of one class, between its last run and the one before.

    Raises KataError when one cannot be read, or there is only one run.
    """
    with ExitStack() as stack:
        after = ClassResults(stack.enter_context(reading(other or one)), course)
        names = [str(one), str(other)] if other else ["the run before", "the last run"]
        if other:
            before = ClassResults(stack.enter_context(reading(one)), course)
        elif len(after.runs) > 1:
            before = ClassResults(after.store, course, list(after.runs.values())[-2])
        else:
            raise KataError(
                f"{one} holds one run: there is nothing to compare it with. Another folder: kata diff {one} OTHER"
            )
        terms = differences(before.run, after.run)
        yield f"On other terms: {'; '.join(terms)}." if terms else "On the same terms."
        old, new = ([each.id for each in results.learners] for results in (before, after))
        for name, mine, theirs in zip(names, (old, new), (new, old), strict=True):
            if alone := [learner for learner in mine if learner not in theirs]:
                yield f"Only in {name}: {', '.join(map(safe_line, alone))}."
        moves = list(moves_between(before, after))
        yield from told(moves, len(moves))
        moved, both = len({move.learner for move in moves}), len(set(old) & set(new))
        yield f"{counted(len(moves), 'difference')}, of {moved} of {counted(both, 'learner')} in both."
