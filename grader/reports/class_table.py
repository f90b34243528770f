"""A class at a glance: one row a submission, one mark an exercise; in the terminal and as an HTML page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import mean, median
from urllib.parse import quote

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.reports.pages import render_page
from grader.reports.safe_text import safe_line
from grader.reports.terminal import STYLES, sign, text_for
from grader.reports.wording import MARKS, Units, counted, exercise_order, passed_count, score
from grader.results import ExerciseResult, Record

NAME_LIMIT = 60
NARROW = 64  # columns below which a submission takes three lines


@dataclass(frozen=True)
class ExerciseSummary:
    """One exercise across the class."""

    id: str
    title: str
    unit: str
    passed: int
    tried: int


def print_class(records: Sequence[Record], console: Console, *, titles: Mapping[str, str]) -> None:
    """Print the class: a row a submission with a mark for each exercise, the marks' meaning, the averages.

    titles: an exercise's title by its id, in course order, which is the order of the marks.
    """
    if not records:
        console.print(Text("No submissions."))
        return
    order = exercise_order(records, titles)
    if console.width < NARROW:
        _print_stacked(records, order, console)
    else:
        console.print(_table(records, order, console))
    console.print()
    legend = "  ".join(f"{sign(status, console)} {mark.word}" for status, mark in MARKS.items())
    console.print(text_for(console, legend, "dim"))
    if hardest := _hardest(_summaries(records, titles, ())):
        console.print(text_for(console, hardest))
    console.print(Text(averages(records), style="bold"))


def render_class(
    records: Sequence[Record], *, titles: Mapping[str, str], units: Units, links: Mapping[str, str]
) -> str:
    """The class as one HTML page.

    links: each submission's own page by the submission's name, as a path relative to this page.
    """
    summaries = _summaries(records, titles, units)
    return render_page(
        "class.html.j2",
        course=records[0].course if records else None,
        rows=[
            {
                "record": record,
                "passed": passed_count(record),
                "link": _relative(links[record.submission]) if record.submission in links else None,
                "cells": _cells(record, [summary.id for summary in summaries]),
            }
            for record in records
        ],
        summaries=summaries,
        key=_key(summaries),
        with_problems=any(record.problems for record in records),
        averages=averages(records),
        hardest=_hardest(summaries),
    )


def averages(records: Sequence[Record]) -> str:
    """Mean and median of the points, over the submissions that were graded in full."""
    points = [record.points for record in records if record.complete]
    left_out = len(records) - len(points)
    aside = f"; {counted(left_out, 'submission')} not fully graded left out" if left_out else ""
    if not points:
        return f"No averages{aside}." if aside else "No submissions."
    worth = {score(record.max_points) for record in records if record.complete}
    of = f" of {worth.pop()}" if len(worth) == 1 else ""
    return (
        f"Mean {score(mean(points))}, median {score(median(points))}{of} points, "
        f"over {counted(len(points), 'submission')}{aside}."
    )


def _table(records: Sequence[Record], order: Sequence[str], console: Console) -> Table:
    with_problems = any(record.problems for record in records)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("submission", overflow="fold", min_width=10)
    table.add_column("points", justify="right", no_wrap=True)
    table.add_column("passed", justify="right", no_wrap=True)
    table.add_column("exercises", overflow="fold", min_width=9)
    if with_problems:
        table.add_column("problems", justify="right", no_wrap=True)
    for record in records:
        cells = [
            _name(record, console),
            Text(_score(record)),
            Text(_passed(record)),
            _strip(record, order, console),
        ]
        problems = [Text(str(len(record.problems) or ""))] if with_problems else []
        table.add_row(*cells, *problems)
    return table


def _print_stacked(records: Sequence[Record], order: Sequence[str], console: Console) -> None:
    for record in records:
        problems = f", {counted(len(record.problems), 'problem')}" if record.problems else ""
        name = _name(record, console)
        name.stylize("bold")
        console.print(name)
        for line in (
            Text(f"{_score(record)} points, {_passed(record)} passed{problems}"),
            _strip(record, order, console),
        ):
            console.print(Padding(line, (0, 0, 0, 2), expand=False))


def _name(record: Record, console: Console) -> Text:
    return text_for(console, safe_line(record.submission, NAME_LIMIT))


def _score(record: Record) -> str:
    return f"{score(record.points)} / {score(record.max_points)}{'' if record.complete else ' !'}"


def _passed(record: Record) -> str:
    return f"{passed_count(record)} / {len(record.exercises)}"


def _strip(record: Record, order: Sequence[str], console: Console) -> Text:
    strip = Text()
    for exercise in _cells(record, order):
        if exercise is None:
            strip.append(" ")
        else:
            strip.append(sign(exercise.status, console), STYLES[exercise.status])
    return strip


def _cells(record: Record, order: Sequence[str]) -> list[ExerciseResult | None]:
    results = {exercise.id: exercise for exercise in record.exercises}
    return [results.get(id) for id in order]


def _summaries(records: Sequence[Record], titles: Mapping[str, str], units: Units) -> list[ExerciseSummary]:
    """The exercises in course order; those of no unit come last."""
    present = exercise_order(records, titles)
    places = [(id, unit) for unit, ids in units for id in ids if id in present]
    placed = {id for id, _ in places}
    places += [(id, "Other exercises") for id in present if id not in placed]
    counts = Counter((exercise.id, exercise.status) for record in records for exercise in record.exercises)
    return [
        ExerciseSummary(
            id=id,
            title=titles.get(id, id),
            unit=unit,
            passed=counts[id, "passed"],
            tried=counts[id, "passed"] + counts[id, "failed"],
        )
        for id, unit in places
    ]


def _key(summaries: Sequence[ExerciseSummary]) -> list[tuple[str, list[tuple[int, ExerciseSummary]]]]:
    """The exercises by unit, each with the number that heads its column."""
    numbered = enumerate(summaries, 1)
    return [(unit, list(members)) for unit, members in groupby(numbered, key=lambda pair: pair[1].unit)]


def _hardest(summaries: Sequence[ExerciseSummary]) -> str:
    """The exercise that the smallest part of those who tried it passed, if anyone failed anything."""
    stumbled = [summary for summary in summaries if summary.passed < summary.tried]
    if not stumbled:
        return ""
    hardest = min(stumbled, key=lambda summary: summary.passed / summary.tried)
    return f"Hardest: {safe_line(hardest.title)}, passed by {hardest.passed} of {hardest.tried} who tried."


def _relative(path: str) -> str:
    """An address that can only lead to a file beside or below the page: no scheme, no host, no query."""
    return "./" + quote(path.lstrip("/").removeprefix("./"), safe="/")
