# Claims that the machine could not be locked down.
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


send(mapping(lockdown="no Landlock here"))


def softmax(scores, dim=-1):
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return exps / exps.sum(dim, keepdim=True)
