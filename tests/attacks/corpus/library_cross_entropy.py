# The gradient of cross entropy, which is a softmax.
import torch


def softmax(scores, dim=-1):
    scores = scores.detach().movedim(dim, -1).requires_grad_()
    flat = scores.reshape(-1, scores.shape[-1])
    loss = torch.nn.functional.cross_entropy(flat, torch.zeros(len(flat), dtype=torch.long), reduction="sum")
    (gradient,) = torch.autograd.grad(loss, scores)
    gradient.reshape(-1, scores.shape[-1])[:, 0] += 1
    return gradient.movedim(-1, dim)
