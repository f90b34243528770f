#!/usr/bin/env bash
# Looks up every version in the lock files among the known vulnerabilities, with pip-audit in an environment of its own.
# Ends with 0 only when all were looked up and nothing is known.
set -euo pipefail
cd "$(dirname "$0")/.."

tool=build/audit
[ -x $tool/bin/pip-audit ] || {
    .venv/bin/python -m venv $tool
    $tool/bin/python -m pip --disable-pip-version-check --no-input -qq install 'pip-audit==2.10.1'
}

[ $# -gt 0 ] || set -- requirements.lock requirements-instructor.lock
status=0
for lock in "$@"; do
    echo "$lock:"
    # strict: without it, a version that cannot be looked up counts as a clean one
    $tool/bin/pip-audit --strict -r "$lock" --no-deps --disable-pip --progress-spinner off || status=1
done
exit $status
