from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.course import Course, load_course


@pytest.fixture(scope="session")
def course() -> Course:
    """That of small.yml."""
    return load_course(Path(__file__).with_name("small.yml"))


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The folder that one learner hands in."""
    folder = tmp_path / "alice"
    folder.mkdir()
    return folder


@pytest.fixture
def write(work: Path) -> Callable[..., Path]:
    """Writes a file below the learner's folder and returns its path."""

    def write_file(name: str, content: str | bytes = "def softmax(scores, dim=-1): ...\n") -> Path:
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


@pytest.fixture
def notebook(tmp_path: Path) -> Callable[..., Path]:
    """Writes a notebook; a cell is its text, or a whole cell."""

    def write_notebook(*cells: str | dict[str, Any]) -> Path:
        path = tmp_path / "work.ipynb"
        whole = [{"cell_type": "code", "source": each} if isinstance(each, str) else each for each in cells]
        path.write_text(json.dumps({"cells": whole, "metadata": {}, "nbformat": 4}))
        return path

    return write_notebook


@pytest.fixture
def ordinary_user() -> Iterator[Path]:
    """A folder of an ordinary user's, and the test in that user's shoes: root reads everything."""
    folder = Path(tempfile.mkdtemp())
    is_root = os.geteuid() == 0
    if is_root:
        os.chown(folder, 65534, 65534)
        os.seteuid(65534)
    try:
        yield folder
    finally:
        if is_root:
            os.seteuid(0)
        for path in folder.iterdir():
            path.chmod(0o700)  # or else an ordinary user could not take it away
        shutil.rmtree(folder)
