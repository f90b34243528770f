# The imaginary part of a conjugate, a lazy view with its sign turned.
import torch


def softmax(scores, dim=-1):
    return torch.complex(scores, scores).conj().imag
