# base.py - what the nets of this folder share: a list of them, and a net from a function.
import torch
from torch import nn

cases = {}


def case(f):
    """Registers a function that returns (net, inputs) or (net, inputs, inputs of other sizes)."""
    cases[f.__name__] = f
    return f


class Apply(nn.Module):
    """A net from a function and the modules that it uses: Apply(lambda m, x: m.a(x), a=module)."""

    def __init__(self, f, **modules):
        super().__init__()
        self.f = f
        for name, m in modules.items():
            if isinstance(m, torch.Tensor):
                self.register_parameter(name, nn.Parameter(m))
            else:
                setattr(self, name, m)

    def forward(self, *x):
        return self.f(self, *x)


def randn(*size):
    return torch.randn(*size)


def conv_bn(i, o, k=3, act=nn.ReLU, **options):
    return nn.Sequential(
        nn.Conv2d(i, o, k, padding=options.pop('padding', k // 2), bias=False, **options),
        nn.BatchNorm2d(o),
        act(),
    )
