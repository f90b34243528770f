"""Whose each submission of a class is: what counts for which learner, and what counts for nobody.

A function of the folder, the roster, the platform and what a person has matched by hand; it knows nothing of earlier
runs. A platform's own number or login decides before a display name, which learners can often change. What could be two
learners' is nobody's, and what several claim of one learner counts for none: a person decides.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.course import Course
from grader.errors import KataError
from grader.intake import SubmissionError
from grader.intake.names import first_few, printable

from .class_contents import ClassContents, FolderEntry, Unmatched, class_contents, nothing_in
from .group_work import in_groups
from .learners import Finder, Learner
from .owners import Owner, Owners, RosterOwners, SubmittersAlone
from .platforms import FOUND_OUT, TITLES, Platform, platform_of, read_names
from .roster import Roster
from .submission_files import SubmissionFiles
from .unmatched import as_written
from .works import FoundWork, works_in


@dataclass(frozen=True)
class Identification:
    """What says whose a submission is. Without any of it, only the names do.

    platform: the one that made the names; found out if None. matches: learners by entries, as a person gives them.
    ignored: paths that are no submissions: the results, the roster. remembered: matches that a person gave earlier;
    those of entries that are not there any more are passed over. is_begun: whether learners have results already.
    """

    roster: Roster | None = None
    platform: Platform | None = None
    matches: Mapping[str, str] = field(default_factory=dict)
    ignored: tuple[Path, ...] = ()
    remembered: Mapping[str, str] = field(default_factory=dict)
    is_begun: bool = False


@dataclass(frozen=True)
class ClassList:
    """A class: the roster in its order, or else who has handed in; no learner has two submissions.

    remarks: sentences for whoever grades.
    """

    learners: tuple[Learner, ...]
    submissions: tuple[SubmissionFiles, ...]
    unmatched: tuple[Unmatched, ...]
    remarks: tuple[str, ...]
    platform: Platform


@contextmanager
def class_in(path: Path, room: Path, course: Course, by: Identification) -> Iterator[ClassList]:
    """The class in a folder or a zip; its submissions can be read inside the context.

    room: a folder for what a zip holds; it is emptied before, and removed at the end.
    Raises KataError when there is no class, or a match by hand fits nothing or nobody; OSError without room.
    """
    finder = Finder(by.roster.learners if by.roster else ())
    platforms = [each for each in FOUND_OUT if by.platform in (None, each)]

    def is_learner(name: str) -> bool:
        entry = FolderEntry(Path(name), name)
        return bool(finder.find(entry.stem)) or any(read_names(each, [name]) for each in platforms)

    with class_contents(path, room, course, is_learner, by.ignored, by.is_begun) as contents:
        yield class_list(contents, by)


def class_list(contents: ClassContents, by: Identification) -> ClassList:
    """Whose each submission is. Raises KataError as `class_in` does."""
    names = [each.name for each in contents.entries if not each.why_none] or [each.name for each in contents.entries]
    platform = by.platform or platform_of(names)
    works, unmatched = works_in(contents.entries, platform)
    if not works:
        raise SubmissionError(nothing_in(contents))
    roster = by.roster.learners if by.roster else ()
    owners: Owners = RosterOwners(roster, platform, works) if by.roster else SubmittersAlone(works, platform)
    claims, nobodys = _claims(works, owners, by)
    counting, torn, uncounted = _counting(claims, owners)
    shared = in_groups(counting, torn, roster)
    learners = owners.everyone(shared.submissions)
    unmatched += [*contents.unread, *nobodys, *uncounted, *shared.spare]
    remarks = [*contents.remarks, *_about_names(platform, names, by), *owners.remarks(), *shared.remarks]
    remarks += [*_about(learners, shared.submissions), *_about_others(unmatched)]
    if contents.passed_over:
        remarks.append(f"Passed over: {first_few(contents.passed_over)}.")
    ordered = tuple(sorted(unmatched, key=lambda row: row.entry))
    return ClassList(learners, shared.submissions, ordered, tuple(remarks), platform)


@dataclass(frozen=True)
class _OwnerClaim:
    """A submission that may be its owner's. by_hand: whose a person has said that it is, if one has."""

    work: FoundWork
    by_hand: str = ""

    @property
    def rank(self) -> int:
        """A person's word goes first, then a clear name, then one with two readings."""
        return 0 if self.by_hand else 1 if self.work.is_clear else 2


def _claims(
    works: Sequence[FoundWork], owners: Owners, by: Identification
) -> tuple[dict[Owner, list[_OwnerClaim]], list[Unmatched]]:
    """The submissions by owner, and those that are nobody's. Raises KataError for matches that fit nothing."""
    claims: dict[Owner, list[_OwnerClaim]] = defaultdict(list)
    nobodys: list[Unmatched] = []
    written = {as_written(work.files.entry) for work in works}
    missing = [entry for entry, learner in by.matches.items() if learner and entry not in written]
    problems = [f"There is no submission {entry}, which --match names." for entry in missing]
    matches = {**by.remembered, **by.matches}
    for work in works:
        by_hand = matches.get(as_written(work.files.entry), "")
        found = owners.called(by_hand) if by_hand else owners.of(work)
        if len(found) == 1:
            claims[found[0]].append(_OwnerClaim(work, by_hand))
        elif by_hand:
            whom = "several learners" if found else "nobody"
            problems.append(
                f"--match says that {as_written(work.files.entry)} is of {by_hand}, and {whom} is called so."
            )
        else:
            names = " or ".join(f"{owners.shown(each)}'s" for each in found)
            nobodys.append(work.unmatched(f"It could be {names}." if found else "Nobody in the class is called so."))
    if problems:
        raise KataError("\n".join(problems))
    return claims, nobodys


def _counting(
    claims: Mapping[Owner, Sequence[_OwnerClaim]], owners: Owners
) -> tuple[dict[Owner, SubmissionFiles], set[Owner], list[Unmatched]]:
    """The one submission of each owner, the owners who have several, and the rows of what does not count."""
    counting: dict[Owner, SubmissionFiles] = {}
    torn: set[Owner] = set()
    uncounted: list[Unmatched] = []
    for owner, theirs in claims.items():
        best = [claim for claim in theirs if claim.rank == min(each.rank for each in theirs)]
        counts = best[0] if len(best) == 1 else None
        if counts is None:
            torn.add(owner)
        else:
            counting[owner] = replace(counts.work.files, learners=owner)
            uncounted += [Unmatched(counts.work.files.entry, "", learner=counts.by_hand)] if counts.by_hand else []
        if len(theirs) > 1:
            whose, names = owners.shown(owner), first_few([each.work.files.entry for each in theirs])
            why = f"{names} could all be {whose}'s, so none counts."
            if counts is not None:
                why = f"It could be {whose}'s, of whom {printable(counts.work.files.entry)} counts."
            rest = [each for each in theirs if each is not counts]
            uncounted += [replace(each.work.unmatched(why), learner=each.by_hand) for each in rest]
    return counting, torn, uncounted


def _about_names(platform: Platform, names: Sequence[str], by: Identification) -> Iterator[str]:
    """How the names were read, unless that was said."""
    if by.platform:
        return
    if platform != "plain":
        yield f"Read as a download of {TITLES[platform]}; --from says otherwise."
    elif like := [each for each in FOUND_OUT if read_names(each, names)]:
        titles = " or ".join(TITLES[each] for each in like)
        yield f"Read as plain names, though some look like a download of {titles} (--from)."


def _about(learners: Sequence[Learner], submissions: Sequence[SubmissionFiles]) -> Iterator[str]:
    there = {id for each in submissions for id in each.learners}
    if absent := [each.name for each in learners if each.id not in there]:
        yield f"Handed in nothing that counts: {first_few(absent)}."
    late = {id for each in submissions if each.is_late for id in each.learners}
    if late:
        yield f"Late, as the platform says: {first_few([each.name for each in learners if each.id in late])}."


def _about_others(unmatched: Sequence[Unmatched]) -> Iterator[str]:
    """What is no submission, by the reason."""
    others = [each for each in unmatched if not (each.is_submission or each.learner)]
    for why in dict.fromkeys(each.why for each in others):
        yield f"Not graded: {first_few([each.entry for each in others if each.why == why])}. {why}"
