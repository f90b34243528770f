import torch.nn as nn


class QKVLinear(nn.Module):
    def __init__(self, hidden_size):
        super(QKVLinear, self).__init__()
        self.scaling = pow(hidden_size, -0.5)
        self.linear_q, self.linear_k, self.linear_v = (nn.Linear(hidden_size, hidden_size) for _ in range(3))

    def forward(self, x):
        return [layer(x) for layer in (self.linear_q, self.linear_k, self.linear_v)]
