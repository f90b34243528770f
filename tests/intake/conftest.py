from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.course import Course, Document, Exercise, Limits, Unit

UNITS: dict[str, list[tuple[int, str, tuple[str, ...]]]] = {
    "01_soft_lookup": [(3, "softmax", ("softmax",))],
    "02_self_attention": [
        (6, "self_attention", ("MySelfAttention",)),
        (7, "debug_attn_weights", ("MySelfAttention",)),
    ],
    "03_masks_and_dropout": [(1, "causal_mask", ("causal_mask",)), (7, "causal_attention", ("CausalAttention",))],
    "04_multi_head": [
        (1, "multi_head_wrapper", ("MultiHeadAttentionWrapper",)),
        (5, "multi_head_attention", ("MultiHeadAttention",)),
        (8, "debug_model_args", ("ModelArgs", "MultiHeadAttention")),
    ],
}
"""With the names that make trouble: one class for two exercises, two classes for one."""


@pytest.fixture(scope="session")
def course() -> Course:
    """Small; a source of causal_mask may have 1 kB."""
    units = []
    for folder, listed in UNITS.items():
        exercises = tuple(
            Exercise(
                id=id,
                number=number,
                unit=folder,
                kind="implement",
                title=id,
                points=4.0,
                document="day-5",
                step="step",
                entry_points=entry_points,
                limits=Limits(source_kb=1 if id == "causal_mask" else 1024),
                hints=("look", "look closer", "write it"),
            )
            for number, id, entry_points in listed
        )
        units.append(Unit(folder=folder, title=folder, exercises=exercises))
    documents = {"day-5": Document(title="Day 5", author="someone", language="en")}
    return Course(title="Small", version="1", documents=documents, units=tuple(units), root=Path("course"))


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
