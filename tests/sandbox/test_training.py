import torch

from grader.sandbox.inside.training import train


def test_a_model_learns_and_the_losses_are_told():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Embedding(5, 16), torch.nn.Linear(16, 5))
    idx = torch.arange(5).repeat(40, 4, 1)
    losses = train(model, idx, (idx + 1) % 5, 0.05)
    assert len(losses) == 40 and losses[-1] < losses[0] / 2
