"""What the page says of the translator of dates, worked out again from the weights in the repository."""

from __future__ import annotations

import datetime

import pytest
import torch

from grader.play import texts
from grader.play.catalogue import BadText
from grader.play.parts import Grid, Heat, Words, Written
from grader.play.translator import TranslatorScene, tried

EVERY = 37
"""Days from one date to the next: 1,974 of them, in each form."""


@pytest.mark.parametrize("form", texts.FORMS)
def test_nearly_every_date_of_two_centuries_comes_out_right(scene, form):
    days = [texts.FIRST + datetime.timedelta(days=n) for n in range(0, (texts.LAST - texts.FIRST).days, EVERY)]
    sources = torch.tensor([texts.encode_date(texts.written(day, form)) for day in days])
    came = scene("cross_attention").right_translation(sources)
    assert sum(one == day.isoformat() for one, day in zip(came, days, strict=True)) >= 0.99 * len(days)


def test_learners_class_translates_and_each_digit_looks_at_its_own(scene):
    parts = list(scene("cross_attention").parts(TranslatorScene.example, (), in_full=False))
    (written,) = (part for part in parts if isinstance(part, Written))
    assert written.texts == (("your class", "2024-05-03"),)
    (alignment,) = (part for part in parts if isinstance(part, Heat))
    looked_at = [alignment.columns[max(range(len(row)), key=row.__getitem__)] for row in alignment.values]
    year = looked_at[:4]
    assert year == list("2024")
    assert looked_at[9] == "3"
    assert all(abs(sum(row) - 1) < 1e-3 for row in alignment.values)
    assert isinstance(parts[-1], Grid)
    assert dict(parts[-1].rows)["your class"] == dict(parts[-1].rows)["by the formula"] == f"{len(tried()[1])} of 40"


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(
            ("self.linear_q(x), self.linear_k(memory)", "self.linear_q(x), self.linear_q(memory)"), id="no keys"
        ),
        pytest.param(("F.softmax(scores, dim=-1)", "F.softmax(scores, dim=-2)"), id="other axis"),
    ],
)
def test_wrong_code_is_shown_as_it_is(scene, edit):
    parts = list(scene("cross_attention", edit).parts(TranslatorScene.example, (), in_full=False))
    assert any(isinstance(part, Words) and part.kind == "warning" for part in parts)
    assert sum(isinstance(part, Heat) for part in parts) == 2
    assert dict(parts[-1].rows)["your class"] != dict(parts[-1].rows)["by the formula"]


@pytest.mark.parametrize("text", ["3 mai 2024!", "", "the 3rd of september 2024"])
def test_what_cannot_be_read_is_refused(scene, text):
    with pytest.raises(BadText):
        list(scene("cross_attention").parts(text, (), in_full=False))
