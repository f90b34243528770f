ALTERNATIVES = {
    "assigned_state_on_meta": """\
from torch.nn.utils import skip_init


def to_linear(weight):
    with torch.device("meta"):
        linear = nn.Linear(weight.shape[0], weight.shape[1], bias=False)
    linear.load_state_dict({"weight": torch.stack(list(weight.unbind(1)))}, assign=True)
    linear.train(skip_init(nn.Linear, 1, 1).training)
    return linear.requires_grad_(True)
""",
    "bias_taken_away": """\
def to_linear(weight):
    linear = nn.Linear(weight.size(0), weight.size(1)).type(weight.dtype)
    linear.bias = None
    linear.weight.data = torch.einsum("io->oi", weight).clone()
    return linear
""",
    "data_copied": """\
def to_linear(weight):
    d_in, d_out = weight.shape
    layer = nn.Linear(in_features=d_in, out_features=d_out, bias=False).to(weight.dtype)
    layer.weight.data.copy_(weight.t())
    return layer
""",
    "loaded_state": """\
def to_linear(weight: torch.Tensor) -> torch.nn.Linear:
    linear = torch.nn.Linear(*weight.shape, bias=False).to(weight.dtype)
    linear.load_state_dict({"weight": weight.detach().transpose(0, 1).contiguous()})
    return linear
""",
    "own_subclass": '''\
class FromMatrix(nn.Linear):
    """Keeps the layer's own forward."""

    def __init__(self, weight):
        super().__init__(weight.shape[0], weight.shape[1], bias=False, dtype=weight.dtype)
        with torch.no_grad():
            for i in range(weight.shape[0]):
                self.weight[:, i] = weight[i]


def to_linear(weight):
    return FromMatrix(weight)
''',
    "parameter_replaced": """\
def to_linear(weight):
    linear = nn.Linear(weight.shape[0], weight.shape[1], bias=False)
    linear.weight = nn.Parameter(weight.T)  # shares its memory
    return linear
""",
    "rounded_on_the_way": '''\
def to_linear(weight):
    """The numbers pass through float32, which is precise enough; the layer has the dtype of the matrix all the same."""
    layer = nn.Linear(*weight.shape, bias=False)
    layer.weight = nn.Parameter(weight.detach().float().T.contiguous())
    return layer.to(weight)
''',
    "weight_of_another_size": """\
def to_linear(weight):
    linear = nn.Linear(1, 1, bias=False)
    linear.weight = nn.Parameter(weight.detach().mT.clone(memory_format=torch.contiguous_format))
    return linear
""",
}
