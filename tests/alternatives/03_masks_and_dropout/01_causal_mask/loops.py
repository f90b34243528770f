import torch


def causal_mask(num_tokens):
    hidden = torch.full((num_tokens, num_tokens), False)
    for query in range(num_tokens):
        for key in range(query + 1, num_tokens):
            hidden[query, key] = True
    return hidden
