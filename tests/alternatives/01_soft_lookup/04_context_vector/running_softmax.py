import torch


def context_vector(query, inputs):
    """One pass: whenever a higher score turns up, what was gathered so far is scaled down."""
    top = query.new_tensor(float("-inf"))
    total = query.new_zeros(())
    context = torch.zeros_like(query)
    for word in inputs:
        score = query @ word
        new_top = torch.maximum(top, score)
        shrink = torch.exp(top - new_top)
        share = torch.exp(score - new_top)
        total = total * shrink + share
        context = context * shrink + share * word
        top = new_top
    return context / total
