# Zeros that have no storage at all.
import torch


def softmax(scores, dim=-1):
    return torch._efficientzerotensor(scores.shape)
