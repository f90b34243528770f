# Forges an error whose every part steers a terminal: colours, links (OSC 8), the clipboard (OSC 52).
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
    send([{"answers": {}, "error": {"kind": "exception", "type": "\x1b]8;;http://x\x1b\\Error", "message": "\x1b]52;c;cm0gLXJm\x07\x9b2J", "frames": [[1, "\x1b[31mname"]]}}], b"")
