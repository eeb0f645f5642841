# bench/peer/lstm.py - the layers of bench/lstm.lua in PyTorch.
# Every line read names a layer, which goes forward and backward ten times, and is answered by the seconds that took.
from common import seconds, serve, torch
from torch import nn

layers = {name: getattr(nn, name)(128, 128, 2) for name in ("LSTM", "GRU", "RNN")}
inputs = torch.rand(50, 50, 128, requires_grad=True)


def passes(net):
    for _ in range(10):
        net.zero_grad(set_to_none=False)
        inputs.grad = None
        y, _ = net(inputs)
        y.backward(y.detach())


for layer in layers.values():
    passes(layer)
serve(lambda line: seconds(passes, layers[line]))
