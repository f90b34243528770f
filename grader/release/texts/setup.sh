#!/usr/bin/env bash
# Run by Gradescope once, as root, while it builds the image.
set -euo pipefail
root="${KATA_AUTOGRADER:-/autograder}"

apt-get update
apt-get install -y --no-install-recommends bubblewrap libseccomp2 python3 python3-venv
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || {
    echo "Python 3.10 or newer is needed: choose Ubuntu 22.04 or later as the base image." >&2
    exit 1
}
python3 -m venv "$root/venv"
"$root/venv/bin/pip" install --no-cache-dir "$root/source/WHEEL"

# The course's own solutions have to get full marks here, else right work of learners would lose points.
"$root/venv/bin/python" -I -m grader.release.autograders solutions "$root/source/course/course.yml"
