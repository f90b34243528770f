"""The learner's page as text: what it tells, what it never tells, and that it asks for nothing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import pytest

from grader.render.learner_page import AttemptView, Hint, LearnerView, Task, calendar, render_learner
from grader.render.timeline import Moment, timeline

HOSTILE = "</pre></title><script>alert(1)</script><img src=x onerror='alert(2)'>\"\u202etxt\x1b[2J {{ 7 * 7 }} https://e.example"
Show = Callable[[LearnerView], Any]


@pytest.fixture
def shown(read_page: Callable[[str], Any]) -> Show:
    """The page of a learner, read."""
    return lambda learner: read_page(render_learner(learner))


def with_task(learner: LearnerView, id: str, **changes: Any) -> LearnerView:
    """The learner with one task changed."""

    def changed(task: Task) -> Task:
        return replace(task, **changes) if task.id == id else task

    return replace(learner, units=tuple(replace(unit, tasks=tuple(map(changed, unit.tasks))) for unit in learner.units))


# --- what it tells ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "told",
    [
        "8 of 21.5 points",
        "2 of 6 exercises passed",
        "8 attempts",
        "1 hint",
        "Next: Causal mask",
        "kata check causal_mask",
        "2. Self-attention",
        "1 of 2 passed",
        "Softmax by hand passed on 29 October",
        "You have passed this one, but the file as it is now does not pass.",
        "SyntaxError: unmatched ')'",
        "1 check not run.",
        "Probably: the mask is applied after the softmax.",
        "A later token gets no weight. failed",
        "The weights keep the scores' dtype. passed",
        "Hint 1 of 3, 29 October What must a row add up to?",
        "passed, review",
        "Comes after Softmax under a mask.",
        "comes back Tuesday 24 November",
        "8 attempts on 4 days, from 29 October to 18 November; now 8 of 21.5 points.",
        "Made on 18 November 2026 at 20:15",
    ],
)
def test_page_tells(told: str, learner: LearnerView, shown: Show) -> None:
    assert told in shown(learner).text


def test_beginner_is_told_what_comes_where(learner: LearnerView, shown: Show) -> None:
    fresh = [
        replace(task, state="open", points=0.0, result=None, passed_on=None, due_on=None, attempts=(), hints=())
        for task in learner.tasks
    ]
    unit = replace(learner.units[0], tasks=tuple(fresh))
    text = shown(replace(learner, units=(unit,), coming="softmax", mismatches={})).text
    for told in ("0 of 21.5 points", "Next: Softmax by hand", "Nothing is passed yet.", "No attempt yet."):
        assert told in text
    assert "attempts" not in text


def test_who_is_through_is_told_so(learner: LearnerView, shown: Show) -> None:
    assert "All done." in shown(replace(learner, coming=None)).text


def test_heat_map_is_shown_of_the_failed_visible_check_alone(learner: LearnerView, shown: Show) -> None:
    """The mismatches name the hidden check too: even then nothing of it is drawn."""
    page = shown(learner)
    assert page.attributes("class").count("heatmap") == 1
    assert "row 0, column 0: yours 0.50, expected 1.00" in page.text


def test_equal_pictures_have_ids_of_their_own(learner: LearnerView, shown: Show) -> None:
    result = next(task.result for task in learner.tasks if task.id == "masked_softmax")
    assert result is not None
    checks = tuple(check.model_copy(update={"visible": True}) for check in result.checks)
    page = shown(with_task(learner, "masked_softmax", result=result.model_copy(update={"checks": checks})))
    assert page.attributes("class").count("heatmap") == 2
    ids = page.attributes("id")
    assert len(ids) == len(set(ids))


def test_only_the_latest_of_many_attempts_and_reasons_are_told(learner: LearnerView, shown: Show) -> None:
    many = tuple(
        AttemptView(learner.at + timedelta(minutes=n), 0.0, 5.0, False, reasons=("one", "two", "three", f"last {n}"))
        for n in range(200)
    )
    page = shown(with_task(learner, "masked_softmax", attempts=many))
    assert "The latest 30 of 200." in page.text
    assert page.text.count("one two and 2 more") == 30


def test_what_failed_is_open_and_the_rest_closed(learner: LearnerView, shown: Show) -> None:
    is_open = ["open" in attrs for tag, attrs in shown(learner).elements if tag == "details"]
    assert is_open == [False, False, True, False, False, True, False]  # the first is the table of days


# --- for those who listen ---------------------------------------------------------------------------------------------


def test_headings_are_in_order(learner: LearnerView, shown: Show) -> None:
    levels = [int(tag[1]) for tag, _ in shown(learner).elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_tables_have_captions_and_their_heads_a_scope(learner: LearnerView, shown: Show) -> None:
    page = shown(learner)
    assert page.count("table") == page.count("caption") == 5
    assert all(attrs.get("scope") in ("col", "row") for tag, attrs in page.elements if tag == "th")


def test_every_link_leads_somewhere_on_the_page(learner: LearnerView, shown: Show) -> None:
    page = shown(learner)
    links = page.attributes("href")
    assert links[0] == "#exercises"
    assert {link.removeprefix("#") for link in links} <= set(page.attributes("id"))
    for attribute in ("aria-labelledby", "aria-describedby"):
        assert set(page.attributes(attribute)) <= set(page.attributes("id"))


# --- what comes from learners -----------------------------------------------------------------------------------------


@pytest.fixture
def hostile_learner(learner: LearnerView) -> LearnerView:
    """Every text is an attack."""

    def spoilt(task: Task) -> Task:
        result = task.result
        if result is not None:
            checks = tuple(check.model_copy(update={"message": HOSTILE, "title": HOSTILE}) for check in result.checks)
            found = tuple(each.model_copy(update={"message": HOSTILE}) for each in result.diagnosis)
            result = result.model_copy(update={"checks": checks, "diagnosis": found})
        attempts = tuple(replace(each, reasons=(HOSTILE,)) for each in task.attempts)
        hints = (Hint(learner.at, HOSTILE, HOSTILE),)
        return replace(
            task, title=HOSTILE, file=HOSTILE, result=result, attempts=attempts, hints=hints, after=(HOSTILE,)
        )

    return replace(
        learner,
        course=learner.course.model_copy(update={"title": HOSTILE, "version": HOSTILE}),
        units=tuple(
            replace(unit, title=HOSTILE, lesson=HOSTILE, tasks=tuple(map(spoilt, unit.tasks))) for unit in learner.units
        ),
        mismatches={key: replace(each, what=HOSTILE, note=HOSTILE) for key, each in learner.mismatches.items()},
    )


def test_hostile_text_is_escaped_and_shown(hostile_learner: LearnerView, shown: Show) -> None:
    page = shown(hostile_learner)
    assert page.count("script") == page.count("img") == 0
    assert not any(name.startswith("on") for _, attrs in page.elements for name in attrs)
    assert "<script>alert(1)</script>" in page.text
    assert "{{ 7 * 7 }}" in page.text
    assert "\\u202etxt\\x1b[2J" in page.text


def test_nothing_invisible_reaches_the_page(hostile_learner: LearnerView) -> None:
    html = render_learner(hostile_learner)
    assert {char for char in html if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")} == {"\n"}
    html.encode("utf-8")


@pytest.mark.parametrize("which", ["learner", "hostile_learner"])
def test_page_asks_for_nothing_and_runs_nothing(
    which: str, request: pytest.FixtureRequest, read_page: Callable[[str], Any]
) -> None:
    html = render_learner(request.getfixturevalue(which))
    page = read_page(html)
    assert {tag for tag, _ in page.elements}.isdisjoint({"script", "link", "iframe", "object", "embed", "form", "base"})
    assert page.attributes("src") == []
    assert all(re.fullmatch(r"#[\w-]+", href) for href in page.attributes("href"))
    assert not any(
        "url(" in style or "@import" in style for style in re.findall(r"<style>.*?</style>", html, re.DOTALL)
    )
    assert not any("url(" in style for style in page.attributes("style"))
    policy = next(attrs for _, attrs in page.elements if attrs.get("http-equiv") == "Content-Security-Policy")
    assert str(policy["content"]).startswith("default-src 'none'")


def test_page_names_no_address(learner: LearnerView) -> None:
    assert not re.search(r"https?:|//\w", render_learner(learner))


def test_equal_learners_give_equal_pages(learner: LearnerView) -> None:
    assert render_learner(learner) == render_learner(replace(learner))


# --- the chart --------------------------------------------------------------------------------------------------------


def moment(learner: LearnerView, hours: float, points: float, *, id: str = "softmax", **more: Any) -> Moment:
    return Moment(learner.at - timedelta(hours=hours), id, id, points, is_passed=points == 4.0, **more)


def test_chart_climbs_with_the_best_of_each_exercise(learner: LearnerView) -> None:
    moments = [moment(learner, 30, 1.0), moment(learner, 29, 4.0), moment(learner, 5, 0.0)]
    moments.append(moment(learner, 4, 4.0, id="other"))
    chart = timeline(moments, 16.0, learner.at)
    assert chart is not None
    assert (chart.top, [step.y for step in chart.steps]) == (50, [131.25, 75.0, 0.0])
    assert [mark.kind for mark in chart.marks] == ["failed", "passed", "failed", "passed"]
    assert [(row.attempts, row.passed, row.points) for row in chart.days] == [(2, 1, 4.0), (2, 1, 8.0)]
    assert all(step.x >= 0 and step.x + step.width <= 100 for step in chart.steps)


def test_chart_without_points_has_no_steps(learner: LearnerView) -> None:
    chart = timeline([moment(learner, 1, 0.0)], 16.0, learner.at)
    assert chart is not None and chart.steps == () and [mark.kind for mark in chart.marks] == ["failed"]


def test_marks_that_would_hide_each_other_are_one(learner: LearnerView) -> None:
    moments = [moment(learner, 400, 0.0), *(moment(learner, n / 60, 0.0, id=f"e{n}") for n in range(5))]
    chart = timeline(moments, 16.0, learner.at)
    assert chart is not None and [mark.said for mark in chart.marks] == [
        "softmax: not yet right",
        "e4, e3, e2 and 2 others: not yet right",
    ]


def test_page_stays_small_after_years(learner: LearnerView) -> None:
    attempts = tuple(AttemptView(learner.at - timedelta(hours=n), 0.0, 5.0, False) for n in range(1000))
    assert len(render_learner(with_task(learner, "masked_softmax", attempts=attempts))) < 150_000


# --- the calendar -----------------------------------------------------------------------------------------------------

TODAY = date(2026, 11, 18)


def test_calendar_has_whole_weeks_around_thirty_days() -> None:
    weeks = calendar(TODAY, ()).weeks
    assert [len(week) for week in weeks] == [7] * 5
    assert weeks[0][0].date == date(2026, 11, 16)
    days = [day.date for week in weeks for day in week if day.is_shown]
    assert (days[0], days[-1], len(days)) == (TODAY, date(2026, 12, 17), 30)
    assert [day.date for week in weeks for day in week if day.is_today] == [TODAY]


def test_what_is_overdue_stands_at_today_and_what_is_far_away_at_the_end() -> None:
    due = [(date(2026, 11, 2), "old"), (TODAY, "now"), (date(2026, 12, 17), "last"), (date(2026, 12, 18), "far")]
    shown = calendar(TODAY, due)
    assert [(day.date, day.items) for day in shown.busy] == [(TODAY, ("old", "now")), (date(2026, 12, 17), ("last",))]
    assert shown.later == ((date(2026, 12, 18), "far"),)


@pytest.mark.parametrize(
    ("days", "said"), [(-3, "today"), (0, "today"), (1, "tomorrow"), (5, "Monday 23 November")], ids=str
)
def test_days_are_said_as_people_say_them(days: int, said: str) -> None:
    assert calendar(TODAY, ()).said(TODAY + timedelta(days=days)) == said
