"""`kata check ID --script`: a case of a visible check as a short script beside the learner's file.

The script imports that file, calls it with the check's own inputs and prints what differs; `--debug` runs it in pdb.
Inputs of a hidden check are never written.
"""

from __future__ import annotations

import ast
import io
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from grader.errors import KataError
from grader.files import write_file
from grader.intake.names import CASE
from grader.judge.case import OUTPUT, Case
from grader.judge.case_text import CaseText, value_text
from grader.judge.compare import RELATIVE, difference
from grader.judge.shown import AnsweredCase, Look
from grader.render.safe_text import safe_line
from grader.sandbox.inside.wire import Slot

from .workspace import content_of

MOST_CHARACTERS = 100
"""A value with a longer text goes into the script's `.pt` file."""
KEYS = "`n` runs the next line, `p x` shows x, `c` goes on, `q` ends. `yours` and `expected` are at hand."
HEAD = "# Written by `kata check "
BEGIN = """\
import importlib.util
import sys
from pathlib import Path

import torch

sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("learner", Path(__file__).with_name({file!r}))
learner = sys.modules["learner"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(learner)
"""
SAVED = 'saved = torch.load(Path(__file__).with_suffix(".pt"), weights_only=True)'
TENSORS = """
for name, value in {{"yours": yours, "expected": expected}}.items():
    form = f" {{value.dtype}}, shape {{tuple(value.shape)}}" if isinstance(value, torch.Tensor) else ""
    print(f"{{name}}:{{form}}", value, sep="\\n")
if not isinstance(yours, torch.Tensor) or yours.shape != expected.shape:
    print("The shapes differ.")
else:
    wrong = ~torch.isclose(yours.double(), expected.double(), rtol=0, atol={room:.3g}, equal_nan=True)
    print(f"{{int(wrong.sum())}} of {{wrong.numel()}} numbers differ.")
    for place in map(tuple, wrong.nonzero()[:5].tolist()):
        print(f"at {{place}}: {{yours[place].item():.6g}} instead of {{expected[place].item():.6g}}")
"""
OTHERS = '\nprint("yours:", yours)\nprint("expected:", expected)\n'
ALONE = '\nprint("yours:", yours)\n'


def sentences(look: Look) -> list[str]:
    """What failed, and which check the script is of."""
    fault, failed = look.fault, next((each for each in look.result.checks if each.outcome == "failed"), None)
    if fault is not None and fault.check.outcome == "failed":
        return [fault.check.title, fault.check.message]
    if fault is None:
        said = "No visible check calls your code, so there is no case to write."
    else:
        where = "where your output is wrong too" if fault.is_wrong else "which holds"
        said = f"The script has the inputs of a visible check, {where}: {fault.check.title}"
    if failed is None:
        return ["Every check holds.", said]
    return [failed.title, failed.message, "This check is hidden: its inputs are written nowhere.", said]


class Script:
    """The script of a case: its text, and the values that are too large for it."""

    def __init__(self, file: Path, fault: AnsweredCase, command: str) -> None:
        """file: the learner's. command: what writes this script, for its first line."""
        self.path = file.with_name(f"{file.stem}{CASE}.py")
        self._saved: dict[str, Any] = {}
        self._names: dict[str, str] = {}
        """Expressions for `yours` and `expected`, as far as they are known."""
        steps = self._steps(fault)
        head = [f"{HEAD}{command}`, anew each time. It is never graded.", f"# {safe_line(fault.check.title)}"]
        saved = [SAVED] if self._saved else []
        self.text = "\n".join([*head, BEGIN.format(file=file.name), *saved, *steps])

    def _steps(self, fault: AnsweredCase) -> list[str]:
        """The lines that call the learner's code, and print what differs."""
        case, text = fault.case, CaseText(fault.case, self._literal)
        lines = [f"torch.manual_seed({case.seed})"] if case.seed or case.is_random else []
        for number, step in enumerate(case.steps):
            if step["do"] == "load":
                lines.append(f"weights = {self._literal('weights', step['weights'])}")
                lines.append("for name, weight in weights.items():")
                lines.append(f"    {text.text(step['target'])}.get_parameter(name).detach().copy_(weight)")
            else:
                lines += [f"{step['name']} = learner.{step['name']}"] if step["do"] == "entry" else []
                lines += text.lines(number, step)
        lines += ["# random numbers are drawn here: right code may come to others"] if case.is_random else []
        comparable = {name: told for number, name in case.returned.items() if (told := _told(text, number, case))}
        if not comparable:
            return lines
        return [*lines, *self._comparison(comparable, fault)]

    def _comparison(self, comparable: Mapping[str, str], fault: AnsweredCase) -> list[str]:
        came, expected = fault.came.values, fault.expected.values
        differ = [
            name for name in comparable if name in expected and difference(came.get(name), expected[name], what="")
        ]
        name = next(iter(differ), OUTPUT if OUTPUT in comparable else next(iter(comparable)))
        if name not in expected:
            return [f"yours = {comparable[name]}", ALONE]
        place, yours, right = _first_difference(came.get(name), expected[name])
        self._names["expected"] = self._literal("expected", right)
        if isinstance(yours, (torch.Tensor, int, float, str)):
            self._names["yours"] = self._literal("yours", yours)
        lines = [f"yours = {comparable[name]}{place}", f"expected = {self._names['expected']}"]
        if not isinstance(right, torch.Tensor):
            return [*lines, OTHERS]
        finite = right.double().nan_to_num(0.0, 0.0, 0.0).abs()
        return [*lines, TENSORS.format(room=RELATIVE * float(finite.max()) if right.numel() else 0.0)]

    def _literal(self, name: str, value: Any) -> str:
        """An expression for a value: its text if that is short, else its place in the `.pt` file."""
        text = value_text(value)
        if len(text) <= MOST_CHARACTERS and "\n" not in text:
            return text
        while name in self._saved:
            name += "_"
        self._saved[name] = value
        return f"saved[{name!r}]"

    def write(self) -> None:
        """Write the script and its values. Raises OSError, KataError where a file of the learner's has its name."""
        there, numbers = content_of(self.path), self.path.with_suffix(".pt")
        if there is not None and not there.startswith(HEAD.encode()):
            raise KataError(f"{self.path} is a file of your own. Move it away: the script goes there.")
        write_file(self.path, self.text.encode())
        if self._saved:
            content = io.BytesIO()
            torch.save(self._saved, content)
            write_file(numbers, content.getvalue())
        elif there is not None:
            numbers.unlink(missing_ok=True)

    def debug(self, stop: Stop) -> None:
        """Run the script in Python's debugger up to a place."""
        known = "".join(f"; builtins.{name} = {text}" for name, text in self._names.items())
        numbers = (
            f"; saved = torch.load({str(self.path.with_suffix('.pt'))!r}, weights_only=True)" if self._saved else ""
        )
        # names that are seen in every frame; a `breakpoint()` of the learner's is one of this debugger's own
        silent = "sys.breakpointhook = pdb.set_trace = lambda *_, **__: None"
        commands = [f"!import builtins, pdb, sys, torch; {silent}{numbers}{known}", *stop.commands]
        told = [part for command in commands for part in ("-c", command)]
        # Ctrl-C is for the debugger; a handler, since what is ignored here would be ignored there too
        before = signal.signal(signal.SIGINT, lambda *_: None)
        try:
            subprocess.run([sys.executable, "-m", "pdb", *told, str(self.path)], check=False)
        finally:
            signal.signal(signal.SIGINT, before)


def _told(text: CaseText, number: int, case: Case) -> str:
    """The expression for what a step returns; empty for what the script does not work out."""
    step = case.steps[number]
    target = text.text(step["target"]) if "target" in step else ""
    return {
        "call": text.text(Slot(number)),
        "attribute": f"{target}.{step.get('name')}",
        "value": text.text(step.get("value")),
        "parameters": f"{{n: [list(p.shape), p.requires_grad] for n, p in {target}.named_parameters()}}",
        "buffers": f"[n for n, _ in {target}.named_buffers()]",
    }.get(step["do"], "")


def _first_difference(came: Any, expected: Any, place: str = "") -> tuple[str, Any, Any]:
    """The first part that differs: its place as Python writes it, and its two values."""
    pairs: list[tuple[str, Any, Any]] = []
    if isinstance(expected, (list, tuple)) and isinstance(came, (list, tuple)) and len(came) == len(expected):
        pairs = [(f"[{number}]", one, other) for number, (one, other) in enumerate(zip(came, expected, strict=True))]
    elif isinstance(expected, Mapping) and isinstance(came, Mapping) and came.keys() == expected.keys():
        pairs = [(f"[{key!r}]", came[key], expected[key]) for key in expected]
    for part, one, other in pairs:
        if difference(one, other, what=""):
            return _first_difference(one, other, place + part)
    return place, came, expected


# --- where the debugger stops ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stop:
    """Where `--debug` stops first, in words and as pdb's commands."""

    said: str
    commands: tuple[str, ...]


def first_stop(look: Look, fault: AnsweredCase, file: Path) -> Stop:
    """The learner's breakpoint, the line that raised, or the first line of the learner's function."""
    error, source = fault.came.error or {}, file.read_bytes()
    own = tuple(f"break {file.name}:{line}" for line in _breakpoints(source))
    if look.reaches_breakpoint:
        return Stop("It stops at your own breakpoint.", (*own, "continue"))
    if frames := error.get("frames"):
        line = frames[-1][0]
        return Stop(f"It stops at line {line}, before that raises.", (*own, f"tbreak {file.name}:{line}", "continue"))
    method = "__init__" if error.get("kind") in ("names", "weight_shape") else "forward"
    for entry in reversed([step["name"] for step in fault.case.steps if step["do"] == "entry"]):
        if line := _first_line(source, entry, method):
            said = f"It stops at the first line of `{entry}`, or where your file raises before."
            return Stop(said, (*own, f"tbreak {file.name}:{line}", "continue"))
    return Stop("Your file defines no such function, so it begins at the script's first line.", own)


def _parsed(source: bytes) -> ast.Module:
    """The file's syntax tree, empty where it is no Python."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _breakpoints(source: bytes) -> list[int]:
    """The lines that call `breakpoint()` or `set_trace()`."""
    calls = [node for node in ast.walk(_parsed(source)) if isinstance(node, ast.Call)]
    names = {call.lineno: ast.unparse(call.func).rpartition(".")[2] for call in calls}
    return [line for line, name in names.items() if name in ("breakpoint", "set_trace")]


def _first_line(source: bytes, entry: str, method: str) -> int:
    """The first line of a function, or of a class's method, after its docstring; 0 where there is none."""
    named = [node for node in _parsed(source).body if getattr(node, "name", "") == entry]
    bodies = [each for node in named if isinstance(node, ast.ClassDef) for each in node.body]
    functions = [
        each for each in (*named, *bodies) if isinstance(each, ast.FunctionDef) and each.name in (entry, method)
    ]
    lines = [line for function in functions[-1:] for line in function.body]
    return lines[ast.get_docstring(functions[-1]) is not None and len(lines) > 1].lineno if lines else 0
