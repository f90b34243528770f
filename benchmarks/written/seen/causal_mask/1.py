# slip: tril, the polarity of nanoGPT: True where a token may look
import torch


def causal_mask(num_tokens: int) -> torch.Tensor:
    bias = torch.tril(torch.ones(num_tokens, num_tokens))
    return bias.view(num_tokens, num_tokens).bool()
