"""Groups of the roster, which hand in together: a submission of one, or with the group's name, counts for each member.

A member who hands in something alone gets the grade for that, and nobody else does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from grader.intake.names import first_few

from .claims import folded
from .class_listing import LeftOut
from .entries import Entry
from .members import Member, Members


def in_groups(everyone: Members) -> Members:
    """The class, with a group's submission given to each of its members."""
    groups: dict[str, list[Member]] = {}
    for each in everyone.all:
        if group := folded(each.learner.group):
            groups.setdefault(group, []).append(each)
    own = {
        group: each.entry
        for each in everyone.all
        if each.entry and not each.learner.in_roster and (group := folded(each.learner.name)) in groups
    }
    works = {
        group: [own[group]] if group in own else [each.entry for each in members if each.entry]
        for group, members in groups.items()
    }
    bearers = {entry.name for entry in own.values()}
    before = [each for each in everyone.all if each.learner.name not in bearers]
    shared = tuple(_with_work(each, works.get(folded(each.learner.group), ())) for each in before)
    remarks = list(everyone.remarks)
    if theirs := [one.learner.shown for one, each in zip(shared, before, strict=True) if one.entry and not each.entry]:
        remarks.append(f"Handed in by their group: {first_few(theirs)}.")
    unused = list(_unused(own.values(), shared))
    remarks += [f"{each.name} was not graded. {each.reason}" for each in unused]
    disputes = (*everyone.disputes, *_unclear(shared, works))
    left_out = (*everyone.left_out, *unused)
    return replace(everyone, all=shared, remarks=tuple(remarks), disputes=disputes, left_out=left_out)


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


def _with_work(member: Member, works: Sequence[Entry]) -> Member:
    """A member of the class, with the group's submission if they have none of their own."""
    if member.entry or member.learner.is_disputed or len(works) != 1:
        return member
    entry = replace(works[0], name=member.learner.name)
    return Member(member.learner.model_copy(update={"handed_in": True}), entry)


def _unused(own: Iterable[Entry], shared: Sequence[Member]) -> Iterator[LeftOut]:
    """What bears a group's name and is nobody's, as all of the group have handed in something of their own."""
    used = {each.entry.path for each in shared if each.entry}
    for entry in own:
        if entry.path not in used:
            for path in entry.files:
                yield LeftOut(
                    path.name, "It bears a group's name, and all of the group have handed in something of their own."
                )


def _unclear(shared: Sequence[Member], works: Mapping[str, Sequence[Entry]]) -> Iterator[str]:
    """Yield sentences about groups in which several members handed in, and others did not."""
    for group, found in works.items():
        without = [each.learner for each in shared if folded(each.learner.group) == group and not each.entry]
        if without and len(found) > 1:
            names = first_few([entry.path.name for entry in found])
            yield (
                f"The group {without[0].group} handed in several times ({names}), so nobody knows which is also that "
                f"of {first_few([each.shown for each in without])}: leave one, and use --resume."
            )
