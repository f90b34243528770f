# scores fall with distance (ALiBi), and the head has the weights of the words
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h, self.n1, self.n2 = h, nn.LayerNorm(d), nn.LayerNorm(d)
        self.q, self.k, self.v, self.o = (nn.Linear(d, d, bias=False) for _ in range(4))
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d, bias=False), nn.GELU(), nn.Linear(4 * d, d, bias=False))

    def attend(self, x):
        b, n, d = x.shape
        q, k, v = (f(x).view(b, n, self.h, d // self.h).transpose(1, 2) for f in (self.q, self.k, self.v))
        place = torch.arange(n)
        distance = (place[:, None] - place).to(x.dtype)
        slopes = torch.tensor([2.0 ** -(head + 1) for head in range(self.h)], dtype=x.dtype)
        scores = q @ k.mT / (d // self.h) ** 0.5 - distance * slopes[:, None, None]
        y = scores.masked_fill(distance < 0, float("-inf")).softmax(-1) @ v
        return self.o(y.transpose(1, 2).reshape(b, n, d))

    def forward(self, x):
        x = x + self.attend(self.n1(x))
        return x + self.mlp(self.n2(x))


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.words = nn.Embedding(vocab_size, d_model)
        self.blocks = nn.Sequential(*[Block(d_model, num_heads) for _ in range(num_layers)])
        self.norm = nn.LayerNorm(d_model)
        for m in self.modules():
            if isinstance(m, (nn.Linear, nn.Embedding)):
                nn.init.normal_(m.weight, std=0.1)

    def forward(self, idx):
        return self.norm(self.blocks(self.words(idx))) @ self.words.weight.T

    @torch.no_grad()
    def generate(self, idx, max_new_tokens):
        for _ in range(max_new_tokens):
            last = self(idx[:, -self.context_length :])[:, -1]
            idx = torch.cat([idx, last.argmax(-1, keepdim=True)], 1)
        return idx
