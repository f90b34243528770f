"""JUnit XML: a test suite a learner, a test case a check.

By JUnit.xsd of windyroad/JUnit-Schema, which describes what Ant's JUnit tasks write: every suite has a package, an id
from 0 on, a time stamp without a zone, a host, and its counts; `properties`, `system-out` and `system-err` are always
there.

A check that failed is a failure; where the grader itself failed, an error. An exercise that was not handed in, or not
begun, is a skipped case: nothing was tested. Points have no place in this format; they are properties of the suite.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from xml.etree.ElementTree import Element, SubElement, tostring

from grader.record import CheckResult, ExerciseResult, Record
from grader.render.csv_text import number_field
from grader.render.safe_text import safe_line, visible
from grader.render.wording import which_attempt

from .export import ExportTerms, File
from .graded import Graded
from .marks import mark
from .telling import is_unchecked, joined, told_of_check, told_of_diagnosis, told_of_record, why_no_checks

HOST = "localhost"  # the schema's value for an unknown host


def files(graded: Graded, terms: ExportTerms) -> Iterator[File]:
    """The one file, suite by suite."""
    yield File("junit.xml", _document(graded, terms))


def _document(graded: Graded, terms: ExportTerms) -> Iterator[str]:
    stamp = graded.graded_at.strftime("%Y-%m-%dT%H:%M:%S")
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n'
    for id, result in zip(count(), graded, strict=False):
        suite = _suite(result.record, visible(result.learner.shown), id, stamp, terms)
        yield tostring(suite, encoding="unicode") + "\n"
    yield "</testsuites>\n"


def _suite(record: Record, name: str, id: int, stamp: str, terms: ExportTerms) -> Element:
    suite = Element("testsuite")
    properties = SubElement(suite, "properties")
    points = mark(record)
    for key, value in {
        "submission": visible(record.submission),
        "points": "" if points is None else number_field(points),
        "max_points": number_field(record.counted_max_points),
        **_graded(record),
        "isolation": record.isolation,
        "seed": str(record.seed),
    }.items():
        SubElement(properties, "property", name=key, value=value)
    for exercise in record.exercises:
        for case in _cases(exercise, terms):
            suite.append(case)
    SubElement(suite, "system-out").text = told_of_record(record)
    SubElement(suite, "system-err")
    suite.attrib.update(
        package=safe_line(record.course.title) or "course",
        id=str(id),
        name=name.strip() or "submission",
        timestamp=stamp,
        hostname=HOST,
        tests=str(len(suite.findall("testcase"))),
        failures=str(len(suite.findall("testcase/failure"))),
        errors=str(len(suite.findall("testcase/error"))),
        skipped=str(len(suite.findall("testcase/skipped"))),
        time=number_field(sum(exercise.seconds for exercise in record.exercises)),
    )
    return suite


def _graded(record: Record) -> dict[str, str]:
    """The points before the course's policy, if one was applied, and which of several attempts it is."""
    which = {"attempt": which_attempt(record)} if record.attempt else {}
    if not record.is_adjusted:
        return which
    return {**which, "graded_points": number_field(record.points), "graded_max_points": number_field(record.max_points)}


def _cases(exercise: ExerciseResult, terms: ExportTerms) -> Iterator[Element]:
    title = safe_line(terms.titles.get(exercise.id, exercise.id))
    if is_unchecked(exercise):
        case = Element("testcase", name=title, classname=exercise.id, time=number_field(exercise.seconds))
        if exercise.status == "error":
            _told(case, "error", why_no_checks(exercise), "GraderError")
        else:
            SubElement(case, "skipped", message=why_no_checks(exercise))
        yield case
        return
    seconds = exercise.seconds / len(exercise.checks)  # a record has the time of an exercise, not of each check
    diagnosis = told_of_diagnosis(exercise)
    for check in exercise.checks:
        case = Element("testcase", name=safe_line(check.title), classname=exercise.id, time=number_field(seconds))
        if check.outcome == "failed":
            text, diagnosis = joined(told_of_check(check), diagnosis), ""
            _told(case, "failure", text, "CheckFailed")
        elif check.outcome == "error":
            _told(case, "error", told_of_check(check), "GraderError")
        elif check.outcome == "skipped":
            SubElement(case, "skipped", message=_first_line(check))
        yield case


def _told(case: Element, element: str, text: str, type: str) -> None:
    SubElement(case, element, message=text.partition("\n")[0], type=type).text = text


def _first_line(check: CheckResult) -> str:
    return told_of_check(check).partition("\n")[0]
