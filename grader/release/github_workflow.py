"""The GitHub workflow that grades a learner's repository at every push.

Follows classroom-resources/autograding-grading-reporter (README.md): the workflow is called "Autograding Tests", has
one job called run-autograding-tests, and passes each grading step's output to the reporter as <STEP>_RESULTS in base64.
Without GitHub Classroom the same workflow grades as well: the reporter then only displays the result.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.errors import KataError

PATH = ".github/workflows/classroom.yml"
TOKEN = "KATA_COURSE_TOKEN"
_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+")
_NAME = re.compile(r"[a-z0-9_]+")

_WORKFLOW = """\
# Made by `kata autograder github`. The names of the workflow and of its job are GitHub Classroom's: leave them.
#
# The course comes from {repository}, which holds the solutions and hidden checks. Keep it private, and let the
# secret {token} hold a token that can do nothing but read it.
#
# Who may change this file can make it print anything that it can read, the course too. Where that matters, let nobody
# but instructors change .github (a ruleset of the organisation), and take marks from `kata grade-class` on clones.
name: Autograding Tests
"on":
  - push
  - workflow_dispatch
  - repository_dispatch
permissions:
  checks: write
  actions: read
  contents: read
jobs:
  run-autograding-tests:
    runs-on: ubuntu-latest
    timeout-minutes: 30
    if: github.actor != 'github-classroom[bot]'
    steps:
      - name: Learner's work
        uses: actions/checkout@v4
        with:
          path: submission
          persist-credentials: false
      - name: Course
        uses: actions/checkout@v4
        with:
          repository: {repository}
          ref: "main"
          token: ${{{{ secrets.{token} }}}}
          path: course
          persist-credentials: false
      - name: Python
        uses: actions/setup-python@v5
        with:
          python-version: "3.12"
          cache: pip
          cache-dependency-path: course/pyproject.toml
      - name: Grader
        env:
          # one more package index, such as one with smaller builds of torch: a variable of the organisation
          PIP_EXTRA_INDEX_URL: ${{{{ vars.KATA_PIP_INDEX }}}}
        run: |
          sudo apt-get update
          sudo apt-get install -y --no-install-recommends bubblewrap libseccomp2
          # Ubuntu 24.04 keeps user namespaces from programs that it does not know. This machine lives for one run.
          sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 || true
          python -m pip install ./course
          # the course's own solutions have to get full marks here, else right work would lose points
          python -I -m grader.release.walled solutions course/course.yml
      - name: Attention Kata
        id: kata
        run: |
          record="$RUNNER_TEMP/record.json"
          result="$RUNNER_TEMP/result.json"
          status=0
          kata grade submission --course course/course.yml {chosen}--isolation full --json "$record" || status=$?
          # without a record nothing was graded; with one that is not whole the reporter says so, and gives no points
          [ -f "$record" ] || exit "$status"
          kata export "$record" --format github --course course/course.yml --to "$result"
          echo "result=$(base64 -w0 "$result")" >>"$GITHUB_OUTPUT"
      - name: Autograding Reporter
        uses: classroom-resources/autograding-grading-reporter@v1
        env:
          KATA_RESULTS: "${{{{ steps.kata.outputs.result }}}}"
        with:
          runners: kata
"""


def workflow(repository: str, *, units: Sequence[str] = (), only: Sequence[str] = ()) -> str:
    """The workflow file's text.

    repository: "owner/name" of the course. units, only: the folders or numbers of the units and the ids of the
    exercises that count; all if both are empty. Raises KataError when a name is invalid.
    """
    if not _REPOSITORY.fullmatch(repository):
        raise KataError(f"{repository!r} is no repository on GitHub: write it as OWNER/NAME.")
    for name in (*units, *only):
        if not _NAME.fullmatch(name):
            raise KataError(f"{name!r} is no name of a unit or an exercise, such as 01_soft_lookup or softmax.")
    chosen = "".join([f"--unit {unit} " for unit in units] + [f"--only {id} " for id in only])
    return _WORKFLOW.format(repository=repository, token=TOKEN, chosen=chosen)
