"""Groups of the roster, which hand in together: one submission counts for each member who has none of their own."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.intake.names import first_few

from .class_contents import Unmatched
from .learners import Learner, folded
from .owners import Owner
from .submission_files import SubmissionFiles


@dataclass(frozen=True)
class Shared:
    """The submissions of a class, each with all whose it is. spare: of groups in which everybody has their own."""

    submissions: tuple[SubmissionFiles, ...]
    spare: tuple[Unmatched, ...]
    remarks: tuple[str, ...]


def in_groups(
    counting: Mapping[Owner, SubmissionFiles], torn: Collection[Owner], learners: Sequence[Learner]
) -> Shared:
    """Give a group's submission, which bears its name or is that of one member, to each member without one.

    counting: the submission of each learner and group. torn: those of whom several submissions claim to be.
    """
    groups: dict[str, list[Learner]] = {}
    for each in learners:
        if each.group:
            groups.setdefault(folded(each.group), []).append(each)
    found = dict(counting)
    spare: list[Unmatched] = []
    remarks: list[str] = []
    for members in groups.values():
        whole = tuple(each.id for each in members)
        have = [(each.id,) for each in members if (each.id,) in found]
        without = [each for each in members if (each.id,) not in found and (each.id,) not in torn]
        ids, names = tuple(each.id for each in without), first_few([each.name for each in without])
        if len(whole) == 1 or whole in torn:
            continue
        if whole in found and not without:
            why = "It bears a group's name, and everybody of the group has handed in something of their own."
            spare.append(Unmatched(found.pop(whole).entry, why))
        elif whole in found:
            found[whole] = replace(found[whole], learners=ids)
            remarks.append(f"Handed in by their group: {names}.")
        elif without and len(have) == 1:
            found[have[0]] = replace(found[have[0]], learners=(*have[0], *ids))
            remarks.append(f"Handed in by their group: {names}.")
        elif without and have:
            several = first_few([found[each].entry for each in have])
            remarks.append(
                f"The group {members[0].group} handed in several times ({several}), and nothing counts for {names}: "
                "leave one, or say in a file for --match which is the group's."
            )
    places = {each.id: place for place, each in enumerate(learners)}
    ordered = sorted(found.values(), key=lambda each: places.get(each.learners[0], len(places)))
    return Shared(tuple(ordered), tuple(spare), tuple(remarks))
