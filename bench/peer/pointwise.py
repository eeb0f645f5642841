# bench/peer/pointwise.py - the chains of bench/pointwise.lua in PyTorch: eager, and by torch.compile.
# Arguments: threads [cuda] elements. Every line read is `eager NAME` or `compiled NAME`, answered by the seconds of one call.
import sys

count = int(float(sys.argv.pop()))
from common import seconds, serve, torch  # noqa: E402


def gelu(x):
    return x * (torch.tanh((x + torch.pow(x, 3) * 0.044715) * 0.7978845608) + 1) * 0.5


def lstm(i, f, g, o, c):
    cell = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(cell), cell


def four(x, y):
    return torch.relu(x * y + 1) * 2


def loss(x, target):
    d = x - target
    a = torch.abs(d)
    near = torch.clamp(a, max=1.0)
    inner = near * (a - near * 0.5) * 0.7 + torch.square(d) * 0.01
    return torch.log1p(torch.exp(-inner)) + torch.sigmoid(x) * 0.1 - torch.clamp(target, -0.5, 0.5) * 0.2


inputs = [torch.rand(count) * 4 - 2 for _ in range(5)]
chains = {"four": (four, 2), "gelu": (gelu, 1), "lstm": (lstm, 5), "loss": (loss, 2)}
compiled = {name: torch.compile(f) for name, (f, _) in chains.items()}


def call(line):
    how, name = line.split()
    f, n = chains[name]
    if how == "compiled":
        f = compiled[name]
    with torch.no_grad():
        return seconds(f, *inputs[:n])


serve(call)
