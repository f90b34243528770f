TOP, IMPORT_TORCH, IMPORT_NN = '"""\n', "import torch\n", "from torch import nn"
ASSERT = "assert args.n_embd % args.n_heads == 0"
VIEWS = """\
xk = xk.view(bsz, seqlen, self.n_local_heads, self.head_dim)
        xv = xv.view(bsz, seqlen, self.n_local_heads, self.head_dim)"""
SCORES = "scores = torch.matmul(xq, xk.transpose(2, 3)) / math.sqrt(self.head_dim)"
IF_CAUSAL = 'if self.is_causal:\n            assert hasattr(self, "mask")'
SOFTMAX = "scores = F.softmax(scores.float(), dim=-1).type_as(xq)"
NEXT = "\n        "


def views(keys, values):
    """Both are cut into heads with these sizes."""
    heads = "self.n_local_heads, self.head_dim)"
    return (VIEWS, f"xk = xk.{keys}, {heads}{NEXT}xv = xv.{values}, {heads}")


ALTERNATIVES = {
    "as_later_versions_have_it": [
        (TOP, f"{TOP}\nimport math"),
        (IMPORT_NN, f"{IMPORT_NN}\nimport torch.nn.functional as F"),
        (
            ASSERT,
            'assert args.dim % args.n_heads == 0, "dim must be a multiple of n_heads"\n'
            "        self.is_causal = is_causal",
        ),
        views("view(bsz, k.size(1)", "view(bsz, v.size(1)"),
    ],
    "causal_under_another_name": [
        (TOP, f"{TOP}\nimport math"),
        ("import torch", "import torch\nimport torch.nn.functional as F"),
        (ASSERT, f"assert args.dim % args.n_heads == 0{NEXT}self.causal = bool(is_causal)"),
        views("view(-1, k.shape[1]", "view(-1, v.shape[1]"),
        (IF_CAUSAL, "if self.causal:"),
        ("self.mask[:, :, :seqlen, :seqlen]", "self.mask[..., :seqlen, : k.shape[1]]"),
    ],
    "fused_in_place_of_five_lines": [
        (IMPORT_TORCH, f"{IMPORT_TORCH}\nfrom torch.nn import functional as F"),
        (
            ASSERT,
            f'if args.dim % args.n_heads != 0:{NEXT}    raise ValueError("dim"){NEXT}self.is_causal = is_causal',
        ),
        views("view(bsz, k.shape[1]", "view(bsz, v.shape[1]"),
        (
            f"{SCORES}{NEXT}{IF_CAUSAL}\n"
            "            # a sequence may be shorter than max_seq_len\n"
            f"            scores = scores + self.mask[:, :, :seqlen, :seqlen]{NEXT}{SOFTMAX}{NEXT}"
            f"scores = self.attn_dropout(scores){NEXT}output = torch.matmul(scores, xv)",
            f"p = self.attn_dropout.p if self.training else 0.0{NEXT}"
            "output = F.scaled_dot_product_attention(xq, xk, xv, dropout_p=p, is_causal=self.is_causal)",
        ),
    ],
    "mask_always_there_and_a_property": [
        (TOP, f"{TOP}\nimport math, torch.nn.functional as F"),
        (ASSERT, "assert args.dim // args.n_heads * args.n_heads == args.dim"),
        (
            'self.register_buffer("mask", mask)\n',
            'self.register_buffer("mask", mask)\n\n    @property\n    def is_causal(self):\n'
            '        return "mask" in self._buffers\n',
        ),
        views("reshape(*k.shape[:2]", "reshape(*v.shape[:2]"),
    ],
    "settings_refuse_themselves": [
        (TOP, f"{TOP}\nimport math"),
        (IMPORT_NN, f"{IMPORT_NN}\nfrom torch.nn import functional as F"),
        (
            "dropout: float\n",
            "dropout: float\n\n    def __post_init__(self):\n        assert self.dim % self.n_heads == 0\n",
        ),
        (ASSERT, "self.is_causal = is_causal"),
        (VIEWS, f"kv_len = k.shape[1]{NEXT}{VIEWS.replace('seqlen', 'kv_len')}"),
    ],
    "value_error_and_mask_of_none": [
        (TOP, f"{TOP}\nfrom math import sqrt"),
        (
            ASSERT,
            f"if args.dim % args.n_heads:{NEXT}"
            f'    raise ValueError(f"{{args.n_heads}} heads do not fit into {{args.dim}}"){NEXT}self.mask = None',
        ),
        ("mask = torch.triu(mask, diagonal=1)", "mask = torch.triu(mask, diagonal=1)\n            del self.mask"),
        (VIEWS, f"xk = xk.unflatten(2, (self.n_local_heads, -1)){NEXT}xv = xv.unflatten(2, (self.n_local_heads, -1))"),
        (f"{SCORES}{NEXT}{IF_CAUSAL}", f"{SCORES.replace('math.', '')}{NEXT}if self.mask is not None:"),
        (SOFTMAX, "scores = nn.functional.softmax(scores, dim=3)"),
    ],
    "without_imports": [
        (ASSERT, "assert args.dim % args.n_heads == 0"),
        views("view(bsz, -1", "view(bsz, -1"),
        (
            f"{SCORES}{NEXT}{IF_CAUSAL}",
            f'{SCORES.partition(" / ")[0]} * self.head_dim**-0.5{NEXT}if hasattr(self, "mask"):',
        ),
        (SOFTMAX, SOFTMAX.replace("F.", "torch.")),
    ],
}
