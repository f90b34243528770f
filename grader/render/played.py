"""What `kata play` showed of a learner's own code, for pages: maps with their descriptions, and written texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from grader.played import Played

from .attention_map import map_svg


@dataclass(frozen=True)
class AtWork:
    """One exercise on a page. `note`: when it was played, and with passing code or not; maps: titles and pictures."""

    note: str
    maps: tuple[tuple[str, Markup], ...]
    given: str
    wrote: tuple[tuple[str, str], ...]


def at_work(played: Played, place: str) -> AtWork:
    """Prepare one exercise for a page. place: makes the ids of its pictures unique there."""
    how = "with code that had passed" if played.was_right else "with code that had not passed as it was"
    return AtWork(
        note=f"Played on {played.at.day} {played.at:%B %Y}, {how}. It counts for no points.",
        maps=tuple((each.title, map_svg(each, f"{place}-{number}")) for number, each in enumerate(played.maps)),
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

    def add(self, learner: str, link: str, played: Mapping[str, Played]) -> None:
        """Add one learner's maps; `learner` is the name to show."""
        for id, each in played.items():
            if id not in self._titles or not each.maps:
                continue
            self._counts[id] += 1
            maps = self._maps.setdefault(id, [])
            if len(maps) < SHOWN_EACH:
                place = f"gallery-{list(self._titles).index(id)}-{len(maps)}"
                maps.append(LearnerMap(learner, link, each.maps[0].title, map_svg(each.maps[0], place)))

    @property
    def exercise_maps(self) -> list[ExerciseMaps]:
        """The exercises that were played, in course order."""
        played = {id: title for id, title in self._titles.items() if id in self._maps}
        return [ExerciseMaps(title, self._counts[id], self._maps[id]) for id, title in played.items()]


def all_at_work(played: Mapping[str, Played], places: Mapping[str, str]) -> dict[str, AtWork]:
    """Those of the exercises on a page, by id. places: each exercise's part of the picture ids."""
    return {id: at_work(each, f"map-{places[id]}") for id, each in played.items() if id in places}
