"""Tables of figures: what a benchmark prints, keeps with `--json`, and docs/evidence.md shows.

`python benchmarks/figures.py` writes the tables in benchmarks/figures/*.json into the page. There each stands between
two marks, `<!-- figures: NAME -->` and `<!-- end -->`; `NAME.note` stands for its note alone. The text around them is
left alone.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIGURES = ROOT / "benchmarks" / "figures"
PAGE = ROOT / "docs" / "evidence.md"
BLOCK = re.compile(r"(<!-- figures: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)
LOAD = os.getloadavg()[0]
"""What the machine had to do before this process started to measure."""


@dataclass(frozen=True)
class Table:
    """Columns, rows as they are printed, and a sentence below them."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""

    def markdown(self) -> str:
        """As it stands in the page."""
        lines = [self.columns, ["---"] * len(self.columns), *self.rows]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return f"{table}\n\n{self.note}" if self.note else table


def options_of(doc: str | None, quick: str = "") -> argparse.ArgumentParser:
    """The options that every benchmark has: `--json`, and `--quick` where `quick` says what is left out."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the table here, see benchmarks/figures.py")
    if quick:
        parser.add_argument("--quick", action="store_true", help=f"to see that it runs: {quick}")
    return parser


def tell(table: Table, keep: Path | None) -> None:
    """Print a table, with the load of the machine; keep it if asked."""
    note = f"{table.note} Load of the machine before: {LOAD:.1f}.".strip()
    table = Table(table.columns, table.rows, note)
    print(table.markdown())
    if keep:
        keep.write_text(one_row_a_line(table), encoding="utf-8")


def one_row_a_line(table: Table) -> str:
    """A table as JSON that is easy to compare."""
    rows = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in table.rows)
    columns, note = (json.dumps(part, ensure_ascii=False) for part in (table.columns, table.note))
    return f'{{"columns": {columns},\n "rows": [\n  {rows}],\n "note": {note}}}\n'


def read(path: Path) -> Table:
    """A table that was kept."""
    return Table(**json.loads(path.read_text(encoding="utf-8")))


def filled(page: str) -> str:
    """The page with the tables that were kept; what was not measured yet says so."""

    def fill(block: re.Match[str]) -> str:
        name, _, part = block[2].partition(".")
        path = FIGURES / f"{name}.json"
        if not path.exists():
            return f"{block[1]}*Not measured yet.*\n{block[3]}"
        table = read(path)
        return f"{block[1]}{table.note if part == 'note' else table.markdown()}\n{block[3]}"

    return BLOCK.sub(fill, page)


if __name__ == "__main__":
    argparse.ArgumentParser(description="Write the figures that were kept into docs/evidence.md.").parse_args()
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
