# Forges an error of the kind "memory" with parts of odd size.
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


send(mapping(loaded=True))
error = mapping(kind="memory", step=True, frames=items(1, items(), items(1, 2), items(-5, "f")))
for _ in range(20):
    send(items(*[mapping(answers=mapping(), error=error)]))

while True:
    pass
