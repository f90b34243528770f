"""The pages of a record, a learner and a class: they ask for nothing, run nothing of a learner's, and stay small."""

from __future__ import annotations

import base64
import hashlib
import re
import unicodedata
from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest

from grader.practice.progress import ExerciseProgress, Progress
from grader.practice.review import cards_of
from grader.record import Diagnosis, Problem
from grader.render.class_summary import ClassSummary
from grader.render.pages import relative, render_class, render_record

from ..cases import rows
from .conftest import (
    CASES,
    COURSE,
    HALF_DONE,
    LATE,
    MALLORYS,
    NOW,
    PROGRESS,
    TITLES,
    UNITS,
    Page,
    class_of,
    crowd,
    drawing_of,
)

RECORDS = ("half_done", "hostile_text", "not_graded", "all_passed")
PAGES = (*(f"{kind} {name}" for kind in ("record", "class") for name in RECORDS), "class", "learner", "hostile_learner")


@pytest.fixture(params=PAGES)
def draw(request: pytest.FixtureRequest) -> Callable[[], str]:
    """Draws one of these pages."""
    return drawing_of(request, request.param)


def invisible(html: str) -> set[str]:
    html.encode("utf-8")
    return {char for char in html if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")} - {"\n"}


# --- of every page ----------------------------------------------------------------------------------------------------


def test_page_is_self_contained_and_the_same_for_the_same_data(draw: Callable[[], str]) -> None:
    html = draw()
    page = Page(html)
    assert draw() == html
    assert {tag for tag, _ in page.elements}.isdisjoint({"link", "img", "iframe", "object", "embed", "form", "base"})
    assert page.attributes("src") == []
    assert all(href.startswith(("#", "./")) for href in page.attributes("href"))
    assert not any(name.startswith("on") for _, attrs in page.elements for name in attrs)
    (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    assert not any(each in style for each in ("url(", "@import"))
    assert not any("url(" in each for each in page.attributes("style"))
    policy = next(attrs for tag, attrs in page.elements if attrs.get("http-equiv") == "Content-Security-Policy")
    assert str(policy["content"]).startswith("default-src 'none'; style-src 'unsafe-inline'")


def test_nothing_invisible_reaches_the_page(draw: Callable[[], str]) -> None:
    assert not invisible(draw())


def test_headings_tables_and_links_are_in_order_for_those_who_listen(draw: Callable[[], str]) -> None:
    page = Page(draw())
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert page.count("table") == page.count("caption")
    assert all(attrs.get("scope") in ("col", "row") for tag, attrs in page.elements if tag == "th")
    ids = page.attributes("id")  # equal pictures have ids of their own
    assert len(ids) == len(set(ids))
    targets = [href.removeprefix("#") for href in page.attributes("href") if href.startswith("#")]
    named = [id for name in ("aria-labelledby", "aria-describedby") for id in page.attributes(name)]
    assert {*targets, *named} <= set(ids)


# --- what comes from learners -----------------------------------------------------------------------------------------


def test_page_of_a_record_runs_nothing(learner: Any, hostile_learner: Any) -> None:
    page = Page(render_record(HALF_DONE, titles=TITLES, units=UNITS))
    assert {tag for tag, _ in page.elements}.isdisjoint({"script", "svg"})
    for page in (Page(learner()), Page(hostile_learner())):
        assert (page.count("script"), page.attributes("class").count("heatmap")) == (0, 2)


def test_learners_text_is_escaped_and_shown(hostile_learner: Any) -> None:
    text = Page(render_record(MALLORYS, titles=TITLES, units=UNITS)).text
    assert "</pre><script>alert(1)</script><img src=x onerror=alert(1)> {{ 7 * 7 }}" in text
    assert "mallory\\u202etxt.exe<script>" in text
    text = Page(hostile_learner()).text
    for told in ("<script>alert(1)</script>", "{{ 7 * 7 }}", "\\u202etxt\\x1b[2J"):
        assert told in text


def test_titles_of_a_course_are_escaped_too() -> None:
    bad = '"><script>x</script>\u202e'
    titles, units = {"softmax": bad}, [(bad, ["softmax"])]
    summary = class_of(HALF_DONE, titles, units)
    for html in (render_record(HALF_DONE, titles=titles, units=units), render_class(summary)):
        assert "<script>x</script>" in Page(html).text
        assert "<script>x" not in html and not invisible(html)


def test_reason_is_shown_as_text_only() -> None:
    first, *others = LATE.adjustments or ()
    told = first.model_copy(update={"reason": "<script>alert(1)</script>\x1b[2J\u202e"})
    page = render_record(LATE.model_copy(update={"adjustments": (told, *others)}), titles={}, units=[])
    assert "<script>" not in page and "&lt;script&gt;" in page and not invisible(page)


def test_graded_code_is_shown_as_text_only_and_backticks_are_code() -> None:
    source = "def softmax(scores):\n    return '<script>alert(1)</script>\x1b'\n" + "# more\n" * 500
    html = render_record(HALF_DONE, titles={}, units=[], sources={"softmax": source.encode() + b"\xff"})
    assert "def softmax(scores): return '<script>alert(1)</script>\\x1b'" in Page(html).text
    assert "<script>" not in html and "... (103 more lines)" in html
    mistake = Diagnosis(mistake="a", message="You <b>forgot</b> `dim=-1`.")
    named = HALF_DONE.exercises[1].model_copy(update={"diagnosis": (mistake,)})
    page = render_record(HALF_DONE.model_copy(update={"exercises": (named,)}), titles={}, units=[])
    assert "You &lt;b&gt;forgot&lt;/b&gt; <code>dim=-1</code>." in page


def test_page_stays_small_whatever_a_learner_prints() -> None:
    exercise = HALF_DONE.exercises[1]
    checks = tuple(check.model_copy(update={"message": "\u202e" * 5_000_000}) for check in exercise.checks)
    problems = (Problem(file="f" * 100_000, kind="unknown", message="m" * 100_000),) * 1000
    changed = {"exercises": (exercise.model_copy(update={"checks": checks}),), "problems": problems}
    assert len(render_record(HALF_DONE.model_copy(update=changed), titles={}, units=[])) < 500_000


@rows(CASES["links"], "path", "address")
def test_links_stay_beside_the_page(path: str, address: str) -> None:
    assert relative(path) == address
    summary = ClassSummary({}, [])
    summary.add(HALF_DONE, link=path)
    assert f'<a href="{address}">' in render_class(summary)


# --- the class page's script ------------------------------------------------------------------------------------------


def test_only_script_is_the_pages_own_and_the_policy_knows_it(small_class: ClassSummary) -> None:
    html = render_class(small_class)
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert "<!--" not in script
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = next(attrs["content"] for tag, attrs in Page(html).elements if "http-equiv" in attrs)
    assert f"script-src 'sha256-{digest}';" in policy
    assert Page(html).count("script") == 1


def test_script_never_makes_markup_of_text(small_class: ClassSummary) -> None:
    script = render_class(small_class).split("<script>")[1]
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(", script)


# --- a learner's page -------------------------------------------------------------------------------------------------


def test_who_is_through_is_told_so(learner: Callable[..., str]) -> None:
    passed = {each.id: ExerciseProgress(passed_at=NOW) for each in COURSE.exercises}
    assert "All done." in Page(learner(progress=passed)).text


def test_only_the_latest_of_many_attempts_and_reasons_are_told(learner: Callable[..., str]) -> None:
    failed = {"failed": ["test_one", "two", "three", "last"], "mistakes": {}}
    known = PROGRESS["masked_softmax"]
    attempts = [known.attempts[0].model_copy(update=failed)] * 1000
    html = learner(progress={"masked_softmax": known.model_copy(update={"attempts": attempts})})
    assert "The latest 30 of 1000." in Page(html).text
    assert Page(html).text.count("one two and 2 more") == 30
    assert len(html) < 200_000


@rows(CASES["due"], "days", "told")
def test_what_comes_back_stands_at_its_day(days: int, told: str, learner: Callable[..., str]) -> None:
    due = cards_of(Progress(exercises=PROGRESS))["softmax"].due
    assert told in Page(learner(at=due - timedelta(days=days))).text


# --- a class page -----------------------------------------------------------------------------------------------------


def test_page_of_a_thousand_learners_stays_small() -> None:
    summary = ClassSummary({}, [])
    for number, record in enumerate(crowd(1000, 40), 1):
        summary.add(record, shown=f"Some Learner {number}", link=f"learner-{number:04d}.html")
    html = render_class(summary)
    assert html.count('<th scope="row" class="who">') == 1000
    assert len(html.encode()) < 1_500_000
