"""The bundle's course.yml: what the course's own says, as data, so that an author's comments stay at home."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import yaml

from grader.course.model import BUNDLE_FORMAT
from grader.course.part import WIDTH, part_of_catalogue, plain_catalogue

HEAD = "# A learner's bundle, made by `kata release`: the course without its answers.\n"


def bundle_catalogue(path: Path, *, all_checks: bool, folders: Collection[str]) -> bytes:
    """The course.yml for the bundle of the course at `path`, which has been loaded and is in order.

    folders: of the units that the bundle is to hold.
    """
    data = part_of_catalogue(plain_catalogue(path), folders)
    told = {"bundle": BUNDLE_FORMAT, **({} if all_checks else {"bundle_checks": "visible"})}
    text = yaml.safe_dump({**data, **told}, sort_keys=False, allow_unicode=True, width=WIDTH, default_flow_style=False)
    return (HEAD + text).encode("utf-8")
