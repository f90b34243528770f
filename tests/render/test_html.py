from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from grader.record import Problem, Record
from grader.render.class_page import render_class
from grader.render.class_summary import ClassSummary
from grader.render.small_pages import render_record

Units = Sequence[tuple[str, Sequence[str]]]

Render = Callable[[Record], str]
ReadPage = Callable[[str], Any]


def class_of(record: Record, titles: Mapping[str, str], units: Units) -> ClassSummary:
    summary = ClassSummary(titles, units)
    summary.add(record, link=f"{record.submission}.html")
    return summary


@pytest.fixture(params=["record", "class"])
def render(request: pytest.FixtureRequest, titles: Mapping[str, str], units: Units) -> Render:
    if request.param == "record":
        return lambda record: render_record(record, titles=titles, units=units)
    return lambda record: render_class(class_of(record, titles, units))


@pytest.mark.parametrize("name", ["half_done", "hostile", "not_graded", "all_passed"])
def test_page_is_self_contained(name: str, render: Render, request: pytest.FixtureRequest, read_page: ReadPage) -> None:
    page = read_page(render(request.getfixturevalue(name)))
    tags = {tag for tag, _ in page.elements}
    assert tags.isdisjoint({"link", "img", "iframe", "object", "embed", "form", "base"})
    assert page.attributes("src") == []
    assert all(href.startswith(("#", "./")) for href in page.attributes("href"))
    assert not any(name.startswith("on") for _, attrs in page.elements for name in attrs)
    policy = next(attrs for tag, attrs in page.elements if attrs.get("http-equiv") == "Content-Security-Policy")
    assert str(policy["content"]).startswith("default-src 'none'; style-src 'unsafe-inline'")


def test_page_of_a_record_runs_nothing(
    half_done: Record, titles: Mapping[str, str], units: Units, read_page: ReadPage
) -> None:
    page = read_page(render_record(half_done, titles=titles, units=units))
    assert {tag for tag, _ in page.elements}.isdisjoint({"script", "svg"})


def test_page_asks_for_nothing_in_its_styles(render: Render, half_done: Record) -> None:
    styles = re.findall(r"<style>(.*?)</style>", render(half_done), re.DOTALL)
    assert len(styles) == 1
    assert "url(" not in styles[0]
    assert "@import" not in styles[0]
    assert "prefers-color-scheme: dark" in styles[0]


def test_learners_text_is_escaped_and_shown(
    hostile: Record, titles: Mapping[str, str], units: Units, read_page: ReadPage
) -> None:
    page = read_page(render_record(hostile, titles=titles, units=units))
    assert "</pre><script>alert(1)</script><img src=x onerror=alert(1)> {{ 7 * 7 }}" in page.text
    assert "mallory\\u202etxt.exe<script>" in page.text


def test_nothing_invisible_reaches_the_page(render: Render, hostile: Record) -> None:
    html = render(hostile)
    assert {char for char in html if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")} == {"\n"}
    html.encode("utf-8")


def test_titles_of_a_course_are_escaped_too(half_done: Record, read_page: ReadPage) -> None:
    bad = '"><script>x</script>\u202e'
    for html in (
        render_record(half_done, titles={"softmax": bad}, units=[(bad, ["softmax"])]),
        render_class(class_of(half_done, {"softmax": bad}, [(bad, ["softmax"])])),
    ):
        page = read_page(html)
        assert "<script>x</script>" in page.text
        assert "<script>x" not in html
        assert "\u202e" not in html


def test_report_tells_points_checks_messages_and_diagnosis(
    half_done: Record, titles: Mapping[str, str], units: Units, read_page: ReadPage
) -> None:
    text = read_page(render_record(half_done, titles=titles, units=units)).text
    for told in (
        "7.5 of 21.5 points",
        "2 of 6 exercises passed",
        "Softmax under a mask failed",
        "A later token gets no weight.",
        "yours 0.1377",
        "Probably: These are the weights you get when the mask is applied after the softmax.",
        "SyntaxError: unmatched ')'",
        "1 check not run.",
        "There is no file for this exercise.",
        "The file is as it was given.",
        "work/03_softmax (1).py unknown No exercise has this name",
        "Other exercises",
        "--seed 20230917",
    ):
        assert told in text
    assert text.count("SyntaxError") == 1


def test_failed_exercises_are_open_and_passed_ones_closed(
    half_done: Record, titles: Mapping[str, str], units: Units, read_page: ReadPage
) -> None:
    page = read_page(render_record(half_done, titles=titles, units=units))
    is_open = ["open" in attrs for tag, attrs in page.elements if tag == "details"]
    assert is_open == [False, True, True, True, False, False]


def test_every_tile_leads_to_its_exercise(
    half_done: Record, titles: Mapping[str, str], units: Units, read_page: ReadPage
) -> None:
    page = read_page(render_record(half_done, titles=titles, units=units))
    targets = [href.removeprefix("#") for href in page.attributes("href")]
    ids = page.attributes("id")
    assert len(ids) == len(set(ids))
    assert len(targets) == 6
    assert set(targets) <= set(ids)


def test_marks_have_words_for_those_who_do_not_see_them(
    half_done: Record, titles: Mapping[str, str], units: Units, read_page: ReadPage
) -> None:
    page = read_page(render_record(half_done, titles=titles, units=units))
    labels = page.attributes("aria-label")
    assert "Softmax under a mask: failed" in labels
    assert "10.0 percent of the points" in labels


def test_what_was_not_graded_is_announced(
    not_graded: Record, titles: Mapping[str, str], units: Units, read_page: ReadPage
) -> None:
    text = read_page(render_record(not_graded, titles=titles, units=units)).text
    assert "2 exercises could not be graded, so these points are not a mark." in text
    assert "it is not a zero" in text


def test_page_stays_small_whatever_a_learner_prints(half_done: Record) -> None:
    checks = tuple(
        check.model_copy(update={"message": "\u202e" * 5_000_000}) for check in half_done.exercises[1].checks
    )
    exercise = half_done.exercises[1].model_copy(update={"checks": checks})
    problems = (Problem(file="f" * 100_000, kind="unknown", message="m" * 100_000),) * 1000
    record = half_done.model_copy(update={"exercises": (exercise,), "problems": problems})
    assert len(render_record(record, titles={}, units=[])) < 500_000


def test_same_record_gives_the_same_page(half_done: Record, render: Render) -> None:
    assert render(half_done) == render(half_done)
