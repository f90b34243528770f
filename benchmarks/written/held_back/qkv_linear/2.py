# slip: the query is already multiplied by the scaling in forward
import torch
from torch import nn


class QKVLinear(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()
        self.scaling = hidden_size ** -0.5
        self.linear_q = nn.Linear(hidden_size, hidden_size)
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_v = nn.Linear(hidden_size, hidden_size)

    def forward(self, hidden_states):
        query_states = self.linear_q(hidden_states) * self.scaling
        key_states = self.linear_k(hidden_states)
        value_states = self.linear_v(hidden_states)
        return query_states, key_states, value_states
