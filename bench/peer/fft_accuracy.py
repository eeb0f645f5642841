# bench/peer/fft_accuracy.py - errors of transforms, against SciPy's in long double: the other side
# of bench/fft_accuracy.lua.
import sys

try:
    import numpy
    import scipy
    import scipy.fft
except ImportError as e:
    print("missing", e)
    sys.exit()


def errors(name, kind, n, lines, path):
    """The relative L2 error, and the largest error over the root mean square."""
    with open(path, "rb") as f:
        data = numpy.frombuffer(f.read(), dtype=kind)
    inputs = {"rfft": n, "irfft": 2 * (n // 2 + 1)}.get(name, 2 * n) * lines
    parts = (data[:inputs], data[inputs:])
    x, y = (part.astype(numpy.longdouble).reshape(lines, -1) for part in parts)
    if name != "rfft":
        x = x[:, 0::2] + 1j * x[:, 1::2]
    if name != "irfft":
        y = y[:, 0::2] + 1j * y[:, 1::2]
    want = getattr(scipy.fft, name)(x, n)
    square = (abs(want) ** 2).mean()
    wrong = abs(y - want)
    return float(((wrong**2).mean() / square) ** 0.5), float(wrong.max() / square**0.5)


print("ready SciPy", scipy.__version__, flush=True)
known, result = None, None
for line in sys.stdin:
    which, request = line.split(None, 1)
    if request != known:
        name, kind, n, lines, path = request.split()
        known, result = request, errors(name, kind, int(n), int(lines), path)
    print("%.6e" % result[which == "largest"], flush=True)
