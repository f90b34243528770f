"""Whose each submission of a class is: what counts for which learner, and what counts for nobody.

A function of the folder, the roster, the platform and what a person has matched by hand; it knows nothing of earlier
runs. A platform's own number or login decides before a display name, which learners can often change. What could be two
learners' is nobody's, and what several claim of one learner counts for none: a person decides. What a group of the
roster hands in counts for each member who has nothing of their own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.course import Course
from grader.errors import KataError
from grader.intake import LooseFile, SubmissionError
from grader.intake.names import first_few

from .class_contents import ClassContents, FolderEntry, Unmatched, class_contents, nothing_in
from .owners import Owner, Owners
from .platforms import FOUND_OUT, TITLES, NameReading, Platform, PlatformName, last_attempt, platform_of, read_names
from .roster import Finder, Learner, folded
from .submission_files import SubmissionFiles


@dataclass(frozen=True)
class Identification:
    """What says whose a submission is. Without any of it, only the names do.

    platform: the one that made the names; found out if None. matches: learners by entries, as a person gives them.
    ignored: paths that are no submissions: the results, the roster. remembered: matches that a person gave earlier;
    those of entries that are not there any more are passed over. uncounted: entries that counted for nobody then.
    """

    roster: Sequence[Learner] | None = None
    platform: Platform | None = None
    matches: Mapping[str, str] = field(default_factory=dict)
    ignored: tuple[Path, ...] = ()
    remembered: Mapping[str, str] = field(default_factory=dict)
    uncounted: Collection[str] = ()


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
    finder = Finder(by.roster or ())
    platforms = [each for each in FOUND_OUT if by.platform in (None, each)]

    def is_learner(name: str) -> bool:
        entry = FolderEntry(Path(name), name)
        return bool(finder.find(entry.stem)) or any(read_names(each, [name]) for each in platforms)

    with class_contents(path, room, course, is_learner, by.ignored) as contents:
        yield class_list(contents, by)


def class_list(contents: ClassContents, by: Identification) -> ClassList:
    """Whose each submission is. Raises KataError as `class_in` does."""
    names = [each.name for each in contents.entries if not each.why_none] or [each.name for each in contents.entries]
    platform = by.platform or platform_of(names)
    works, unmatched = _works_in(contents.entries, platform)
    if not works:
        raise SubmissionError(nothing_in(contents, "" if platform == "plain" else TITLES[platform]))
    owners = Owners(by.roster, platform, [each.readings for each in works])
    claims, nobodys = _claims(works, owners, by)
    counting, torn, uncounted = _counting(claims, owners)
    spare, shared = _shared(counting, torn, by.roster or ())
    learners = owners.everyone({id for files in counting.values() for id in files.learners})
    places = {each.id: place for place, each in enumerate(learners)}
    submissions = tuple(sorted(counting.values(), key=lambda each: places[each.learners[0]]))
    unmatched = sorted([*unmatched, *contents.unread, *nobodys, *uncounted, *spare], key=lambda row: row.entry)
    remarks = [
        *contents.remarks,
        *(_about_names(platform, names) if not by.platform else ()),
        *owners.remarks(),
        *shared,
    ]
    remarks += [*_about(learners, submissions, unmatched)]
    if contents.passed_over:
        remarks.append(f"Passed over: {first_few(contents.passed_over)}.")
    return ClassList(learners, submissions, tuple(unmatched), tuple(remarks), platform)


SAID, CLEAR, LEFT_OUT, READ_IN_TWO_WAYS = range(4)
"""The ranks of what several claim of one learner."""


# --- what is a submission ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Work:
    """One submission, and whom its name can mean. by_hand: whose a person has said that it is, if one has.

    rank: a person's word goes first, then a word of before or a clear name, unless that word left it out, then a name
    with two readings. Where no person has said anything, a clear name that was left out is as good as a new one.
    """

    files: SubmissionFiles
    readings: tuple[NameReading, ...]
    by_hand: str = ""
    rank: int = SAID

    def unmatched(self, why: str) -> Unmatched:
        """Its row, if it counts for nobody; it bears the name of the first of its files."""
        more = len(self.files.parts) - 1
        why = f"{why} It has {more} more files." if more > 0 else why
        return Unmatched(self.files.entry, why, is_submission=True, learner=self.by_hand)


_Named = tuple[FolderEntry, PlatformName]
"""An entry of the folder, and what the platform says by its name."""


def _works_in(entries: Sequence[FolderEntry], platform: Platform) -> tuple[list[_Work], list[Unmatched]]:
    """The submissions in a class's folder, and what is none.

    Files that a platform has named for one submitter are one submission, whatever their kind: of several attempts the
    last. What was typed in counts only if there is no file.
    """
    read = read_names(platform, [each.name for each in entries])
    works: list[_Work] = []
    unmatched: list[Unmatched] = []
    of_one: dict[str, list[_Named]] = defaultdict(list)
    for entry in entries:
        if said := read.get(entry.name):
            of_one[said.submitter].append((entry, said))
        elif entry.why_none:
            unmatched.append(Unmatched(entry.shown, entry.why_none))
        elif platform == "plain":
            works.append(_Work(SubmissionFiles(entry.shown, (), entry.path), (NameReading(name=entry.stem),)))
        else:
            why = f"It is not named as {TITLES[platform]} names what is handed in."
            unmatched.append(Unmatched(entry.shown, why, is_submission=True))
    for theirs in of_one.values():
        last = last_attempt(platform, {said.attempt for _, said in theirs})
        now = [(entry, said) for entry, said in theirs if last in (None, said.attempt)]
        files = [(entry, said) for entry, said in now if not said.is_typed] or now
        for entry, said in theirs:
            if (entry, said) not in now:
                unmatched.append(Unmatched(entry.shown, "It is an earlier attempt; the last is graded."))
            elif (entry, said) not in files:
                unmatched.append(Unmatched(entry.shown, "It was typed in there; the files are graded."))
        loose = [(entry, said) for entry, said in files if not entry.is_folder]
        folders = [[each] for each in files if each not in loose]
        works += [_work(each) for each in [*folders, loose] if each]
    return sorted(works, key=lambda work: work.files.entry), unmatched


def _work(named: Sequence[_Named]) -> _Work:
    """A folder, or loose files of one submitter."""
    first = named[0][0]
    readings = tuple(dict.fromkeys(reading for _, said in named for reading in said.readings))
    parts = tuple(LooseFile(each.path, said.file or each.path.name) for each, said in named if not each.is_folder)
    is_late = any(said.is_late for _, said in named)
    return _Work(SubmissionFiles(first.shown, (), first.path, parts, is_late), readings)


# --- whose it is ------------------------------------------------------------------------------------------------------


def _claims(
    works: Sequence[_Work], owners: Owners, by: Identification
) -> tuple[dict[Owner, list[_Work]], list[Unmatched]]:
    """The submissions by owner, and those that are nobody's. Raises KataError for matches that fit nothing."""
    claims: dict[Owner, list[_Work]] = defaultdict(list)
    nobodys: list[Unmatched] = []
    there = {work.files.entry for work in works}
    missing = [entry for entry, learner in by.matches.items() if learner and entry not in there]
    problems = [f"There is no submission {entry}, which --match names." for entry in missing]
    for work in works:
        entry = work.files.entry
        said = by.matches.get(entry, "")
        by_hand = said if entry in by.matches else by.remembered.get(entry, "")
        found = owners.called(by_hand) if by_hand else owners.of(work.readings)
        if len(found) == 1:
            is_clear = by_hand or len({reading.id for reading in work.readings}) <= 1
            named = LEFT_OUT if entry in (*by.uncounted, *by.matches) and not by_hand else CLEAR
            rank = SAID if said else named if is_clear else READ_IN_TWO_WAYS
            claims[found[0]].append(replace(work, by_hand=by_hand, rank=rank))
        elif by_hand:
            whom = "several learners" if found else "nobody"
            problems.append(f"--match says that {entry} is of {by_hand}, and {whom} is called so.")
        else:
            names = " or ".join(f"{owners.shown(each)}'s" for each in found)
            nobodys.append(work.unmatched(f"It could be {names}." if found else "Nobody in the class is called so."))
    if problems:
        raise KataError("\n".join(problems))
    return claims, nobodys


def _counting(
    claims: Mapping[Owner, Sequence[_Work]], owners: Owners
) -> tuple[dict[Owner, SubmissionFiles], set[Owner], list[Unmatched]]:
    """The one submission of each owner, the owners who have several, and the rows of what does not count."""
    counting: dict[Owner, SubmissionFiles] = {}
    torn: set[Owner] = set()
    uncounted: list[Unmatched] = []
    for owner, theirs in claims.items():
        first = min(work.rank for work in theirs)
        if first == CLEAR and not any(work.by_hand for work in theirs):
            first = LEFT_OUT  # else whoever hands in a second time, under a new name, would win a dispute
        best = [work for work in theirs if work.rank <= first]
        rest = [work for work in theirs if work not in best or len(best) > 1]
        if len(best) == 1:
            counting[owner] = replace(best[0].files, learners=owner)
            if best[0].by_hand:
                uncounted.append(Unmatched(best[0].files.entry, "", learner=best[0].by_hand))
            why = f"It could be {owners.shown(owner)}'s, of whom {best[0].files.entry} counts."
        else:
            torn.add(owner)
            several = first_few([work.files.entry for work in theirs])
            why = f"{several} could all be {owners.shown(owner)}'s, so none counts."
        uncounted += [work.unmatched(why) for work in rest]
    return counting, torn, uncounted


def _shared(
    counting: dict[Owner, SubmissionFiles], torn: set[Owner], learners: Sequence[Learner]
) -> tuple[list[Unmatched], list[str]]:
    """Give a group's submission, which bears its name or is that of one member, to each member without one.

    Returns the submissions of groups in which everybody has their own, which are taken out, and remarks.
    """
    groups: dict[str, list[Learner]] = defaultdict(list)
    for each in learners:
        if each.group:
            groups[folded(each.group)].append(each)
    spare: list[Unmatched] = []
    remarks: list[str] = []
    for members in groups.values():
        whole = tuple(each.id for each in members)
        have = [(each.id,) for each in members if (each.id,) in counting]
        without = [each for each in members if (each.id,) not in counting and (each.id,) not in torn]
        names = first_few([each.name for each in without])
        if len(whole) == 1 or whole in torn:
            continue
        if whole in counting and not without:
            why = "It bears a group's name, and everybody of the group has handed in something of their own."
            spare.append(Unmatched(counting.pop(whole).entry, why))
        elif without and (whole in counting or len(have) == 1):
            source, own = (whole, ()) if whole in counting else (have[0], have[0])
            others = tuple(each.id for each in without)
            counting[source] = replace(counting[source], learners=(*own, *others), as_group=others)
            remarks.append(f"Handed in by their group: {names}.")
        elif without and have:
            several = first_few([counting[each].entry for each in have])
            remarks.append(
                f"The group {members[0].group} handed in several times ({several}), and nothing counts for {names}: "
                "leave one, or say in a file for --match which is the group's."
            )
    return spare, remarks


# --- remarks ----------------------------------------------------------------------------------------------------------


def _about_names(platform: Platform, names: Sequence[str]) -> Iterator[str]:
    """How the names were read."""
    if platform != "plain":
        yield f"Read as a download of {TITLES[platform]}; --from says otherwise."
    elif like := [each for each in FOUND_OUT if read_names(each, names)]:
        titles = " or ".join(TITLES[each] for each in like)
        yield f"Read as plain names, though some look like a download of {titles} (--from)."


def _about(
    learners: Sequence[Learner], submissions: Sequence[SubmissionFiles], unmatched: Sequence[Unmatched]
) -> Iterator[str]:
    """Who has nothing that counts, who is late, and what is no submission, by the reason."""
    there = {id for each in submissions for id in each.learners}
    late = {id for each in submissions if each.is_late for id in each.learners}
    if absent := [each.name for each in learners if each.id not in there]:
        yield f"Handed in nothing that counts: {first_few(absent)}."
    if late:
        yield f"Late, as the platform says: {first_few([each.name for each in learners if each.id in late])}."
    others = [each for each in unmatched if not (each.is_submission or each.learner)]
    for why in dict.fromkeys(each.why for each in others):
        yield f"Not graded: {first_few([each.entry for each in others if each.why == why])}. {why}"
