"""Tables of cases, in a YAML file beside the tests: a row is a test, and its name the test's id.

In a table `!times [x, 3]` is xxx, `!join [x, y]` xy, of lists too, and `!bytes "..."` bytes, a letter each. Dates are texts.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml


class _Loader(yaml.SafeLoader):
    """YAML with these tags."""


def _times(loader: _Loader, node: yaml.SequenceNode) -> Any:
    what, number = loader.construct_sequence(node, deep=True)
    return what * number


def _join(loader: _Loader, node: yaml.SequenceNode) -> Any:
    return functools.reduce(operator.add, loader.construct_sequence(node, deep=True))


_Loader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in known if not tag.endswith(":timestamp")]
    for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_constructor("!times", _times)
_Loader.add_constructor("!join", _join)
_Loader.add_constructor("!bytes", lambda loader, node: loader.construct_scalar(node).encode("latin-1"))


def table(beside: str, name: str) -> Any:
    """What a YAML file beside a test module holds."""
    return yaml.load(Path(beside).with_name(name).read_text("utf-8"), _Loader)


def rows(cases: Mapping[str, Any], *columns: str) -> pytest.MarkDecorator:
    """Runs a test with each row as `case`, or as its columns: a list has them in order, of a mapping some may lack."""
    if len(columns) < 2:
        return pytest.mark.parametrize(columns[0] if columns else "case", cases.values(), ids=cases)
    values = [[row.get(each) for each in columns] if isinstance(row, dict) else row for row in cases.values()]
    return pytest.mark.parametrize(columns, values, ids=cases)
