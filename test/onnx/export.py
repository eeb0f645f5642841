# test/onnx/export.py - runs the files of test/onnx/export.lua with onnxruntime and compares: export.py FOLDER.
import sys

try:
    import numpy as np
    import onnx
    import onnxruntime
except ImportError as why:
    print('onnxruntime: left out (%s)' % why)
    sys.exit(0)

TOLERANCE = 1e-5
folder = sys.argv[1]
options = onnxruntime.SessionOptions()
options.log_severity_level = 4


def compare(path, tries):
    onnx.checker.check_model(onnx.load(path + '.onnx'), full_check=True)
    session = onnxruntime.InferenceSession(path + '.onnx', options, providers=['CPUExecutionProvider'])
    names = [v.name for v in session.get_inputs()]
    for k in range(1, tries + 1):
        given = dict(np.load('%s_%d_in.npz' % (path, k)))
        wanted = dict(np.load('%s_%d_out.npz' % (path, k)))
        found = session.run(list(wanted), {name: given[name] for name in names})
        for (name, want), got in zip(wanted.items(), found):
            if want.shape != got.shape:
                raise ValueError('%s has the shape %s, not %s' % (name, got.shape, want.shape))
            if want.size:
                want, got = want.astype('f8'), got.astype('f8')
                with np.errstate(invalid='ignore'):
                    difference = np.abs(want - got) / (1 + np.abs(want))
                difference[want == got] = 0
                if not difference.max() <= TOLERANCE:
                    raise ValueError('%s differs by %g' % (name, difference.max()))


equal = different = 0
for line in open(folder + '/list.txt'):
    path, tries, name = line.rstrip('\n').split('\t')
    try:
        compare(path, int(tries))
        equal += 1
    except Exception as why:
        different += 1
        print('onnxruntime: %s: %s' % (name, str(why).replace('\n', ' ')[:300]))
print('onnxruntime %s: %d equal, %d not' % (onnxruntime.__version__, equal, different))
sys.exit(1 if different else 0)
