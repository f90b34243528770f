# slips: the weights of q, k and v are transposed; the key's bias is a copy of the query's
import torch


def from_torch_mha(state_dict: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    W, b = state_dict["in_proj_weight"], state_dict["in_proj_bias"]
    E = W.shape[1]
    out = dict()
    out["q_proj.weight"] = W[:E].t()
    out["q_proj.bias"] = b[:E]
    out["k_proj.weight"] = W[E : 2 * E].t()
    out["k_proj.bias"] = b[:E]
    out["v_proj.weight"] = W[2 * E :].t()
    out["v_proj.bias"] = b[2 * E :]
    out["o_proj.weight"] = state_dict["out_proj.weight"]
    out["o_proj.bias"] = state_dict["out_proj.bias"]
    return out
