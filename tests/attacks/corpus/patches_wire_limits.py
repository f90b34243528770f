# Takes the limits off what may be sent, and sends 400 MB.
import sys

import torch

wire = sys.modules["inside.wire"]
wire.MAX_HEADER_BYTES = wire.MAX_ITEMS = wire.MAX_DEPTH = wire.MAX_TEXT = 10**15
host = sys.modules["inside.host"]
pack = wire.pack
wire.pack = lambda value, room: pack(value, 10**15)


def softmax(scores, dim=-1):
    return torch.zeros(100_000_000)
