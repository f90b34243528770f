# slips: all scores are made at once before the loop; the scaling is missing
import torch


def tiled_attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, block_size: int) -> torch.Tensor:
    scores = torch.matmul(query, key.transpose(-1, -2))
    maximum = scores.amax(-1, keepdim=True)
    total = torch.zeros_like(maximum)
    out = 0.0
    for i in range(0, key.size(-2), block_size):
        part = torch.exp(scores[..., i : i + block_size] - maximum)
        total = total + part.sum(-1, keepdim=True)
        out = out + part @ value[..., i : i + block_size, :]
    return out / total
