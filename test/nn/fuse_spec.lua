-- test/nn/fuse_spec.lua - nn.fuse: copies of models for inference that give the same with fewer layers.
local torch = require 'torch'
local nn = require 'nn'
local refuses = require 'test.support.refuses'

before_each(function() torch.manualSeed(4) end)

-- Running estimates and an affine map that are not those of a new layer.
local function lived(norm)
   norm.running_mean:uniform(-1, 1)
   norm.running_var:uniform(0.5, 2)
   if norm.weight then norm.weight:uniform(-2, 2) norm.bias:uniform(-1, 1) end
   return norm
end

local function sequential(...)
   local net = nn.Sequential()
   for _, m in ipairs { ... } do net:add(m) end
   return net
end

local function types(net)
   local list = {}
   for i, m in ipairs(net.modules) do list[i] = torch.type(m):gsub('^nn%.', '') end
   return table.concat(list, ' ')
end

local function off(a, b) return (a:double() - b:double()):norm() / (b:double():norm() + 1e-300) end

-- That the fused model gives what the model gives in evaluation mode.
local function same(net, x, tol)
   net:evaluate()
   local y = net:forward(x)
   local fused = nn.fuse(net)
   local d = off(fused:forward(x), y)
   assert.is_true(d < (tol or 1e-13), ('%s is off by %g'):format(fused, d))
   assert.is_true(off(fused:forward(x), y) == d)                     -- the second time too
   return fused
end

describe('nn.fuse', function()
   local LAYERS = {
      { function(b) local m = nn.Linear(5, 4, b) return m end, 'BatchNormalization', { 3, 5 } },
      { function(b) local m = nn.SpatialConvolution(2, 4, 3, 2, 1, 2, 1, 0) return b and m or m:noBias() end, 'SpatialBatchNormalization',
         { 3, 2, 7, 6 } },
      { function(b) local m = nn.SpatialConvolutionMM(2, 4, 3, 2) return b and m or m:noBias() end, 'SpatialBatchNormalization',
         { 3, 2, 7, 6 } },
      { function(b) local m = nn.SpatialConvolutionFFT(2, 4, 3, 3) return b and m or m:noBias() end, 'SpatialBatchNormalization',
         { 3, 2, 7, 6 } },
      { function(b) local m = nn.SpatialDilatedConvolution(2, 4, 2, 2, 1, 1, 0, 0, 2, 2) return b and m or m:noBias() end,
         'SpatialBatchNormalization', { 3, 2, 7, 6 } },
      { function(b) local m = nn.SpatialFullConvolution(2, 4, 3, 3, 2, 2) return b and m or m:noBias() end,
         'SpatialBatchNormalization', { 3, 2, 4, 5 } },
      { function(b) local m = nn.VolumetricConvolution(2, 4, 2, 2, 2) return b and m or m:noBias() end,
         'VolumetricBatchNormalization', { 2, 2, 4, 5, 4 } },
      { function(b) local m = nn.VolumetricDilatedConvolution(2, 4, 2, 2, 2) return b and m or m:noBias() end,
         'VolumetricBatchNormalization', { 2, 2, 4, 5, 4 } },
      { function(b) local m = nn.VolumetricFullConvolution(2, 4, 2, 2, 2) return b and m or m:noBias() end,
         'VolumetricBatchNormalization', { 2, 2, 3, 3, 3 } },
   }
   for _, row in ipairs(LAYERS) do
      local new, name, size = unpack(row)
      local layer = torch.type(new(true))
      it(('folds %s into %s, with and without bias and affine map'):format(name, layer), function()
         for _, bias in ipairs { true, false } do
            for _, affine in ipairs { true, false } do
               local net = sequential(new(bias), lived(nn[name](4, nil, nil, affine)))
               local fused = same(net, torch.randn(unpack(size)))
               assert.equal(layer, 'nn.' .. types(fused))
               assert.is_true(off(nn.fuse(net):float():forward(torch.randn(unpack(size)):float()), net.output) > 0)
               same(net:float(), torch.randn(unpack(size)):float(), 1e-5)
            end
         end
      end)
   end

   it('lets functions of elements work in place after layers that own their output, and there only', function()
      local net = sequential(nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, 4), nn.Tanh(), nn.ReLU(), nn.Linear(4, 4),
         nn.LeakyReLU(0.1), nn.View(-1), nn.ELU())
      local fused = same(net, torch.randn(3, 5))
      local inplace = {}
      for i, m in ipairs(fused.modules) do inplace[i] = m.inplace or false end
      assert.same({ false, true, false, false, false, false, true, false, false }, inplace)
      assert.is_false(net:get(2).inplace)
   end)

   it('leaves out what does nothing in evaluation mode', function()
      assert.equal('Linear ReLU', types(same(sequential(nn.Linear(5, 4), nn.Identity(), nn.Dropout(0.5), nn.ReLU()), torch.randn(3, 5))))
      assert.equal('Linear Dropout', types(same(sequential(nn.Linear(5, 4), nn.Dropout(0.5, true)), torch.randn(3, 5))))
      assert.equal('Identity', types(same(sequential(nn.Dropout(0.5), nn.Identity()), torch.randn(3, 5))))
   end)

   it('goes into containers of all kinds', function()
      local function part(from, to)
         return sequential(nn.SpatialConvolution(from, to, 3, 3, 1, 1, 1, 1), lived(nn.SpatialBatchNormalization(to)), nn.ReLU())
      end
      local net = sequential(part(2, 4), nn.ConcatTable():add(sequential(part(4, 4), part(4, 4))):add(nn.Identity()),
         nn.CAddTable(true), nn.ReLU(true), nn.Concat(2):add(part(4, 2)):add(part(4, 3)))
      same(net, torch.randn(2, 2, 6, 6))
      assert.equal('SpatialConvolution ReLU', types(nn.fuse(net):get(1)))
   end)

   it('goes into graphs of nngraph, where only what one node uses is folded or works in place', function()
      require 'nngraph'
      local x = nn.Identity()()
      local a = nn.ReLU()(lived(nn.SpatialBatchNormalization(3))(nn.SpatialConvolution(2, 3, 3, 3, 1, 1, 1, 1)(x)))
      local b = nn.SpatialConvolution(3, 3, 1, 1)(a)
      local c = nn.Tanh()(sequential(nn.SpatialConvolution(3, 4, 1, 1), lived(nn.SpatialBatchNormalization(4)))(a))
      local net = nn.gModule({ x }, { nn.CAddTable() { lived(nn.SpatialBatchNormalization(3))(b), nn.ReLU()(b) }, c, b })
      net:evaluate()
      local input = torch.randn(2, 2, 5, 6)
      local want, fused = net:forward(input), nn.fuse(net)
      for _ = 1, 2 do
         for i, y in ipairs(fused:forward(input)) do assert.is_true(off(y, want[i]) < 1e-13, i) end
      end
      local kinds, inplace = {}, 0
      fused:apply(function(m)
         local kind = torch.type(m)
         kinds[kind] = (kinds[kind] or 0) + 1
         if m.inplace then inplace = inplace + 1 end
      end)
      assert.same({ 1, 1 }, { kinds['nn.SpatialBatchNormalization'], inplace })
      local again = torch.deserialize(torch.serialize(fused)):forward(input)
      for i, y in ipairs(again) do assert.is_true(off(y, want[i]) < 1e-13, i) end
   end)

   it('does not change the model, and shares no memory with it', function()
      local net = sequential(nn.Linear(5, 4), lived(nn.BatchNormalization(4)), nn.ReLU())
      local parameters = net:getParameters()
      local before, text = parameters:clone(), tostring(net)
      net:training()
      local fused = nn.fuse(net)
      assert.is_true(torch.equal(before, parameters))
      assert.equal(text, tostring(net))
      assert.is_true(net.train and net:get(2).train)
      assert.is_false(fused.train)
      fused:get(1).weight:fill(7)
      assert.is_true(torch.equal(before, parameters))
   end)

   it('keeps what stands in two places as it is', function()
      local linear = nn.Linear(4, 4)
      local net = sequential(linear, lived(nn.BatchNormalization(4)), nn.ReLU(), linear, lived(nn.BatchNormalization(4)))
      assert.equal('Linear BatchNormalization ReLU Linear BatchNormalization', types(same(net, torch.randn(3, 4))))
   end)

   it('folds into one of two layers that share weights without touching the other', function()
      local a, b = nn.Linear(4, 4), nn.Linear(4, 4)
      b:share(a, 'weight', 'bias')
      assert.equal('Linear Linear', types(same(sequential(a, lived(nn.BatchNormalization(4)), b), torch.randn(3, 4))))
   end)

   it('keeps normalisations that do not fit: of other outputs, or without a layer before', function()
      local net = sequential(lived(nn.BatchNormalization(5)), nn.Linear(5, 4), nn.Tanh(), lived(nn.BatchNormalization(4)))
      assert.equal('BatchNormalization Linear Tanh BatchNormalization', types(same(net, torch.randn(3, 5))))
      local wrong = sequential(nn.Linear(5, 4), nn.BatchNormalization(3))
      assert.equal('Linear BatchNormalization', types(nn.fuse(wrong)))
   end)

   it('gives a model that is saved and loaded, and has gradients', function()
      local net = sequential(nn.SpatialConvolution(2, 3, 3, 3):noBias(), lived(nn.SpatialBatchNormalization(3)), nn.ReLU()):evaluate()
      local x = torch.randn(2, 2, 6, 6)
      local fused = torch.deserialize(torch.serialize(nn.fuse(net)))
      local y, g = net:forward(x), torch.randn(2, 3, 4, 4)
      assert.is_true(off(fused:forward(x), y) < 1e-13)
      assert.is_true(off(fused:backward(x, g:clone()), net:backward(x, g)) < 1e-13)
   end)

   it('takes a layer that is no container', function()
      local m, x = nn.Linear(3, 2), torch.randn(3)
      assert.is_true(torch.equal(m:forward(x), nn.fuse(m):forward(x)))
   end)

   it('refuses what is no module', function()
      refuses('nn.fuse: model must be a module, got a number (3)', nn.fuse, 3)
      refuses('nn.fuse: model must be a module, got nil', nn.fuse)
      refuses('nn.fuse: model must be a module, got', nn.fuse, nn.MSECriterion())
   end)
end)
