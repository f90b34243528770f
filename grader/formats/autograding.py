"""Results check by check, for programs that show tests: JUnit XML, GitHub Classroom's autograding, Gradescope.

JUnit: a test suite a learner, a test case a check. By JUnit.xsd of windyroad/JUnit-Schema, which describes what Ant's
JUnit tasks write: every suite has a package, an id from 0 on, a time stamp without a zone, a host, and its counts;
`properties`, `system-out` and `system-err` are always there. A check that failed is a failure; where the grader itself
failed, an error. An exercise that was not handed in, or not begun, is a skipped case: nothing was tested. Points have
no place in this format; they are properties of the suite.

GitHub: one file a submission, by classroom-resources/autograding-grading-reporter (README.md and src/). A step of the
workflow sets an output to this JSON in base64, and the reporter is given it as `<RUNNER>_RESULTS`. The fields are those
that classroom-resources/autograding-io-grader sets. The reporter adds up the scores of the tests. Without max_score it
reports no points: that is what becomes of a submission that could not be graded in full.

Gradescope: results.json, one file a submission, by its "Autograder Specifications"
(gradescope-autograders.readthedocs.io, specs; docs/specs.md of gradescope/autograder_samples):

- `score` at the top or on each test; `tests` with score, max_score, name, number, output, tags, visibility, status.
- Visibility is hidden, after_due_date, after_published or visible. Everything here is visible: what hidden checks say
  is written for learners. What the program prints stays with the instructors, which is the default.
- Without any score there is no grade: that is what becomes of a submission that could not be graded in full.
- `score` and `max_score` of a test may be left out where the whole has a score: so are those of what does not count.
- An assignment is worth one number of points for everybody. So where a part does not count for a learner, the rest is
  in proportion, as in a column of Canvas's or Moodle's.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from grader.files import number_field
from grader.record import POINTS_TOLERANCE, ExerciseResult, Outcome, Record
from grader.render.safe_text import safe_line, visible
from grader.render.verdict import CheckVerdict, ExerciseVerdict, verdict_on, verdicts_on
from grader.render.wording import ISOLATION, MARKS, change, counted, score, ungraded

from .results_table import ResultsTable, TableColumn, mark_of


def as_json(value: dict[str, Any]) -> str:
    """A value as a JSON text file; equal values give the same bytes."""
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _paragraphs(*texts: str) -> str:
    """The texts that are not empty, with an empty line between them."""
    return "\n\n".join(text for text in texts if text)


def _probably(verdict: ExerciseVerdict) -> str:
    """The known mistakes that were found, one a line."""
    return "\n".join(f"Probably: {each}" for each in verdict.probably)


def _tests_of(verdict: ExerciseVerdict) -> list[CheckVerdict]:
    """A test for each check, the first failed one with the known mistakes; one where no checks ran, with the reason."""
    if not verdict.is_checked:
        outcome: Outcome = "error" if verdict.status == "error" else "skipped"
        return [CheckVerdict(verdict.id, verdict.title, outcome, verdict.status, 0.0, verdict.max_points, verdict.note)]
    tests = list(verdict.checks)
    failed = next((place for place, each in enumerate(tests) if each.outcome == "failed"), None)
    if failed is not None:
        named = _paragraphs(tests[failed].message, _probably(verdict))
        tests[failed] = replace(tests[failed], message=named)
    return tests


def _text_of(record: Record) -> str:
    """The total, how it was computed and what could not be taken, for a learner; control characters are made safe."""
    lines: list[str] = []
    course = f"{safe_line(record.course.title)} {safe_line(record.course.version)}"
    if record.complete:
        lines += [f"{course}: {score(record.counted_points)} of {score(record.counted_max_points)} points."]
    if record.is_adjusted:
        lines += [f"Graded: {score(record.points)} of {score(record.max_points)} points."]
        lines += [f"{safe_line(each.reason)} ({change(each)})" for each in record.adjustments or ()]
    if not record.complete:
        names = ", ".join(safe_line(each.id) for each in record.exercises if each.status == "error")
        lines += [f"{course}: no mark. {ungraded(record)}", f"{MARKS['error'].word.capitalize()}: {names}."]
    lines += [f"Isolation: {ISOLATION[record.isolation]}. Seed of the hidden inputs: {record.seed}."]
    if record.not_taken:
        lines += [f"{counted(len(record.not_taken), 'file')} could not be taken:"]
        lines += [f"- {safe_line(each.file)}: {safe_line(each.message)}" for each in record.not_taken]
    lines += [safe_line(each.message) for each in record.problems if each.kind == "renamed"]
    return "\n".join(lines)


# --- JUnit ------------------------------------------------------------------------------------------------------------

_REASONS = {"failed": ("failure", "CheckFailed"), "error": ("error", "GraderError"), "skipped": ("skipped", "")}
"""The element that says why a test did not pass, and its type."""


def junit(table: ResultsTable) -> Iterator[str]:
    """The file, suite by suite."""
    stamp = table.graded_at.strftime("%Y-%m-%dT%H:%M:%S")
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n'
    for id, row in enumerate(table.rows()):
        record = row.record
        suite = Element("testsuite", package=safe_line(record.course.title) or "course", id=str(id))
        suite.set("name", visible(row.learner.name).strip() or "submission")
        suite.attrib.update(timestamp=stamp, hostname="localhost")  # as the schema wants it for an unknown host
        told = {"submission": visible(record.submission), "points": number_field(mark_of(record))}
        told["max_points"] = number_field(record.counted_max_points)
        if record.is_adjusted:
            told |= {"graded_points": number_field(record.points), "graded_max_points": number_field(record.max_points)}
        properties = SubElement(suite, "properties")
        for key, value in {**told, "isolation": record.isolation, "seed": str(record.seed)}.items():
            SubElement(properties, "property", name=key, value=value)
        suite.extend(_cases(record, table))
        SubElement(suite, "system-out").text = _text_of(record)
        SubElement(suite, "system-err")
        suite.set("tests", str(len(suite.findall("testcase"))))
        for plural, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            suite.set(plural, str(len(suite.findall(f"testcase/{tag}"))))
        suite.set("time", number_field(sum(exercise.seconds for exercise in record.exercises)))
        yield tostring(suite, encoding="unicode") + "\n"
    yield "</testsuites>\n"


def _cases(record: Record, table: ResultsTable) -> Iterator[Element]:
    verdicts = verdicts_on(record, table.titles)
    for exercise, verdict in zip(record.exercises, verdicts, strict=True):
        tests = _tests_of(verdict)
        seconds = exercise.seconds / len(tests)  # a record has the time of an exercise, not of each check
        for test in tests:
            case = Element("testcase", name=test.title, classname=verdict.id, time=number_field(seconds))
            if test.outcome in _REASONS:
                tag, type = _REASONS[test.outcome]
                reason = SubElement(case, tag, message=test.said.partition("\n")[0])
                if type:
                    reason.set("type", type)
                    reason.text = test.said
            yield case


# --- GitHub -----------------------------------------------------------------------------------------------------------

MESSAGES_BYTES = 36_000
"""Of all messages: the reporter takes a result in base64 from an environment variable, at most 128 KiB on Linux."""
LONGEST_MESSAGE = 1500


def github(record: Record, table: ResultsTable) -> dict[str, Any]:
    """The result of one submission: one test for each exercise; no points if the grader itself failed."""
    length = min(MESSAGES_BYTES // max(len(record.exercises), 1), LONGEST_MESSAGE)
    tests = [_test(each, table.titles.get(each.id, ""), length, scored=record.complete) for each in record.exercises]
    statuses = {test["status"] for test in tests}
    status = "error" if "error" in statuses else "fail" if "fail" in statuses else "pass"
    points = {"max_score": record.counted_max_points} if record.complete else {}
    return {"version": 1, "status": status, **points, "tests": tests}


def _test(exercise: ExerciseResult, title: str, length: int, *, scored: bool) -> dict[str, Any]:
    """The test of one exercise, with a message of at most `length` bytes: what did not pass, and why."""
    status = {"passed": "pass", "error": "error"}.get(exercise.status, "fail")
    verdict = verdict_on(exercise, title=title)
    failures = [f"{', '.join(check.title for check in each.checks)}\n{each.message}" for each in verdict.failures]
    message = verdict.note or _paragraphs(*map(str.strip, failures), _probably(verdict), verdict.remark)
    shown = message.encode()[:length].decode(errors="ignore")
    return {
        "name": verdict.title,
        "status": status,
        "message": None if status == "pass" else shown + "..." * (shown != message),
        "test_code": "",
        "filename": "",
        "line_no": 0,
        "duration": round(exercise.seconds * 1000),
        **({"score": exercise.counted_points} if scored else {}),
    }


# --- Gradescope -------------------------------------------------------------------------------------------------------


def gradescope(record: Record, titles: Mapping[str, str], worth: float) -> dict[str, Any]:
    """What Gradescope is told about one submission; no score at all where the grader itself failed, or nothing counts.

    titles: by the exercises' ids. worth: what the assignment is worth there.
    """
    told = _text_of(record)
    if not record.complete:
        return {"output": told}
    points = TableColumn(record.course.title, worth).points(record)
    if points is None:
        return {"output": _paragraphs(told, "Nothing of it counts for you, so there is no grade.")}
    gained, most = record.counted_points, record.counted_max_points
    scaled = f"In proportion, {score(gained)} of {score(most)} points are {score(points)} of {score(worth)}."
    return {
        "score": points,
        "execution_time": math.ceil(sum(exercise.seconds for exercise in record.exercises)),
        "output": _paragraphs(told, scaled if abs(points - gained) > POINTS_TOLERANCE else ""),
        "extra_data": {"seed": record.seed, "isolation": record.isolation, "max_score": most},
        "tests": list(_scored_tests(record, titles)),
    }


def _scored_tests(record: Record, titles: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """A test for each check; what does not count for this learner without points."""
    verdicts = verdicts_on(record, titles)
    for number, (exercise, verdict) in enumerate(zip(record.exercises, verdicts, strict=True), start=1):
        for place, test in enumerate(_tests_of(verdict), start=1):
            name = f"{verdict.title}: {test.title}" if verdict.is_checked else verdict.title
            yield {
                **({} if exercise.uncounted else {"score": test.points, "max_score": test.max_points}),
                "status": "passed" if test.outcome == "passed" else "failed",
                "name": f"{name} (does not count)" if exercise.uncounted else name,
                "number": f"{number}.{place}" if verdict.is_checked else f"{number}",
                "output": test.said,
                "tags": [verdict.id],
                "visibility": "visible",
            }
