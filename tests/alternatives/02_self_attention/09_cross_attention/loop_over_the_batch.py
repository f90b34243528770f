import torch
from torch import nn


class CrossAttention(nn.Module):
    """Each pair of sequences for itself; scores as (key, query), so the softmax runs over dim 0."""

    def __init__(self, hidden_size):
        super().__init__()
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_q = nn.Linear(hidden_size, hidden_size)
        self.linear_v = nn.Linear(hidden_size, hidden_size)
        self.scaling = torch.rsqrt(torch.tensor(float(hidden_size)))

    def forward(self, x, memory):
        outputs = []
        for asking, answering in zip(x, memory, strict=True):
            scores = self.linear_k(answering) @ self.linear_q(asking).T * self.scaling
            outputs.append(scores.softmax(dim=0).T @ self.linear_v(answering))
        return torch.stack(outputs)
