#!/usr/bin/env bash
# Writes the two lock files anew from pyproject.toml, for every supported Python at once. Needs uv (pip install uv).
#
# requirements.lock is what everybody gets; requirements-instructor.lock is the same with nbgrader, Jupyter and dask.
# CUDA's packages are left out: a CPU build of torch does without them, and where pip finds no CPU build it takes them
# along by itself, in the versions that build wants.
set -euo pipefail
cd "$(dirname "$0")/.."

lock() { # FILE WHO CONSTRAINTS EXTRA...
    local file=$1 who=$2 constraints=$3
    shift 3
    {
        echo "# What $who installs, to the version. Made by scripts/lock.sh from pyproject.toml."
        uv pip compile pyproject.toml "${@/#/--extra=}" --universal --python-version 3.10 --upgrade --quiet \
            --no-header --no-annotate --constraint "$constraints" |
            grep -Ev '^(cuda|nvidia|triton)\b'
    } >"$file.new"
    mv "$file.new" "$file"
}

pinned=$(mktemp)
trap 'rm "$pinned"' EXIT
printf '%s\n' 'torch==2.13.0' 'numpy<2.5' >"$pinned"
lock requirements.lock '`make setup`' "$pinned" dev
lock requirements-instructor.lock '`make instructor`' requirements.lock dev instructor cluster
