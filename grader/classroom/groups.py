"""Groups that hand in together: a submission of one member, or one with the group's name, counts for each member.

A CSV has columns for the learner (as in a roster: an id, login, email or name) and the group. A member who hands in
something alone gets the grade for that, and nobody else does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar

from grader.course.course_error import quoted
from grader.errors import KataError
from grader.intake.names import first_few

from .claims import folded
from .class_listing import LeftOut
from .csv_file import Column, CsvRow, read_rows
from .entries import Entry
from .members import LEARNERS, Learner, Member, Members, by_name

GROUPS = ("group", "groups", "groupname", "team", "teamname")


@dataclass(frozen=True)
class InGroup:
    """One row: a learner, as the CSV names them, and the group."""

    learner: str
    group: str


class _GroupRow(CsvRow):
    wanted: ClassVar[str] = "columns for learners and groups"
    example: ClassVar[tuple[str, ...]] = ("learner,group", "ada,Red", "bo,Red")

    group: Annotated[str, Column(GROUPS, is_needed=True)] = ""
    learner: Annotated[str, Column(LEARNERS, "first filled", is_needed=True)] = ""


def read_groups(path: Path) -> list[InGroup]:
    """The rows of a CSV of groups; rows without a group are skipped.

    Raises KataError for a file that cannot be read, lacks a column, or has a learner twice.
    """
    found: dict[str, tuple[int, InGroup]] = {}
    for number, row in read_rows(path, _GroupRow):
        if not row.group:
            continue
        if not row.learner:
            raise KataError(f"{path}, row {number}: there is no learner.")
        if row.learner in found:
            raise KataError(f"{path}, row {number}: {quoted(row.learner)} is in row {found[row.learner][0]} already.")
        found[row.learner] = number, InGroup(row.learner, row.group)
    return [row for _, row in found.values()]


def group_of_each(rows: Sequence[InGroup], learners: Sequence[Learner]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The group of each learner, by the names in the results; and the names that match no learner.

    Raises KataError when two rows put a learner into two groups.
    """
    named, unknown = by_name(rows, learners)
    found: dict[str, str] = {}
    for name, row in named:
        if folded(found.setdefault(name, row.group)) != folded(row.group):
            raise KataError(f"{name} is in two groups, {quoted(found[name])} and {quoted(row.group)}: take one out.")
    return found, unknown


def in_groups(everyone: Members, rows: Sequence[InGroup], *, has_roster: bool) -> Members:
    """The class, with a group's submission given to each of its members. Raises KataError."""
    of, unknown = group_of_each(rows, [each.learner for each in everyone.all])
    handed_in = _by_groups(everyone.all, of, {folded(row.group) for row in rows})
    all = [each for each in everyone.all if each.learner.name not in handed_in.names]
    remarks = list(everyone.remarks)
    if unknown and has_roster:
        remarks.append(f"In a group, but nobody in this class: {first_few(unknown)}.")
    elif unknown:  # without a roster, learners without a submission are only known from the groups
        groups = {row.learner: row.group for row in rows}
        all += [Member(Learner(name=name, shown=name, handed_in=False), None) for name in unknown]
        of |= {name: groups[name] for name in unknown}
    shared = [_shared(each, of.get(each.learner.name, ""), handed_in, all, of) for each in all]
    if theirs := [one.learner.shown for one, each in zip(shared, all, strict=True) if one.entry and not each.entry]:
        remarks.append(f"Handed in by their group: {first_few(theirs)}.")
    disputes = [*everyone.disputes, *_unclear(shared, of, handed_in, all)]
    unused = list(_unused(handed_in, shared))
    remarks += [f"{each.name} was not graded. {each.reason}" for each in unused]
    left_out = (*everyone.left_out, *unused)
    return replace(everyone, all=tuple(shared), remarks=tuple(remarks), disputes=tuple(disputes), left_out=left_out)


def one_work_each(everyone: Members) -> list[list[Entry]]:
    """The submissions of a class in its order, those together that are one work of one group: it is graded once.

    Only what is the same on disk, handed in by one of them or by the group. Nobody else's record comes of it.
    """
    works: dict[object, list[Entry]] = {}
    for each in everyone.all:
        if each.entry is not None:
            group = folded(each.learner.group)
            work = (group, replace(each.entry, name="")) if group else each.learner.name
            works.setdefault(work, []).append(each.entry)
    return list(works.values())


@dataclass(frozen=True)
class _HandedIn:
    """The submissions with a group's name, by the group; and their names as long as they count as learners."""

    of: Mapping[str, Entry]
    names: frozenset[str]


def _by_groups(all: Sequence[Member], of: Mapping[str, str], groups: set[str]) -> _HandedIn:
    found = {
        folded(each.learner.name): each
        for each in all
        if each.entry and not each.learner.in_roster and each.learner.name not in of
        if folded(each.learner.name) in groups
    }
    entries = {group: each.entry for group, each in found.items() if each.entry}
    return _HandedIn(entries, frozenset(each.learner.name for each in found.values()))


def _unused(handed_in: _HandedIn, shared: Sequence[Member]) -> Iterator[LeftOut]:
    """What bears a group's name and is nobody's, as all of the group have handed in something of their own."""
    used = {each.entry.path for each in shared if each.entry}
    for entry in handed_in.of.values():
        if entry.path not in used:
            for path in entry.files:
                yield LeftOut(
                    path.name, "It bears a group's name, and all of the group have handed in something of their own."
                )


def _entries_of(group: str, handed_in: _HandedIn, all: Sequence[Member], of: Mapping[str, str]) -> list[Entry]:
    """A group's submissions: those with its name, else those of its members."""
    if own := handed_in.of.get(folded(group)):
        return [own]
    return [each.entry for each in all if each.entry and folded(of.get(each.learner.name, "")) == folded(group)]


def _shared(member: Member, group: str, handed_in: _HandedIn, all: Sequence[Member], of: Mapping[str, str]) -> Member:
    """A member of the class, with the group's submission if they have none of their own."""
    if not group:
        return member
    learner = member.learner.model_copy(update={"group": group})
    found = _entries_of(group, handed_in, all, of)
    if member.entry or learner.is_disputed or len(found) != 1:
        return replace(member, learner=learner)
    entry = replace(found[0], name=learner.name)
    return Member(learner.model_copy(update={"handed_in": True}), entry)


def _unclear(
    shared: Sequence[Member], of: Mapping[str, str], handed_in: _HandedIn, all: Sequence[Member]
) -> Iterator[str]:
    """Yield sentences about groups in which several members handed in, and others did not."""
    for group in dict.fromkeys(of.values()):
        without = [each.learner.shown for each in shared if each.learner.group == group and not each.entry]
        found = _entries_of(group, handed_in, all, of)
        if without and len(found) > 1:
            names = first_few([entry.path.name for entry in found])
            yield (
                f"The group {group} handed in several times ({names}), so nobody knows which is also that of "
                f"{first_few(without)}: leave one, and use --resume."
            )
