"""JUnit XML: a test suite a learner, a test case a check.

By JUnit.xsd of windyroad/JUnit-Schema, which describes what Ant's JUnit tasks write: every suite has a package, an id
from 0 on, a time stamp without a zone, a host, and its counts; `properties`, `system-out` and `system-err` are always
there.

A check that failed is a failure; where the grader itself failed, an error. An exercise that was not handed in, or not
begun, is a skipped case: nothing was tested. Points have no place in this format; they are properties of the suite.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement, tostring

from grader.csv_writing import number_field
from grader.record import Record
from grader.render.safe_text import safe_line, visible
from grader.render.verdict import verdicts_on

from .results_table import ResultsTable, mark_of
from .shared_text import MESSAGE_LINES, tests_of, text_of_record

HOST = "localhost"  # the schema's value for an unknown host
_REASONS = {"failed": ("failure", "CheckFailed"), "error": ("error", "GraderError"), "skipped": ("skipped", "")}
"""The element that says why a test did not pass, and its type."""


def lines(table: ResultsTable) -> Iterator[str]:
    """The file, suite by suite."""
    stamp = table.graded_at.strftime("%Y-%m-%dT%H:%M:%S")
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n'
    for id, row in enumerate(table.rows()):
        suite = Element("testsuite")
        _describe(suite, row.record)
        suite.extend(_cases(row.record, table))
        SubElement(suite, "system-out").text = text_of_record(row.record)
        SubElement(suite, "system-err")
        suite.attrib.update(
            package=safe_line(row.record.course.title) or "course",
            id=str(id),
            name=visible(row.learner.name).strip() or "submission",
            timestamp=stamp,
            hostname=HOST,
            tests=str(len(suite.findall("testcase"))),
            failures=str(len(suite.findall("testcase/failure"))),
            errors=str(len(suite.findall("testcase/error"))),
            skipped=str(len(suite.findall("testcase/skipped"))),
            time=number_field(sum(exercise.seconds for exercise in row.record.exercises)),
        )
        yield tostring(suite, encoding="unicode") + "\n"
    yield "</testsuites>\n"


def _describe(suite: Element, record: Record) -> None:
    told = {"submission": visible(record.submission), "points": number_field(mark_of(record))}
    told["max_points"] = number_field(record.counted_max_points)
    if record.is_adjusted:
        told["graded_points"] = number_field(record.points)
        told["graded_max_points"] = number_field(record.max_points)
    properties = SubElement(suite, "properties")
    for key, value in {**told, "isolation": record.isolation, "seed": str(record.seed)}.items():
        SubElement(properties, "property", name=key, value=value)


def _cases(record: Record, table: ResultsTable) -> Iterator[Element]:
    verdicts = verdicts_on(record, table.titles, lines=MESSAGE_LINES)
    for exercise, verdict in zip(record.exercises, verdicts, strict=True):
        tests = tests_of(verdict)
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
