"""What an earlier run demands of one that goes on with it: the same terms, the same class, each row its learner's."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from grader.course import Course
from grader.errors import KataError
from grader.intake.names import first_few

from .class_list import ClassList
from .grading_terms import Run, other_programs
from .platforms import Platform, read_names
from .roster import Learner, folded
from .store import Store
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


def refuse_other_terms(store: Store, before: Run, now: Run) -> None:
    """Raise KataError when a run would grade another course, with another seed or in another isolation."""
    terms = {
        "course": (before.title, now.title),
        "seed": (before.seed, now.seed),
        "isolation": (before.level, now.level),
    }
    if told := [f"the {name} was {old} and is {new}" for name, (old, new) in terms.items() if old != new]:
        raise KataError(
            f"{store.folder} was graded on other terms: {'; '.join(told)}. --anew begins again; or give another folder."
        )


def about_changes(store: Store, before: Run, now: Run, only: Collection[str]) -> Iterator[str]:
    """Sentences on exercises whose results are of other checks or programs than now, and whether they are replaced."""
    versions = {each.id: each.versions for each in store.runs()}
    counting = [(id, kit, versions[run]) for id, kit, run in store.graded_by(before) if id in now.kits]
    if only:
        stale = {id for id, kit, programs in counting if (kit, programs) != (now.kits[id], now.versions)}
        if left := [id for id in now.kits if id in stale and id not in only]:
            more = " ".join(f"--only {id}" for id in left)
            yield f"Changed as well, and not graded again: {', '.join(left)}. Add {more}."
        return
    changed = {id for id, kit, _ in counting if kit != now.kits[id]}
    if told := [id for id in now.kits if id in changed]:
        yield f"Graded again for everybody, since the checks, solution or known mistakes changed: {', '.join(told)}."
    others = {each: None for _, _, programs in counting for each in other_programs(programs, now.versions)}
    if others:
        yield f"Graded again for everybody, since {'; '.join(others)}."


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
        if learners := tuple(id for id in files.learners if id not in own):
            left.append(replace(files, learners=learners))
    return left, told


# --- the same class ---------------------------------------------------------------------------------------------------


def refuse_others(store: Store, before: Run, everyone: ClassList, matches: Collection[str]) -> None:
    """Raise KataError if this is another class, or if a row would be lost or another's.

    matches: the entries of which a person has said whose they are.
    """
    graded = store.graded(before)
    if not graded:
        return
    now = {each.id: each for each in everyone.learners}
    known = {each.id: each for each in store.learners(before)}
    work = {id for files in everyone.submissions for id in files.learners}
    if moved := list(_moved(known, now)):
        raise KataError(f"The row of {first_few(moved)} would be another's. {OTHER_ROSTER}")
    left = [id for id in known if id in graded and id not in now]
    if left and any(each.in_roster for each in (*now.values(), *known.values())):
        raise KataError(f"{first_few(left)} would lose their row. {OTHER_ROSTER}")
    entries = store.entries(before)
    there, here = graded, work
    if not work:  # nobody's ids are known here: the names of what they handed in are
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
    owners = {key: whose for entry, whose in before.items() for key in (entry, *_numbers(entry, platform))}
    numbers: dict[str, set[str]] = {}
    for entry, whose in before.items():
        for id in whose if len(whose) == 1 else ():
            numbers.setdefault(id, set()).update(_numbers(entry, platform))
    for files in now:
        new = _numbers(files.entry, platform)
        known = [owners[key] for key in (files.entry, *new) if key in owners]
        if wrong := [whose for whose in known if set(whose).isdisjoint(files.learners)]:
            one, theirs = " and ".join(sorted(wrong[0])), " and ".join(files.learners)
            yield f"{files.entry} was of {one} in the run before, and would be of {theirs}."
        elif new - owners.keys():
            for id in files.learners:
                if (had := numbers.get(id)) and id not in files.as_group:
                    old, number = (first_few(sorted(each)) for each in (had, new))
                    yield f"{files.entry} would be of {id}, whose number was {old} in the run before, and is {number}."


def _numbers(entry: str, platform: Platform) -> set[str]:
    """The platform's number in a submission's name, where it can be read in one way: by it work is known again."""
    names = read_names(platform, [entry, f"{entry}/"]).values() if platform in NUMBERED else ()
    return {f"#{name.readings[0].id}" for name in names if len(name.readings) == 1} - {"#"}
