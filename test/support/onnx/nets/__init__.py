# nets - small nets of PyTorch with random weights, for test/onnx/architectures.py.
#
# cases: name -> function that gives a net and its inputs, and may give inputs of other sizes.
from . import attention, convolutions, dense, indices, sequences  # noqa: F401
from .base import cases

__all__ = ['cases']
