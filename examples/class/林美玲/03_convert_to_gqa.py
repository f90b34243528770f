"""From many key heads to few: each group of key and value heads becomes their average.

    new head g  =  (head g·n + head g·n + 1 + … + head g·n + n - 1) / n        n = nums_head / nums_key_value_head

    goes in:   q_proj.weight, o_proj.weight   (D, D)            comes out:   the same
               q_proj.bias, o_proj.bias       (D,)                           the same
               k_proj.weight, v_proj.weight   (h · d, D)                     (kv · d, D)
               k_proj.bias, v_proj.bias       (h · d,)                       (kv · d,)

    D = hidden_dim, h = nums_head, kv = nums_key_value_head, d = head_dim = D / h

Document: "手写大模型组件之 Group Query Attention": multi-head and multi-query attention are special cases of
grouped-query attention. How to get from one to the other stands in the paper that introduced it (Ainslie and others,
"GQA: Training Generalized Multi-Query Transformer Models from Multi-Head Checkpoints", 2023).

    >>> many = GroupQueryAttention(128, 8, 8)             # your class of 02_grouped_query_attention.py
    >>> few = GroupQueryAttention(128, 8, 2)
    >>> few.load_state_dict(convert_to_gqa(many.state_dict(), 8, 2))
    <All keys matched successfully>

What goes in has as many key heads as query heads. The rows of k_proj and v_proj are the heads one below the other,
d rows each; neighbours form a group. kv = h changes nothing, kv = 1 makes multi-query attention. nums_head is
divisible by kv.

A new dict is returned. The dict that was passed in stays as it was; sharing memory with it is allowed. The dtype stays.

House rules (first lesson): float32 and float64; each call stands for itself.
"""

import torch


import torch.nn.functional as F


def convert_to_gqa(state_dict, nums_head, nums_key_value_head):
    """Average pooling along the heads, every column of every head for itself."""
    state = {**state_dict}
    for name in ("k_proj.weight", "v_proj.weight", "k_proj.bias", "v_proj.bias"):
        tensor = state[name]
        heads = tensor.reshape(nums_head, -1).T.unsqueeze(0)
        pooled = F.avg_pool1d(heads, nums_head // nums_key_value_head).squeeze(0).T
        state[name] = torch.reshape(pooled, (-1, *tensor.shape[1:]))
    return state
