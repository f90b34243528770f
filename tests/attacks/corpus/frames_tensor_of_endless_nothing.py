# Gives a tensor no elements and an axis without end.
import json
import os
import struct


def send(header, block=b""):
    if not isinstance(header, bytes):
        header = json.dumps(header).encode()
    data = struct.pack("<4sIQ", b"KAT1", len(header), len(block)) + header + block
    while data:
        data = data[os.write(4, data) :]


def tensors(header, data=b""):
    return struct.pack("<Q", len(header)) + header + data


send({"loaded": True})
while True:
    os.read(3, 1 << 20)
    send([{"answers": {"2": {"$": "tensor", "v": "0"}}, "error": None}], tensors(b'{"0":{"dtype":"F32","shape":[0,9223372036854775807,9223372036854775807],"data_offsets":[0,0]}}', b''))
