"""A learner's notebook, as the intake reads it."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from grader.intake import SubmissionError, read_submission
from tests.fuzz.damage import damaged_json
from tests.fuzz.sound import assert_sentence, assert_sound
from tests.fuzz.targets.archive import COURSE
from tests.fuzz.watching import scratch

CELLS = (
    "import torch\nfrom torch import nn\n",
    "def softmax(scores, dim=-1):\n    return helper(scores).softmax(dim)\n",
    "def helper(x):\n    return x * SCALE\n",
    "SCALE = 2.0\n",
    "%%kata softmax\nx = 1\n",
    "%%writefile softmax.py\nx = 1\n",
    "# 03_softmax.py\ndef softmax(s): ...\n",
    "## exercise: `causal_mask`\n",
    "class MySelfAttention(nn.Module):\n    '''\n    def forward(\n'''\n",
    "from __future__ import annotations\nx: Nothing = 1; y = '''\\''' \"\n",
    "!ls\n%time x\nx?\ny = !pwd\n",
    "@decorated\n@twice(\n)\ndef softmax(\n",
    "from torch import *\n" + "x = (" * 50,
    "f'{softmax}' \\\n\\\r\n  # nothing",
    "",
)
METADATA: tuple[dict[str, Any], ...] = (
    {},
    {"nbgrader": {"grade_id": "softmax", "grade": False, "solution": True, "locked": False}},
    {"nbgrader": {"grade_id": "test-softmax", "grade": True, "solution": False, "locked": True}},
    {"nbgrader": {"grade_id": "causal-mask", "grade": True, "solution": True}},
    {"kata": {"exercise": "softmax"}},
    {"kata": {"exercise": "softmax", "file": "softmax.py"}},
    {"kata": {"exercise": ["softmax"], "file": "softmax.py"}},
    {"kata": 3, "nbgrader": []},
)


def run(data: bytes) -> None:
    """A notebook gives a sound submission, the same when it is read again, or one sentence."""
    folder = scratch()
    path = folder / "work.ipynb"
    path.write_bytes(data)
    told = []
    for _ in range(2):
        try:
            submission = read_submission(path, COURSE)
        except SubmissionError as error:
            assert_sentence(str(error))
            told.append(repr(str(error)))
        else:
            assert_sound(submission, COURSE)
            told.append(repr(submission))
    assert told[0] == told[1]
    assert os.listdir(folder) == ["work.ipynb"]


def inputs() -> SearchStrategy[bytes]:
    """Notebooks of both formats, whole and damaged."""
    return damaged_json(notebooks())


def notebooks() -> SearchStrategy[Any]:
    """The JSON of a notebook, with carried problems now and then."""
    return st.builds(_notebook, st.lists(_cells(), max_size=5), st.sampled_from((3, 4, 4, 4)), _carried())


def _cells() -> SearchStrategy[Any]:
    texts = st.sampled_from(CELLS) | st.lists(st.sampled_from(CELLS), max_size=3).map("".join) | st.text(max_size=20)
    sources = texts | texts.map(lambda text: text.splitlines(keepends=True))
    return st.fixed_dictionaries(
        {
            "cell_type": st.sampled_from(("code", "code", "code", "markdown", "raw")),
            "source": sources,
            "metadata": st.sampled_from(METADATA),
        }
    )


def _carried() -> SearchStrategy[Any]:
    rows = st.tuples(
        st.sampled_from(("softmax.py", "\x1b[0m", "")),
        st.sampled_from(("unreadable", "refused", "passed")),
        st.sampled_from(("softmax.py is damaged.", "Told at hand-in: x", "\u202e" * 700, "")),
        st.sampled_from((None, "softmax", "nothing", 3)),
    )
    return st.lists(rows.map(list), max_size=3)


def _notebook(cells: list[Any], format: int, carried: list[Any]) -> Any:
    metadata = {"kata": {"problems": carried}} if carried else {}
    if format == 4:
        return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    old = [{"cell_type": each["cell_type"], "input": each["source"], "metadata": each["metadata"]} for each in cells]
    return {"worksheets": [{"cells": old}], "metadata": metadata, "nbformat": 3, "nbformat_minor": 0}
