"""Whose each submission of a class is: what counts for which learner, and what counts for nobody.

A function of the folder, the roster, the platform and what a person has matched by hand; it knows nothing of earlier
runs but what was graded. A name can mean an owner, several, or nobody; an owner is a learner, or a group of the roster.
What means one owner, who has nothing else, counts for the owner. A person's word goes before names. All else is
nobody's, and a person decides. A group with one submission in all shares it; else each counts for who handed it in.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.errors import KataError
from grader.intake import SubmissionError
from grader.intake.names import first_few

from .class_folder import SubmissionFiles, entries_in, nothing_in, works_in
from .platforms import FOUND_OUT, NUMBERED, TITLES, Platform, as_first_saved, known_by, platform_of, read_name
from .roster import Learner, folded, ids_in, indexed, name_key, orders
from .unmatched import Unmatched


@dataclass(frozen=True)
class Identification:
    """What says whose a submission is. Without any of it, only the names do.

    platform: the one that made the names; found out if None. matches: learners by entries, as a person gives them,
    "" for nobody. ignored: paths that are no submissions: the results, the roster. before: matches that a person gave
    earlier; entries that are not there any more are passed over. graded: whose each entry was that was graded before.
    """

    roster: Sequence[Learner] | None = None
    platform: Platform | None = None
    matches: Mapping[str, str] = field(default_factory=dict)
    ignored: tuple[Path, ...] = ()
    before: Mapping[str, str] = field(default_factory=dict)
    graded: Mapping[str, Collection[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class ClassList:
    """A class: the roster in its order, or else who has handed in; no learner has two submissions.

    remarks: sentences for whoever grades. moved: sentences on what would count for another learner than before.
    """

    learners: tuple[Learner, ...]
    submissions: tuple[SubmissionFiles, ...]
    unmatched: tuple[Unmatched, ...]
    remarks: tuple[str, ...]
    moved: tuple[str, ...]
    platform: Platform


def class_in(folder: Path, by: Identification) -> ClassList:
    """The class in a folder, in which nothing is opened yet.

    Raises KataError when there is no class, or a match by hand fits nothing or nobody.
    """
    entries, passed_over = entries_in(folder, by.ignored)
    names = [each.name for each in entries if each.can_be_work] or [each.name for each in entries]
    platform = by.platform or platform_of(names)
    works, unmatched = works_in(entries, platform)
    if not works:
        raise SubmissionError(nothing_in(folder, entries, platform))
    owners = _Owners(by.roster, platform, works)
    counts, others, about_groups = _what_counts(owners, works, by)
    unmatched = sorted([*unmatched, *others], key=lambda row: row.entry)
    there = {id for each in counts for id in each.learners}
    learners = tuple(each for each in owners.learners.values() if by.roster is not None or each.id in there)
    places = {each.id: place for place, each in enumerate(learners)}
    submissions = tuple(sorted(counts, key=lambda each: places[each.learners[0]]))
    remarks = [*_about_names(by, platform, names, owners), *about_groups, *_about(counts, learners, unmatched)]
    if passed_over:
        remarks.append(f"Passed over: {first_few(passed_over)}.")
    moved = tuple(_with_other_owners(counts, owners, by))
    return ClassList(learners, submissions, tuple(unmatched), tuple(remarks), moved, platform)


# --- whom a name can mean ---------------------------------------------------------------------------------------------

Owner = tuple[Learner, ...]
"""A learner, or all members of a group."""


def _shown(owner: Owner) -> str:
    return f"the group {owner[0].group}" if len(owner) > 1 else owner[0].shown


class _Owners:
    """Those who can have handed in something of one download: nobody, one owner, or several if it is not clear.

    roster: None without one; then whoever has handed in is a learner, by the platform's own id or by a plain name.
    learners: the roster, or those. groups: the members of each group. numbered: the learners by the platform's own
    numbers, where the roster has them.
    """

    def __init__(self, roster: Sequence[Learner] | None, platform: Platform, works: Sequence[SubmissionFiles]) -> None:
        self.platform, self._has_roster = platform, roster is not None
        self.learners = {each.id: each for each in roster or ()}
        self.groups: dict[str, Owner] = {}
        for each in roster or ():
            if group := folded(each.group):
                self.groups[group] = (*self.groups.get(group, ()), each)
        for files in () if self._has_roster else works:
            self.of(files.readings)
        everyone = self.learners.values()
        self._with_id = ids_in(everyone)
        self._named = indexed(dict.fromkeys([*((each,) for each in everyone), *self.groups.values()]), self._names)
        self.numbered = indexed(
            everyone, lambda each: [{"canvas": each.canvas_id, "moodle": each.participant}.get(platform, "")]
        )
        ids = sorted(id for files in works for id in files.readings)
        # where an assignment's title can end, with which all names of Blackboard's begin
        self._ends = [at for at, sign in enumerate(ids[0], 1) if sign == "_" and ids[-1].startswith(ids[0][:at])]

    def _names(self, owner: Owner) -> list[str]:
        """What a learner, or a group, is called."""
        first, *others = owner
        is_group = self.groups.get(folded(first.group)) == owner
        return [*([first.group, f"group {first.group}"] if is_group else []), *([] if others else orders(first))]

    def of(self, readings: Mapping[str, str]) -> list[Owner]:
        """Those whom a submission's name can mean."""
        meant = self._meant if self._has_roster else self._submitter
        return list(dict.fromkeys(owner for id, name in readings.items() for owner in meant(id, name)))

    def of_entry(self, entry: str) -> list[Owner]:
        """Those whom the name of a file or folder can mean, as the database has it."""
        said = read_name(self.platform, entry) or read_name(self.platform, f"{entry}/")
        return self.of(said.readings) if said else []

    def called(self, text: str) -> Sequence[Owner]:
        """Those whom a person can mean; without a roster that is anybody."""
        found: Sequence[Owner] = [(each,) for each in self._with_id(text)] or self._named.get(name_key(text), [])
        return found or ([] if self._has_roster else self._submitter("", text))

    def _meant(self, id: str, name: str) -> Sequence[Owner]:
        """Those of the roster whom a platform's name means, read in one way."""
        platform, known = self.platform, name_key(name)
        if platform == "plain":
            return self.called(name) or self.called(as_first_saved(name))
        if platform == "nbgrader":
            found = self._with_id(id)
        elif platform == "blackboard":
            found = [each for end in self._ends for each in self._with_id(id[end:])]
        elif self.numbered:
            found = self.numbered.get(id, [])
            if platform == "moodle":  # it may be a team's number; a team's name stands before a participant's
                found = [each for each in found if known.endswith(name_key(each.name)) or each.name == each.id]
        else:
            named = self._named.get(known, [])
            # who can change the name can be somebody else
            return [*named, *((each,) for each in self._with_id(id) if named and platform == "canvas")]
        return [(each,) for each in found]

    def _submitter(self, id: str, name: str) -> list[Owner]:
        """The learner whom a name means without a roster."""
        name = as_first_saved(name) if self.platform == "plain" else name
        id, name = (text.encode("utf-8", "backslashreplace").decode("utf-8") for text in (id, name))
        known = id or name or "?"  # a display name of blanks
        learner = Learner(known, name or known, in_roster=False)
        return [(self.learners.setdefault(folded(known) or known, learner),)]


# --- what counts for whom ---------------------------------------------------------------------------------------------


def _what_counts(
    owners: _Owners, works: Sequence[SubmissionFiles], by: Identification
) -> tuple[list[SubmissionFiles], list[Unmatched], list[str]]:
    """The one submission that counts for each owner, the rows of what counts for nobody, and remarks.

    Raises KataError for matches that fit nothing.
    """
    said = _words(owners, works, by)
    claims: dict[Owner, list[SubmissionFiles]] = defaultdict(list)
    counts: list[SubmissionFiles] = []
    unmatched: list[Unmatched] = []
    for files in works:
        found = [said[files.entry]] if files.entry in said else owners.of(files.readings)
        if len(found) == 1:
            claims[found[0]].append(files)
        else:
            names = " or ".join(f"{_shown(each)}'s" for each in found)
            why = f"It could be {names}." if found else "Nobody in the class is called so."
            unmatched.append(Unmatched(files.entry, why, is_submission=True))
    remarks = list(_share(claims, owners, said, by.graded, unmatched))
    for owner, theirs in claims.items():
        best = _best(theirs, said)
        why = f"It could be {_shown(owner)}'s, of whom {best[0].entry} counts."
        if len(best) > 1:
            why = f"{first_few([each.entry for each in theirs])} could all be {_shown(owner)}'s, so none counts."
        for files in theirs:
            word, is_the_one = "", best == [files]
            if whose := said.get(files.entry):  # a name may be another's one day, in a roster that comes later
                word = f"group {whose[0].group}" if len(whose) > 1 else whose[0].id
            if is_the_one:
                counts.append(replace(files, learners=tuple(each.id for each in owner)))
            if word or not is_the_one:
                unmatched.append(Unmatched(files.entry, "" if is_the_one else why, not is_the_one, word))
    return counts, unmatched, remarks


def _best(theirs: Sequence[SubmissionFiles], said: Mapping[str, Owner]) -> Sequence[SubmissionFiles]:
    """What goes first of what could be one owner's: what a person gave them, or names that can be read in one way.

    So nobody's odd name puts a clear one in doubt.
    """
    clear = [each for each in theirs if len(each.readings) == 1]
    return [each for each in theirs if each.entry in said] or clear or theirs


def _share(
    claims: dict[Owner, list[SubmissionFiles]],
    owners: _Owners,
    said: Mapping[str, Owner],
    graded: Mapping[str, Collection[str]],
    unmatched: list[Unmatched],
) -> Iterator[str]:
    """Make each group one owner that has one submission in all, or of whose submissions a person gave it one.

    What another member handed in and was graded before is one more: nobody's row becomes another's work. Of other
    groups, what bears their name is nobody's. Yields a remark on them.
    """
    several: list[str] = []
    for group in owners.groups.values():
        members, ids = [(each,) for each in group], {each.id for each in group}
        claimed = [claims[owner] for owner in dict.fromkeys([*members, group]) if owner in claims]
        best = [files for theirs in claimed for files in _best(theirs, said)]
        now = [{known_by(owners.platform, each.entry), *owners.of(each.readings)} for each in best]
        earlier = [
            {known_by(owners.platform, entry), *owners.of_entry(entry)}
            for entry, whose in graded.items()
            if not ids.isdisjoint(whose)
        ]
        is_one = len(best) == 1 and all(now[0] & each for each in earlier)
        if is_one or any(said.get(files.entry) == group for files in best):
            for owner in members:
                claims.pop(owner, None)
            claims[group] = [files for theirs in claimed for files in theirs]
        elif best and len(group) > 1:
            several.append(group[0].group)
            why = f"It bears the name of {_shown(group)}, of which there is more."
            unmatched += [Unmatched(files.entry, why, is_submission=True) for files in claims.pop(group, ())]
    if several:
        yield (
            f"Several submissions, now or before, each of which counts for who handed it in: {first_few(several)}. A "
            "group's name in a file for --match gives one to all of the group."
        )


def _words(owners: _Owners, works: Sequence[SubmissionFiles], by: Identification) -> dict[str, Owner]:
    """Whose each submission is of which a person says so, or said before, if that still means one owner.

    Raises KataError for what a person says now and fits nothing.
    """
    there = {files.entry for files in works}
    missing = [entry for entry, learner in by.matches.items() if learner and entry not in there]
    problems = [f"There is no submission {entry}, which --match names." for entry in missing]
    found: dict[str, Owner] = {}
    for entry, text in {**by.before, **by.matches}.items():
        if text and entry in there:
            meant = owners.called(text)
            if len(meant) == 1:
                found[entry] = meant[0]
            elif entry in by.matches:
                whom = "several learners are" if meant else "nobody is"
                problems.append(f"--match says that {entry} is of {text}, and {whom} called so.")
    if problems:
        raise KataError("\n".join(problems))
    return found


def _with_other_owners(counts: Sequence[SubmissionFiles], owners: _Owners, by: Identification) -> Iterator[str]:
    """Sentences on submissions that were another's before, and on those of a learner with another number than before.

    Where only names say whose they are, no new number takes a row. What a person gave to somebody is theirs.
    """
    before = {known_by(owners.platform, entry): entry for entry in by.graded}
    for files in counts:
        name, learners = known_by(owners.platform, files.entry), set(files.learners)
        is_new_number = name not in before and name != files.entry
        for number, entry in before.items() if not by.matches.get(files.entry) else ():
            whose = set(by.graded[entry])
            is_taken = number == name and not whose & learners
            is_same = whose == learners or owners.of_entry(entry) == owners.of(files.readings)
            if is_taken or (
                is_new_number and number != entry and (is_same or (whose & learners and not owners.numbered))
            ):
                told, other = (" and ".join(sorted(each)) for each in (whose, learners))
                yield f"{files.entry} would be of {other}; in the run before {number} was of {told}."


# --- remarks ----------------------------------------------------------------------------------------------------------


def _about_names(by: Identification, platform: Platform, names: Sequence[str], owners: _Owners) -> Iterator[str]:
    """How the names were read."""
    title = TITLES[platform]
    if by.platform is None and platform != "plain":
        yield f"Read as a download of {title}; --from says otherwise."
    elif by.platform is None and (like := [each for each in FOUND_OUT if any(read_name(each, one) for one in names)]):
        titles = " or ".join(TITLES[each] for each in like)
        yield f"Read as plain names, though some look like a download of {titles} (--from)."
    if by.roster is not None and platform in NUMBERED and not owners.numbered:
        yield f"Learners were found by the names that {title} shows, which they may be able to change."


def _about(
    counts: Sequence[SubmissionFiles], learners: Sequence[Learner], unmatched: Sequence[Unmatched]
) -> Iterator[str]:
    """Who is late, and what is no submission, by the reason."""
    if late := {id for each in counts if each.is_late for id in each.learners}:
        yield f"Late, as the platform says: {first_few([each.name for each in learners if each.id in late])}."
    others = [each for each in unmatched if not (each.is_submission or each.learner)]
    for why in dict.fromkeys(each.why for each in others):
        yield f"Not graded: {first_few([each.entry for each in others if each.why == why])}. {why}"
