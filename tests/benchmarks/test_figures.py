"""Tables of figures: how they are kept, and that the page shows those that were kept."""

from __future__ import annotations

from pathlib import Path

import figures
import pytest


def test_a_table_that_was_kept_is_read_as_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = figures.Table(("what", "ms"), (("a fork", "6.2"),), "On one core.")
    figures.tell(table, tmp_path / "kept.json")
    kept = figures.read(tmp_path / "kept.json").markdown()
    assert kept == capsys.readouterr().out.rstrip("\n")
    assert kept.splitlines()[:3] == ["| what | ms |", "| --- | --- |", "| a fork | 6.2 |"]
    assert kept.splitlines()[-1].startswith("On one core. Load of the machine before: ")


def test_the_page_shows_what_was_kept_and_says_what_was_not_measured() -> None:
    page = "Before.\n<!-- figures: {} -->\nstale\n<!-- end -->\nAfter.\n"
    assert figures.filled(page.format("nothing")) == page.format("nothing").replace("stale", "*Not measured yet.*")
    shown = figures.filled(page.format("bench"))
    assert figures.read(figures.FIGURES / "bench.json").markdown() in shown and "stale" not in shown
    note = figures.read(figures.FIGURES / "cheats.json").note
    assert figures.filled(page.format("cheats.note")) == page.format("cheats.note").replace("stale", note)


def test_the_page_of_evidence_holds_the_figures_that_were_kept_and_all_of_them() -> None:
    page = figures.PAGE.read_text(encoding="utf-8")
    assert figures.filled(page) == page, "run python benchmarks/figures.py"
    shown = {name.partition(".")[0] for _, name, _ in figures.BLOCK.findall(page)}
    assert {path.stem for path in figures.FIGURES.glob("*.json")} <= shown
