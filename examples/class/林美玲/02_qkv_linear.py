import math

from torch.nn import Linear, Module


class QKVLinear(Module):
    def __init__(self, hidden_size):
        super().__init__()
        for letter in "qkv":
            self.add_module(f"linear_{letter}", Linear(hidden_size, hidden_size))
        self.scaling = 1 / math.sqrt(hidden_size)

    def forward(self, x):
        return self.linear_q(x), self.linear_k(x), self.linear_v(x)
