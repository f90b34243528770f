"""`scripts/audit.sh` ends with 0 only when every version was looked up and nothing is known."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

CLEAN = {"name": "numpy", "version": "2.4.6", "vulns": []}
KNOWN = {"name": "pillow", "version": "1.0", "vulns": [{"id": "PYSEC-2099-1", "fix_versions": ["1.1"]}]}
UNSEEN = {"name": "torch", "skip_reason": "Dependency not found on PyPI and could not be audited: torch (2.13.0)"}


@pytest.mark.parametrize(
    ("packages", "status", "told"),
    [
        pytest.param([CLEAN], 0, "nothing is known against any of 1 versions", id="clean"),
        pytest.param([CLEAN, KNOWN], 1, "pillow 1.0: PYSEC-2099-1, mended in 1.1", id="known vulnerability"),
        pytest.param([CLEAN, UNSEEN], 3, "NOT AUDITED", id="not looked up"),
        pytest.param([KNOWN, UNSEEN], 1, "NOT AUDITED", id="known, and others not looked up"),
        pytest.param([], 3, "NOT AUDITED", id="nothing to look up"),
    ],
)
def test_audit_passes_only_when_everything_was_looked_up(
    packages: list[dict[str, object]], status: int, told: str
) -> None:
    found, sentence = runpy.run_path(str(ROOT / "scripts" / "audit_verdict.py"))["verdict"](packages)
    assert found == status and told in sentence
