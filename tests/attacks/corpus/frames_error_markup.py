# Forges an error whose every part is markup.
import json
import os
import struct


def send(header, block=b""):
    if not isinstance(header, bytes):
        header = json.dumps(header).encode()
    data = struct.pack("<4sIQ", b"KAT1", len(header), len(block)) + header + block
    while data:
        data = data[os.write(4, data) :]


send({"loaded": True})
while True:
    os.read(3, 1 << 20)
    send([{"answers": {}, "error": {"kind": "exception", "type": "<script>alert(1)</script>", "message": "<img src=x onerror=alert(1)>", "frames": [[1, "<b><b>"]]}}], b"")
