"""What `kata play` showed of learners' own code, drawn for pages: as many maps as a page has room for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from markupsafe import Markup

from grader.played import Played, PlayedMap

from .heatmap import HeatMap
from .heatmap_svg import heatmap_svg

MOST_CELLS = 60_000
"""Places of all maps on one page, each of some 200 bytes. A map has at most 4096, the usual ones a few hundred."""
MOST_CELLS_EACH = 20_000
"""Of one learner's maps on the class page, so that nobody fills it."""
SHOWN_EACH = 6
"""Learners whose map of an exercise is shown on the class page; all maps are on the learners' own pages."""


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
    """One exercise on a page: what was seen of it, and pictures of those of its maps for which there is room."""

    played: Played
    pictures: list[tuple[str, Markup]]


def all_at_work(played: Mapping[str, Played], places: Mapping[str, str]) -> dict[str, AtWork]:
    """Those of the exercises on a page, by id. places: what each is called there, in ids."""
    room = _Room(MOST_CELLS)
    return {
        id: AtWork(
            each, [_picture(shown, f"{places[id]}-{n}") for n, shown in enumerate(filter(room.takes, each.maps))]
        )
        for id, each in played.items()
        if id in places
    }


@dataclass
class ExerciseMaps:
    """One exercise that learners played: how many did; of the first maps the learner, their page, title and picture."""

    title: str
    count: int = 0
    maps: list[tuple[str, str, str, Markup]] = field(default_factory=list)


class Gallery:
    """Collects a few maps of each exercise for the class page, one learner at a time, so that the page stays small."""

    def __init__(self, titles: Mapping[str, str]) -> None:
        self._exercises = {id: ExerciseMaps(title) for id, title in titles.items()}
        self._room = _Room(MOST_CELLS)

    def add(self, learner: str, link: str, played: Mapping[str, Played]) -> None:
        """Take what one learner handed in; `learner` is shown as it is."""
        own = _Room(MOST_CELLS_EACH)
        for id, each in played.items():
            exercise = self._exercises.get(id)
            if exercise is None or not each.maps:
                continue
            exercise.count += 1
            first, number = each.maps[0], len(exercise.maps)
            if number < SHOWN_EACH and own.takes(first) and self._room.takes(first):
                exercise.maps.append((learner, link, *_picture(first, f"gallery-{id}-{number}")))

    @property
    def exercise_maps(self) -> list[ExerciseMaps]:
        """The exercises that were played, in course order."""
        return [exercise for exercise in self._exercises.values() if exercise.count]


def _picture(shown: PlayedMap, place: str) -> tuple[str, Markup]:
    return shown.title, heatmap_svg(HeatMap.of_attention(shown), place)
