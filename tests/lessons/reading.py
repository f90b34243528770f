"""A lesson as its tests read it: sections, the numbers in them, and which of these were recomputed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
LESSONS = sorted((ROOT / "exercises").glob("*/README.md"))

HEADING = re.compile(r"^## (.*)$", re.MULTILINE)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\([^)]*\)")
FRACTION = r"\d*\.\d+"
"""A number with digits after its point: .5, 1.25"""

NUMBER = re.compile(rf"(?<![\w.])(?:\d{{1,3}}(?:,\d{{3}})+|{FRACTION}|\d{{3,}})(?![\d])(?!\.\d)")
"""What nobody sees at a glance: fractions, thousands, and whole numbers of three digits and more."""


def sections_of(lesson: Path) -> dict[str, str]:
    """The text under each heading by what the heading begins with, "03" or "Try this"; "" is the text before the first."""
    text = lesson.read_text(encoding="utf-8")
    _, *parts = HEADING.split(text)
    titles, texts = parts[::2], parts[1::2]
    names = [title[:2] if title[:2].isdigit() else title for title in titles]
    opening = HEADING.split(text)[0]
    return {"": opening, **dict(zip(names, texts, strict=True))}


def plain(text: str) -> str:
    """The text in one line, without code to run and without addresses, every minus sign a hyphen."""
    text = LINK.sub(r"\1", BLOCK.sub("", text))
    return " ".join(text.replace("\N{MINUS SIGN}", "-").replace("**", "").split())


class Said:
    """A section's text; what a test has recomputed is struck out of it."""

    def __init__(self, text: str) -> None:
        """Begin with nothing recomputed."""
        self.text = plain(text)
        self._left = self.text

    def __call__(self, *claims: str) -> None:
        """Each of these pieces must stand in the section, and their numbers are accounted for, wherever they stand."""
        for claim in claims:
            wanted = plain(claim)
            assert wanted in self.text, f"the lesson does not say: {wanted}"
            self._left = self._left.replace(wanted, " … ")

    def number(self, *numbers: str) -> None:
        """Numbers that stand in the section on their own, or again in a picture's words."""
        for number in numbers:
            found = re.compile(rf"(?<![\w.,]){re.escape(number)}(?![\w]|[.,]\d)")
            assert found.search(self.text), f"the lesson does not have the number {number}"
            self._left = found.sub("…", self._left)

    def left(self) -> list[str]:
        """The numbers that nothing accounts for."""
        return NUMBER.findall(self._left)


def written(number: float | torch.Tensor, digits: int = 4) -> str:
    """A number as the lessons write it: rounded, without the 0 before the point."""
    text = f"{float(number):.{digits}f}"
    if float(text) == 0:
        return "0"
    return re.sub(r"^(-?)0\.", r"\1.", text)


def row(numbers: torch.Tensor | list[float], digits: int = 4) -> str:
    """Numbers side by side."""
    return " ".join(written(number, digits) for number in torch.as_tensor(numbers).flatten().tolist())


def counted(number: int) -> str:
    """A whole number as the lessons write it, with commas between the thousands."""
    return f"{number:,}"


Recompute = Callable[[Said], None]


class Recomputed(dict[str, Recompute]):
    """What recomputes the numbers of a unit's lesson: a function for each section."""

    def __init__(self, folder: str) -> None:
        """The unit in this folder."""
        super().__init__()
        self.sections = sections_of(ROOT / "exercises" / folder / "README.md")

    def section(self, name: str) -> Callable[[Recompute], Recompute]:
        """The decorated function recomputes the numbers of this section."""

        def enter(recompute: Recompute) -> Recompute:
            self[name] = recompute
            return recompute

        return enter

    def with_numbers(self) -> list[str]:
        """The sections in which there is a number to recompute, or in which something is recomputed."""
        return [name for name, text in self.sections.items() if name in self or Said(text).left()]

    def check(self, name: str) -> None:
        """Recompute a section's numbers: all that is claimed stands there, and no number is left over."""
        said = Said(self.sections[name])
        assert name in self, f"nothing recomputes {said.left()}"
        self[name](said)
        assert said.left() == [], f"nothing recomputes {said.left()}"
