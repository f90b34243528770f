from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from grader.course import CourseError
from grader.course.stubs import make_stub, same_as_stub

CASES = yaml.safe_load(Path(__file__).with_name("stubs.yml").read_text("utf-8"))
STUBS: dict[str, dict[str, str]] = CASES["stubs"]
REFUSED: dict[str, dict[str, str]] = CASES["refused"]


@pytest.mark.parametrize("case", STUBS.values(), ids=STUBS)
def test_the_stub_has_no_solution_in_it(case: dict[str, str]) -> None:
    assert make_stub(case["solution"]) == case["stub"]
    windows = "\ufeff" + case["solution"].replace("\n", "\r\n")
    assert make_stub(windows) == case["stub"]


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_malformed_markers_are_refused_with_their_line(case: dict[str, str]) -> None:
    with pytest.raises(CourseError) as caught:
        make_stub(case["solution"])
    assert str(caught.value).startswith(case["says"])


STUB = 'def f(x):\n    """Où?"""\n\n    raise NotImplementedError("f: still to write")\n'
SAVED = {
    "as it was": (STUB, True),
    "Windows line endings": (STUB.replace("\n", "\r\n"), True),
    "old Mac line endings": (STUB.replace("\n", "\r"), True),
    "a BOM": ("\ufeff" + STUB, True),
    "blanks at the ends of lines": (STUB.replace("\n", " \t\n"), True),
    "more blank lines at the end": (STUB + "\n  \n\n", True),
    "no newline at the end": (STUB.rstrip("\n"), True),
    "another body": (STUB.replace("raise NotImplementedError", "return str"), False),
    "a blank line more in the middle": (STUB.replace("\n\n", "\n\n\n"), False),
    "other indentation": (STUB.replace("    raise", "  raise"), False),
    "a comment": (STUB + "# my notes\n", False),
    "a blank line first": ("\n" + STUB, False),
    "a hard space at the end": (STUB.replace('write")\n', 'write")\u00a0\n'), False),
    "nothing": ("", False),
}


@pytest.mark.parametrize(("source", "is_stub"), SAVED.values(), ids=SAVED)
def test_a_stub_that_an_editor_only_saved_is_still_the_stub(source: str, is_stub: bool) -> None:
    assert same_as_stub(source.encode(), STUB) == is_stub


@pytest.mark.parametrize(
    "source", [STUB.encode("latin-1"), STUB.encode("utf-16"), b"\xff\x00"], ids=["latin-1", "utf-16", "garbage"]
)
def test_bytes_that_are_not_utf8_are_not_the_stub(source: bytes) -> None:
    assert not same_as_stub(source, STUB)
