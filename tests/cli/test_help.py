"""`kata --help` shows what a learner types first, then what teachers and authors do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.cli.app import COMMANDS, LEARN, TEACH, WRITE, app

SCREEN = 40


def test_commands_stand_in_groups_learners_first(kata: Callable[..., Any], tmp_path: Path) -> None:
    told = kata("--help", cwd=tmp_path).stdout
    places = [told.index(f" {group} ") for group in (LEARN, TEACH, WRITE)]
    assert places == sorted(places) and told.index("\N{BOX DRAWINGS LIGHT VERTICAL} check ") < places[1]


def test_all_commands_fit_on_one_screen(kata: Callable[..., Any], tmp_path: Path) -> None:
    assert len(kata("--help", cwd=tmp_path).stdout.splitlines()) <= SCREEN


def test_every_command_has_its_place() -> None:
    named = [each.name or each.callback.__name__ for each in app.registered_commands if each.callback is not None]
    grouped = [each.typer_instance.info.name for each in app.registered_groups if each.typer_instance is not None]
    assert sorted([*named, *map(str, grouped)]) == sorted(COMMANDS)
    assert {each.rich_help_panel for each in app.registered_commands} == {LEARN, TEACH, WRITE}
