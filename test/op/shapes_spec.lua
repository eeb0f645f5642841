-- test/op/shapes_spec.lua - inputs of equal element count in other shapes and layouts: the same result or refusal.
local shapes = require 'test.support.shapes'
local C = require 'torch.lib'.C

shapes.describe(describe, it, 'inputs of any shape and layout give what packed ones give:', nil, C.TH_CPU)
