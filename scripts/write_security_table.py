"""Write the table of attacks into docs/security.md: `python scripts/write_security_table.py`.

It is made of tests/attacks/table.yml and, for the files of tests/attacks/corpus, of the first line of each and of
handling.yml.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "security.md"
ATTACKS = ROOT / "tests" / "attacks"
CORPUS = ATTACKS / "corpus"
BEGIN, END = "<!-- the table begins -->", "<!-- the table ends -->"
FULL_POINTS = 5
"""What the exercise is worth as which the corpus is graded."""


@dataclass(frozen=True)
class Row:
    """One attack. `test` is "path::test", "path::test[case]" or a file of the corpus, from the project's root."""

    tries: str
    happens: str
    test: str


@dataclass(frozen=True)
class Group:
    """Attacks that are aimed at one thing."""

    title: str
    rows: tuple[Row, ...]


def groups() -> list[Group]:
    """The whole table. Raises KeyError for a group without its parts."""
    handling = _read("handling.yml")
    return [Group(each["title"], (*_named(each), *_of_corpus(each, handling))) for each in _read("table.yml")]


def _read(name: str) -> Any:
    return yaml.safe_load((ATTACKS / name).read_text(encoding="utf-8"))


def _named(group: dict[str, Any]) -> Iterator[Row]:
    for each in group.get("attacks", ()):
        test = each["test"] if "::" in each["test"] else f"{group['in']}::{each['test']}"
        yield Row(each["tries"], each["happens"], test)


def _of_corpus(group: dict[str, Any], handling: dict[str, Sequence[Any]]) -> Iterator[Row]:
    beginnings = tuple(f"{name}_" for name in group.get("corpus", ()))
    for name, (status, points, says, *_) in handling.items():
        if beginnings and name.startswith(beginnings):
            path = CORPUS / f"{name}.py"
            happens = _outcome(status, points, says, group.get("passed", "right"))
            yield Row(_first_line(path), happens, path.relative_to(ROOT).as_posix())


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8") as file:
        return file.readline().removeprefix("# ").strip().rstrip(".")


def _outcome(status: str, points: float, says: str, passed: str) -> str:
    if status == "passed":
        return f"Passes: {passed}"
    if status == "any":
        return "Passes or not, as this version of torch has it; harms nobody"
    told = f": “{says}”" if says else ""
    return f"{f'At most {points:g} of {FULL_POINTS} points' if points else 'No points'}{told}"


def rendered() -> str:
    """The table as Markdown, between its two marks."""
    found = groups()
    lines = [BEGIN, "", f"{sum(len(group.rows) for group in found)} attacks:", ""]
    for group in found:
        lines += [f"### {group.title}", "", "| tried | what happens | kept so by |", "|---|---|---|"]
        lines += [f"| {_cell(row.tries)} | {_cell(row.happens)} | {_link(row.test)} |" for row in group.rows]
        lines.append("")
    return "\n".join([*lines, END])


def _cell(text: str) -> str:
    return re.sub(r"([|<>*_\[\]\\])", r"\\\1", text)


def _link(test: str) -> str:
    path, _, name = test.partition("::")
    short = Path(path).stem if not name else f"{path.removeprefix('tests/')}::{name}"
    return f"[`{short}`](../{path})"


def with_table(page: str) -> str:
    """The page with the table as it is now. Raises ValueError for a page without its marks."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    if not rest or not after:
        raise ValueError(f"{PAGE.name} lacks the marks between which the table stands")
    return f"{before}{rendered()}{after}"


def main() -> None:
    """Write the page."""
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
