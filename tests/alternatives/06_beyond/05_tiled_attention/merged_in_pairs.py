import torch


def _attend(query, key, value, block_size):
    """(log of the sum of exps, result) of some keys; a longer list is cut in two."""
    if key.shape[-2] <= block_size:
        scores = query @ key.mT
        log = torch.logsumexp(scores, dim=-1, keepdim=True)
        return log, (scores - log).exp() @ value
    middle = (key.shape[-2] // block_size + 1) // 2 * block_size
    one, a = _attend(query, key[..., :middle, :], value[..., :middle, :], block_size)
    two, b = _attend(query, key[..., middle:, :], value[..., middle:, :], block_size)
    log = torch.logaddexp(one, two)
    return log, (one - log).exp() * a + (two - log).exp() * b


def tiled_attention(query, key, value, block_size):
    return _attend(query / query.shape[-1] ** 0.5, key, value, block_size)[1]
