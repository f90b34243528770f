import torch


def context_vector(query, inputs):
    q = query.reshape(1, -1)
    w = torch.softmax(q.mm(inputs.t()), dim=1)
    return w.mm(inputs).reshape(-1)
