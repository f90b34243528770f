"""What `kata play` showed of a learner's own code, for pages: maps with their descriptions, and written texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from grader.played import Played, PlayedMap

from .attention_map import map_svg

MOST_CELLS = 60_000
"""Places of all maps on one page, each of some 200 bytes. A map has at most 4096, the usual ones a few hundred."""
MOST_CELLS_EACH = 20_000
"""Of one learner's maps on the class page, so that nobody fills it."""


class _Room:
    """How many places of maps a page has room for."""

    def __init__(self, cells: int) -> None:
        self._left = cells

    def takes(self, shown: PlayedMap) -> bool:
        """Whether a map is drawn; then there is less room for the next."""
        size = len(shown.rows) * len(shown.columns)
        if size > self._left:
            return False
        self._left -= size
        return True


@dataclass(frozen=True)
class AtWork:
    """One exercise on a page. `note`: when it was played, and with passing code or not; maps: titles and pictures."""

    note: str
    maps: tuple[tuple[str, Markup], ...]
    given: str
    wrote: tuple[tuple[str, str], ...]


def _at_work(played: Played, place: str, room: _Room) -> AtWork:
    """Ready for a page. place: what makes its pictures' ids unique there."""
    how = "with code that had passed" if played.was_right else "with code that had not passed as it was"
    drawn = [each for each in played.maps if room.takes(each)]
    missing = "" if len(drawn) == len(played.maps) else " The page has no room for all of its maps."
    return AtWork(
        note=f"Played on {played.at.day} {played.at:%B %Y}, {how}. It counts for no points.{missing}",
        maps=tuple((each.title, map_svg(each, f"{place}-{number}")) for number, each in enumerate(drawn)),
        given=played.given,
        wrote=played.wrote,
    )


SHOWN_EACH = 6
"""Learners whose map of an exercise is shown on the class page; all maps are on the learners' own pages."""


@dataclass(frozen=True)
class LearnerMap:
    """One learner's map of one exercise on the class page, with a link to the learner's page."""

    learner: str
    link: str
    title: str
    picture: Markup


@dataclass(frozen=True)
class ExerciseMaps:
    """One exercise that learners played: how many did, and the first of their maps."""

    title: str
    count: int
    maps: Sequence[LearnerMap]


class Gallery:
    """Collects a few maps of each exercise for the class page, one learner at a time, so that the page stays small."""

    def __init__(self, titles: Mapping[str, str]) -> None:
        self._titles = titles
        self._counts: Counter[str] = Counter()
        self._maps: dict[str, list[LearnerMap]] = {}
        self._room = _Room(MOST_CELLS)

    def add(self, learner: str, link: str, played: Mapping[str, Played]) -> None:
        """Take what one learner handed in; `learner` is shown as it is."""
        own = _Room(MOST_CELLS_EACH)
        for id, each in played.items():
            if id not in self._titles or not each.maps:
                continue
            self._counts[id] += 1
            maps = self._maps.setdefault(id, [])
            if len(maps) < SHOWN_EACH and own.takes(each.maps[0]) and self._room.takes(each.maps[0]):
                place = f"gallery-{list(self._titles).index(id)}-{len(maps)}"
                maps.append(LearnerMap(learner, link, each.maps[0].title, map_svg(each.maps[0], place)))

    @property
    def exercise_maps(self) -> list[ExerciseMaps]:
        """The exercises that were played, in course order."""
        played = {id: title for id, title in self._titles.items() if id in self._maps}
        return [ExerciseMaps(title, self._counts[id], self._maps[id]) for id, title in played.items()]


def all_at_work(played: Mapping[str, Played], places: Mapping[str, str]) -> dict[str, AtWork]:
    """Those of the exercises on a page, by id. places: what each is called there, in ids."""
    room = _Room(MOST_CELLS)
    return {id: _at_work(each, f"map-{places[id]}", room) for id, each in played.items() if id in places}
