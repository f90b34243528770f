# slip: the softmax runs over the queries (dim=-2) instead of over the keys
import torch


def simplified_self_attention(x: torch.Tensor) -> torch.Tensor:
    sim = torch.einsum("...id,...jd->...ij", x, x)
    attn = sim.softmax(dim=-2)
    return torch.einsum("...ij,...jd->...id", attn, x)
