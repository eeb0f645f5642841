# test/onnx/suite_onnxruntime.py - counts which of ONNX's backend tests onnxruntime passes: python suite_onnxruntime.py FOLDER.
#
# The rules are those of test/onnx/suite.lua: types, shapes, and values within rtol 1e-3 and atol 1e-7 must be those of the files.
import glob
import os
import sys

import numpy as np
import onnx
import onnxruntime as ort
from onnx import numpy_helper

RTOL, ATOL = 1e-3, 1e-7


def read(path, kind):
    with open(path, "rb") as f:
        data = f.read()
    which = kind.WhichOneof("value")
    if which == "sequence_type":
        m = onnx.SequenceProto()
        m.ParseFromString(data)
        return numpy_helper.to_list(m)
    if which == "optional_type":
        m = onnx.OptionalProto()
        m.ParseFromString(data)
        return numpy_helper.to_optional(m)
    m = onnx.TensorProto()
    m.ParseFromString(data)
    return numpy_helper.to_array(m)


def compare(got, want):
    if want is None or got is None:
        assert got is None and want is None
        return
    if isinstance(want, (list, tuple)):
        assert isinstance(got, (list, tuple)) and len(got) == len(want), "lengths differ"
        for g, w in zip(got, want):
            compare(g, w)
        return
    got = np.asarray(got)
    assert got.shape == want.shape, f"shape {got.shape}, not {want.shape}"
    if want.dtype == object:
        np.testing.assert_array_equal(got, want)
        return
    assert got.dtype == want.dtype, f"type {got.dtype}, not {want.dtype}"
    np.testing.assert_allclose(got, want, rtol=RTOL, atol=ATOL)


def run(folder):
    model = onnx.load(os.path.join(folder, "model.onnx"))
    options = ort.SessionOptions()
    options.log_severity_level = 4
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    for data in sorted(glob.glob(os.path.join(folder, "test_data_set_*"))):
        feeds = {}
        for i, info in enumerate(session.get_inputs()):
            path = os.path.join(data, f"input_{i}.pb")
            if os.path.exists(path):
                feeds[info.name] = read(path, model.graph.input[i].type)
        outputs = session.run(None, feeds)
        for i, got in enumerate(outputs):
            compare(got, read(os.path.join(data, f"output_{i}.pb"), model.graph.output[i].type))


def main():
    folder = sys.argv[1]
    passed, failures = 0, []
    for name in sorted(os.listdir(folder)):
        if not os.path.exists(os.path.join(folder, name, "model.onnx")):
            continue
        try:
            run(os.path.join(folder, name))
            passed += 1
        except Exception as e:  # any refusal counts as a failure
            failures.append((name, str(e).split("\n")[0][:120]))
    if "-v" in sys.argv:
        for name, why in failures:
            print(f"  {name}: {why}")
    print(f"onnxruntime {ort.__version__}: {passed} passed, {len(failures)} failed of {passed + len(failures)}")


main()
