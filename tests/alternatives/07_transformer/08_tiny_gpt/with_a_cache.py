import torch
import torch.nn.functional as F
from torch import nn


class Layer(nn.Module):
    """Attention and mlp beside each other, on the same normed input; a linear bias of the distance tells positions."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.join = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.register_buffer("slope", 2.0 ** -torch.arange(1.0, heads + 1), persistent=False)

    def forward(self, h, past=None):
        x = self.norm(h)
        q, k, v = (t.unflatten(2, (self.heads, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        if past is not None:
            k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        total, n = k.shape[2], q.shape[2]
        back = torch.arange(total - n, total)[:, None] - torch.arange(total)
        bias = (-self.slope[:, None, None] * back).masked_fill(back < 0, float("-inf"))
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=bias[None].to(q.dtype))
        return h + self.join(mixed.transpose(1, 2).flatten(2)) + self.down(F.gelu(self.up(x))), (k, v)


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.embed = nn.Embedding(vocab_size, d_model)
        self.layers = nn.ModuleList(Layer(d_model, num_heads) for _ in range(num_layers))
        self.norm, self.head = nn.LayerNorm(d_model), nn.Linear(d_model, vocab_size)

    def run(self, idx, pasts):
        h, kept = self.embed(idx), []
        for layer, past in zip(self.layers, pasts):
            h, new = layer(h, past)
            kept.append(new)
        return self.head(self.norm(h)), kept

    def forward(self, idx):
        return self.run(idx, [None] * len(self.layers))[0]

    @torch.no_grad()
    def generate(self, idx, max_new_tokens):
        """The cache is used as long as everything fits; after that each step starts anew."""
        text, new, pasts = idx, idx[:, -self.context_length :], [None] * len(self.layers)
        for _ in range(max_new_tokens):
            logits, pasts = self.run(new, pasts)
            new = logits[:, -1:].argmax(-1)
            text = torch.cat([text, new], dim=1)
            if text.shape[1] > self.context_length:
                new, pasts = text[:, -self.context_length :], [None] * len(self.layers)
        return text
