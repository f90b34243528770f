from collections import OrderedDict


def convert_to_gqa(state_dict, nums_head, nums_key_value_head):
    if nums_head == nums_key_value_head:
        return OrderedDict(state_dict)
    n = nums_head // nums_key_value_head

    def pooled(tensor):
        by_head = tensor.reshape(nums_head, tensor.shape[0] // nums_head, *tensor.shape[1:])
        total = by_head[0::n].double()
        for i in range(1, n):
            total = total + by_head[i::n]
        return (total / n).to(tensor.dtype).reshape(-1, *tensor.shape[1:])

    return OrderedDict((k, pooled(v) if k.startswith(("k_proj", "v_proj")) else v) for k, v in state_dict.items())
