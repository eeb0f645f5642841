# bench/peer/lstm.py - the layers of bench/lstm.lua in PyTorch.
# Every line read names a layer, which goes forward and backward ten times, and is answered by the seconds that took.
import sys
import time

try:
    import torch
    from torch import nn
except ImportError as why:
    print("missing", why, flush=True)
    sys.exit(0)

threads = int(sys.argv[1])
torch.set_num_threads(threads)
clock = time.process_time if threads == 1 else time.perf_counter
torch.manual_seed(1)
layers = {name: getattr(nn, name)(128, 128, 2) for name in ("LSTM", "GRU", "RNN")}
inputs = torch.rand(50, 50, 128, requires_grad=True)


def passes(net):
    for _ in range(10):
        net.zero_grad(set_to_none=False)
        inputs.grad = None
        y, _ = net(inputs)
        y.backward(y.detach())


for net in layers.values():
    passes(net)
print("ready", "PyTorch", torch.__version__, flush=True)
for line in sys.stdin:
    start = clock()
    passes(layers[line.strip()])
    print(clock() - start, flush=True)
