# slip: masked_fill_ overwrites the scores that were passed in
import torch


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    num_tokens = scores.shape[-1]
    mask_bool = mask.bool()[:num_tokens, :num_tokens]
    scores.masked_fill_(mask_bool, -torch.inf)
    attn_weights = torch.softmax(scores.float(), dim=-1)
    return attn_weights.to(scores.dtype)
