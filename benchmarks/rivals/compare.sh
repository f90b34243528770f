#!/usr/bin/env bash
# Everything in docs/rivals.md, one after the other: installs the rivals if they are not there, lets every cheat and
# class run, and writes the figures into the page. Wants a quiet machine for the better part of an hour.
set -euo pipefail

cd "$(dirname "$0")/../.."
python=.venv/bin/python
figures=benchmarks/figures
mkdir -p "$figures"

[ -x build/rivals-venv/bin/otter ] || benchmarks/rivals/set_up.sh
"$python" benchmarks/rivals/classes.py --exercises six --layout one --json "$figures/class-of-six.json"
"$python" benchmarks/rivals/classes.py --leave-out tiny_gpt --json "$figures/class-without-training.json"
"$python" benchmarks/rivals/classes.py --json "$figures/class.json"
"$python" benchmarks/growth.py --json "$figures/growth.json"
"$python" benchmarks/rivals/attacks.py --json "$figures/attacks.json"
"$python" benchmarks/tables.py
