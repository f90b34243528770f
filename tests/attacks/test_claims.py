"""Files that own their process, graded as any other: what they say of themselves is worth little, numbers nobody forges.

docs/security.md says which checks have only the word of the process that the learner's code runs in. Beside each forger sits
an honest learner, who loses nothing.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course import load_course
from grader.intake import SourceFile, Submission
from grader.judge.grading import Judge
from grader.record import ExerciseResult
from grader.sandbox.doctor import strongest_level
from grader.sandbox.levels import GRADING_LEVELS

ROOT = Path(__file__).parents[2]
COURSE = load_course(ROOT / "course.yml")
SEED = 20_261_120
CLAIMS_AT_MOST = 1 / 5

HOST = """
import dataclasses
import operator

modules = operator.attrgetter("sys.modules")(dataclasses)
host = modules["inside.host"]
observer = modules["inside.observing"].Observer
"""
WHOLE_MATRIX = """
import torch


def tiled_attention(query, key, value, block_size):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = (scores - scores.amax(-1, keepdim=True)).exp()
    return weights @ value / weights.sum(-1, keepdim=True)
"""
LAID_OUT_OTHERWISE = """
import torch


def tiled_attention(query, key, value, block_size):
    scores = (key @ query.transpose(-2, -1))[..., None] / query.shape[-1] ** 0.5      # (..., Lk, Lq, 1)
    weights = (scores - scores.amax(-3, keepdim=True)).exp()
    weights = weights / weights.sum(-3, keepdim=True)
    return (weights * value[..., None, :]).sum(-3)
"""
FLAT = """
import torch


def tiled_attention(query, key, value, block_size):
    lead, lq, lk = query.shape[:-2], query.shape[-2], key.shape[-2]
    scores = query.new_empty(*lead, lq * lk)
    for i in range(lq):
        row = (query[..., i : i + 1, :] @ key.mT)[..., 0, :] / query.shape[-1] ** 0.5
        scores = torch.cat([scores[..., : i * lk], row, scores[..., (i + 1) * lk :]], -1)
    return torch.softmax(scores.unflatten(-1, (lq, lk)), -1) @ value
"""
SEES_NOTHING = (
    HOST
    + """
observer.seen = lambda self: {"largest": 0, "functions": ["scaled_dot_product_attention"], "printed": 0}
"""
)
BY_HAND = """
import torch


def sdpa(query, key, value, hidden):
    scores = (query @ key.mT / query.shape[-1] ** 0.5).masked_fill(hidden, -torch.inf)
    return torch.softmax(scores, -1) @ value
"""
MADE_UP = (
    HOST
    + """
import torch
from torch import nn


class TinyGPT(nn.Module):
    pass


def forged(case, *rest):
    told, number = {}, 0
    for step, about in enumerate(case["steps"]):
        if not about["tell"]:
            continue
        number += 1
        if about["method"] == "generate":
            prompt = case["steps"][about["args"][0].number]["value"]
            told[str(step)] = torch.randint(26, (prompt.shape[0], prompt.shape[1] + about["args"][1]))
        elif about["method"] in ("__repr__", "count"):
            told[str(step)] = str(number // 3) if about["method"] == "__repr__" else 0
        elif about["do"] == "refuses":
            told[str(step)] = "accepted"
        elif about["do"] == "value":
            told[str(step)] = case["steps"][about["value"].number]["value"]
        else:
            told[str(step)] = SAID
    return {"answers": told, "error": None}


host._run_case = forged
"""
)
KNOWN_BY_HEART = """
import torch
from torch import nn


class TinyGPT(nn.Module):
    \"\"\"Causal, full of parameters and greedy, and its logits are made up of the tokens: it learns nothing.\"\"\"

    def __init__(self, vocab_size, d_model, num_heads, num_layers, context_length):
        super().__init__()
        self.size, self.context = vocab_size, context_length
        self.layers = nn.ParameterList([torch.zeros(1) for _ in range(num_layers)])

    def forward(self, idx):
        places = torch.arange(1, idx.shape[1] + 1)
        text = ((idx + 1.37) * places.sqrt()).cumsum(-1)
        words = torch.arange(1.0, self.size + 1)
        return (text[..., None] * words).sin() + (idx[..., None] * words).cos() + 0 * sum(self.layers)

    @torch.no_grad()
    def generate(self, idx, max_new_tokens):
        for _ in range(max_new_tokens):
            idx = torch.cat([idx, self(idx[:, -self.context :])[:, -1:].argmax(-1)], dim=1)
        return idx
"""

LOOKED_UP = KNOWN_BY_HEART.replace(
    "        return (text[..., None]",
    """        rows, follows = idx.tolist(), {}
        for row in rows:
            follows.update(zip(zip(row, row[1:], row[2:]), row[3:]))
        found = torch.zeros(*idx.shape, self.size)
        for number, row in enumerate(rows):
            if tuple(row[-3:]) in follows:
                found[number, -1, follows[tuple(row[-3:])]] = 50.0
        return found + (text[..., None]""",
)
"""Says what follows the same words in another row of the batch."""
REMEMBERED = (
    LOOKED_UP.replace("idx.tolist(), {}", "idx.tolist(), {} if self.training else self.follows") + "    follows = {}\n"
)
"""Says what follows the same words in any text that it was shown in eval(), in this call or an earlier one."""


def grade(id: str, files: dict[str, str]) -> dict[str, ExerciseResult]:
    level = strongest_level()
    if level not in GRADING_LEVELS:
        pytest.skip("this machine cannot isolate submissions")
    exercise = COURSE.exercise(id)
    files = {**files, "honest": COURSE.solution_path(exercise).read_text(encoding="utf-8")}
    taken: dict[str, ExerciseResult] = {}
    judge = Judge(COURSE, level, SEED, [id])
    submissions = [
        Submission(name, {id: SourceFile(id, exercise.file_name, text.encode())}, ()) for name, text in files.items()
    ]
    try:
        judge.grade(submissions, lambda record: taken.update({record.submission: record.exercises[0]}))
    finally:
        judge.close()
    honest = taken.pop("honest")
    assert (honest.status, honest.points) == ("passed", exercise.points)
    return taken


@pytest.mark.thorough
def test_a_whole_matrix_is_seen_however_it_is_laid_out() -> None:
    files = {"plain": WHOLE_MATRIX, "laid-out-otherwise": LAID_OUT_OTHERWISE, "flat": FLAT}
    for name, exercise in grade("tiled_attention", files).items():
        failed = [check.name for check in exercise.checks if check.outcome == "failed"]
        assert (name, exercise.status, failed) == (name, "failed", ["test_full_matrix_is_never_made"])


@pytest.mark.parametrize(("id", "right_numbers"), [("tiled_attention", WHOLE_MATRIX), ("sdpa", BY_HAND)])
def test_a_forged_observation_is_worth_a_fifth_at_most(id: str, right_numbers: str) -> None:
    taken = grade(id, {"true": right_numbers, "forged": right_numbers + SEES_NOTHING})
    assert taken["true"].status == "failed"
    gained = taken["forged"].points - taken["true"].points
    assert 0 < gained <= CLAIMS_AT_MOST * taken["forged"].max_points
    assert "How a number was come by" in (ROOT / "docs" / "security.md").read_text(encoding="utf-8")


SAID = {"true": "True", "none": "None", "zeros": "torch.zeros(48, 26)", "noise": "torch.randn(3, 5, 26)"}


@pytest.mark.thorough
def test_a_model_that_learns_nothing_gets_what_its_claims_are_worth() -> None:
    files = {name: MADE_UP.replace("SAID", said) for name, said in SAID.items()}
    taken = grade("tiny_gpt", {**files, "by heart": KNOWN_BY_HEART, "looked up": LOOKED_UP, "remembered": REMEMBERED})
    for name, exercise in taken.items():
        assert (name, exercise.status) == (name, "failed")
        assert exercise.points <= CLAIMS_AT_MOST * exercise.max_points
    learns = {check.name: check.outcome for check in taken["by heart"].checks}
    assert learns["test_learns_more_than_word_pairs"] == learns["test_generate_takes_the_likeliest_token"] == "failed"
