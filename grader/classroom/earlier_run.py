"""What an earlier run demands of one that goes on with it: the same terms, the same class, each row its learner's."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from grader.course import Course
from grader.errors import KataError
from grader.intake.names import first_few

from .class_list import ClassList
from .grading_terms import Terms, changed_kits, differences, run_of
from .learners import Learner, folded
from .platforms import Platform, read_names
from .store import Run, Store
from .submission_files import SubmissionFiles
from .unmatched import as_written

NUMBERED: Collection[Platform] = ("canvas", "moodle", "brightspace")
"""The platforms that write a number of the learner's beside a display name, which learners can change."""
OTHER_ROSTER = "Give the roster of that run, with new learners added; --anew begins again."


def is_graded_again(store: Store, before: Run, now: Run, course: Course, *, are_named: bool) -> bool:
    """Whether a run grades exercises again that were named for it, as the course or a program has changed since.

    Raises KataError when it differs from the run before in anything else.
    """
    there = {each.id for each in course.exercises}
    chosen = tuple(id for id in before.exercises if id in there)
    oldest = store.oldest(before)
    versions = next(each.versions for each in store.runs() if each.id == oldest)
    before = replace(before, exercises=chosen, versions=versions)
    found = differences(before, now)
    if are_named and found:
        mended = replace(before, version=now.version, versions=now.versions, kits=now.kits, digest=now.digest)
        found = differences(mended, replace(now, exercises=before.exercises))
        strange = sorted(set(now.exercises) - set(before.exercises or now.exercises))
        found += [f"{', '.join(strange)} was not among the exercises that were chosen"] if strange else []
        if not found:
            return True
    if found:
        raise KataError(
            f"{store.folder} was graded on other terms: {'; '.join(found)}. {_how_to_resume(before, now)}"
            "--anew begins again; or give another folder."
        )
    return False


def left_behind(before: Run, now: Run, course: Course) -> list[str]:
    """The exercises that have changed as well, and are not graded again by this run."""
    there = tuple(each.id for each in course.exercises if each.id in before.kits)
    whole = run_of(course, Terms(now.course, now.level, now.seed, there))
    return [id for id in changed_kits(before, whole) if id not in now.exercises]


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
    others = [files for files in everyone.submissions if as_written(files.entry) not in matches]
    if told := list(_with_other_owners(store.entries(before), others, everyone.platform)):
        raise KataError(f"{' '.join(told)} Say whose they are with --match.")


def _moved(before: dict[str, Learner], now: dict[str, Learner]) -> Iterator[str]:
    """Ids that now belong to somebody who had another id in the class."""
    owners = {folded(each.name): id for id, each in before.items() if each.in_roster}
    for id, learner in now.items():
        is_renamed = id in before and folded(before[id].name) != folded(learner.name)
        if is_renamed and owners.get(folded(learner.name), id) != id:
            yield id


def _with_other_owners(
    before: Mapping[str, Collection[str]], now: Sequence[SubmissionFiles], platform: Platform
) -> Iterator[str]:
    """Sentences on submissions that were another's in the run before, by their name or the platform's number in it."""
    owners = {key: whose for entry, whose in before.items() for key in _keys(entry, platform)}
    for files in now:
        known = [set(owners[key]) for key in _keys(files.entry, platform) if key in owners]
        if any(whose.isdisjoint(files.learners) for whose in known):
            whose, theirs = " and ".join(sorted(known[0])), " and ".join(files.learners)
            yield f"{as_written(files.entry)} was of {whose} in the run before, and would be of {theirs}."


def _keys(entry: str, platform: Platform) -> set[str]:
    """By what a submission is known again: its name, and a number of the platform's that can be read in one way."""
    names = read_names(platform, [entry, f"{entry}/"]).values() if platform in NUMBERED else ()
    return {as_written(entry), *(f"#{name.readings[0].id}" for name in names if len(name.readings) == 1)} - {"#"}


def _how_to_resume(before: Run, now: Run) -> str:
    """How to resume if only the kits of some exercises have changed; else empty."""
    changed = changed_kits(before, now)
    if not changed or (before.seed, before.level, before.exercises) != (now.seed, now.level, now.exercises):
        return ""
    return f"To grade these again for everybody: --resume {' '.join(f'--only {id}' for id in changed)}. "
