"""A model is trained by torch's own AdamW, without what torch would load for it."""

import subprocess
import sys

import torch

from grader.sandbox.inside.case_steps import CLIP, train

A_FEW_MODULES = 20


def test_it_is_torchs_own_adamw():
    texts = torch.arange(6).repeat(7, 4, 1) % 5
    models = []
    for _ in range(2):
        torch.manual_seed(0)
        models.append(torch.nn.Sequential(torch.nn.Embedding(5, 16), torch.nn.Linear(16, 5)))
        models[-1].register_parameter("unused", torch.nn.Parameter(torch.ones(3)))
    train(models[0], texts, 0.05)
    optimizer = torch.optim.AdamW(models[1].parameters(), lr=0.05, fused=True)
    for each in texts:
        optimizer.zero_grad()
        logits = models[1](each[:, :-1])
        torch.nn.functional.cross_entropy(logits.flatten(0, 1), each[:, 1:].flatten()).backward()
        torch.nn.utils.clip_grad_norm_(models[1].parameters(), CLIP)
        optimizer.step()
    assert all(torch.equal(*pair) for pair in zip(models[0].parameters(), models[1].parameters(), strict=True))


def test_training_loads_nothing_more_of_torch():
    script = (
        "import sys, torch\nfrom grader.sandbox.inside.case_steps import train\n"
        "before = set(sys.modules)\nmodel = torch.nn.Embedding(5, 5)\ntexts = torch.arange(5)[None, None]\n"
        "train(model, texts, 0.1)\nprint(len(set(sys.modules) - before))\n"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert int(result.stdout) < A_FEW_MODULES
