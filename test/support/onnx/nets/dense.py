# dense.py - small nets of linear layers, and of normalization.
import math

import torch
from torch import nn
from torch.nn import functional as F
from .base import Apply, case, randn


@case
def mlp():
    return (
        nn.Sequential(
            nn.Linear(12, 32),
            nn.ReLU(),
            nn.Dropout(),
            nn.Linear(32, 32),
            nn.Tanh(),
            nn.Linear(32, 5),
            nn.Softmax(1),
        ),
        (randn(3, 12),),
        (randn(7, 12),),
    )


@case
def autoencoder():
    return (
        nn.Sequential(
            nn.Linear(20, 8),
            nn.GELU(),
            nn.Linear(8, 3),
            nn.ELU(),
            nn.Linear(3, 8),
            nn.SiLU(),
            nn.Linear(8, 20),
            nn.Sigmoid(),
        ),
        (randn(4, 20),),
        (randn(1, 20),),
    )


@case
def highway():
    def f(m, x):
        for a, b in zip(m.h, m.t):
            gate = torch.sigmoid(b(x))
            x = gate * torch.relu(a(x)) + (1 - gate) * x
        return x

    layers = lambda: nn.ModuleList(nn.Linear(16, 16) for _ in range(3))
    return Apply(f, h=layers(), t=layers()), (randn(4, 16),), (randn(2, 16),)


@case
def mixture_of_experts():
    def f(m, x):
        w = torch.softmax(m.gate(x), -1)
        top, which = torch.topk(w, 2, dim=-1)
        y = torch.stack([e(x) for e in m.experts], 1)
        picked = torch.gather(y, 1, which.unsqueeze(-1).expand(-1, -1, y.size(-1)))
        return (picked * top.unsqueeze(-1)).sum(1), which

    return (
        Apply(f, gate=nn.Linear(8, 4), experts=nn.ModuleList(nn.Linear(8, 6) for _ in range(4))),
        (randn(5, 8),),
        (randn(2, 8),),
    )


@case
def nerf():
    def f(m, x):
        powers = 2.0 ** torch.arange(4, dtype=torch.float32)
        angles = (x.unsqueeze(-1) * powers).flatten(1)
        e = torch.cat([x, torch.sin(angles), torch.cos(angles)], 1)
        h = m.a(e)
        return torch.cat([torch.sigmoid(m.colour(h)), F.softplus(m.density(h))], -1)

    return (
        Apply(
            f,
            a=nn.Sequential(
                nn.Linear(27, 32), nn.LeakyReLU(), nn.Linear(32, 32), nn.LeakyReLU(0.1)
            ),
            colour=nn.Linear(32, 3),
            density=nn.Linear(32, 1),
        ),
        (randn(6, 3),),
        (randn(1, 3),),
    )


@case
def siamese():
    def f(m, a, b):
        p, q = m.net(a), m.net(b)
        return F.cosine_similarity(p, q), torch.pairwise_distance(p, q), F.normalize(p, dim=1)

    return Apply(f, net=nn.Sequential(nn.Linear(10, 16), nn.PReLU(16), nn.Linear(16, 4))), (
        randn(3, 10),
        randn(3, 10),
    )


@case
def bilinear():
    return Apply(lambda m, a, b: m.b(a, b), b=nn.Bilinear(4, 5, 3)), (randn(6, 4), randn(6, 5))


@case
def activations():
    kinds = [
        nn.CELU(),
        nn.ELU(),
        nn.GELU(),
        nn.GELU('tanh'),
        nn.GLU(),
        nn.Hardshrink(),
        nn.Hardsigmoid(),
        nn.Hardswish(),
        nn.Hardtanh(),
        nn.LeakyReLU(),
        nn.LogSigmoid(),
        nn.LogSoftmax(1),
        nn.Mish(),
        nn.PReLU(),
        nn.ReLU6(),
        nn.SELU(),
        nn.SiLU(),
        nn.Softmin(1),
        nn.Softplus(),
        nn.Softshrink(),
        nn.Softsign(),
        nn.Tanhshrink(),
        nn.Threshold(0.1, 2.0),
    ]
    return (
        Apply(lambda m, x: torch.cat([k(3 * x) for k in m.kinds], 1), kinds=nn.ModuleList(kinds)),
        (randn(3, 8),),
        (randn(5, 8),),
    )


@case
def normalizations():
    def f(m, x):
        return m.i(x), m.g(x), m.l(x), m.li(x), F.local_response_norm(x, 3)

    return Apply(
        f,
        i=nn.InstanceNorm2d(6, affine=True),
        g=nn.GroupNorm(3, 6),
        l=nn.LayerNorm(5),
        li=nn.LayerNorm([6, 4, 5]),
    ), (
        randn(2, 6, 4, 5),
    )


@case
def rms_normalization():
    return nn.Sequential(nn.Linear(6, 5), nn.RMSNorm(5)), (randn(2, 3, 6),), (randn(4, 3, 6),)


@case
def decomposed_normalization():
    def f(m, x):
        mean = x.mean(-1, keepdim=True)
        var = (x - mean).pow(2).mean(-1, keepdim=True)
        y = (x - mean) / torch.sqrt(var + 1e-5) * m.w + m.b
        return y * 0.5 * (1 + torch.erf(y / math.sqrt(2)))

    return Apply(f, w=randn(8), b=randn(8)), (randn(2, 3, 8),), (randn(4, 3, 8),)
