"""Writes the tables of docs/dependencies.md anew: `python scripts/dependencies.py`.

Names and groups come from pyproject.toml, versions from the lock, licences from what is installed, reasons from
scripts/dependencies.yml. The text around the tables is written by hand.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "dependencies.md"
REASONS = ROOT / "scripts" / "dependencies.yml"
LOCK = ROOT / "requirements-instructor.lock"
TABLE = "<!-- {} -->\n"
END = "<!-- end -->\n"
UNKNOWN = "not installed here"
NO_LICENCES = ("License :: OSI Approved", "License :: DFSG approved")
LONGEST_LICENCE = 40
"""Some packages put the whole text into the field."""

GROUPS = {"": "everybody", "instructor": "instructor", "cluster": "instructor", "dev": "development", "fuzz": "fuzzing"}


def main() -> None:
    """Put both tables between their marks."""
    text = PAGE.read_text(encoding="utf-8")
    for name, table in (("direct", direct_table()), ("indirect", indirect_table())):
        before, _, rest = text.partition(TABLE.format(name))
        text = before + TABLE.format(name) + table + END + rest.partition(END)[2]
    PAGE.write_text(text, encoding="utf-8")


def direct() -> dict[str, tuple[Requirement, str]]:
    """What pyproject.toml names, by its canonical name, and the extra that it belongs to."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"": project["dependencies"], **project["optional-dependencies"]}
    return {
        canonicalize_name(each.name): (each, extra)
        for extra, group in groups.items()
        for each in map(Requirement, group)
    }


def locked() -> dict[str, list[str]]:
    """The versions of each package in the lock, several where Pythons differ."""
    found: dict[str, list[str]] = {}
    for line in LOCK.read_text(encoding="utf-8").splitlines():
        if match := re.match(r"([A-Za-z0-9_.-]+)==([^\s;]+)", line):
            versions = found.setdefault(canonicalize_name(match[1]), [])
            versions += [match[2]] if match[2] not in versions else []
    return found


def direct_table() -> str:
    """Each direct dependency: for whom, what is allowed, what is locked, its licence, and why it is there."""
    reasons, versions = read_reasons()["why"], locked()
    rows = ["| package | for | allowed | locked | licence | why |", "|---|---|---|---|---|---|"]
    for name, (requirement, extra) in direct().items():
        if requirement.name not in reasons:
            raise SystemExit(f"{REASONS.name} does not say why {requirement.name} is there")
        cells = (
            f"`{requirement.name}`",
            GROUPS.get(extra, extra),
            str(requirement.specifier) or "any",
            ", ".join(versions.get(name, ["not locked"])),
            licence_of(name),
            reasons[requirement.name],
        )
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def indirect_table() -> str:
    """Everything else in the lock: what is locked, its licence, and which packages here ask for it."""
    asked = askers()
    rows = ["| package | locked | licence | asked for by |", "|---|---|---|---|"]
    for name, versions in locked().items():
        if name not in direct():
            rows.append(f"| `{name}` | {', '.join(versions)} | {licence_of(name)} | {', '.join(asked.get(name, []))} |")
    return "\n".join(rows) + "\n"


def askers() -> dict[str, list[str]]:
    """Which locked packages that are installed here ask for a package."""
    found: dict[str, list[str]] = {}
    for name in locked():
        for package in installed(name):
            for each in map(Requirement, package.requires or ()):
                others = found.setdefault(canonicalize_name(each.name), [])
                if (each.marker is None or each.marker.evaluate({"extra": ""})) and name not in others:
                    others.append(name)
    return found


def licence_of(name: str) -> str:
    """The licence as the installed package names it, else as the reasons file does."""
    given: Mapping[str, str] = read_reasons()["licences"]
    for package in installed(name):
        told = package.metadata
        classifiers = [each for each in told.get_all("Classifier") or () if each.startswith("License ::")]
        short = (told.get("License") or "").strip().split("\n")[0]
        if expression := told.get("License-Expression"):
            return str(expression)
        if names := [each.split(" :: ")[-1] for each in classifiers if each not in NO_LICENCES]:
            return ", ".join(names)
        if short and len(short) <= LONGEST_LICENCE:
            return short
    return given.get(name, UNKNOWN)


def installed(name: str) -> Iterator[Distribution]:
    """The package, if it is here."""
    try:
        yield distribution(name)
    except PackageNotFoundError:
        return


def read_reasons() -> dict[str, Any]:
    """The hand-written part of the tables."""
    return dict(yaml.safe_load(REASONS.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
