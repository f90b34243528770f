from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.course import Course
from grader.intake import SubmissionError, read_submission

Notebook = Callable[..., Path]

SOFTMAX = "def softmax(scores, dim=-1):\n    return torch.exp(scores)\n"


def nbgrader(grade_id: str, *, grade: bool = False, solution: bool = True, locked: bool = False) -> dict[str, Any]:
    return {"nbgrader": {"grade_id": grade_id, "grade": grade, "solution": solution, "locked": locked}}


@pytest.mark.parametrize(
    ("cell", "exercise"),
    [
        pytest.param(("x = 1", nbgrader("softmax")), "softmax", id="nbgrader"),
        pytest.param(("x = 1", nbgrader("causal-mask")), "causal_mask", id="nbgrader with hyphen"),
        pytest.param(("x = 1", nbgrader("softmax", grade=True)), "softmax", id="graded by hand"),
        pytest.param(("# softmax.py\n", nbgrader("causal_mask")), "causal_mask", id="metadata before comment"),
        pytest.param("# 03_softmax.py\nx = 1", "softmax", id="comment with file"),
        pytest.param("\n\n#03_softmax.py  \nx = 1", "softmax", id="comment after blank lines"),
        pytest.param("# exercises/01_soft_lookup/03_softmax.py\nx = 1", "softmax", id="comment with path"),
        pytest.param("# exercises\\01_soft_lookup\\03_softmax.py\nx = 1", "softmax", id="comment with Windows path"),
        pytest.param("# 03_softmax\nx = 1", "softmax", id="comment without ending"),
        pytest.param("# exercise: softmax\nx = 1", "softmax", id="comment with exercise"),
        pytest.param("## Exercise: `softmax`\nx = 1", "softmax", id="comment with quotes"),
        pytest.param("# debug_attn_weights\nclass MySelfAttention: ...", "debug_attn_weights", id="comment with id"),
        pytest.param("# 07_debug_attn_weights.py\nclass MySelfAttention: ...", "debug_attn_weights", id="of several"),
        pytest.param("%%kata softmax\nx = 1", "softmax", id="kata magic"),
        pytest.param("%%writefile exercises/01_soft_lookup/03_softmax.py\nx = 1", "softmax", id="writefile"),
        pytest.param("%%writefile -a softmax.py\nx = 1", "softmax", id="writefile appending"),
        pytest.param("def softmax(scores): ...", "softmax", id="function"),
        pytest.param("class CausalAttention(nn.Module): ...", "causal_attention", id="class with base"),
        pytest.param("class CausalAttention: ...", "causal_attention", id="class without base"),
        pytest.param("class ModelArgs: ...\nclass MultiHeadAttention: ...", "debug_model_args", id="two classes"),
        pytest.param("x = 1\n@torch.no_grad()\ndef softmax (s): ...\nprint(softmax(x))", "softmax", id="in the middle"),
        pytest.param('"""\nclass MySelfAttention: ...\n"""\ndef softmax(s): ...', "softmax", id="another one quoted"),
    ],
)
def test_cell_belongs_to_its_exercise(notebook: Notebook, course: Course, cell: Any, exercise: str) -> None:
    submission = read_submission(notebook("# notes", cell), course)
    assert list(submission.sources) == [exercise]
    assert submission.sources[exercise].name == "work.ipynb, cell 2"
    assert submission.name == "work"
    assert submission.problems == ()


@pytest.mark.parametrize(
    "cell",
    [
        pytest.param((SOFTMAX, nbgrader("softmax", grade=True, solution=False, locked=True)), id="test cell"),
        pytest.param((SOFTMAX, nbgrader("given", solution=False, locked=True)), id="the course's own cell"),
        pytest.param({"cell_type": "markdown", "metadata": nbgrader("softmax"), "source": SOFTMAX}, id="markdown"),
        pytest.param({"cell_type": "raw", "metadata": nbgrader("softmax"), "source": SOFTMAX}, id="raw"),
        pytest.param("%%bash\n" + SOFTMAX, id="shell"),
        pytest.param("%%writefile torch.py\n" + SOFTMAX, id="another file"),
        pytest.param("# softmax\nprint(1)", id="heading"),
        pytest.param("# softmax of the scores\nprint(1)", id="sentence"),
        pytest.param("# 03_unheard_of.py\nprint(1)", id="no exercise"),
        pytest.param("    def softmax(scores): ...", id="indented"),
        pytest.param("softmax = torch.softmax", id="not a definition"),
        pytest.param("def softmax_of(scores): ...", id="longer name"),
        pytest.param("class ModelArgs: ...", id="half of what is asked"),
        pytest.param('text = """\ndef softmax(scores): ...\n"""', id="quoted"),
        pytest.param("", id="empty"),
    ],
)
def test_cell_that_answers_nothing_is_left_out(notebook: Notebook, course: Course, cell: Any) -> None:
    submission = read_submission(notebook(cell), course)
    assert submission.sources == {}
    (problem,) = submission.problems
    assert (problem.kind, problem.file) == ("unknown", "work.ipynb")
    assert "put a comment like `# 03_softmax.py`" in problem.message


@pytest.mark.parametrize(
    ("cell", "ids", "file"),
    [
        pytest.param(
            "class MySelfAttention: ...", "self_attention or debug_attn_weights", "06_self_attention.py", id="one class"
        ),
        pytest.param(
            "class CausalAttention: ...\nclass MultiHeadAttentionWrapper: ...",
            "causal_attention or multi_head_wrapper",
            "07_causal_attention.py",
            id="one for each of two",
        ),
    ],
)
def test_cell_that_could_answer_several_is_not_guessed(
    notebook: Notebook, course: Course, cell: str, ids: str, file: str
) -> None:
    submission = read_submission(notebook(SOFTMAX, cell), course)
    assert list(submission.sources) == ["softmax"]
    (problem,) = submission.problems
    assert problem.kind == "duplicate"
    assert problem.message == f"Cell 2 of work.ipynb could be {ids}; say which in its first line, like `# {file}`."


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param(["# softmax.py\na", "# softmax.py\nb"], id="by comment"),
        pytest.param([("a", nbgrader("softmax")), ("b", nbgrader("softmax"))], id="by metadata"),
        pytest.param([("a", nbgrader("softmax")), "# softmax.py\nb"], id="by metadata and comment"),
        pytest.param([SOFTMAX, SOFTMAX + "#"], id="by definition"),
    ],
)
def test_different_cells_for_one_exercise_are_refused(notebook: Notebook, course: Course, cells: list[Any]) -> None:
    submission = read_submission(notebook(*cells), course)
    assert submission.sources == {}
    (problem,) = submission.problems
    assert (problem.kind, problem.exercise) == ("duplicate", "softmax")
    assert "work.ipynb, cell 1 and work.ipynb, cell 2 both answer softmax" in problem.message


@pytest.mark.parametrize("text", ["def softmax(s:\n    return", "async def softmax(\n", SOFTMAX + "#" * 33_000])
def test_function_is_found_in_what_is_not_parsed(notebook: Notebook, course: Course, text: str) -> None:
    assert read_submission(notebook("import torch", text), course).sources["softmax"].content.decode() == text


def test_same_cell_twice_is_taken_once(notebook: Notebook, course: Course) -> None:
    submission = read_submission(notebook("import torch", SOFTMAX, "print(1)", SOFTMAX), course)
    assert submission.sources["softmax"].name == "work.ipynb, cell 2"
    assert submission.problems == ()


def test_marked_cell_counts_before_attempts_beside_it(notebook: Notebook, course: Course) -> None:
    cells = ["def softmax(s): pass", ("def softmax(s): return s", nbgrader("softmax")), "def softmax(s): ..."]
    submission = read_submission(notebook(*cells), course)
    assert submission.sources["softmax"].content == b"def softmax(s): return s"
    assert submission.problems == ()


def test_cell_and_file_for_one_exercise_are_refused(notebook: Notebook, tmp_path: Path, course: Course) -> None:
    notebook(SOFTMAX)
    (tmp_path / "softmax.py").write_text("x = 1")
    (problem,) = read_submission(tmp_path, course).problems
    assert problem.kind == "duplicate"
    assert "softmax.py and work.ipynb, cell 1 both answer softmax" in problem.message


def test_cell_that_stands_alone_is_taken_to_the_byte(notebook: Notebook, course: Course) -> None:
    alone = "\n# 03_softmax.py\nimport torch\n\n\n" + SOFTMAX + "\n\n"
    submission = read_submission(notebook("import torch", "import math", alone), course)
    assert submission.sources["softmax"].content.decode() == alone


@pytest.mark.parametrize(
    ("earlier", "answer", "support"),
    [
        pytest.param(["import torch"], "def softmax(s): return torch.exp(s)", "import torch\n", id="import"),
        pytest.param(
            ["import torch\nimport seaborn as sns\n"],
            "def softmax(s): torch",
            "import torch\n",
            id="needed import only",
        ),
        pytest.param(
            ["import torch\ntorch.manual_seed(0)\nprint(torch)"],
            "def softmax(s): torch",
            "import torch\n",
            id="of a demo",
        ),
        pytest.param(["import torch; print(1)"], "def softmax(s): torch", "import torch\n", id="cut at semicolon"),
        pytest.param(
            ["import torch.nn.functional as F, math"],
            "def softmax(s): F",
            "import torch.nn.functional as F, math\n",
            id="import as",
        ),
        pytest.param(
            ["from torch import (\n    nn,\n    Tensor as T,\n)"],
            "def softmax(s: T): ...",
            "from torch import (\n    nn,\n    Tensor as T,\n)\n",
            id="import over lines",
        ),
        pytest.param(
            ["import torch"], "def softmax(s: dict[str, torch.Tensor]): ...", "import torch\n", id="annotation"
        ),
        pytest.param(["from math import *"], "def softmax(s): exp", "from math import *\n", id="star import"),
        pytest.param(
            ["import torch", "def shifted(s):\n\n    # so\n    return s - torch.max(s)\n"],
            "def softmax(s): return shifted(s)",
            "import torch\ndef shifted(s):\n\n    # so\n    return s - torch.max(s)\n",
            id="function with its import",
        ),
        pytest.param(
            ["def f(): g()\ndef g(): f()"], "def softmax(s): f()", "def f(): g()\ndef g(): f()\n", id="mutual functions"
        ),
        pytest.param(
            ["@decorated\nclass Base: ...", "def decorated(c): return c"],
            "class CausalAttention(Base): ...",
            "@decorated\nclass Base: ...\ndef decorated(c): return c\n",
            id="decorated class",
        ),
        pytest.param(
            ["D = 8\nE = [D * i for i in range(3)]"],
            "def softmax(s): E",
            "D = 8\nE = [D * i for i in range(3)]\n",
            id="constant",
        ),
        pytest.param(["D: int = 8  # heads"], "def softmax(s): D", "D: int = 8\n", id="constant without its comment"),
        pytest.param(["A = B = 1; print(A)"], "def softmax(s): B", "A = B = 1\n", id="two names"),
        pytest.param(
            ["def helper(): ...\nhelper()"], "def softmax(s): helper", "def helper(): ...\n", id="beside a demo"
        ),
        pytest.param(["D = 1", "D = 2"], "def softmax(s): D", "D = 1\nD = 2\n", id="last one wins"),
        pytest.param(
            ["class CausalAttention: ..."],
            "class MultiHeadAttentionWrapper(CausalAttention): ...",
            "class CausalAttention: ...\n",
            id="another answer",
        ),
        pytest.param(
            ["def helper(): ..."], 'def softmax(s): return f"{helper()}"', "def helper(): ...\n", id="f-string"
        ),
        pytest.param(
            ["from __future__ import annotations", "import torch"],
            "def softmax(s): torch",
            "from __future__ import annotations\nimport torch\n",
            id="future",
        ),
    ],
)
def test_what_an_answer_needs_of_earlier_cells_is_put_in_front(
    notebook: Notebook, course: Course, earlier: list[str], answer: str, support: str
) -> None:
    submission = read_submission(notebook(*earlier, answer), course)
    content = next(source.content for source in submission.sources.values() if answer in source.content.decode())
    assert content.decode() == support + answer


@pytest.mark.parametrize(
    "earlier",
    [
        pytest.param("weights = causal_mask(3)", id="computed by an unfinished function"),
        pytest.param("weights = elsewhere", id="from nowhere"),
        pytest.param("weights = open('data').read()", id="read from a file"),
        pytest.param("weights = !ls", id="from the shell"),
        pytest.param("for weights in range(3): print(weights)", id="loop"),
        pytest.param("print('weights')", id="print"),
        pytest.param("weights = 3\nprint(", id="syntax error"),
        pytest.param("weights = 3\n" + "#" * 33_000, id="too long to be parsed"),
        pytest.param("%%bash\nweights=3", id="another language"),
        pytest.param("'''\nweights = 3\n'''", id="quoted"),
        pytest.param("# weights = 3", id="comment"),
        pytest.param(("weights = 3", nbgrader("t", grade=True, solution=False)), id="test cell"),
    ],
)
def test_demonstrations_stay_out(notebook: Notebook, course: Course, earlier: Any) -> None:
    answer = "def softmax(s): return weights"
    submission = read_submission(notebook("def causal_mask(n): raise NotImplementedError", earlier, answer), course)
    assert submission.sources["softmax"].content.decode() == answer


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("def softmax(s, weights): return weights", id="parameter"),
        pytest.param("def softmax(s):\n    weights = s\n    return weights", id="variable"),
        pytest.param("def softmax(s): return s.weights", id="attribute"),
        pytest.param("def softmax(s): return s(weights=1)", id="keyword"),
        pytest.param("def softmax(s): return 'weights'", id="text"),
        pytest.param("def softmax(s): ...  # weights", id="comment"),
        pytest.param("weights = 1\ndef softmax(s): return weights", id="own constant"),
        pytest.param("def softmax(s): return [weights for weights in s]", id="loop"),
    ],
)
def test_own_names_of_an_answer_bring_nothing_along(notebook: Notebook, course: Course, answer: str) -> None:
    submission = read_submission(notebook("weights = 3", answer), course)
    assert submission.sources["softmax"].content.decode() == answer


def test_later_cells_bring_nothing_along(notebook: Notebook, course: Course) -> None:
    answer = "def softmax(s): return torch.exp(s)"
    assert read_submission(notebook(answer, "import torch"), course).sources["softmax"].content.decode() == answer


def test_own_future_import_comes_first(notebook: Notebook, course: Course) -> None:
    own = "# 03_softmax.py\nfrom __future__ import (\n    annotations,\n)\n"
    path = notebook("from __future__ import division\nimport torch", own + "def softmax(s): torch")
    content = read_submission(path, course).sources["softmax"].content.decode()
    assert content == f"from __future__ import division\n{own}import torch\ndef softmax(s): torch"
    compile(content, "made of a cell", "exec")


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        pytest.param("%matplotlib inline", "# %matplotlib inline", id="magic"),
        pytest.param("%%time", "# %%time", id="cell magic"),
        pytest.param("!pip install 'it", "# !pip install 'it", id="shell"),
        pytest.param("?torch.exp", "# ?torch.exp", id="help"),
        pytest.param("torch.exp??", "# torch.exp??", id="help behind"),
        pytest.param("files = !ls (", "# files = !ls (", id="assigned"),
        pytest.param("!pip \\\n  torch", "# !pip \\\n#   torch", id="over lines"),
        pytest.param("%time\na = 'b=%s' % 3", "# %time\na = 'b=%s' % 3", id="beside formatting"),
        pytest.param("%time\na = (7\n #so?\n % 4)", "# %time\na = (7\n #so?\n % 4)", id="beside a question"),
        pytest.param("if True:\n    %time x()", "if True:\n    pass  # %time x()", id="alone in a block"),
        pytest.param("a = (7\n% 4)", "a = (7\n% 4)", id="remainder in brackets"),
        pytest.param("a = 7 \\\n% 4", "a = 7 \\\n% 4", id="remainder after a backslash"),
        pytest.param("'''\n%time\n!ls\n'''", "'''\n%time\n!ls\n'''", id="quoted"),
        pytest.param("a = 1 != 2", "a = 1 != 2", id="not equal"),
    ],
)
def test_ipython_s_own_lines_are_commented_out(notebook: Notebook, course: Course, line: str, instead: str) -> None:
    content = read_submission(notebook(f"{line}\ndef softmax(s): ...\n"), course).sources["softmax"].content
    assert content.decode() == f"{instead}\ndef softmax(s): ...\n"
    compile(content, "made of a cell", "exec")


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        pytest.param(["def softmax(s):\n", "    return s"], "def softmax(s):\n    return s", id="list of lines"),
        pytest.param("def softmax(s):\r\n    return s\r", "def softmax(s):\n    return s\n", id="CRLF"),
        pytest.param("def softmax(s): return '注意力'", "def softmax(s): return '注意力'", id="Chinese"),
        pytest.param("def softmax(s): '\u2028'", "def softmax(s): '\u2028'", id="Unicode line separator"),
    ],
)
def test_text_of_a_cell(notebook: Notebook, course: Course, text: str | list[str], taken: str) -> None:
    path = notebook({"cell_type": "code", "metadata": {}, "source": text})
    assert read_submission(path, course).sources["softmax"].content.decode() == taken


def test_empty_answer_cell_is_a_source(notebook: Notebook, course: Course) -> None:
    assert read_submission(notebook(("", nbgrader("softmax"))), course).sources["softmax"].content == b""


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
