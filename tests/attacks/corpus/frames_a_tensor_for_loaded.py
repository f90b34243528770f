# Answers with a tensor where it should say whether it is loaded.
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


send({"$": "tensor", "v": "0"}, tensors({"0": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}, bytes(8)))

while True:
    pass
