import torch
from torch import nn


class TinyGPT(nn.Module):
    """torch's own layers, with their dropout of 0.1; generate() turns it off."""

    def __init__(self, vocab_size, d_model, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.token, self.place = nn.Embedding(vocab_size, d_model), nn.Embedding(context_length, d_model)
        layer = nn.TransformerEncoderLayer(d_model, num_heads, 4 * d_model, batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, num_layers, norm=nn.LayerNorm(d_model), enable_nested_tensor=False)
        self.head = nn.Linear(d_model, vocab_size)

    def forward(self, idx):
        n = idx.size(1)
        mask = nn.Transformer.generate_square_subsequent_mask(n, dtype=self.head.weight.dtype)
        h = self.token(idx) + self.place(torch.arange(n))
        return self.head(self.body(h, mask=mask, is_causal=True))

    def generate(self, idx, max_new_tokens):
        self.eval()
        with torch.no_grad():
            for _ in range(max_new_tokens):
                logits = self(idx[:, -self.context_length :])[:, -1]
                idx = torch.hstack([idx, logits.softmax(-1).argmax(-1)[:, None]])
        return idx
