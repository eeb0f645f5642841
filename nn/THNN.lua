-- nn/THNN.lua - require 'nn.THNN', as modules of other packages do: optionalTensor, kernels and names of nn.THNN.
return require 'nn'.THNN
