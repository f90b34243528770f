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
from grader.render.wording import first_few

from .class_folder import SubmissionFiles, can_be_work, names_in, works_in
from .platforms import FOUND_OUT, NUMBERED, TITLES, Platform, as_first_saved, platform_of, read_entry, read_name
from .roster import Learner, folded, ids_in, indexed, name_key, name_keys
from .unmatched import TAKEN_AWAY, Unmatched


@dataclass(frozen=True)
class Identification:
    """What says whose a submission is. Without any of it, only the names do.

    platform: the one that made the names; found out if None. matches: learners by entries, as a person gives them,
    "" for nobody. ignored: paths that are no submissions: the results, the roster. before: matches that a person gave
    earlier. graded: whose each entry was, and in which run last.
    """

    roster: Sequence[Learner] | None = None
    platform: Platform | None = None
    matches: Mapping[str, str] = field(default_factory=dict)
    ignored: tuple[Path, ...] = ()
    before: Mapping[str, str] = field(default_factory=dict)
    graded: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


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
    there, passed_over = names_in(folder, by.ignored)
    names = [each for each in there if can_be_work(each)] or there
    platform = by.platform or platform_of(names)
    works, others = works_in(folder, there, platform)
    owners = _Owners(by, platform, works)
    counts, nobodys, about_groups = _what_counts(owners)
    unmatched = sorted({row.entry: row for row in (*others, *nobodys)}.values(), key=lambda row: row.entry)
    first = {files.learners[0]: files for files in (*counts, *_taken_away(counts, owners))}
    learners = tuple(each for each in owners.learners.values() if by.roster is not None or each.id in first)
    submissions = tuple(first[each.id] for each in learners if each.id in first)
    remarks = [*_about_names(owners, names), *about_groups, *_about(counts, learners, unmatched)]
    if passed_over:
        remarks.append(f"Passed over: {first_few(passed_over)}.")
    moved = tuple(_with_other_owners(counts, owners))
    return ClassList(learners, submissions, tuple(unmatched), tuple(remarks), moved, platform)


# --- whom a name can mean ---------------------------------------------------------------------------------------------

Owner = tuple[Learner, ...]
"""A learner, or all members of a group."""


def _word(owner: Owner) -> str:
    """How an owner is remembered: a name may be another's one day, in a roster that comes later."""
    return f"group {owner[0].group}" if len(owner) > 1 else owner[0].id


def _shown(owner: Owner) -> str:
    return f"the {_word(owner)}" if len(owner) > 1 else owner[0].shown


class _Owners:
    """Those who can have handed in something of one download: nobody, one owner, or several if it is not clear.

    learners: the roster; without one whoever has handed in, by the platform's own id or by a plain name. groups: the
    members of each group. numbered: the learners by the platform's own numbers, where the roster has them. said: whose
    an entry is, by what a person says or said. graded: what was graded before. Raises KataError for a match that fits
    nothing.
    """

    def __init__(self, by: Identification, platform: Platform, works: Sequence[SubmissionFiles]) -> None:
        self.by, self.platform, self.works = by, platform, works
        self.learners = {each.id: each for each in by.roster or ()}
        for files in works if by.roster is None else ():
            self.of(files)
        everyone = self.learners.values()
        members = indexed(everyone, lambda each: [folded(each.group)])
        self.groups: dict[str, Owner] = {group: tuple(them) for group, them in members.items()}
        self._with_id = ids_in(everyone)
        self._named = indexed(dict.fromkeys([*((each,) for each in everyone), *self.groups.values()]), self._names)
        self.numbered = indexed(
            everyone, lambda each: [{"canvas": each.canvas_id, "moodle": each.participant}.get(platform, "")]
        )
        ids = sorted(id for files in works for id in files.name.readings)
        # where an assignment's title can end, with which all names of Blackboard's begin
        self._ends = [at for at, sign in enumerate(ids[0], 1) if sign == "_" and ids[-1].startswith(ids[0][:at])]
        self.said = self._words({files.entry for files in works})
        whose = {entry: ids for entry, ids in by.graded.items() if entry != TAKEN_AWAY}
        self.graded = [SubmissionFiles(entry, read_entry(platform, entry), (*ids,)) for entry, ids in whose.items()]

    def _words(self, there: Collection[str]) -> dict[str, Owner]:
        """Whose each submission is of which a person says so, or said before, if that still means one owner."""
        found: dict[str, Owner] = {}
        problems: list[str] = []
        for entry, text in {**self.by.before, **self.by.matches}.items():
            meant = self.called(text) if text and entry in there else []
            if len(meant) == 1:
                found[entry] = meant[0]
            elif self.by.matches.get(entry, "") not in ("", self.by.before.get(entry)):
                whom = "several learners are" if meant else "nobody is"
                why = f"{whom} called so" if entry in there else "there is no such entry"
                problems.append(f"unmatched.csv gives {entry} to {text}, and {why}.")
        if problems:
            raise KataError("\n".join(problems))
        return found

    def _names(self, owner: Owner) -> list[str]:
        """What a learner, or a group, is called, as `name_key` spells it."""
        first, *others = owner
        group = name_key(first.group) if self.party(owner) == owner else ""
        return [group, group and f"group{group}", *([] if others else name_keys(first))]

    def of(self, files: SubmissionFiles) -> list[Owner]:
        """Those whom a submission's name can mean."""
        meant = self._submitter if self.by.roster is None else self._meant
        return list(dict.fromkeys(owner for id, name in files.name.readings.items() for owner in meant(id, name)))

    def party(self, owner: Owner) -> Owner:
        """The group that a learner is in, or else the learner."""
        return self.groups.get(folded(owner[0].group), owner)

    def best(self, theirs: Sequence[SubmissionFiles]) -> Sequence[SubmissionFiles]:
        """What goes first of what could be one owner's: what a person gave them, or names that can be read in one way.

        So nobody's odd name puts a clear one in doubt.
        """
        clear = [each for each in theirs if len(each.name.readings) == 1]
        return [each for each in theirs if each.entry in self.said] or clear or theirs

    def called(self, text: str) -> Sequence[Owner]:
        """Those whom a person can mean; without a roster that is anybody."""
        found: Sequence[Owner] = [(each,) for each in self._with_id(text)] or self._named.get(name_key(text), [])
        return found or (self._submitter("", text) if self.by.roster is None else [])

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


def _what_counts(owners: _Owners) -> tuple[list[SubmissionFiles], list[Unmatched], list[str]]:
    """The one submission that counts for each owner, the rows of what counts for nobody, and remarks."""
    claims: dict[Owner, dict[Owner, list[SubmissionFiles]]] = defaultdict(lambda: defaultdict(list))
    why: dict[str, str] = {}
    for files in owners.works:
        found = [owners.said[files.entry]] if files.entry in owners.said else owners.of(files)
        if len(found) == 1:
            claims[owners.party(found[0])][found[0]].append(files)
        else:
            names = " or ".join(f"{_shown(each)}'s" for each in found)
            why[files.entry] = f"It could be {names}." if found else "Nobody in the class is called so."
    counts: list[SubmissionFiles] = []
    several: list[str] = []
    for party, theirs in claims.items():
        is_one = len(party) == 1 or _is_one(party, theirs, owners)
        if is_one:
            theirs = {party: [files for each in theirs.values() for files in each]}
        else:
            several.append(party[0].group)
        for owner, mine in theirs.items():
            best = owners.best(mine)
            reason = f"It could be {_shown(owner)}'s, of whom {best[0].entry} counts."
            if owner == party and not is_one:
                best, reason = [], f"It bears the name of {_shown(owner)}, of which there is more."
            elif len(best) > 1:
                listed = first_few([each.entry for each in mine])
                best, reason = [], f"{listed} could all be {_shown(owner)}'s, so none counts."
            counts += [replace(files, learners=tuple(each.id for each in owner)) for files in best]
            why |= {files.entry: reason for files in mine if files not in best}
    # also of what is not there, or nobody's, just now
    words = {entry: text for entry, text in owners.by.before.items() if owners.by.matches.get(entry, text)}
    words |= {entry: _word(owner) for entry, owner in owners.said.items()}
    rows = [Unmatched(entry, why.get(entry, ""), entry in why, words.get(entry, "")) for entry in {**why, **words}]
    remark = (
        "Several submissions, now or before, each of which counts for who handed it in: "
        f"{first_few(several)}. A group's name in a file for --match gives one to all of the group."
    )
    return counts, rows, [remark] if several else []


def _taken_away(counts: Sequence[SubmissionFiles], owners: _Owners) -> Iterator[SubmissionFiles]:
    """Empty submissions: of learners who had last what a person has now given to others, or taken back."""
    said, has_work = owners.by.matches, {id for files in counts for id in files.learners}
    corrected = {entry for entry, text in said.items() if text != owners.by.before.get(entry, "")}
    graded = sorted((run, id, entry) for entry, ids in owners.by.graded.items() for id, run in ids.items())
    for id, entry in {id: entry for _, id, entry in graded}.items():
        still = [each.id for each in owners.said.get(entry, ())]
        if entry in (TAKEN_AWAY, *corrected) and id not in has_work and id not in still and owners.called(id):
            yield SubmissionFiles(TAKEN_AWAY, read_entry(owners.platform, entry), (id,))


def _is_one(group: Owner, theirs: Mapping[Owner, Sequence[SubmissionFiles]], owners: _Owners) -> bool:
    """Whether a group has one submission in all, or of several one that a person gave it.

    What another member handed in and was graded before is one more: nobody's row becomes another's work.
    """
    best = [files for each in theirs.values() for files in owners.best(each)]
    ids = {each.id for each in group}
    earlier = [files for files in owners.graded if not ids.isdisjoint(files.learners)]
    names = [{files.known, *owners.of(files)} for files in (*best, *earlier)]
    is_only = len(best) == 1 and all(names[0] & each for each in names)
    return is_only or any(owners.said.get(files.entry) == group for files in best)


def _with_other_owners(counts: Sequence[SubmissionFiles], owners: _Owners) -> Iterator[str]:
    """Sentences on submissions that were another's before, and on those of a learner with another number than before.

    Where only names say whose they are, no new number takes a row. What a person gives or gave to somebody is theirs.
    """
    before = {each.known: each for each in owners.graded}
    for files in counts:
        learners, meant = set(files.learners), owners.of(files)
        is_new_number = files.name.number and files.known not in before
        for earlier in before.values() if files.entry not in owners.said else ():
            whose = set(earlier.learners)
            is_taken = files.known == earlier.known and not whose & learners
            if is_new_number and earlier.name.number:
                is_taken |= whose == learners or (meant != [] and meant == owners.of(earlier))
                is_taken |= not (owners.numbered or whose.isdisjoint(learners))
            if is_taken:
                told, other = (" and ".join(sorted(each)) for each in (whose, learners))
                yield f"{files.entry} would be of {other}; in the run before {earlier.known} was of {told}."


# --- remarks ----------------------------------------------------------------------------------------------------------


def _about_names(owners: _Owners, names: Sequence[str]) -> Iterator[str]:
    """How the names were read."""
    by, platform, title = owners.by, owners.platform, TITLES[owners.platform]
    if by.platform is None and platform != "plain":
        yield f"Read as a download of {title}; --from says otherwise."
    elif by.platform is None and (like := [each for each in FOUND_OUT if any(read_name(each, one) for one in names)]):
        titles = " or ".join(TITLES[each] for each in like)
        yield f"Read as plain names, though some look like a download of {titles} (--from)."
    if by.roster is not None and platform in NUMBERED and not owners.numbered:
        yield f"Learners were found by the names that {title} shows, which they may be able to change."


def _about(counts: list[SubmissionFiles], learners: tuple[Learner, ...], rows: list[Unmatched]) -> Iterator[str]:
    """Who is late, and what is no submission, by the reason."""
    if late := {id for each in counts if each.name.is_late for id in each.learners}:
        yield f"Late, as the platform says: {first_few([each.name for each in learners if each.id in late])}."
    others = [each for each in rows if not (each.is_submission or each.learner)]
    for why in dict.fromkeys(each.why for each in others):
        yield f"Not graded: {first_few([each.entry for each in others if each.why == why])}. {why}"
