# test/onnx/recorded.py - writes test/onnx/recorded.lua: nodes, inputs, and the outputs of onnxruntime: python test/onnx/recorded.py > FILE.
import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper

random = np.random.RandomState(1)
NAMES = {"float32": "float", "float64": "double", "int64": "int64", "int32": "int32", "uint8": "uint8", "bool": "bool", "int8": "int8"}


def f(*shape):
    return (random.randint(-8, 9, shape) / 4).astype("float32")


def i(*values):
    return np.array(values, "int64")


x = f(2, 4, 4, 3)
CASES = [
    ("Conv", [x, f(6, 2, 3, 3), f(6)], dict(group=2, pads=[1, 0, 2, 1], strides=[2, 1])),
    ("Conv", [f(1, 3, 9), f(2, 3, 3)], dict(strides=[2], auto_pad="SAME_UPPER")),
    ("Conv", [f(1, 2, 3, 3, 4), f(2, 2, 2, 2, 3)], dict(strides=[1, 2, 1])),
    ("ConvTranspose", [f(1, 3, 4, 5), f(3, 2, 3, 2), f(2)], dict(strides=[2, 3], pads=[1, 0, 0, 1], output_padding=[1, 0])),
    ("MaxPool", [x], dict(kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1], ceil_mode=1)),
    ("MaxPool", [f(1, 2, 7)], dict(kernel_shape=[3], dilations=[2])),
    ("AveragePool", [x], dict(kernel_shape=[2, 3], strides=[1, 2], pads=[1, 1, 0, 1], count_include_pad=1)),
    ("LpPool", [x], dict(kernel_shape=[2, 2], p=3)),
    ("GlobalMaxPool", [x], {}),
    ("BatchNormalization", [x, f(4), f(4), f(4), abs(f(4)) + 0.5], dict(epsilon=0.01)),
    ("InstanceNormalization", [x, f(4), f(4)], {}),
    ("LayerNormalization", [x, f(3), f(3)], dict(axis=-1)),
    ("LRN", [x], dict(size=3, alpha=0.1, beta=0.6, bias=2.0)),
    ("LpNormalization", [x], dict(axis=1, p=1)),
    ("Gemm", [f(3, 2), f(4, 3), f(4)], dict(transA=1, transB=1, alpha=0.5, beta=2.0)),
    ("MatMul", [f(2, 1, 3, 4), f(5, 4, 2)], {}),
    ("MatMul", [f(4), f(3, 4, 2)], {}),
    ("Einsum", [f(2, 3, 4), f(2, 4, 5)], dict(equation="bij,bjk->bik")),
    ("Add", [f(1, 4, 1), f(4)], {}),
    ("Div", [np.array([7, -7, 9], "int32"), np.array([2, 2, -4], "int32")], {}),
    ("Mod", [np.array([7, -7, 9], "int32"), np.array([3, 3, -4], "int32")], {}),
    ("Pow", [f(3), i(2, 3, 2)], {}),
    ("Where", [np.array([[True], [False]]), f(2, 3), f(3)], {}),
    ("Greater", [f(1, 4), f(4, 1)], {}),
    ("Clip", [f(6), np.float32(-0.5), np.float32(1.0)], {}),
    ("Round", [np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.3], "float32")], {}),
    ("Selu", [f(5)], {}),
    ("Celu", [f(5)], dict(alpha=0.5)),
    ("HardSigmoid", [f(5)], dict(alpha=0.3)),
    ("Shrink", [f(6)], dict(lambd=0.5, bias=0.25)),
    ("PRelu", [f(2, 3, 2), f(3, 1)], {}),
    ("Erf", [f(5)], {}),
    ("Softmax", [f(2, 3, 4)], dict(axis=1)),
    ("LogSoftmax", [f(2, 3)], {}),
    ("Hardmax", [f(2, 5)], {}),
    ("ReduceSum", [x, i(1, -1)], dict(keepdims=0)),
    ("ReduceMean", [x], dict(axes=[0, 2])),
    ("ReduceL2", [x], dict(axes=[1], keepdims=0)),
    ("ReduceLogSumExp", [x], dict(axes=[3])),
    ("ReduceProd", [f(3, 2)], {}),
    ("ArgMax", [f(3, 5)], dict(axis=1, select_last_index=1, keepdims=0)),
    ("CumSum", [f(3, 4), i(1)[0]], dict(exclusive=1, reverse=1)),
    ("Reshape", [x, i(0, -1, 3)], {}),
    ("Transpose", [x], dict(perm=[2, 0, 3, 1])),
    ("Expand", [f(3, 1), i(2, 1, 4)], {}),
    ("Tile", [f(2, 3), i(2, 3)], {}),
    ("Concat", [f(2, 3), f(2, 1)], dict(axis=-1)),
    ("Slice", [f(6, 5), i(-1, 0), i(-7, 4), i(0, 1), i(-2, 3)], {}),
    ("Pad", [f(3, 4), i(1, -1, 0, 2), np.float32(0.5)], {}),
    ("Pad", [f(3, 4), i(1, 2, 2, 1)], dict(mode="reflect")),
    ("Pad", [f(3, 4), i(1, 0, 2, 3)], dict(mode="edge")),
    ("DepthToSpace", [f(1, 8, 2, 3)], dict(blocksize=2, mode="CRD")),
    ("SpaceToDepth", [f(1, 2, 4, 6)], dict(blocksize=2)),
    ("Trilu", [f(3, 4), i(1)[0]], dict(upper=0)),
    ("Gather", [f(3, 4), np.array([[0, -1], [2, 1]], "int64")], dict(axis=1)),
    ("GatherElements", [f(3, 3), np.array([[0, -1, 2]], "int64")], dict(axis=0)),
    ("GatherND", [f(2, 3, 4), np.array([[[1]], [[0]]], "int64")], dict(batch_dims=1)),
    ("ScatterElements", [f(3, 3), np.array([[1, 0, 2]], "int64"), f(1, 3)], dict(axis=0, reduction="add")),
    ("ScatterND", [f(4, 2), np.array([[2], [0]], "int64"), f(2, 2)], {}),
    ("TopK", [f(3, 5), i(2)], dict(axis=1, largest=0), 2),
    ("OneHot", [i(1, -1, 5), i(3)[0], np.array([0.5, 2.0], "float32")], dict(axis=0)),
    ("NonZero", [np.array([[1, 0], [2, 3]], "float32")], {}),
    ("Unique", [np.array([2, 1, 1, 3, 2], "float32")], {}, 4),
    ("Compress", [f(3, 4), np.array([True, False, True])], dict(axis=0)),
    ("ReverseSequence", [f(4, 2), i(3, 2)], dict(time_axis=0, batch_axis=1)),
    ("Range", [i(2)[0], i(11)[0], i(3)[0]], {}),
    ("EyeLike", [f(3, 4)], dict(k=1)),
    ("Det", [f(2, 3, 3)], {}),
    ("NegativeLogLikelihoodLoss", [f(3, 4), i(0, 3, 1), abs(f(4)) + 0.25], {}),
    ("SoftmaxCrossEntropyLoss", [f(3, 4, 2), np.array([[0, 3], [2, 1], [1, 1]], "int64")], dict(reduction="none")),
    ("Cast", [np.array([1.7, -1.7, 0.0], "float32")], dict(to=TensorProto.INT32)),
    ("QuantizeLinear", [f(4), np.float32(0.1), np.uint8(3)], {}),
    ("DequantizeLinear", [np.array([[1, 200], [3, 4]], "uint8"), np.array([0.5, 0.25], "float32"), np.array([1, 2], "uint8")], dict(axis=1)),
    ("MatMulInteger", [np.array([[1, 250]], "uint8"), np.array([[3], [4]], "uint8"), np.uint8(2)], {}),
]


def lua(v):
    if isinstance(v, (np.floating, float)):
        return repr(float(v)) if np.isfinite(v) else "0/0" if np.isnan(v) else "1/0" if v > 0 else "-1/0"
    return str(int(v))


def tensor(t):
    t = np.asarray(t)
    numbers = ", ".join(lua(v) for v in t.flatten())
    return "{ '%s', { %s }, { %s } }" % (NAMES[str(t.dtype)], ", ".join(map(str, t.shape)), numbers)


def attribute(v):
    if isinstance(v, float):
        return "{ f = %r }" % v
    if isinstance(v, list):
        return "{ ints = { %s } }" % ", ".join(map(str, v))
    return repr(v)


def wrapped(text, indent="      "):
    lines, line = [], indent
    for word in text.split(" "):
        if len(line) + len(word) > 124:
            lines.append(line.rstrip())
            line = indent
        line += word + " "
    return "\n".join(lines + [line.rstrip()])


print("-- test/onnx/recorded.lua - nodes, their inputs, and the outputs of onnxruntime; test/onnx/recorded.py writes this file.")
print("--")
print("-- { op, attributes, inputs, outputs }; a tensor is { type, sizes, numbers }.")
print("return {")
for case in CASES:
    op, inputs, attributes, count = (*case, 1)[:4]
    names = [f"x{k}" for k in range(len(inputs))]
    outputs = [f"y{k}" for k in range(count)]
    node = helper.make_node(op, names, outputs, **attributes)
    infos = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(np.asarray(t).dtype), np.asarray(t).shape) for n, t in zip(names, inputs)]
    graph = helper.make_graph([node], "g", infos, [onnx.ValueInfoProto(name=n) for n in outputs])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    session = ort.InferenceSession(model.SerializeToString())
    results = session.run(None, dict(zip(names, [np.asarray(t) for t in inputs])))
    keys = ", ".join(f"{k} = {attribute(v)}" for k, v in sorted(attributes.items()))
    print("   { '%s', { %s }," % (op, keys))
    print(wrapped("{ " + ", ".join(map(tensor, inputs)) + " },"))
    print(wrapped("{ " + ", ".join(map(tensor, results)) + " } },"))
print("}")
