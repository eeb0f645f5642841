-- lua/autograd/module/init.lua - layers as functions of parameters: make(options, params) returns f and params.
return {
   LayerNormalization = require 'autograd.module.LayerNormalization',
   MaskedBatchNormalization = require 'autograd.module.MaskedBatchNormalization',
   SoftAttention = require 'autograd.module.SoftAttention',
}
