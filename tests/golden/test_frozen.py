"""What the program says of known work is what it said when that was frozen. To see how it differs, or to renew it: frozen.py."""

from __future__ import annotations

import pytest

from grader.sandbox.doctor import strongest_level
from grader.sandbox.levels import GRADING_LEVELS
from tests.golden.frozen import answers, differences

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(2400)]  # three thousand answers


def test_no_answer_differs() -> None:  # the attacks are compared where they are graded
    if strongest_level() not in GRADING_LEVELS:
        pytest.skip("this machine cannot isolate submissions")
    assert not list(differences(answers()))
