"""JUnit XML, held to the rules of JUnit.xsd (windyroad/JUnit-Schema)."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

import pytest

from .conftest import HOSTILE_NAMES, exercise, not_graded, record

Export = Callable[..., dict[str, str]]

INT, DECIMAL = re.compile(r"[+-]?\d+"), re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)")
STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
NOT_EMPTY, ANY = re.compile(r"\s*\S.*", re.DOTALL), re.compile(r".*", re.DOTALL)

SUITE = {
    "package": ANY, "id": INT, "name": NOT_EMPTY, "timestamp": STAMP, "hostname": NOT_EMPTY, "tests": INT,
    "failures": INT, "errors": INT, "time": DECIMAL,
}  # fmt: skip
CASE = {"name": ANY, "classname": ANY, "time": DECIMAL}
REASON = {"message": ANY, "type": ANY}


def has(
    element: Element, required: dict[str, re.Pattern[str]], optional: dict[str, re.Pattern[str]] | None = None
) -> None:
    """Sees that an element has these attributes, of these types, and no others."""
    known = {**required, **(optional or {})}
    assert required.keys() <= element.attrib.keys() <= known.keys(), element.attrib
    for name, value in element.attrib.items():
        assert known[name].fullmatch(value), (name, value)


def obey_schema(text: str) -> Element:
    root = fromstring(text.encode())
    assert root.tag == "testsuites" and not root.attrib
    for id, suite in enumerate(root):
        assert suite.tag == "testsuite" and suite.get("id") == str(id)
        has(suite, SUITE, {"skipped": INT})
        first, *cases, out, err = suite
        assert [first.tag, out.tag, err.tag] == ["properties", "system-out", "system-err"]
        assert not [*out.attrib, *err.attrib, *out, *err]
        for each in first:
            assert each.tag == "property" and not list(each)
            has(each, {"name": NOT_EMPTY, "value": ANY})
        for case in cases:
            assert case.tag == "testcase" and len(case) <= 1
            has(case, CASE)
            for reason in case:
                assert reason.tag in ("skipped", "error", "failure") and not list(reason)
                if reason.tag != "skipped":  # of any type in the schema
                    has(reason, {"type": ANY}, REASON)
        counted = {"tests": len(cases)}
        counted |= {f"{tag}s": len(suite.findall(f"testcase/{tag}")) for tag in ("failure", "error")}
        counted["skipped"] = len(suite.findall("testcase/skipped"))
        assert {name: int(suite.attrib[name]) for name in counted} == counted
    return root


def test_failure_tells_the_message_and_the_known_mistake(class_of: Callable[..., Path], exported: Export) -> None:
    root = obey_schema(exported(class_of(record("ada")), "junit")["junit.xml"])
    (failure,) = root.iter("failure")
    assert failure.get("message") == "The rows differ."
    assert failure.text == "The rows differ.\n\nProbably: You divided by one sum."


def test_where_the_grader_failed_there_is_an_error_and_no_points(
    class_of: Callable[..., Path], exported: Export
) -> None:
    text = exported(class_of(not_graded("ada")), "junit")["junit.xml"]
    root = obey_schema(text)
    (error,) = root.iter("error")
    assert "no fault of the submission" in (error.text or "") and "ZeroDivision" not in text
    assert next(each.get("value") for each in root.iter("property") if each.get("name") == "points") == ""


@pytest.mark.parametrize("name", HOSTILE_NAMES.values(), ids=HOSTILE_NAMES)
def test_any_name_makes_good_xml(name: str, class_of: Callable[..., Path], exported: Export) -> None:
    assert len(obey_schema(exported(class_of(record(name)), "junit")["junit.xml"])) == 1


@pytest.mark.parametrize(
    "message",
    ["]]> & <b>", "\x00\x1b[31mred\x08", "\ud83e half", "\ufffe", "<!DOCTYPE x>"],
    ids=["markup", "control characters", "half a pair", "no character", "doctype"],
)
def test_any_message_makes_good_xml(message: str, class_of: Callable[..., Path], exported: Export) -> None:
    out = class_of(record("ada", exercise("softmax", 0.0, message=message)))
    root = obey_schema(exported(out, "junit")["junit.xml"])
    assert len(list(root.iter("failure"))) == 2


def test_same_results_give_the_same_bytes(class_of: Callable[..., Path], exported: Export) -> None:
    out = class_of(record("ada"), not_graded("bo"))
    assert exported(out, "junit") == exported(out, "junit")
