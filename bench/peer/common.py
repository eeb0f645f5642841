# bench/peer/common.py - shared by the peers: reports whether PyTorch is installed, then answers each line that it reads.
# Arguments: threads [cuda]. With cuda new tensors are on the GPU, and a clock stops when the GPU has finished.
import sys
import time

try:
    import torch
except ImportError as missing:
    print("missing", missing, flush=True)
    sys.exit(0)

gpu = sys.argv[2:] == ["cuda"]
if gpu and not torch.cuda.is_available():
    print("missing", "PyTorch", torch.__version__, "finds no CUDA device", flush=True)
    sys.exit(0)
if gpu:
    torch.set_default_device("cuda")
    finish = torch.cuda.synchronize
else:
    def finish():
        pass
threads = int(sys.argv[1])
torch.set_num_threads(threads)
torch.manual_seed(1)
clock = time.process_time if threads == 1 else time.perf_counter


def seconds(f, *arguments, by=clock):
    finish()
    start = by()
    f(*arguments)
    finish()
    return by() - start


def serve(answer):
    """Answers every line with answer(line), or with the error."""
    print("ready", "PyTorch", torch.__version__, flush=True)
    for line in sys.stdin:
        try:
            print(answer(line.rstrip("\n")), flush=True)
        except Exception as why:
            print(" ".join(str(why).split()), flush=True)
