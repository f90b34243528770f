"""Golden records to be shown."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from grader.course import load_course
from grader.played import Played
from grader.practice.checking import Checked
from grader.practice.overview import render_learner
from grader.practice.progress import ExerciseProgress, Progress
from grader.practice.workspace import Workspace
from grader.record import CheckResult, Diagnosis, ExerciseResult, Mismatch, Problem, Record, Status
from grader.render.class_summary import ClassSummary
from grader.render.heatmap import HeatMap
from grader.render.pages import environment, render_class, render_record
from grader.render.wording import Units

from ..cases import table
from ..records import check, exercise, record

GOLDEN = Path(__file__).parents[1] / "record" / "golden"
CASES = table(__file__, "cases.yml")

TITLES, UNITS, CHECKS = CASES["titles"], list(CASES["units"].items()), CASES["checks"]


def golden_record(name: str) -> Record:
    return Record.from_json((GOLDEN / f"{name}.json").read_text("utf-8"))


HALF_DONE, LATE, MALLORYS = map(golden_record, ("half_done", "late", "hostile_text"))


def printed(show: Callable[[Console], None], width: int = 80, encoding: str = "utf-8", *, colour: bool = False) -> str:
    """What a terminal of this width and encoding gets, blanks at line ends aside."""
    written = io.BytesIO()
    file = io.TextIOWrapper(written, encoding=encoding, newline="\n")
    colours = "truecolor" if colour else None
    show(Console(file=file, width=width, force_terminal=colour, color_system=colours, legacy_windows=False))
    file.flush()
    return "".join(f"{line.rstrip()}\n" for line in written.getvalue().decode(encoding).split("\n")[:-1])


# --- a class -----------------------------------------------------------------------------------------------------

WORTH = 3.0


def check_of(name: str, outcome: str = "failed", message: str = "", **more: Any) -> CheckResult:
    """A check worth a point; a visible one."""
    given = {"title": f"Title of {name}.", "visible": True, **more}
    return check(name=name, outcome=outcome, message=message, **given)


def result_of(
    *checks: CheckResult, id: str = "softmax", status: Status = "failed", mistakes: Sequence[str] = ()
) -> ExerciseResult:
    """The result of these checks; without any, of an exercise of which nothing ran."""
    diagnosis = tuple(Diagnosis(mistake=each, message=f"{each} was made.") for each in mistakes)
    worth = {} if checks else {"max_points": WORTH}
    return exercise(*checks, id=id, status=status, diagnosis=diagnosis, **worth)


def class_result(
    id: str, status: Status = "passed", *, missed: Sequence[str] = (), mistakes: Sequence[str] = (), reason: str = ""
) -> ExerciseResult:
    """A verdict on an exercise of three hidden checks. reason: one message for all missed checks."""
    checks = [
        check_of(name, "failed", reason or f"{name} is off.", title=title, visible=False)
        if name in missed
        else check_of(name, "passed", title=title, visible=False)
        for name, title in CHECKS.items()
        if status in ("passed", "failed")
    ]
    return result_of(*checks, id=id, status=status, mistakes=mistakes)


def result_like(id: str, kind: str) -> ExerciseResult:
    """One of the results in cases.yml."""
    return class_result(id, **CASES["results"][kind])


def class_record(name: str, results: Sequence[ExerciseResult], problems: Sequence[Problem] = ()) -> Record:
    """A record of these results."""
    return record(*results, submission=name, problems=tuple(problems))


ASIDE = ("name", "called", "problem", "kind", "record", "isolation")


def summary_of(learners: Sequence[Mapping[str, Any]], titles: Mapping[str, str], units: Units) -> ClassSummary:
    """A class of these learners, as classes.yml has them."""
    summary = ClassSummary(titles, units)
    for number, learner in enumerate(learners):
        if absent := learner.get("absent"):
            summary.absent.append(absent)
            continue
        results = [result_of_row(id, each) for id, each in learner.items() if id not in ASIDE]
        message = learner.get("problem")
        problems = [Problem(file="x.zip", kind=learner.get("kind", "unreadable"), message=message)] if message else []
        made = (
            golden_record(learner["record"])
            if "record" in learner
            else class_record(learner.get("name", f"n{number}"), results, problems)
        )
        made = made.model_copy(update={"isolation": learner.get("isolation", "full")})
        summary.add(made, shown=learner.get("called", ""), link=f"learner-{number + 1:04d}.html")
    return summary


def result_of_row(id: str, row: Any) -> ExerciseResult:
    if isinstance(row, str):
        return result_like(id, row)
    if isinstance(row, list):
        points, worth = row
        return result_of(check_of("it", "passed", points=points, max_points=worth), id=id, status="passed")
    result = class_result(id, **{name: value for name, value in row.items() if name != "also"})
    first, *others = result.checks
    told = first.model_copy(update={"message": first.message + row.get("also", "")})
    return result.model_copy(update={"checks": (told, *others)})


@pytest.fixture(scope="session")
def small_class() -> ClassSummary:
    """Twelve learners with whatever can become of one, hard names, a mistake that many share, an unfair exercise."""
    learners = [
        {"name": name, "called": shown, **dict(zip(TITLES, kinds.split(), strict=True)), **(more[0] if more else {})}
        for name, shown, kinds, *more in CASES["small_class"]
    ]
    return summary_of([*learners, {"absent": "Zoë Nobody"}], TITLES, UNITS)


def crowd(learners: int, exercises: int) -> Iterator[Record]:
    """A large class in which everything occurs, the same at every call."""
    kinds = CASES["crowd"]
    variants = [[result_like(f"exercise_{n}", kind) for kind in kinds] for n in range(exercises)]
    for learner in range(learners):
        results = [kind[(learner * (n + 3) + learner // 5 + n) % len(kinds)] for n, kind in enumerate(variants)]
        yield class_record(f"learner-{learner:04d}", results)


VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """The elements, texts and attributes of a page; fails on tags that do not nest."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag in VOID or self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] not in ("style", "script"):
            self.texts.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.texts))

    def attributes(self, name: str) -> list[str]:
        return [value for _, attrs in self.elements if (value := attrs.get(name)) is not None]

    def count(self, tag: str) -> int:
        return sum(each == tag for each, _ in self.elements)


def mismatch_of(
    came: list[list[float]], expected: list[list[float]], *, axes: Sequence[str] = ("query", "key")
) -> Mismatch:
    """A mismatch in which all that differs is wrong."""
    planes = [tuple(map(tuple, plane)) for plane in (came, expected)]
    wrong = tuple(tuple(one != other for one, other in zip(*rows, strict=True)) for rows in zip(*planes, strict=True))
    return Mismatch("The output", tuple(axes), *planes, wrong, "Something is off.")


def grid(rows: int, columns: int) -> Mismatch:
    """A mismatch of this size, off in a column."""
    expected = [[(row * column % 7) / 6 for column in range(columns)] for row in range(rows)]
    came = [[number + 0.25 * (place == 2) for place, number in enumerate(row)] for row in expected]
    return mismatch_of(came, expected)


# --- a learner half way ------------------------------------------------------------------------------------------

COURSE = load_course(Path(__file__).resolve().parents[2] / "course.yml")
PROGRESS = Progress(exercises=CASES["progress"]).exercises
NOW = datetime(2026, 11, 18, 20, 15, tzinfo=timezone.utc)
HOSTILE = "</pre></title><script>alert(1)</script><img src=x onerror='alert(2)'>\"\u202etxt\x1b[2J {{ 7 * 7 }} https://e.example"


def failed_visibly(message: str) -> ExerciseResult:
    """A verdict with a failed visible check, a failed hidden one, a passed one and a diagnosis."""
    missed = ["test_example", "test_formula"]
    result = class_result("masked_softmax", "failed", missed=missed, mistakes=["mask-after"], reason=message)
    first, *others = result.checks
    return result.model_copy(update={"checks": (first.model_copy(update={"visible": True}), *others)})


def learner_page(
    folder: Path,
    text: str = "Row 0 sums to 0.8.",
    *,
    at: datetime = NOW,
    progress: Mapping[str, ExerciseProgress] | None = None,
    played: Mapping[str, Played] = {},
) -> str:
    """The page of a learner of our course: passed, passed and wrong since, skipped, tried, and open exercises.

    text: whatever can come from the learner. progress: other than that of cases.yml.
    """
    known = PROGRESS if progress is None else progress
    exercises = {id: each.model_copy(deep=True) for id, each in known.items()}
    for attempt in (each for some in exercises.values() for each in some.attempts if "known" in each.mistakes):
        attempt.mistakes["known"] = text
    result = failed_visibly(text)
    checks = tuple(each.model_copy(update={"visible": True}) for each in result.checks)
    weights = mismatch_of([[0.5, 0.25], [0.3, 0.4]], [[1.0, 0.0], [0.3, 0.4]])
    seen = replace(weights, what=f"The output {text}", note=text)
    checked = Checked(
        class_record("learner", [class_result("softmax"), result.model_copy(update={"checks": checks})]),
        {("masked_softmax", name): seen for name in ("test_example", "test_formula")},
    )
    return render_learner(Workspace(COURSE, folder), Progress(exercises=exercises), at, checked, played)


@pytest.fixture
def learner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """Draws the page of a learner half way, in a time zone of which the tests know."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield partial(learner_page, tmp_path)
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def hostile_learner(learner: Callable[..., str]) -> Callable[..., str]:
    """The same with hostile text."""
    return partial(learner, HOSTILE)


def drawn(heat: HeatMap) -> str:
    """A heat map as a picture of its own."""
    source = '{% from "heatmap.html.j2" import heatmap %}{{ heatmap(heat, 12) }}'
    return environment().from_string(source).render(heat=heat)


# --- pages -------------------------------------------------------------------------------------------------------


def class_of(record: Record, titles: Mapping[str, str] = TITLES, units: Units = UNITS) -> ClassSummary:
    """A class of one learner."""
    summary = ClassSummary(titles, units)
    summary.add(record, link=f"{record.submission}.html")
    return summary


def drawing_of(request: pytest.FixtureRequest, page: str) -> Callable[[], str]:
    """Draws a page: of a record, of a class with that record or of many kinds, of a learner."""
    kind, _, name = page.partition(" ")
    if kind == "record":
        return lambda: render_record(golden_record(name), titles=TITLES, units=UNITS)
    if kind == "class":
        summary = class_of(golden_record(name)) if name else request.getfixturevalue("small_class")
        return lambda: render_class(summary)
    found: Callable[[], str] = request.getfixturevalue(kind)
    return found
