"""A lesson as its tests read it: its sections, the rows of numbers in them, and the equations."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
LESSONS = sorted((ROOT / "exercises").glob("*/README.md"))

HEADING = re.compile(r"^## (.*)$", re.MULTILINE)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\([^)]*\)")
BOLD = re.compile(r"\*\*(?=\S)(.*?)(?<=\S)\*\*", re.DOTALL)

NUMBER = r"(?:\d*\.\d+|\d+)"
TERM = rf"(?:{NUMBER}²?|√\d+|(?:exp|ln|cos|sin) ?\(?-?{NUMBER}\)?)"
SIDE = rf"\(*-?{TERM}\)*(?: ?(?:[-+·^]|\*\*|//?) ?\(*-?{TERM}\)*)*"
EQUATION = re.compile(rf"(?<![\w.^-])(?<!\w\()(?<![-+·/*] )({SIDE}(?: = {SIDE})+)(?!\.?\w)")
SERIES = re.compile(r"1 \+ 2 \+ … \+ (\d+)")
FUNCTIONS = {"sqrt": math.sqrt, "exp": math.exp, "ln": math.log, "cos": math.cos, "sin": math.sin}


def sections_of(lesson: Path) -> dict[str, str]:
    """The text under each heading by what the heading begins with, "03" or "Try this"; "" is the text before the first."""
    opening, *parts = HEADING.split(lesson.read_text(encoding="utf-8"))
    names = [title[:2] if title[:2].isdigit() else title for title in parts[::2]]
    return {"": opening, **dict(zip(names, parts[1::2], strict=True))}


def plain(text: str) -> str:
    """The text in one line, without code to run and addresses; 1,000 is 1000, 0.5 is .5 and a minus sign is a hyphen."""
    text = BOLD.sub(r"\1", LINK.sub(r"\1", BLOCK.sub("", text)))
    text = text.replace("\N{MINUS SIGN}", "-").replace("`", "")
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    return " ".join(re.sub(r"(?<![\d.])0(?=\.\d)", "", text).split())


def numbers_only(text: str) -> str:
    """The plain text without what stands between numbers: the rows of tables and lists become numbers side by side."""
    return " ".join(re.sub(r"[|,;:()\[\]]| and |\.(?!\d)", " ", plain(text)).split())


def row(numbers: torch.Tensor | Sequence[float], digits: int = 4) -> str:
    """Numbers as `numbers_only` has them: rounded, without the 0 before the point; whole ones without digits."""
    written = []
    for number in torch.as_tensor(numbers, dtype=torch.float64).flatten().tolist():
        text = f"{round(number)}" if abs(number - round(number)) < 1e-6 else f"{number:.{digits}f}"
        written.append(re.sub(r"^(-?)0\.", r"\1.", text))
    return " ".join(written)


def equations_of(text: str) -> list[str]:
    """The equations between numbers, such as `.6 · 10 = 6`."""
    return EQUATION.findall(SERIES.sub(r"\1 · (\1 + 1) / 2", plain(text)))


def value_of(side: str) -> float:
    """What one side of an equation is worth."""
    side = re.sub(r"√(\d+)", r"sqrt(\1)", side.replace("·", "*").replace("²", "**2").replace("^", "**"))
    side = re.sub(rf"\b(exp|ln|cos|sin) ?\(?(-?{NUMBER})\)?", r"\1(\2)", side)
    return float(eval(side, {"__builtins__": {}}, FUNCTIONS))


def precision_of(side: str) -> float:
    """How far rounding may move this side: a unit of the last digit for each number with a point, nothing for whole ones."""
    digits = [len(each) for each in re.findall(r"\.(\d+)", side)]
    return float(sum(10.0**-each for each in digits)) or 1e-6
