# Names one tensor twice in the tensors' own header.
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
    send([{"answers": {"2": {"$": "tensor", "v": "0"}}, "error": None}], tensors(b'{"0":{"dtype":"F32","shape":[3],"data_offsets":[0,12]},"0":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}}', bytes(12)))
