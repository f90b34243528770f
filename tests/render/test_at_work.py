"""How much of what learners hand in of `kata play` goes onto a page."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from grader.played import MOST_PLACES, Played, PlayedMap
from grader.render.class_page import render_class
from grader.render.class_summary import ClassSummary
from grader.render.heatmap_svg import MOST_CELLS, SHOWN_EACH, Gallery, all_at_work

from .conftest import Page

AT = datetime(2026, 11, 22, tzinfo=timezone.utc)
IDS = [f"exercise{number}" for number in range(48)]
LARGE = MOST_PLACES**2


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
def test_pages_show_the_maps_their_note_and_what_was_written(learner: Any, small_class: ClassSummary) -> None:
    seen = played(3).model_copy(update={"was_right": True, "given": "1999-", "wrote": (("your class", "12"),)})
    own = Page(learner.page({"softmax": seen, "causal_mask": played(3), "gone": seen}))
    assert own.attributes("class").count("map") == 4
    assert "Played on 22 November 2026, with code that had passed. It counts for no points. t" in own.text
    assert "with code that had not passed as it was." in own.text and "your class 1999-12" in own.text
    full = learner.page(dict.fromkeys(("softmax", "causal_mask"), played(MOST_PLACES, maps=9)))
    assert "The page has no room for all of its maps." in Page(full).text
    gallery = Gallery({"softmax": "Softmax by hand"})
    gallery.add("Ada", "ada.html", {"softmax": seen})
    whole = Page(render_class(small_class, gallery))
    assert "Softmax by hand 1 learner Ada: t" in whole.text and whole.attributes("href")[-1] == "./ada.html"


@pytest.mark.parametrize(
    ("side", "exercises", "drawn"),
    [
        pytest.param(30, 17, 34, id="all that is usual"),
        pytest.param(MOST_PLACES, 48, MOST_CELLS // LARGE, id="too much"),
    ],
)
def test_a_learners_page_holds_all_that_is_usual_and_leaves_out_and_tells_what_is_too_much(
    side: int, exercises: int, drawn: int
) -> None:
    seen = all_at_work(dict.fromkeys(IDS[:exercises], played(side)), {id: id for id in IDS})
    assert sum(len(each.pictures) for each in seen.values()) == drawn
    assert list(seen) == IDS[:exercises]


def test_one_learner_does_not_fill_the_class_page() -> None:
    gallery = Gallery({id: id for id in IDS})
    gallery.add("eve", "eve.html", dict.fromkeys(IDS, played(MOST_PLACES)))
    gallery.add("zoe", "zoe.html", dict.fromkeys(IDS[:3], played(30)))
    shown = [(learner, of.title) for of in gallery.exercise_maps for learner, *_ in of.maps]
    assert [title for learner, title in shown if learner == "zoe"] == IDS[:3]
    assert sum(learner == "eve" for learner, _ in shown) < SHOWN_EACH
    assert {of.count for of in gallery.exercise_maps} == {1, 2}


@pytest.mark.thorough
def test_many_learners_do_not_make_the_class_page_heavy() -> None:
    gallery = Gallery({id: id for id in IDS})
    for number in range(40):
        gallery.add(f"eve{number}", "x.html", dict.fromkeys(IDS[number:], played(MOST_PLACES)))
    pictures = "".join(picture for of in gallery.exercise_maps for *_, picture in of.maps)
    assert 0 < pictures.count("looks at") <= 2 * MOST_CELLS  # each place is told once, and each row once more
