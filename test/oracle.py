# test/oracle.py MANIFEST TENSORS - judges results of our ops by PyTorch and NumPy.
#
# test/oracle.lua writes both files: a case is the name of an op, its arguments and our results. This program computes each
# result with PyTorch or NumPy, and prints a line for each case: "ok ID", "bad ID WHY" or "none ID" for an op that it lacks.
import colorsys
import json
import sys
import types

import numpy as np
import torch
import torch.nn.functional as F

OPS = {}                 # name -> function(arguments) that gives the result, or a tuple of them; None is not compared
JUDGES = {}              # name -> function(arguments, results) that says what is wrong, or nothing


def op(names):
    def add(f):
        for name in names.split():
            OPS[name] = f
        return f
    return add


def judge(names):
    def add(f):
        for name in names.split():
            JUDGES[name] = f
        return f
    return add


def table(**functions):
    OPS.update(functions)


# ---- comparing ------------------------------------------------------------------------------------

TOLERANCE = {torch.float64: 1e-9, torch.float32: 3e-5}
IN_FLOAT = 'image_scale image_warp image_affine image_color'.split()          # they compute positions and weights in float


def tensor(x):
    if isinstance(x, np.ndarray):
        return torch.from_numpy(np.array(x))
    return x if isinstance(x, torch.Tensor) else torch.tensor(x, dtype=torch.float64)


def differs(want, got, tolerance):
    want, got = tensor(want).detach().double(), tensor(got).detach().double()
    if want.dim() == 0 and got.numel() == 1:
        got = got.reshape(())
    if want.shape != got.shape:
        return 'its size is %s, not %s' % (list(got.shape), list(want.shape))
    if want.numel() == 0:
        return None
    same = (want == got) | (want.isnan() & got.isnan())
    scale = want[want.isfinite()].abs().max().item() if want.isfinite().any() else 1
    close = (want - got).abs() <= tolerance * (want.abs() + scale + 1e-30)
    wrong = ~(same | close)
    if wrong.any():
        at = wrong.nonzero()[0].tolist()
        return '%d of %d elements differ; at %s it is %.17g, not %.17g' % (
            int(wrong.sum()), want.numel(), at, got[tuple(at)].item(), want[tuple(at)].item())
    return None


def all_of(*pairs):
    def check(tolerance):
        for what, want, got in pairs:
            why = differs(want, got, tolerance)
            if why:
                return what + ': ' + why
        return None
    return check


# ---- what functions share -------------------------------------------------------------------------

def number(a, name, default=None):
    v = getattr(a, name)
    return default if v is None else v


def d0(a, x=None, name='dim'):
    d = getattr(a, name)
    if d is None:
        d = -1
    return d - 1 if d > 0 else d


def rows(index):
    return index.long() - 1


def gradient(f, x, g):
    """The gradient of f by x, where that of its result is g."""
    x = x.clone().requires_grad_(True)
    y = f(x)
    (gx,) = torch.autograd.grad(y, x, g.reshape(y.shape) if isinstance(g, torch.Tensor) else torch.tensor(float(g)).double())
    return gx


# ---- pointwise -------------------------------------------------------------------------------------

UNARY = dict(abs=torch.abs, neg=torch.neg, sign=torch.sign, square=torch.square, sqrt=torch.sqrt, rsqrt=torch.rsqrt,
             cinv=torch.reciprocal, exp=torch.exp, expm1=torch.expm1, log=torch.log, log1p=torch.log1p, sin=torch.sin,
             cos=torch.cos, tan=torch.tan, asin=torch.asin, acos=torch.acos, atan=torch.atan, sinh=torch.sinh,
             cosh=torch.cosh, erf=torch.erf, floor=torch.floor, ceil=torch.ceil, trunc=torch.trunc, frac=torch.frac)
for _name, _f in UNARY.items():
    OPS[_name] = lambda a, f=_f: f(a.x)

ACTIVATIONS = dict(
    sigmoid=lambda x, a: torch.sigmoid(x), tanh=lambda x, a: torch.tanh(x), relu=lambda x, a: torch.relu(x),
    threshold=lambda x, a: F.threshold(x, number(a, 'threshold', 0), number(a, 'value', 0)),
    leakyrelu=lambda x, a: F.leaky_relu(x, a.slope), elu=lambda x, a: F.elu(x, a.alpha),
    hardtanh=lambda x, a: F.hardtanh(x, a.min, a.max), hardshrink=lambda x, a: F.hardshrink(x, getattr(a, 'lambda')),
    softshrink=lambda x, a: F.softshrink(x, getattr(a, 'lambda')), softplus=lambda x, a: F.softplus(x, a.beta, a.limit),
    softsign=lambda x, a: F.softsign(x), logsigmoid=lambda x, a: F.logsigmoid(x), gelu=lambda x, a: F.gelu(x),
    swish=lambda x, a: F.silu(x))
for _name, _f in ACTIVATIONS.items():
    OPS[_name] = lambda a, f=_f: f(a.x, a)
    OPS[_name + '_grad'] = lambda a, f=_f: gradient(lambda x: f(x, a), a.x, a.g)

table(
    round=lambda a: torch.trunc(a.x + torch.copysign(torch.tensor(0.5).double(), a.x)),      # halves go away from 0
    add=lambda a: torch.add(a.x, a.value) if a.z is None else torch.add(a.x, a.z, alpha=a.value),
    csub=lambda a: torch.sub(a.x, a.value) if a.z is None else torch.sub(a.x, a.z, alpha=a.value),
    mul=lambda a: torch.mul(a.x, a.value),
    div=lambda a: torch.div(a.x, a.value),
    fmod=lambda a: torch.fmod(a.x, a.value),
    mod=lambda a: torch.fmod(a.x, a.value),
    remainder=lambda a: torch.remainder(a.x, a.value),
    pow=lambda a: torch.pow(a.value, a.x) if a.form.startswith('y:self value') else torch.pow(a.x, a.value),
    cmax=lambda a: torch.clamp_min(a.x, a.value) if a.z is None else torch.maximum(a.x, a.z),
    cmin=lambda a: torch.clamp_max(a.x, a.value) if a.z is None else torch.minimum(a.x, a.z),
    clamp=lambda a: torch.clamp(a.x, a.min, a.max),
    addrelu=lambda a: torch.relu(torch.add(a.x, a.z)),
    cmul=lambda a: torch.mul(a.x, a.z), cdiv=lambda a: torch.div(a.x, a.z),
    cfmod=lambda a: torch.fmod(a.x, a.z), cmod=lambda a: torch.fmod(a.x, a.z),
    cremainder=lambda a: torch.remainder(a.x, a.z), cpow=lambda a: torch.pow(a.x, a.z),
    atan2=lambda a: torch.atan2(a.x, a.z), lerp=lambda a: torch.lerp(a.x, a.z, a.weight),
    addcmul=lambda a: torch.addcmul(a.x, a.z1, a.z2, value=a.value),
    addcdiv=lambda a: torch.addcdiv(a.x, a.z1, a.z2, value=a.value),
    equal=lambda a: torch.equal(a.x, a.z), all=lambda a: bool(a.x.bool().all()), any=lambda a: bool(a.x.bool().any()),
    where=lambda a: torch.where(a.condition.bool(), a.x, a.z),
    fill=lambda a: torch.full_like(a.y, a.value), zero=lambda a: torch.zeros_like(a.y), copy=lambda a: a.x,
)


# Whole numbers are drawn for these; shifts of fractions are products of powers of 2.
def shifted(x, by, up):
    if x.is_floating_point():
        return torch.ldexp(x, torch.as_tensor(by) * (1 if up else -1))
    return x << by if up else x >> by


def whole(v):
    return v.long() if isinstance(v, torch.Tensor) else int(v)


table(
    lshift=lambda a: shifted(a.x, a.value, True), rshift=lambda a: shifted(a.x, a.value, False),
    clshift=lambda a: shifted(a.x, a.z, True), crshift=lambda a: shifted(a.x, a.z, False),
    bitand=lambda a: whole(a.x) & whole(a.value), bitor=lambda a: whole(a.x) | whole(a.value),
    bitxor=lambda a: whole(a.x) ^ whole(a.value), cbitand=lambda a: whole(a.x) & whole(a.z),
    cbitor=lambda a: whole(a.x) | whole(a.z), cbitxor=lambda a: whole(a.x) ^ whole(a.z),
)
for _name in 'lt le gt ge eq ne'.split():
    OPS[_name] = lambda a, f=getattr(torch, _name): f(a.x, a.value if a.z is None else a.z)


# ---- reductions, order, places ----------------------------------------------------------------------

def reduced(f):
    return lambda a: f(a.x, d0(a), bool(a.keepdim)) if a.dim is not None else f(a.x, None, False)


def spread(f, **more):
    def run(x, dim, keep, a):
        return f(x, dim=dim, keepdim=keep, unbiased=not a.biased) if dim is not None else f(x, unbiased=not a.biased)
    return lambda a: run(a.x, d0(a) if a.dim is not None else None, bool(a.keepdim), a)


def along(f):
    return lambda a: gradient(lambda x: f(x, d0(a), a), a.x, a.g)


def norm_of(x, dim, a, keep=True):
    return torch.linalg.vector_norm(x, a.p, dim=dim, keepdim=keep)


table(
    sum=reduced(lambda x, d, k: x.sum() if d is None else x.sum(d, keepdim=k)),
    prod=reduced(lambda x, d, k: x.prod() if d is None else x.prod(d, keepdim=k)),
    mean=reduced(lambda x, d, k: x.mean() if d is None else x.mean(d, keepdim=k)),
    var=spread(torch.var), std=spread(torch.std),
    norm=lambda a: norm_of(a.x, d0(a), a, bool(a.keepdim)) if a.dim is not None else torch.linalg.vector_norm(a.x, a.p),
    dist=lambda a: torch.dist(a.x, a.y, a.p),
    renorm=lambda a: torch.renorm(a.x, a.p, d0(a), a.maxnorm),
    sum_grad=along(lambda x, d, a: x.sum(d, keepdim=True)), mean_grad=along(lambda x, d, a: x.mean(d, keepdim=True)),
    prod_grad=along(lambda x, d, a: x.prod(d, keepdim=True)),
    var_grad=along(lambda x, d, a: x.var(d, unbiased=not a.biased, keepdim=True)),
    std_grad=along(lambda x, d, a: x.std(d, unbiased=not a.biased, keepdim=True)),
    norm_grad=along(norm_of), mean_all_grad=lambda a: gradient(torch.mean, a.x, a.g),
    pick_grad=lambda a: torch.zeros_like(a.x).scatter(d0(a), rows(a.index), a.g),
    cumsum=lambda a: a.x.cumsum(d0(a)), cumprod=lambda a: a.x.cumprod(d0(a)), flip=lambda a: a.x.flip(d0(a)),
    roll=lambda a: a.x.roll(a.shift, d0(a)),
)


# The value that was picked, and that its place holds it.
def picked(values):
    def check(a, r):
        if 'index' not in a.form:
            return all_of(('value', values(a.x.flatten(), 0, a).reshape(()), r[0]))
        d = d0(a)
        want = values(a.x, d, a)
        y, index = r[0], rows(r[1])
        if 'keepdim' in a.form and not a.keepdim:
            y, index = y.unsqueeze(d), index.unsqueeze(d)
        return all_of(('value', want, y), ('place', want, a.x.gather(d, index)))
    return check


JUDGES.update(
    max=picked(lambda x, d, a: x.amax(d, keepdim=True)), min=picked(lambda x, d, a: x.amin(d, keepdim=True)),
    sort=picked(lambda x, d, a: x.sort(d, descending=bool(a.descending)).values),
    kthvalue=picked(lambda x, d, a: x.kthvalue(a.k, d, keepdim=True).values),
    median=picked(lambda x, d, a: x.median(d, keepdim=True).values),
    mode=picked(lambda x, d, a: torch.from_numpy(np.apply_along_axis(most_frequent, d, x.numpy()))),
)


def most_frequent(line):
    values, counts = np.unique(line, return_counts=True)
    return values[counts.argmax():][:1]


@judge('topk')
def _(a, r):
    d = d0(a)
    want = a.x.topk(a.k, d, largest=bool(a.largest)).values.sort(d).values
    y = r[0].sort(d).values
    return all_of(('value', want, y), ('place', want, a.x.gather(d, rows(r[1])).sort(d).values))


def last_wins(y, d, index, x):
    """y with x at the places of index along d; of places named twice the last one stays."""
    y = y.numpy().copy()
    for at in np.ndindex(*index.shape):
        to = list(at)
        to[d] = index[at].item()
        y[tuple(to)] = x[at] if isinstance(x, torch.Tensor) else x
    return y


def rows_as_places(a, x):
    shape = [1] * x.dim()
    shape[d0(a)] = -1
    return rows(a.index).reshape(shape).expand_as(x)


table(
    index=lambda a: a.x.index_select(d0(a), rows(a.index)),
    indexCopy=lambda a: last_wins(a.y, d0(a), rows_as_places(a, a.x), a.x),
    indexAdd=lambda a: a.y.index_add(d0(a), rows(a.index), a.x),
    indexFill=lambda a: a.y.index_fill(d0(a), rows(a.index), a.value),
    index_grad=lambda a: torch.zeros_like(a.x).index_add(d0(a), rows(a.index), a.g),
    gather=lambda a: a.x.gather(d0(a), rows(a.index)),
    gather_grad=lambda a: torch.zeros_like(a.x).scatter_add(d0(a), rows(a.index), a.g),
    scatter=lambda a: last_wins(a.y, d0(a), rows(a.index), a.value if a.x is None else a.x),
    scatterAdd=lambda a: a.y.scatter_add(d0(a), rows(a.index), a.x),
    maskedFill=lambda a: a.y.masked_fill(a.mask.bool(), a.value),
    maskedCopy=lambda a: a.y.masked_scatter(a.mask.bool(), a.x),
    maskedSelect=lambda a: a.x.masked_select(a.mask.bool()),
    mask_grad=lambda a: torch.zeros_like(a.x).masked_scatter(a.mask.bool(), a.g),
    nonzero=lambda a: a.x.nonzero() + 1,
    cat=lambda a: torch.cat(a.list or [a.a, a.b], d0(a)),
    tril=lambda a: a.x.tril(a.k), triu=lambda a: a.x.triu(a.k), diag=lambda a: a.x.diag(a.k), trace=lambda a: a.x.trace(),
    cross=lambda a: torch.linalg.cross(a.a, a.b, dim=d0(a)),
)

# ---- matrices ---------------------------------------------------------------------------------------

table(
    mm=lambda a: a.a @ a.b, bmm=lambda a: torch.bmm(a.a, a.b), mv=lambda a: a.a @ a.x, ger=lambda a: torch.outer(a.u, a.v),
    dot=lambda a: torch.dot(a.a, a.b),
    addmm=lambda a: torch.addmm(a.m, a.a, a.b, beta=a.beta, alpha=a.alpha),
    baddbmm=lambda a: torch.baddbmm(a.m, a.a, a.b, beta=a.beta, alpha=a.alpha),
    addbmm=lambda a: torch.addbmm(a.m, a.a, a.b, beta=a.beta, alpha=a.alpha),
    addmv=lambda a: torch.addmv(a.m, a.a, a.x, beta=a.beta, alpha=a.alpha),
    addr=lambda a: torch.addr(a.m, a.u, a.v, beta=a.beta, alpha=a.alpha),
    inverse=lambda a: torch.linalg.inv(a.a),
    gesv=lambda a: (torch.linalg.solve(a.a, a.b), torch.linalg.lu_factor(a.a).LU),
    gels=lambda a: (torch.linalg.lstsq(a.a, a.b).solution, None),
    trtrs=lambda a: (torch.linalg.solve_triangular(turned(a), a.b, upper=(a.uplo == 'U') == (a.trans == 'N'),
                                                   unitriangular=a.diag == 'U'), a.a),
    potrf=lambda a: torch.linalg.cholesky(from_triangle(a.a, a), upper=a.uplo == 'U'),
    potri=lambda a: torch.cholesky_inverse(triangle(a.chol, a), upper=a.uplo == 'U'),
    potrs=lambda a: torch.cholesky_solve(a.b, triangle(a.chol, a), upper=a.uplo == 'U'),
    geqrf=lambda a: tuple(torch.geqrf(a.a)), orgqr=lambda a: torch.linalg.householder_product(a.m, a.tau),
    ormqr=lambda a: torch.ormqr(a.m, a.tau, a.c, left=a.side == 'L', transpose=a.trans == 'T'),
)


def triangle(m, a, diagonal=0):
    return m.tril(-diagonal) if a.uplo == 'L' else m.triu(diagonal)


def from_triangle(m, a):
    return triangle(m, a) + triangle(m, a, 1).T


def turned(a):
    m = triangle(a.a, a)
    return m.T if a.trans == 'T' else m


def unit(q):
    return 'unit length', torch.eye(q.shape[1]).double(), q.T @ q


@judge('symeig')
def _(a, r):
    m = from_triangle(a.a, a)
    pairs = [('eigenvalues', torch.linalg.eigvalsh(m), r[0])]
    if a.vectors == 'V':
        pairs += [('vectors', m @ r[1], r[1] * r[0]), unit(r[1])]
    return all_of(*pairs)


@judge('eig')
def _(a, r):
    def ordered(v):
        return torch.from_numpy(np.sort_complex(np.round(v.numpy(), 6)))
    want, got = ordered(torch.linalg.eigvals(a.a)), ordered(torch.complex(r[0][:, 0], r[0][:, 1]))
    pairs = [('real parts', want.real, got.real), ('imaginary parts', want.imag, got.imag)]
    if a.vectors == 'V':                     # column k, or columns k and k + 1 of a complex pair
        e, v, k = r[0], r[1], 0
        while k < len(e):
            step = 1 if e[k, 1] == 0 else 2
            value = complex(e[k, 0], e[k, 1])
            vector = torch.complex(v[:, k], v[:, k + 1] if step == 2 else torch.zeros(len(e)).double())
            left, right = a.a.to(torch.complex128) @ vector, value * vector
            pairs += [('vector, real', right.real, left.real), ('vector, imaginary', right.imag, left.imag)]
            k += step
    return all_of(*pairs)


@judge('svd')
def _(a, r):
    u, s, v = r
    product = u[:, :len(s)] * s @ v[:, :len(s)].T
    return all_of(('values', torch.linalg.svdvals(a.a), s), ('product', a.a, product), unit(u), unit(v))


@judge('qr')
def _(a, r):
    q, upper = r
    return all_of(('product', a.a, q @ upper), ('r', torch.linalg.qr(a.a).R.abs(), upper.abs()), unit(q))


@judge('pstrf')
def _(a, r):
    p = rows(r[1])
    y = r[0].triu() if a.uplo == 'U' else r[0].tril().T
    return all_of(('product', from_triangle(a.a, a)[p][:, p], y.T @ y))


# ---- Fourier transforms ------------------------------------------------------------------------------

def complex_of(x):
    return torch.view_as_complex(x.contiguous())


def pairs_of(z):
    return torch.view_as_real(z.resolve_conj()) if z.is_complex() else z


def lengths(v):
    v = v and [int(i) for i in v]
    return v or None


TRANSFORMS = ['fft', 'ifft', 'rfft', 'irfft', 'fft2', 'ifft2', 'rfft2', 'irfft2', 'fftn', 'ifftn', 'rfftn', 'irfftn']


def transformed(name, x, a):
    z = x if name.startswith('rfft') else complex_of(x)
    f = getattr(torch.fft, name)
    norm = a.norm or 'backward'
    if name.endswith('2') or name.endswith('n'):
        s, dim = lengths(a.s), lengths(a.dim)
        dim = dim and [i - 1 for i in dim]
        return pairs_of(f(z, s=s, dim=dim, norm=norm) if dim or name.endswith('n') else f(z, s=s, norm=norm))
    return pairs_of(f(z, n=a.n if a.n and a.n > 0 else None, dim=d0(a), norm=norm))


for _name in TRANSFORMS:
    OPS[_name] = lambda a, name=_name: transformed(name, a.x, a)
OPS['fft_grad'] = OPS['fftn_grad'] = lambda a: gradient(lambda x: transformed(TRANSFORMS[a.kind], x, a), a.x, a.g)
table(
    complexMul=lambda a: pairs_of(complex_of(a.a) * complex_of(a.b)),
    complexMulConj=lambda a: pairs_of(complex_of(a.a) * complex_of(a.b).conj()),
)


# ---- networks ----------------------------------------------------------------------------------------

def convolved(x, weight, a):
    return F.conv2d(x, weight, None, (a.strideH, a.strideW), (a.padH, a.padW), (a.dilationH, a.dilationW), a.groups)


def plane_by_plane(a, flip, f):
    k = a.k.flip([i + 1 for i in range(a.k.dim() - 1)]) if flip else a.k
    full = a.type == 'F'
    return f(a.x[None], k[:, None], padding=[n - 1 for n in k.shape[1:]] if full else 0, groups=a.x.shape[0])[0]


def windows(a):
    return dict(kernel_size=(a.kH, a.kW), stride=(a.strideH, a.strideW), padding=(a.padH, a.padW), ceil_mode=bool(a.ceil))


def max_windows(a):
    y, index = F.max_pool2d(a.x, dilation=(a.dilationH, a.dilationW), return_indices=True, **windows(a))
    return y, index + 1


def averages(x, a):
    return F.avg_pool2d(x, count_include_pad=bool(a.countPad), **windows(a))


def scattered(a, ndim):
    flat = torch.zeros_like(a.x).flatten(-ndim)
    return flat.scatter_add(-1, rows(a.index).flatten(-ndim), a.g.flatten(-ndim)).reshape(a.x.shape)


# The samples of a plane are in the order of PyTorch's function.
def fractional(a, f, k, size, samples):
    y, index = f(a.x, k, output_size=size, return_indices=True, _random_samples=samples)
    return y, index + 1


def mean_or_sum(a):
    return 'mean' if a.sizeAverage else 'sum'


def nll(x, a):
    return F.nll_loss(x, rows(a.target), a.weight, reduction=mean_or_sum(a), ignore_index=a.ignore - 1)


def bce(x, a):
    return F.binary_cross_entropy(x, a.target, a.weight, reduction=mean_or_sum(a))


def ctc(x, a):
    x = x.transpose(0, 1) if a.batchFirst else x
    steps = x.log_softmax(2)
    samples = torch.full((x.shape[1],), x.shape[0]) if a.lengths is None else a.lengths.long()
    return F.ctc_loss(steps, a.labels.long(), samples, (a.labels > 0).sum(1), blank=0, reduction='none')


LOSSES = dict(
    mse_loss=lambda x, a: F.mse_loss(x, a.target, reduction=mean_or_sum(a)),
    abs_loss=lambda x, a: F.l1_loss(x, a.target, reduction=mean_or_sum(a)),
    smoothl1_loss=lambda x, a: F.smooth_l1_loss(x, a.target, reduction=mean_or_sum(a)), bce_loss=bce)
for _name, _f in LOSSES.items():
    OPS[_name] = lambda a, f=_f: f(a.x, a)
    OPS[_name + '_grad'] = lambda a, f=_f: gradient(lambda x: f(x, a), a.x, 1)


def normalized(x, a, weight, bias):
    return F.layer_norm(x, x.shape[-1:], weight, bias, a.eps)


def layernorm(a):
    return (normalized(a.x, a, a.weight, a.bias), a.x.mean(-1), 1 / (a.x.var(-1, unbiased=False) + a.eps).sqrt())


def features_normalized(x, a, weight, bias, running):
    return F.batch_norm(x, *running, weight, bias, training=bool(a.train), momentum=number(a, 'momentum', 0.1), eps=a.eps)


def batchnorm(a):
    running = [a.runningMean.clone(), a.runningVar.clone()]
    y = features_normalized(a.x, a, a.weight, a.bias, running)
    dims = [0, 2, 3]
    mean = a.x.mean(dims) if a.train else a.runningMean
    var = a.x.var(dims, unbiased=False) if a.train else a.runningVar
    if a.relu:
        y = torch.relu(y)
    return y, mean, 1 / (var + a.eps).sqrt(), running[0], running[1]


# The gradient with this mean and invstd; in training they are those of x.
def batchnorm_grad(a):
    shape = [1, -1, 1, 1]
    g = a.g if a.y is None else torch.where(a.y > 0, a.g, 0)
    w, b = torch.ones_like(a.mean).requires_grad_(True), torch.zeros_like(a.mean).requires_grad_(True)
    x = a.x.clone().requires_grad_(True)
    if a.train:
        y = F.batch_norm(x, None, None, w, b, training=True, eps=a.eps)
    else:
        y = (x - a.mean.reshape(shape)) * a.invstd.reshape(shape) * w.reshape(shape) + b.reshape(shape)
    (gw, gb) = torch.autograd.grad(y, [w, b], g, retain_graph=True)
    (gx,) = torch.autograd.grad(y, x, g if a.weight is None else g * a.weight.reshape(shape))
    return gx, a.gradWeight + a.scale * gw, a.gradBias + a.scale * gb, g


def layernorm_grad(a):
    return gradient(lambda x: normalized(x, a, a.weight, None), a.x, a.g)


def layernorm_grad_sum(a):
    gx = layernorm_grad(a)
    return gx, a.base + gx


def layernorm_grad_weight(a):
    w, b = torch.ones_like(a.gw).requires_grad_(True), torch.zeros_like(a.gb).requires_grad_(True)
    gw, gb = torch.autograd.grad(normalized(a.x, a, w, b), [w, b], a.g)
    return a.gw + a.scale * gw, a.gb + a.scale * gb


def embedding_grad(a):
    scale = torch.full((len(a.gw), 1), a.scale).double()
    if a.padding > 0:
        scale[a.padding - 1] = 0
    return a.gw + scale * torch.zeros_like(a.gw).index_add(0, rows(a.index), a.g)


table(
    conv2d=lambda a: convolved(a.x, a.weight, a) + (0 if a.bias is None else a.bias.reshape(-1, 1, 1)),
    conv2d_grad_input=lambda a: gradient(lambda x: convolved(x, a.weight, a), a.x, a.g),
    conv2d_grad_weight=lambda a: (a.gw + a.scale * gradient(lambda w: convolved(a.x, w, a), a.gw, a.g),
                                  a.gb + a.scale * a.g.sum([0, 2, 3])),
    conv2=lambda a: plane_by_plane(a, True, F.conv2d), xcorr2=lambda a: plane_by_plane(a, False, F.conv2d),
    conv3=lambda a: plane_by_plane(a, True, F.conv3d), xcorr3=lambda a: plane_by_plane(a, False, F.conv3d),
    maxpool2d=max_windows, maxpool2d_grad=lambda a: scattered(a, 2), maxpool3d_grad=lambda a: scattered(a, 3),
    fractionalmaxpool2d=lambda a: fractional(a, F.fractional_max_pool2d, (a.kH, a.kW), (a.outH, a.outW), a.samples),
    fractionalmaxpool3d=lambda a: fractional(a, F.fractional_max_pool3d, (a.kD, a.kH, a.kW), (a.outD, a.outH, a.outW),
                                             a.samples.flip(2)),
    avgpool2d=lambda a: averages(a.x, a), avgpool2d_grad=lambda a: gradient(lambda x: averages(x, a), a.x, a.g),
    softmax=lambda a: a.x.softmax(d0(a)), logsoftmax=lambda a: a.x.log_softmax(d0(a)),
    softmax_grad=lambda a: gradient(lambda x: x.softmax(d0(a)), a.y.log(), a.g),
    logsoftmax_grad=lambda a: gradient(lambda x: x.log_softmax(d0(a)), a.y, a.g),
    nll_loss=lambda a: (nll(a.x, a), a.weight[rows(a.target)].sum()),
    nll_loss_grad=lambda a: gradient(lambda x: nll(x, a), a.x, a.g),
    ctc_loss=lambda a: (ctc(a.x, a), None), ctc_loss_grad=lambda a: gradient(lambda x: ctc(x, a), a.x, a.g),
    embedding=lambda a: F.embedding(rows(a.index), a.weight), embedding_grad=embedding_grad,
    layernorm=layernorm, layernorm_grad=layernorm_grad, layernorm_grad_sum=layernorm_grad_sum,
    layernorm_grad_weight=layernorm_grad_weight,
    batchnorm=batchnorm, batchnorm_grad=batchnorm_grad,
)


@op('adam_step')
def _(a):
    rate, keep = (a.rate, a.keep) if a.rates is None else a.rates.tolist()
    m, v = a.beta1 * a.m + (1 - a.beta1) * a.g, a.beta2 * a.v + (1 - a.beta2) * a.g ** 2
    return keep * a.x - rate * m / (v.sqrt() + a.eps), m, v


@op('rmsprop_step')
def _(a):
    rate = a.rate if a.rates is None else a.rates[0].item()
    v = a.alpha * a.v + (1 - a.alpha) * a.g ** 2
    return a.x - rate * a.g / (v.sqrt() + a.eps), v


# By the optimiser of PyTorch, whose parameter begins with the momentum v.
@op('momentum_step')
def _(a):
    rate = a.rate if a.rates is None else a.rates[0].item()
    x = a.x.clone().requires_grad_(True)
    x.grad = a.g.clone()
    how = torch.optim.SGD([x], lr=rate, momentum=a.momentum, dampening=a.dampening, weight_decay=a.decay)
    if a.nesterov:
        how.param_groups[0]['nesterov'] = True
    how.state[x]['momentum_buffer'] = a.v.clone()
    how.step()
    return x.detach(), how.state[x]['momentum_buffer'], None


# ---- sequences ------------------------------------------------------------------------------------------

class Walk:
    """The rows of x as steps of samples: `cell(row of x, states)` gives the states after it."""
    def __init__(self, a, x, cell, states):
        steps, samples = a.places.shape
        self.rows = {}
        self.before = {}
        states = [[s[i] for i in range(samples)] for s in states]
        for t in reversed(range(steps)) if a.reverse else range(steps):
            for i in range(samples):
                row = int(a.places[t][i]) - 1
                if row >= 0:
                    self.before[row] = states[0][i]
                    after = cell(x[row], [s[i] for s in states])
                    self.rows[row] = after
                    for s, new in zip(states, after):
                        s[i] = new
        self.last = [torch.stack(s) for s in states]
        self.n = len(x)

    def results(self, k):
        zero = torch.zeros_like(next(iter(self.rows.values()))[k])
        return torch.stack([self.rows[i][k] if i in self.rows else zero for i in range(self.n)])

    def came_from(self):
        zero = torch.zeros_like(next(iter(self.before.values())))
        return torch.stack([self.before.get(i, zero) for i in range(self.n)])


def lstm_cell(weight, bias):
    def cell(x, states):
        i, f, g, o = (x + weight @ states[0] + bias).chunk(4)
        c = f.sigmoid() * states[1] + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c
    return cell


def gru_cell(weight, bias):
    def cell(x, states):
        u = len(states[0])
        s, y, q = (weight @ states[0]).chunk(3)
        r, z, n = (x + bias[:3 * u]).chunk(3)
        q = q + bias[3 * u:]
        w = (z + y).sigmoid()
        return ((1 - w) * (n + (r + s).sigmoid() * q).tanh() + w * states[0],)
    return cell


def rnn_cell(weight, bias, relu):
    return lambda x, states: ((lambda v: v.relu() if relu else v.tanh())(x + weight @ states[0] + bias),)


def start(a, name):
    h = getattr(a, name)
    units = a.weight.shape[1]
    return torch.zeros(a.places.shape[1], units).double() if h is None else h.clone()


def bias_of(a, n):
    return torch.zeros(n).double() if a.bias is None else a.bias


@op('lstm')
def _(a):
    w = Walk(a, a.x, lstm_cell(a.weight, bias_of(a, len(a.weight))), [start(a, 'h0'), start(a, 'c0')])
    return w.results(0), w.results(1), None


@op('rnn')
def _(a):
    return Walk(a, a.x, rnn_cell(a.weight, bias_of(a, len(a.weight)), a.relu), [start(a, 'h0')]).results(0)


@op('gru')
def _(a):
    w = Walk(a, a.x, gru_cell(a.weight, bias_of(a, len(a.weight) // 3 * 4)), [start(a, 'h0')])
    return w.results(0), None, None


def sequence_grad(a, cell, names):
    x = a.x.clone().requires_grad_(True)
    states = [start(a, name).requires_grad_(True) for name in names]
    w = Walk(a, x, cell, states)
    loss = (w.results(0) * a.g).sum()
    for last, g in zip(w.last, (a.ghn, a.gcn)):
        if g is not None:
            loss = loss + (last * g).sum()
    loss.backward()
    return x.grad, w.came_from(), [s.grad for s in states]


@op('lstm_grad')
def _(a):
    gx, hp, (gh, gc) = sequence_grad(a, lstm_cell(a.weight, bias_of(a, len(a.weight))), ['h0', 'c0'])
    return gx, hp, gh, gc


@op('rnn_grad')
def _(a):
    gx, hp, (gh,) = sequence_grad(a, rnn_cell(a.weight, bias_of(a, len(a.weight)), a.relu), ['h0'])
    return gx, hp, gh


@op('gru_grad')
def _(a):
    gx, hp, (gh,) = sequence_grad(a, gru_cell(a.weight, bias_of(a, len(a.weight) // 3 * 4)), ['h0'])
    return gx, None, hp, gh


# ---- creation, random numbers -----------------------------------------------------------------------------

def words(a, n):
    """The next n words of the Mersenne twister of NumPy with the seed of the case."""
    generator = np.random.MT19937()
    generator._legacy_seeding(a.seed)
    return generator.random_raw(n).astype(np.float64)


def even(a, n):
    return words(a, n) * 2.0 ** -32


def filled(f):
    """x filled with f(numbers drawn evenly from [0, 1))."""
    return lambda a: f(even(a, a.x.numel()), a).reshape(a.x.shape)


def box_muller(a):
    n = a.x.numel()
    u = even(a, n + n % 2).reshape(-1, 2)
    r = np.sqrt(-2 * np.log1p(-u[:, 1]))
    return np.stack([r * np.cos(2 * np.pi * u[:, 0]), r * np.sin(2 * np.pi * u[:, 0])], 1).reshape(-1)[:n].reshape(a.x.shape)


def between(a):
    w = words(a, a.x.numel()).reshape(a.x.shape)
    if a.form.endswith('b:number'):
        return w % (a.b - a.a + 1) + a.a
    if a.form.endswith('n:number'):
        return w % a.n + 1
    return w % 2.0 ** (24 if a.single else 53)


def permuted(a):
    r, w = np.arange(1, a.n + 1), words(a, max(a.n - 1, 1))
    for i in range(a.n - 1):
        j = i + int(w[i] % (a.n - i))
        r[i], r[j] = r[j], r[i]
    return r


table(
    eye=lambda a: torch.eye(a.n, a.n if a.m is None else a.m),
    range=lambda a: torch.arange(a.first, a.last + a.step / 2, a.step).double(),
    linspace=lambda a: torch.linspace(a.first, a.last, a.n, dtype=torch.float64),
    logspace=lambda a: torch.logspace(a.first, a.last, a.n, dtype=torch.float64),
    uniform=filled(lambda u, a: u * (a.b - a.a) + a.a),
    exponential=filled(lambda u, a: -np.log(1 - u) / getattr(a, 'lambda')),
    cauchy=filled(lambda u, a: a.median + a.sigma * np.tan(np.pi * (u - 0.5))),
    geometric=filled(lambda u, a: np.floor(np.log(1 - u) / np.log(a.p)) + 1),
    bernoulli=filled(lambda u, a: u <= (a.p.numpy().reshape(-1) if isinstance(a.p, torch.Tensor) else a.p)),
    normal=lambda a: box_muller(a) * a.std + a.mean,
    logNormal=lambda a: np.exp(box_muller(a) * a.std + a.mean),
    random=between, randperm=permuted,
    histc=lambda a: torch.histc(a.x, a.bins, a.min, a.max),
)


@op('bhistc')
def _(a):
    low, high = (a.x.min(), a.x.max()) if a.min == a.max else (a.min, a.max)
    return torch.stack([torch.histc(row, a.bins, float(low), float(high)) for row in a.x])


# The chances of places that the tables stand for are those of p.
@judge('multinomialAliasSetup_')
def _(a, r):
    J, q = rows(r[0]), r[1]
    n = len(q)
    chance = q.clone().index_add(0, J, 1 - q) / n
    return all_of(('chances', a.p / a.p.sum(), chance))


# Drawn in turn: two words a place, one for the place, one for whether it stays.
@judge('multinomialAlias_')
def _(a, r):
    n = len(a.q)
    inside = ((r[0] >= 1) & (r[0] <= n)).all()
    reachable = set((a.J.long()).tolist()) | set((a.q > 0).nonzero().flatten().add(1).tolist())
    return all_of(('places', True, bool(inside)), ('of chance 0', True, set(r[0].flatten().tolist()) <= reachable))


@judge('multinomial')
def _(a, r):
    p = a.p if a.p.dim() == 2 else a.p[None]
    drawn = r[0].reshape(len(p), -1)
    pairs = [('places', True, bool(((drawn >= 1) & (drawn <= p.shape[1])).all())),
             ('of chance 0', True, bool((p.gather(1, rows(drawn)) > 0).all()))]
    if not a.replacement:
        pairs.append(('drawn once', drawn.shape[1], min(len(set(row.tolist())) for row in drawn)))
    return all_of(*pairs)


# ---- pictures ------------------------------------------------------------------------------------------------

def read_at(x, y, along):
    """x at positions from 0, linear between pixels, those outside moved to the edge."""
    h, w = x.shape[-2:]
    grid = torch.stack([along / (w - 1) * 2 - 1, y / (h - 1) * 2 - 1], -1)
    return F.grid_sample(x[None], grid[None], mode='bilinear', padding_mode='border', align_corners=True)[0]


def places(h, w):
    return torch.meshgrid(torch.arange(h).double(), torch.arange(w).double(), indexing='ij')


@op('image_warp')
def _(a):
    y, x = places(*a.field.shape[-2:])
    return read_at(a.x, a.field[0] + (y if a.offset else 0), a.field[1] + (x if a.offset else 0))


@op('image_affine')
def _(a):
    h, w = a.x.shape[-2:]
    y, x = places(h, w)
    y, x = y - (h - 1) / 2, x - (w - 1) / 2
    return read_at(a.x, a.a * y + a.b * x + (h - 1) / 2 - a.down, a.c * y + a.d * x + (w - 1) / 2 - a.right)


table(
    image_scale=lambda a: F.interpolate(a.x[None], (a.height, a.width), mode='bilinear', align_corners=True)[0],
    image_luma=lambda a: np.tensordot([[0.299, 0.587, 0.114]], a.x[:3].numpy(), 1),
)


# hsl is hls with its last two turned around.
COLOURS = dict(
    rgb2hsv=colorsys.rgb_to_hsv, hsv2rgb=colorsys.hsv_to_rgb,
    rgb2hsl=lambda r, g, b: tuple(colorsys.rgb_to_hls(r, g, b)[i] for i in (0, 2, 1)),
    hsl2rgb=lambda h, s, l: colorsys.hls_to_rgb(h, l, s),
    rgb2nrgb=lambda r, g, b: tuple(v / (r + g + b + 1e-6) for v in (r, g, b)),
)


@op('image_color')
def _(a):
    y = a.x.numpy().copy()
    for at in np.ndindex(*y.shape[1:]):
        y[(slice(None),) + at] = COLOURS[a.change](*y[(slice(None),) + at].tolist())
    return y


def at_edge(position):
    return (position - torch.round(position)).abs() < 1e-4


# Positions that lie close to where one pixel begins may round to either side.
def nearest(a, y, x, half, got):
    h, w = a.x.shape[-2:]
    iy, ix = torch.floor(y + half).long(), torch.floor(x + half).long()
    inside = (iy >= 0) & (iy < h) & (ix >= 0) & (ix < w)
    want = a.x[:, iy.clamp(0, h - 1), ix.clamp(0, w - 1)] * inside
    close = at_edge(y + half) | at_edge(x + half)
    return all_of(('pixels', want * ~close, got * ~close), ('clear of edges', 1, float(close.double().mean() < 0.6)))


@judge('image_rotate')
def _(a, r):
    h, w = a.x.shape[-2:]
    y, x = places(h, w)
    y, x = y - (h - 1) / 2, x - (w - 1) / 2
    c, s = np.cos(a.angle), np.sin(a.angle)
    return nearest(a, c * y + s * x + (h - 1) / 2, c * x - s * y + (w - 1) / 2, 0.5, r[0])


@judge('image_polar')
def _(a, r):
    h, w = a.x.shape[-2:]
    row, column = places(a.height, a.width)
    angle, part = 2 * np.pi * row / a.height, column / a.width
    radius = np.hypot(h, w) / 2 if a.area == 'full' else min(h, w) / 2
    distance = torch.exp(np.log(radius) * part) if a.log else radius * part
    return nearest(a, h / 2 + distance * torch.cos(angle), w / 2 - distance * torch.sin(angle), 0, r[0])


@op('image_augment')
def _(a):
    out = []
    for x, row in zip(a.list, a.plan.numpy()):
        top, left, flip, brightness, contrast, saturation = row
        part = np.zeros((3, a.height, a.width))
        for i, j in np.ndindex(a.height, a.width):
            y, column = i + int(top), j + int(left)
            if 0 <= y < x.shape[1] and 0 <= column < x.shape[2]:
                part[:, i, j] = x[:, y, column]
        part = part[:, :, ::-1] if flip else part
        part = part * brightness
        grey = np.tensordot([0.299, 0.587, 0.114], part, 1)
        part = grey.mean() + contrast * (part - grey.mean())
        grey = np.tensordot([0.299, 0.587, 0.114], part, 1)
        out.append(grey + saturation * (part - grey))
    return np.stack(out)


# ---- attention, and ops that compute several steps at once ---------------------------------------------

def philox(key, counter):
    """The four words of Philox4x32-10, from two words of a key and four arrays of words."""
    low = np.uint64(0xffffffff)
    a, b, c, d = counter
    for turn in range(10):
        k0, k1 = (np.uint64((key[i] + turn * step) & 0xffffffff) for i, step in enumerate((0x9e3779b9, 0xbb67ae85)))
        p, q = a * np.uint64(0xd2511f53), c * np.uint64(0xcd9e8d57)
        a, b, c, d = q >> np.uint64(32) ^ b ^ k0, q & low, p >> np.uint64(32) ^ d ^ k1, p & low
    return np.stack([a, b, c, d])


def kept_weights(a, size):
    """1 / (1 - p) where dropout keeps a weight, and 0 elsewhere: samples x heads x queries x keys."""
    drops = round(a.dropout * 65536)
    sample, head, query, key = np.indices(size)
    counter = [key // 16 * 8 + key % 8, query // 32 * 8 + query % 8, sample * size[1] + head, 0 * key]
    words = philox([int(n) & 0xffffffff for n in reversed(a.seed.tolist())], [c.astype(np.uint64) for c in counter])
    word = np.take_along_axis(words, (query // 8 % 4)[None], 0)[0]
    bits = word >> (16 * (key // 8 % 2)).astype(np.uint64) & np.uint64(0xffff)
    return torch.from_numpy((bits >= drops) / (1 - drops / 65536))


def attended(q, k, v, a):
    """Heads of attention, and the logarithms of their sums. A query that sees no key gives zeros."""
    scores = q @ k.transpose(-1, -2) * (a.scale or q.shape[-1] ** -0.5)
    hidden = torch.zeros(scores.shape, dtype=torch.bool)
    if a.causal:
        hidden = torch.ones(scores.shape, dtype=torch.bool).triu(1 + scores.shape[-1] - scores.shape[-2])
    if a.padding is not None:
        hidden = hidden | a.padding.bool()[:, None, None]
    scores = scores.masked_fill(hidden, -torch.inf)
    weights = torch.where(hidden, torch.zeros(()).double(), torch.softmax(scores, -1))
    if a.dropout:
        weights = weights * kept_weights(a, tuple(scores.shape))
    return weights @ v, torch.logsumexp(scores, -1)


def attention_gradient(*names):
    def f(a):
        inputs = [x.clone().requires_grad_(True) for x in (a.q, a.k, a.v)]
        found = torch.autograd.grad(attended(*inputs, a)[0], inputs, a.g)
        wanted = tuple(g for name, g in zip('qkv', found) if name in names)
        return wanted if len(wanted) > 1 else wanted[0]
    return f


def masked(a):
    scores = a.q @ a.k.transpose(-1, -2) * (a.scale or a.q.shape[-1] ** -0.5) + a.mask
    y = torch.softmax(scores, -1) @ a.v
    return torch.where(y.isnan(), torch.zeros(()).double(), y) if a.safe else y


def activated(x, a):
    if a.act == 'clip':
        return x.clamp(a.low, a.high)
    return dict(none=lambda x: x, relu=torch.relu, gelu=F.gelu)[a.act or 'none'](x)


def in_planes(t):
    return 0 if t is None else t.reshape(-1, 1, 1)


def dropped(a):
    kept = torch.from_numpy(even(a, a.x.numel()) <= 1 - a.p).reshape(a.x.shape).double()
    noise = kept / (1 - a.p) if a.scaled is not False else kept
    return a.x * noise, noise


table(
    attention=lambda a: attended(a.q, a.k, a.v, a), attention_masked=masked,
    attention_grad=attention_gradient('q', 'k', 'v'), attention_grad_query=attention_gradient('q'),
    attention_grad_key=attention_gradient('k'), attention_grad_value=attention_gradient('v'),
    conv2d_fused=lambda a: activated(convolved(a.x, a.weight, a) + in_planes(a.bias) + (0 if a.add is None else a.add), a),
    scale_planes=lambda a: activated(a.x * in_planes(a.scale) + in_planes(a.shift), a),
    pool2d=lambda a: averages(a.x, a) if a.kind == 'mean' else max_windows(a)[0], dropout=dropped,
)


# ---- the program -----------------------------------------------------------------------------------------------

DTYPES = dict(U8=np.uint8, I8=np.int8, I16=np.int16, I32=np.int32, I64=np.int64, F16=np.float16, F32=np.float32, F64=np.float64)


def safetensors(path):
    with open(path, 'rb') as f:
        raw = f.read()
    n = int.from_bytes(raw[:8], 'little')
    header, body = json.loads(raw[8:8 + n]), raw[8 + n:]
    header.pop('__metadata__', None)
    return {name: torch.from_numpy(np.frombuffer(body[e['data_offsets'][0]:e['data_offsets'][1]], DTYPES[e['dtype']])
                                   .reshape(e['shape']).copy()) for name, e in header.items()}


class Arguments(types.SimpleNamespace):
    def __getattr__(self, name):              # one that the call form lacks
        return None


def read(value, tensors, single):
    if isinstance(value, dict):
        t = tensors[value['tensor']]
        single[0] = single[0] or t.dtype == torch.float32
        return t.double() if t.is_floating_point() else t
    if isinstance(value, list):
        return [read(v, tensors, single) for v in value]
    return value


def verdict(case, tensors):
    name, single = case['op'], [False]
    values = {k: read(v, tensors, single) for k, v in case['args'].items()}
    results = [read(v, tensors, single) for v in case['results']]
    a = Arguments(**{'form': case['form'], 'seed': case['seed'], 'single': single[0], **values})
    tolerance = TOLERANCE[torch.float32 if single[0] or name in IN_FLOAT else torch.float64]
    if name in JUDGES:
        return JUDGES[name](a, results)(tolerance)
    want = OPS[name](a)
    if not isinstance(want, tuple):
        want = (want,)
    for i, w in enumerate(want):
        why = w is not None and differs(w, results[i], tolerance)
        if why:
            return 'result %d: %s' % (i + 1, why)
    return None


def main():
    print('PyTorch %s, NumPy %s' % (torch.__version__, np.__version__))
    torch.set_num_threads(1)
    with open(sys.argv[1]) as f:
        cases = json.load(f)
    tensors = safetensors(sys.argv[2])
    for case in cases:
        if case['op'] not in OPS and case['op'] not in JUDGES:
            print('none', case['id'])
            continue
        try:
            why = verdict(case, tensors)
        except Exception as e:                   # of PyTorch: it takes other arguments
            why = '%s: %s' % (type(e).__name__, str(e).split('\n')[0])
        print('bad %s %s' % (case['id'], why) if why else 'ok %s' % case['id'])


if __name__ == '__main__':
    main()
