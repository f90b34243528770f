#!/usr/bin/env bash
# Writes requirements.lock anew from pyproject.toml, for every supported Python at once. Needs uv (pip install uv).
#
# CUDA's packages are left out: a CPU build of torch does without them, and where pip finds no CPU build it takes them
# along by itself, in the versions that build wants.
set -euo pipefail
cd "$(dirname "$0")/.."

{
    echo '# What make setup installs, to the version. Made by scripts/lock.sh from pyproject.toml.'
    uv pip compile pyproject.toml --extra dev --universal --python-version 3.10 --upgrade --quiet \
        --no-header --no-annotate --constraint <(printf '%s\n' 'torch==2.13.0' 'numpy<2.5') |
        grep -Ev '^(cuda|nvidia|triton)\b'
} >requirements.lock.new
mv requirements.lock.new requirements.lock
