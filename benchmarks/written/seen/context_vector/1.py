# slip: the weights multiply the query, so the query itself comes back
import torch


def context_vector(query: torch.Tensor, inputs: torch.Tensor) -> torch.Tensor:
    attn_scores_2 = torch.stack([torch.dot(x_i, query) for x_i in inputs])
    attn_weights_2 = torch.softmax(attn_scores_2, dim=0)
    context_vec_2 = torch.zeros_like(query)
    for i in range(inputs.shape[0]):
        context_vec_2 = context_vec_2 + attn_weights_2[i] * query
    return context_vec_2
