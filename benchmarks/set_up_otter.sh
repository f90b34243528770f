#!/usr/bin/env bash
# Makes build/otter-venv with otter-grader and nbgrader in it, for the comparisons here. It looks into the
# project's own environment for torch and all else that is there, so that every tool computes with the same build, and
# nothing is installed twice. Needs `make instructor` before.
set -euo pipefail

cd "$(dirname "$0")/.."
own=.venv/bin/python
venv=build/otter-venv

"$own" -c 'import nbgrader, torch' 2>/dev/null || { echo "Type make instructor first." >&2; exit 2; }
mkdir -p build
"$own" -m venv --clear "$venv"
# pip and Python see what is in this place, and pip leaves it alone
packages=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
"$own" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' >"$packages/project.pth"
"$venv/bin/python" -m pip --disable-pip-version-check --no-input -qq install -r benchmarks/otter-requirements.txt
"$venv/bin/python" -c '
from importlib.metadata import version
print("Set up:", ", ".join(f"{name} {version(name)}" for name in ("nbgrader", "otter-grader", "pytest", "torch")))'
