from torch import nn


class QKVLinear(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.linear_q = nn.Linear(hidden_size, hidden_size)
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_v = nn.Linear(hidden_size, hidden_size)
        self.scaling = hidden_size**0.5

    def forward(self, x):
        query = self.linear_q(x)
        key = self.linear_k(x)
        value = self.linear_v(x)
        return query, key, value
