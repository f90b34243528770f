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


def _exercise(id: str, number: int, unit: str, *entry_points: str, source_kb: int = 1024) -> Exercise:
    return Exercise(
        id=id,
        number=number,
        unit=unit,
        kind="implement",
        title=id,
        points=4.0,
        document="day-5",
        step="step",
        entry_points=entry_points,
        limits=Limits(source_kb=source_kb),
        hints=("look", "look closer", "write it"),
    )


@pytest.fixture(scope="session")
def course() -> Course:
    """Small, with the names that make trouble: one class for two exercises, two classes for one."""
    lookup = [_exercise("softmax", 3, "01_soft_lookup", "softmax")]
    attention = [
        _exercise("self_attention", 6, "02_self_attention", "MySelfAttention"),
        _exercise("debug_attn_weights", 7, "02_self_attention", "MySelfAttention"),
    ]
    masks = [
        _exercise("causal_mask", 1, "03_masks_and_dropout", "causal_mask", source_kb=1),
        _exercise("causal_attention", 7, "03_masks_and_dropout", "CausalAttention"),
    ]
    heads = [
        _exercise("multi_head_wrapper", 1, "04_multi_head", "MultiHeadAttentionWrapper"),
        _exercise("multi_head_attention", 5, "04_multi_head", "MultiHeadAttention"),
        _exercise("debug_model_args", 8, "04_multi_head", "ModelArgs", "MultiHeadAttention"),
    ]
    return Course(
        title="Small",
        version="1",
        documents={"day-5": Document(title="Day 5", author="someone", language="en")},
        units=(
            Unit(folder="01_soft_lookup", title="Lookup", exercises=tuple(lookup)),
            Unit(folder="02_self_attention", title="Attention", exercises=tuple(attention)),
            Unit(folder="03_masks_and_dropout", title="Masks", exercises=tuple(masks)),
            Unit(folder="04_multi_head", title="Heads", exercises=tuple(heads)),
        ),
        root=Path("course"),
    )


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
    """Writes a notebook; a cell is its text, or its text with metadata, or a whole cell."""

    def write_notebook(*cells: str | tuple[str, dict[str, Any]] | dict[str, Any], name: str = "work.ipynb") -> Path:
        path = tmp_path / name
        path.write_text(json.dumps({"cells": [_cell(cell) for cell in cells], "metadata": {}, "nbformat": 4}))
        return path

    return write_notebook


def _cell(cell: str | tuple[str, dict[str, Any]] | dict[str, Any]) -> dict[str, Any]:
    if isinstance(cell, dict):
        return cell
    text, metadata = cell if isinstance(cell, tuple) else (cell, {})
    return {"cell_type": "code", "metadata": metadata, "source": text, "outputs": [], "execution_count": None}


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
