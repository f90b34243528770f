#!/usr/bin/env bash
# Runs a sample of the tests with the oldest and with the newest versions that pyproject.toml allows. Needs uv.
#
#     scripts/try_versions.sh                      3.10 with the oldest, 3.13 with the newest
#     scripts/try_versions.sh 3.12 newest          that Python only
#     SAMPLE='tests/authoring' scripts/try_versions.sh  other tests
#
# "oldest" is the lowest version of each package that pyproject.toml names, "newest" the latest of all. Each goes into an
# environment of its own in build/versions, with a copy of the project; for smaller downloads set UV_TORCH_BACKEND=cpu.
# It prints rows for the table in docs/evidence.md; what failed is in build/versions/*/said*.
set -euo pipefail
cd "$(dirname "$0")/.."

read -ra sample <<<"${SAMPLE:-tests/sandbox/test_wire.py tests/sandbox/test_worker.py tests/judge tests/references tests/course}"
exercises='softmax scaled_scores causal_mask multi_head_attention grouped_query_attention sdpa'

try() { # PYTHON oldest|newest
    local python=$1 age=$2 place resolution=highest
    [ "$age" = oldest ] && resolution=lowest-direct
    place=$PWD/build/versions/$python-$age
    rm -rf "$place/project"
    mkdir -p "$place/project"
    git ls-files -z --cached --others --exclude-standard | tar --ignore-failed-read --null -T - -cf - 2>/dev/null |
        tar -xf - -C "$place/project"
    uv venv --quiet --allow-existing --python "$python" "$place/venv"
    uv pip compile --quiet pyproject.toml --resolution $resolution --python "$place/venv/bin/python" -o "$place/versions"
    uv pip install --quiet --python "$place/venv/bin/python" -r "$place/versions"
    uv pip install --quiet --python "$place/venv/bin/python" -c "$place/versions" \
        setuptools pip hypothesis jsonschema pexpect pyte pytest-xdist
    uv pip install --quiet --python "$place/venv/bin/python" --no-deps --no-build-isolation -e "$place/project"
    local said="$place/said" tests kits=hold
    (cd "$place/project" && PATH=$place/venv/bin:$PATH pytest -q -p no:cacheprovider "${sample[@]}") >"$said" 2>&1 || true
    tests=$(tail -n 1 "$said" | tr -d = | sed 's/ in .*//; s/^ *//')
    # shellcheck disable=SC2086 # several ids
    (cd "$place/project" && PATH=$place/venv/bin:$PATH kata verify $exercises) >"$said.kits" 2>&1 || kits="DO NOT HOLD"
    "$place/venv/bin/python" - "$tests" "$kits" <<'ROW'
import platform
import sys
from importlib.metadata import version

names = ("torch", "numpy", "pytest", "pydantic", "typer")
print("", platform.python_version(), *map(version, names), *sys.argv[1:], "", sep=" | ")
ROW
}

if [ $# -eq 0 ]; then
    try 3.10 oldest
    try 3.13 newest
else
    try "$1" "${2:?usage: scripts/try_versions.sh [PYTHON oldest|newest]}"
fi
