"""How much of what learners hand in of `kata play` goes onto a page."""

from __future__ import annotations

from datetime import datetime, timezone

from grader.played import MOST_PLACES, Played, PlayedMap
from grader.render.at_work import MOST_CELLS, SHOWN_EACH, Gallery, all_at_work

AT = datetime(2026, 11, 22, tzinfo=timezone.utc)
IDS = [f"exercise{number}" for number in range(48)]
LARGE = MOST_PLACES**2


def played(side: int) -> Played:
    letters = ("a",) * side
    return Played(at=AT, maps=(PlayedMap(title="t", rows=letters, columns=letters, steps=((1,) * side,) * side),) * 2)


def cells(pages: str) -> int:
    return pages.count("looks at")


def test_a_learners_page_holds_all_that_is_usual() -> None:
    seen = all_at_work(dict.fromkeys(IDS[:17], played(30)), dict.fromkeys(IDS, "x"))
    assert [len(each.maps) for each in seen.values()] == [2] * 17
    assert not any("no room" in each.note for each in seen.values())


def test_what_is_too_much_for_a_learners_page_is_left_out_and_told() -> None:
    seen = all_at_work(dict.fromkeys(IDS, played(MOST_PLACES)), {id: id for id in IDS})
    drawn = [len(each.maps) for each in seen.values()]
    assert sum(drawn) == MOST_CELLS // LARGE and list(seen) == IDS
    assert "The page has no room for all of its maps." in seen[IDS[-1]].note


def test_one_learner_does_not_fill_the_class_page() -> None:
    gallery = Gallery({id: id for id in IDS})
    gallery.add("eve", "eve.html", dict.fromkeys(IDS, played(MOST_PLACES)))
    gallery.add("zoe", "zoe.html", dict.fromkeys(IDS[:3], played(30)))
    shown = [(each.learner, of.title) for of in gallery.exercise_maps for each in of.maps]
    assert [title for learner, title in shown if learner == "zoe"] == IDS[:3]
    assert sum(learner == "eve" for learner, _ in shown) < SHOWN_EACH
    assert {of.count for of in gallery.exercise_maps} == {1, 2}


def test_many_learners_do_not_make_the_class_page_heavy() -> None:
    gallery = Gallery({id: id for id in IDS})
    for number in range(40):
        gallery.add(f"eve{number}", "x.html", dict.fromkeys(IDS[number:], played(MOST_PLACES)))
    pictures = "".join(each.picture for of in gallery.exercise_maps for each in of.maps)
    assert 0 < cells(pictures) <= 2 * MOST_CELLS  # each place is told once, and each row once more
