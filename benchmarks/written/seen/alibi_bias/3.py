# slip: later keys are not hidden, they get a distance as well
import torch


def alibi_bias(num_heads: int, num_tokens: int) -> torch.Tensor:
    slopes = 2.0 ** (-8.0 * torch.arange(1, num_heads + 1) / num_heads)
    context_position = torch.arange(num_tokens)[:, None]
    memory_position = torch.arange(num_tokens)[None, :]
    relative_position = (memory_position - context_position).abs()
    return -slopes[:, None, None] * relative_position[None].float()
