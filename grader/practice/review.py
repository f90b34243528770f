"""Schedules reviews of passed exercises with FSRS, by the effort that passing took.

The progress file has what happened, and no card: cards are worked out from it, so there is nothing to keep in step. A
card begins when an exercise is passed, and each review handed out rates it; passing an old file again changes nothing.
"""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from fsrs import Card, Rating, Scheduler

from grader.course import Course, Exercise

from .progress import ExerciseProgress, Progress, ReviewEntry, now
from .workspace import Workspace, reset

QUICK, LONG = timedelta(minutes=10), timedelta(days=1)
"""An exercise passed in the one is rated Easy, one that took longer than the other Hard."""
GOOD_ATTEMPTS = 3
GOOD_HINTS = 1
MANY_HINTS = 3
"""From this many hints on, the learner was told the answer: an exercise has three."""
FIRST_RETURN = timedelta(days=1)
"""The documents say: come back tomorrow. All later dates are from FSRS."""
FIRST_RETURNS_A_DAY = 5
"""A new card moves to the next day if this many are due already: a long day's work does not all come back at once."""

# No learning steps of minutes: the shortest time until a review is a day.
SCHEDULER = Scheduler(learning_steps=(), relearning_steps=(), maximum_interval=365, enable_fuzzing=False)


class Coming(NamedTuple):
    """An exercise with the date of its next review."""

    exercise: Exercise
    due: datetime
    is_due: bool


# --- rating ----------------------------------------------------------------------------------------------------------


def rating_of(done: ExerciseProgress, at: datetime, review: ReviewEntry | None = None) -> Rating:
    """How well an exercise is known, by the effort of passing it at this time: for the first time, or in a review.

    That is the attempts including the last, the hints, the time, and whether the solution was seen.
    """
    tried, hints = done.tries_of(review), done.hints[review.hints if review else 0 :]
    begun = review.at if review else tried[0].at if tried else at
    helped, took = sum(bool(hint.level) and hint.at <= at for hint in hints), at - begun
    has_seen_solution = any(seen <= at and (review is None or seen >= begun) for seen in done.solution_seen_at)
    if has_seen_solution or helped >= MANY_HINTS:
        return Rating.Again
    if len(tried) > GOOD_ATTEMPTS or helped > GOOD_HINTS or took > LONG:
        return Rating.Hard
    return Rating.Easy if len(tried) <= 1 and not helped and took <= QUICK else Rating.Good


def cards_of(progress: Progress) -> dict[str, Card]:
    """The FSRS cards of the passed exercises, by id: worked out from the attempts, hints and reviews.

    An exercise that was not reviewed yet is due on the first day with fewer than FIRST_RETURNS_A_DAY such returns.
    """
    passed = [(done.passed_at, id, done) for id, done in progress.exercises.items() if done.passed_at is not None]
    taken: Counter[date] = Counter()
    cards = {}
    for at, id, done in sorted(passed, key=lambda each: each[0]):
        due = at + FIRST_RETURN
        while taken[local_date(due)] >= FIRST_RETURNS_A_DAY:
            due += timedelta(days=1)
        taken[local_date(due)] += 1
        card = _rated(Card(card_id=0, due=at), rating_of(done, at), at)
        card.due = due
        for review in done.reviews:
            card = _reviewed(card, done, review)
        cards[id] = card
    return cards


def _reviewed(card: Card, done: ExerciseProgress, review: ReviewEntry) -> Card:
    """The card after a review.

    The first failed attempt of a review is rated Again; further failed ones do not count. Passing on the day of the
    last rating does not count either, because the exercise is still fresh.
    """
    tries = done.tries_of(review)
    failed = next((attempt for attempt in tries if attempt.status == "failed"), None)
    if failed is not None:
        card = _rated(card, Rating.Again, failed.at)
    if tries and tries[-1].status == "passed" and not _is_fresh(card, at := tries[-1].at):
        rating = rating_of(done, at, review)
        # a failed review was already rated Again
        card = _rated(card, max(rating, Rating.Hard) if failed is not None else rating, at)
    return card


def _rated(card: Card, rating: Rating, at: datetime) -> Card:
    """The card after a rating. A night counts as a day: FSRS gives no credit for reviews within 24 hours."""
    if card.last_review is not None and not _is_fresh(card, at):
        card.last_review = min(card.last_review, at - timedelta(days=1))
    return SCHEDULER.review_card(card, rating, at)[0]


def _is_fresh(card: Card, at: datetime) -> bool:
    """Whether the card was last rated on the same day."""
    return card.last_review is not None and local_date(card.last_review) == local_date(at)


# --- when ------------------------------------------------------------------------------------------------------------


def coming_back(course: Course, progress: Progress, at: datetime) -> list[Coming]:
    """All passed exercises, ordered by due time."""
    cards = cards_of(progress)
    due = [(each, cards[each.id].due) for each in course.exercises if each.id in cards]
    return [Coming(each, day, local_date(day) <= local_date(at)) for each, day in sorted(due, key=lambda each: each[1])]


def local_date(time: datetime) -> date:
    """The local day of a time. A card is due from the start of its day: an exercise passed late may come back early."""
    return time.astimezone().date()


def when(due: datetime, at: datetime) -> str:
    """A due time in words: "in 4 days, on 24 November"."""
    day, today = local_date(due), local_date(at)
    days = (day - today).days
    if days <= 0:
        return "today"
    said = f"{day.day} {day:%B}" + (f" {day.year}" if day.year != today.year else "")
    return f"tomorrow, on {said}" if days == 1 else f"in {days} days, on {said}"


# --- handing out -----------------------------------------------------------------------------------------------------


def hand_out(workspace: Workspace, exercise: Exercise) -> Path | None:
    """Write a fresh stub into the review folder; an open review keeps its file. Raises OSError, KataError.

    Returns where the file of the last review was moved, None when there was none.
    """
    work = workspace.review_of(exercise)
    with workspace.progress.change() as progress:
        done = progress.of(exercise.id)
        if done.open_review is None:
            done.reviews.append(ReviewEntry(at=now(), attempts=len(done.attempts), hints=len(done.hints)))
        elif work.path.exists():
            return None
        return reset(workspace, work)
