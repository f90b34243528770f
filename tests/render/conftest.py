"""Golden records to be shown."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from grader.course import load_course
from grader.mismatch import Mismatch
from grader.played import Played
from grader.practice.checking import Checked
from grader.practice.learner_page import render_learner
from grader.practice.progress import AttemptEntry, ExerciseProgress, HintEntry, Progress, ReviewEntry
from grader.practice.workspace import Workspace
from grader.record import CheckResult, CourseStamp, Diagnosis, ExerciseResult, Problem, Record
from grader.render.class_summary import ClassSummary

GOLDEN = Path(__file__).parents[1] / "record" / "golden"

TITLES = {
    "softmax": "Softmax by hand",
    "scaled_scores": "Scores divided by √d",
    "debug_attn_weights": "Repair: weights used before they exist",
    "causal_mask": "Causal mask",
    "masked_softmax": "Softmax under a mask",
    "split_heads": "Split into heads",
}
UNITS = [
    ("1. Soft lookup", ["softmax"]),
    ("2. Self-attention", ["scaled_scores", "debug_attn_weights"]),
    ("3. Masks and dropout", ["causal_mask", "masked_softmax"]),
    ("4. Heads", ["split_heads"]),
]


def golden_record(name: str) -> Record:
    return Record.from_json((GOLDEN / f"{name}.json").read_text("utf-8"))


@pytest.fixture
def half_done() -> Record:
    return golden_record("half_done")


@pytest.fixture
def late() -> Record:
    return golden_record("late")


@pytest.fixture
def hostile() -> Record:
    return golden_record("hostile_text")


# --- a class -----------------------------------------------------------------------------------------------------

WORTH = 3.0
CHECKS = {
    "test_example": "The document's example comes out.",
    "test_formula": "Each weight is the score's part of its row.",
    "test_dtype": "The weights keep the scores' dtype.",
}


def class_result(
    id: str, status: str = "passed", *, missed: Sequence[str] = (), mistakes: Sequence[str] = (), reason: str = ""
) -> ExerciseResult:
    """A verdict on an exercise of three checks worth a point each. reason: one message for all missed checks."""
    checks = [
        CheckResult(
            name=name,
            title=title,
            outcome="failed" if name in missed else "passed",
            points=0.0 if name in missed else 1.0,
            max_points=1.0,
            visible=False,
            message=(reason or f"{name} is off.") if name in missed else "",
        )
        for name, title in CHECKS.items()
        if status in ("passed", "failed")
    ]
    return ExerciseResult(
        id=id,
        status=status,
        points=sum(check.points for check in checks),
        max_points=WORTH,
        checks=tuple(checks),
        diagnosis=tuple(Diagnosis(mistake=mistake, message=f"{mistake} was made.") for mistake in mistakes),
        seconds=0.01,
    )


def class_record(name: str, results: Sequence[ExerciseResult], problems: Sequence[Problem] = ()) -> Record:
    """A record of these results."""
    return Record.of(
        submission=name,
        isolation="full",
        seed=1,
        course=CourseStamp(title="Attention Kata", version="1"),
        exercises=results,
        problems=problems,
    )


def unreadable(name: str, ids: Iterable[str]) -> Record:
    """The record of a submission of which nothing could be read."""
    problem = Problem(file=f"{name}.zip", kind="unreadable", message="This is not a zip file.")
    return class_record(name, [class_result(id, "missing") for id in ids], [problem])


@pytest.fixture(scope="session")
def small_class() -> ClassSummary:
    """Twelve learners with whatever can become of one, hard names, a mistake that many share, an unfair exercise."""
    summary = ClassSummary(TITLES, UNITS)
    names = {
        "ada": "Ada Lovelace",
        "wei": "林美玲",
        "muhammad": "محمد بن عبد الله",
        "sara": "שרה לוי",
        "long": "Wolfeschlegelsteinhausenbergerdorff" * 3,
        "mark": '<b>Mark</b> & "Söhne"',
        "bidi": "gpj\u202eexe",
        "joe": "Joe",
        "kim": "Kim",
        "lea": "Léa",
    }
    for number, (name, shown) in enumerate(names.items(), 1):
        many = class_result("masked_softmax", "failed", missed=["test_formula"], mistakes=["mask-after-softmax"])
        few = class_result("scaled_scores", "failed", missed=["test_dtype"], mistakes=["not-scaled"])
        results = [
            class_result("softmax"),
            few if number <= 2 else class_result("scaled_scores"),
            class_result("debug_attn_weights", "failed", missed=["test_example"]),
            class_result("causal_mask", "not_started" if number % 2 else "missing"),
            many if number <= 7 else class_result("masked_softmax"),
            class_result("split_heads", "failed", missed=CHECKS, reason="SyntaxError: unmatched ')'")
            if number > 8
            else class_result("split_heads"),
        ]
        problems = [Problem(file="x.py", kind="unknown", message="No exercise has this name.")] if number == 4 else []
        summary.add(class_record(name, results, problems), shown=shown, link=f"learner-{number:04d}.html")
    summary.add(class_record("cut", [class_result(id, "error") for id in TITLES]), link="learner-0011.html")
    summary.add(unreadable("zip", TITLES), link="learner-0012.html")
    summary.add_absent("Zoë Nobody")
    return summary


def crowd(learners: int, exercises: int) -> Iterator[Record]:
    """A large class in which everything occurs, the same at every call."""
    kinds = [
        ("passed", {}),
        ("failed", {"missed": ["test_formula"], "mistakes": ["first"]}),
        ("passed", {}),
        ("failed", {"missed": ["test_dtype"], "mistakes": ["second"]}),
        ("failed", {"missed": ["test_example", "test_dtype"]}),
        ("passed", {}),
        ("not_started", {}),
        ("missing", {}),
    ]
    variants = [[class_result(f"exercise_{n}", status, **more) for status, more in kinds] for n in range(exercises)]
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

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

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


def mismatch_of(came: list[list[float]], expected: list[list[float]], *, axes: Sequence[str] = ("query", "key")) -> Any:
    """A mismatch in which all that differs is wrong."""
    planes = [tuple(map(tuple, plane)) for plane in (came, expected)]
    wrong = tuple(tuple(one != other for one, other in zip(*rows, strict=True)) for rows in zip(*planes, strict=True))
    return Mismatch("The output", tuple(axes), *planes, wrong, "Something is off.")


# --- a learner half way ------------------------------------------------------------------------------------------

ROOT = Path(__file__).resolve().parents[2]
NOW = datetime(2026, 11, 18, 20, 15, tzinfo=timezone.utc)
HOSTILE = "</pre></title><script>alert(1)</script><img src=x onerror='alert(2)'>\"\u202etxt\x1b[2J {{ 7 * 7 }} https://e.example"


def tries(*points: float, most: float, days_ago: float, reason: str = "Row 0 sums to 0.8.") -> list[AttemptEntry]:
    """Attempts ten minutes apart; those with all points passed."""
    return [
        AttemptEntry(
            at=NOW - timedelta(days=days_ago, minutes=-10 * n),
            status="passed" if each == most else "failed",
            points=each,
            max_points=most,
            digest="",
            mistakes={} if each == most else {"known": reason},
        )
        for n, each in enumerate(points)
    ]


def failed_visibly(message: str) -> ExerciseResult:
    """A verdict with a failed visible check, a failed hidden one, a passed one and a diagnosis."""
    result = class_result("masked_softmax", "failed", missed=["test_example", "test_formula"], mistakes=["mask-after"])
    first, second, third = (check.model_copy(update={"message": message}) for check in result.checks)
    third = third.model_copy(update={"message": ""})
    return result.model_copy(update={"checks": (first.model_copy(update={"visible": True}), second, third)})


class LearnerAtWork:
    """Draws the page of a learner of our course: passed, passed and wrong since, skipped, tried, and open exercises.

    text: whatever can come from the learner.
    """

    def __init__(self, folder: Path, text: str = "Row 0 sums to 0.8.") -> None:
        self.course = load_course(ROOT / "course.yml")
        self.at = NOW
        self.result = failed_visibly(text)
        again = tries(4.0, most=4.0, days_ago=2)[0].model_copy(update={"kind": "review"})
        self.progress = {
            "softmax": ExerciseProgress(
                passed_at=NOW - timedelta(days=20),
                attempts=[*tries(0.0, 4.0, most=4.0, days_ago=20, reason=text), again],
                hints=[HintEntry(at=NOW - timedelta(days=20), level=1)],
                reviews=[ReviewEntry(at=NOW - timedelta(days=2, minutes=8), attempts=2, hints=1)],
            ),
            "scaled_scores": ExerciseProgress(
                passed_at=NOW - timedelta(days=10), attempts=tries(1.0, 3.0, most=3.0, days_ago=10)
            ),
            "debug_attn_weights": ExerciseProgress(skipped=True),
            "masked_softmax": ExerciseProgress(attempts=tries(0.5, 1.0, most=5.0, days_ago=0, reason=text)),
        }
        weights = mismatch_of([[0.5, 0.25], [0.3, 0.4]], [[1.0, 0.0], [0.3, 0.4]])
        self.mismatch = replace(weights, what=f"The output {text}", note=text)
        self._folder = folder

    def page(self, played: Mapping[str, Played] = {}) -> str:
        names = ("test_example", "test_formula")
        checked = Checked(
            class_record("learner", [class_result("softmax"), self.result]),
            {("masked_softmax", name): self.mismatch for name in names},
        )
        workspace, progress = Workspace(self.course, self._folder), Progress(exercises=self.progress)
        return render_learner(workspace, progress, self.at, checked, played)


@pytest.fixture
def learner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LearnerAtWork]:
    """A learner half way, in a time zone of which the tests know."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield LearnerAtWork(tmp_path)
    monkeypatch.undo()
    time.tzset()
