# slip: bytes_per_value is ignored, two bytes are hard-coded
import torch


def kv_cache_bytes(batch, seq_len, num_layers, nums_key_value_head, head_dim, bytes_per_value=2):
    per_token = 2 * nums_key_value_head * head_dim
    per_layer = batch * seq_len * per_token
    return per_layer * num_layers * torch.finfo(torch.float16).bits // 8
