#!/usr/bin/env bash
# Run by Gradescope for each submission.
root="${KATA_AUTOGRADER:-/autograder}"
exec "${KATA_PYTHON:-$root/venv/bin/python}" -I -m grader.release.autograders submission "$root"
