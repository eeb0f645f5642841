# bench/peer/models.py - the models of bench/models.lua in PyTorch, with its fused optimizers and fused attention.
# A line 'NAME TIMES' trains that model for so many steps, and is answered by the seconds they took.
from common import seconds, serve, torch
from torch import nn
from torch.nn import functional as F

OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9, weight_decay=1e-4, fused=True),
    "adam": lambda p: torch.optim.Adam(p, lr=0.002, fused=True),
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.001, weight_decay=0.01, fused=True)}


def mlp():
    return nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))


def lenet():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))


def alexnet():
    return nn.Sequential(
        nn.Conv2d(3, 64, 11, 4, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2),
        nn.Conv2d(64, 192, 5, padding=2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2),
        nn.Conv2d(192, 384, 3, padding=1), nn.ReLU(inplace=True), nn.Conv2d(384, 256, 3, padding=1), nn.ReLU(inplace=True),
        nn.Conv2d(256, 256, 3, padding=1), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2), nn.Flatten(),
        nn.Linear(9216, 4096), nn.ReLU(inplace=True), nn.Linear(4096, 4096), nn.ReLU(inplace=True), nn.Linear(4096, 1000))


class Block(nn.Module):
    def __init__(self, before, after, stride):
        super().__init__()
        self.path = nn.Sequential(
            nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU(inplace=True),
            nn.Conv2d(after, after, 3, 1, 1, bias=False), nn.BatchNorm2d(after))
        self.short = nn.Identity() if stride == 1 else nn.Sequential(
            nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x):
        return F.relu(self.path(x) + self.short(x), inplace=True)


def resnet20():
    layers, before = [nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(inplace=True)], 16
    for after in (16, 32, 64):
        for k in range(3):
            layers.append(Block(before, after, 2 if k == 0 and after > 16 else 1))
            before = after
    return nn.Sequential(*layers, nn.AvgPool2d(8), nn.Flatten(), nn.Linear(64, 10))


class Characters(nn.Module):
    """The model of examples/char.lua."""

    def __init__(self):
        super().__init__()
        self.table, self.lstm, self.last = nn.Embedding(65, 128), nn.LSTM(128, 128, 2, batch_first=True), nn.Linear(128, 65)
        self.state = None

    def forward(self, x):
        y, state = self.lstm(self.table(x), self.state)
        self.state = tuple(s.detach() for s in state)
        return self.last(y.reshape(-1, 128))


class Layer(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads, self.first, self.second = heads, nn.LayerNorm(size), nn.LayerNorm(size)
        self.qkv, self.out = nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.linear = nn.Sequential(nn.Linear(size, 4 * size), nn.GELU(), nn.Linear(4 * size, size))

    def forward(self, x):
        n, steps, size = x.shape
        q, k, v = (t.view(n, steps, self.heads, -1).transpose(1, 2) for t in self.qkv(self.first(x)).split(size, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(n, steps, size)
        x = x + self.out(y)
        return x + self.linear(self.second(x))


class Transformer(nn.Module):
    """The model of examples/transformer.lua."""

    def __init__(self, size=128, steps=64):
        super().__init__()
        self.table, self.places = nn.Embedding(65, size), nn.Embedding(steps, size)
        self.layers = nn.Sequential(*(Layer(size, 4) for _ in range(4)), nn.LayerNorm(size), nn.Linear(size, 65))
        self.register_buffer("steps", torch.arange(steps))

    def forward(self, x):
        return self.layers(self.table(x) + self.places(self.steps)).view(-1, 65)


class Training:
    def __init__(self, net, inputs, classes, optimizer, clip=0):
        self.net, self.inputs, self.clip = net, inputs, clip
        n = inputs.numel() if inputs.dtype == torch.long else inputs.shape[0]
        self.targets = torch.randint(0, classes, (n,))
        self.optimizer = OPTIMIZERS[optimizer](net.parameters())

    def steps(self, n):
        for _ in range(n):
            self.optimizer.zero_grad()
            F.cross_entropy(self.net(self.inputs), self.targets).backward()
            if self.clip:
                nn.utils.clip_grad_norm_(self.net.parameters(), self.clip)
            self.optimizer.step()


MODELS = {
    "MLP": lambda: Training(mlp(), torch.rand(128, 784), 10, "sgd"),
    "LeNet": lambda: Training(lenet(), torch.rand(64, 1, 28, 28), 10, "sgd"),
    "AlexNet": lambda: Training(alexnet(), torch.rand(16, 3, 224, 224), 1000, "sgd"),
    "ResNet-20": lambda: Training(resnet20(), torch.rand(32, 3, 32, 32), 10, "sgd"),
    "LSTM": lambda: Training(Characters(), torch.randint(0, 65, (50, 50)), 65, "adam", 5),
    "transformer": lambda: Training(Transformer(), torch.randint(0, 65, (32, 64)), 65, "adamw", 1)}
made = {}


def answer(line):
    name, times = line.split()
    if name not in made:
        made[name] = MODELS[name]()
    return seconds(made[name].steps, int(times))


serve(answer)
