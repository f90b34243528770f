#!/usr/bin/env bash
# Looks up every version in the lock files among the known vulnerabilities, with pip-audit in an environment of its own.
# Ends with 0 when all were looked up and nothing is known, 1 when something is, 3 when not all could be looked up.
set -euo pipefail
cd "$(dirname "$0")/.."

tool=build/audit
[ -x $tool/bin/pip-audit ] || {
    .venv/bin/python -m venv $tool
    $tool/bin/python -m pip --disable-pip-version-check --no-input -qq install 'pip-audit==2.10.1'
}

[ $# -gt 0 ] || set -- requirements.lock requirements-instructor.lock
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
verdict=0
for lock in "$@"; do
    # Its own status will not do: a version that it cannot look up counts as a clean one there.
    $tool/bin/pip-audit -r "$lock" --no-deps --disable-pip --progress-spinner off \
        --format json --output "$folder/found" 2>"$folder/said" || true
    status=0
    .venv/bin/python scripts/audit_verdict.py "$lock" "$folder/found" "$folder/said" || status=$?
    rm -f "$folder/found"
    [ $status -le $verdict ] || verdict=$status
done
exit $verdict
