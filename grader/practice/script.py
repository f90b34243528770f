"""`kata check ID --script`: a case of a visible check as a short script beside the learner's file.

The script imports that file, calls it with the check's own inputs and prints what differs; `--debug` runs it in pdb.
Inputs of a hidden check are never written.
"""

from __future__ import annotations

import ast
import io
import re
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from grader.errors import KataError
from grader.files import write_file
from grader.intake.names import CASE
from grader.judge.compare import OUTPUT, RELATIVE, difference
from grader.judge.failure import BREAKPOINT
from grader.judge.questions import Case
from grader.judge.shown import AnsweredCase, CaseText, asked_again, value_text
from grader.record import ExerciseResult
from grader.render.safe_text import safe_line
from grader.sandbox.inside.wire import Slot

from .workspace import content_of, filled

if TYPE_CHECKING:
    from grader.intake import Submission
    from grader.judge.grading import Judge

MOST_CHARACTERS = 100
"""A value with a longer text goes into the script's `.pt` file."""
KEYS = "`n` runs the next line, `p x` shows x, `c` goes on, `q` ends. `u` goes up to the script, to `p expected`."
HEAD = "# Written by `kata check "
BREAKPOINT_CALL = re.compile(rb"(?<!def )(?<![\w.])(?:breakpoint|pdb\.set_trace)\(\)")


# --- which case -------------------------------------------------------------------------------------------------------


def look_into(judge: Judge, submission: Submission) -> tuple[ExerciseResult, AnsweredCase | None, bool]:
    """Grade a submission of one exercise; returns the result, a case of a visible check, whether breakpoints stop it.

    If so, it is graded again without them. A case of a failed check comes first, then one that is wrong though its
    check asks for something else, then any. Raises what Judge.grade raises.
    """
    result, cases = asked_again(judge, submission, lambda check: check.visible)
    fault = min(cases, key=lambda case: (case.check.outcome != "failed", not case.is_wrong), default=None)
    is_stopped = fault is not None and (fault.came.error or {}).get("type") == BREAKPOINT
    files = submission.sources.items()
    without = {id: replace(file, content=BREAKPOINT_CALL.sub(b"None", file.content)) for id, file in files}
    if is_stopped and without != submission.sources:
        result, fault, _ = look_into(judge, replace(submission, sources=without))
    return result, fault, is_stopped


def sentences(result: ExerciseResult, fault: AnsweredCase | None) -> list[str]:
    """What failed, and which check the script is of."""
    failed = next((each for each in result.checks if each.outcome == "failed"), None)
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


# --- its script -------------------------------------------------------------------------------------------------------


class Script:
    """The script of a case: its text, and the values that are too large for it."""

    def __init__(self, file: Path, fault: AnsweredCase, command: str) -> None:
        """file: the learner's. command: what writes this script, for its first line."""
        self.path = file.with_name(f"{file.stem}{CASE}.py")
        self._saved: dict[str, Any] = {}
        case, text = fault.case, CaseText(fault.case, self._literal)
        steps = [f"torch.manual_seed({case.seed})"] if case.seed or case.is_random else []
        for number, step in enumerate(case.steps):
            if step["do"] == "load":
                steps.append(f"weights = {self._literal('weights', step['weights'])}")
                steps.append("for name, weight in weights.items():")
                steps.append(f"    {text.text(step['target'])}.get_parameter(name).detach().copy_(weight)")
            else:
                steps += [f"{step['name']} = learner.{step['name']}"] if step["do"] == "entry" else []
                steps += text.lines(number, step)
        steps += ["# random numbers are drawn here: right code may come to others"] if case.is_random else []
        returned = {name: _expression(text, number, case) for number, name in case.returned.items()}
        yours, expected, room = self._compared({name: said for name, said in returned.items() if said}, fault)
        self.text = filled(
            "case_script.py.j2",
            command=command,
            title=safe_line(fault.check.title),
            file=repr(file.name),
            has_saved=bool(self._saved),
            steps=steps,
            yours=yours,
            expected=expected,
            room=room,
        )

    def _compared(self, comparable: Mapping[str, str], fault: AnsweredCase) -> tuple[str, str, str]:
        """The expressions for the first of these results that differs, or else of the output, and for what is expected.

        And how far its numbers may be off, if they are those of a tensor. "" for what is not known.
        """
        came, expected = fault.came.values, fault.expected.values
        known = [name for name in comparable if name in expected]
        usual = OUTPUT if OUTPUT in comparable else next(iter(comparable), "")
        name = next((each for each in known if difference(came.get(each), expected[each], what="")), usual)
        if name not in known:
            return comparable.get(name, ""), "", ""
        place, right = _first_difference(came.get(name), expected[name])
        room = ""
        if isinstance(right, torch.Tensor):
            finite = right.double().nan_to_num(0.0, 0.0, 0.0).abs()
            room = f"{RELATIVE * float(finite.max()) if right.numel() else 0.0:.3g}"
        return comparable[name] + place, self._literal("expected", right), room

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

    def debug(self, stop: Sequence[str] | None) -> None:
        """Run the script in Python's debugger, with these commands first; by itself if it opens one of its own."""
        words = [] if stop is None else ["-m", "pdb", *(part for command in stop for part in ("-c", command))]
        # Ctrl-C is for the debugger; a handler, since what is ignored here would be ignored there too
        before = signal.signal(signal.SIGINT, lambda *_: None)
        try:
            subprocess.run([sys.executable, *words, str(self.path)], check=False)
        finally:
            signal.signal(signal.SIGINT, before)


def _expression(text: CaseText, number: int, case: Case) -> str:
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


def _first_difference(came: Any, expected: Any, place: str = "") -> tuple[str, Any]:
    """The first part that differs: its place as Python writes it, and what is expected there."""
    keys: Iterable[Any] = ()
    if isinstance(expected, (list, tuple)) and isinstance(came, (list, tuple)) and len(came) == len(expected):
        keys = range(len(expected))
    elif isinstance(expected, Mapping) and isinstance(came, Mapping) and came.keys() == expected.keys():
        keys = expected
    for key in keys:
        if difference(came[key], expected[key], what=""):
            return _first_difference(came[key], expected[key], f"{place}[{key!r}]")
    return place, expected


# --- where the debugger stops ----------------------------------------------------------------------------------------


def first_stop(fault: AnsweredCase, reaches_breakpoint: bool, file: Path) -> tuple[str, list[str] | None]:
    """Where `--debug` stops first, in words and as pdb's commands; None where a `breakpoint()` opens the debugger.

    At the learner's breakpoint, at the line that raised, or at the first line of the learner's function.
    """
    if reaches_breakpoint:
        return "It stops at your own breakpoint.", None
    error = fault.came.error or {}
    if frames := error.get("frames"):
        line = frames[-1][0]
        return f"It stops at line {line}, before that raises.", [f"tbreak {file.name}:{line}", "continue"]
    method = "__init__" if error.get("kind") in ("names", "weight_shape") else "forward"
    for entry in reversed([step["name"] for step in fault.case.steps if step["do"] == "entry"]):
        if line := _first_line(file, entry, method):
            said = f"It stops at the first line of `{entry}`, or where your file raises before."
            return said, [f"tbreak {file.name}:{line}", "continue"]
    return "Your file defines no such function, so it begins at the script's first line.", []


def _first_line(file: Path, entry: str, method: str) -> int:
    """The first line of a function, or of a class's method, after its docstring; 0 where there is none."""
    tree = ast.Module([], [])
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        tree = ast.parse(file.read_bytes())
    found = [node for node in tree.body if getattr(node, "name", "") == entry]
    found += [each for node in found if isinstance(node, ast.ClassDef) for each in node.body]
    functions = [each for each in found if isinstance(each, ast.FunctionDef) and each.name in (entry, method)]
    lines = [line for function in functions[-1:] for line in function.body]
    return lines[ast.get_docstring(functions[-1]) is not None and len(lines) > 1].lineno if lines else 0
