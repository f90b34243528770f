# Announces a frame of 18 exabytes.
import json
import os
import struct


def send(header, block=b""):
    if not isinstance(header, bytes):
        header = json.dumps(header).encode()
    data = struct.pack("<4sIQ", b"KAT1", len(header), len(block)) + header + block
    while data:
        data = data[os.write(4, data) :]

os.write(4, struct.pack("<4sIQ", b"KAT1", 2**32 - 1, 2**64 - 1))
while True:
    pass
