"""The pages of a record, a learner and a class: they ask for nothing, run nothing of a learner's, and stay small."""

from __future__ import annotations

import base64
import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from pydantic import BaseModel

from grader.course.model import Exercise
from grader.practice.progress import AttemptEntry, ExerciseProgress, Progress
from grader.record import Diagnosis, Problem, Record
from grader.render import class_page
from grader.render.class_page import relative, render_class
from grader.render.class_summary import ClassSummary
from grader.render.record_page import render_record

Units = Sequence[tuple[str, Sequence[str]]]
ReadPage = Callable[[str], Any]
Make = Callable[..., Any]
Draw = Callable[[Any], str]

HOSTILE = "</pre></title><script>alert(1)</script><img src=x onerror='alert(2)'>\"\u202etxt\x1b[2J {{ 7 * 7 }} https://e.example"


def class_of(record: Record, titles: Mapping[str, str] = {}, units: Units = ()) -> ClassSummary:
    summary = ClassSummary(titles, units)
    summary.add(record, link=f"{record.submission}.html")
    return summary


@pytest.fixture(params=["record", "class"])
def render(request: pytest.FixtureRequest, titles: Mapping[str, str], units: Units) -> Callable[[Record], str]:
    if request.param == "record":
        return lambda record: render_record(record, titles=titles, units=units)
    return lambda record: render_class(class_of(record, titles, units))


def spoilt(part: Any) -> Any:
    """A part of a course, a record or somebody's progress in which every text is an attack."""
    if isinstance(part, BaseModel):
        texts = {"title", "version", "folder", "unit", "message", "hints"} & type(part).model_fields.keys()
        inside = {"units", "exercises", "checks", "diagnosis", "attempts"} & type(part).model_fields.keys()
        changed = {name: HOSTILE if isinstance(getattr(part, name), str) else getattr(part, name) for name in texts}
        changed |= {name: spoilt(getattr(part, name)) for name in inside}
        if isinstance(part, Exercise):
            changed["hints"] = (HOSTILE,)
        if isinstance(part, AttemptEntry):
            changed["mistakes"] = {HOSTILE: HOSTILE}
        return part.model_copy(update=changed)
    if isinstance(part, dict):
        return {key: spoilt(each) for key, each in part.items()}
    return [spoilt(each) for each in part]


@pytest.fixture
def hostile_learner(learner: Any) -> Any:
    seen = {key: replace(each, what=HOSTILE, note=HOSTILE) for key, each in learner.checked.mismatches.items()}
    return replace(
        learner,
        workspace=replace(learner.workspace, course=spoilt(learner.course)),
        progress=spoilt(learner.progress),
        checked=replace(learner.checked, record=spoilt(learner.checked.record), mismatches=seen),
    )


@pytest.fixture(params=["learner", "hostile_learner"])
def any_learner(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(request.param)


def assert_self_contained(html: str, page: Any) -> None:
    assert {tag for tag, _ in page.elements}.isdisjoint({"link", "img", "iframe", "object", "embed", "form", "base"})
    assert page.attributes("src") == []
    assert all(href.startswith(("#", "./")) for href in page.attributes("href"))
    assert not any(name.startswith("on") for _, attrs in page.elements for name in attrs)
    (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    assert "url(" not in style and "@import" not in style
    assert not any("url(" in each for each in page.attributes("style"))
    policy = next(attrs for tag, attrs in page.elements if attrs.get("http-equiv") == "Content-Security-Policy")
    assert str(policy["content"]).startswith("default-src 'none'; style-src 'unsafe-inline'")


def invisible(html: str) -> set[str]:
    html.encode("utf-8")
    return {char for char in html if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")} - {"\n"}


# --- what comes from learners -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["half_done", "hostile", "not_graded", "all_passed"])
def test_page_is_self_contained(
    name: str, render: Callable[[Record], str], request: pytest.FixtureRequest, read_page: ReadPage
) -> None:
    html = render(request.getfixturevalue(name))
    assert_self_contained(html, read_page(html))


def test_page_of_a_learner_is_self_contained_and_runs_nothing(any_learner: Any, read_page: ReadPage) -> None:
    html = any_learner.page()
    assert_self_contained(html, read_page(html))
    assert read_page(html).count("script") == 0


def test_page_of_a_record_runs_nothing(
    half_done: Record, titles: Mapping[str, str], units: Units, read_page: ReadPage
) -> None:
    page = read_page(render_record(half_done, titles=titles, units=units))
    assert {tag for tag, _ in page.elements}.isdisjoint({"script", "svg"})


def test_learners_text_is_escaped_and_shown(
    hostile: Record, hostile_learner: Any, titles: Mapping[str, str], units: Units, read_page: ReadPage
) -> None:
    page = read_page(render_record(hostile, titles=titles, units=units))
    assert "</pre><script>alert(1)</script><img src=x onerror=alert(1)> {{ 7 * 7 }}" in page.text
    assert "mallory\\u202etxt.exe<script>" in page.text
    text = read_page(hostile_learner.page()).text
    for told in ("<script>alert(1)</script>", "{{ 7 * 7 }}", "\\u202etxt\\x1b[2J"):
        assert told in text


def test_nothing_invisible_reaches_the_page(
    render: Callable[[Record], str], hostile: Record, hostile_learner: Any
) -> None:
    assert not invisible(render(hostile)) and not invisible(hostile_learner.page())


def test_titles_of_a_course_are_escaped_too(half_done: Record, read_page: ReadPage) -> None:
    bad = '"><script>x</script>\u202e'
    for html in (
        render_record(half_done, titles={"softmax": bad}, units=[(bad, ["softmax"])]),
        render_class(class_of(half_done, {"softmax": bad}, [(bad, ["softmax"])])),
    ):
        assert "<script>x</script>" in read_page(html).text
        assert "<script>x" not in html and not invisible(html)


def test_reason_is_shown_as_text_only(late: Record) -> None:
    told = (late.adjustments or ())[0].model_copy(update={"reason": "<script>alert(1)</script>\x1b[2J\u202e"})
    page = render_record(
        late.model_copy(update={"adjustments": (told, *(late.adjustments or ())[1:])}), titles={}, units=[]
    )
    assert "<script>" not in page and "&lt;script&gt;" in page and not invisible(page)


def test_graded_code_is_shown_as_text_only(half_done: Record, read_page: ReadPage) -> None:
    source = "def softmax(scores):\n    return '<script>alert(1)</script>\x1b'\n" + "# more\n" * 500
    html = render_record(half_done, titles={}, units=[], sources={"softmax": source.encode() + b"\xff"})
    page = read_page(html)
    assert "def softmax(scores): return '<script>alert(1)</script>\\x1b'" in page.text
    assert "<script>" not in html and "... (103 more lines)" in page.text


def test_what_stands_between_backticks_is_code(half_done: Record) -> None:
    failed = half_done.exercises[1]
    named = failed.model_copy(update={"diagnosis": (Diagnosis(mistake="a", message="You <b>forgot</b> `dim=-1`."),)})
    page = render_record(half_done.model_copy(update={"exercises": (named,)}), titles={}, units=[])
    assert "You &lt;b&gt;forgot&lt;/b&gt; <code>dim=-1</code>." in page


def test_page_stays_small_whatever_a_learner_prints(half_done: Record) -> None:
    checks = tuple(
        check.model_copy(update={"message": "\u202e" * 5_000_000}) for check in half_done.exercises[1].checks
    )
    exercise = half_done.exercises[1].model_copy(update={"checks": checks})
    problems = (Problem(file="f" * 100_000, kind="unknown", message="m" * 100_000),) * 1000
    record = half_done.model_copy(update={"exercises": (exercise,), "problems": problems})
    assert len(render_record(record, titles={}, units=[])) < 500_000


def test_same_data_give_the_same_page(
    half_done: Record, render: Callable[[Record], str], learner: Any, small_class: ClassSummary
) -> None:
    assert render(half_done) == render(half_done)
    assert learner.page() == learner.page()
    assert render_class(small_class) == render_class(small_class)


@pytest.mark.parametrize(
    ("path", "address"),
    [
        pytest.param("a b&c.html", "./a%20b%26c.html", id="quoted"),
        pytest.param("./lovelace.html", "./lovelace.html", id="already-relative"),
        pytest.param("javascript:alert(1)", "./javascript%3Aalert%281%29", id="script"),
        pytest.param("//evil.example/x", "./evil.example/x", id="other-host"),
        pytest.param("x.html?q#f", "./x.html%3Fq%23f", id="query"),
        pytest.param("王.html", "./%E7%8E%8B.html", id="any-script"),
    ],
)
def test_links_stay_beside_the_page(path: str, address: str, half_done: Record) -> None:
    assert relative(path) == address
    summary = ClassSummary({}, [])
    summary.add(half_done, link=path)
    assert f'<a href="{address}">' in render_class(summary)


# --- the class page's script ------------------------------------------------------------------------------------------


def test_only_script_is_the_pages_own_and_the_policy_knows_it(small_class: ClassSummary, read_page: ReadPage) -> None:
    html = render_class(small_class)
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert "<!--" not in script
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = next(attrs["content"] for tag, attrs in read_page(html).elements if "http-equiv" in attrs)
    assert f"script-src 'sha256-{digest}';" in policy
    assert sum(tag == "script" for tag, _ in read_page(html).elements) == 1


def test_script_never_makes_markup_of_text(small_class: ClassSummary) -> None:
    script = render_class(small_class).split("<script>")[1]
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(", script)


# --- for those who listen ---------------------------------------------------------------------------------------------


def test_headings_tables_and_links_are_in_order(
    learner: Any,
    small_class: ClassSummary,
    half_done: Record,
    titles: Mapping[str, str],
    units: Units,
    read_page: ReadPage,
) -> None:
    for html in (
        learner.page(),
        render_class(small_class),
        render_record(half_done, titles=titles, units=units),
    ):
        page = read_page(html)
        levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
        assert levels[0] == 1 and levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))
        assert page.count("table") == page.count("caption")
        assert all(attrs.get("scope") in ("col", "row") for tag, attrs in page.elements if tag == "th")
        ids = page.attributes("id")
        assert len(ids) == len(set(ids))
        targets = [href.removeprefix("#") for href in page.attributes("href") if href.startswith("#")]
        named = [id for name in ("aria-labelledby", "aria-describedby") for id in page.attributes(name)]
        assert {*targets, *named} <= set(ids)


def test_equal_pictures_have_ids_of_their_own(learner: Any, read_page: ReadPage) -> None:
    def shown(result: Any) -> Any:
        checks = tuple(check.model_copy(update={"visible": True}) for check in result.checks)
        return result.model_copy(update={"checks": checks})

    page = read_page(learner.with_results(shown).page())
    assert page.attributes("class").count("heatmap") == 2
    ids = page.attributes("id")
    assert len(ids) == len(set(ids))


# --- a learner's page -------------------------------------------------------------------------------------------------


def test_beginner_is_told_what_comes_where(learner: Any, read_page: ReadPage) -> None:
    text = read_page(replace(learner, progress=Progress(), checked=None).page()).text
    for told in ("0 of 21.5 points", "Next: Softmax by hand", "Nothing is passed yet."):
        assert told in text
    assert "attempts" not in text


def test_who_is_through_is_told_so(learner: Any, read_page: ReadPage) -> None:
    done = ExerciseProgress(passed_at=learner.at)
    through = learner.with_progress(**{each.id: done for each in learner.course.exercises})
    assert "All done." in read_page(through.page()).text


def with_attempts(learner: Any, count: int) -> Any:
    attempts = [
        AttemptEntry(
            at=learner.at - timedelta(hours=n),
            status="failed",
            points=0.0,
            max_points=5.0,
            digest="",
            failed=["test_one", "two", "three", f"last {n}"],
        )
        for n in range(count)
    ]
    return learner.with_progress(masked_softmax=ExerciseProgress(attempts=attempts))


def test_only_the_latest_of_many_attempts_and_reasons_are_told(learner: Any, read_page: ReadPage) -> None:
    page = read_page(with_attempts(learner, 200).page())
    assert "The latest 30 of 200." in page.text
    assert page.text.count("one two and 2 more") == 30


def test_page_stays_small_after_years(learner: Any) -> None:
    assert len(with_attempts(learner, 1000).page()) < 150_000


@pytest.mark.parametrize(
    ("days", "told"),
    [
        pytest.param(-16, "Coming back today Scores divided by √d Softmax by hand", id="overdue"),
        pytest.param(1, "tomorrow, on 12 January Softmax by hand", id="tomorrow"),
        pytest.param(5, "in 5 days, on 12 January Softmax by hand", id="near"),
        pytest.param(30, "in 30 days, on 12 January 2027 Softmax by hand", id="next-year"),
    ],
)
def test_what_comes_back_stands_at_its_day(days: int, told: str, learner: Any, read_page: ReadPage) -> None:
    text = read_page(learner.due_in(days).page()).text
    assert told in text


# --- a class page -----------------------------------------------------------------------------------------------------


def test_class_without_submissions_is_told(read_page: ReadPage) -> None:
    summary = ClassSummary({}, [])
    assert "No submissions." in read_page(render_class(summary)).text
    summary.add_absent("Zoë")
    assert "On the roster, but handed in nothing: 1 learner." in read_page(render_class(summary)).text


def test_isolation_other_than_full_is_told(half_done: Record) -> None:
    html = render_class(class_of(half_done.model_copy(update={"isolation": "reduced"})))
    assert "Isolation: reduced (no namespaces; chosen by whoever graded)." in html


def test_page_of_a_thousand_learners_stays_small(make_crowd: Callable[[int, int], Iterator[Record]]) -> None:
    summary = ClassSummary({}, [])
    for number, record in enumerate(make_crowd(1000, 40), 1):
        summary.add(record, shown=f"Some Learner {number}", link=f"learner-{number:04d}.html")
    html = render_class(summary)
    assert html.count('<th scope="row" class="who">') == 1000
    assert len(html.encode()) < 1_500_000


def test_class_too_large_for_a_browser_lists_those_with_the_fewest_points(
    monkeypatch: pytest.MonkeyPatch, make_record: Make, make_result: Make, read_page: ReadPage
) -> None:
    monkeypatch.setattr(class_page, "MOST_LISTED", 5)
    monkeypatch.setattr(class_page, "MOST_NAMED", 7)
    summary = ClassSummary({}, [])
    for number in range(20):
        wrong = make_result("a", "failed", missed=["test_dtype"], mistakes=["one"])
        summary.add(make_record(f"learner-{number + 1}", [make_result("a") if number < 8 else wrong]))
    html = render_class(summary)
    text = read_page(html).text
    assert re.findall(r"<tr><td>(\d+)</td>", html) == ["9", "10", "11", "12", "13"]
    assert "Here are the 5 learners with the fewest points, of 20." in text
    assert "learner-14, learner-15 and 5 more" in text
