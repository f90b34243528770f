"""What `kata play` showed, on the page of `kata report`."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from grader.played import Heat, Played

from .conftest import Page

AT = datetime(2026, 11, 22, tzinfo=timezone.utc)
MAPS = (Heat("t", ("a",), ("a", "b"), ((0.25, 0.75),)),) * 2


@pytest.mark.thorough
def test_page_shows_the_maps_their_note_and_what_was_written(learner: Any) -> None:
    seen = Played(at=AT, maps=MAPS, was_right=True, given="1999-", wrote=(("your class", "12"),))
    own = Page(learner(played={"softmax": seen, "causal_mask": Played(at=AT, maps=MAPS), "gone": seen}))
    assert own.attributes("class").count("map") == 4
    assert "Played on 22 November 2026, with code that had passed. It counts for no points. t" in own.text
    assert "with code that had not passed as it was." in own.text and "your class 1999-12" in own.text
