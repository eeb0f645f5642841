# bench/peer/onnx_networks.py - the networks of bench/onnx.lua: writes them, and runs them in onnxruntime and PyTorch.
# Arguments: threads, a folder to write to. Each line read is one of these; the answer is a number:
#    light FILE BATCH OUT     writes a network of onnx's test data for a batch of this size
#    filled FILE OUT          writes one whose weights are in the file; the answer is their bytes
#    minilm FOLDER OUT        writes all-MiniLM-L6-v2 from FOLDER/model.safetensors
#    onnxruntime FILE SIZE N  seconds of a run with a batch, or a text of as many tokens, of this size: the mean of N
#    pytorch NAME SIZE N      the same by PyTorch: the network NAME of torchvision, or minilm as the last one written
import json
import struct
import sys
import time

try:
    import numpy as np
    import onnx
    import onnxruntime as ort
    import torch
    from torch import nn
except ImportError as missing:
    print("missing", missing, flush=True)
    sys.exit(0)

threads, folder = int(sys.argv[1]), sys.argv[2]
clock = time.process_time if threads == 1 else time.perf_counter
torch.set_num_threads(threads)
sessions, nets = {}, {}


def light(path, batch, out):
    m = onnx.load(path)
    weights = {t.name: t for t in m.graph.initializer}
    for v in [i for i in m.graph.input if i.name not in weights] + list(m.graph.output):
        v.type.tensor_type.shape.dim[0].dim_value = int(batch)
    for n in m.graph.node:                           # sizes that were written for one image
        if n.op_type == "Reshape" and n.input[1] in weights:
            shape = onnx.numpy_helper.to_array(weights[n.input[1]]).copy()
            if len(shape) and shape[0] == 1:
                shape[0] = int(batch)
                weights[n.input[1]].CopyFrom(onnx.numpy_helper.from_array(shape, n.input[1]))
    del m.graph.value_info[:]
    onnx.save(m, out)
    return 0


def filled(path, out):
    m, rng, size = onnx.load(path), np.random.default_rng(1), 0
    given = {t.name: onnx.numpy_helper.to_array(t) for t in m.graph.initializer}
    nodes = list(m.graph.node)
    del m.graph.node[:], m.graph.value_info[:]
    for n in nodes:                                  # the test data compute their weights
        if n.op_type != "ConstantOfShape":
            m.graph.node.append(n)
            continue
        value = onnx.numpy_helper.to_array(n.attribute[0].t).item()
        weights = (value * rng.uniform(0.5, 1.5, given[n.input[0]].tolist())).astype("float32")
        m.graph.initializer.append(onnx.numpy_helper.from_array(weights, n.output[0]))
        size += weights.nbytes
    onnx.save(m, out)
    return size


# ---- all-MiniLM-L6-v2: a BERT of 6 layers and 12 heads, then the mean over the tokens ----

def tensors(path):
    with open(path, "rb") as f:
        head = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        start, found = f.tell(), {}
        for name, t in head.items():
            if name == "__metadata__" or t["dtype"] != "F32":
                continue
            first, last = t["data_offsets"]
            f.seek(start + first)
            found[name] = torch.from_numpy(np.frombuffer(f.read(last - first), "<f4").reshape(t["shape"]).copy())
        return found


class Layer(nn.Module):
    def __init__(self, d, inner, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))
        self.up, self.down = nn.Linear(d, inner), nn.Linear(inner, d)
        self.norm1, self.norm2 = nn.LayerNorm(d, eps=1e-12), nn.LayerNorm(d, eps=1e-12)

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, -1).transpose(1, 2)

    def forward(self, x, mask):
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        scores = torch.matmul(q, k.transpose(2, 3)) / q.size(-1) ** 0.5 + mask
        y = torch.matmul(torch.softmax(scores, -1), v).transpose(1, 2).reshape(x.shape)
        x = self.norm1(self.o(y) + x)
        return self.norm2(self.down(nn.functional.gelu(self.up(x))) + x)


NAMES = {"q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value", "o": "attention.output.dense",
         "up": "intermediate.dense", "down": "output.dense", "norm1": "attention.output.LayerNorm", "norm2": "output.LayerNorm"}


class MiniLM(nn.Module):
    def __init__(self, w, heads=12):
        super().__init__()
        def table(name):
            return nn.Embedding.from_pretrained(w["embeddings." + name + "_embeddings.weight"])
        count = 1 + max(int(k.split(".")[2]) for k in w if k.startswith("encoder.layer."))
        self.word, self.place, self.kind = table("word"), table("position"), table("token_type")
        d, inner = self.word.weight.size(1), w["encoder.layer.0.intermediate.dense.weight"].size(0)
        self.norm = nn.LayerNorm(d, eps=1e-12)
        self.layers = nn.ModuleList(Layer(d, inner, heads) for _ in range(count))
        with torch.no_grad():
            for p in ("weight", "bias"):
                getattr(self.norm, p).copy_(w["embeddings.LayerNorm." + p])
                for i, layer in enumerate(self.layers):
                    for mine, theirs in NAMES.items():
                        getattr(getattr(layer, mine), p).copy_(w[f"encoder.layer.{i}.{theirs}.{p}"])

    def forward(self, ids, mask):
        place = torch.arange(ids.size(1), device=ids.device)
        x = self.norm(self.word(ids) + self.place(place) + self.kind(torch.zeros_like(ids)))
        hidden = (1.0 - mask.to(x.dtype))[:, None, None, :] * -10000.0
        for layer in self.layers:
            x = layer(x, hidden)
        m = mask.to(x.dtype)[:, :, None]
        return (x * m).sum(1) / m.sum(1).clamp(min=1e-9)


def minilm(source, out):
    net = nets["minilm"] = MiniLM(tensors(source + "/model.safetensors")).eval()
    ids = torch.randint(1000, 20000, (1, 16))
    axes = {name: {0: "batch", 1: "tokens"} for name in ("ids", "mask")}
    torch.onnx.export(net, (ids, torch.ones_like(ids)), out, input_names=["ids", "mask"], output_names=["y"],
                      dynamic_axes=axes, opset_version=18, dynamo=False)
    return 0


# ---- runs ----

def timed(f, times):
    start = clock()
    for _ in range(int(times)):
        f()
    return (clock() - start) / int(times)


def run_onnxruntime(path, size, times):
    key = path + " " + size
    if key not in sessions:
        sessions.clear()
        options = ort.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = threads, 3
        s = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        inputs = {}
        for i in s.get_inputs():
            if "int64" in i.type:
                shape = (1, int(size))
                inputs[i.name] = np.ones(shape, "int64") if i.name == "mask" else np.random.randint(1000, 20000, shape)
            else:
                inputs[i.name] = np.random.rand(int(size), *i.shape[1:]).astype("float32")
        sessions[key] = lambda: s.run(None, inputs)
        sessions[key]()
    return timed(sessions[key], times)


def run_pytorch(name, size, times):
    if name not in nets:
        import torchvision
        nets[name] = getattr(torchvision.models, name)().eval()
    if name == "minilm":
        ids = torch.randint(1000, 20000, (1, int(size)))
        inputs = (ids, torch.ones_like(ids))
    else:
        inputs = (torch.rand(int(size), 3, 224, 224),)
    with torch.inference_mode():
        return timed(lambda: nets[name](*inputs), times)


commands = {"light": light, "filled": filled, "minilm": minilm, "onnxruntime": run_onnxruntime,
            "pytorch": run_pytorch}
print("ready onnxruntime", ort.__version__ + ", PyTorch", torch.__version__, flush=True)
for line in sys.stdin:
    try:
        word, *rest = line.split()
        print(commands[word](*rest), flush=True)
    except Exception as why:
        print(" ".join(str(why).split()), flush=True)
