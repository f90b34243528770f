"""Whose a submission can be: a learner's or a group's of the roster, or without one its submitter's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from .platforms import TITLES, NameReading, Platform, as_first_saved
from .roster import Finder, Learner, folded, name_key

_OWN_ROSTER: Mapping[Platform, str] = {
    "canvas": "Canvas's own gradebook",
    "moodle": "the assignment's grading worksheet",
    "brightspace": "",
}
"""The roster that has a platform's numbers; without one the names decide that are shown there."""

Owner = tuple[str, ...]
"""The id of a learner, or those of all members of a group."""
Readings = Sequence[NameReading]


class Owners:
    """Those who can have handed in something of one download: nobody, one owner, or several if it is not clear.

    roster: None without one; then whoever has handed in is a learner, by the platform's own id or by a plain name.
    works: the readings of each submission's name.
    """

    def __init__(self, roster: Sequence[Learner] | None, platform: Platform, works: Iterable[Readings]) -> None:
        self._platform, self._has_roster = platform, roster is not None
        self._submitters: dict[str, Learner] = {}
        if roster is None:
            for reading in (each for readings in works for each in self._tried(readings)):
                self._submitter(reading)
        self._learners = tuple(self._submitters.values() if roster is None else roster)
        self._finder = Finder(self._learners)
        self._numbered: dict[str, list[Learner]] = defaultdict(list)
        if platform in ("canvas", "moodle"):
            for each in roster or ():
                self._numbered[each.canvas_id if platform == "canvas" else each.participant].append(each)
        self._numbered.pop("", None)

    def of(self, readings: Readings) -> list[Owner]:
        """Those whom a submission's name can mean."""
        return list(dict.fromkeys(owner for reading in self._tried(readings) for owner in self._meant(reading)))

    def called(self, text: str) -> list[Owner]:
        """Those whom a person can mean; without a roster that is anybody."""
        found: list[Owner] = [(each.id,) for each in self._finder.find(text)] or self._groups(text)
        return found or ([] if self._has_roster else [(self._submitter(NameReading(name=text)).id,)])

    def shown(self, owner: Owner) -> str:
        """An owner as people know them."""
        theirs = [each for each in self._everyone() if each.id in owner]
        if len(theirs) > 1:
            return f"the group {theirs[0].group}"
        name, id = theirs[0].name, theirs[0].id
        return name if name == id and not self._has_roster else f"{name} ({id})"

    def everyone(self, counting: Collection[str]) -> tuple[Learner, ...]:
        """The roster in its order; without one those of whom something counts, by their ids."""
        return tuple(each for each in self._everyone() if self._has_roster or each.id in counting)

    def remarks(self) -> list[str]:
        """Whether a name decides that the platform shows."""
        if not self._has_roster or self._numbered or self._platform not in _OWN_ROSTER:
            return []
        own, title = _OWN_ROSTER[self._platform], TITLES[self._platform]
        advice = f" Take {own} as the roster if you can." if own else ""
        return [f"Learners were found by the names that {title} shows, which they may be able to change.{advice}"]

    def _meant(self, reading: NameReading) -> list[Owner]:
        """Those whom a platform's name means, read in one way."""
        if not self._has_roster:
            return [(self._submitter(reading).id,)]
        if self._platform == "plain":
            return self.called(reading.name) or self.called(as_first_saved(reading.name))
        if self._platform in ("blackboard", "nbgrader"):
            return [(each.id,) for each in self._finder.by_id(reading.id)]
        if self._numbered:
            found = self._numbered.get(reading.id, [])
            agree = self._platform == "canvas" or all(_agrees(each, reading) for each in found)
            return [(each.id,) for each in found] if agree else []
        named = self._finder.by_name(reading.name)
        found = list(dict.fromkeys([*named, *(self._finder.by_id(reading.id) if self._platform == "canvas" else ())]))
        if len(found) == 1 and found[0] not in named and found[0].name != found[0].id:
            return []  # the number of a user in Canvas may be another learner's number elsewhere
        return [(each.id,) for each in found] or self._groups(reading.name)

    def _tried(self, readings: Readings) -> Readings:
        """Without a roster, of Blackboard's readings the one with the shortest login."""
        return readings[:1] if self._platform == "blackboard" and not self._has_roster else readings

    def _everyone(self) -> Sequence[Learner]:
        return self._learners if self._has_roster else tuple(self._submitters.values())

    def _submitter(self, reading: NameReading) -> Learner:
        name = as_first_saved(reading.name) if self._platform == "plain" else reading.name
        id, name = (text.encode("utf-8", "backslashreplace").decode("utf-8") for text in (reading.id, name))
        known = id or name or "?"  # a display name of blanks
        learner = Learner(known, name or known, ids=(id,) if id else (), in_roster=False, platform=self._platform)
        return self._submitters.setdefault(folded(known) or known, learner)

    def _groups(self, name: str) -> list[Owner]:
        groups: dict[str, list[str]] = defaultdict(list)
        for each in self._finder.by_group(name):
            groups[folded(each.group)].append(each.id)
        return [tuple(ids) for ids in groups.values()]


def _agrees(learner: Learner, reading: NameReading) -> bool:
    """Whether a name that Moodle shows is the learner's: the number may be a team's, and a team's name stand before."""
    return learner.name == learner.id or name_key(reading.name).endswith(name_key(learner.name))
