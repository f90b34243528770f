"""`kata review`: what was passed comes back, in a file of its own, when it is due."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from fsrs import Card

from grader.course import load_course
from grader.practice.hints import next_hint
from grader.practice.progress import AttemptEntry, ExerciseProgress, HintEntry, Progress, ProgressFile, ReviewEntry
from grader.practice.review import Effort, Rating, cards_of, coming_back, rating_of, when

RIGHT = "def {id}(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def {id}(amounts):\n    return amounts / amounts.sum()\n"
KITS = ("01_parts/01_share", "01_parts/02_portion")
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


class Learner:
    """Works in a course at times of the test's choosing."""

    def __init__(self, course: Path, kata: Callable[..., Any]) -> None:
        self.course = course
        self._kata = kata

    def kata(self, *arguments: object, at: datetime) -> Any:
        return self._kata(*arguments, cwd=self.course, env={"KATA_NOW": at.isoformat()}, seconds=200)

    def known(self) -> dict[str, Any]:
        progress = json.loads((self.course / ".kata/progress.json").read_text(encoding="utf-8"))
        return dict(progress["exercises"]["share"])

    def card(self) -> Card:
        """When `share` comes back, and how well it is known."""
        return cards_of(ProgressFile(self.course / ".kata").read())["share"]


@pytest.fixture
def learner(tmp_path: Path, make_course: Callable[..., Path], kata: Callable[..., Any]) -> Learner:
    return Learner(make_course(tmp_path / "course", *KITS), kata)


# --- pytest and the watch; what else is typed: tests/transcripts ------------------------------------------------------


@pytest.mark.thorough
def test_plain_pytest_takes_part(learner: Learner, run_command: Callable[..., Any]) -> None:
    def run_pytest(file: str, source: str | None, at: datetime, *more: str) -> str:
        if source is not None:
            (learner.course / file).write_text(source.format(id="share"), encoding="utf-8")
        command = [Path(sys.executable).with_name("pytest"), "-q", file, *more]
        return str(run_command(*command, cwd=learner.course, env={"KATA_NOW": at.isoformat()}).stdout)

    run_pytest("exercises/01_parts/01_share.py", WRONG, EVENING, "-k", "every_row")
    assert not (learner.course / ".kata").exists()  # a part of the checks is no attempt
    run_pytest("exercises/01_parts/01_share.py", WRONG, EVENING)
    run_pytest("exercises/01_parts/01_share.py", RIGHT, EVENING)
    assert [(each["status"], each["points"]) for each in learner.known()["attempts"]] == [("failed", 1), ("passed", 4)]
    assert learner.card().due == EVENING + DAY
    learner.kata("review", at=MORNING)
    assert "1 not started" in run_pytest("review/01_share.py", None, MORNING)
    run_pytest("review/01_share.py", RIGHT, MORNING + MINUTE)
    assert learner.known()["attempts"][-1]["kind"] == "review"
    assert learner.card().due > MORNING + DAY


@pytest.mark.thorough
def test_the_watch_grades_a_review_as_soon_as_it_is_saved(
    learner: Learner, open_terminal: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = learner.course / "exercises/01_parts/01_share.py"
    file.write_text(RIGHT.format(id="share"), encoding="utf-8")
    assert learner.kata("check", "share", at=EVENING).returncode == 0
    monkeypatch.setenv("KATA_NOW", MORNING.isoformat())
    terminal = open_terminal("watch", cwd=learner.course)
    terminal.wait_for("Save a file to have it checked.")
    time.sleep(0.3)  # the folders are watched a moment after the screen is there
    learner.kata("review", at=MORNING)
    terminal.wait_for("not started")
    file = learner.course / "review/01_share.py"
    file.write_text(RIGHT.format(id="share"), encoding="utf-8")
    screen = terminal.wait_for("share (review) is current")
    screen = terminal.wait_for("share comes back")
    assert "✓ passed" in screen
    terminal.press("x")
    terminal.wait_for("Delete review/01_share.py")
    assert [attempt.get("kind") for attempt in learner.known()["attempts"]] == [None, "review"]
    terminal.press("q")
    assert terminal.await_end() == 0


# --- ratings ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("effort", "rating"),
    [
        (Effort(1, 0, MINUTE), Rating.Easy),
        (Effort(1, 0, 10 * MINUTE), Rating.Easy),
        (Effort(1, 0, 11 * MINUTE), Rating.Good),
        (Effort(1, 1, MINUTE), Rating.Good),
        (Effort(3, 1, 60 * MINUTE), Rating.Good),
        (Effort(4, 0, MINUTE), Rating.Hard),
        (Effort(1, 2, MINUTE), Rating.Hard),
        (Effort(2, 0, 2 * DAY), Rating.Hard),
        (Effort(9, 3, MINUTE), Rating.Again),
        (Effort(1, 0, MINUTE, has_seen_solution=True), Rating.Again),
        (Effort(1, 0, -DAY), Rating.Easy),
    ],
    ids=[
        "at once", "at once, just quick", "at once, slowly", "one hint", "third attempt", "fourth attempt", "two hints",
        "over days", "all hints", "answer seen", "clock went backwards",
    ],
)  # fmt: skip
def test_a_rating_says_what_it_took(effort: Effort, rating: Rating) -> None:
    assert rating_of(effort) is rating


def attempt(at: datetime, status: Any = "passed", kind: Any = "practice", digest: str = "") -> AttemptEntry:
    return AttemptEntry(at=at, status=status, points=0, max_points=1, kind=kind, digest=digest or at.isoformat())


def after(*attempts: AttemptEntry, done: ExerciseProgress | None = None) -> ExerciseProgress:
    done = done or ExerciseProgress()
    for each in attempts:
        done.note(each)
    return done


def review(done: ExerciseProgress, at: datetime) -> ExerciseProgress:
    entry = ReviewEntry(at=at, attempts=len(done.attempts), hints=len(done.hints))
    done.reviews = [*done.reviews, entry]
    return done


def card_of(done: ExerciseProgress) -> Card:
    return cards_of(Progress(exercises={"share": done}))["share"]


def due_of(done: ExerciseProgress) -> datetime:
    return card_of(done).due


def stability_of(done: ExerciseProgress) -> float:
    stability = card_of(done).stability
    assert stability is not None
    return stability


def days_until_due(progress: Progress) -> list[int]:
    cards = cards_of(progress)
    return [(cards[id].due.date() - EVENING.date()).days for id in progress.exercises]


def test_what_was_passed_on_a_long_day_comes_back_on_several() -> None:
    progress = Progress()
    for number in range(12):
        progress.of(f"exercise_{number}").note(attempt(EVENING + number * MINUTE))
    days = days_until_due(progress)
    assert days == [1] * 5 + [2] * 5 + [3] * 2

    # a review goes where FSRS says, full day or not, and moves no other exercise
    review(progress.of("exercise_0"), EVENING + DAY).note(attempt(EVENING + DAY, "failed", "review"))
    assert days_until_due(progress) == [2, *days[1:]]


def test_what_was_harder_to_pass_is_held_to_be_less_known() -> None:
    fails = [attempt(EVENING + number * MINUTE, "failed") for number in range(5)]
    last = attempt(EVENING + 9 * MINUTE)
    hints = [HintEntry(at=EVENING, level=level) for level in (1, 2, 3)]
    histories = {
        "easy": after(last),
        "good": after(*fails[:2], last),
        "hard": after(*fails, last),
        "again": after(last, done=ExerciseProgress(hints=hints)),
    }
    known = [stability_of(done) for done in histories.values()]
    assert known == sorted(known, reverse=True)
    assert len(set(known)) == 4
    assert {due_of(done) for done in histories.values()} == {EVENING + 9 * MINUTE + DAY}


def test_the_hints_of_an_earlier_time_do_not_count_in_a_review() -> None:
    hints = [HintEntry(at=EVENING, level=level) for level in (1, 2)]
    plain = after(attempt(EVENING))
    hinted = after(attempt(EVENING))
    for done in (plain, review(hinted, MORNING)):
        done.hints = list(hints)
    plain = review(plain, MORNING)
    before = stability_of(plain)
    after(attempt(MORNING + MINUTE, kind="review"), done=plain)
    after(attempt(MORNING + MINUTE, kind="review"), done=hinted)
    assert stability_of(plain) > stability_of(hinted) > before


def test_the_same_text_in_a_later_review_counts() -> None:
    done = after(attempt(EVENING, digest="same"))
    for day in (1, 20):
        review(done, EVENING + day * DAY)
        after(attempt(EVENING + day * DAY + MINUTE, kind="review", digest="same"), done=done)
        assert done.open_review is None
    assert len(done.attempts) == 3


def test_reviews_on_one_day_do_not_add_up() -> None:
    done = after(attempt(EVENING))
    card = card_of(done)
    for number in range(5):
        review(done, EVENING + number * MINUTE)
        after(attempt(EVENING + number * MINUTE, kind="review", digest=str(number)), done=done)
    assert card_of(done) == card


def test_a_night_counts_as_a_day() -> None:
    early, late = (review(after(attempt(EVENING)), MORNING) for _ in range(2))
    after(attempt(MORNING, kind="review"), done=early)
    after(attempt(EVENING + DAY, kind="review"), done=late)
    assert stability_of(early) > 8
    assert due_of(early) - MORNING > DAY


def test_a_review_file_that_nobody_handed_out_rates_nothing() -> None:
    done = after(attempt(EVENING))
    card = card_of(done)
    after(attempt(MORNING, kind="review"), attempt(MORNING + DAY, "failed", "review"), done=done)
    assert card_of(done) == card


def test_a_solution_seen_between_two_reviews_rates_neither() -> None:
    seen, unseen = (after(attempt(EVENING)) for _ in range(2))
    for done in (seen, unseen):
        for day in (1, 20):
            review(done, EVENING + day * DAY)
            after(attempt(EVENING + day * DAY + MINUTE, kind="review"), done=done)
    seen.solution_seen_at = [EVENING + 2 * DAY]
    assert card_of(seen) == card_of(unseen)
    seen.solution_seen_at = [EVENING + DAY + MINUTE, EVENING + 2 * DAY]
    assert stability_of(seen) < stability_of(unseen)


def test_progress_of_an_earlier_version_with_a_card_is_read(tmp_path: Path) -> None:
    done = review(after(attempt(EVENING)), MORNING)
    after(attempt(MORNING, "failed", "review"), attempt(MORNING + MINUTE, kind="review"), done=done)
    done.solution_seen_at = [EVENING]
    file = ProgressFile(tmp_path)
    known = json.loads(Progress(exercises={"share": done}).model_dump_json(exclude_defaults=True))
    share = known["exercises"]["share"]
    share |= {"card": {"card_id": 1, "due": EVENING.isoformat()}, "solution_seen_at": EVENING.isoformat()}
    share["reviews"][0] |= {"failed": True, "passed_at": MORNING.isoformat()}
    file.path.write_text(json.dumps(known), encoding="utf-8")
    read = file.read()
    assert (read.damage, read.of("share")) == ("", done)


def test_a_card_of_a_clock_that_was_ahead_is_due(tiny_course: Path) -> None:
    done = after(attempt(EVENING + 400 * DAY))
    (coming,) = coming_back(load_course(tiny_course / "course.yml"), Progress(exercises={"share": done}), MORNING)
    assert coming.is_due


def test_hints_begin_again_in_a_review(tiny_course: Path) -> None:
    exercise = load_course(tiny_course / "course.yml").exercise("share")
    done = after(attempt(EVENING))
    texts = [f"Hint {level} of 3: {text}" for level, text in enumerate(exercise.hints, start=1)]
    assert [next_hint(exercise, done) for _ in range(4)] == [
        *([text] for text in texts),
        [*texts, "These are all the hints there are."],
    ]
    review(done, MORNING)
    assert next_hint(exercise, done) == texts[:1]


@pytest.mark.parametrize(
    ("due", "said"),
    [
        (MORNING - 5 * DAY, "today"),
        (MORNING + 10 * MINUTE, "today"),
        (MORNING + DAY, "tomorrow, on 20 November"),
        (MORNING + 4 * DAY, "in 4 days, on 23 November"),
        (MORNING + 60 * DAY, "in 60 days, on 18 January 2027"),
    ],
    ids=["past", "later today", "tomorrow", "days", "next year"],
)
def test_a_time_is_said_in_days_and_as_a_date(due: datetime, said: str) -> None:
    assert when(due, MORNING) == said
