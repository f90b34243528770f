# slip: the result tensor has as many places as the query is wide, not one per word
import torch


def dot_scores(query: torch.Tensor, inputs: torch.Tensor) -> torch.Tensor:
    attn_scores = torch.zeros(query.shape[0], dtype=query.dtype)
    for i, x_i in enumerate(inputs):
        attn_scores[i] = torch.dot(x_i, query)
    return attn_scores
