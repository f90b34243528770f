"""`kata review`: what was passed comes back, in a file of its own, when it is due. What is typed: tests/transcripts."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from fsrs import Card

from grader.practice.progress import AttemptEntry, ExerciseProgress, HintEntry, Progress, ProgressFile, ReviewEntry
from grader.practice.review import Rating, cards_of, rating_of, when

from ..cases import rows, table

CASES = table(__file__, "cases.yml")
RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
EVENING = datetime(2026, 11, 18, 20, tzinfo=timezone.utc)
MORNING = datetime(2026, 11, 19, 8, tzinfo=timezone.utc)
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(autouse=True)
def in_greenwich(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


# --- the watch ---------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_the_watch_grades_a_review_as_soon_as_it_is_saved(
    tiny_course: Path, kata: Callable[..., Any], open_terminal: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tiny_course / "exercises/01_parts/01_share.py").write_text(RIGHT, encoding="utf-8")
    assert kata("check", "share", cwd=tiny_course, env={"KATA_NOW": EVENING.isoformat()}).returncode == 0
    monkeypatch.setenv("KATA_NOW", MORNING.isoformat())
    terminal = open_terminal("watch", cwd=tiny_course)
    terminal.wait_for("Save a file to have it checked.")
    time.sleep(0.3)  # the folders are watched a moment after the screen is there
    kata("review", cwd=tiny_course)
    terminal.wait_for("not started")
    (tiny_course / "review/01_share.py").write_text(RIGHT, encoding="utf-8")
    terminal.wait_for("share (review) is current")
    assert "✓ passed" in terminal.wait_for("share comes back")
    terminal.press("x")
    terminal.wait_for("review/01_share.py is the given file again.")
    attempts = ProgressFile(tiny_course / ".kata").read().of("share").attempts
    assert [attempt.kind for attempt in attempts] == ["practice", "review"]
    terminal.press("q")
    assert terminal.await_end() == 0


# --- ratings and days -------------------------------------------------------------------------------------------------


def lived(*events: tuple[datetime, str]) -> ExerciseProgress:
    """What is noted of an exercise after these: passed, failed, review, hint, seen (the solution).

    "passed again" and "failed again" are of the review. Each attempt is of another text, but for "passed same".
    """
    done = ExerciseProgress()
    for at, event in events:
        word, _, how = event.partition(" ")
        if word == "review":
            done.reviews = [*done.reviews, ReviewEntry(at=at, attempts=len(done.attempts), hints=len(done.hints))]
        elif word == "hint":
            done.hints = [*done.hints, HintEntry(at=at, level=len(done.hints) + 1)]
        elif word == "seen":
            done.solution_seen_at = [*done.solution_seen_at, at]
        else:
            kind, text = "review" if how else "practice", "same" if how == "same" else f"{len(done.attempts)}"
            entry = {"at": at, "status": word, "points": 0, "max_points": 1, "kind": kind, "digest": text}
            done.note(AttemptEntry.model_validate(entry))
    return done


def card_of(done: ExerciseProgress) -> Card:
    return cards_of(Progress(exercises={"share": done}))["share"]


def stability_of(*events: tuple[datetime, str]) -> float:
    stability = card_of(lived(*events)).stability
    assert stability is not None
    return stability


PASSED = (EVENING, "passed")
REVIEW = (MORNING, "review")


@rows(CASES["ratings"], "attempts", "hints", "minutes", "has_seen_solution", "rating")
def test_a_rating_says_what_it_took(
    attempts: int, hints: int, minutes: int, has_seen_solution: bool, rating: str
) -> None:
    took = minutes * MINUTE
    helped = [(EVENING, "hint")] * hints + [(EVENING, "seen")] * has_seen_solution
    tried = [(EVENING + took, "failed again")] * (attempts - 1) + [(EVENING + took, "passed again")]
    done = lived((EVENING, "review"), *helped, *tried)
    assert rating_of(done, EVENING + took, done.reviews[0]) is Rating[rating]


def test_what_was_passed_on_a_long_day_comes_back_on_several() -> None:
    def days_until_due() -> list[int]:
        cards = cards_of(Progress(exercises=known))
        return [(cards[id].due.date() - EVENING.date()).days for id in known]

    known = {f"exercise_{number}": lived((EVENING + number * MINUTE, "passed")) for number in range(12)}
    days = days_until_due()
    assert days == [1] * 5 + [2] * 5 + [3] * 2
    # a review goes where FSRS says, full day or not, and moves no other exercise
    known["exercise_0"] = lived(PASSED, (EVENING + DAY, "review"), (EVENING + DAY, "failed again"))
    assert days_until_due() == [2, *days[1:]]


def test_what_was_harder_to_pass_is_held_to_be_less_known_and_comes_back_tomorrow_too() -> None:
    fails = [(EVENING + number * MINUTE, "failed") for number in range(5)]
    last = (EVENING + 9 * MINUTE, "passed")
    histories = {"easy": [], "good": fails[:2], "hard": fails, "again": [(EVENING, "hint")] * 3}
    known = [stability_of(*events, last) for events in histories.values()]
    assert known == sorted(known, reverse=True) and len(set(known)) == 4
    assert {card_of(lived(*events, last)).due for events in histories.values()} == {last[0] + DAY}


def test_the_hints_of_an_earlier_time_do_not_count_in_a_review() -> None:
    hints, again = [(EVENING, "hint")] * 2, (MORNING + MINUTE, "passed again")
    earlier, during = stability_of(PASSED, *hints, REVIEW, again), stability_of(PASSED, REVIEW, *hints, again)
    assert earlier > during > stability_of(PASSED, *hints, REVIEW)


def test_the_same_text_in_a_later_review_counts() -> None:
    reviews = [(EVENING + day * DAY, event) for day in (1, 20) for event in ("review", "passed same")]
    done = lived((EVENING, "passed same"), *reviews)
    assert done.open_review is None and len(done.attempts) == 3


NOT_RATED = {
    "reviews on one day": [(EVENING, event) for _ in range(5) for event in ("review", "passed again")],
    "a review that nobody handed out": [(MORNING, "passed again"), (MORNING + DAY, "failed again")],
}


@pytest.mark.parametrize("events", NOT_RATED.values(), ids=NOT_RATED)
def test_what_says_nothing_about_knowing_it_rates_nothing(events: list[tuple[datetime, str]]) -> None:
    assert card_of(lived(PASSED, *events)) == card_of(lived(PASSED))


def test_a_solution_seen_between_two_reviews_rates_neither() -> None:
    first, second = (
        [(EVENING + day * DAY, "review"), (EVENING + day * DAY + MINUTE, "passed again")] for day in (1, 20)
    )
    unseen = card_of(lived(PASSED, *first, *second))
    assert card_of(lived(PASSED, *first, (EVENING + 2 * DAY, "seen"), *second)) == unseen
    assert stability_of(PASSED, *first, (EVENING + DAY + MINUTE, "seen"), *second) < (unseen.stability or 0)


@rows(CASES["times"], "minutes", "said")
def test_a_time_is_said_in_days_and_as_a_date(minutes: int, said: str) -> None:
    assert when(MORNING + minutes * MINUTE, MORNING) == said
