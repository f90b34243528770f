"""The catalogue: course.yml read into a Course, or refused with every error at once, each with its line."""

from __future__ import annotations

import difflib
import itertools
import keyword
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError, model_validator

FILE_NAME = "course.yml"
MAX_BYTES = 1_000_000
MAX_DEPTH = 20
MAX_POINTS = 1000
MAX_LIMIT = 1_000_000


class CourseError(Exception):
    """The course cannot be used as asked; the text is for people, one problem a line."""


# --- The model ----------------------------------------------------------------------------------------------


def _must(holds: Callable[[Any], bool], demand: str) -> AfterValidator:
    """A validator that says `demand` ("must not be blank") of a value for which `holds` is false."""

    def validate(value: Any) -> Any:
        if not holds(value):
            raise ValueError(demand)
        return value

    return AfterValidator(validate)


def _is_name(text: str) -> bool:
    return text.isascii() and text.isidentifier() and not keyword.iskeyword(text)


def _is_within(least: float, most: float) -> Callable[[float], bool]:
    return lambda number: least <= number <= most


def _is_positive_within(most: float) -> Callable[[float], bool]:
    return lambda number: 0 < number <= most


_not_blank = _must(lambda text: bool(text.strip()), "must not be blank")
_is_limit = _must(_is_positive_within(MAX_LIMIT), f"must be more than 0 and at most {MAX_LIMIT}")

Text = Annotated[str, _not_blank]
Title = Annotated[str, _not_blank, _must(str.isprintable, "must be one line of ordinary text")]
Identifier = Annotated[
    str,
    _must(
        lambda text: len(text) <= 60 and bool(re.fullmatch(r"[a-z][a-z0-9_]*", text)),
        "must be small letters, digits and `_`, begin with a letter, and be at most 60 long",
    ),
]
Folder = Annotated[
    str,
    _must(
        lambda text: len(text) <= 60 and bool(re.fullmatch(r"[0-9]{2}_[a-z][a-z0-9_]*", text)),
        "must be two digits, `_` and small letters, such as `01_soft_lookup`",
    ),
]
Number = Annotated[int, _must(_is_within(1, 99), "must be from 1 to 99")]
Points = Annotated[float, _must(_is_positive_within(MAX_POINTS), f"must be more than 0 and at most {MAX_POINTS}")]
Cost = Annotated[float, _must(_is_within(0, MAX_POINTS), f"must be from 0 to {MAX_POINTS}")]
Amount = Annotated[float, _is_limit]
Count = Annotated[int, _is_limit]
PythonName = Annotated[str, _must(_is_name, "must be a Python name")]
OperatorName = Annotated[
    str,
    _must(
        lambda text: bool(re.fullmatch(r"[a-z_]\w*::\w+", text, re.ASCII)),
        "must be a torch operator such as `aten::_softmax`",
    ),
]


class _Model(BaseModel):
    # Strict, as a course that says `points: "5"` has a mistake in it that nobody should have to guess at.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Limits(_Model):
    """What one exercise of a learner's may use up."""

    request_seconds: Amount = 5.0
    seconds: Amount = 12.0
    cpu_seconds: Count = 20
    memory_mb: Count = 2048
    output_kb: Count = 64
    source_kb: Count = 1024
    reply_mb: Count = 64


class Forbidden(_Model):
    """The library calls an exercise refuses, because they are what it asks for."""

    calls: tuple[PythonName, ...] = ()
    operators: tuple[OperatorName, ...] = ()
    reason: Text

    @model_validator(mode="after")
    def _forbids_something(self) -> Forbidden:
        if not self.calls and not self.operators:
            raise ValueError("must name `calls` or `operators`")
        return self


class Document(_Model):
    """A text the course mirrors."""

    title: Title
    author: Title
    language: Title


class Exercise(_Model):
    """One exercise; `unit` is filled in by the loader, and `limits` completed with the course's."""

    id: Identifier
    number: Number
    unit: Folder
    kind: Literal["implement", "debug"]
    title: Title
    points: Points
    requires: tuple[str, ...] = ()
    document: str
    step: Title
    entry_points: Annotated[tuple[PythonName, ...], _must(bool, "must name at least one entry point")]
    forbidden: Forbidden | None = None
    limits: Limits = Limits()
    hints: Annotated[
        tuple[Text, ...],
        _must(lambda hints: len(hints) == 3, "must be exactly three, from vague to almost-code"),
    ]

    @property
    def stem(self) -> str:
        """The file's name without its ending: `03_softmax`."""
        return f"{self.number:02d}_{self.id}"

    @property
    def file_name(self) -> str:
        """The learner's file: `03_softmax.py`."""
        return f"{self.stem}.py"

    @property
    def relative_path(self) -> str:
        """The file within exercises/ and each of its mirrors: `01_soft_lookup/03_softmax.py`."""
        return f"{self.unit}/{self.file_name}"


class Unit(_Model):
    """A folder of exercises with a lesson."""

    folder: Folder
    title: Title
    extra_credit: bool = False
    exercises: Annotated[tuple[Exercise, ...], _must(bool, "must hold at least one exercise")]


class Policy(_Model):
    """What the instructor decides about marks."""

    hints_cost_points: Cost = 0.0


class Course(_Model):
    """The whole course, and where its files are."""

    title: Title
    version: Title
    documents: dict[str, Document]
    limits: Limits = Limits()
    policy: Policy = Policy()
    units: Annotated[tuple[Unit, ...], _must(bool, "must hold at least one unit")]
    root: Path

    @property
    def exercises(self) -> tuple[Exercise, ...]:
        """All exercises in course order."""
        return tuple(exercise for unit in self.units for exercise in unit.exercises)

    def exercise(self, id: str) -> Exercise:
        """The exercise called `id`.

        Raises CourseError, naming the ids that look like it, when there is none.
        """
        for exercise in self.exercises:
            if exercise.id == id:
                return exercise
        ids = [exercise.id for exercise in self.exercises]
        raise CourseError(f"there is no exercise {_quoted(id)}{_did_you_mean(id, ids)}")

    def stub_path(self, exercise: Exercise) -> Path:
        """The file a learner edits."""
        return self.root / "exercises" / exercise.relative_path

    def solution_path(self, exercise: Exercise) -> Path:
        """The reference solution, from which the stub is made."""
        return self.root / "solutions" / exercise.relative_path

    def checks_path(self, exercise: Exercise) -> Path:
        """The hidden checks."""
        return self.root / "tests" / "checks" / exercise.relative_path

    def mistakes_path(self, exercise: Exercise) -> Path:
        """The known mistakes."""
        return self.root / "tests" / "mistakes" / exercise.relative_path

    def alternatives_path(self, exercise: Exercise) -> Path:
        """The folder of right answers that are written differently."""
        return self.root / "tests" / "alternatives" / exercise.unit / exercise.stem

    def lesson_path(self, unit: Unit) -> Path:
        """The unit's lesson."""
        return self.root / "exercises" / unit.folder / "README.md"


# --- Reading YAML, with the line of everything --------------------------------------------------------------

Place = tuple[str | int, ...]


@dataclass(frozen=True)
class _Problem:
    line: int
    sentence: str


@dataclass
class _Source:
    """What the file says as plain data (mappings are dicts, lists are tuples), and where it says it."""

    data: Any = None
    lines: dict[Place, int] = field(default_factory=dict)
    spoilt: set[Place] = field(default_factory=set)  # already reported: nothing more to say about these
    problems: list[_Problem] = field(default_factory=list)

    def line(self, place: Place) -> int:
        """The line of `place`, or of the nearest thing around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)

    def report(self, place: Place, sentence: str) -> None:
        self.problems.append(_Problem(self.line(place), sentence))

    def spoil(self, place: Place, sentence: str) -> None:
        self.report(place, sentence)
        self.spoilt.add(place)

    def is_spoilt(self, place: Place) -> bool:
        return any(place[:length] in self.spoilt for length in range(len(place) + 1))


class _Unreadable(Exception):
    """The file cannot be read beyond this problem."""

    def __init__(self, problem: _Problem) -> None:
        super().__init__(problem.sentence)
        self.problem = problem


# libyaml is about ten times faster; its wording of errors is never shown.
_FAST: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RESOLVER: Any = yaml.resolver.Resolver()
_CONSTRUCTOR = yaml.constructor.SafeConstructor()
_TAG = "tag:yaml.org,2002:"
_PLAIN_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,15})")


class _Reader:
    """Turns the parser's events into a _Source; without aliases, it is no larger than the file."""

    def __init__(self, text: str, loader: Any) -> None:
        self.source = _Source()
        self.quoted: yaml.ScalarEvent | None = None  # the last text in quotes
        self._events: Iterator[Any] = iter(yaml.parse(text, Loader=loader))

    def read(self) -> _Source:
        """The one document of the stream. Raises _Unreadable, or yaml.YAMLError for bad syntax."""
        next(self._events)  # the stream's start
        if isinstance(next(self._events), yaml.DocumentStartEvent):
            self.source.data = self._value((), next(self._events), 0)
            next(self._events)  # the document's end
            after = next(self._events)
            if isinstance(after, yaml.DocumentStartEvent):
                sentence = "a second document begins here (`---`): the file may hold only one"
                raise _Unreadable(_Problem(_line(after), sentence))
        return self.source

    def _value(self, place: Place, event: Any, depth: int) -> Any:
        self.source.lines.setdefault(place, _line(event))
        if depth > MAX_DEPTH:
            sentence = f"this is nested more than {MAX_DEPTH} levels deep"
            raise _Unreadable(_Problem(_line(event), sentence))
        if isinstance(event, yaml.AliasEvent):
            sentence = f"the alias {_quoted(f'*{event.anchor}')} is not allowed here: write its value out"
            return self.source.spoil(place, sentence)
        if event.tag is not None:
            tag = event.tag.replace(_TAG, "!!")
            self.source.spoil(place, f"the tag {_quoted(tag)} is not allowed here: leave it out")
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
                sentence = f"{_quoted(key)} is given twice (first on line {first})"
                self.source.problems.append(_Problem(line, sentence))
                inside = (*place, "again", line, key)
            self.source.lines[inside] = line
            value = self._value(inside, next(self._events), depth + 1)
            values.setdefault(key, value)
        return values

    def _key(self, place: Place, event: Any, depth: int) -> str:
        """The key, or a stand-in for one that cannot be used, of which no more will be said."""
        if isinstance(event, yaml.ScalarEvent):
            if not _is_text(event.value):
                sentence = "this key holds an escape that stands for no character"
            elif event.tag is None and _kind_of(event) not in ("null", "bool", "int", "float"):
                return event.value
            elif event.value:
                sentence = f"the key {_quoted(event.value)} must be text: put it in quotes"
            else:
                sentence = "there is no key before the `:`"
        else:
            self._value((*place, "a key"), event, depth + 1)
            sentence = "a key must be text, not something with parts or an alias"
        self.source.problems.append(_Problem(_line(event), sentence))
        stand_in = f"the key on line {_line(event)}, column {event.start_mark.column}"
        self.source.spoilt.add((*place, stand_in))
        return stand_in

    def _scalar(self, place: Place, event: Any) -> Any:
        text: str = event.value
        if event.style in ("'", '"'):
            self.quoted = event
        if not _is_text(text):
            return self.source.spoil(place, f"{_name(place)} holds an escape that stands for no character")
        kind = _kind_of(event)
        if kind == "null":
            return None
        if kind == "bool":
            return _CONSTRUCTOR.construct_yaml_bool(yaml.ScalarNode(kind, text))
        if kind not in ("int", "float"):
            return text
        # In YAML 010 is 8 and 1:30 is 90: surely not what was meant.
        if "_" in text or ":" in text or (kind == "int" and not _PLAIN_INTEGER.fullmatch(text)):
            sentence = f"{_name(place)} must be a plain decimal number, not {_quoted(text)}"
            return self.source.spoil(place, sentence)
        return int(text) if kind == "int" else _CONSTRUCTOR.construct_yaml_float(yaml.ScalarNode(kind, text))


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _kind_of(scalar: Any) -> str:
    """What YAML takes the scalar for: "str", "int", "null" ..."""
    return str(_RESOLVER.resolve(yaml.ScalarNode, scalar.value, scalar.implicit)).removeprefix(_TAG)


def _is_text(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


_NO_YAML = "this is not YAML: something is missing or too much here or just before"


@dataclass(frozen=True)
class _Syntax:
    """What PyYAML says, and what that means to someone who wrote a catalogue."""

    says: str
    means: str
    at_beginning: bool = False  # the mistake is where the construct begins, not where PyYAML noticed


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


def _syntax_problem(error: yaml.YAMLError) -> _Problem:
    """One sentence for what PyYAML found."""
    noticed = getattr(error, "problem_mark", None)
    began = getattr(error, "context_mark", None) or noticed
    for syntax in _SYNTAX:
        if found := re.search(syntax.says, getattr(error, "problem", None) or ""):
            mark = began if syntax.at_beginning else noticed
            return _Problem(mark.line + 1 if mark else 1, syntax.means.format(*found.groups()))
    return _Problem(noticed.line + 1 if noticed else 1, _NO_YAML)


def _read_source(text: str) -> _Source:
    """What the text says, and where. Raises _Unreadable when it is not YAML."""
    problem = _Problem(1, _NO_YAML)
    for loader in (_FAST, yaml.SafeLoader):
        reader = _Reader(text, loader)
        try:
            return reader.read()
        except yaml.YAMLError as error:
            problem = _unclosed_quote(reader.quoted, error) or _syntax_problem(error)
        except (ValueError, OverflowError):
            # PyYAML's own slip at an absurd number in an escape or directive; libyaml has placed it.
            pass
    raise _Unreadable(problem)


def _unclosed_quote(quoted: yaml.ScalarEvent | None, error: yaml.YAMLError) -> _Problem | None:
    """A quote left open swallows lines up to the next quote, and only there does anything look wrong."""
    noticed = getattr(error, "problem_mark", None)
    if quoted is None or noticed is None:
        return None
    begins, ends = quoted.start_mark, quoted.end_mark
    if begins is None or ends is None or begins.line == ends.line or ends.line != noticed.line:
        return None
    return _Problem(begins.line + 1, f"the quote that opens here is not closed before line {ends.line + 1}")


def _read_bytes(path: Path) -> bytes:
    """The file's content. Raises CourseError when it cannot be had or is too large."""
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


def _decoded(content: bytes) -> str:
    """The content as text. Raises _Unreadable when it is not plain UTF-8."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _Unreadable(_Problem(line, "this is not text in UTF-8: save the file as UTF-8")) from None
    if found := yaml.reader.Reader.NON_PRINTABLE.search(text):
        line = text.count("\n", 0, found.start()) + 1
        sentence = f"the character U+{ord(found.group()):04X} does not belong in a text file: take it out"
        raise _Unreadable(_Problem(line, sentence))
    return text


# --- From data to a Course ----------------------------------------------------------------------------------


def load_course(path: Path) -> Course:
    """The course that `path`, a course.yml, describes; its root is the folder of that file.

    Raises CourseError when the file is wrong, with a line "course.yml:LINE: sentence" for every problem.
    """
    path = Path(path)
    try:
        source = _read_source(_decoded(_read_bytes(path)))
    except _Unreadable as error:
        raise _refusal(path, [error.problem]) from None
    _check_whole(source)
    try:
        course = Course.model_validate(_completed(source, path.absolute().parent))
    except ValidationError as error:
        source.problems.extend(_problems_of(error, source))
    if source.problems:
        raise _refusal(path, source.problems)
    return course


def find_course(start: Path) -> Path:
    """The nearest course.yml, in `start` or a folder above it. Raises CourseError when there is none."""
    start = Path(start).absolute()
    for folder in (start, *start.parents):
        if (folder / FILE_NAME).is_file():
            return folder / FILE_NAME
    raise CourseError(f"there is no {FILE_NAME} in {start} or any folder above it")


def _refusal(path: Path, problems: Iterable[_Problem]) -> CourseError:
    in_order = sorted(dict.fromkeys(problems), key=lambda problem: problem.line)
    return CourseError("\n".join(f"{path.name}:{problem.line}: {problem.sentence}" for problem in in_order))


def _completed(source: _Source, root: Path) -> Any:
    """The data with what the file leaves to us: the root, and each exercise's unit and inherited limits."""
    data = source.data
    if not isinstance(data, dict):
        return data
    _refuse_filled_in(source, (), data, "root")
    shared = _shared_limits(data)
    units: Any = data.get("units")
    if isinstance(units, tuple):
        units = tuple(_completed_unit(source, ("units", index), unit, shared) for index, unit in enumerate(units))
        data = {**data, "units": units}
    return {**data, "root": root}


def _completed_unit(source: _Source, place: Place, unit: Any, shared: Mapping[str, Any]) -> Any:
    if not isinstance(unit, dict) or not isinstance(unit.get("exercises"), tuple):
        return unit
    exercises = []
    for index, exercise in enumerate(unit["exercises"]):
        if isinstance(exercise, dict):
            _refuse_filled_in(source, (*place, "exercises", index), exercise, "unit")
            limits = exercise.get("limits", {})
            if isinstance(limits, dict):
                limits = {**shared, **limits}
            exercise = {**exercise, "unit": unit.get("folder"), "limits": limits}
        exercises.append(exercise)
    return {**unit, "exercises": tuple(exercises)}


def _refuse_filled_in(source: _Source, place: Place, entry: Mapping[str, Any], key: str) -> None:
    """Refuse a key that is ours to fill in, and keep quiet about what we shall put there."""
    if key in entry:
        source.report((*place, key), f"unknown key {_quoted(key)}: it follows from where the file stands")
    source.spoilt.add((*place, key))


def _shared_limits(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The course-wide limits; none when they are wrong, so that they are reported once only."""
    limits = data.get("limits", {})
    try:
        Limits.model_validate(limits)
    except ValidationError:
        return {}
    return dict(limits)


# --- What is wrong, in words --------------------------------------------------------------------------------

_DEMANDS = {
    "string_type": "must be text",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "tuple_type": "must be a list",
    "dict_type": "must be a mapping (lines of `key: value`)",
    "model_type": "must be a mapping (lines of `key: value`)",
}
_MODELS: Mapping[str, type[_Model]] = {
    "units": Unit,
    "exercises": Exercise,
    "documents": Document,
    "limits": Limits,
    "forbidden": Forbidden,
    "policy": Policy,
}
_FILLED_IN = ("root", "unit")


def _problems_of(error: ValidationError, source: _Source) -> Iterator[_Problem]:
    """Pydantic's findings in our words, with lines, apart from places of which enough has been said."""
    findings = [found for found in error.errors(include_url=False) if not source.is_spoilt(found["loc"])]
    meant: dict[Place, Place] = {}
    for finding in findings:
        if finding["type"] == "extra_forbidden" and (key := _key_meant(finding["loc"], source.data)):
            meant[finding["loc"]] = (*finding["loc"][:-1], key)
    for finding in findings:
        place = finding["loc"]
        if place in meant:
            sentence = f"unknown key {_name(place)}: did you mean {_name(meant[place])}?"
        elif finding["type"] == "missing" and place in meant.values():
            continue  # it is there, misspelt
        else:
            sentence = _sentence(finding["type"], place, finding, source.data)
        yield _Problem(source.line(place), sentence)


def _key_meant(place: Place, data: Any) -> str | None:
    """The key that the unknown one at `place` may be a misspelling of: one that is not there itself."""
    absent = [key for key in _known_keys(place) if key not in _at(place[:-1], data)]
    return next(iter(difflib.get_close_matches(str(place[-1])[:100], absent, n=1)), None)


def _sentence(type_: str, place: Place, finding: Mapping[str, Any], data: Any) -> str:
    name, given = _name(place), finding["input"]
    if type_ == "missing":
        return f"{name} is missing from {_owner(place[:-1], data)}"
    if type_ == "extra_forbidden":
        return f"unknown key {name}; the keys here are {_listed(_known_keys(place))}"
    if given is None:
        return f"{name} is empty" if place else "the file is empty"
    if type_ in _DEMANDS:
        return f"{name} {_DEMANDS[type_]}, not {_instead(type_, given)}"
    if type_ == "literal_error":
        choices = re.findall("'([^']*)'", finding["ctx"]["expected"])
        demand = "must be " + " or ".join(_quoted(choice) for choice in choices)
        return f"{name} {demand}, not {_shown(given)}{_did_you_mean(given, choices)}"
    if type_ == "value_error":
        return f"{name} {finding['ctx']['error']}{_unlike(given)}"
    return f"{name} has a value that cannot be used here"


def _name(place: Place) -> str:
    """What the place is called in a sentence: "`points`", "entry 2 of `hints`"."""
    last = place[-1] if place else "the file"
    if isinstance(last, int):
        return f"entry {last + 1} of {_name(place[:-1])}"
    return _quoted(last) if place else last


def _owner(place: Place, data: Any) -> str:
    """What the mapping at `place` is called by people: "exercise `softmax`"."""
    model, entry = _model_at(place), _at(place, data)
    if model is Course:
        return "the course"
    if model is Exercise:
        return f"exercise {_quoted(entry['id'])}" if isinstance(entry.get("id"), str) else "this exercise"
    if model is Unit:
        return f"unit {_quoted(entry['folder'])}" if isinstance(entry.get("folder"), str) else "this unit"
    return f"document {_name(place)}" if model is Document else _name(place)


def _model_at(place: Place) -> type[_Model]:
    if len(place) == 2 and place[0] == "documents":
        return Document
    named = [step for step in place if isinstance(step, str)]
    return _MODELS[named[-1]] if named else Course


def _at(place: Place, data: Any) -> Any:
    for step in place:
        data = data[step]
    return data


def _known_keys(place: Place) -> list[str]:
    """The keys that the mapping around `place` may hold."""
    return [key for key in _model_at(place[:-1]).model_fields if key not in _FILLED_IN]


def _instead(type_: str, given: Any) -> str:
    """What stands where something of another type should; the value itself where that helps."""
    if type_ == "string_type" and isinstance(given, (int, float)):
        return f"{_sort_of(given)}: put it in quotes"
    if type_ == "int_type" and isinstance(given, float):
        return _quoted(str(given))
    if type_ in ("int_type", "float_type") and isinstance(given, str):
        return f"the text {_quoted(given)}"
    return _sort_of(given)


def _sort_of(value: Any) -> str:
    if isinstance(value, bool):
        return "a yes or no"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, str):
        return "text"
    return "a mapping" if isinstance(value, dict) else "a list"


def _shown(value: Any) -> str:
    return _quoted(value) if isinstance(value, str) else _sort_of(value)


def _unlike(value: Any) -> str:
    """The value that did not do, where showing it helps."""
    is_shown = isinstance(value, (int, float)) or (isinstance(value, str) and value.strip())
    return f", not {_quoted(str(value))}" if is_shown else ""


def _quoted(text: str | int) -> str:
    """The text between backticks, on one line, and not endless."""
    shown = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in str(text))
    return f"`{shown if len(shown) <= 60 else shown[:57] + '...'}`"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(_quoted(name) for name in names)


def _did_you_mean(word: object, choices: Iterable[str]) -> str:
    """ ": did you mean `softmax`?", or nothing when no choice looks like the word."""
    close = difflib.get_close_matches(str(word)[:100], list(choices), n=2)
    return f": did you mean {' or '.join(_quoted(choice) for choice in close)}?" if close else ""


# --- What no single entry shows -----------------------------------------------------------------------------

Entry = Mapping[str, Any]


def _check_whole(source: _Source) -> None:
    """Report what is wrong between entries. It looks at the raw data, so that no error hides another."""
    units = list(_entries(source.data, (), "units"))
    exercises = [found for place, unit in units for found in _entries(unit, place, "exercises")]
    _check_distinct(source, units, "folder", "unit")
    _check_distinct(source, exercises, "id", "exercise")
    _check_order_of_units(source, units)
    for place, unit in units:
        _check_numbers(source, list(_entries(unit, place, "exercises")))
    _check_documents(source, exercises)
    _check_requires(source, exercises)


def _entries(holder: Any, place: Place, key: str) -> Iterator[tuple[Place, Entry]]:
    """The mappings in the list `key` of `holder`, as far as there is such a list, and their places."""
    listed = holder.get(key) if isinstance(holder, dict) else None
    for index, entry in enumerate(listed if isinstance(listed, tuple) else ()):
        if isinstance(entry, dict):
            yield (*place, key, index), entry


def _check_distinct(source: _Source, entries: list[tuple[Place, Entry]], key: str, noun: str) -> None:
    first: dict[str, Place] = {}
    for place, entry in entries:
        value = entry.get(key)
        if not isinstance(value, str):
            continue
        if value in first:
            line = source.line(first[value])
            source.report((*place, key), f"{noun} {_quoted(value)} is given twice (first on line {line})")
        first.setdefault(value, (*place, key))


def _check_order_of_units(source: _Source, units: list[tuple[Place, Entry]]) -> None:
    folders = [(place, unit.get("folder")) for place, unit in units]
    numbered = [(place, folder) for place, folder in folders if isinstance(folder, str) and folder[:2].isdigit()]
    for (_, before), (place, folder) in itertools.pairwise(numbered):
        if folder != before and folder[:2] == before[:2]:
            source.report((*place, "folder"), f"number {folder[:2]} is taken by unit {_quoted(before)}")
        elif folder[:2] < before[:2]:
            source.report((*place, "folder"), f"unit {_quoted(folder)} must stand before {_quoted(before)}")


def _check_numbers(source: _Source, exercises: list[tuple[Place, Entry]]) -> None:
    first: dict[int, Place] = {}
    before = 0
    for place, exercise in exercises:
        number = exercise.get("number")
        if type(number) is not int:
            continue
        if number in first:
            line = source.line(first[number])
            source.report((*place, "number"), f"number {number} is taken by the exercise on line {line}")
        elif 1 <= number < before:
            source.report((*place, "number"), f"number {number} must stand before number {before}")
        first.setdefault(number, (*place, "number"))
        before = number


def _check_documents(source: _Source, exercises: list[tuple[Place, Entry]]) -> None:
    documents = source.data.get("documents") if isinstance(source.data, dict) else None
    if not isinstance(documents, dict):
        return
    for place, exercise in exercises:
        key = exercise.get("document")
        if isinstance(key, str) and key not in documents:
            sentence = f"there is no document {_quoted(key)}{_did_you_mean(key, documents)}"
            source.report((*place, "document"), sentence)


def _check_requires(source: _Source, exercises: list[tuple[Place, Entry]]) -> None:
    requires: dict[str, tuple[str, ...]] = {}
    for _, exercise in exercises:
        if isinstance(exercise.get("id"), str):
            requires.setdefault(exercise["id"], _texts(exercise.get("requires")))
    order = {id: position for position, id in enumerate(requires)}
    for place, exercise in exercises:
        id = exercise.get("id")
        listed: Any = exercise.get("requires")
        for index, needed in enumerate(listed if isinstance(listed, tuple) else ()):
            if not isinstance(needed, str):
                continue
            where = (*place, "requires", index)
            if needed in listed[:index]:
                source.report(where, f"{_quoted(needed)} is named twice in `requires`")
            elif needed not in order:
                sentence = f"there is no exercise {_quoted(needed)} to require{_did_you_mean(needed, order)}"
                source.report(where, sentence)
            elif isinstance(id, str) and (sentence := _wrong_requirement(id, needed, requires, order)):
                source.report(where, sentence)


def _wrong_requirement(id: str, needed: str, requires: Mapping[str, tuple[str, ...]], order: Mapping[str, int]) -> str:
    """Why `id` cannot require `needed`, or nothing. What requires only earlier exercises is in no circle."""
    if needed == id:
        return f"exercise {_quoted(id)} requires itself"
    if order[needed] < order[id]:
        return ""
    if way := _way(needed, id, requires):
        return f"{_quoted(id)} requires itself in a circle: {' > '.join([id, *way])}"
    return f"{_quoted(id)} cannot require {_quoted(needed)}, which comes later in the course"


def _way(start: str, goal: str, requires: Mapping[str, tuple[str, ...]]) -> list[str]:
    """A shortest way along `requires` from start to goal, both named, or nothing."""
    ways = [[start]]
    seen = {start}
    for way in ways:
        if way[-1] == goal:
            return way
        fresh = [needed for needed in requires.get(way[-1], ()) if needed not in seen]
        seen.update(fresh)
        ways.extend([*way, needed] for needed in fresh)
    return []


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(text for text in value if isinstance(text, str)) if isinstance(value, tuple) else ()
