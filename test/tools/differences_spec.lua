-- test/tools/differences_spec.lua - doc/differences.md names a spec for each difference; here are those that no other spec tests.
-- runs once: nothing here depends on the level
local refuses = require 'test.support.refuses'
require 'nn'

local function read(name)
   local file = io.open(name)
   if not file then return nil end
   local text = file:read '*a'
   file:close()
   return text
end

-- The entries of the page: each begins with a dash at the start of a line.
local function entries()
   local list = {}
   for line in (read 'doc/differences.md'):gmatch '[^\n]*' do
      if line:find '^%- ' then
         list[#list + 1] = line
      elseif line:find '^  %S' and #list > 0 then
         list[#list] = list[#list] .. ' ' .. line:match '^%s*(.*)'
      end
   end
   return list
end

-- Why an entry's reference is wrong, or nil. It ends with: Spec: FILE, "TITLE".
local function fault(entry)
   local file, title = entry:match 'Spec: (test/%S+_spec%.lua), "(.+)"%.?$'
   if not file then return 'names no spec' end
   local text = read(file)
   if not text then return 'names ' .. file .. ', which does not exist' end
   if not text:gsub("\\'", "'"):find(title, 1, true) then return ('%s has no title "%s"'):format(file, title) end
end

describe('doc/differences.md', function()
   it('names for each difference a spec that exists', function()
      local faults = {}
      for _, entry in ipairs(entries()) do
         local why = fault(entry)
         if why then faults[#faults + 1] = entry:sub(1, 60) .. '...: ' .. why end
      end
      assert.equal('', table.concat(faults, '\n'))
      assert.is_true(#entries() > 20)
   end)
   it('is not satisfied by a spec without that title', function()
      assert.equal('names no spec', fault '- a difference')
      assert.matches('no title', fault('- a difference Spec: test/tools/differences_spec.lua, "no such' .. ' title".'))
   end)
end)

describe('tensors', function()
   it('broadcast where Torch7 raised an error', function()
      assert.same({ { 2, 3 }, { 2, 3 } }, torch.ones(2, 2):add(torch.Tensor { 1, 2 }):totable())
      assert.same({ { 3, 3 }, { 4, 4 } }, torch.ones(2, 2):add(torch.Tensor { { 2 }, { 3 } }):totable())
   end)
   it('may have a dimension of size 0', function()
      assert.same({ 0, 3 }, torch.zeros(2, 3):narrow(1, 2, 0):size():totable())
      assert.equal(0, torch.zeros(2, 3):narrow(1, 2, 0):sum())
   end)
   it('are divided element by element, and get dimensions in front from expand', function()
      assert.same({ 2, 4 }, (torch.Tensor { 4, 8 } / torch.Tensor { 2, 2 }):totable())
      assert.same({ { 1, 2 }, { 1, 2 }, { 1, 2 } }, torch.Tensor { 1, 2 }:expand(3, 2):totable())
   end)
   it('of type Half and BFloat16 take part in what Float tensors do', function()
      for _, name in ipairs { 'HalfTensor', 'BFloat16Tensor' } do
         local x = torch[name] { 1, 2, 3 }
         assert.equal(6, x:sum())
         assert.same({ 2, 4, 6 }, (x * 2):totable())
         assert.equal(14, x:dot(x))
      end
   end)
end)

describe('x:random(a, b)', function()
   it('draws negative numbers into Float and Double tensors', function()
      for _, name in ipairs { 'FloatTensor', 'DoubleTensor' } do
         local x = torch[name](1000):random(-3, 3)
         assert.equal(-3, x:min())
         assert.equal(3, x:max())
      end
   end)
end)

describe('torch.histc', function()
   it('looks at finite elements only when it finds the range itself', function()
      assert.same({ 1, 1, 1 }, torch.histc(torch.Tensor { 1, 2, 3, 1 / 0 }, 3):totable())
   end)
end)

describe('nn.LayerNormalization', function()
   it('subtracts from each row the mean of that row', function()
      local x = torch.Tensor { { 1, 2, 3 }, { 10, 20, 60 } }
      local y = nn.LayerNormalization(3):forward(x)
      assert.near(0, y[1]:sum(), 1e-6)
      assert.near(0, y[2]:sum(), 1e-6)
   end)
end)

describe('accGradParameters with a scale', function()
   it('adds the gradient times that scale', function()
      local layers = {
         nn.Cosine(3, 2), nn.WeightedEuclidean(3, 2), nn.LinearWeightNorm(3, 2), nn.WeightNorm(nn.Linear(3, 2)),
         nn.Bilinear(3, 3, 2), nn.DepthConcat(2):add(nn.SpatialConvolution(1, 2, 3, 3)),
      }
      for _, m in ipairs(layers) do
         local x = torch.randn(4, 3)
         if torch.isTypeOf(m, 'nn.Bilinear') then x = { x, torch.randn(4, 3) } end
         if torch.isTypeOf(m, 'nn.DepthConcat') then x = torch.randn(2, 1, 5, 5) end
         local dy = m:forward(x):clone():normal()
         local _, gradients = m:parameters()
         local function gradient(scale)
            m:zeroGradParameters()
            m:forward(x)
            m:backward(x, dy, scale)
            local copies = {}
            for k, g in ipairs(gradients) do copies[k] = g:clone() end
            return copies
         end
         local whole, half = gradient(1), gradient(0.5)
         for k, g in ipairs(whole) do assert.is_true((g / 2 - half[k]):abs():max() < 1e-12, torch.type(m)) end
      end
   end)
end)

describe('x.torch and x.nn', function()
   it('are the packages themselves', function()
      assert.equal(torch, torch.Tensor(1).torch)
      assert.equal(nn, torch.Tensor(1).nn)
   end)
end)

describe('The metatable of a type of tensors', function()
   local mt = torch.getmetatable 'torch.IntTensor'

   -- What f returns while mt[name] is `other`.
   local function with(name, other, f)
      local own = mt[name]
      mt[name] = other
      local ok, value = pcall(f)
      mt[name] = own
      assert.is_true(ok)
      return value
   end

   it('gives methods and __tostring__ to programs that replace them, but no operators and no __index__', function()
      local x = torch.IntTensor { 1 }
      assert.equal('own', with('sum', function() return 'own' end, function() return x:sum() end))
      assert.equal('own', with('__tostring__', function() return 'own' end, function() return tostring(x) end))
      assert.equal(2, with('__add__', function() return 'own' end, function() return (x + 1)[1] end))
      assert.equal(1, with('__index__', function() return 'own', true end, function() return x[1] end))
   end)
end)

describe('torch.pushudata', function()
   it('gives the tensor whose cdata it gets, and refuses addresses', function()
      local x = torch.Tensor { 1, 2 }
      assert.is_true(torch.pushudata(x:cdata(), 'torch.DoubleTensor'):isSetTo(x))
      refuses('torch.pushudata', torch.pushudata, 12345, 'torch.DoubleTensor')
   end)
end)

describe('x:maskedFill', function()
   it('returns the tensor for a mask of zeros, too', function()
      local x = torch.Tensor { 1, 2 }
      assert.equal(x, x:maskedFill(torch.ByteTensor { 0, 0 }, 3))
      assert.same({ 1, 2 }, x:totable())
   end)
end)

describe('convolutions', function()
   it('keep nan to the windows that hold it with the engine gemm, and to the image with any', function()
      local x = torch.ones(2, 1, 12, 12)
      x[1][1][1][1] = 0 / 0
      local function nans(image)
         local y = torch.conv2d(x, torch.ones(1, 1, 3, 3))
         return y[image]:ne(y[image]):sum()
      end
      assert.equal(0, nans(2))
      torch.conv.engine = 'gemm'
      local inside, outside = nans(1), nans(2)
      torch.conv.engine = nil
      assert.equal(1, inside)
      assert.equal(0, outside)
   end)
end)
