import math

import torch


def apply_rotary(x, base=10000.0, offset=0):
    half = x.size(-1) // 2
    y = x.clone()
    for p in range(x.size(2)):
        for i in range(half):
            angle = (p + offset) / math.pow(base, i / half)
            c, s = math.cos(angle), math.sin(angle)
            a, b = x[:, :, p, i], x[:, :, p, i + half]
            y[:, :, p, i] = a * c - b * s
            y[:, :, p, i + half] = a * s + b * c
    return y
