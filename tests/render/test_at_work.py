"""How much of what `kata play` showed goes onto the page of `kata report`."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from grader.played import Played, PlayedMap
from grader.render.pages import MOST_CELLS, at_work

from .conftest import Page

SIDE = 64


def played(side: int, maps: int = 2, **what: Any) -> Played:
    letters = ("a",) * side
    shown = PlayedMap(title="t", rows=letters, columns=letters, steps=((1,) * side,) * side)
    seen = {"at": datetime(2026, 11, 22, tzinfo=timezone.utc), "was_right": False, "given": "", "wrote": (), **what}
    return Played.model_construct(maps=(shown,) * maps, **seen)


@pytest.mark.thorough
def test_page_shows_the_maps_their_note_and_what_was_written(learner: Any) -> None:
    seen = played(3, was_right=True, given="1999-", wrote=(("your class", "12"),))
    own = Page(learner(played={"softmax": seen, "causal_mask": played(3), "gone": seen}))
    assert own.attributes("class").count("map") == 4
    assert "Played on 22 November 2026, with code that had passed. It counts for no points. t" in own.text
    assert "with code that had not passed as it was." in own.text and "your class 1999-12" in own.text
    full = learner(played=dict.fromkeys(("softmax", "causal_mask"), played(SIDE, maps=9)))
    assert "The page has no room for all of its maps." in Page(full).text


@pytest.mark.parametrize(("side", "exercises", "drawn"), [(30, 17, 34), (SIDE, 48, MOST_CELLS // SIDE**2)])
def test_page_holds_all_that_is_usual_and_leaves_out_and_tells_what_is_too_much(
    side: int, exercises: int, drawn: int
) -> None:
    ids = [f"exercise{number}" for number in range(exercises)]
    seen = at_work(dict.fromkeys([*ids, "gone"], played(side)), ids)
    assert sum(len(maps) for _, maps in seen.values()) == drawn
    assert list(seen) == ids
