import torch.nn as nn
import torch.nn.functional as F


class MySelfAttention(nn.Module):
    def __init__(self, hidden_size):
        super(MySelfAttention, self).__init__()
        self.linear_q, self.linear_k, self.linear_v = (nn.Linear(hidden_size, hidden_size) for _ in range(3))

    def forward(self, x):
        return F.scaled_dot_product_attention(self.linear_q(x), self.linear_k(x), self.linear_v(x))
