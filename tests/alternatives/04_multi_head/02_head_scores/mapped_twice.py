import torch


def gram(tokens):
    return tokens.mm(tokens.t())


def head_scores(a):
    return torch.vmap(torch.vmap(gram))(a)
