-- lua/onnx/export/none.lua - classes of nn that have no meaning in ONNX, with the reason.
local rules = require 'onnx.export.rules'
local none = rules.none

none('nn.Module nn.Container nn.AbstractParallel', 'a base class, which computes nothing', true)
none('nn.Criterion nn.CriterionTable nn.ModuleFromCriterion', 'a criterion, which belongs to training')
none('nn.SpatialFractionalMaxPooling nn.VolumetricFractionalMaxPooling', 'its windows are drawn at random in each forward')
none('nn.SpatialStochasticPooling inn.SpatialStochasticPooling', 'it draws at random')
