# bench/peer/image.py - the rows of bench/image.lua in OpenCV and Pillow, whichever is the faster.
# Argument: threads of OpenCV (Pillow uses one). Every line read is `scale TYPE SIDE` or `warp TYPE MODE`; the answer is seconds.
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

SIDE, CALLS = 512, 10
cv2.setNumThreads(int(sys.argv[1]))
clock = time.process_time if sys.argv[1] == "1" else time.perf_counter
bytes_ = numpy.random.default_rng(1).integers(0, 256, (SIDE, SIDE, 3), dtype=numpy.uint8)
floats = (bytes_ / 255).astype(numpy.float32)
pillow = Image.fromarray(bytes_)
rows, columns = numpy.mgrid[0:SIDE, 0:SIDE].astype(numpy.float32)
down = rows + 8 * numpy.sin(columns / 40).astype(numpy.float32)
right = columns + 8 * numpy.cos(rows / 40).astype(numpy.float32)
WARPS = {"bilinear": cv2.INTER_LINEAR, "bicubic": cv2.INTER_CUBIC, "simple": cv2.INTER_NEAREST}


def seconds(f):
    f()
    start = clock()
    for _ in range(CALLS):
        f()
    return (clock() - start) / CALLS


def answer(line):
    what, kind, how = line.split()
    picture = bytes_ if kind == "Byte" else floats
    if what == "warp":
        return seconds(lambda: cv2.remap(picture, right, down, WARPS[how], borderMode=cv2.BORDER_REPLICATE))
    side = int(how)
    way = cv2.INTER_AREA if side < SIDE else cv2.INTER_LINEAR
    times = [seconds(lambda: cv2.resize(picture, (side, side), interpolation=way))]
    if kind == "Byte":
        way = Image.Resampling.BOX if side < SIDE else Image.Resampling.BILINEAR
        times.append(seconds(lambda: pillow.resize((side, side), way)))
    return min(times)


print("ready", "OpenCV", cv2.__version__, "and Pillow", PIL.__version__, flush=True)
for line in sys.stdin:
    try:
        print(answer(line.rstrip("\n")), flush=True)
    except Exception as why:
        print(" ".join(str(why).split()), flush=True)
