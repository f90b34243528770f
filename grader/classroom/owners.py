"""Whose a submission can be: a learner's or a group's of the roster, or without one its submitter's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from .learners import Finder, Learner, folded, name_key
from .platforms import TITLES, NameReading, Platform, as_first_saved
from .submission_files import SubmissionFiles
from .works import FoundWork

MOST_HYPHENS = 12
"""Parts between hyphens of a team's and a learner's name that are tried."""

_OWN_ROSTER: Mapping[Platform, str] = {
    "canvas": "Canvas's own gradebook",
    "moodle": "the assignment's grading worksheet",
    "brightspace": "",
}
"""The roster that has a platform's numbers; without one the names decide that are shown there."""

Owner = tuple[str, ...]
"""The id of a learner, or those of all members of a group."""


class RosterOwners:
    """The learners and groups of a roster. All submissions are of one download."""

    def __init__(self, learners: Sequence[Learner], platform: Platform, works: Iterable[FoundWork] = ()) -> None:
        self._learners, self._platform, self._finder = tuple(learners), platform, Finder(learners)
        self._numbered: dict[str, list[Learner]] = defaultdict(list)
        if platform in ("canvas", "moodle"):
            for each in learners:
                self._numbered[each.canvas_id if platform == "canvas" else each.participant].append(each)
        self._numbered.pop("", None)
        # up to 4.0 Moodle writes TEAM-NAME for everybody where teams hand in
        names = [reading.name for work in works for reading in work.readings]
        self._by_teams = platform == "moodle" and bool(names) and all("-" in name for name in names)

    def of(self, work: FoundWork) -> list[Owner]:
        """Those whom its name can mean."""
        return list(dict.fromkeys(owner for reading in work.readings for owner in self.meant(reading)))

    def called(self, text: str) -> list[Owner]:
        """Those whom a person can mean."""
        return [(each.id,) for each in self._finder.find(text)] or self._groups(text)

    def shown(self, owner: Owner) -> str:
        """An owner as people know them."""
        theirs = [each for each in self._learners if each.id in owner]
        return f"{theirs[0].name} ({theirs[0].id})" if len(theirs) == 1 else f"the group {theirs[0].group}"

    def everyone(self, submissions: Sequence[SubmissionFiles]) -> tuple[Learner, ...]:
        """The roster, in its order."""
        return self._learners

    def remarks(self) -> list[str]:
        """Whether a name decides that the platform shows."""
        if self._numbered or self._platform not in _OWN_ROSTER:
            return []
        own, title = _OWN_ROSTER[self._platform], TITLES[self._platform]
        advice = f" Take {own} as the roster if you can." if own else ""
        return [f"Learners were found by the names that {title} shows, which they may be able to change.{advice}"]

    def meant(self, reading: NameReading) -> list[Owner]:
        """Those whom a platform's name means, read in one way."""
        if self._platform == "plain":
            return self.called(reading.name) or self.called(as_first_saved(reading.name))
        if self._platform in ("blackboard", "nbgrader"):
            return [(each.id,) for each in self._finder.by_id(reading.id)]
        if self._numbered:
            found = self._numbered.get(reading.id, [])
            agree = self._platform == "canvas" or all(_agrees(each, reading) for each in found)
            return [(each.id,) for each in found] if agree else []
        named = self._finder.by_name(reading.name) or (self._behind_team(reading.name) if self._by_teams else ())
        found = list(dict.fromkeys([*named, *(self._finder.by_id(reading.id) if self._platform == "canvas" else ())]))
        if len(found) == 1 and found[0] not in named and found[0].name != found[0].id:
            return []  # the number of a user in Canvas may be another learner's number elsewhere
        return [(each.id,) for each in found] or self._groups(reading.name)

    def _behind_team(self, name: str) -> tuple[Learner, ...]:
        parts = name.split("-")[:MOST_HYPHENS]
        behind = ("-".join(parts[place:]) for place in range(1, len(parts)))
        return next(filter(None, map(self._finder.by_name, behind)), ())

    def _groups(self, name: str) -> list[Owner]:
        groups: dict[str, list[str]] = defaultdict(list)
        for each in self._finder.by_group(name):
            groups[folded(each.group)].append(each.id)
        return [tuple(ids) for ids in groups.values()]


def _agrees(learner: Learner, reading: NameReading) -> bool:
    """Whether a name that Moodle shows is the learner's: the number may be a team's, and a team's name stand before."""
    return learner.name == learner.id or name_key(reading.name).endswith(name_key(learner.name))


class SubmittersAlone:
    """Whoever has handed in something, where there is no roster: by the platform's own id, or by a plain name."""

    def __init__(self, works: Iterable[FoundWork], platform: Platform) -> None:
        self._platform = platform
        self._learners: dict[str, Learner] = {}
        for reading in (each for work in works for each in self._readings(work)):
            self._learner(reading)

    def of(self, work: FoundWork) -> list[Owner]:
        """Those whom its name can mean."""
        return list(dict.fromkeys((self._learner(each).id,) for each in self._readings(work)))

    def called(self, text: str) -> list[Owner]:
        """Those whom a person can mean: who has handed in, else anybody."""
        found = Finder(self._learners.values()).find(text) or [self._learner(NameReading(name=text))]
        return [(each.id,) for each in found]

    def shown(self, owner: Owner) -> str:
        """An owner as people know them."""
        learner = next(each for each in self._learners.values() if each.id in owner)
        return learner.name if learner.name == learner.id else f"{learner.name} ({learner.id})"

    def everyone(self, submissions: Sequence[SubmissionFiles]) -> tuple[Learner, ...]:
        """Those of whom something counts."""
        counting = {id for each in submissions for id in each.learners}
        return tuple(each for each in self._learners.values() if each.id in counting)

    def remarks(self) -> list[str]:
        """None: nobody is looked for."""
        return []

    def _readings(self, work: FoundWork) -> Sequence[NameReading]:
        if self._platform == "plain":
            return [NameReading(name=as_first_saved(each.name)) for each in work.readings]
        return work.readings[:1] if self._platform == "blackboard" else work.readings  # the shortest login

    def _learner(self, reading: NameReading) -> Learner:
        id, name = (text.encode("utf-8", "backslashreplace").decode("utf-8") for text in (reading.id, reading.name))
        known = id or name
        ids, platform = (id,) if id else (), self._platform
        learner = Learner(known, name or id, ids=ids, in_roster=False, platform=platform)
        return self._learners.setdefault(folded(known) or known, learner)


Owners = RosterOwners | SubmittersAlone
"""Says whose a submission can be: nobody's, one owner's, or, if it is not clear, one of several."""
