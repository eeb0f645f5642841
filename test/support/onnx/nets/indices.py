# indices.py - small nets of indices, reductions, shapes and control flow.
import torch
from torch import nn
from torch.nn import functional as F
from .base import Apply, case, randn


@case
def indexing():
    def f(m, x, i):
        return (
            x[:, 1:-1:2],
            x[..., -1],
            x.index_select(1, i),
            x[:, i],
            torch.flip(x, [1]),
            torch.roll(x, 2, 1),
            x.gather(1, i[None].expand(2, -1)),
            x.narrow(1, 1, 3),
            torch.stack(x.unbind(1)[:2], 0),
        )

    return Apply(f), (randn(2, 6), torch.tensor([0, 3, 5, 3]))


@case
def scattering():
    def f(m, x, i):
        zeros = torch.zeros_like(x)
        return (
            zeros.scatter(1, i, x),
            zeros.scatter_add(1, i, x),
            x.scatter(1, i[:, :1], 7.0),
            torch.zeros(8, 4).index_add(0, i[0], x.t()[:, :2].repeat(1, 2)),
            F.one_hot(i, 6).float(),
        )

    return Apply(f), (randn(2, 6), torch.stack([torch.randperm(6), torch.randperm(6)]))


@case
def sorting():
    def f(m, x):
        top = torch.topk(x, 3, dim=1)
        low = torch.topk(x, 2, dim=0, largest=False)
        s = torch.sort(x, 1, descending=True)
        return (
            top[0],
            top[1],
            low[0],
            s[0],
            s[1],
            torch.cumsum(x, 1),
            x.argmax(1),
            x.argmin(0),
            x.max(1)[0],
            x.amin(1),
        )

    return Apply(f), (randn(4, 5),)


@case
def reductions():
    def f(m, x):
        return (
            x.mean((0, 2)),
            x.sum(1),
            x.std(2),
            x.var(1, unbiased=False),
            x.norm(dim=2),
            x.prod(1),
            torch.logsumexp(x, 2),
            x.amax((1, 2)),
            torch.linalg.vector_norm(x, 1, (1,)),
            x.abs().mean().reshape(1),
        )

    return Apply(f), (randn(2, 3, 4),)


@case
def arithmetic():
    def f(m, x, y):
        return (
            torch.where(x > y, x, y * 2),
            x.clamp(-1, 0.5),
            torch.floor(x) + torch.ceil(y),
            x.remainder(0.7),
            torch.pow(x.abs(), 1.5),
            torch.maximum(x, y),
            x.sign() * torch.log1p(x.abs()),
            torch.atan2(x, y),
            (x > 0).logical_and(y < 0).float(),
            torch.erf(x),
            torch.rsqrt(x.abs() + 1),
            x.round(),
            torch.fmod(x, 0.4),
            x.reciprocal(),
            torch.sigmoid(x).logit(),
            torch.lerp(x, y, 0.3),
            torch.addcmul(x, x, y, value=0.5),
            x.isnan().float(),
        )

    return Apply(f), (randn(3, 4), randn(3, 4)), (randn(2, 4), randn(2, 4))


@case
def shapes():
    def f(m, x):
        n = x.size(0)
        y = x.reshape(n, -1, 2).permute(2, 0, 1).contiguous().view(2, n, -1)
        a, b = y.split([1, 1], 0)
        return (
            torch.cat([a, b * 2], 2),
            x.unsqueeze(1).repeat(1, 2, 1, 1).flatten(1, 2),
            x.squeeze(),
            x.expand(3, *x.shape).sum(0),
            torch.meshgrid(x[0, 0], x[0, 1], indexing='ij')[0],
            torch.tril(x),
            torch.triu(x, 1),
            x.diagonal(dim1=1, dim2=2),
            x.transpose(1, 2).chunk(2, 1)[1],
            torch.repeat_interleave(x, 2, 1),
            x.movedim(0, 2),
        )

    return Apply(f), (randn(2, 4, 6),)


@case
def einsums():
    def f(m, a, b):
        return (
            torch.einsum('bij,bjk->bik', a, b),
            torch.einsum('bij->bji', a),
            torch.einsum('bij,bij->b', a, a),
            torch.einsum('bij,cjk->bcik', a, b),
            torch.einsum('ii->i', a[0, :3, :3]),
        )

    return Apply(f), (randn(2, 3, 4), randn(2, 4, 5))


@case
def graph_convolution():
    def f(m, x, edges):
        for layer in m.layers:
            h = layer(x)
            degree = torch.zeros(x.size(0)).index_add(0, edges[1], torch.ones(edges.size(1)))
            x = F.relu(
                torch.zeros_like(h).index_add(0, edges[1], h[edges[0]])
                / degree.clamp(min=1)[:, None]
            )
        return x

    return Apply(f, layers=nn.ModuleList([nn.Linear(4, 6), nn.Linear(6, 3)])), (
        randn(5, 4),
        torch.tensor([[0, 1, 2, 3, 4, 0], [1, 2, 3, 4, 0, 3]]),
    )


@case
def capsules():
    def squash(s):
        n = (s**2).sum(-1, keepdim=True)
        return n / (1 + n) * s / torch.sqrt(n + 1e-8)

    def f(m, x):
        u = squash(m.c(x).view(x.size(0), -1, 4))
        v = torch.einsum('nid,ijde->nije', u, m.w)
        b = torch.zeros(x.size(0), v.size(1), v.size(2))
        for _ in range(3):
            out = squash((torch.softmax(b, 2).unsqueeze(-1) * v).sum(1))
            b = b + (v * out.unsqueeze(1)).sum(-1)
        return out.norm(dim=-1)

    return Apply(f, c=nn.Conv2d(1, 8, 3, 2), w=randn(32, 3, 4, 5) * 0.1), (randn(2, 1, 9, 9),)


class Loop(nn.Module):
    """Branches and loops that depend on the data."""

    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)

    def forward(self, x):
        if bool(x.sum() > 0):
            y = self.l(x)
        else:
            y = x * 2.0
        i = 0
        while bool(y.abs().sum() < 50.0) and i < 8:
            y = y * 2.0 + 1.0
            i += 1
        total = torch.zeros_like(x)
        for k in range(x.size(0)):
            total = total + y[k] * float(k)
        return y, total


@case
def scripted_control_flow():
    x = randn(3, 4).abs()
    return torch.jit.script(Loop()), (x,), (-x,)


@case
def conditional():
    def f(m, x):
        return torch.cond(x.sum() > 0, lambda x: m.l(x), lambda x: x * 2.0, (x,))

    x = randn(3, 4).abs()
    return Apply(f, l=nn.Linear(4, 4)), (x,), (-x,)


@case
def fourier():
    def f(m, x):
        y = torch.fft.rfft(x, dim=1)
        return y.real.abs() + y.imag.abs()

    return Apply(f), (randn(2, 16),)


@case
def quantized_by_hand():
    def f(m, x):
        q = torch.fake_quantize_per_tensor_affine(x, 0.1, 3, 0, 255)
        return (
            m.l(q),
            x.to(torch.float64).sum(1).float(),
            x.to(torch.int32).float(),
            x.half().float(),
        )

    return Apply(f, l=nn.Linear(6, 3)), (randn(2, 6),)
