# slip: the weights that are returned are those before the dropout
import torch


def attention(query, key, value, dropout=None):
    scores = query @ key.mT * query.shape[-1] ** -0.5
    weights = scores.softmax(-1)
    used = weights if dropout is None else dropout(weights)
    return used @ value, weights
