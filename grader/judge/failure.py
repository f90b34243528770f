"""Errors of the learner's code: the form of a report, what an error is recognised by, and sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Annotated, Any, NoReturn

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model

from grader.sandbox.inside.host import NAME
from grader.sandbox.inside.wire import WireError
from grader.sandbox.worker import WALL_PER_PROCESSOR_SECOND, WorkerLost

from .compare import names_text, plain_name, shape_text, without_decimals
from .faults import NOT_PYTHON, NOT_WRITTEN, CheckFailed

MAX_SOURCE_LINE = 120
MAX_NAME = 60
MOST_SHAPES = 4
MOST_DOCUMENTED_LINES = 60
"""How many lines at the head of a file are searched for shapes in its docstring."""
NAMES_WITH_DOTS = ("names", "weight_shape")
"""Kinds of errors that tell of parameters, such as `heads.0.weight`."""
PLACEHOLDER = "raise NotImplementedError"
MOST_LIKENED = 200
"""How many defined names are compared with a missing one: each takes time, and a file can define 100,000."""
DOCUMENTED = re.compile(r" +(\w+(?:, \w+)*) +(\([^()]*\)(?: or \([^()]*\))*)(?: |$)")
"""A line of a stub's docstring that says a tensor's shape: `q, k, v   (b, h, n, d)   batch, heads, ...`."""
ALIKE = re.compile(r"\b(\w+) and (\w+) alike")
ROLES = (
    ("q", "query", "queries"),
    ("k", "key", "keys"),
    ("v", "value", "values"),
    ("scores", "weights", "attn", "attn_scores", "attn_weights", "attention_scores", "attention_weights"),
)
"""Names that stand for tensors of one shape."""
NO_MODULE = re.compile(r"No module named '([\w.]{1,60})'")
DEFINITION = re.compile(rf"(?:def|class)\s+([A-Za-z_]\w{{0,{MAX_NAME - 1}}})")
"""Names are cut before they are compared: the time grows faster than the square of their length."""

BREAKPOINT = "BdbQuit"
"""The exception that a debugger raises when no person is there to type."""
OTHER_ERRORS = {
    "memory": "Your code needed more memory than it may use{line}.",
    "no_part": "Your code should return several values, as a tuple, but {what} came back.",
    "no_tensor": "Your code should return a tensor, but {what} came back.",
    "no_attribute": "There is no attribute `{name}`. Set it in `__init__` with exactly this name.",
    "not_a_module": "An nn.Module was expected here, but {what} came.",
}
"""Sentences for kinds of errors that need no more than what came with them."""


def expect(condition: object, message: str) -> None:
    """Fail the check with a sentence for the learner unless the condition holds."""
    if not condition:
        raise CheckFailed(message)


def fail(message: str) -> NoReturn:
    """Fail the check with a sentence for the learner."""
    raise CheckFailed(message)


# --- as they are reported ---------------------------------------------------------------------------------------------

MOST_TEXT = 600
MOST_ITEMS = 40
NUMBERS = re.compile(r"[\d\s]+")
NOT_AN_ANSWER = "it has not the form of an answer"


def _cut(length: int) -> BeforeValidator:
    return BeforeValidator(lambda value: value[:length] if isinstance(value, (str, list)) else value)


Text = Annotated[str, _cut(MOST_TEXT)]
Function = Annotated[str, _cut(80)]
Parameter = Annotated[str, _cut(200), AfterValidator(plain_name)]
Names = Annotated[list[Parameter], _cut(MOST_ITEMS)]
Sizes = Annotated[list[int], _cut(MOST_ITEMS)]
# pairs are sent as lists
Frames = Annotated[list[Annotated[tuple[int, Function], Field(strict=False)]], _cut(MOST_ITEMS)]
"""Line numbers and function names."""
Shapes = Annotated[list[Annotated[tuple[Function, Sizes], Field(strict=False)]], _cut(MOST_ITEMS)]
"""Names of tensors in the failing line, and their shapes."""


def _form(**parts: Any) -> type[BaseModel]:
    """The form of an error: for each part its type, or its type and what it is when it is absent."""
    fields: dict[str, Any] = {name: part if isinstance(part, tuple) else (part, ...) for name, part in parts.items()}
    return create_model("Form", __config__=ConfigDict(strict=True), step=(int, -1), kind=(str, ...), **fields)


FORMS: Mapping[str, type[BaseModel]] = {
    "exception": _form(type=Text, message=Text, frames=Frames, tensors=(Shapes, [])),
    "memory": _form(frames=Frames),
    "forbidden": _form(name=Text),
    "no_entry": _form(name=Text),
    "no_attribute": _form(name=Text),
    "names": _form(missing=Names, unexpected=Names, plain=(Names, [])),
    "weight_shape": _form(name=Parameter, came=Sizes, expected=Sizes),
    "not_a_module": _form(what=Text),
    "no_part": _form(what=Text),
    "no_tensor": _form(what=Text),
}
"""The form of an error, by its kind."""

RECOGNISED_BY: Mapping[str, Sequence[str]] = {
    "exception": ("type", "step"),
    "names": ("missing",),
    "no_entry": ("name",),
    "weight_shape": ("name", "came"),
    "forbidden": ("name",),
}


def read_error(error: Any) -> dict[str, Any]:
    """Check the form of a reported error; other parts are dropped. Raises WireError when it is invalid."""
    kind = error.get("kind") if isinstance(error, dict) else None
    if not isinstance(kind, str) or kind not in FORMS:
        raise WireError(NOT_AN_ANSWER)
    try:
        found = FORMS[kind].model_validate(error).model_dump()
    except ValidationError:
        raise WireError(NOT_AN_ANSWER) from None  # without its text, which quotes what the learner's code sent
    if "plain" in found:
        found["plain"] = [name for name in found["plain"] if name in found["missing"]]
    return found


def error_identity(error: Mapping[str, Any]) -> dict[str, Any]:
    """What an error is recognised by, whatever the sizes and names in it. It is an error with this identity itself."""
    identity = {part: error[part] for part in ("kind", *RECOGNISED_BY.get(error["kind"], ()))}
    if identity.get("type") == "RuntimeError":
        # torch raises RuntimeError for everything; only its message, without the sizes in it, distinguishes them
        identity["message"] = NUMBERS.sub("", error["message"].partition("\n")[0])
    return identity


# --- their sentences --------------------------------------------------------------------------------------------------


def error_text(
    error: Mapping[str, Any], source_lines: Sequence[str], forbidden_reason: str, *, hide_numbers: bool
) -> str:
    """Describe an error of the learner's code: the error and the learner's own line, without the grader's frames.

    With `hide_numbers` decimals in the error's text and in names are blanked, since they could be hidden inputs;
    without, the shapes of the failing line's tensors are told too.
    """
    kind = error["kind"]
    if hide_numbers and kind not in NAMES_WITH_DOTS:
        error = _without_decimals(error)
    where, line = _place(error.get("frames", ()), source_lines)
    if kind == "exception":
        shapes = "" if hide_numbers else _shapes_text(error["tensors"], line, source_lines)
        return _exception_text(error["type"], error["message"], where, line, shapes)
    if kind == "forbidden":  # torch's operators, aten::_softmax and aten::_safe_softmax, by the name of the function
        name = error["name"].removeprefix("aten::").removeprefix("_safe").strip("_")
        return forbidden_text(name, 0, forbidden_reason)
    if kind == "no_entry":
        return _no_entry_text(error["name"], source_lines)
    if kind == "names" and error["plain"]:
        plain = ", ".join(f"`{name}`" for name in error["plain"])
        return (
            f"{plain}: a tensor, but no nn.Parameter, so the module does not count it as its own, and training would "
            "never change it. Wrap it: nn.Parameter(...)."
        )
    if kind == "names":
        return f"The parameters do not have the expected names; {names_text(error['missing'], error['unexpected'])}"
    if kind == "weight_shape":
        came, expected = shape_text(error["came"]), shape_text(error["expected"])
        return f"The parameter `{error['name']}` has shape {came}; {expected} was expected."
    return OTHER_ERRORS[kind].format(line=where, **error)


def _exception_text(kind: str, text: str, where: str, line: str, shapes: str) -> str:
    if kind == "NotImplementedError" and line.startswith(PLACEHOLDER):  # torch raises it too
        return f"{NOT_WRITTEN}{where}."
    if kind == "ModuleNotFoundError" and (absent := NO_MODULE.match(text)):
        return (
            f"There is no module `{absent[1]}` here, which is imported{where}. A file is checked by itself, with "
            "torch, numpy and what Python brings along: take the import out, and what uses it."
        )
    if kind == BREAKPOINT:
        return (
            "There is a `breakpoint()` in your code, and nobody here to answer it. `kata check --debug` stops there; "
            "for every other check take it out."
        )
    said = f": {text}" if text else ""
    if "same dtype" in text and where:
        said += ". Inputs may be float64: make tensors with their dtype, and layers in `__init__`"
    # a wrong call, or our own use of the result: then no line of the learner's raised the error
    is_ours = not where and not (kind == "TypeError" and "argument" in text)
    if is_ours and text.startswith("'NoneType' object has no attribute"):
        return "Your code returned None: is a `return` missing?"
    return f"{'What your code returned cannot be used: ' if is_ours else ''}{kind}{where}{said}{shapes}"


def _without_decimals(claimed: Any) -> Any:
    """What is claimed of an error with its decimals blanked: a class or a function can be called `0.25` too."""
    if isinstance(claimed, str):
        return without_decimals(claimed)
    if isinstance(claimed, Mapping):
        return {key: _without_decimals(item) for key, item in claimed.items()}
    return type(claimed)(map(_without_decimals, claimed)) if isinstance(claimed, (list, tuple)) else claimed


def _shapes_text(tensors: Sequence[tuple[str, Sequence[int]]], line: str, source_lines: Sequence[str]) -> str:
    """The shapes of tensors, a line each, beside what the file's docstring calls their axes.

    Only of names that stand in the learner's own line, whatever is claimed.
    """
    documented: dict[str, str] = {}
    for each in source_lines[:MOST_DOCUMENTED_LINES]:
        if found := DOCUMENTED.match(each[:MAX_SOURCE_LINE]):
            others = ALIKE.search(each[:MAX_SOURCE_LINE])
            documented |= dict.fromkeys([*found[1].split(", "), *(others.groups() if others else ())], found[2])
    words = set(NAME.findall(line))
    known = [(name, shape_text(shape)) for name, shape in tensors if name in words][:MOST_SHAPES]
    widths = [max((len(row[column]) for row in known), default=0) for column in (0, 1)]
    told = ""
    for name, shape in known:
        alike = next((role for role in ROLES if name in role), ())
        axes = next((documented[each] for each in (name, *alike) if each in documented), "")
        told += f"\n    {name:<{widths[0]}}  {shape:<{widths[1]}}  {axes and f'docstring: {axes}'}".rstrip()
    return told


def _no_entry_text(name: str, source_lines: Sequence[str]) -> str:
    defined = list(islice((found[1] for line in source_lines if (found := DEFINITION.match(line))), MOST_LIKENED))
    near = get_close_matches(name[:MAX_NAME], defined, n=1)
    hint = f"; there is a `{near[0]}`" if near else ""
    return f"There is no `{name}` in your file{hint}. Define it with exactly this name."


def _place(frames: Sequence[tuple[int, str]], source_lines: Sequence[str]) -> tuple[str, str]:
    """Where an error was raised, in words, and the learner's line there; "" for what is unknown."""
    if not frames:
        return "", ""
    number, function = frames[-1]
    line = source_lines[number - 1].strip() if 1 <= number <= len(source_lines) else ""
    where = f" in line {number}" + (f", in `{function}`" if function != "<module>" else "")
    return (f"{where} (`{line[:MAX_SOURCE_LINE]}`)" if line else where), line


# --- files that are refused, and processes that are lost --------------------------------------------------------------


def forbidden_text(name: str, line: int, reason: str) -> str:
    """Say which library call is forbidden, and why."""
    where = f" (line {line})" if line else ""
    return f"The library's `{name}` is not allowed here{where}: {reason}."


def syntax_text(line: int, message: str, source_lines: Sequence[str]) -> str:
    """Say why a file is not valid Python."""
    message = re.sub(r" on (line \d+)$", r" of \1,", message)
    return f"{NOT_PYTHON}: {message}{_place([(line, '<module>')], source_lines)[0]}."


def time_text(seconds: float) -> str:
    """What may be used, in words: so many seconds of processor time; or three times as many pass."""
    return f"{seconds:g} seconds of processor time, or {WALL_PER_PROCESSOR_SECOND * seconds:g} by the clock"


LOSSES = {
    "time": "No answer after {detail}. Is there a loop that does not end, or far too much work?",
    "signal": "Your code crashed the Python process ({detail}).",
    "exit": "Your code ended the Python process (exit or quit?).",
}


def loss_text(loss: WorkerLost) -> str:
    """Say how the learner's process ended."""
    if loss.reason == "signal" and loss.detail in ("SIGXCPU", "SIGKILL"):
        return "Your code used up its processor time or memory and was stopped."
    unreadable = "Your code sent no readable answer. It must leave the process's own descriptors alone."
    return LOSSES.get(loss.reason, unreadable).format(detail=loss.detail)
