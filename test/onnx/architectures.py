# architectures.py FOLDER [-only PATTERN] [-exporter NAME] [-opset N] - exports nets with random
# weights by both exporters of torch.onnx.
#
# A line on standard output reports each file: name, exporter, 'file' and its name without ending,
# or 'refused' and why. Beside NAME.onnx lie NAME_1_in.npz and NAME_1_out.npz, and those of a second
# try with other sizes. At most two files exist at a time, because the reader removes those that it
# has compared.
import argparse
import glob
import logging
import os
import re
import sys
import time
import warnings

report = os.fdopen(os.dup(1), 'w', buffering=1)
sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support', 'onnx')
)


def silence():
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    warnings.simplefilter('ignore')
    logging.disable(logging.CRITICAL)


def say(*fields):
    report.write('\t'.join(re.sub(r'\s+', ' ', str(f)) for f in fields) + '\n')


def picture(size, channels=3, batch=1):
    import torch

    return (torch.randn(batch, channels, size, size),)


def torchvision_cases():
    """Name -> function that gives a net of torchvision and its inputs."""
    import torch
    import torchvision

    models = torchvision.models

    def plain(name, size, **options):
        return lambda: (getattr(models, name)(weights=None, **options), picture(size))

    def segmentation(name, size):
        class Out(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.net = getattr(models.segmentation, name)(
                    weights=None, weights_backbone=None, num_classes=4
                )

            def forward(self, x):
                return self.net(x)['out']

        return lambda: (Out(), picture(size))

    def maxvit():
        net = models.MaxVit(
            (64, 64),
            stem_channels=16,
            partition_size=2,
            block_channels=[16, 32],
            block_layers=[1, 1],
            head_dim=8,
            stochastic_depth_prob=0.0,
            num_classes=10,
        )
        return net, picture(64)

    cases = {}
    for name in '''squeezenet1_0 squeezenet1_1 mobilenet_v2 mobilenet_v3_small mobilenet_v3_large
            shufflenet_v2_x1_0 mnasnet1_0 regnet_x_400mf regnet_y_400mf efficientnet_b0
            efficientnet_v2_s resnet18 resnet50 resnext50_32x4d densenet121 convnext_tiny swin_t
            swin_v2_t wide_resnet50_2'''.split():
        cases[name] = plain(name, 64)
    cases.update(
        googlenet=plain('googlenet', 64, init_weights=False),
        inception_v3=plain('inception_v3', 96, init_weights=False),
        maxvit=maxvit,
        r3d_18=lambda: (models.video.r3d_18(weights=None), (torch.randn(1, 3, 4, 32, 32),)),
        lraspp_mobilenet_v3_large=segmentation('lraspp_mobilenet_v3_large', 64),
        deeplabv3_mobilenet_v3_large=segmentation('deeplabv3_mobilenet_v3_large', 64),
        fcn_resnet50=segmentation('fcn_resnet50', 64),
        alexnet=plain('alexnet', 224),
        vit_b_16=plain('vit_b_16', 32, image_size=32),
        vgg11=plain('vgg11', 224),
    )
    return cases


def randomize(net):
    """Statistics and scales that differ from those of a new net."""
    import torch

    for m in net.modules():
        if isinstance(m, torch.nn.modules.batchnorm._BatchNorm):
            m.running_mean.normal_(0, 0.1)
            m.running_var.uniform_(0.5, 1.5)
        if isinstance(m, torch.nn.Linear) and not m.weight.any():  # the head of a new vit
            m.weight.data.normal_(0, 0.05)
        if (
            isinstance(
                m,
                (
                    torch.nn.modules.batchnorm._BatchNorm,
                    torch.nn.LayerNorm,
                    torch.nn.GroupNorm,
                    torch.nn.InstanceNorm2d,
                ),
            )
            and m.weight is not None
        ):
            m.weight.data.uniform_(0.5, 1.5)
            m.bias.data.normal_(0, 0.1)


def tensors_of(y):
    if isinstance(y, (list, tuple)):
        return [t for v in y for t in tensors_of(v)]
    return [] if y is None else [y]


def save(path, prefix, tensors):
    import numpy

    arrays = {f'{prefix}{i + 1}': t.detach().numpy() for i, t in enumerate(tensors)}
    numpy.savez(
        path, **{k: v.astype(numpy.uint8) if v.dtype == bool else v for k, v in arrays.items()}
    )


def export(net, x, path, exporter, opset, outputs, dynamic):
    import torch

    names = [f'in{i + 1}' for i in range(len(x))]
    options = dict(
        input_names=names,
        output_names=[f'out{i + 1}' for i in range(outputs)],
        dynamo=exporter == 'dynamo',
    )
    if opset:
        options['opset_version'] = opset
    if exporter == 'dynamo':
        options['external_data'] = False
        if dynamic:
            n = torch.export.Dim('n', min=1, max=64)
            options['dynamic_shapes'] = [{0: n} for _ in x]
            if type(net).__name__ == 'Apply':  # its forward takes *x: one argument that is a tuple
                options['dynamic_shapes'] = (tuple(options['dynamic_shapes']),)
    elif dynamic:
        options['dynamic_axes'] = {name: {0: 'n'} for name in names}
    torch.onnx.export(net, x, path, **options)


def run(name, make, exporter, opset, path):
    import torch

    torch.manual_seed(len(name))
    net, x, *more = make()
    randomize(net)
    net.eval()
    tries = [x, *more]
    with torch.no_grad():
        results = [tensors_of(net(*(t.clone() for t in x))) for x in tries]
        try:
            export(net, x, path + '.onnx', exporter, opset, len(results[0]), len(tries) > 1)
        except Exception:
            if len(tries) == 1:
                raise
            del tries[1:]  # the exporter may take one size alone
            export(net, x, path + '.onnx', exporter, opset, len(results[0]), False)
    for i, x in enumerate(tries):
        save(f'{path}_{i + 1}_in.npz', 'in', x)
        save(f'{path}_{i + 1}_out.npz', 'out', results[i])
    return len(tries)


def main():
    p = argparse.ArgumentParser()
    p.add_argument('folder')
    p.add_argument('-only', default='')
    p.add_argument('-exporter', default='')
    p.add_argument('-opset', type=int, default=0)
    options = p.parse_args()
    silence()
    import torch

    torch.set_num_threads(1)
    torch.backends.mha.set_fastpath_enabled(False)  # its ops cannot be exported by TorchScript
    from nets import cases as small

    cases = dict(small)
    try:
        cases.update(torchvision_cases())
    except ImportError as why:
        say('torchvision', '-', 'refused', why)
    for name, make in cases.items():
        if not re.search(options.only, name):
            continue
        for exporter in 'dynamo', 'script':
            if options.exporter not in ('', exporter):
                continue
            while len(glob.glob(options.folder + '/*_1_out.npz')) > 1:
                time.sleep(0.05)
            path = os.path.join(options.folder, f'{name}.{exporter}')
            try:
                tries = run(name, make, exporter, options.opset, path)
                say(name, exporter, 'file', path, tries)
            except Exception as why:
                for file in glob.glob(path + '*'):
                    os.remove(file)
                say(name, exporter, 'refused', f'{type(why).__name__}: {why}'[:300])


main()
