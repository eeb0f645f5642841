# test/onnx/recorded_more.py - writes test/onnx/recorded_more.lua, as recorded.py does, for ops with strings, domains and other versions.
import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper

random = np.random.RandomState(2)
NAMES = {"float32": "float", "float64": "double", "int64": "int64", "int32": "int32", "uint8": "uint8", "bool": "bool", "object": "string"}
ML = "ai.onnx.ml"


def f(*shape):
    return (random.randint(-8, 9, shape) / 4).astype("float32")


def i(*values):
    return np.array(values, "int64")


def s(*values):
    return np.array(values, object)


def numbers(*shape):
    return [float(v) for v in f(*shape).flatten()]


x = f(1, 2, 4, 5)
grid = f(1, 3, 2, 2)
rois = np.array([[0, 0, 4, 3], [1, 0.5, 3, 2.5], [-2, -1, 9, 9]], "float32")
lstm = [f(3, 2, 2), f(2, 12, 2), f(2, 12, 3), f(2, 24), np.array([3, 2], "int32"), f(2, 2, 3), f(2, 2, 3), f(2, 9)]
gru = [f(3, 2, 2), f(1, 9, 2), f(1, 9, 3), f(1, 18), np.array([1, 3], "int32"), f(1, 2, 3)]
tree = dict(nodes_treeids=[0, 0, 0, 1, 1, 1], nodes_nodeids=[0, 1, 2, 0, 1, 2], nodes_featureids=[0, 0, 0, 1, 0, 0],
            nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_GT", "LEAF", "LEAF"], nodes_values=[0.25, 0.0, 0.0, -0.5, 0.0, 0.0],
            nodes_truenodeids=[1, 0, 0, 1, 0, 0], nodes_falsenodeids=[2, 0, 0, 2, 0, 0])
leaves = ([0, 0, 1, 1], [1, 2, 1, 2], [0, 0, 0, 0], [0.5, -1.5, 0.75, 0.25])
svm = dict(classlabels_ints=[4, 5, 6], coefficients=numbers(2, 4), support_vectors=numbers(4, 2), vectors_per_class=[2, 1, 1],
           rho=[0.25, -0.5, 0.75], kernel_type="RBF", kernel_params=[0.5, 0.0, 0.0])
# Op, inputs (None: absent), attributes, outputs, domain, version of ai.onnx.
CASES = [
    ("Resize", [x, None, np.array([1, 1, 1.5, 0.6], "float32")], dict(mode="linear"), 1, "", 19),
    ("Resize", [x, None, None, i(1, 2, 3, 7)], dict(mode="cubic", cubic_coeff_a=-0.5, exclude_outside=1), 1, "", 19),
    ("Resize", [x, None, None, i(2, 3)], dict(mode="linear", antialias=1, axes=[2, 3]), 1, "", 19),
    ("Resize", [x, None, None, i(1, 2, 7, 3)], dict(coordinate_transformation_mode="asymmetric", nearest_mode="ceil"), 1, "", 19),
    ("Resize", [x, np.array([1, 1, 2, 1], "float32")], dict(mode="nearest"), 1, "", 10),
    ("Upsample", [x, np.array([1, 1, 2, 1], "float32")], dict(mode="linear"), 1, "", 9),
    ("GridSample", [x, grid], dict(mode="linear", padding_mode="reflection"), 1, "", 20),
    ("GridSample", [x, grid], dict(mode="cubic", padding_mode="border", align_corners=1), 1, "", 20),
    ("RoiAlign", [x, rois, i(0, 0, 0)], dict(output_height=2, output_width=2, spatial_scale=0.5), 1, "", 16),
    ("MaxRoiPool", [x, np.array([[0, 0, 0, 4, 3], [0, 2, 1, 2, 2]], "float32")], dict(pooled_shape=[2, 2]), 1, "", 16),
    ("NonMaxSuppression", [abs(f(1, 6, 4)), abs(f(1, 2, 6)), i(3), np.float32([0.25]), np.float32([0.5])], {}, 1, "", 11),
    ("LSTM", lstm, dict(hidden_size=3, direction="bidirectional"), 3, "", 14),
    ("LSTM", [lstm[0], lstm[1][:1], lstm[2][:1]], dict(hidden_size=3, clip=0.5, input_forget=1,
              activations=["HardSigmoid", "Elu", "Softsign"]), 2, "", 14),
    ("GRU", gru, dict(hidden_size=3, linear_before_reset=1), 2, "", 14),
    ("GRU", gru[:4], dict(hidden_size=3, direction="reverse"), 2, "", 14),
    ("RNN", [f(3, 2, 2), f(1, 3, 2), f(1, 3, 3)], dict(hidden_size=3, activations=["Relu"]), 2, "", 14),
    ("DFT", [f(1, 6, 1), i(5)[0]], dict(onesided=1, axis=1), 1, "", 17),
    ("DFT", [f(2, 4, 2)], dict(inverse=1, axis=1), 1, "", 17),
    ("STFT", [f(1, 8, 1), i(2)[0], f(4)], {}, 1, "", 17),
    ("HannWindow", [i(5)[0]], {}, 1, "", 17),
    ("HammingWindow", [i(5)[0]], dict(periodic=0), 1, "", 17),
    ("BlackmanWindow", [i(6)[0]], {}, 1, "", 17),
    ("MelWeightMatrix", [i(3)[0], i(16)[0], i(8000)[0], np.float32(0), np.float32(4000)], {}, 1, "", 17),
    ("StringNormalizer", [s("Ab", "the", "CD", "The")], dict(stopwords=["the"], case_change_action="LOWER", locale="C"), 1, "", 17),
    ("TfIdfVectorizer", [np.array([[1, 2, 1], [3, 1, 2]], "int32")], dict(mode="TFIDF", min_gram_length=1, max_gram_length=2, max_skip_count=1,
     ngram_counts=[0, 2], ngram_indexes=[0, 1, 3], pool_int64s=[1, 3, 1, 2], weights=[0.5, 2.0, 3.0]), 1, "", 17),
    ("ArrayFeatureExtractor", [f(3, 4), i(3, 0)], {}, 1, ML, 17),
    ("Binarizer", [f(2, 3)], dict(threshold=0.25), 1, ML, 17),
    ("Scaler", [f(2, 3)], dict(offset=[1.0, 2.0, 3.0], scale=[0.5, 2.0, 0.25]), 1, ML, 17),
    ("Imputer", [f(2, 3)], dict(imputed_value_floats=[7.0], replaced_value_float=0.0), 1, ML, 17),
    ("Normalizer", [f(2, 3)], dict(norm="L2"), 1, ML, 17),
    ("OneHotEncoder", [i(3, 1, 9)], dict(cats_int64s=[1, 2, 3]), 1, ML, 17),
    ("LabelEncoder", [s("a", "b", "q")], dict(keys_strings=["a", "b"], values_int64s=[7, 8]), 1, ML, 17),
    ("LabelEncoder", [i(1, 5)], dict(keys_int64s=[1, 2], values_strings=["x", "y"], default_string="none"), 1, ML, 17),
    ("CategoryMapper", [s("a", "q")], dict(cats_strings=["a", "b"], cats_int64s=[4, 5], default_int64=-3), 1, ML, 17),
    ("LinearRegressor", [f(3, 2)], dict(coefficients=numbers(2, 2), intercepts=[0.5, 0.25], targets=2), 1, ML, 17),
    ("LinearClassifier", [f(4, 2)], dict(coefficients=numbers(1, 2), intercepts=[0.25], classlabels_ints=[3, 4], post_transform="LOGISTIC"),
     2, ML, 17),
    ("TreeEnsembleRegressor", [f(4, 2)], dict(tree, target_treeids=leaves[0], target_nodeids=leaves[1], target_ids=leaves[2],
     target_weights=leaves[3], n_targets=1, aggregate_function="AVERAGE", base_values=[0.25]), 1, ML, 17),
    ("TreeEnsembleClassifier", [f(4, 2)], dict(tree, class_treeids=leaves[0], class_nodeids=leaves[1], class_ids=leaves[2],
     class_weights=leaves[3], classlabels_strings=["no", "yes"], post_transform="LOGISTIC"), 2, ML, 17),
    ("SVMClassifier", [f(4, 2)], svm, 2, ML, 17),
    ("SVMClassifier", [f(4, 2)], dict(svm, prob_a=[-1.0, -1.5, -0.5], prob_b=[0.25, 0.0, -0.25]), 2, ML, 17),
    ("SVMRegressor", [f(4, 2)], dict(coefficients=numbers(3), support_vectors=numbers(3, 2), n_supports=3, rho=[0.5], kernel_type="POLY",
     kernel_params=[0.5, 1.0, 2.0]), 1, ML, 17),
]


def lua(v):
    if isinstance(v, (np.floating, float)):
        return repr(float(v)) if np.isfinite(v) else "0/0" if np.isnan(v) else "1/0" if v > 0 else "-1/0"
    if isinstance(v, str):
        return "'%s'" % v
    return str(int(v))


def tensor(t):
    if t is None:
        return "false"
    t = np.asarray(t)
    return "{ '%s', { %s }, { %s } }" % (NAMES[str(t.dtype)], ", ".join(map(str, t.shape)), ", ".join(lua(v) for v in t.flatten()))


def attribute(v):
    if isinstance(v, float):
        return "{ f = %r }" % v
    if isinstance(v, list):
        kind = "strings" if isinstance(v[0], str) else "floats" if isinstance(v[0], float) else "ints"
        return "{ %s = { %s } }" % (kind, ", ".join(map(lua, v)))
    return lua(v)


def wrapped(text, indent="      "):
    lines, line = [], indent
    for word in text.split(" "):
        if len(line) + len(word) > 124:
            lines.append(line.rstrip())
            line = indent
        line += word + " "
    return "\n".join(lines + [line.rstrip()])


def info(name, t):
    t = np.asarray(t)
    kind = onnx.TensorProto.STRING if t.dtype == object else helper.np_dtype_to_tensor_dtype(t.dtype)
    return helper.make_tensor_value_info(name, kind, t.shape)


print("-- test/onnx/recorded_more.lua - as recorded.lua; test/onnx/recorded_more.py writes this file.")
print("--")
print("-- { op, attributes, inputs, outputs, domain, version of ai.onnx }; a tensor is { type, sizes, elements }, false an absent input.")
print("return {")
for op, inputs, attributes, count, domain, version in CASES:
    names = [f"x{k + 1}" if t is not None else "" for k, t in enumerate(inputs)]
    outputs = [f"y{k + 1}" for k in range(count)]
    node = helper.make_node(op, names, outputs, domain=domain, **attributes)
    graph = helper.make_graph([node], "g", [info(n, t) for n, t in zip(names, inputs) if n], [onnx.ValueInfoProto(name=n) for n in outputs])
    imports = [helper.make_opsetid("", version), helper.make_opsetid(ML, 3)]
    options = ort.SessionOptions()
    options.log_severity_level = 4
    session = ort.InferenceSession(helper.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString(), options)
    results = session.run(None, {n: np.asarray(t) for n, t in zip(names, inputs) if n})
    print(wrapped("{ '%s', { %s }," % (op, ", ".join(f"{k} = {attribute(v)}" for k, v in sorted(attributes.items()))), "   "))
    print(wrapped("{ " + ", ".join(map(tensor, inputs)) + " },"))
    print(wrapped("{ " + ", ".join(map(tensor, results)) + " }, '%s', %d }," % (domain, version)))
print("}")
