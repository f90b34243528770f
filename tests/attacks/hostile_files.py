"""The hostile files of corpus/*.yml and those that no text holds: what each tries, its source, and what must become of it.

A file of the corpus holds one kind: `exercise`, unless each attack names its own, and `attacks`:

    - name: exit_0_in_call
      tries: Ends the process as a success inside of the call.
      expect: {status: failed, says: "ended the Python process"}
      source: |
        ...

The attack's whole name has the kind before it: ends_exit_0_in_call. `expect` holds the status (`any` where it does not
matter); `at_most`, the points that it may get (none for one that fails, unless it is said); `says`, a part of one of the
messages; `within`, seconds. A line `#include NAME` in a source stands for the part of that name in shared.yml.
`by_chance: true` says that its checks end differently from run to run, or on a slower machine.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

HERE = Path(__file__).parent
USUAL_SECONDS = 20.0
"""For any of the files, far more than the seconds of its exercise: only what hangs takes longer."""


@dataclass(frozen=True)
class HostileFile:
    """A file that is handed in as the answer to an exercise, and what must become of it."""

    name: str
    exercise: str
    tries: str
    source: bytes
    status: str
    at_most: float | None = None
    """Points; None for all of the exercise's."""
    says: str = ""
    within: float = USUAL_SECONDS
    by_chance: bool = False


def all_files() -> list[HostileFile]:
    """The corpus, and files that no editor would keep as they are."""
    passed = [HostileFile(_name(what), ODD, what, source, "passed") for what, source in PASSED.items()]
    failed = [HostileFile(_name(what), ODD, what, source, "failed", 0, says) for what, (source, says) in FAILED.items()]
    return [*corpus(), *passed, *failed]


def corpus() -> list[HostileFile]:
    """All of them, by kind and in the order of its file."""
    return [each for path in sorted((HERE / "corpus").glob("*.yml")) for each in _of_kind(path)]


def _of_kind(path: Path) -> Iterator[HostileFile]:
    kind = yaml.safe_load(path.read_text(encoding="utf-8"))
    for attack in kind["attacks"]:
        expected = {"at_most": 0, **attack["expect"]} if attack["expect"]["status"] == "failed" else attack["expect"]
        yield HostileFile(
            name=f"{path.stem}_{attack['name']}",
            exercise=attack.get("exercise", kind.get("exercise")),
            tries=attack["tries"],
            source=f"# {attack['tries']}\n{_whole(attack['source'])}".encode(),
            by_chance=attack.get("by_chance", False),
            **expected,
        )


_SHARED = yaml.safe_load((HERE / "shared.yml").read_text(encoding="utf-8"))


def _whole(source: str) -> str:
    return re.sub(r"^#include (\w+)\n", lambda line: _whole(_SHARED[line[1]]), source, flags=re.MULTILINE)


def _name(what: str) -> str:
    return f"odd_{what.replace(' ', '_')}"


# --- other encodings, line ends and sizes, and sources made to break a parser ----------------------------------------

ODD = "softmax"
"""The exercise to which they are handed in."""
RIGHT = """\
import torch


def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)
"""
right = RIGHT.encode()
TAIL = "\n" + RIGHT

# right answers in odd clothes: they must pass
PASSED = {
    "byte order mark": codecs.BOM_UTF8 + right,
    "CRLF": right.replace(b"\n", b"\r\n"),
    "CR alone": right.replace(b"\n", b"\r"),
    "mixed line ends": right.replace(b"\n", b"\r\n", 3),
    "tabs": right.replace(b"    ", b"\t"),
    "form feeds": b"\x0c\n" + right.replace(b"\n\n\n", b"\n\x0c\n\n"),
    "no line end at the end": right.rstrip(),
    "many blank lines": b"\n" * 100_000 + right,
    "UTF-8 cookie": b"# -*- coding: utf-8 -*-\n" + right,
    "cookie of an editor in line two": b"#!/usr/bin/env python\n# vim: set fileencoding=utf-8 :\n" + right,
    "names in other scripts": right.replace(b"exps", "指数".encode()),
    "name in letters that Python makes plain": RIGHT.replace("def softmax", "def \uff53oftmax").encode(),
    "right to left and combining characters": "# \u202e\u2066 e\u0301 \u200b\U0001f600\n".encode() + right,
    "line separators inside of texts": 'note = "\u2028\u2029\x85\x1c"\n'.encode() + right,
    "a megabyte of comments": b"# " + b"x" * 1_000_000 + b"\n" + right,
    "type hints as texts": RIGHT.replace("(scores, dim=-1)", '(scores: "Nothing", dim: "int" = -1) -> "Nothing"').encode(),
    "annotations not evaluated": b"from __future__ import annotations\n" + right.replace(b"dim=-1", b"dim: Nothing = -1"),
    "its own test under __main__": right + b'\n\nif __name__ == "__main__":\n    print(softmax(torch.ones(3)))\n    raise SystemExit(1)\n',
    "a lambda": b"softmax = lambda scores, dim=-1: (scores - scores.logsumexp(dim, keepdim=True)).exp()\n",
    "an object that can be called": right.replace(b"def softmax(", b"class Answer:\n  def __call__(self, ").replace(b"    ", b"      ")
    + b"\n\nsoftmax = Answer()\n",
    "hundred levels of brackets": b"nothing = " + b"(" * 90 + b"0" + b")" * 90 + b"\n" + right,
}  # fmt: skip

DEEP = "is not valid Python"
# (bytes, part of a message)
FAILED = {
    "empty": (b"", "no `softmax` in your file"),
    "blanks": (b" \n\t\n\n", "no `softmax` in your file"),
    "byte order mark alone": (codecs.BOM_UTF8, "no `softmax` in your file"),
    "NUL in a comment": (b"# \x00\n" + right, "NUL"),
    "NUL at the end": (right + b"\x00", "NUL"),
    "Latin-1": ("# é\n".encode("latin-1") + right, "not UTF-8"),
    "Latin-1 cookie": (b"# -*- coding: latin-1 -*-\n" + right, "coding iso-8859-1"),
    "UTF-7 cookie": (b"# coding: utf-7\n+AGkAbQBwAG8AcgB0-\n", "coding utf-7"),
    "rot13 cookie in line two": (b"#!x\n# coding=rot13\n" + right, "coding rot13"),
    "unicode_escape cookie after CR": (b"#\r# coding: unicode_escape\r" + right, "coding unicode_escape"),
    "UTF-16": (RIGHT.encode("utf-16"), "UTF-16"),
    "UTF-16 without a mark": (RIGHT.encode("utf-16-le"), "NUL"),
    "UTF-32": (RIGHT.encode("utf-32"), "UTF-16"),
    "overlong UTF-8": (b"# \xc0\xaf\n" + right, "not UTF-8"),
    "surrogates in UTF-8": (b"# \xed\xa0\x80\n" + right, "not UTF-8"),
    "two megabytes": (b"# " + b"x" * 2_000_000 + b"\n" + right, "larger than"),
    "random bytes": (bytes(range(1, 256)) * 100, "not UTF-8"),
    "pickle": (b"\x80\x04\x95cposix\nsystem\n", "not UTF-8"),
    "brackets": (b"x = " + b"(" * 100_000 + b")" * 100_000 + TAIL.encode(), DEEP),
    "brackets never closed": (b"x = " + b"[" * 500_000, DEEP),
    "minus signs": (b"x = " + b"-" * 200_000 + b"1" + TAIL.encode(), ""),
    "nots": (b"x = " + b"not " * 100_000 + b"1" + TAIL.encode(), ""),
    "attributes": (b"x = a" + b".a" * 100_000 + TAIL.encode(), ""),
    "calls": (b"x = a" + b"()" * 100_000 + TAIL.encode(), ""),
    "sum of many": (b"x = " + b"1+" * 200_000 + b"1" + TAIL.encode(), ""),
    "lambdas": (b"x = " + b"lambda: " * 50_000 + b"1" + TAIL.encode(), ""),
    "blocks": ("".join(f"{' ' * i}if 1:\n" for i in range(200)).encode() + b" " * 200 + b"pass\n", DEEP),
    "conditions": (b"if 1:\n pass\n" + b"elif 1:\n pass\n" * 50_000 + TAIL.encode(), ""),
    "comparisons in format strings": (b"x = " + b"f'{" * 300 + b"1" + b"}'" * 300 + TAIL.encode(), ""),
    "decorators": (b"@a\n" * 100_000 + b"def f():\n    pass\n" + TAIL.encode(), ""),
    "arguments": (b"def f(" + b",".join(b"a%d" % i for i in range(60_000)) + b"): pass\n1 / 0", "ZeroDivisionError"),
    "definitions that need each other": (
        b"".join(b"a%d = a%d\n" % (i + 1, i) for i in range(40_000)) + b"softmax = a40000\n", ""
    ),
    "a literal of a hundred thousand digits": (b"x = " + b"9" * 100_000 + TAIL.encode(), DEEP),
    "a chain of powers": (b"x = 9" + b"**9" * 50_000 + TAIL.encode(), ""),
    "a match of many cases": (b"match 1:\n" + b" case 2: pass\n" * 50_000 + b"1 / 0\n", ""),
}  # fmt: skip
