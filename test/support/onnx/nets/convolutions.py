# convolutions.py - small nets of convolutions, pooling and resizing.
import torch
from torch import nn
from torch.nn import functional as F
from .base import Apply, case, conv_bn, randn


@case
def lenet():
    return (
        nn.Sequential(
            nn.Conv2d(1, 6, 5, padding=2),
            nn.Tanh(),
            nn.AvgPool2d(2),
            nn.Conv2d(6, 16, 5),
            nn.Tanh(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(400, 84),
            nn.ReLU(),
            nn.Linear(84, 10),
            nn.LogSoftmax(1),
        ),
        (randn(2, 1, 28, 28),),
        (randn(3, 1, 28, 28),),
    )


@case
def unet():
    def f(m, x):
        a = m.a(x)
        b = m.b(F.max_pool2d(a, 2))
        c = m.c(F.max_pool2d(b, 2))
        b = m.d(torch.cat([m.up1(c), b], 1))
        return m.last(m.e(torch.cat([m.up2(b), a], 1)))

    return (
        Apply(
            f,
            a=conv_bn(3, 8),
            b=conv_bn(8, 16),
            c=conv_bn(16, 32),
            up1=nn.ConvTranspose2d(32, 16, 2, stride=2),
            d=conv_bn(32, 16),
            up2=nn.Upsample(scale_factor=2, mode='bilinear', align_corners=False),
            e=conv_bn(24, 8),
            last=nn.Conv2d(8, 2, 1),
        ),
        (randn(1, 3, 32, 32),),
        (randn(2, 3, 32, 32),),
    )


@case
def conv_autoencoder():
    return (
        nn.Sequential(
            nn.Conv2d(3, 8, 3, 2, 1),
            nn.ReLU(),
            nn.Conv2d(8, 16, 3, 2, 1),
            nn.ReLU(),
            nn.ConvTranspose2d(16, 8, 3, 2, 1, output_padding=1),
            nn.ReLU(),
            nn.ConvTranspose2d(8, 3, 4, 2, 1),
            nn.Sigmoid(),
        ),
        (randn(2, 3, 16, 16),),
        (randn(1, 3, 16, 16),),
    )


@case
def dcgan_generator():
    def up(i, o, *a):
        return [nn.ConvTranspose2d(i, o, *a, bias=False), nn.BatchNorm2d(o), nn.ReLU()]

    return (
        nn.Sequential(
            *up(10, 32, 4, 1, 0),
            *up(32, 16, 4, 2, 1),
            *up(16, 8, 4, 2, 1),
            nn.ConvTranspose2d(8, 3, 4, 2, 1),
            nn.Tanh()
        ),
        (randn(2, 10, 1, 1),),
        (randn(1, 10, 1, 1),),
    )


@case
def transposed_grouped_dilated():
    return nn.Sequential(
        nn.ConvTranspose2d(6, 9, 3, stride=2, padding=1, groups=3, dilation=2),
        nn.ReLU(),
        nn.ConvTranspose2d(9, 4, (2, 3), stride=(1, 2), output_padding=(0, 1)),
    ), (
        randn(2, 6, 7, 5),
    )


@case
def grouped():
    def f(m, x):
        x = m.b(m.a(x))
        n, c, h, w = x.shape
        return m.c(x.view(n, 3, c // 3, h, w).transpose(1, 2).reshape(n, c, h, w))  # a shuffle

    return (
        Apply(
            f,
            a=conv_bn(6, 12, groups=3),
            b=conv_bn(12, 12, groups=4, stride=2),
            c=nn.Conv2d(12, 4, 1),
        ),
        (randn(2, 6, 12, 10),),
        (randn(1, 6, 12, 10),),
    )


@case
def dilated():
    return nn.Sequential(
        conv_bn(3, 8, dilation=2, padding=2),
        conv_bn(8, 8, dilation=(1, 3), padding=(1, 3)),
        nn.Conv2d(8, 2, 1),
    ), (
        randn(1, 3, 14, 17),
    )


@case
def depthwise_separable():
    return (
        nn.Sequential(
            conv_bn(3, 8, stride=2),
            conv_bn(8, 8, groups=8, act=nn.ReLU6),
            conv_bn(8, 16, 1),
            conv_bn(16, 16, 5, groups=16),
            conv_bn(16, 8, 1, act=nn.Hardswish),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(8, 3),
        ),
        (randn(2, 3, 20, 20),),
        (randn(5, 3, 20, 20),),
    )


@case
def same_padding():
    return nn.Sequential(
        nn.Conv2d(3, 4, 4, padding='same'),
        nn.ReLU(),
        nn.Conv2d(4, 5, 3, padding=1, padding_mode='reflect'),
        nn.Conv2d(5, 4, 3, padding=2, padding_mode='circular'),
        nn.Conv2d(4, 2, 3, padding=1, padding_mode='replicate'),
    ), (
        randn(1, 3, 9, 8),
    )


@case
def wavenet():
    def f(m, x):
        total = 0
        x = m.first(x)
        for k, (a, b) in enumerate(zip(m.filters, m.gates)):
            padded = F.pad(x, (2**k, 0))
            h = torch.tanh(a(padded)) * torch.sigmoid(b(padded))
            total = total + h
            x = x + h
        return m.last(torch.relu(total))

    layers = lambda: nn.ModuleList(nn.Conv1d(8, 8, 2, dilation=2**k) for k in range(4))
    return (
        Apply(
            f, first=nn.Conv1d(1, 8, 1), filters=layers(), gates=layers(), last=nn.Conv1d(8, 4, 1)
        ),
        (randn(2, 1, 30),),
        (randn(1, 1, 30),),
    )


@case
def conv1d():
    return (
        nn.Sequential(
            nn.Conv1d(4, 8, 5, stride=2, padding=2),
            nn.BatchNorm1d(8),
            nn.ReLU(),
            nn.MaxPool1d(2),
            nn.Conv1d(8, 8, 3, groups=2),
            nn.AvgPool1d(2),
            nn.ConvTranspose1d(8, 4, 3, stride=2),
            nn.AdaptiveMaxPool1d(1),
            nn.Flatten(),
        ),
        (randn(2, 4, 40),),
        (randn(3, 4, 40),),
    )


@case
def conv3d():
    return (
        nn.Sequential(
            nn.Conv3d(2, 4, 3, padding=1),
            nn.BatchNorm3d(4),
            nn.ReLU(),
            nn.MaxPool3d(2),
            nn.Conv3d(4, 6, (1, 3, 3)),
            nn.ReLU(),
            nn.ConvTranspose3d(6, 4, 2, stride=2),
            nn.AvgPool3d(2),
            nn.AdaptiveAvgPool3d(1),
            nn.Flatten(),
            nn.Linear(4, 3),
        ),
        (randn(1, 2, 6, 8, 8),),
        (randn(2, 2, 6, 8, 8),),
    )


@case
def weight_normalised():
    norm = torch.nn.utils.parametrizations.weight_norm
    return nn.Sequential(norm(nn.Conv1d(3, 6, 3)), nn.ReLU(), norm(nn.Conv1d(6, 2, 3))), (
        randn(2, 3, 12),
    )


@case
def squeeze_and_excite():
    def f(m, x):
        x = m.a(x)
        return x * torch.sigmoid(m.c(torch.relu(m.b(x.mean((2, 3), keepdim=True)))))

    return (
        Apply(f, a=conv_bn(3, 8, act=nn.SiLU), b=nn.Conv2d(8, 2, 1), c=nn.Conv2d(2, 8, 1)),
        (randn(2, 3, 10, 10),),
        (randn(1, 3, 10, 10),),
    )


@case
def pixel_shuffle():
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.PReLU(),
        nn.PixelShuffle(2),
        nn.Conv2d(2, 2, 3, padding=1),
        nn.PixelUnshuffle(2),
        nn.Conv2d(8, 4, 1),
    ), (
        randn(2, 1, 6, 7),
    )


@case
def pooling():
    def f(m, x):
        return torch.cat([p(x).flatten(1) for p in m.pools], 1)

    pools = [
        nn.MaxPool2d(3, 2, 1),
        nn.MaxPool2d(2, ceil_mode=True),
        nn.AvgPool2d(3, 2, 1),
        nn.AvgPool2d(3, 2, 1, count_include_pad=False),
        nn.AvgPool2d(2, ceil_mode=True),
        nn.AdaptiveAvgPool2d(3),
        nn.AdaptiveMaxPool2d((1, 3)),
        nn.MaxPool2d(3, dilation=2),
    ]
    return Apply(f, pools=nn.ModuleList(pools)), (randn(2, 3, 9, 9),), (randn(1, 3, 9, 9),)


@case
def upsampling():
    modes = [
        dict(scale_factor=2, mode='nearest'),
        dict(size=(7, 9), mode='nearest'),
        dict(scale_factor=1.5, mode='bilinear'),
        dict(size=(10, 3), mode='bilinear', align_corners=True),
        dict(scale_factor=2, mode='bicubic'),
    ]
    return Apply(lambda m, x: tuple(F.interpolate(x, **o) for o in modes)), (randn(1, 2, 6, 5),)


@case
def padding():
    def f(m, x):
        return (
            F.pad(x, (1, 2, 3, 0)),
            F.pad(x, (1, 1), value=2.5),
            F.pad(x, (2, 1, 1, 2), mode='reflect'),
            F.pad(x, (1, 2, 0, 1), mode='replicate'),
            F.pad(x, (-1, 1)),
        )

    return Apply(f), (randn(1, 2, 5, 6),)


@case
def unfolding():
    def f(m, x):
        columns = F.unfold(x, 3, padding=1)
        return F.fold((columns.transpose(1, 2) @ m.w).transpose(1, 2), (4, 7), 2)

    return Apply(f, w=randn(27, 12)), (randn(2, 3, 3, 6),)


@case
def grid_sampling():
    def f(m, x):
        theta = torch.tanh(m.l(F.adaptive_avg_pool2d(x, 1).flatten(1))).view(-1, 2, 3)
        grid = F.affine_grid(theta, [2, 3, 8, 8], align_corners=False)
        return F.grid_sample(x, grid, align_corners=False)

    return Apply(f, l=nn.Linear(3, 6)), (randn(2, 3, 8, 8),)
