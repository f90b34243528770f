"""Who is in a class: the learners of the roster, whoever else handed something in, and what each handed in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .entries import Entry, distinct
from .learners import Learner
from .lms_names import read_name
from .roster import Enrolled, Matcher


@dataclass(frozen=True)
class Member:
    """One learner and what was handed in, if anything was."""

    learner: Learner
    entry: Entry | None


@dataclass(frozen=True)
class Members:
    """A class in class order, and what there is to say about it."""

    all: tuple[Member, ...]
    remarks: tuple[str, ...] = ()

    @property
    def entries(self) -> list[Entry]:
        """All submissions, each under its learner's name in the results."""
        return [member.entry for member in self.all if member.entry is not None]


def members(found: Sequence[Entry], roster: Sequence[Enrolled] | None = None) -> Members:
    """The class: in the roster's order, then the submissions that it does not name in theirs."""
    if roster is None:
        return Members(tuple(Member(Learner(name=each.name, shown=_shown(each)), each) for each in found))
    matcher = Matcher(roster)
    of: dict[str, Entry] = {}
    others: list[Entry] = []
    remarks = []
    for entry in found:
        learner = matcher.learner(entry.name)
        if learner is None:
            others.append(entry)
        elif learner.id in of:
            others.append(entry)
            remarks.append(f"{entry.path.name} is a second submission of {learner.name}: it has a record of its own.")
        else:
            of[learner.id] = entry
    names = distinct([*(learner.id for learner in roster), *(entry.name for entry in others)])
    listed = [_member(name, each, of.get(each.id)) for name, each in zip(names, roster, strict=False)]
    unlisted = [replace(each, name=name) for name, each in zip(names[len(roster) :], others, strict=True)]
    if unlisted:
        remarks.append(f"Not in the roster: {first_few([entry.name for entry in unlisted])}.")
    absent = [member.learner.shown for member in listed if member.entry is None]
    if absent:
        remarks.append(f"Handed in nothing: {first_few(absent)}.")
    theirs = [Member(Learner(name=each.name, shown=_shown(each)), each) for each in unlisted]
    return Members((*listed, *theirs), tuple(remarks))


def _member(name: str, enrolled: Enrolled, entry: Entry | None) -> Member:
    learner = Learner(name=name, shown=enrolled.name, email=enrolled.email, handed_in=entry is not None, in_roster=True)
    return Member(learner, replace(entry, name=name) if entry else None)


def _shown(entry: Entry) -> str:
    said = read_name(entry.name) or read_name(entry.path.name)
    return said.name if said else entry.name


SPELT_OUT = 20


def first_few(names: Sequence[str]) -> str:
    """The names, or of many the first and how many more there are."""
    more = f" and {len(names) - SPELT_OUT} more" if len(names) > SPELT_OUT else ""
    return ", ".join(names[:SPELT_OUT]) + more
