"""Groups that hand in together: a submission of one member, or one with the group's name, counts for each member.

A CSV has columns for the learner (as in a roster: an id, login, email or name) and the group. A member who hands in
something alone gets the grade for that, and nobody else does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.course.errors import quoted
from grader.intake.names import first_few

from .claims import folded
from .entries import Entry
from .members import LEARNERS, Learner, Member, Members, by_name
from .roster import first_of, lacking, titled_rows

GROUPS = ("group", "groups", "groupname", "team", "teamname")


class GroupsError(Exception):
    """A CSV of groups cannot be used; the message is one sentence for people."""


@dataclass(frozen=True)
class InGroup:
    """One row: a learner, as the CSV names them, and the group."""

    learner: str
    group: str


def read_groups(path: Path) -> list[InGroup]:
    """The rows of a CSV of groups; rows without a group are skipped.

    Raises GroupsError for a file that cannot be read, lacks a column, or has a learner twice.
    """
    with titled_rows(path, GroupsError) as (columns, rows):
        who, which = first_of(LEARNERS, columns), first_of(GROUPS, columns)
        if who is None or which is None:
            raise GroupsError(lacking(path, "columns for learners and groups", "learner,group", "ada,Red", "bo,Red"))
        found: dict[str, tuple[int, InGroup]] = {}
        for number, cells in rows:
            if not cells[which]:
                continue
            if not cells[who]:
                raise GroupsError(f"{path}, row {number}: there is no learner.")
            if cells[who] in found:
                raise GroupsError(
                    f"{path}, row {number}: {quoted(cells[who])} is in row {found[cells[who]][0]} already."
                )
            found[cells[who]] = number, InGroup(cells[who], cells[which])
        return [row for _, row in found.values()]


def group_of_each(rows: Sequence[InGroup], learners: Sequence[Learner]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The group of each learner, by the names in the results; and the names that match no learner.

    Raises GroupsError when two rows put a learner into two groups.
    """
    named, unknown = by_name(rows, learners)
    found: dict[str, str] = {}
    for name, row in named:
        if folded(found.setdefault(name, row.group)) != folded(row.group):
            raise GroupsError(f"{name} is in two groups, {quoted(found[name])} and {quoted(row.group)}: take one out.")
    return found, unknown


def in_groups(everyone: Members, rows: Sequence[InGroup], *, has_roster: bool) -> Members:
    """The class, with a group's submission given to each of its members. Raises GroupsError."""
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
    return replace(everyone, all=tuple(shared), remarks=tuple(remarks), disputes=tuple(disputes))


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
