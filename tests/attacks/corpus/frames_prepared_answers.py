# Sends answers before it has seen a question.
import json
import os
import struct


def send(header, block=b""):
    if not isinstance(header, bytes):
        header = json.dumps(header).encode()
    data = struct.pack("<4sIQ", b"KAT1", len(header), len(block)) + header + block
    while data:
        data = data[os.write(4, data) :]


def tensors(entries, data=b""):
    header = json.dumps(entries).encode()
    return struct.pack("<Q", len(header)) + header + data



def items(*values):
    return list(values)


def mapping(**values):
    return {"$": "dict", "v": [[key, value] for key, value in values.items()]}


send(mapping(loaded=True))
zeros = {"$": "tensor", "v": "0"}
block = tensors({"0": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}}, bytes(12))
for _ in range(20):
    send(items(mapping(answers={"$": "dict", "v": [["2", zeros]]}, error=None)), block)

while True:
    pass
