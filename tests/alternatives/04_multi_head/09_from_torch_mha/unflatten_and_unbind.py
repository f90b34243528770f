def from_torch_mha(state_dict: dict) -> dict:
    result = {}
    for key, tensor in state_dict.items():
        kind = "bias" if key.endswith("bias") else "weight"
        if key.startswith("in_proj"):
            result.update({f"{n}_proj.{kind}": t for n, t in zip("qkv", tensor.unflatten(0, (3, -1)).unbind(0))})
        else:
            result[f"o_proj.{kind}"] = tensor
    return result
