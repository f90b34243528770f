from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import Course
from grader.intake import LooseFile, SubmissionError, read_loose_files, read_submission

Write = Callable[..., Path]


@pytest.mark.parametrize(
    ("name", "content", "exercise"),
    [
        pytest.param("03_softmax.py", "", "softmax", id="by name"),
        pytest.param("softmax.py", "def causal_mask(n): ...\n", "softmax", id="name before content"),
        pytest.param("bob.py", "def softmax(scores, dim=-1): ...\n", "softmax", id="by definition"),
        pytest.param("bob.py", "# 07_debug_attn_weights.py\n", "debug_attn_weights", id="by first line"),
        pytest.param("bob.py", "\n# exercise: softmax\n", "softmax", id="by first line after a blank"),
        pytest.param("bob.py", "\ufeff# softmax.py\n", "softmax", id="by first line after a mark"),
        pytest.param("bob.py", "def softmax(x): ...\r\n", "softmax", id="CRLF"),
    ],
)
def test_one_file_is_a_submission(write: Write, course: Course, name: str, content: str, exercise: str) -> None:
    submission = read_submission(write(name, content), course)
    assert list(submission.sources) == [exercise]
    assert submission.sources[exercise].content == content.lstrip("\ufeff").encode()
    assert submission.name == name.removesuffix(".py")
    assert submission.problems == ()


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        pytest.param("bob.py", "x = 1\n", "bob.py answers no exercise; name it like 03_softmax.py.", id="nothing"),
        pytest.param("bob.py", "", "bob.py answers no exercise; name it like 03_softmax.py.", id="empty"),
        pytest.param(
            "bob.py",
            "class MySelfAttention: ...\n",
            "bob.py could be self_attention or debug_attn_weights; "
            "say which in its first line, like `# 06_self_attention.py`.",
            id="ambiguous",
        ),
        pytest.param("bob.py", "def softmax(): ...\n# \0\n", "bob.py contains a NUL", id="no source"),
        pytest.param("bob.txt", "", "bob.txt is not a folder, a .py file, a .zip or a notebook", id="another kind"),
        pytest.param("bob.tar.gz", "", "bob.tar.gz is packed in a way that is not read here; hand in a zip.", id="tar"),
        pytest.param("bob.rar", "", "bob.rar is packed in a way that is not read here; hand in a zip.", id="rar"),
    ],
)
def test_file_that_is_no_submission_is_one_sentence(
    write: Write, course: Course, name: str, content: str, sentence: str
) -> None:
    with pytest.raises(SubmissionError) as error:
        read_submission(write(name, content), course)
    assert str(error.value).startswith(sentence)


def test_named_file_that_cannot_be_read_is_a_problem_of_its_exercise(write: Write, course: Course) -> None:
    submission = read_submission(write("softmax.py", b"\xff"), course)
    assert submission.sources == {}
    assert [(problem.kind, problem.exercise) for problem in submission.problems] == [("unreadable", "softmax")]


@pytest.mark.parametrize("name", ["gone", "gone.py", "gone.zip", "gone.ipynb"])
def test_missing_path_is_one_sentence(tmp_path: Path, course: Course, name: str) -> None:
    with pytest.raises(SubmissionError, match=rf"^{name} does not exist\.$"):
        read_submission(tmp_path / name, course)


@pytest.mark.parametrize("name", ["link", "link.py", "link.zip", "link.ipynb"])
def test_link_is_no_submission(write: Write, tmp_path: Path, course: Course, name: str) -> None:
    write("softmax.py")
    (tmp_path / name).symlink_to(tmp_path / "alice" if name == "link" else tmp_path / "alice" / "softmax.py")
    with pytest.raises(SubmissionError, match=rf"^{name} is a link; hand in the file itself\.$"):
        read_submission(tmp_path / name, course)


@pytest.mark.parametrize("name", ["softmax.py", "bob.py", "bob.zip", "bob.ipynb"])
def test_pipe_is_no_submission(tmp_path: Path, course: Course, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(SubmissionError, match="is not an ordinary file"):
        read_submission(tmp_path / name, course)


@pytest.mark.parametrize(
    "path",
    [pytest.param("a\0b.py", id="NUL"), pytest.param("x" * 5000 + ".py", id="endless")],
)
def test_unusable_path_is_one_sentence(course: Course, path: str) -> None:
    with pytest.raises(SubmissionError) as error:
        read_submission(Path(path), course)
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 250


def test_lone_file_goes_by_what_it_defines_and_only_then_by_its_name(tmp_path: Path, course: Course) -> None:
    (tmp_path / "Softmax.py").write_text("def causal_mask(n): ...\n")
    assert list(read_submission(tmp_path / "Softmax.py", course).sources) == ["causal_mask"]
    (tmp_path / "byronada_5_77_softmax-1.py").write_text("x = 1\n")
    part = LooseFile(tmp_path / "byronada_5_77_softmax-1.py", "softmax-1.py")
    assert list(read_loose_files([part], course).sources) == ["softmax"]
