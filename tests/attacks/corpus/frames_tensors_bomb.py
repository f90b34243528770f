# Answers with half a million empty tensors, dear to take apart.
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
entry = '"%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'
header = ("{" + ",".join([entry % number for number in range(500_000)]) + "}").encode()
block = struct.pack("<Q", len(header)) + header
for _ in range(20):
    send(0, block)

while True:
    pass
