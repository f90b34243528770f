from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.course import Course
from grader.intake import SubmissionError, read_submission

Notebook = Callable[..., Path]

SOFTMAX = "def softmax(scores, dim=-1):\n    return torch.exp(scores)\n"


CELLS: dict[str, dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("cells.yml").read_text("utf-8"))


@pytest.mark.parametrize("case", CELLS.values(), ids=CELLS)
def test_what_counts_is_taken_of_a_notebook_and_the_rest_is_told(
    case: dict[str, Any], notebook: Notebook, course: Course
) -> None:
    cells = [cell if isinstance(cell, dict) else {"text": cell} for cell in case["cells"]]
    submission = read_submission(
        notebook(
            *(
                {
                    "cell_type": cell.get("type", "code"),
                    "metadata": {"nbgrader": cell["nbgrader"]} if "nbgrader" in cell else {},
                    "source": cell["text"],
                }
                for cell in cells
            )
        ),
        course,
    )
    taken: dict[str, tuple[str, str]] = {}
    for id, told in case.get("taken", {}).items():
        if isinstance(told, dict):
            number, text = told["cell"], told["text"]
        else:
            number, before = told if isinstance(told, list) else (told, "")
            text = before + "".join(cells[number - 1]["text"])
        taken[id] = (f"work.ipynb, cell {number}", text)
    assert submission.name == "work"
    assert {id: (each.name, each.content.decode()) for id, each in submission.sources.items()} == taken
    problems = case.get("problems", [])
    assert [(each.kind, each.exercise) for each in submission.problems] == [(kind, id) for kind, id, _ in problems]
    assert all(told in each.message for (*_, told), each in zip(problems, submission.problems, strict=True))


def test_long_text_is_not_parsed_and_its_function_still_found(notebook: Notebook, course: Course) -> None:
    answer = SOFTMAX + "#" * 33_000
    submission = read_submission(notebook("import torch", answer), course)
    assert submission.sources["softmax"].content.decode() == answer
    submission = read_submission(notebook("weights = 3\n" + "#" * 33_000, "def softmax(s): return weights"), course)
    assert submission.sources["softmax"].content == b"def softmax(s): return weights"


def test_cell_and_file_for_one_exercise_are_refused(notebook: Notebook, tmp_path: Path, course: Course) -> None:
    notebook(SOFTMAX)
    (tmp_path / "softmax.py").write_text("x = 1")
    (problem,) = read_submission(tmp_path, course).problems
    assert problem.kind == "duplicate"
    assert "softmax.py and work.ipynb, cell 1 both answer softmax" in problem.message


def test_notebook_with_byte_order_mark(notebook: Notebook, course: Course) -> None:
    path = notebook(SOFTMAX)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert list(read_submission(path, course).sources) == ["softmax"]


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        pytest.param("def softmax(s): '\ud800'", "is not UTF-8", id="surrogate"),
        pytest.param("def softmax(s): '\0'", "contains a NUL character", id="NUL"),
        pytest.param("# coding: latin-1\ndef softmax(s): ...", "declares the coding iso-8859-1", id="cookie"),
        pytest.param("def causal_mask(n): ...\n" + "#" * 1024, "is larger than 1 kB", id="too large"),
    ],
)
def test_cell_that_is_no_source_is_reported(notebook: Notebook, course: Course, cell: str, reason: str) -> None:
    submission = read_submission(notebook(cell), course)
    assert submission.sources == {}
    (problem,) = submission.problems
    assert problem.kind == "unreadable"
    assert problem.exercise in ("softmax", "causal_mask")
    assert problem.message.startswith(f"work.ipynb, cell 1 {reason}")


DAMAGED = [
    pytest.param(b"", "damaged or not a notebook", id="empty"),
    pytest.param(b'{"cells": [', "damaged or not a notebook", id="cut off"),
    pytest.param(b"\xff\xfe", "damaged or not a notebook", id="not UTF-8"),
    pytest.param(b"[" * 100_000, "damaged or not a notebook", id="endlessly nested"),
    pytest.param(b'{"a":' * 100_000, "damaged or not a notebook", id="endlessly nested objects"),
    pytest.param(b'{"cells": [' + b"[" * 5000 + b"]" * 5000 + b"]}", None, id="deep"),
    pytest.param(b"[]", "is not a notebook", id="a list"),
    pytest.param(b"null", "is not a notebook", id="nothing"),
    pytest.param(b"{}", "has no cells", id="no cells"),
    pytest.param(b'{"cells": 3}', "has no cells", id="cells are a number"),
    pytest.param(b'{"cells": [{"cell_type": "code"}]}', "cell 1 has no text", id="cell without text"),
    pytest.param(b'{"cells": [{"cell_type": "code", "source": [1]}]}', "cell 1 has no text", id="text of numbers"),
    pytest.param(b'{"cells": [' + b",".join([b"{}"] * 2001) + b"]}", "more than 2000 cells", id="too many cells"),
    pytest.param(
        json.dumps({"cells": [{"cell_type": "code", "source": "#" * 600_000}]}).encode(), "512 kB of code", id="code"
    ),
    pytest.param(b" " * (8 * 1024 * 1024 + 1), "larger than 8 MB; clear its outputs", id="too large"),
]


@pytest.mark.parametrize(("content", "sentence"), DAMAGED)
def test_damaged_notebook_is_one_sentence(tmp_path: Path, course: Course, content: bytes, sentence: str | None) -> None:
    path = tmp_path / "work.ipynb"
    path.write_bytes(content)
    try:
        submission = read_submission(path, course)
    except SubmissionError as error:
        assert str(error).startswith("work.ipynb ")
        assert (sentence or "damaged") in str(error)
    else:  # how deep is too deep differs between Pythons
        assert sentence is None
        assert submission.sources == {}


def test_damaged_notebook_in_a_folder_takes_no_other_along(tmp_path: Path, course: Course) -> None:
    (tmp_path / "work.ipynb").write_bytes(b'{"cells": [')
    (tmp_path / "softmax.py").write_text("x = 1")
    submission = read_submission(tmp_path, course)
    assert list(submission.sources) == ["softmax"]
    (problem,) = submission.problems
    assert (problem.file, problem.kind) == ("work.ipynb", "unreadable") and "damaged" in problem.message


@pytest.mark.parametrize(
    "cell",
    [
        pytest.param({"cell_type": "code", "metadata": 3, "source": SOFTMAX}, id="metadata is a number"),
        pytest.param({"cell_type": "code", "source": SOFTMAX}, id="no metadata"),
        pytest.param((SOFTMAX, {"nbgrader": [], "kata": "x"}), id="entries of another type"),
        pytest.param((SOFTMAX, {"nbgrader": {"grade_id": 10**5000}}), id="huge number"),
        pytest.param((SOFTMAX, {"nbgrader": {"grade_id": "unheard-of"}}), id="unknown id"),
    ],
)
def test_odd_metadata_does_no_harm(tmp_path: Path, course: Course, cell: Any) -> None:
    whole = cell if isinstance(cell, dict) else {"cell_type": "code", "metadata": {"id": "x"}, "source": cell[0]}
    text = json.dumps({"cells": [3, None, whole]})
    if not isinstance(cell, dict):
        huge = cell[1]["nbgrader"]
        written = '{"grade_id": ' + "9" * 5000 + "}" if huge == {"grade_id": 10**5000} else json.dumps(huge)
        text = text.replace('{"id": "x"}', '{"nbgrader": ' + written + "}")
    path = tmp_path / "work.ipynb"
    path.write_text(text)
    assert list(read_submission(path, course).sources) == ["softmax"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("'" * 400_000, id="quotes"),
        pytest.param("#\n" * 200_000, id="comments"),
        pytest.param("(" * 400_000, id="brackets"),
        pytest.param(" " * 400_000, id="blanks"),
        pytest.param("\\\n" * 200_000, id="joined lines"),
        pytest.param("for " * 100_000, id="loops"),
        pytest.param("def a(" * 60_000, id="definitions"),
        pytest.param("a, " * 130_000, id="targets"),
        pytest.param("a?" * 200_000, id="questions"),
        pytest.param("x = y\n" * 60_000, id="assignments"),
        pytest.param("import " + "a." * 16_000 + "a", id="a name of many parts"),
        pytest.param("f'" + "{a}" * 10_000 + "'", id="an f-string of many parts"),
        pytest.param("%a\nb\n" * 6_000, id="magics"),
        pytest.param("a" + ".b" * 16_000, id="a deep tree"),
        pytest.param("a = 1\r" * 5_000, id="carriage returns"),
    ],
)
def test_hostile_text_is_read_in_time(notebook: Notebook, course: Course, text: str) -> None:
    started = time.process_time()
    submission = read_submission(notebook(text, SOFTMAX), course)
    assert time.process_time() - started < 8
    assert list(submission.sources) == ["softmax"]


@pytest.mark.thorough
def test_many_answers_to_one_exercise_are_read_in_time(notebook: Notebook, course: Course) -> None:
    cells = [f"def f{number}(): f{number - 1}()\ndef softmax(s): f{number}()" for number in range(1900)]
    started = time.process_time()
    (problem,) = read_submission(notebook(*cells), course).problems
    assert time.process_time() - started < 8
    assert "(and 1898 more)" in problem.message


def test_notebook_is_read_in_a_zip_too(notebook: Notebook, tmp_path: Path, course: Course) -> None:
    import zipfile

    path = notebook("import torch", SOFTMAX)
    with zipfile.ZipFile(tmp_path / "bob.zip", "w") as made:
        made.write(path, "week 1/work.ipynb")
    submission = read_submission(tmp_path / "bob.zip", course)
    assert submission.sources["softmax"].name == "week 1/work.ipynb, cell 2"
    assert submission.sources["softmax"].content.decode() == "import torch\n" + SOFTMAX
