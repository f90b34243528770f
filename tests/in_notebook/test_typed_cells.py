"""The transcripts beside this file, typed into a real kernel, and compared whole: what is shown, and which code is judged.

A cell begins with ">>> " if a person runs it, with "--> " if a program for notebooks does; below it stands what is shown of it as text, and its
error. A new transcript needs its cells alone; RENEW=1 pytest tests/in_notebook writes what comes of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CELL = re.compile(r"^(>>>|-->) (.*(?:\n\.\.\..*)*)|^#.*", re.MULTILINE)
VARYING = {
    r"seed=(?!5\))\d+": "seed=SEED",
    r"none of its \d+ numbers": "none of its N numbers",
    r"Isolation: \w+": "Isolation: LEVEL",
    r"\x1b\[[\d;]*m": "",
    r"(?m) +$": "",
}


@pytest.mark.timeout(400)
@pytest.mark.parametrize("path", [HERE / "shown.txt", HERE / "judged.txt"], ids=["shown", "judged"])
def test_cells_show_what_the_transcript_says(
    path: Path, open_kernel: Callable[..., Any], course: Path, golden: Callable[[Path, str], None]
) -> None:
    kernel, parts = open_kernel(course), []
    for found in CELL.finditer(path.read_text("utf-8")):
        prompt, source = found.groups()
        if not prompt:
            parts.append(f"{found[0]}\n")
            continue
        said = kernel.run(re.sub(r"(?m)^\.\.\. ?", "", source), by_person=prompt == ">>>")
        shown = [said.printed, *(data["text/plain"] for data in said.shown)]
        shown += [said.traceback if said.error == "NotPassed" else said.error]
        text = "\n".join(each.strip("\n") for each in shown if each)
        for varying, put in VARYING.items():
            text = re.sub(varying, put, text.replace(str(ROOT), "CLONE"))
        parts.append(f"{found[0]}\n{text}\n\n" if text else f"{found[0]}\n\n")
    golden(path, f"{''.join(parts).rstrip()}\n")
