"""nbgrader's exchange, from the release to the feedback that a learner fetches, by nbgrader's own commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(600)]

UNIT, COURSE_ID = "01_parts", "kata101"
RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def share(amounts):\n    return amounts\n"


class Term:
    """An instructor's course folder, and the folder of a learner on the same machine."""

    def __init__(self, folder: Any, learner: Any) -> None:
        self.folder, self.learner = folder, learner

    @property
    def notebook(self) -> Path:
        return self.learner.root / UNIT / f"{UNIT}.ipynb"

    @property
    def fetched(self) -> list[str]:
        """The feedback that the learner has, oldest first."""
        pages = sorted((self.learner.root / UNIT / "feedback").rglob("*.html"))
        return [page.read_text("utf-8") for page in pages]


@pytest.fixture(scope="module")
def term(
    tmp_path_factory: pytest.TempPathFactory,
    released_at: Callable[..., Any],
    folder_at: Callable[[Path], Any],
    edit: Any,
) -> Term:
    root = tmp_path_factory.mktemp("exchange")
    folder = released_at(root)
    (root / "exchange").mkdir()
    (root / "exchange").chmod(0o777)
    settings = f"c.Exchange.root = {str(root / 'exchange')!r}\nc.CourseDirectory.course_id = {COURSE_ID!r}\n"
    with (folder.root / "nbgrader_config.py").open("a", encoding="utf-8") as config:
        config.write(settings + f"c.Exchange.cache = {str(root / 'cache')!r}\n")
    (root / "learner").mkdir()
    (root / "learner" / "nbgrader_config.py").write_text(
        f"c = get_config()\n{settings}c.Exchange.cache = {str(root / 'cache')!r}\n", "utf-8"
    )
    term = Term(folder, folder_at(root / "learner"))
    term.folder.nbgrader("release_assignment", UNIT)
    term.learner.nbgrader("fetch_assignment", UNIT)
    given = json.loads(term.notebook.read_text("utf-8"))
    term.notebook.write_text(json.dumps(edit.filled(given, {"share": WRONG})), "utf-8")
    term.learner.nbgrader("submit", UNIT)
    term.folder.nbgrader("collect", UNIT)
    # came by another way, with no secret and no time
    term.folder.hand_in("by-mail", UNIT, edit.filled(term.folder.released(UNIT), {"share": RIGHT}))
    term.folder.nbgrader("autograde", UNIT)
    term.folder.nbgrader("generate_feedback", UNIT)
    term.folder.nbgrader("release_feedback", UNIT)
    term.learner.nbgrader("fetch_feedback", UNIT)
    return term


def test_learner_fetches_the_feedback(term: Term) -> None:
    (page,) = term.fetched
    assert "Every amount is divided by the sum of its own row." in page and "0 / 4 points" in page


def test_page_of_who_is_not_in_the_exchange_can_be_found_by_nobody(term: Term) -> None:
    graded = term.folder.root / "autograded"
    (submitted,) = (term.folder.root / "submitted").glob("*/*/submission_secret.txt")
    secrets = {path.parent.parent.name: path.read_text("utf-8") for path in graded.glob("*/*/submission_secret.txt")}
    assert secrets.pop(submitted.parent.parent.name) == submitted.read_text("utf-8")
    assert list(secrets) == ["by-mail"] and len(secrets["by-mail"]) == 64
    assert not (term.folder.root / "submitted" / "by-mail" / UNIT / "submission_secret.txt").exists()


@pytest.mark.parametrize(
    ("secret", "why"),
    [
        pytest.param(b"x" * 2000, "is longer than any such file", id="long"),
        pytest.param(b"\xff\xfe", "holds no text", id="no text"),
        pytest.param(None, "is a link; hand in the file itself", id="link"),
    ],
)
def test_odd_secret_ends_nothing(term: Term, secret: bytes | None, why: str) -> None:
    path = term.folder.root / "submitted" / "by-mail" / UNIT / "submission_secret.txt"
    if secret is None:
        path.symlink_to(term.folder.root / "gradebook.db")
    else:
        path.write_bytes(secret)
    try:
        log = term.folder.nbgrader("autograde", UNIT, "--force").stderr
        assert f"submission_secret.txt {why}: this learner cannot fetch feedback." in log
        term.folder.nbgrader("generate_feedback", UNIT, "--force")
        term.folder.nbgrader("release_feedback", UNIT)
    finally:
        path.unlink()
