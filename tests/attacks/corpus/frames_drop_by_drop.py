# Sends a right frame one byte at a time, slower than the deadline.
import json
import os
import struct


def send(header, block=b""):
    if not isinstance(header, bytes):
        header = json.dumps(header).encode()
    data = struct.pack("<4sIQ", b"KAT1", len(header), len(block)) + header + block
    while data:
        data = data[os.write(4, data) :]


def items(*values):
    return list(values)


def mapping(**values):
    return {"$": "dict", "v": [[key, value] for key, value in values.items()]}


import time

header = json.dumps(mapping(loaded=True)).encode()
for byte in struct.pack("<4sIQ", b"KAT1", len(header), 0) + header:
    os.write(4, bytes([byte]))
    time.sleep(0.1)


def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)
