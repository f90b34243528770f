import torch


def context_vector(query, inputs):
    exps = [torch.exp(torch.dot(query, x)) for x in inputs]
    total = sum(exps)
    context = torch.zeros(query.shape, dtype=query.dtype)
    for e, x in zip(exps, inputs):
        context += e / total * x
    return context
