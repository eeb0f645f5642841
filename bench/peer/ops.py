# bench/peer/ops.py - single operations in PyTorch.
# A line "NAME TIMES" is answered by the seconds that one call takes.
import sys
import time

try:
    import torch
except ImportError as why:
    print("missing", why, flush=True)
    sys.exit(0)

threads = int(sys.argv[1])
torch.set_num_threads(threads)
small = torch.ones(10), torch.ones(10)
made = {}


def large():
    if "large" not in made:
        made["large"] = torch.rand(10_000_000), torch.rand(10_000_000), torch.rand(10_000_000)
    return made["large"]


def square():
    if "square" not in made:
        made["square"] = torch.rand(1024, 1024), torch.rand(1024, 1024), torch.empty(1024, 1024)
    return made["square"]


def gemm():
    a, b, c = square()
    torch.mm(a, b, out=c)


def copy():
    _, y, x = large()
    y.copy_(x)


def add():
    z, x, y = large()
    torch.add(x, y, out=z)


def total():
    large()[0].sum().item()


calls = {
    "call_add": lambda: small[0].add_(small[1]),
    "gemm": gemm, "copy": copy, "add": add, "sum": total,
}
print("ready", "PyTorch", torch.__version__, flush=True)
for line in sys.stdin:
    name, times = line.split()
    call = calls[name]
    alone = threads == 1 or name == "call_add"
    clock = time.process_time if alone else time.perf_counter
    call()
    start = clock()
    for _ in range(int(times)):
        call()
    print((clock() - start) / int(times), flush=True)
