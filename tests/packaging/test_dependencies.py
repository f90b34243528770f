"""docs/dependencies.md names every package, with the versions of the lock and a licence, and says why each is there."""

from __future__ import annotations

import importlib.util
import re
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
STALE = "run `python scripts/dependencies.py`"


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


DEPENDENCIES = script("dependencies")


def rows(table: str) -> dict[str, list[str]]:
    """The cells after the name, by the package's canonical name."""
    text = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    _, _, rest = text.partition(DEPENDENCIES.TABLE.format(table))
    lines = re.findall(r"^\| `([^`]+)` \| (.*) \|$", rest.partition(DEPENDENCIES.END)[0], re.MULTILINE)
    return {DEPENDENCIES.canonicalize_name(name): cells.split(" | ") for name, cells in lines}


def test_each_direct_dependency_has_its_row() -> None:
    locked, found = DEPENDENCIES.locked(), rows("direct")
    due = {
        name: [str(requirement.specifier) or "any", ", ".join(locked.get(name, ["not locked"]))]
        for name, (requirement, _) in DEPENDENCIES.direct().items()
    }
    assert {name: cells[1:3] for name, cells in found.items()} == due, STALE
    assert all(cells[3] and cells[4] for cells in found.values())


def test_everything_else_in_the_lock_has_its_row() -> None:
    due = {name: ", ".join(each) for name, each in DEPENDENCIES.locked().items() if name not in DEPENDENCIES.direct()}
    assert {name: cells[0] for name, cells in rows("indirect").items()} == due, STALE


def test_every_licence_is_known_and_as_the_package_tells_it() -> None:
    found = {name: cells[3] for name, cells in rows("direct").items()}
    found |= {name: cells[1] for name, cells in rows("indirect").items()}
    assert [name for name, licence in found.items() if licence == DEPENDENCIES.UNKNOWN] == []
    locked = DEPENDENCIES.locked()
    for name, licence in found.items():
        try:
            here = version(name)
        except PackageNotFoundError:
            continue
        if [here] == locked.get(name):  # where Pythons differ, the page tells one version's licence
            assert licence == DEPENDENCIES.licence_of(name), STALE


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
    found, sentence = script("audit_verdict").verdict(packages)
    assert found == status and told in sentence
