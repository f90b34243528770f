"""How much of what `kata play` showed goes onto the page of `kata report`."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from grader.played import Played, PlayedMap
from grader.render.pages import MOST_CELLS, at_work

from .conftest import Page

AT = datetime(2026, 11, 22, tzinfo=timezone.utc)
IDS = [f"exercise{number}" for number in range(48)]
SIDE = 64
LARGE = SIDE**2


def played(side: int, maps: int = 2) -> Played:
    letters = ("a",) * side
    return Played.model_construct(
        at=AT,
        was_right=False,
        given="",
        wrote=(),
        maps=(PlayedMap(title="t", rows=letters, columns=letters, steps=((1,) * side,) * side),) * maps,
    )


@pytest.mark.thorough
def test_page_shows_the_maps_their_note_and_what_was_written(learner: Any) -> None:
    seen = played(3).model_copy(update={"was_right": True, "given": "1999-", "wrote": (("your class", "12"),)})
    own = Page(learner(played={"softmax": seen, "causal_mask": played(3), "gone": seen}))
    assert own.attributes("class").count("map") == 4
    assert "Played on 22 November 2026, with code that had passed. It counts for no points. t" in own.text
    assert "with code that had not passed as it was." in own.text and "your class 1999-12" in own.text
    full = learner(played=dict.fromkeys(("softmax", "causal_mask"), played(SIDE, maps=9)))
    assert "The page has no room for all of its maps." in Page(full).text


@pytest.mark.parametrize(
    ("side", "exercises", "drawn"),
    [
        pytest.param(30, 17, 34, id="all that is usual"),
        pytest.param(SIDE, 48, MOST_CELLS // LARGE, id="too much"),
    ],
)
def test_page_holds_all_that_is_usual_and_leaves_out_and_tells_what_is_too_much(
    side: int, exercises: int, drawn: int
) -> None:
    seen = at_work(dict.fromkeys([*IDS[:exercises], "gone"], played(side)), IDS)
    assert sum(len(maps) for _, maps in seen.values()) == drawn
    assert list(seen) == IDS[:exercises]
