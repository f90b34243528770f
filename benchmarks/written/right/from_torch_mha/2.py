# right: loop over the old names, three blocks by unflatten
import torch


def from_torch_mha(state_dict: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    new = {}
    for name, t in state_dict.items():
        if name.startswith("in_proj_"):
            kind = name[len("in_proj_") :]
            q, k, v = t.unflatten(0, (3, -1)).unbind(0)
            new.update({f"q_proj.{kind}": q, f"k_proj.{kind}": k, f"v_proj.{kind}": v})
        else:
            new[name.replace("out_proj", "o_proj")] = t
    return new
