# bench/peer/ops.py - single operations in PyTorch.
# Lines that it reads, and answers with one number:
#   do CODE              runs the code, whose names the statements below may use; 0
#   wall TIMES CODE      wall seconds of the statement, over so many repetitions
#   work TIMES CODE      processor seconds of this process
import gc
import re
import time

from common import seconds, serve, torch

clocks = {"wall": time.perf_counter, "work": time.process_time}
names = {"torch": torch}
loops = {}


def loop(code):
    """A function that repeats the statement; every name is a local of it, torch's functions too."""
    if code not in loops:
        known = dict(names)
        for f in re.findall(r"torch\.(\w+)\(", code):
            known["torch_" + f] = getattr(torch, f)
        code_ = re.sub(r"torch\.(\w+)\(", r"torch_\1(", code)
        text = "def loop(n_, {}):\n for _ in range(n_): {}".format(", ".join("%s=%s" % (k, k) for k in known), code_)
        scope = dict(known)
        exec(text, scope)
        loops[code] = scope["loop"]
    return loops[code]


def answer(line):
    what, rest = line.split(" ", 1)
    if what == "do":
        loops.clear()
        exec(rest, names)
        names.pop("__builtins__", None)
        return 0
    times, code = rest.split(" ", 1)
    return seconds(loop(code), int(times), by=clocks[what]) / int(times)


torch.set_grad_enabled(False)
gc.disable()  # as timeit does: some calls return tuples, and a collection walks all of torch
serve(answer)
