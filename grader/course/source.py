"""Reads course.yml as plain data with line numbers; a YAML error becomes one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from .errors import CourseError, Place, name_of, quoted

MAX_BYTES = 1_000_000
MAX_DEPTH = 20


@dataclass(frozen=True)
class Problem:
    """One error, and its line."""

    line: int
    sentence: str


@dataclass
class Source:
    """The file's data (mappings as dicts, lists as tuples), and the line of each value."""

    data: Any = None
    lines: dict[Place, int] = field(default_factory=dict)
    invalid: set[Place] = field(default_factory=set)  # already reported: suppress further errors about these
    problems: list[Problem] = field(default_factory=list)

    def line(self, place: Place) -> int:
        """The line of `place`, or of its nearest parent."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)

    def report(self, place: Place, sentence: str) -> None:
        self.problems.append(Problem(self.line(place), sentence))

    def report_invalid(self, place: Place, sentence: str) -> None:
        self.report(place, sentence)
        self.invalid.add(place)

    def is_invalid(self, place: Place) -> bool:
        return any(place[:length] in self.invalid for length in range(len(place) + 1))


class Unreadable(Exception):
    """The file cannot be read beyond this problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.sentence)
        self.problem = problem


# libyaml is about ten times faster; its error messages are never shown
_FAST: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RESOLVER: Any = yaml.resolver.Resolver()
_CONSTRUCTOR = yaml.constructor.SafeConstructor()
_TAG = "tag:yaml.org,2002:"
_PLAIN_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,15})")


class _Reader:
    """Turns the parser's events into a Source; aliases are refused, so the data is no larger than the file."""

    def __init__(self, text: str, loader: Any) -> None:
        self.source = Source()
        self.quoted: yaml.ScalarEvent | None = None  # the last quoted text
        self._events: Iterator[Any] = iter(yaml.parse(text, Loader=loader))

    def read(self) -> Source:
        """Read the stream's only document. Raises Unreadable, or yaml.YAMLError for bad syntax."""
        next(self._events)  # the stream's start
        if isinstance(next(self._events), yaml.DocumentStartEvent):
            self.source.data = self._value((), next(self._events), 0)
            next(self._events)  # the document's end
            after = next(self._events)
            if isinstance(after, yaml.DocumentStartEvent):
                sentence = "a second document begins here (`---`): the file may hold only one"
                raise Unreadable(Problem(_line(after), sentence))
        return self.source

    def _value(self, place: Place, event: Any, depth: int) -> Any:
        self.source.lines.setdefault(place, _line(event))
        if depth > MAX_DEPTH:
            sentence = f"this is nested more than {MAX_DEPTH} levels deep"
            raise Unreadable(Problem(_line(event), sentence))
        if isinstance(event, yaml.AliasEvent):
            sentence = f"the alias {quoted(f'*{event.anchor}')} is not allowed here: write its value out"
            return self.source.report_invalid(place, sentence)
        if event.tag is not None:
            tag = event.tag.replace(_TAG, "!!")
            self.source.report_invalid(place, f"the tag {quoted(tag)} is not allowed here: leave it out")
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(place, depth)
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(place, depth)
        return self._scalar(place, event)

    def _sequence(self, place: Place, depth: int) -> tuple[Any, ...]:
        values: list[Any] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            values.append(self._value((*place, len(values)), event, depth + 1))
        return tuple(values)

    def _mapping(self, place: Place, depth: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            line = _line(event)
            key = self._key(place, event, depth)
            inside: Place = (*place, key)
            if key in values:
                first = self.source.line(inside)
                sentence = f"{quoted(key)} is given twice (first on line {first})"
                self.source.problems.append(Problem(line, sentence))
                inside = (*place, "again", line, key)
            self.source.lines[inside] = line
            value = self._value(inside, next(self._events), depth + 1)
            values.setdefault(key, value)
        return values

    def _key(self, place: Place, event: Any, depth: int) -> str:
        """The key, or a stand-in for an unusable one, whose further errors are suppressed."""
        if isinstance(event, yaml.ScalarEvent):
            if not _is_text(event.value):
                sentence = "this key holds an escape that stands for no character"
            elif event.tag is None and _kind_of(event) not in ("null", "bool", "int", "float"):
                return event.value
            elif event.value:
                sentence = f"the key {quoted(event.value)} must be text: put it in quotes"
            else:
                sentence = "there is no key before the `:`"
        else:
            self._value((*place, "a key"), event, depth + 1)
            sentence = "a key must be text, not something with parts or an alias"
        self.source.problems.append(Problem(_line(event), sentence))
        stand_in = f"the key on line {_line(event)}, column {event.start_mark.column}"
        self.source.invalid.add((*place, stand_in))
        return stand_in

    def _scalar(self, place: Place, event: Any) -> Any:
        text: str = event.value
        if event.style in ("'", '"'):
            self.quoted = event
        if not _is_text(text):
            return self.source.report_invalid(place, f"{name_of(place)} holds an escape that stands for no character")
        kind = _kind_of(event)
        if kind == "null":
            return None
        if kind == "bool":
            return _CONSTRUCTOR.construct_yaml_bool(yaml.ScalarNode(kind, text))
        if kind not in ("int", "float"):
            return text
        # In YAML 010 is 8 and 1:30 is 90: surely not what was meant.
        if "_" in text or ":" in text or (kind == "int" and not _PLAIN_INTEGER.fullmatch(text)):
            sentence = f"{name_of(place)} must be a plain decimal number, not {quoted(text)}"
            return self.source.report_invalid(place, sentence)
        return int(text) if kind == "int" else _CONSTRUCTOR.construct_yaml_float(yaml.ScalarNode(kind, text))


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _kind_of(scalar: Any) -> str:
    """The type that YAML resolves the scalar to: "str", "int", "null" ..."""
    return str(_RESOLVER.resolve(yaml.ScalarNode, scalar.value, scalar.implicit)).removeprefix(_TAG)


def _is_text(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


_NO_YAML = "this is not YAML: something is missing or too much here or just before"


@dataclass(frozen=True)
class _Syntax:
    """A pattern for PyYAML's message, and the sentence for a course's author."""

    says: str
    means: str
    at_beginning: bool = False  # the mistake is where the construct begins, not where PyYAML noticed it


_SYNTAX = (
    _Syntax(r"found character '\\t'", "a tab is not allowed here: indent with spaces"),
    _Syntax(r"found character '(.)' that cannot start", "a value may not begin with `{0}`: put it in quotes"),
    _Syntax(
        "mapping values are not allowed",
        "a `:` is not allowed here: put the text in quotes, or mend the indentation",
    ),
    _Syntax("could not find expected ':'", "this line is not of the form `key: value`", at_beginning=True),
    _Syntax(r"expected ',' or ']'", "the list that opens here with `[` is not closed", at_beginning=True),
    _Syntax(r"expected ',' or '}'", "the mapping that opens here with `{{` is not closed", at_beginning=True),
    _Syntax(
        "unexpected (?:end of stream|document separator)",
        "the quote that opens here is not closed",
        at_beginning=True,
    ),
    _Syntax(
        "unknown escape character|expected escape sequence",
        "a backslash does not belong in double quotes: use single quotes",
    ),
    _Syntax("node content, but found '(.)'", "a value is missing before this `{0}`"),
    _Syntax("Unicode character escape", "this escape stands for no character"),
    _Syntax("expected alphabetic or numeric", "a value may not begin with `*` or `&`: put it in quotes"),
    _Syntax("expected a comment or a line break", "text after `|` or `>` must begin on the next line"),
    _Syntax(
        "expected (?:<block end>|'<document start>')",
        "this does not fit the lines above: mend the indentation, or the quotes",
    ),
)


def _syntax_problem(error: yaml.YAMLError) -> Problem:
    """Translate PyYAML's error into one sentence."""
    noticed = getattr(error, "problem_mark", None)
    began = getattr(error, "context_mark", None) or noticed
    for syntax in _SYNTAX:
        if found := re.search(syntax.says, getattr(error, "problem", None) or ""):
            mark = began if syntax.at_beginning else noticed
            return Problem(mark.line + 1 if mark else 1, syntax.means.format(*found.groups()))
    return Problem(noticed.line + 1 if noticed else 1, _NO_YAML)


def read_source(text: str) -> Source:
    """Parse the text. Raises Unreadable when it is not YAML."""
    problem = Problem(1, _NO_YAML)
    for loader in (_FAST, yaml.SafeLoader):
        reader = _Reader(text, loader)
        try:
            return reader.read()
        except yaml.YAMLError as error:
            problem = _unclosed_quote(reader.quoted, error) or _syntax_problem(error)
        except (ValueError, OverflowError):
            # PyYAML itself fails at an absurd number in an escape or directive; libyaml has already located it
            pass
    raise Unreadable(problem)


def _unclosed_quote(quoted: yaml.ScalarEvent | None, error: yaml.YAMLError) -> Problem | None:
    """An open quote swallows text up to the next quote, and PyYAML notices only there: report where it opened."""
    noticed = getattr(error, "problem_mark", None)
    if quoted is None or noticed is None:
        return None
    begins, ends = quoted.start_mark, quoted.end_mark
    if begins is None or ends is None or begins.line == ends.line or ends.line != noticed.line:
        return None
    return Problem(begins.line + 1, f"the quote that opens here is not closed before line {ends.line + 1}")


def read_bytes(path: Path) -> bytes:
    """Read the file. Raises CourseError when that fails or it is too large."""
    try:
        if path.is_dir():
            raise CourseError(f"{path.name}: this is a folder, not a file")
        if path.exists() and not path.is_file():
            raise CourseError(f"{path.name}: this is not an ordinary file")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise CourseError(f"{path.name}: there is no such file in {path.absolute().parent}") from None
    except OSError as error:
        raise CourseError(f"{path.name}: the file cannot be read ({error.strerror})") from None
    if len(content) > MAX_BYTES:
        raise CourseError(f"{path.name}: the file is larger than {MAX_BYTES // 1_000_000} MB")
    return content


def decoded(content: bytes) -> str:
    """Decode the content. Raises Unreadable when it is not plain UTF-8."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Unreadable(Problem(line, "this is not text in UTF-8: save the file as UTF-8")) from None
    if found := yaml.reader.Reader.NON_PRINTABLE.search(text):
        line = text.count("\n", 0, found.start()) + 1
        sentence = f"the character U+{ord(found.group()):04X} does not belong in a text file: take it out"
        raise Unreadable(Problem(line, sentence))
    return text
