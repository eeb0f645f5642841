# bench/peer/common.py - what every peer does: it says whether PyTorch is there, then answers each line that it reads.
import sys
import time

try:
    import torch
except ImportError as missing:
    print("missing", missing, flush=True)
    sys.exit(0)

threads = int(sys.argv[1])
torch.set_num_threads(threads)
torch.manual_seed(1)
clock = time.process_time if threads == 1 else time.perf_counter


def seconds(f, *arguments):
    start = clock()
    f(*arguments)
    return clock() - start


def serve(answer):
    """Answers every line by what answer(line) gives, or by why it could not."""
    print("ready", "PyTorch", torch.__version__, flush=True)
    for line in sys.stdin:
        try:
            print(answer(line.rstrip("\n")), flush=True)
        except Exception as why:
            print(" ".join(str(why).split()), flush=True)
