# Binds the library's softmax as a default argument.
import torch


def softmax(scores, dim=-1, function=torch.softmax):
    return function(scores, dim=dim)
