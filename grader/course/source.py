"""Reads a YAML file as plain data, with the line of each value."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import yaml

from .course_error import CourseError, quoted

Place = tuple[str | int, ...]
"""A path into the data: keys and indices from the outside in."""

_SAFE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml is about ten times faster


class _Loader(_SAFE):  # type: ignore[misc]
    """A loader for which dates are text, as their author wrote them."""

    yaml_implicit_resolvers: ClassVar[Any] = {
        first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
        for first, resolvers in _SAFE.yaml_implicit_resolvers.items()
    }


@dataclass
class Source:
    """The data of a file (mappings as dicts, lists as tuples), the line of each value, and what is wrong so far."""

    name: str
    data: Any = None
    lines: dict[Place, int] = field(default_factory=dict)
    problems: list[tuple[int, str]] = field(default_factory=list)

    def line(self, place: Place) -> int:
        """The line of `place`, or of its nearest parent."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)

    def report(self, place: Place, sentence: str) -> None:
        """Note a problem with the value at `place`."""
        self.problems.append((self.line(place), sentence))

    def error(self) -> CourseError:
        """The error that names every problem with its line."""
        lines = sorted(dict.fromkeys(self.problems), key=lambda problem: problem[0])
        return CourseError("\n".join(f"{self.name}:{line}: {sentence}" for line, sentence in lines))


def read_source(path: Path) -> Source:
    """Read a file. Raises CourseError when there is none, or it is not YAML."""
    try:
        loader = _Loader(path.read_text(encoding="utf-8-sig"))
        source = Source(path.name)
        if (node := loader.get_single_node()) is not None:
            source.data = _value(source, loader, node, ())
        return source
    except FileNotFoundError:
        raise CourseError(f"{path.name}: there is no such file in {path.absolute().parent}") from None
    except OSError as error:
        raise CourseError(f"{path.name}: this file cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise CourseError(f"{path.name}:{line}: this is not text in UTF-8: save the file as UTF-8") from None
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        raise CourseError(f"{path.name}:{_not_yaml(error)}") from None


def _value(source: Source, loader: Any, node: Any, place: Place) -> Any:
    """The data of a node; notes the lines of everything in it, and reports keys that count for nothing."""
    source.lines.setdefault(place, node.start_mark.line + 1)
    if isinstance(node, yaml.SequenceNode):
        return tuple(_value(source, loader, item, (*place, index)) for index, item in enumerate(node.value))
    if not isinstance(node, yaml.MappingNode):
        return loader.construct_object(node)
    values: dict[str, Any] = {}
    for key, item in node.value:
        line, inside = key.start_mark.line + 1, (*place, key.value)
        if not isinstance(key, yaml.ScalarNode):
            source.problems.append((line, "a key must be text"))
        elif key.value in values:
            first = source.line(inside)
            source.problems.append((line, f"{quoted(key.value)} is given twice (first on line {first})"))
        else:
            source.lines[inside] = line
            values[key.value] = _value(source, loader, item, inside)
    return values


def _not_yaml(error: Exception) -> str:
    """The line and the sentence for what PyYAML raises: "12: this is not YAML: ..."."""
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return f"1: this is not YAML: {getattr(error, 'reason', 'it cannot be read')}"
    sentence = f"{mark.line + 1}: this is not YAML: {getattr(error, 'problem', None)}"
    began = getattr(error, "context_mark", None)
    return sentence + (f", {error.context} that begins on line {began.line + 1}" if began else "")  # type: ignore[attr-defined]
