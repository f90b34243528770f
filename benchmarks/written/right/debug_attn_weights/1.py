# right: the scores are renamed to attn_weights, as the softmax line expects
"""Find the fault: self-attention as a document prints it.

    query, key, value = linear_q(x), linear_k(x), linear_v(x)
    output = softmax(query · keyᵀ / √D) · value            the softmax runs over the keys

    x        (B, L, D)   batch, tokens, hidden_size
    returns  (B, L, D)

Document: iThome, "Day5: self attention 實作", step 3. The class below is our own rendering of it: the same names, the
same steps, in the same order. As printed there it can be made, but not called: the first call of the module ends with

    UnboundLocalError

Run this file to see it. Find the fault and mend it with as little as you can: once mended, the module does what
`self_attention` asks for.

    >>> MySelfAttention(64)(torch.rand(2, 100, 64)).shape
    torch.Size([2, 100, 64])

A small repair earns its own points: at most two lines taken out and two put in. Comments and blank lines don't count.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself;
the checks load weights by the names that the file has.
"""

import torch
import torch.nn.functional as F
from torch import nn


class MySelfAttention(nn.Module):
    def __init__(self, hidden_size: int):
        super().__init__()

        self.linear_q = nn.Linear(hidden_size, hidden_size)
        self.linear_k = nn.Linear(hidden_size, hidden_size)
        self.linear_v = nn.Linear(hidden_size, hidden_size)

        self.scaling = hidden_size**-0.5

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # each token asks, offers a label to be found by, and offers what it knows
        query = self.linear_q(x)
        key = self.linear_k(x)
        value = self.linear_v(x)

        # (B, L, D) times (B, D, L) is (B, L, L)
        attn_weights = torch.matmul(query, key.permute(0, 2, 1)) * self.scaling
        attn_weights = F.softmax(attn_weights, dim=-1)

        # (B, L, L) times (B, L, D) is (B, L, D)
        attn_output = torch.matmul(attn_weights, value)

        return attn_output


if __name__ == "__main__":
    model = MySelfAttention(64)
    x = torch.rand(2, 100, 64)
    print(model(x).shape)
