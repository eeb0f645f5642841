"""Values of SciPy for test/op/fft_scipy_spec.lua, as a Lua table on stdout.

    python3 test/support/fft_scipy.py > test/support/fft_scipy.lua      the recorded cases
    python3 test/support/fft_scipy.py SEED                      other cases, with longer lines, for a live comparison

A case is { function, arguments, result }. A tensor is { size = {...}, data = {...} }; complex ones have a last dimension of 2.
"""
import sys

import numpy as np
import scipy
import scipy.fft
import scipy.signal

live = len(sys.argv) > 1
rng = np.random.default_rng(int(sys.argv[1]) if live else 1)
lengths = [1, 2, 3, 7, 12, 30, 49, 101, 128, 1000] if live else [1, 2, 3, 5, 6, 8]
NORMS = ["backward", "ortho", "forward"]


def number(x):
    return ("%.17g" if live else "%.14g") % x


def wrapped(line, width=120):
    """The line, broken behind commas."""
    parts, text = line.split(", "), ""
    lines = []
    for part in parts:
        if text and len(text) + len(part) > width:
            lines.append(text)
            text = "      " + part
        else:
            text += (", " if text else "") + part
    return ",\n".join(lines + [text])


def lua(v):
    if v is None:
        return "nil"
    if isinstance(v, (bool, np.bool_)):
        return "true" if v else "false"
    if isinstance(v, str):
        return "'%s'" % v
    if isinstance(v, dict):
        return "{ %s }" % ", ".join("%s = %s" % (k, lua(x)) for k, x in v.items())
    if isinstance(v, list):
        return "{ %s }" % ", ".join(lua(x) for x in v)
    if isinstance(v, np.ndarray):
        if np.iscomplexobj(v):
            v = np.stack([v.real, v.imag], -1)
        return "{ size = { %s }, data = { %s } }" % (", ".join(map(str, v.shape)), ", ".join(number(x) for x in v.ravel()))
    return number(v)


def case(name, arguments, result):
    n = len(arguments)
    print(wrapped("   { '%s', n = %d, { %s }, %s }," % (name, n, ", ".join(lua(a) for a in arguments), lua(result))))


def real(*size):
    return rng.standard_normal(size).round(3)


def cplx(*size):
    return real(*size) + 1j * real(*size)


def pick(values):
    return values[rng.integers(len(values))]


print("-- test/support/fft_scipy.lua - written by test/support/fft_scipy.py with SciPy %s" % scipy.__version__)
print("return {")
for n in lengths:
    for name in ["dct", "idct", "dst", "idst"]:
        for kind in [1, 2, 3, 4]:
            if n == 1 and kind == 1 and name.endswith("ct"):
                continue
            norm = pick(NORMS)
            x = real(n)
            case(name, [x, kind, None, None, norm], getattr(scipy.fft, name)(x, type=kind, norm=norm))
    norm = pick(NORMS)
    x, y = real(n), cplx(n // 2 + 1)
    case("ihfft", [x, None, None, norm], scipy.fft.ihfft(x, norm=norm))
    case("hfft", [y, n, None, norm], scipy.fft.hfft(y, n, norm=norm))
x = real(3, 4)
case("dct", [x, 2, 5, 1, "ortho"], scipy.fft.dct(x, 2, 5, 0, "ortho"))
case("dst", [x, 3, 3, 2], scipy.fft.dst(x, 3, 3, 1))
x = cplx(3, 4)
case("hfft", [x, 7, 1], scipy.fft.hfft(x, 7, 0))
case("hfft", [x], scipy.fft.hfft(x))
for periodic in [True, False]:
    for n in [1, 2, 5, 100, 1001] if live else [1, 5, 6]:
        for name in ["hann", "hamming", "blackman", "bartlett", "kaiser"]:
            beta = pick([0.0, 5.0, 14.0])
            given = (name, beta) if name == "kaiser" else name
            case("window", [name, n, periodic, beta], scipy.signal.get_window(given, n, fftbins=periodic))


def stft(x, n, hop, window, onesided, normalized):
    """With the sums of its frames, not divided by the window's: scipy.signal.ShortTimeFFT sums so, too."""
    m, half = x.shape[-1], n // 2
    x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(half, half)], "reflect")
    frames = np.lib.stride_tricks.sliding_window_view(x, n, -1)[..., ::hop, :] * window
    y = (scipy.fft.rfft if onesided else scipy.fft.fft)(frames, norm="ortho" if normalized else "backward")
    return np.swapaxes(y, -1, -2)


for n, hop in [(8, 2), (64, 16), (101, 25), (256, 100)] if live else [(6, 3), (5, 2)]:
    for name in ["hann", "hamming", "blackman"] if live else ["hann"]:
        window = scipy.signal.get_window(name, n)
        x = real(2, 3 * n + 5) if live else real(2, 9)
        onesided, normalized = bool(rng.integers(2)), bool(rng.integers(2))
        options = {"onesided": onesided, "normalized": normalized}
        case("stft", [x, n, hop, name, options], stft(x, n, hop, window, onesided, normalized))
        # An independent program: its frame p begins at p hop - n // 2 of the signal, which it pads with zeros.
        of_scipy = scipy.signal.ShortTimeFFT(window, hop, fs=1, fft_mode="onesided", scale_to=None, phase_shift=None)
        first, after = of_scipy.lower_border_end[1], of_scipy.upper_border_begin(x.shape[-1])[1]
        y = of_scipy.stft(x, first, after)
        case("scipy stft", [x, n, hop, name, first, after], y)

sizes = [(5, 3), (3, 5), (4, 4), (1, 6), (24, 2)] + ([(1000, 7), (300, 299), (20, 2000), (5000, 33)] if live else [])
for na, nb in sizes:
    for mode in ["full", "same", "valid"]:
        a, b = real(na), real(nb)
        case("convolve", [a, b, mode], scipy.signal.convolve(a, b, mode, "direct")
             if mode != "same" else scipy.signal.fftconvolve(a, b, mode))
        case("correlate", [a, b, mode], scipy.signal.correlate(a, b, mode, "direct"))
    a, b = cplx(na), cplx(nb)
    case("convolve", [a, b, "full", None, True], scipy.signal.convolve(a, b, "full", "direct"))
    case("correlate", [a, b, "same", None, True], scipy.signal.correlate(a, b, "same", "direct"))
a, b = real(2, 6), real(1, 3)
case("convolve", [a, b, "full", 2], scipy.signal.fftconvolve(a, b, "full", 1))
for n in [1, 5, 8]:
    case("fftfreq", [n, 0.5], scipy.fft.fftfreq(n, 0.5))
    case("rfftfreq", [n, 0.5], scipy.fft.rfftfreq(n, 0.5))
x = real(5, 3)
case("fftshift", [x], scipy.fft.fftshift(x))
case("ifftshift", [x, 1], scipy.fft.ifftshift(x, 0))
print("}")
