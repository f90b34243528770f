# slip: the three parts are unpacked in the order q, v, k
import torch


def from_torch_mha(state_dict: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    wq, wv, wk = state_dict["in_proj_weight"].chunk(3, dim=0)
    bq, bv, bk = state_dict["in_proj_bias"].chunk(3, dim=0)
    return {
        "q_proj.weight": wq,
        "q_proj.bias": bq,
        "k_proj.weight": wk,
        "k_proj.bias": bk,
        "v_proj.weight": wv,
        "v_proj.bias": bv,
        "o_proj.weight": state_dict["out_proj.weight"],
        "o_proj.bias": state_dict["out_proj.bias"],
    }
