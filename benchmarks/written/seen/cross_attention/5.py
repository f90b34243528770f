# slip: the memory is detached, so no gradient reaches it
import torch
import torch.nn.functional as F
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()
        self.hidden_size = hidden_size
        self.linear_q = nn.Linear(hidden_size, hidden_size)
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_v = nn.Linear(hidden_size, hidden_size)

    def forward(self, x: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        encoder_hidden_states = memory.detach()
        q = self.linear_q(x)
        k = self.linear_k(encoder_hidden_states)
        v = self.linear_v(encoder_hidden_states)
        attn_scores = torch.matmul(q, k.transpose(-1, -2)) / self.hidden_size**0.5
        attn_probs = F.softmax(attn_scores, dim=-1)
        return torch.matmul(attn_probs, v)
