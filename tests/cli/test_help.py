"""`kata --help` shows what a learner types first, then what teachers and authors do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from grader.cli.app import COMMANDS, LEARN, TEACH, WRITE, app

SCREEN = 40


def test_commands_stand_in_groups_learners_first(kata: Callable[..., Any], tmp_path: Path) -> None:
    told = kata("--help", cwd=tmp_path).stdout
    places = [told.index(f" {group} ") for group in (LEARN, TEACH, WRITE)]
    assert places == sorted(places) and told.index("\N{BOX DRAWINGS LIGHT VERTICAL} check ") < places[1]


def test_all_commands_fit_on_one_screen(kata: Callable[..., Any], tmp_path: Path) -> None:
    assert len(kata("--help", cwd=tmp_path).stdout.splitlines()) <= SCREEN


def test_in_a_wheel_learners_see_their_own_commands_and_a_line_about_the_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "carried_course").mkdir()
    monkeypatch.setattr("grader.__file__", str(tmp_path / "__init__.py"))
    told = " ".join(CliRunner().invoke(app, ["--help"]).stdout.split())
    assert f" {LEARN} " in told and f" {TEACH} " not in told
    assert "To teach or to write a course: grade, grade-class," in told
    assert CliRunner().invoke(app, ["grade", "--help"]).exit_code == 0


def test_every_command_has_its_place() -> None:
    named = [each.name or each.callback.__name__ for each in app.registered_commands if each.callback is not None]
    grouped = [each.typer_instance.info.name for each in app.registered_groups if each.typer_instance is not None]
    assert sorted([*named, *map(str, grouped)]) == sorted(COMMANDS)
    assert {each.rich_help_panel for each in app.registered_commands} == {LEARN, TEACH, WRITE}
