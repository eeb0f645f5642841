-- test/shapes_spec.lua - inputs of as many elements in another shape, anywhere in memory: the same result or refusal.
local shapes = require 'test.shapes'
local C = require 'torch.lib'.C

shapes.describe(describe, it, 'inputs of any shape and layout give what packed ones give:', nil, C.TH_CPU)
