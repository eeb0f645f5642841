# bench/peer/mnist.py - the network of bench/mnist.lua in PyTorch.
# Every line read trains one epoch and is answered by the seconds it took.
from common import seconds, serve, torch
from torch import nn

images, batch = 8000, 64
inputs = torch.rand(images, 1, 28, 28)
targets = torch.randint(0, 10, (images,))
net = nn.Sequential(
    nn.Conv2d(1, 32, 5), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(32, 64, 5), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(64 * 4 * 4, 10), nn.LogSoftmax(1))
criterion = nn.NLLLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)


def epoch():
    order = torch.randperm(images)
    for first in range(0, images, batch):
        rows = order[first:first + batch]
        optimizer.zero_grad(set_to_none=False)
        criterion(net(inputs[rows]), targets[rows]).backward()
        optimizer.step()


serve(lambda line: seconds(epoch))
