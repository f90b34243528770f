"""The bundle's course.yml: what the course's own says, as data, so that an author's comments stay at home."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from grader.course.model import BUNDLE_FORMAT
from grader.course.source import decoded, read_bytes, read_source

HEAD = "# A learner's bundle, made by `kata release`: the course without its answers.\n"
WIDTH = 120


def bundle_catalogue(path: Path, *, all_checks: bool) -> bytes:
    """The course.yml for the bundle of the course at `path`, which has been loaded and is in order."""
    data = _plain(read_source(decoded(read_bytes(path))).data)
    told = {"bundle": BUNDLE_FORMAT, **({} if all_checks else {"bundle_checks": "visible"})}
    text = yaml.safe_dump({**data, **told}, sort_keys=False, allow_unicode=True, width=WIDTH, default_flow_style=False)
    return (HEAD + text).encode("utf-8")


def _plain(value: Any) -> Any:
    """With lists for tuples, which plain YAML does not know."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
