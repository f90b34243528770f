from __future__ import annotations

import pytest

from grader.course import CourseError
from grader.course.stubs import make_stub, same_as_stub
from tests.cases import rows, table

TABLES = table(__file__, "stubs.yml")
STUB: str = TABLES["given"]


@rows(TABLES["stubs"])
def test_the_stub_has_no_solution_in_it(case: dict[str, str]) -> None:
    assert make_stub(case["solution"]) == case["stub"]
    windows = "\ufeff" + case["solution"].replace("\n", "\r\n")
    assert make_stub(windows) == case["stub"]


@rows(TABLES["refused"])
def test_malformed_markers_are_refused_with_their_line(case: dict[str, str]) -> None:
    with pytest.raises(CourseError) as caught:
        make_stub(case["solution"])
    assert str(caught.value).startswith(case["says"])


@rows(TABLES["saved"], "old", "new", "is_stub")
def test_a_stub_that_an_editor_only_saved_is_still_the_stub(old: str, new: str, is_stub: bool) -> None:
    assert same_as_stub(STUB.replace(old, new).encode(), STUB) == is_stub


@pytest.mark.parametrize("source", [b"", STUB.encode("latin-1"), STUB.encode("utf-16"), b"\xff\x00"], ids=ascii)
def test_nothing_and_bytes_that_are_not_utf8_are_not_the_stub(source: bytes) -> None:
    assert not same_as_stub(source, STUB)
