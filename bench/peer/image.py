# bench/peer/image.py - the rows of bench/image.lua in OpenCV, Pillow and torchvision, whichever is the fastest.
# Argument: threads (Pillow uses one). Every line read is `scale TYPE SIDE` or `warp TYPE MODE`; the answer is seconds.
# Libraries with area means use them for smaller pictures, others linear interpolation with antialiasing.
import sys
import time

try:
    import cv2
    import numpy
    import PIL
    from PIL import Image
except ImportError as missing:
    print("missing", missing, flush=True)
    sys.exit(0)
try:
    import torch
    import torchvision
    from torch.nn.functional import grid_sample, interpolate
    from torchvision.transforms.v2 import functional as transforms
except ImportError:
    torch = None

SIDE, CALLS = 512, 10
threads = int(sys.argv[1])
cv2.setNumThreads(threads)
clock = time.process_time if threads == 1 else time.perf_counter
bytes_ = numpy.random.default_rng(1).integers(0, 256, (SIDE, SIDE, 3), dtype=numpy.uint8)
floats = (bytes_ / 255).astype(numpy.float32)
pillow = Image.fromarray(bytes_)
rows, columns = numpy.mgrid[0:SIDE, 0:SIDE].astype(numpy.float32)
down = rows + 8 * numpy.sin(columns / 40).astype(numpy.float32)
right = columns + 8 * numpy.cos(rows / 40).astype(numpy.float32)
WARPS = {"bilinear": cv2.INTER_LINEAR, "bicubic": cv2.INTER_CUBIC, "simple": cv2.INTER_NEAREST, "lanczos": cv2.INTER_LANCZOS4}
SAMPLES = {"bilinear": "bilinear", "bicubic": "bicubic", "simple": "nearest"}
version = "OpenCV %s, Pillow %s" % (cv2.__version__, PIL.__version__)
if torch:
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    planes = {"Byte": torch.from_numpy(bytes_).permute(2, 0, 1), "Float": torch.from_numpy(floats).permute(2, 0, 1)}
    grid = torch.from_numpy(numpy.stack((right, down), 2))[None] * (2 / (SIDE - 1)) - 1
    version += ", torchvision %s with PyTorch %s" % (torchvision.__version__, torch.__version__)


def seconds(f):
    """The least seconds of single calls, after one that is not counted."""
    f()
    least = float("inf")
    for _ in range(CALLS):
        start = clock()
        f()
        least = min(least, clock() - start)
    return least


def scales(kind, side):
    """The ways to make a picture of side x side."""
    smaller = side < SIDE
    picture = bytes_ if kind == "Byte" else floats
    way = cv2.INTER_AREA if smaller else cv2.INTER_LINEAR
    yield lambda: cv2.resize(picture, (side, side), interpolation=way)
    if kind == "Byte":
        box = Image.Resampling.BOX if smaller else Image.Resampling.BILINEAR
        yield lambda: pillow.resize((side, side), box)
    if torch:
        for x in planes[kind], planes[kind].contiguous():
            yield lambda x=x: transforms.resize(x, [side, side], antialias=smaller)
            if kind == "Float" and smaller:
                yield lambda x=x: interpolate(x[None], (side, side), mode="area")


def warps(kind, mode):
    """The ways to warp a picture; PyTorch warps no bytes."""
    picture = bytes_ if kind == "Byte" else floats
    yield lambda: cv2.remap(picture, right, down, WARPS[mode], borderMode=cv2.BORDER_REPLICATE)
    if torch and kind == "Float" and mode in SAMPLES:
        for x in planes[kind][None], planes[kind][None].contiguous():
            yield lambda x=x: grid_sample(x, grid, mode=SAMPLES[mode], padding_mode="border", align_corners=True)


def answer(line):
    what, kind, how = line.split()
    return min(map(seconds, warps(kind, how) if what == "warp" else scales(kind, int(how))))


print("ready", version, flush=True)
for line in sys.stdin:
    try:
        print(answer(line.rstrip("\n")), flush=True)
    except Exception as why:
        print(" ".join(str(why).split()), flush=True)
