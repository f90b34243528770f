"""Golden records to be shown."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from grader.course.model import Course, Document, Exercise, Unit
from grader.mismatch import Mismatch
from grader.played import Played
from grader.practice.checking import Checked
from grader.practice.learner_page import render_learner
from grader.practice.progress import AttemptEntry, ExerciseProgress, HintEntry, Progress, ReviewEntry
from grader.practice.review import cards_of
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

NOW = datetime(2026, 11, 18, 20, 15, tzinfo=timezone.utc)

WEIGHTS = Mismatch(
    what="The output",
    axes=("query", "key"),
    came=((0.5, 0.25, 0.25), (0.3, 0.4, 0.3), (0.2, 0.3, 0.5)),
    expected=((1.0, 0.0, 0.0), (0.4, 0.6, 0.0), (0.2, 0.3, 0.5)),
    wrong=((True, True, True), (True, True, True), (False, False, False)),
    note="6 of 9 numbers are off, only in rows (query) 0 and 1, counted from 0; the others are right.",
)


def masked_softmax(message: str = "The weights differ from the expected ones.") -> ExerciseResult:
    """A verdict with a failed visible check, a failed hidden one, a passed one and a diagnosis."""

    def check(name: str, title: str, points: float, worth: float, *, visible: bool = False) -> CheckResult:
        return CheckResult(
            name=name,
            title=title,
            outcome="passed" if points else "failed",
            points=points,
            max_points=worth,
            visible=visible,
            message="" if points else message,
        )

    return ExerciseResult(
        id="masked_softmax",
        status="failed",
        points=1.0,
        max_points=5.0,
        checks=(
            check("test_example", "The document's example comes out.", 0.0, 1.0, visible=True),
            check("test_future", "A later token gets no weight.", 0.0, 3.0),
            check("test_dtype", "The weights keep the scores' dtype.", 1.0, 1.0),
        ),
        diagnosis=(Diagnosis(mistake="mask-after", message="the mask is applied after the softmax."),),
        seconds=0.02,
    )


def tries(*points: float, most: float, days_ago: int, reason: str = "Row 0 sums to 0.8.") -> list[AttemptEntry]:
    """Attempts ten minutes apart; those with all points passed."""
    start = NOW - timedelta(days=days_ago)
    return [
        attempt(start + timedelta(minutes=10 * n), each, most, {} if each == most else {"known": reason})
        for n, each in enumerate(points)
    ]


def attempt(at: datetime, points: float, most: float, mistakes: dict[str, str] | None = None, **more: Any) -> Any:
    status = "passed" if points == most else "failed"
    return AttemptEntry(
        at=at, status=status, points=points, max_points=most, digest="", mistakes=mistakes or {}, **more
    )


def passed(days_ago: int, attempts: Sequence[AttemptEntry], **more: Any) -> ExerciseProgress:
    """An exercise passed days ago."""
    return ExerciseProgress(passed_at=NOW - timedelta(days=days_ago), attempts=list(attempts), **more)


@dataclass(frozen=True)
class LearnerAtWork:
    """All that a learner's page is made from."""

    workspace: Workspace
    progress: Progress
    checked: Checked | None
    at: datetime = NOW

    @property
    def course(self) -> Course:
        return self.workspace.course

    def page(self, played: Mapping[str, Played] = {}) -> str:
        return render_learner(self.workspace, self.progress, self.at, self.checked, played)

    def with_progress(self, **exercises: ExerciseProgress) -> LearnerAtWork:
        return replace(self, progress=Progress(exercises={**self.progress.exercises, **exercises}))

    def due_in(self, days: int) -> LearnerAtWork:
        """At the time from which the first exercise comes back in some days."""
        return replace(self, at=cards_of(self.progress)["softmax"].due - timedelta(days=days))

    def with_results(self, change: Callable[[ExerciseResult], ExerciseResult]) -> LearnerAtWork:
        assert self.checked is not None
        record = self.checked.record
        record = record.model_copy(update={"exercises": tuple(map(change, record.exercises))})
        return replace(self, checked=replace(self.checked, record=record))


def small_course(root: Path, version: str) -> Course:
    """Four units with the exercises of the records."""
    points = dict(zip(TITLES, (4.0, 3.0, 4.0, 1.5, 5.0, 4.0), strict=True))

    def exercise(id: str, number: int, folder: str) -> Exercise:
        return Exercise(
            id=id,
            number=number,
            unit=folder,
            kind="implement",
            title=TITLES[id],
            points=points[id],
            requires=("masked_softmax",) if id == "split_heads" else (),
            document="one",
            step="1",
            entry_points=(id,),
            hints=("What must a row add up to?", "Divide.", "By the sum."),
        )

    units = tuple(
        Unit(folder=folder, title=title, exercises=tuple(exercise(id, n, folder) for n, id in enumerate(ids, 1)))
        for folder, (title, ids) in zip(("01_lookup", "02_self", "03_masks", "04_heads"), UNITS, strict=True)
    )
    document = Document(title="One", author="Some", language="English")
    return Course(title="Attention Kata", version=version, documents={"one": document}, units=units, root=root)


@pytest.fixture
def learner(half_done: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LearnerAtWork]:
    """Four units with an exercise of every kind: passed, passed and broken since, tried, skipped, open, later."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    results = {result.id: result for result in half_done.exercises if result.id in ("softmax", "scaled_scores")}
    again = attempt(NOW - timedelta(days=2), 4.0, 4.0, kind="review")
    handed_out = ReviewEntry(at=again.at - timedelta(minutes=8), attempts=3, hints=1)
    hint = HintEntry(at=NOW - timedelta(days=20), level=1)
    progress = {
        "softmax": passed(
            20, [*tries(0.0, 1.0, 4.0, most=4.0, days_ago=20), again], hints=[hint], reviews=[handed_out]
        ),
        "scaled_scores": passed(10, tries(1.0, 3.0, most=3.0, days_ago=10)),
        "debug_attn_weights": ExerciseProgress(skipped=True),
        "masked_softmax": ExerciseProgress(
            attempts=tries(0.5, 1.0, most=5.0, days_ago=0, reason="the mask is applied after the softmax.")
        ),
    }
    graded = half_done.model_copy(update={"exercises": (*results.values(), masked_softmax())})
    mismatches = {("masked_softmax", "test_example"): WEIGHTS, ("masked_softmax", "test_future"): WEIGHTS}
    yield LearnerAtWork(
        Workspace(small_course(tmp_path, half_done.course.version), tmp_path),
        Progress(exercises=progress),
        Checked(graded, mismatches),
    )
    monkeypatch.undo()
    time.tzset()
