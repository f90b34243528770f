# right: the three matrices side by side in one product, then split
import torch
from torch import nn


class QKVParameters(nn.Module):
    def __init__(self, d_in: int, d_out: int):
        super().__init__()
        self.d_out = d_out
        self.W_query, self.W_key, self.W_value = (
            nn.Parameter(torch.randn(d_in, d_out) / d_in**0.5) for _ in range(3)
        )

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        fused = torch.cat((self.W_query, self.W_key, self.W_value), dim=1)
        return (x @ fused).split(self.d_out, dim=-1)
