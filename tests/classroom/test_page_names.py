"""Names of learners' pages: readable, safe, and nobody else's."""

from __future__ import annotations

import os

import pytest

from grader.classroom.results import page_name

NAMES = ["ada", "Ada", "ADA", "ada.", "ada ", " ada", "../ada", "a/b", "a\\b", "ada\n", "Zoë", "Zoe\u0308", "林", "\U0001d51e",
         "", ".", "..", "-", "con", "x" * 300, "x" * 301, "ada@uni.example", "1001", "ada.html", "\udcff", "a\0b"]  # fmt: skip


def test_plain_id_is_its_own_name() -> None:
    assert [page_name(name) for name in ("ada", "1001", "a.b-c_d")] == [
        *("learner-ada.html", "learner-1001.html", "learner-a.b-c_d.html")
    ]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_name_is_one_that_every_file_system_takes(name: str) -> None:
    made = page_name(name)
    assert made.isascii() and made == made.lower() and os.path.basename(made) == made and len(made) < 90
    assert not set(made) - set("abcdefghijklmnopqrstuvwxyz0123456789._-")


def test_no_two_learners_share_a_name_even_if_one_calls_himself_like_a_page() -> None:
    names = [*NAMES, *(stem for name in NAMES if (stem := page_name(name)[len("learner-") : -len(".html")]) != name)]
    made = [page_name(name) for name in names]
    assert len(set(made)) == len(made)
