#!/usr/bin/env bash
# Everything in docs/evidence.md, one after the other: installs the rivals if they are not there, lets every cheat and
# class run, and writes the figures into the page. Wants a quiet machine; with --quick it only sees that all of it runs,
# and keeps no figures.
set -euo pipefail

cd "$(dirname "$0")/../.."
python=.venv/bin/python
figures=benchmarks/figures
quick=()
if [ "${1:-}" = --quick ]; then
    figures=$(mktemp -d)
    trap 'rm -r "$figures"' EXIT
    quick=(--quick)
fi
mkdir -p "$figures"

class() {
    "$python" benchmarks/rivals/classes.py "${quick[@]}" "$@"
}

[ -x build/rivals-venv/bin/otter ] || benchmarks/rivals/set_up.sh
class --exercises six --layout one --json "$figures/class-of-six.json"
class --leave-out tiny_gpt --json "$figures/class-without-training.json"
class --leave-out tiny_gpt --kind unlike --rivals nbgrader --json "$figures/class-unlike.json"
class --few 1 --rivals nbgrader --json "$figures/class.json"
"$python" benchmarks/growth.py "${quick[@]}" --json "$figures/growth.json"
"$python" benchmarks/rivals/attacks.py --json "$figures/attacks.json"
[ ${#quick[@]} -gt 0 ] || "$python" benchmarks/tables.py
