"""Take over the weights of torch.nn.MultiheadAttention: one tall matrix becomes three.

    in_proj_weight (3·E, E)  =  q_proj.weight
                                k_proj.weight       one below the other, E rows each; the bias alike
                                v_proj.weight

    goes in:   in_proj_weight  (3·E, E)     comes out:   q_proj.weight, k_proj.weight, v_proj.weight   (E, E) each
               in_proj_bias    (3·E,)                    q_proj.bias, k_proj.bias, v_proj.bias         (E,) each
               out_proj.weight (E, E)                    o_proj.weight                                 (E, E)
               out_proj.bias   (E,)                      o_proj.bias                                   (E,)

Document: HackTricks, "4. Attention Mechanisms", which ends by pointing to torch.nn.MultiheadAttention. The names that
come out are those of `padded_multi_head_attention`, these eight and no others; its class is `MultiHeadAttention` here:

    >>> from torch import nn
    >>> library = nn.MultiheadAttention(8, 2, batch_first=True)
    >>> own = MultiHeadAttention(8, 2)
    >>> own.load_state_dict(from_torch_mha(library.state_dict()))
    <All keys matched successfully>

and from then on own.eval()(x) gives what library(x, x, x)[0] gives. Both sides store (outputs, inputs) as nn.Linear
does, so nothing is transposed. The number of heads is not needed: both cut the width into heads alike.

A new dict is returned. The dict that was passed in stays as it was, with all its names; sharing memory with it is
allowed. The dtype stays.

House rules (first lesson): float32 and float64; each call stands for itself.
"""

import torch


from collections import OrderedDict


@torch.no_grad()
def from_torch_mha(state_dict):
    old = dict(state_dict)
    new = OrderedDict()
    for part in ("weight", "bias"):
        pieces = torch.split(old.pop(f"in_proj_{part}"), old["out_proj.bias"].shape[0])
        for name, piece in zip(["q_proj", "k_proj", "v_proj"], pieces):
            new[name + "." + part] = piece.detach().clone()
    for name, tensor in old.items():
        new[name.replace("out_proj", "o_proj")] = tensor.detach().clone()
    return new
