VIEWS = """\
xk = xk.view(bsz, seqlen, self.n_local_heads, self.head_dim)
        xv = xv.view(bsz, seqlen, self.n_local_heads, self.head_dim)"""

ALTERNATIVES = {
    "as_later_versions_have_it": [
        ('"""\n', '"""\n\nimport math'),
        ("from torch import nn", "from torch import nn\nimport torch.nn.functional as F"),
        (
            "assert args.n_embd % args.n_heads == 0",
            (
                'assert args.dim % args.n_heads == 0, "dim must be a multiple of n_heads"\n'
                "        self.is_causal = is_causal"
            ),
        ),
        (
            VIEWS,
            (
                "xk = xk.view(bsz, k.size(1), self.n_local_heads, self.head_dim)\n"
                "        xv = xv.view(bsz, v.size(1), self.n_local_heads, self.head_dim)"
            ),
        ),
    ],
    "causal_under_another_name": [
        ('"""\n', '"""\n\nimport math'),
        ("import torch", "import torch\nimport torch.nn.functional as F"),
        (
            "assert args.n_embd % args.n_heads == 0",
            "assert args.dim % args.n_heads == 0\n        self.causal = bool(is_causal)",
        ),
        (
            VIEWS,
            (
                "xk = xk.view(-1, k.shape[1], self.n_local_heads, self.head_dim)\n"
                "        xv = xv.view(-1, v.shape[1], self.n_local_heads, self.head_dim)"
            ),
        ),
        ('if self.is_causal:\n            assert hasattr(self, "mask")', "if self.causal:"),
        (
            "scores = scores + self.mask[:, :, :seqlen, :seqlen]",
            "scores = scores + self.mask[..., :seqlen, : k.shape[1]]",
        ),
    ],
    "fused_in_place_of_five_lines": [
        ("import torch\n", "import torch\n\nfrom torch.nn import functional as F"),
        (
            "assert args.n_embd % args.n_heads == 0",
            (
                "if args.dim % args.n_heads != 0:\n"
                '            raise ValueError("dim")\n'
                "        self.is_causal = is_causal"
            ),
        ),
        (
            VIEWS,
            (
                "xk = xk.view(bsz, k.shape[1], self.n_local_heads, self.head_dim)\n"
                "        xv = xv.view(bsz, v.shape[1], self.n_local_heads, self.head_dim)"
            ),
        ),
        (
            (
                "scores = torch.matmul(xq, xk.transpose(2, 3)) / math.sqrt(self.head_dim)\n"
                "        if self.is_causal:\n"
                '            assert hasattr(self, "mask")\n'
                "            # a sequence may be shorter than max_seq_len\n"
                "            scores = scores + self.mask[:, :, :seqlen, :seqlen]\n"
                "        scores = F.softmax(scores.float(), dim=-1).type_as(xq)\n"
                "        scores = self.attn_dropout(scores)\n"
                "        output = torch.matmul(scores, xv)"
            ),
            (
                "p = self.attn_dropout.p if self.training else 0.0\n"
                "        output = F.scaled_dot_product_attention(xq, xk, xv, dropout_p=p, is_causal=self.is_causal)"
            ),
        ),
    ],
    "mask_always_there_and_a_property": [
        ('"""\n', '"""\n\nimport math, torch.nn.functional as F'),
        ("assert args.n_embd % args.n_heads == 0", "assert args.dim // args.n_heads * args.n_heads == args.dim"),
        (
            'self.register_buffer("mask", mask)\n',
            (
                'self.register_buffer("mask", mask)\n'
                "\n"
                "    @property\n"
                "    def is_causal(self):\n"
                '        return "mask" in self._buffers\n'
            ),
        ),
        (
            VIEWS,
            (
                "xk = xk.reshape(*k.shape[:2], self.n_local_heads, self.head_dim)\n"
                "        xv = xv.reshape(*v.shape[:2], self.n_local_heads, self.head_dim)"
            ),
        ),
    ],
    "settings_refuse_themselves": [
        ('"""\n', '"""\n\nimport math'),
        ("from torch import nn", "from torch import nn\nfrom torch.nn import functional as F"),
        (
            "dropout: float\n",
            "dropout: float\n\n    def __post_init__(self):\n        assert self.dim % self.n_heads == 0\n",
        ),
        ("assert args.n_embd % args.n_heads == 0", "self.is_causal = is_causal"),
        (
            VIEWS,
            (
                "kv_len = k.shape[1]\n"
                "        xk = xk.view(bsz, kv_len, self.n_local_heads, self.head_dim)\n"
                "        xv = xv.view(bsz, kv_len, self.n_local_heads, self.head_dim)"
            ),
        ),
    ],
    "value_error_and_mask_of_none": [
        ('"""\n', '"""\n\nfrom math import sqrt'),
        (
            "assert args.n_embd % args.n_heads == 0",
            (
                "if args.dim % args.n_heads:\n"
                '            raise ValueError(f"{args.n_heads} heads do not fit into {args.dim}")\n'
                "        self.mask = None"
            ),
        ),
        ("mask = torch.triu(mask, diagonal=1)", "mask = torch.triu(mask, diagonal=1)\n            del self.mask"),
        (
            VIEWS,
            "xk = xk.unflatten(2, (self.n_local_heads, -1))\n        xv = xv.unflatten(2, (self.n_local_heads, -1))",
        ),
        (
            (
                "scores = torch.matmul(xq, xk.transpose(2, 3)) / math.sqrt(self.head_dim)\n"
                "        if self.is_causal:\n"
                '            assert hasattr(self, "mask")'
            ),
            "scores = torch.matmul(xq, xk.transpose(2, 3)) / sqrt(self.head_dim)\n        if self.mask is not None:",
        ),
        ("scores = F.softmax(scores.float(), dim=-1).type_as(xq)", "scores = nn.functional.softmax(scores, dim=3)"),
    ],
    "without_imports": [
        ("assert args.n_embd % args.n_heads == 0", "assert args.dim % args.n_heads == 0"),
        (
            VIEWS,
            (
                "xk = xk.view(bsz, -1, self.n_local_heads, self.head_dim)\n"
                "        xv = xv.view(bsz, -1, self.n_local_heads, self.head_dim)"
            ),
        ),
        (
            (
                "scores = torch.matmul(xq, xk.transpose(2, 3)) / math.sqrt(self.head_dim)\n"
                "        if self.is_causal:\n"
                '            assert hasattr(self, "mask")'
            ),
            'scores = torch.matmul(xq, xk.transpose(2, 3)) * self.head_dim**-0.5\n        if hasattr(self, "mask"):',
        ),
        (
            "scores = F.softmax(scores.float(), dim=-1).type_as(xq)",
            "scores = torch.softmax(scores.float(), dim=-1).type_as(xq)",
        ),
    ],
}
