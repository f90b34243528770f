# slip: each block is transposed
import torch


def from_torch_mha(state_dict: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    q, k, v = state_dict["in_proj_weight"].chunk(3, dim=0)
    bq, bk, bv = state_dict["in_proj_bias"].chunk(3)
    new = {"q_proj.weight": q.T, "k_proj.weight": k.T, "v_proj.weight": v.T}
    new.update({"q_proj.bias": bq, "k_proj.bias": bk, "v_proj.bias": bv})
    new["o_proj.weight"] = state_dict["out_proj.weight"]
    new["o_proj.bias"] = state_dict["out_proj.bias"]
    return new
