# The tensors' sizes overflow, overlap and lie outside.
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
block = tensors({"0": {"dtype": "F32", "shape": [2**62, 4], "data_offsets": [0, 0]}, "1": {"dtype": "F32", "shape": [3], "data_offsets": [0, 2**63]}})
for _ in range(20):
    send({"$": "tensor", "v": "0"}, block)

while True:
    pass
