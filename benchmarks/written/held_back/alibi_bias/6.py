# slips: the slope is 2^(-k) for any number of heads; later keys are filled with -1e9 instead of minus infinity
import torch


def alibi_bias(num_heads: int, num_tokens: int) -> torch.Tensor:
    slopes = torch.tensor([0.5**k for k in range(1, num_heads + 1)])
    p = torch.arange(num_tokens, dtype=torch.float32)
    d = p.unsqueeze(0) - p.unsqueeze(1)
    b = torch.einsum("h,ij->hij", slopes, d)
    return torch.where(d > 0, torch.tensor(-1e9), b)
