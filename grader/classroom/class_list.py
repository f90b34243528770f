"""Whose each submission of a class is: what counts for which learner, and what counts for nobody.

A function of the folder, the roster, the platform and what a person has matched by hand; it knows nothing of earlier
runs. A platform's own number or login decides before a display name, which learners can often change. What could be two
learners' is nobody's, and what several claim of one learner counts for none: a person decides. What a group of the
roster hands in counts for each member who has nothing of their own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from grader.course import Course
from grader.errors import KataError
from grader.intake import FileProblem, Submission, SubmissionError, read_files
from grader.intake.names import first_few, printable, stem_of
from grader.intake.walk import OutOfReach, possible_work

from .class_contents import ClassContents, ClassEntry, Unmatched, class_contents, nothing_in
from .platforms import (
    FOUND_OUT,
    NUMBERED,
    TITLES,
    NameReading,
    Platform,
    PlatformName,
    as_first_saved,
    last_attempt,
    platform_of,
    read_names,
)
from .roster import Finder, Learner, folded, name_key


@dataclass(frozen=True)
class Identification:
    """What says whose a submission is. Without any of it, only the names do.

    platform: the one that made the names; found out if None. matches: learners by entries, as a person gives them,
    "" for nobody. ignored: paths that are no submissions: the results, the roster. before: matches that a person gave
    earlier, and "" for what counted for nobody then; entries that are not there any more are passed over.
    """

    roster: Sequence[Learner] | None = None
    platform: Platform | None = None
    matches: Mapping[str, str] = field(default_factory=dict)
    ignored: tuple[Path, ...] = ()
    before: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SubmissionFiles:
    """One submission of a class: of one learner, or of several who are a group.

    entry: its name in the class, of several files the first one's. learners: their ids. source: reads it where it lies.
    as_group: those of the learners for whom it only counts because they are of a group. readings: whom its name can
    mean.
    """

    entry: str
    learners: tuple[str, ...]
    source: Callable[[Course], Submission]
    is_late: bool = False
    as_group: tuple[str, ...] = ()
    readings: tuple[NameReading, ...] = ()

    def read(self, course: Course) -> Submission:
        """Read it. If its content is unreadable, this is an empty submission with the reason as its problem.

        Its name is the entry's. Raises OutOfReach when a file is missing or the system does not open it.
        """
        try:
            read = self.source(course)
        except OutOfReach:
            raise
        except SubmissionError as error:
            return Submission(self.entry, {}, (FileProblem(printable(self.entry), "unreadable", str(error)),))
        return replace(read, name=self.entry)


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
def class_in(path: Path, course: Course, by: Identification) -> Iterator[ClassList]:
    """The class in a folder or a zip; its submissions can be read inside the context.

    Raises KataError when there is no class, or a match by hand fits nothing or nobody; OSError.
    """
    finder = Finder(by.roster or ())
    platforms = [each for each in FOUND_OUT if by.platform in (None, each)]

    def is_learner(name: str) -> bool:
        return bool(finder.find(stem_of(name))) or any(read_names(each, [name]) for each in platforms)

    with class_contents(path, course, is_learner, by.ignored) as contents:
        yield _class_list(path, contents, by)


def _class_list(path: Path, contents: ClassContents, by: Identification) -> ClassList:
    names = [each.name for each in contents.entries if each.can_be_work] or [each.name for each in contents.entries]
    platform = by.platform or platform_of(names)
    unmatched = [*contents.unread]
    works = _works_in(contents.entries, platform, unmatched)
    if not works:
        raise SubmissionError(nothing_in(path, contents, "" if platform == "plain" else TITLES[platform]))
    owners = _Owners(by.roster, platform, works)
    counting = _Counting(owners, by, unmatched)
    counting.take(works)
    about_groups = list(counting.share())
    there = {id for files in counting.files.values() for id in files.learners}
    learners = tuple(each for each in owners.learners.values() if by.roster is not None or each.id in there)
    places = {each.id: place for place, each in enumerate(learners)}
    submissions = tuple(sorted(counting.files.values(), key=lambda each: places[each.learners[0]]))
    unmatched.sort(key=lambda row: row.entry)
    about_names = _about_names(by, platform, names, is_numbered=owners.is_numbered)
    remarks = [*about_names, *about_groups, *_about(learners, submissions, unmatched)]
    if contents.unwrapped:
        remarks.insert(0, f"The folder {contents.unwrapped} in the zip is the class: it was opened.")
    if contents.passed_over:
        remarks.append(f"Passed over: {first_few(contents.passed_over)}.")
    return ClassList(learners, submissions, tuple(unmatched), tuple(remarks), platform)


# --- what is a submission ---------------------------------------------------------------------------------------------


def _works_in(entries: Sequence[ClassEntry], platform: Platform, unmatched: list[Unmatched]) -> list[SubmissionFiles]:
    """The submissions in a class; what is none is added to `unmatched`.

    Files that a platform has named for one submitter are one submission, whatever their kind: of several attempts the
    last. What was typed in counts only if there is no file.
    """
    read = read_names(platform, [each.name for each in entries if each.can_be_work or platform != "plain"])
    of_one: dict[str, list[tuple[ClassEntry, PlatformName]]] = defaultdict(list)
    for entry in entries:
        if said := read.get(entry.name):
            of_one[said.submitter].append((entry, said))
        elif entry.can_be_work:
            why = f"It is not named as {TITLES[platform]} names what is handed in."
            unmatched.append(Unmatched(entry.shown, why, is_submission=True))
        else:
            unmatched.append(entry.as_none)
    works: list[SubmissionFiles] = []
    for theirs in of_one.values():
        last = last_attempt(platform, {said.attempt for _, said in theirs})
        now = [(entry, said) for entry, said in theirs if last in (None, said.attempt)]
        files = [(entry, said) for entry, said in now if not said.is_typed] or now
        chosen = {entry.name for entry, _ in files}
        why = "It is an earlier attempt, or was typed in beside files; the last files are graded."
        unmatched += [Unmatched(entry.shown, why) for entry, _ in theirs if entry.name not in chosen]
        works += [_work([each]) for each in files if not each[0].read]
        if loose := [each for each in files if each[0].read]:
            works.append(_work(loose))
    return sorted(works, key=lambda files: files.entry)


def _work(named: Sequence[tuple[ClassEntry, PlatformName]]) -> SubmissionFiles:
    """A folder, or loose files of one submitter."""
    first = named[0][0]
    parts = [(said.file or each.name, each.read) for each, said in named if each.read]
    source: Callable[[Course], Submission]
    if parts:
        source = partial(read_files, stem_of(parts[0][0]), lambda: parts, is_loose=True)
    else:
        source = partial(read_files, first.name[:-1], lambda: possible_work(first.listed()))
    readings = tuple(dict.fromkeys(reading for _, said in named for reading in said.readings))
    return SubmissionFiles(first.shown, (), source, any(said.is_late for _, said in named), readings=readings)


# --- whom a name can mean ---------------------------------------------------------------------------------------------

Owner = tuple[Learner, ...]
"""A learner, or all members of a group."""


def _shown(owner: Owner) -> str:
    return f"the group {owner[0].group}" if len(owner) > 1 else owner[0].shown


class _Owners:
    """Those who can have handed in something of one download: nobody, one owner, or several if it is not clear.

    roster: None without one; then whoever has handed in is a learner, by the platform's own id or by a plain name.
    learners: the roster, or those. groups: the members of each group of the roster. is_numbered: whether the roster has
    the platform's own numbers.
    """

    def __init__(self, roster: Sequence[Learner] | None, platform: Platform, works: Sequence[SubmissionFiles]) -> None:
        self._platform, self._has_roster = platform, roster is not None
        self.learners = {each.id: each for each in roster or ()}
        self.groups: dict[str, Owner] = {}
        for each in roster or ():
            if group := folded(each.group):
                self.groups[group] = (*self.groups.get(group, ()), each)
        for files in () if self._has_roster else works:
            self.of(files.readings)
        self._finder = Finder(self.learners.values())
        self.is_numbered = platform in self._finder.keys

    def of(self, readings: Sequence[NameReading]) -> list[Owner]:
        """Those whom a submission's name can mean."""
        if not self._has_roster:  # of Blackboard's readings the one with the shortest login
            tried = readings[:1] if self._platform == "blackboard" else readings
            return list(dict.fromkeys(self._submitter(reading) for reading in tried))
        return list(dict.fromkeys(owner for reading in readings for owner in self._meant(reading)))

    def called(self, text: str) -> list[Owner]:
        """Those whom a person can mean; without a roster that is anybody."""
        found: list[Owner] = [(each,) for each in self._finder.find(text)]
        found = found or self._groups_called(text)
        return found or ([] if self._has_roster else [self._submitter(NameReading(name=text))])

    def _meant(self, reading: NameReading) -> list[Owner]:
        """Those of the roster whom a platform's name means, read in one way."""
        platform, by = self._platform, self._finder.by
        if platform == "plain":
            return self.called(reading.name) or self.called(as_first_saved(reading.name))
        if platform in ("blackboard", "nbgrader"):
            found = by("id", reading.id)
        elif self.is_numbered:
            found = by("canvas" if platform == "canvas" else "moodle", reading.id)
            # in Moodle it may be a team's number; a team's name stands before a participant's
            shown = name_key(reading.name)
            is_theirs = all(each.name == each.id or shown.endswith(name_key(each.name)) for each in found)
            if platform == "moodle" and not is_theirs:
                return []
        else:
            named = by("name", reading.name)
            numbered = by("id", reading.id) if platform == "canvas" else []
            # the number of a user in Canvas may be another learner's number elsewhere
            found = [*named, *(each for each in numbered if named or each.name == each.id)]
            if not found:
                return self._groups_called(reading.name)
        return [(each,) for each in found]

    def _groups_called(self, name: str) -> list[Owner]:
        return list(dict.fromkeys(self.groups[folded(each.group)] for each in self._finder.by("group", name)))

    def _submitter(self, reading: NameReading) -> Owner:
        """The learner whom a name means without a roster."""
        name = as_first_saved(reading.name) if self._platform == "plain" else reading.name
        id, name = (text.encode("utf-8", "backslashreplace").decode("utf-8") for text in (reading.id, name))
        known = id or name or "?"  # a display name of blanks
        learner = Learner(known, name or known, ids=(id,) if id else (), in_roster=False)
        return (self.learners.setdefault(folded(known) or known, learner),)


# --- what counts for whom ---------------------------------------------------------------------------------------------


class _Counting:
    """The one submission that counts for each owner, and the rows of what counts for nobody."""

    def __init__(self, owners: _Owners, by: Identification, unmatched: list[Unmatched]) -> None:
        self._owners, self._by, self._unmatched = owners, by, unmatched
        self._words = {**by.before, **by.matches}
        """Whose each submission is, as a person says now or said before."""
        self.files: dict[Owner, SubmissionFiles] = {}
        self._torn: set[Owner] = set()
        """Those who have several, of which none counts."""

    def take(self, works: Sequence[SubmissionFiles]) -> None:
        """Find what counts. Raises KataError for matches that fit nothing."""
        for owner, theirs in self._claims(works).items():
            best = self._best(theirs)
            if len(best) > 1:
                self._torn.add(owner)
                entries = first_few([each.entry for each in theirs])
                self._leave(theirs, f"{entries} could all be {_shown(owner)}'s, so none counts.")
                continue
            counts = best[0].entry
            self.files[owner] = replace(best[0], learners=tuple(each.id for each in owner))
            if by_hand := self._words.get(counts):
                self._unmatched.append(Unmatched(counts, "", learner=by_hand))
            rest = [each for each in theirs if each not in best]
            self._leave(rest, f"It could be {_shown(owner)}'s, of whom {counts} counts.")

    def _claims(self, works: Sequence[SubmissionFiles]) -> Mapping[Owner, list[SubmissionFiles]]:
        """The submissions by owner. Raises KataError for matches that fit nothing."""
        claims: dict[Owner, list[SubmissionFiles]] = defaultdict(list)
        there = {files.entry for files in works}
        missing = [entry for entry, learner in self._by.matches.items() if learner and entry not in there]
        problems = [f"There is no submission {entry}, which --match names." for entry in missing]
        for files in works:
            by_hand = self._words.get(files.entry, "")
            found = self._owners.called(by_hand) if by_hand else self._owners.of(files.readings)
            if len(found) == 1:
                claims[found[0]].append(files)
                if by_hand:  # a name may be another's one day, in a roster that comes later
                    first, *others = found[0]
                    self._words[files.entry] = first.group if others else first.id
            elif by_hand:
                whom = "several learners" if found else "nobody"
                problems.append(f"--match says that {files.entry} is of {by_hand}, and {whom} is called so.")
            else:
                names = " or ".join(f"{_shown(each)}'s" for each in found)
                self._leave([files], f"It could be {names}." if found else "Nobody in the class is called so.")
        if problems:
            raise KataError("\n".join(problems))
        return claims

    def _leave(self, works: Sequence[SubmissionFiles], why: str) -> None:
        """Add the rows of submissions that count for nobody."""
        self._unmatched += [Unmatched(each.entry, why, True, self._words.get(each.entry, "")) for each in works]

    def _best(self, theirs: Sequence[SubmissionFiles]) -> Sequence[SubmissionFiles]:
        """What goes first of what is one learner's: a person's word, then a word of before or a clear name.

        A clear name that such a word left out counts less than the word. Where nobody has said anything it is as good
        as a new one: else whoever hands in a second time, under a new name, would win a dispute.
        """
        words = self._words
        said = [each for each in theirs if self._by.matches.get(each.entry)]
        clear = [each for each in theirs if words.get(each.entry) or len({name.id for name in each.readings}) <= 1]
        if any(words.get(each.entry) for each in clear):
            clear = [each for each in clear if words.get(each.entry, "new")]
        return said or clear or theirs

    def share(self) -> Iterator[str]:
        """Give a group's submission, which bears its name or is that of one member, to each member without one.

        Where everybody of the group has their own, it counts for nobody. Yields remarks.
        """
        files = self.files
        for group in self._owners.groups.values():
            if len(group) == 1 or group in self._torn:
                continue
            own = [(each,) for each in group if (each,) in files]
            without = [each for each in group if (each,) not in files.keys() | self._torn]
            source = group if group in files else own[0] if len(own) == 1 else None
            names, ids = first_few([each.name for each in without]), tuple(each.id for each in without)
            if source and without:
                whose = () if source == group else files[source].learners
                files[source] = replace(files[source], learners=(*whose, *ids), as_group=ids)
                yield f"Handed in by their group: {names}."
            elif source == group:
                why = "It bears a group's name, and everybody of the group has handed in something of their own."
                self._unmatched.append(Unmatched(files.pop(group).entry, why))
            elif without and own:
                several = first_few([files[each].entry for each in own])
                yield (
                    f"The group {group[0].group} handed in several times ({several}), and nothing counts for {names}: "
                    "leave one, or say in a file for --match which is the group's."
                )


# --- remarks ----------------------------------------------------------------------------------------------------------


def _about_names(by: Identification, platform: Platform, names: Sequence[str], *, is_numbered: bool) -> Iterator[str]:
    """How the names were read."""
    title = TITLES[platform]
    if by.platform is None and platform != "plain":
        yield f"Read as a download of {title}; --from says otherwise."
    elif by.platform is None and (like := [each for each in FOUND_OUT if read_names(each, names)]):
        titles = " or ".join(TITLES[each] for each in like)
        yield f"Read as plain names, though some look like a download of {titles} (--from)."
    if by.roster is not None and platform in NUMBERED and not is_numbered:
        yield f"Learners were found by the names that {title} shows, which they may be able to change."


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
