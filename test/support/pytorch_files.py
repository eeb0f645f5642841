# pytorch_files.py FOLDER [all] - writes files of PyTorch in all its forms, and index.txt, which says what each holds. With `all` there
# are two more files for each type, and larger ones.
#
# Each line of the index is {file, path, type, sizes, elements}: what a tensor of the file is. `path` lists keys.
import argparse, collections, io, os, pickle, struct, sys, tarfile
import torch

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
torch.manual_seed(7)
lines = []
NAMES = {torch.float32: 'Float', torch.float64: 'Double', torch.float16: 'Half', torch.bfloat16: 'BFloat16', torch.uint8: 'Byte',
         torch.int8: 'Char', torch.int16: 'Short', torch.int32: 'Int', torch.int64: 'Long', torch.bool: 'Byte'}


def quoted(k):
    return repr(k) if isinstance(k, (int, bool)) and not isinstance(k, bool) else "'%s'" % k


def note(file, path, x):
    if x.is_complex():
        x = torch.view_as_real(x.resolve_conj())
    values = ', '.join('%.17g' % v for v in x.detach().double().reshape(-1).tolist())
    lines.append("{'%s', {%s}, '%s', {%s}, {%s}}" % (file, ', '.join(quoted(k) for k in path), NAMES[x.dtype],
                                                    ', '.join(map(str, x.shape)), values))


def walk(file, path, v):
    if isinstance(v, torch.Tensor):
        note(file, path, v)
    elif isinstance(v, dict):
        for k, e in v.items():
            walk(file, path + [k], e)
    elif isinstance(v, (list, tuple)) and not isinstance(v, torch.Size):
        for i, e in enumerate(v):
            walk(file, path + [i + 1], e)


def save(name, v, **options):
    torch.save(v, os.path.join(folder, name), **options)
    walk(name, [], v)


def both(name, v):
    save(name + '.pt', v)
    save(name + '.old.pt', v, _use_new_zipfile_serialization=False)


def of(dtype, *shape):
    x = torch.randn(*shape) * 10
    if dtype.is_complex:
        return torch.complex(x, torch.randn(*shape)).to(dtype)
    return x.abs().to(dtype) if dtype == torch.uint8 else x.to(dtype)


types = {str(t)[6:]: of(t, 2, 3) for t in [*NAMES, torch.complex64, torch.complex128]}
both('types', types)
x = torch.arange(24.).reshape(2, 3, 4)
size = x.size()
both('views', {'whole': x, 't': x.permute(2, 0, 1), 'row': x[1, 1], 'column': x[:, 2, 1], 'single': x[1, 2, 3], 'broadcast': x[0, 0].expand(3, 4),
               'steps': x.reshape(-1)[1::5], 'empty': x[:0], 'none': torch.empty(0), 'flat': torch.zeros(2, 0, 3), 'number': torch.tensor(2.5)})
both('tensor', torch.randn(3, 2))
net = torch.nn.Sequential(collections.OrderedDict(conv=torch.nn.Conv2d(2, 4, 3), norm=torch.nn.BatchNorm2d(4), flat=torch.nn.Flatten(),
                                                  zlast=torch.nn.Linear(4, 3), alast=torch.nn.Linear(3, 2)))
both('state', net.state_dict())
both('parameter', [torch.nn.Parameter(torch.randn(2)), net.alast.weight])
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
net(torch.ones(1, 2)).sum().backward()
optimizer.step()
both('checkpoint', {'model': net.state_dict(), 'optimizer': optimizer.state_dict(), 'epoch': 3, 'best': 0.75, 'name': 'a\u00fc\U0001f600',
                    'done': True, 'nothing': None, 'list': [1, None, 'x', [2.5, torch.ones(1)], None], 'tuple': (1, (2, None)),
                    'large': 2**53 + 1, 'larger': 2**63 + 5, 'negative': -2**62, 'size': x.size(), 'dtype': torch.float16,
                    'device': torch.device('cuda', 1), 'set': {7}, 'bytes': b'\0\xff\xfe', 'complex': 1 + 2j, 'false': False,
                    'minus': -5, 'inf': float('inf'), 'counter': collections.Counter('aab'), 'array': bytearray(b'\x80x'),
                    'namespace': argparse.Namespace(lr=0.5, name='n'), True: 1, 7: 'seven', 2.5: 'half',
                    'default': collections.defaultdict(list, a=[1])})
for protocol in (3, 4, 5):
    save('protocol%d.pt' % protocol, {'w': torch.randn(2, 2), 's': 'x' * 300, 'b': b'y' * 300, 'frozen': [1, 2], 'set': {1}, 'big': 2**40},
         pickle_protocol=protocol)
shared = torch.randn(6)
cycle = {'x': shared, 'y': shared, 'z': shared[2:4]}
cycle['self'] = cycle
cycle['list'] = [cycle]
torch.save(cycle, os.path.join(folder, 'cycle.pt'))
torch.save(cycle, os.path.join(folder, 'cycle.old.pt'), _use_new_zipfile_serialization=False)
save('many.pt', [torch.full((1,), float(i)) for i in range(12)])
save('text.pt', 'hello')
both('storage', [torch.ones(1)])
save('channels.pt', {'w': torch.randn(1, 2, 2, 2).to(memory_format=torch.channels_last)})
save('grad.pt', {'w': torch.randn(2, requires_grad=True)})
save('offset.pt', {'w': torch.randn(10)[3:7], 'bool': torch.tensor([True, False, True])[1:]})
try:
    import numpy
    numbers = {'scalar': numpy.float64(0.25), 'array': numpy.arange(6, dtype='i4').reshape(2, 3), 'single': numpy.float32(1.5),
               'columns': numpy.asfortranarray(numpy.arange(6.).reshape(2, 3)), 'big': numpy.arange(3, dtype='>i2'), 'count': numpy.int64(7)}
    torch.save(numbers, os.path.join(folder, 'numpy.pt'))
    for k, v in numbers.items():
        if v.ndim:
            note('numpy.pt', [k], torch.from_numpy(v.astype(v.dtype.newbyteorder('='))))
except ImportError:
    pass

if sys.argv[2:] == ['all']:
    for name, t in types.items():
        both('type_' + name, [t, t.t(), of(t.dtype, 4, 5, 2)[1:, ::2]])
    both('large', {'w': torch.randn(30, 700)})
    both('wide', {'layer%d.weight' % i: torch.randn(3) for i in range(300)})

# The oldest form, which PyTorch only reads: a tar archive of four files.
def old_tar(name, tensors, value_of):
    def pickles(*values):
        return b''.join(v if isinstance(v, bytes) else pickle.dumps(v, 2) for v in values)
    classes = {torch.float32: torch.FloatStorage, torch.int64: torch.LongStorage}
    storages, rows = [], []
    for i, t in enumerate(tensors):
        s = t.untyped_storage()
        raw = bytes(s)
        n = len(raw) // t.element_size()
        storages += [(100 + i, 'cpu', classes[t.dtype]), struct.pack('<q', n) + raw]
        rows += [(200 + i, 100 + i, 'torch.FloatTensor'), struct.pack('<ii', t.dim(), 0)
                 + struct.pack('<%dq' % (2 * t.dim() + 1), *t.size(), *t.stride(), t.storage_offset())]

    class Pickler(pickle.Pickler):
        def persistent_id(self, v):
            return str(200 + [id(t) for t in tensors].index(id(v))) if isinstance(v, torch.Tensor) else None
    out = io.BytesIO()
    Pickler(out, 2).dump(value_of)
    files = {'sys_info': pickles({'protocol_version': 1000, 'little_endian': True, 'type_sizes': {'short': 2, 'int': 4, 'long': 4}}),
             'pickle': out.getvalue(), 'tensors': pickles(len(tensors), *rows),
             'storages': pickles(len(tensors), *storages) + pickles([])}
    with tarfile.open(os.path.join(folder, name), 'w', format=tarfile.PAX_FORMAT) as tar:
        for its, data in files.items():
            info = tarfile.TarInfo(its)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    walk(name, [], value_of)


a, b = torch.randn(3, 4).t(), torch.arange(5)[1:4]
old_tar('oldest.tar', [a, b], {'a': a, 'nested': [b, 1.5]})


class Small(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(2, 3)
        self.register_buffer('scale', torch.tensor([2.0]))

    def forward(self, x):
        return self.fc(x) * self.scale


small = Small()
torch.jit.save(torch.jit.script(small), os.path.join(folder, 'script.pt'))
note('script.pt', ['fc', 'weight'], small.fc.weight)
note('script.pt', ['scale'], small.scale)

# Files that must be refused.
torch.save(torch.nn.Linear(2, 2), os.path.join(folder, 'model.pt'))
torch.save({'q': torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)}, os.path.join(folder, 'quantized.pt'))
torch.save(torch.eye(2).to_sparse(), os.path.join(folder, 'sparse.pt'))
torch.save(torch.zeros(2, dtype=torch.uint16), os.path.join(folder, 'uint16.pt'))
torch.save(torch.zeros(2).to(torch.float8_e5m2), os.path.join(folder, 'float8.pt'))
torch.save(torch.ones(2, dtype=torch.complex64).conj(), os.path.join(folder, 'conjugate.pt'))
torch.save(torch.zeros(2, device='meta'), os.path.join(folder, 'meta.pt'))

with open(os.path.join(folder, 'index.txt'), 'w') as f:
    f.write('return {\n' + ',\n'.join(lines).replace('inf', 'math.huge').replace('nan', '0/0') + '\n}\n')
