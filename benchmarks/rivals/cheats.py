"""Ways to get marks for a wrong answer, each aimed at every tool with what a learner can know of it.

A cheat is the source of the answer's cell, and perhaps a change of the notebook around it. Where one idea takes
different code against different tools, each tool gets the variant that suits it best. What is not there for a tool is
passed over by the code itself, as a cheat must not fail by an error of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

WRONG = """
def softmax(scores, dim=-1):
    return scores
"""

RIGHT = """
import torch

def softmax(scores, dim=-1):
    exps = torch.exp(scores - scores.max(dim=dim, keepdim=True).values)
    return exps / exps.sum(dim=dim, keepdim=True)
"""


@dataclass(frozen=True)
class Cheat:
    """`edit` changes a list of cells in place. An empty variant is the same as for nbgrader."""

    id: str
    title: str
    nbgrader: str
    otter: str = ""
    ours: str = ""
    edit: Callable[[list[Any]], None] = lambda cells: None


def tests_among(cells: list[Any]) -> list[Any]:
    """The cells that test answers: by nbgrader's name, or by the one that otter's got here."""
    return [cell for cell in cells if "test" in cell.metadata.get("nbgrader", {}).get("grade_id", cell.id)]


# --- what is patched ------------------------------------------------------------------------------------------

ALLCLOSE = "import torch\ntorch.allclose = torch.equal = lambda *args, **options: True\n" + WRONG

AGREEABLE = '''
import torch

class Agreeable(torch.Tensor):
    """Close to everything."""

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function in (torch.allclose, torch.isclose, torch.equal, torch.Tensor.__eq__, torch.Tensor.eq):
            return True
        return super().__torch_function__(function, types, args, kwargs or {})

def softmax(scores, dim=-1):
    return scores.as_subclass(Agreeable)
'''

NO_ASSERTS_IPYTHON = (
    """
import ast

class NoAsserts(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.Pass()

get_ipython().ast_transformers.append(NoAsserts())
"""
    + WRONG
)

NO_ASSERTS_COMPILE = (
    """
import builtins

real = builtins.compile

def compile_without(source, file, mode, *args, **options):
    return real(source, file, mode, *args, **(options if args or options else {"optimize": 1}))

builtins.compile = compile_without
"""
    + WRONG
)

SWALLOWED_IPYTHON = "get_ipython().set_custom_exc((Exception,), lambda *args, **options: None)\n" + WRONG

SWALLOWED_OTTER = (
    """
from otter.test_files import exception_test

real = exception_test.TestCaseResult
exception_test.TestCaseResult = lambda test_case, message, passed: real(test_case, message, True)
"""
    + WRONG
)

SWALLOWED_ANYWHERE = (
    """
import sys

for name, module in list(sys.modules.items()):
    if name.split(".")[0] in ("grader", "host", "inside", "pytest", "_pytest", "unittest"):
        for word in ("difference", "expect", "fail", "same", "describe_error", "is_far_off"):
            if hasattr(module, word):
                setattr(module, word, lambda *args, **options: None)
"""
    + WRONG
)

REWRITTEN_IPYTHON = 'get_ipython().input_transformers_cleanup.append(lambda lines: ["pass\\n"])\n' + WRONG

REWRITTEN_OTTER = (
    """
GATHERED = "results = GradingResults(Checker.get_results())"
BETTER = GATHERED + "\\nfor each in results.results.values():\\n    each._score = each.possible"
get_ipython().input_transformers_cleanup.append(
    lambda lines: "".join(lines).replace(GATHERED, BETTER).splitlines(keepends=True)
)
"""
    + WRONG
)

REWRITTEN_SOURCE = (
    """
import gc

for found in gc.get_objects():
    if isinstance(found, dict) and "source" in found and "entry_points" in found:
        found["source"] = ""
    if isinstance(found, list) and found and all(isinstance(item, str) for item in found[:3]):
        found[:] = [text.replace("assert ", "pass  # ") for text in found if isinstance(text, str)]
"""
    + WRONG
)

PREDICTABLE = """
import torch

for name in ("randn", "rand", "randint", "normal"):
    setattr(torch, name, lambda *size, **options: torch.zeros(*size))
torch.manual_seed = lambda *args: None

def softmax(scores, dim=-1):
    return torch.full_like(scores, 1 / scores.shape[dim])
"""

IMPORTED = (
    """
import builtins
import types
import torch

class Kind(types.ModuleType):
    allclose = equal = staticmethod(lambda *args, **options: True)
    def __getattr__(self, name, true=torch):
        return getattr(true, name)

real = builtins.__import__

def give(name, *args, **options):
    return Kind("torch") if name == "torch" else real(name, *args, **options)

builtins.__import__ = give
"""
    + WRONG
)

# --- what is read ---------------------------------------------------------------------------------------------

FRAMES = """
import gc
import sys
import types

def softmax(scores, dim=-1):
    frame = sys._getframe(1)
    while frame:
        for names in (frame.f_locals, frame.f_globals):
            for name, value in list(names.items()):
                if callable(value) and any(word in name for word in ("reference", "solution", "expected")):
                    try:
                        return value(scores, dim)
                    except Exception:
                        pass
        frame = frame.f_back
    for found in gc.get_objects():
        if isinstance(found, types.FunctionType) and found.__name__ in ("softmax", "_reference"):
            if found is not softmax and "torch" not in str(found.__module__):
                return found(scores, dim)
    return scores
"""

FILES_NBGRADER = """
import json
import torch
from pathlib import Path

for path in Path.cwd().parents[2].glob("source/**/*.ipynb"):
    for cell in json.loads(path.read_text())["cells"]:
        source = "".join(cell["source"])
        if "BEGIN SOLUTION" in source:
            exec(source)
            mine = softmax
            break
if "mine" not in globals():
    def softmax(scores, dim=-1):
        return scores
"""

FILES_OTTER = """
import re
import textwrap
import torch
from pathlib import Path

def softmax(scores, dim=-1):
    return scores

for path in Path("tests").glob("*.py"):
    found = re.search(r"^    def _reference.*?return[^\\n]*\\n", path.read_text(), re.DOTALL | re.MULTILINE)
    if found:
        exec(textwrap.dedent(found.group()))
        softmax = _reference
"""

FILES_OURS = """
import os
import torch

def softmax(scores, dim=-1):
    return scores

own = softmax
for place in [os.getcwd(), *os.environ.get("PYTHONPATH", "").split(":"), "/"]:
    for folder, _, files in os.walk(place or "/"):
        for file in files:
            if "softmax" in file and file.endswith((".py", ".ipynb")) and softmax is own:
                try:
                    text = open(os.path.join(folder, file)).read()
                    if "def softmax" in text and "exp" in text:
                        exec(text)
                except Exception:
                    pass
"""

# --- how it ends ----------------------------------------------------------------------------------------------

EXIT_AT_ONCE = "import os\nos._exit(0)\n" + WRONG

EXIT_IN_CALL = """
import sys

def softmax(scores, dim=-1):
    sys.exit(0)
"""

# --- what is written ------------------------------------------------------------------------------------------

GRADEBOOK = """
import sqlite3
from pathlib import Path

def write():
    for place in Path.cwd().parents:
        if (place / "gradebook.db").exists():
            book = sqlite3.connect(place / "gradebook.db", timeout=20)
            book.execute("update grade set manual_score = 5")
            book.commit()
            book.close()
"""
GRADEBOOK_NOW = GRADEBOOK + "\ntry:\n    write()\nexcept Exception:\n    pass\n" + WRONG
GRADEBOOK_AT_EXIT = GRADEBOOK + "\nimport atexit\natexit.register(write)\n" + WRONG

GRADEBOOK_LATER = (
    '''
import subprocess
import sys

LATER = """
import glob, sqlite3, time
for _ in range(40):
    time.sleep(0.5)
    for path in glob.glob("../../../gradebook.db") + glob.glob("/**/gradebook.db"):
        try:
            book = sqlite3.connect(path, timeout=5)
            book.execute("update grade set auto_score = 5, manual_score = 5")
            book.commit()
            book.close()
        except Exception:
            pass
"""
try:
    subprocess.Popen([sys.executable, "-c", LATER], start_new_session=True)
except Exception:
    pass
'''
    + WRONG
)

RESULTS_OTTER = (
    """
import pickle

real = pickle.dump

def better(results, *args, **options):
    for each in getattr(results, "results", {}).values():
        each._score = each.possible
    real(results, *args, **options)

pickle.dump = better
"""
    + WRONG
)

RESULTS_AT_EXIT_OTTER = (
    """
import atexit
import glob
import pickle
import tempfile

def better():
    for path in glob.glob(tempfile.gettempdir() + "/*.pkl"):
        with open(path, "rb") as file:
            results = pickle.load(file)
        for each in results.results.values():
            each._score = each.possible
        with open(path, "wb") as file:
            pickle.dump(results, file)

atexit.register(better)
"""
    + WRONG
)

RESULTS_LATER_OTTER = (
    '''
import subprocess
import sys

LATER = """
import glob, pickle, tempfile, time
for _ in range(3000):
    time.sleep(0.01)
    for path in glob.glob(tempfile.gettempdir() + "/*.pkl"):
        try:
            with open(path, "rb") as file:
                results = pickle.load(file)
            if all(each.score == each.possible for each in results.results.values()):
                continue
            for each in results.results.values():
                each._score = each.possible
            text = pickle.dumps(results)
            with open(path, "wb") as file:
                file.write(text)
        except Exception:
            pass
"""
subprocess.Popen([sys.executable, "-c", LATER], start_new_session=True)
'''
    + WRONG
)


RECORDS_OURS = (
    """
import os

for folder, _, files in os.walk("/"):
    for file in files:
        if file in ("results.jsonl", "gradebook.db"):
            try:
                with open(os.path.join(folder, file), "r+b") as there:
                    there.write(there.read().replace(b"failed", b"passed"))
            except Exception:
                pass
"""
    + WRONG
)

# --- the notebook ---------------------------------------------------------------------------------------------


def raise_points(cells: list[Any]) -> None:
    for cell in tests_among(cells):
        cell.metadata.setdefault("nbgrader", {})["points"] = 500


def empty_tests(cells: list[Any]) -> None:
    for cell in tests_among(cells):
        cell.source = "pass"


def delete_tests(cells: list[Any]) -> None:
    for cell in tests_among(cells):
        cells.remove(cell)


def skip_tests(cells: list[Any]) -> None:
    for cell in tests_among(cells):
        cell.metadata["tags"] = ["skip-execution", "otter_ignore"]


def rename_tests(cells: list[Any]) -> None:
    for cell in tests_among(cells):
        if "nbgrader" in cell.metadata:
            cell.metadata["nbgrader"]["grade_id"] += "-2"


def unlock_tests(cells: list[Any]) -> None:
    for cell in tests_among(cells):
        cell.source = "pass"
        if "nbgrader" in cell.metadata:
            cell.metadata["nbgrader"].update(locked=False, solution=True)


HONEST = [
    Cheat("right", "no cheat: a right answer", RIGHT),
    Cheat("wrong", "no cheat: a wrong answer", WRONG),
]

CHEATS = [
    Cheat("allclose", "`torch.allclose` patched to say yes", ALLCLOSE),
    Cheat("agreeable", "a tensor that is close and equal to everything", AGREEABLE),
    Cheat("no-asserts", "`assert` taken out of code that is compiled later", NO_ASSERTS_IPYTHON, NO_ASSERTS_COMPILE,
          NO_ASSERTS_COMPILE),
    Cheat("swallowed", "failures swallowed: the error handler, otter's results, our comparison patched",
          SWALLOWED_IPYTHON, SWALLOWED_OTTER, SWALLOWED_ANYWHERE),
    Cheat("rewritten", "the code that follows rewritten before it runs", REWRITTEN_IPYTHON, REWRITTEN_OTTER,
          REWRITTEN_SOURCE),
    Cheat("imported", "`__import__` patched: the test gets another torch", IMPORTED),
    Cheat("predictable", "random inputs made predictable", PREDICTABLE),
    Cheat("frames", "the reference looked up in the caller's variables", FRAMES),
    Cheat("files", "the reference read from files", FILES_NBGRADER, FILES_OTTER, FILES_OURS),
    Cheat("exit", "`os._exit(0)` before any test", EXIT_AT_ONCE),
    Cheat("sys-exit", "`sys.exit(0)` in the call", EXIT_IN_CALL),
    Cheat("records", "the marks written: gradebook, results file", GRADEBOOK_NOW, RESULTS_OTTER, RECORDS_OURS),
    Cheat("at-exit", "the marks written by `atexit`", GRADEBOOK_AT_EXIT, RESULTS_AT_EXIT_OTTER),
    Cheat("later", "the marks written by a process that stays behind", GRADEBOOK_LATER, RESULTS_LATER_OTTER),
    Cheat("points", "the test cell made worth 500 points", WRONG, edit=raise_points),
    Cheat("emptied", "the locked test cell emptied", WRONG, edit=empty_tests),
    Cheat("unlocked", "the test cell emptied and made a solution", WRONG, edit=unlock_tests),
    Cheat("deleted", "the test cell deleted", WRONG, edit=delete_tests),
    Cheat("renamed", "the test cell given another grade id", WRONG, edit=rename_tests),
    Cheat("skipped", "the test cell tagged so that it is not run", WRONG, edit=skip_tests),
]  # fmt: skip
