"""Translates pydantic's validation errors into our own sentences."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from .errors import Place, did_you_mean, listed, name_of, quoted
from .model import Course, Document, Exercise, Forbidden, Limits, Model, Policy, Unit
from .source import Problem, Source

_DEMANDS = {
    "string_type": "must be text",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "tuple_type": "must be a list",
    "dict_type": "must be a mapping (lines of `key: value`)",
    "model_type": "must be a mapping (lines of `key: value`)",
}
_MODELS: Mapping[str, type[Model]] = {
    "units": Unit,
    "exercises": Exercise,
    "documents": Document,
    "limits": Limits,
    "forbidden": Forbidden,
    "policy": Policy,
}
_FILLED_IN = ("root", "unit", "bundle", "bundle_checks")
"""Keys that no author writes: the loader computes root and unit, `kata release` writes the others."""


def problems_of(error: ValidationError, source: Source) -> Iterator[Problem]:
    """Pydantic's errors as sentences with lines, except at places already reported."""
    findings = [found for found in error.errors(include_url=False) if not source.is_invalid(found["loc"])]
    meant: dict[Place, Place] = {}
    for finding in findings:
        if finding["type"] == "extra_forbidden" and (key := _key_meant(finding["loc"], source.data)):
            meant[finding["loc"]] = (*finding["loc"][:-1], key)
    for finding in findings:
        place = finding["loc"]
        if place in meant:
            sentence = f"unknown key {name_of(place)}: did you mean {name_of(meant[place])}?"
        elif finding["type"] == "missing" and place in meant.values():
            continue  # it is there, but misspelt
        else:
            sentence = _sentence(finding["type"], place, finding, source.data)
        yield Problem(source.line(place), sentence)


def _key_meant(place: Place, data: Any) -> str | None:
    """The known key, not used here itself, that the unknown key at `place` may be a misspelling of."""
    absent = [key for key in _known_keys(place) if key not in _at(place[:-1], data)]
    return next(iter(difflib.get_close_matches(str(place[-1])[:100], absent, n=1)), None)


def _sentence(type_: str, place: Place, finding: Mapping[str, Any], data: Any) -> str:
    name, given = name_of(place), finding["input"]
    if type_ == "missing":
        return f"{name} is missing from {_owner(place[:-1], data)}"
    if type_ == "extra_forbidden":
        return f"unknown key {name}; the keys here are {listed(_known_keys(place))}"
    if given is None:
        return f"{name} is empty" if place else "the file is empty"
    if type_ in _DEMANDS:
        return f"{name} {_DEMANDS[type_]}, not {_instead(type_, given)}"
    if type_ == "literal_error":
        choices = re.findall("'([^']*)'", finding["ctx"]["expected"])
        demand = "must be " + " or ".join(quoted(choice) for choice in choices)
        return f"{name} {demand}, not {_shown(given)}{did_you_mean(given, choices)}"
    if type_ == "value_error":
        return f"{name} {finding['ctx']['error']}{_unlike(given)}"
    return f"{name} has a value that cannot be used here"


def _owner(place: Place, data: Any) -> str:
    """How people call the mapping at `place`: "exercise `softmax`"."""
    model, entry = _model_at(place), _at(place, data)
    if model is Course:
        return "the course"
    if model is Exercise:
        return f"exercise {quoted(entry['id'])}" if isinstance(entry.get("id"), str) else "this exercise"
    if model is Unit:
        return f"unit {quoted(entry['folder'])}" if isinstance(entry.get("folder"), str) else "this unit"
    return f"document {name_of(place)}" if model is Document else name_of(place)


def _model_at(place: Place) -> type[Model]:
    if len(place) == 2 and place[0] == "documents":
        return Document
    named = [step for step in place if isinstance(step, str)]
    return _MODELS[named[-1]] if named else Course


def _at(place: Place, data: Any) -> Any:
    for step in place:
        data = data[step]
    return data


def _known_keys(place: Place) -> list[str]:
    """The keys allowed in the mapping around `place`."""
    return [key for key in _model_at(place[:-1]).model_fields if key not in _FILLED_IN]


def _instead(type_: str, given: Any) -> str:
    """What was given instead of the required type; the value itself where that helps."""
    if type_ == "string_type" and isinstance(given, (int, float)):
        return f"{_sort_of(given)}: put it in quotes"
    if type_ == "int_type" and isinstance(given, float):
        return quoted(str(given))
    if type_ in ("int_type", "float_type") and isinstance(given, str):
        return f"the text {quoted(given)}"
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
    return quoted(value) if isinstance(value, str) else _sort_of(value)


def _unlike(value: Any) -> str:
    """The rejected value, where showing it helps."""
    is_shown = isinstance(value, (int, float)) or (isinstance(value, str) and value.strip())
    return f", not {quoted(str(value))}" if is_shown else ""
