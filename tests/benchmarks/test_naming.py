"""The script that measures how mistakes are named: its slips, and a small part of the course from end to end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import slips  # noqa: E402  # no package: a script beside the one that uses it

CODE = """\
import torch


def attend(q, k, v, later):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    scores = scores.masked_fill(later, -torch.inf)
    weights = scores.softmax(dim=-1)
    return weights @ v
"""


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("no scale, power", "scores = q @ k.transpose(-2, -1)"),
        ("no root", "scores = q @ k.transpose(-2, -1) / q.shape[-1]"),
        ("mask turned round", "scores = scores.masked_fill(~later, -torch.inf)"),
        ("filled too weakly", "scores = scores.masked_fill(later, -100.0)"),
        ("softmax over the queries, method", "weights = scores.softmax(dim=-2)"),
        ("detached", "return (weights @ v).detach()"),
    ],
    ids=lambda text: text,
)
def test_slip_changes_one_line(name: str, line: str) -> None:
    changed = dict(slips.slips_in(CODE))[name]
    assert set(changed.splitlines()) - set(CODE.splitlines()) == {f"    {line}"}


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("no softmax, method", "weights = scores"),
        ("filled with plus infinity", "scores = scores.masked_fill(later, torch.inf)"),
        ("filled copy dropped", "scores.masked_fill(later, -torch.inf)"),
        ("width of the tokens", "scores = q @ k.transpose(-2, -1) / q.shape[-2] ** 0.5"),
        ("float32 returned", "return (weights @ v).float()"),
    ],
    ids=lambda text: text,
)
def test_slip_of_the_second_list_changes_one_line(name: str, line: str) -> None:
    changed = dict(slips.slips_in(CODE, slips.OTHER_SLIPS))[name]
    assert set(changed.splitlines()) - set(CODE.splitlines()) == {f"    {line}"}


def test_no_slip_is_in_both_lists() -> None:
    assert not {(each.pattern, each.instead) for each in slips.SLIPS} & {
        (each.pattern, each.instead) for each in slips.OTHER_SLIPS
    }


def test_slips_that_do_not_fit_are_left_out() -> None:
    made = {name for name, _ in slips.slips_in(CODE)}
    assert not made & {"heads tiled", "keys as values", "no last projection, o_proj"}


def test_two_slips_are_in_different_lines() -> None:
    pairs = dict(slips.pairs_in(CODE))
    assert "no scale, power + no root" not in pairs, "both are in the line of the scores"
    both = pairs["no scale, power + mask turned round"]
    assert "q.shape" not in both and "~later" in both


@pytest.mark.thorough
def test_names_of_an_exercise_are_measured_and_none_is_wrong() -> None:
    command = [sys.executable, BENCHMARKS / "naming.py", "--only", "head_scores", "--every", "3"]
    command += ["--kind", "known", "--kind", "slips", "--kind", "right"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    rows = {line.split("  ")[0]: line.split() for line in done.stdout.splitlines() if line.split()[-1:][0].isdigit()}
    assert {"known", "slips", "right"} == set(rows), done.stdout + done.stderr
    assert rows["known"][-2] == "100.0%"
    assert all(row[-1] == "0" for row in rows.values()), done.stdout
