"""Schedules reviews of passed exercises with FSRS, by the effort that passing took.

A card is created when an exercise is passed, and rated again by each review handed out; passing an old file again
changes nothing.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import cast

from fsrs import Card, Rating, Scheduler
from fsrs.card import CardDict

from grader.course import Course, Exercise
from grader.course.stubs import stub_of
from grader.files import write_file

from .progress import AttemptEntry, ExerciseProgress, Progress, ProgressFile, ReviewEntry, now
from .workspace import Workspace, put_aside

QUICK = timedelta(minutes=10)
"""An exercise passed in this time is rated Easy."""

LONG = timedelta(days=1)
"""An exercise that took longer than this is rated Hard."""

GOOD_ATTEMPTS = 3
GOOD_HINTS = 1
MANY_HINTS = 3
"""From this many hints on, the learner was told the answer: an exercise has three."""

FIRST_RETURN = timedelta(days=1)
"""The documents say: come back tomorrow. All later dates are from FSRS."""

FIRST_RETURNS_A_DAY = 5
"""A new card moves to the next day if this many are due already: a long day's work does not all come back at once."""

CLOCK_DOUBT = timedelta(days=1)
"""A card dated this far in the future was written under a wrong clock: it is due now."""

# No learning steps of minutes: the shortest time until a review is a day.
SCHEDULER = Scheduler(learning_steps=(), relearning_steps=(), maximum_interval=365, enable_fuzzing=False)


@dataclass(frozen=True)
class Effort:
    """The effort of passing: attempts including the last, hints, time, and whether the solution was seen."""

    attempts: int
    hints: int
    took: timedelta
    has_seen_solution: bool = False


@dataclass(frozen=True)
class Coming:
    """An exercise with the date of its next review."""

    exercise: Exercise
    due: datetime
    is_due: bool
    is_open: bool


@dataclass(frozen=True)
class HandedOut:
    """A file handed out for a review; `kept` is where the file of the last review was moved.

    since: when it was handed out, if that review is not passed yet; then the file was not changed.
    """

    path: Path
    kept: Path | None = None
    since: datetime | None = None


# --- rating ----------------------------------------------------------------------------------------------------------


def rating_of(effort: Effort) -> Rating:
    """Rate how well an exercise is known, by the effort of passing it."""
    if effort.has_seen_solution or effort.hints >= MANY_HINTS:
        return Rating.Again
    if effort.attempts > GOOD_ATTEMPTS or effort.hints > GOOD_HINTS or effort.took > LONG:
        return Rating.Hard
    if effort.attempts <= 1 and not effort.hints and effort.took <= QUICK:
        return Rating.Easy
    return Rating.Good


def settle(done: ExerciseProgress, attempt: AttemptEntry, others: Iterable[ExerciseProgress] = ()) -> datetime | None:
    """After an attempt: create or rate the card. Returns the next due time if the attempt passed a review.

    others: their due dates decide which days are full.

    The first failed attempt of a review is rated Again; further failed ones do not count. Passing on the day of the
    last rating does not count either, because the exercise is still fresh.
    """
    review = done.open_review if attempt.kind == "review" else None
    card = _card_of(done)
    if review is None or card is None:
        if card is not None and done.card is None:
            _put_off(card, others)
        done.card = _kept(card)
        return None
    if attempt.status == "partly":  # whether it is right cannot be decided here
        return None
    if attempt.status == "failed":
        if not review.failed:
            review.failed = True
            done.card = _kept(_rated(card, Rating.Again, attempt.at))
        return None
    if not _is_fresh(card, attempt.at):
        rating = rating_of(_effort(done, attempt.at, review))
        # a failed review was already rated Again
        card = _rated(card, max(rating, Rating.Hard) if review.failed else rating, attempt.at)
    review.passed_at = attempt.at
    done.card = _kept(card)
    return card.due


def _card_of(done: ExerciseProgress) -> Card | None:
    """The stored card; computed from the history if there is none or it cannot be read."""
    if done.card is not None and (card := _read(done.card)) is not None:
        return card
    if done.passed_at is None:
        return None
    at = done.passed_at
    card = _rated(Card(card_id=int(at.timestamp() * 1000), due=at), rating_of(_effort(done, at)), at)
    card.due = at + FIRST_RETURN
    return card


def _rated(card: Card, rating: Rating, at: datetime) -> Card:
    """The card after a rating. A night counts as a day: FSRS gives no credit for reviews within 24 hours."""
    if card.last_review is not None and not _is_fresh(card, at):
        card.last_review = min(card.last_review, at - timedelta(days=1))
    return SCHEDULER.review_card(card, rating, at)[0]


def _is_fresh(card: Card, at: datetime) -> bool:
    """Whether the card was last rated on the same day."""
    return card.last_review is not None and local_date(card.last_review) == local_date(at)


def _effort(done: ExerciseProgress, at: datetime, review: ReviewEntry | None = None) -> Effort:
    """The effort of passing at this time: the exercise itself for the first time, or one of its reviews."""
    if review is not None:
        tried = [attempt for attempt in done.attempts[review.attempts :] if attempt.kind == "review"]
        hints, begun = done.hints[review.hints :], review.at
    else:
        passes = (number for number, attempt in enumerate(done.attempts, start=1) if attempt.status == "passed")
        tried = done.attempts[: next(passes, len(done.attempts))]
        hints, begun = done.hints, tried[0].at if tried else at
    seen = done.solution_seen_at
    return Effort(
        attempts=len(tried),
        hints=sum(bool(hint.level) and hint.at <= at for hint in hints),
        took=at - begun,
        has_seen_solution=seen is not None and (seen <= at if review is None else seen >= review.at),
    )


def _put_off(card: Card, others: Iterable[ExerciseProgress]) -> None:
    """Move a new card to the first day on which fewer than FIRST_RETURNS_A_DAY cards are due."""
    cards = (_read(each.card) for each in others if each.card is not None)
    taken = Counter(local_date(each.due) for each in cards if each is not None)
    while taken[local_date(card.due)] >= FIRST_RETURNS_A_DAY:
        card.due += timedelta(days=1)


def _kept(card: Card | None) -> dict[str, object] | None:
    return None if card is None else dict(card.to_dict())


def _read(kept: dict[str, object]) -> Card | None:
    """The stored card; None if it is not valid, as the file may have been edited."""
    try:
        card = Card.from_dict(cast(CardDict, kept))
        card.due = card.due.astimezone(timezone.utc)
        card.last_review = card.last_review.astimezone(timezone.utc) if card.last_review else None
        local_date(card.due)
        numbers = (card.stability, card.difficulty)
        is_sound = all(number is not None and math.isfinite(number) and number > 0 for number in numbers)
    except (KeyError, TypeError, ValueError, OverflowError, OSError, AttributeError):
        return None
    return card if is_sound else None


# --- when ------------------------------------------------------------------------------------------------------------


def coming_back(course: Course, progress: Progress, at: datetime) -> list[Coming]:
    """All passed exercises, ordered by due time."""
    coming = []
    for exercise in course.exercises:
        done = progress.exercises.get(exercise.id)
        card = _card_of(done) if done else None
        if done is None or card is None:
            continue
        due = card.due
        if card.last_review and card.last_review > at + CLOCK_DOUBT:
            due = at
        is_due = local_date(due) <= local_date(at)
        coming.append(Coming(exercise, due, is_due, done.open_review is not None))
    return sorted(coming, key=lambda each: each.due)


def local_date(time: datetime) -> date:
    """The local day of a time. A card is due from the start of its day: an exercise passed late may come back early."""
    return time.astimezone().date()


def when(due: datetime, at: datetime) -> str:
    """A due time in words: "in 4 days, on 24 November"."""
    day, today = local_date(due), local_date(at)
    days = (day - today).days
    if days <= 0:
        return "today"
    said = day_of(due) + (f" {day.year}" if day.year != today.year else "")
    return f"tomorrow, on {said}" if days == 1 else f"in {days} days, on {said}"


def day_of(time: datetime) -> str:
    """The local day in words: "24 November"."""
    day = local_date(time)
    return f"{day.day} {day:%B}"


# --- handing out -----------------------------------------------------------------------------------------------------


def hand_out(workspace: Workspace, exercise: Exercise) -> HandedOut:
    """Write a fresh stub into the review folder; an open review keeps its file. Raises OSError."""
    path = workspace.review_file_of(exercise)
    with ProgressFile(workspace.state).change() as progress:
        done = progress.of(exercise.id)
        review = done.open_review
        if review is not None and path.exists():
            return HandedOut(path, since=review.at)
        kept = put_aside(workspace, exercise, path) if os.path.lexists(path) else None
        write_file(path, stub_of(workspace.course, exercise).encode(), below=workspace.root)
        if review is None:
            done.reviews.append(ReviewEntry(at=now(), attempts=len(done.attempts), hints=len(done.hints)))
    return HandedOut(path, kept)


def note_solution_seen(workspace: Workspace, exercise: Exercise) -> None:
    """Note that the solution was shown: a later pass does not count as found alone. Raises OSError."""
    with ProgressFile(workspace.state).change() as progress:
        progress.of(exercise.id).solution_seen_at = now()
