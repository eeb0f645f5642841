# bench/peer/loader.py - the epochs of bench/loader.lua by a PyTorch DataLoader with torchvision.
# Arguments: processes, pictures of a batch, folder of JPEG files. Lines read are `epoch`, answered by seconds, and `work`, answered
# by the seconds of processors that the last epoch took in all processes.
import multiprocessing
import os
import sys
import time
from pathlib import Path

try:
    import PIL
    import torch
    import torchvision
    from PIL import Image
    from torchvision import transforms
except ImportError as missing:
    print("missing", missing, flush=True)
    sys.exit(0)

processes, batch, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]


class Pictures(torch.utils.data.Dataset):
    def __init__(self):
        self.files = sorted(str(path) for path in Path(folder).iterdir() if path.suffix == ".jpg")
        self.change = transforms.Compose([
            transforms.Resize(256),
            transforms.RandomCrop(224),
            transforms.RandomHorizontalFlip(),
            transforms.ColorJitter(0.4, 0.4, 0.4),
            transforms.ToTensor(),
            transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
        ])

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        with Image.open(self.files[i]) as picture:
            return self.change(picture.convert("RGB"))


torch.set_num_threads(1)
loader = torch.utils.data.DataLoader(Pictures(), batch_size=batch, shuffle=True, num_workers=processes,
                                     persistent_workers=True)
print("ready", "torchvision", torchvision.__version__, "with PyTorch", torch.__version__, "and Pillow", PIL.__version__,
      flush=True)


def work():
    total = time.process_time()
    for child in multiprocessing.active_children():
        fields = Path(f"/proc/{child.pid}/stat").read_text().rsplit(")", 1)[1].split()
        total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def epoch():
    start, seen = time.perf_counter(), 0
    for x in loader:
        seen += x.shape[0]
    assert seen == len(loader.dataset)
    return time.perf_counter() - start


worked = 0
for line in sys.stdin:
    try:
        if line.strip() == "work":
            print(worked, flush=True)
            continue
        before = work()
        seconds = epoch()
        worked = work() - before
        print(seconds, flush=True)
    except Exception as why:
        print(" ".join(str(why).split()), flush=True)
