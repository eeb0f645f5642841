# attention.py - small transformers and other nets of attention.
import math

import torch
from torch import nn
from torch.nn import functional as F
from .base import Apply, case, randn


@case
def multi_head_attention():
    return Apply(lambda m, q, k: m.a(q, k, k), a=nn.MultiheadAttention(8, 2, batch_first=True)), (
        randn(2, 3, 8),
        randn(2, 5, 8),
    )


@case
def transformer_encoder():
    layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, activation='gelu')
    return (
        nn.TransformerEncoder(layer, 2, enable_nested_tensor=False),
        (randn(2, 6, 16),),
        (randn(3, 6, 16),),
    )


@case
def transformer_decoder():
    layer = nn.TransformerDecoderLayer(16, 4, 32, batch_first=True, norm_first=True)

    mask = nn.Transformer.generate_square_subsequent_mask(5)

    def f(m, x, memory):
        return m.d(x, memory, tgt_mask=mask, tgt_is_causal=True)

    return Apply(f, d=nn.TransformerDecoder(layer, 2)), (randn(2, 5, 16), randn(2, 7, 16))


@case
def transformer():
    return Apply(lambda m, a, b: m.t(a, b), t=nn.Transformer(16, 2, 1, 1, 24, batch_first=True)), (
        randn(2, 6, 16),
        randn(2, 4, 16),
    )


def heads(m, x, mask=None, causal=False, by_hand=False, count=4):
    n, t, d = x.shape
    q, k, v = (p.view(n, t, count, d // count).transpose(1, 2) for p in m.qkv(x).chunk(3, -1))
    if by_hand:
        s = q @ k.transpose(-2, -1) / math.sqrt(d // count)
        if mask is not None:
            s = s + mask
        y = torch.softmax(s, -1) @ v
    else:
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)
    return m.out(y.transpose(1, 2).reshape(n, t, d))


class Block(nn.Module):
    def __init__(self, d=16, act=None, **options):
        super().__init__()
        self.qkv, self.out, self.options = nn.Linear(d, 3 * d), nn.Linear(d, d), options
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), act or nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x, mask=None):
        x = x + heads(self, self.n1(x), mask, **self.options)
        return x + self.mlp(self.n2(x))


@case
def gpt():
    def f(m, ids):
        x = m.e(ids) + m.p(torch.arange(ids.size(1)))
        for b in m.blocks:
            x = b(x)
        return m.n(x) @ m.e.weight.t()

    return (
        Apply(
            f,
            e=nn.Embedding(30, 16),
            p=nn.Embedding(12, 16),
            n=nn.LayerNorm(16),
            blocks=nn.ModuleList(Block(act=nn.GELU('tanh'), causal=True) for _ in range(2)),
        ),
        (torch.randint(0, 30, (2, 7)),),
        (torch.randint(0, 30, (1, 7)),),
    )


@case
def bert():
    def f(m, ids, mask):
        x = m.n(m.e(ids) + m.p(torch.arange(ids.size(1)))[None])
        hidden = (1.0 - mask[:, None, None, :].to(x.dtype)) * -10000.0
        for b in m.blocks:
            x = b(x, hidden)
        weights = mask.unsqueeze(-1).to(x.dtype)
        return F.normalize((x * weights).sum(1) / weights.sum(1).clamp(min=1e-9), p=2.0, dim=1)

    mask = torch.ones(2, 6, dtype=torch.int64)
    mask[1, 4:] = 0
    return (
        Apply(
            f,
            e=nn.Embedding(30, 16),
            p=nn.Embedding(12, 16),
            n=nn.LayerNorm(16),
            blocks=nn.ModuleList(Block(by_hand=True) for _ in range(2)),
        ),
        (torch.randint(0, 30, (2, 6)), mask),
        (torch.randint(0, 30, (3, 6)), torch.ones(3, 6, dtype=torch.int64)),
    )


@case
def masked_attention():
    def f(m, x, mask):
        s = (x @ x.transpose(1, 2)) * 0.3
        return torch.softmax(s.masked_fill(mask[:, None, :] == 0, float('-inf')), -1) @ x

    return Apply(f), (randn(2, 5, 4), torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]))


@case
def vision_transformer():
    def f(m, x):
        x = m.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([m.token.expand(x.size(0), -1, -1), x], 1) + m.place
        for b in m.blocks:
            x = b(x)
        return m.o(m.n(x)[:, 0])

    return (
        Apply(
            f,
            patch=nn.Conv2d(3, 16, 4, 4),
            token=randn(1, 1, 16),
            place=randn(1, 17, 16),
            n=nn.LayerNorm(16),
            o=nn.Linear(16, 5),
            blocks=nn.ModuleList(Block() for _ in range(2)),
        ),
        (randn(2, 3, 16, 16),),
        (randn(1, 3, 16, 16),),
    )


@case
def mlp_mixer():
    def f(m, x):
        x = m.patch(x).flatten(2).transpose(1, 2)
        x = x + m.tokens(m.n1(x).transpose(1, 2)).transpose(1, 2)
        x = x + m.channels(m.n2(x))
        return m.o(x.mean(1))

    dense = lambda a, b: nn.Sequential(nn.Linear(a, b), nn.GELU(), nn.Linear(b, a))
    return (
        Apply(
            f,
            patch=nn.Conv2d(3, 12, 4, 4),
            tokens=dense(16, 8),
            channels=dense(12, 24),
            n1=nn.LayerNorm(12),
            n2=nn.LayerNorm(12),
            o=nn.Linear(12, 4),
        ),
        (randn(2, 3, 16, 16),),
        (randn(1, 3, 16, 16),),
    )


@case
def rotary_attention():
    def f(m, x):
        n, t, d = x.shape
        q, k, v = m.qkv(x).view(n, t, 3, 2, d // 2).permute(2, 0, 3, 1, 4).unbind(0)
        angles = torch.outer(
            torch.arange(t, dtype=torch.float32),
            10000.0 ** (-torch.arange(0, d // 2, 2, dtype=torch.float32) / (d // 2)),
        )
        cos, sin = angles.cos().repeat(1, 2), angles.sin().repeat(1, 2)

        def turn(z):
            a, b = z.chunk(2, -1)
            return z * cos + torch.cat([-b, a], -1) * sin

        q, k = turn(q), turn(k)
        mask = torch.full((t, t), float('-inf')).triu(1)
        y = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(d // 2) + mask, -1) @ v
        x = x + y.transpose(1, 2).flatten(2)
        h = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * m.w
        return x + m.down(F.silu(m.gate(h)) * m.up(h))

    return Apply(
        f,
        qkv=nn.Linear(16, 48, bias=False),
        w=randn(16),
        gate=nn.Linear(16, 24),
        up=nn.Linear(16, 24),
        down=nn.Linear(24, 16),
    ), (
        randn(2, 5, 16),
    )


@case
def linear_attention():
    def f(m, x):
        q, k, v = m.qkv(x).chunk(3, -1)
        q, k = F.elu(q) + 1, F.elu(k) + 1
        s = torch.einsum('btd,bte->bde', k, v)
        z = torch.einsum('btd,bd->bt', q, k.sum(1))
        return torch.einsum('btd,bde,bt->bte', q, s, 1 / z)

    return Apply(f, qkv=nn.Linear(8, 24)), (randn(2, 6, 8),)
