-- test/nn/cases.lua - an input or more for every module of nn; read by modules_spec.lua.
return function(module, long)
   -- bases and containers
   module 'nn.Sequential():add(nn.Linear(3, 4)):add(nn.Tanh()):add(nn.Linear(4, 2))' {{3}, {5, 3}}
   module 'nn.Module()' {{3}, no = {gradient = true, strided = true}}
   module 'nn.Container()' {{3}, no = {gradient = true, strided = true}}
   module 'nn.Concat(2):add(nn.Linear(3, 2)):add(nn.Tanh())' {{4, 3}}
   module 'nn.ConcatTable():add(nn.Linear(3, 2)):add(nn.Identity())' {{3}, {4, 3}}
   module 'nn.ParallelTable():add(nn.Linear(3, 2)):add(nn.Tanh())' {{{3}, {2}}, {{4, 3}, {4, 2}}}
   module 'nn.Parallel(1, 1):add(nn.Linear(3, 2)):add(nn.Linear(3, 4))' {{2, 3}}
   module 'nn.MapTable(nn.Linear(3, 2), false)' {{{3}, {3}}}
   module 'nn.MapTable(nn.Tanh())' {{{3}, {2, 3}}}
   module 'nn.Decorator(nn.Linear(3, 2))' {{3}, {4, 3}}
   -- activations
   for _, new in ipairs{'Abs()', 'Exp()', 'Square()', 'Sigmoid()', 'Tanh()', 'TanhShrink()', 'LogSigmoid()', 'SoftSign()',
      'SoftPlus(2)', 'ELU(0.5)', 'LeakyReLU(0.1)', 'ReLU()', 'RReLU(0.1, 0.4)', 'HardTanh(-0.5, 0.6)', 'Clamp(-0.4, 0.3)',
      'HardShrink(0.3)', 'SoftShrink(0.3)', 'Threshold(0.2, 0.1)', 'Identity()', 'AddConstant(2)', 'MulConstant(-3)',
      'Contiguous()', 'PReLU()', 'Mul()', 'Dropout(0.3)', 'Dropout(0.3, true)', 'WhiteNoise(0.5, 0.2)'} do
      module('nn.' .. new) {{7}, {3, 5}}
   end
   module 'nn.ReLU6()' {{7}, {3, 5}, lo = -3, hi = 9}
   module 'nn.Log()' {{7}, {3, 5}, lo = 0.5, hi = 2}
   module 'nn.Sqrt()' {{7}, {3, 5}, lo = 0.5, hi = 2}
   module 'nn.Power(2.5)' {{7}, {3, 5}, lo = 0.5, hi = 2}
   module 'nn.ZeroGrad()' {{7}, no = {gradient = true}}
   module 'nn.GradientReversal()' {{7}, no = {gradient = true}}
   module 'nn.PReLU(3)' {{3, 2, 2}, {4, 3}, {2, 3, 2, 2}}
   module 'nn.GatedLinearUnit()' {{6}, {3, 6}}
   module 'nn.SpatialDropout(0.4)' {{6, 2, 2}, {2, 6, 2, 2}}
   module 'nn.VolumetricDropout(0.4)' {{6, 2, 2, 2}}
   for _, new in ipairs{'SoftMax()', 'LogSoftMax()', 'SoftMin()'} do
      module('nn.' .. new) {{5}, {3, 4}, {3, 2, 2}, {2, 3, 2, 2}}
   end
   module 'nn.SpatialSoftMax()' {{3, 2, 2}, {2, 3, 2, 2}}
   module 'nn.SpatialLogSoftMax()' {{3, 2, 2}, {2, 3, 2, 2}}
   module 'nn.Normalize(2)' {{5}, {3, 4}}
   module 'nn.Normalize(3)' {{3, 4}}
   -- with parameters
   module 'nn.Linear(3, 2)' {{3}, {4, 3}, {1, 3}}
   module 'nn.Linear(3, 2, false)' {{3}, {4, 3}}
   module 'nn.Add(3)' {{3}, {4, 3}}
   module 'nn.Add(3, true)' {{4, 3}}
   module 'nn.CMul(3)' {{3}, {4, 3}}
   module 'nn.CMul(1, 3, 1, 1)' {{2, 3, 2, 2}}
   module 'nn.CAdd(3)' {{3}, {4, 3}}
   module 'nn.CAdd(1, 3, 1, 1)' {{2, 3, 2, 2}}
   module 'nn.LookupTable(5, 3)' {long(2, 5, 2), no = {strided = true}}
   module 'nn.BatchNormalization(3)' {{5, 3}, tol = 1e-5}
   module 'nn.BatchNormalization(3, 1e-3, 0.2, false)' {{5, 3}, tol = 1e-5}
   module 'nn.SpatialBatchNormalization(2)' {{3, 2, 2, 2}, tol = 1e-5}
   module 'nn.VolumetricBatchNormalization(2)' {{2, 2, 2, 2, 2}, tol = 1e-5}
   -- images
   module 'nn.SpatialConvolution(2, 3, 3, 2)' {{2, 4, 5}, {2, 2, 4, 5}}
   module 'nn.SpatialConvolution(2, 3, 3, 3, 2, 2, 1, 1):noBias()' {{2, 4, 5}, {2, 2, 4, 5}}
   module 'nn.SpatialConvolutionMM(2, 3, 3, 2)' {{2, 4, 5}, {2, 2, 4, 5}}
   module 'nn.SpatialDilatedConvolution(2, 2, 2, 2, 1, 1, 1, 1, 2, 2)' {{2, 4, 5}, {2, 2, 4, 5}}
   module 'nn.SpatialMaxPooling(2, 2)' {{2, 4, 5}, {2, 2, 4, 5}}
   module 'nn.SpatialMaxPooling(3, 2, 2, 1, 1, 1):ceil()' {{2, 2, 4, 5}}
   module 'nn.SpatialDilatedMaxPooling(2, 2, 1, 1, 0, 0, 2, 2)' {{2, 4, 5}}
   module 'nn.SpatialAveragePooling(2, 2, 2, 2)' {{2, 4, 5}, {2, 2, 4, 5}}
   module 'nn.SpatialAveragePooling(3, 3, 2, 2, 1, 1):ceil():setCountExcludePad()' {{2, 2, 4, 5}}
   -- shapes
   module 'nn.View(2, 6)' {{3, 4}, {5, 3, 4}}
   module 'nn.View(-1):setNumInputDims(2)' {{5, 3, 4}}
   module 'nn.Reshape(2, 6)' {{3, 4}, {5, 3, 4}}
   module 'nn.Narrow(1, 2, 2)' {{4, 3}}
   module 'nn.Select(2, -1)' {{4, 3}, {2, 3, 2}}
   module 'nn.Squeeze()' {{1, 3, 1, 2}}
   module 'nn.Squeeze(1, 2)' {{3, 1, 2}}
   module 'nn.Unsqueeze(2)' {{3, 2}}
   module 'nn.Transpose({1, 2}, {2, 3})' {{2, 3, 4}}
   module 'nn.Replicate(3, 2)' {{2, 4}}
   module 'nn.Padding(1, 2, 1, 0.5)' {{3}, {2, 3}}
   for _, new in ipairs{'Sum', 'Mean', 'Max', 'Min'} do
      module('nn.' .. new .. '(1)') {{5}, {4, 3}}
      module('nn.' .. new .. '(1, 1)') {{4, 3}}
   end
   -- tables
   for _, new in ipairs{'CAddTable', 'CMulTable', 'CMaxTable', 'CMinTable'} do
      module('nn.' .. new .. '()') {{{4}, {4}, {4}}, {{2, 3}, {2, 3}}}
   end
   module 'nn.CSubTable()' {{{4}, {4}}}
   module 'nn.CDivTable()' {{{4}, {4}}, lo = 0.5, hi = 2}
   module 'nn.CAddTensorTable()' {{{3}, {{3}, {3}}}}
   for _, new in ipairs{'DotProduct', 'CosineDistance'} do
      module('nn.' .. new .. '()') {{{4}, {4}}, {{3, 4}, {3, 4}}}
   end
   module 'nn.PairwiseDistance(2)' {{{4}, {4}}, {{3, 4}, {3, 4}}, tol = 1e-5}
   module 'nn.MM()' {{{3, 4}, {4, 2}}, {{2, 3, 4}, {2, 4, 2}}}
   module 'nn.MM(true, true)' {{{4, 3}, {2, 4}}, {{2, 4, 3}, {2, 2, 4}}}
   module 'nn.MV()' {{{3, 4}, {4}}, {{2, 3, 4}, {2, 4}}}
   module 'nn.MV(true)' {{{4, 3}, {4}}}
   module 'nn.JoinTable(1)' {{{2, 3}, {4, 3}}}
   module 'nn.JoinTable(1, 1)' {{{2, 3}, {2, 1}}}
   module 'nn.SplitTable(2)' {{3, 2}}
   module 'nn.SelectTable(2)' {{{2}, {3}}}
   module 'nn.NarrowTable(2, 2)' {{{2}, {3}, {4}}}
   module 'nn.FlattenTable()' {{{2}, {{3}, {{1}}}}}
   module 'nn.ZipTable()' {{{{2}, {3}}, {{2}, {4}}}}
   module 'nn.ZipTableOneToMany()' {{{3}, {{2}, {4}}}}
   -- criterions as modules
   module 'nn.CriterionTable(nn.MSECriterion())' {{{4}, {4}}, no = {gradient = true}}
   module 'nn.ModuleFromCriterion(nn.MSECriterion())' {{{4}, {4}}, no = {gradient = true}}
   module "nn.PrintSize('size')" {{3}, no = {gradient = true, strided = true}}
end
