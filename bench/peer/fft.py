# bench/peer/fft.py - the rows of bench/fft.lua in PyTorch, and in pyFFTW where it is installed; the faster one counts.
# Argument: threads. Every line read is `TYPE KIND LINES SIZE` or `TYPE KIND image HEIGHT WIDTH`; the answer is seconds of a call.
from common import clock, serve, threads, torch

try:
    import pyfftw

    pyfftw.interfaces.cache.enable()
    pyfftw.interfaces.cache.set_keepalive_time(30)
except ImportError:
    pyfftw = None

SLICE = 0.004
known = {}


def seconds(f):
    f()
    start = clock()
    f()
    times = max(1, int(SLICE / max(clock() - start, 1e-7)) + 1)
    least = float("inf")
    for _ in range(3):
        start = clock()
        for _ in range(times):
            f()
        least = min(least, (clock() - start) / times)
    return least


def transforms(line):
    kind, form, *sizes = line.split()
    image = sizes[0] == "image"
    sizes = [int(s) for s in sizes[image:]]
    if sizes[0] == 1:
        sizes = sizes[1:]
    real = form == "real"
    types = {"float": (torch.float32, torch.complex64), "double": (torch.float64, torch.complex128)}[kind]
    x = torch.rand(sizes, dtype=types[not real])
    f = getattr(torch.fft, ("rfft" if real else "fft") + ("2" if image else ""))
    y = f(x)
    calls = [lambda: f(x, out=y)]
    if pyfftw and x.numel() <= 2**21:  # planning longer ones takes minutes
        a = x.numpy()
        g = getattr(pyfftw.interfaces.numpy_fft, ("rfft" if real else "fft") + ("2" if image else ""))
        calls.append(lambda: g(a, threads=threads if a.size > 2**15 else 1))
    return calls


def answer(line):
    if line not in known:
        known.clear()
        known[line] = transforms(line)
    return min(seconds(f) for f in known[line])


torch.set_grad_enabled(False)
serve(answer)
