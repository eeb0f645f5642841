-- test/torch/negative_dims_spec.lua - a negative dimension counts from the end, in ops and in views.
local torch = require 'torch'

local function same(a, b) assert.same({ a:size():totable(), a:totable() }, { b:size():totable(), b:totable() }) end

describe('a negative dimension', function()
   local x = torch.range(1, 24):view(2, 3, 4)
   it('counts from the end in ops', function()
      for _, name in ipairs { 'sum', 'mean', 'prod', 'max', 'min', 'cumsum', 'std', 'sort', 'median' } do
         for d = 1, 3 do same((torch[name](x, d)), (torch[name](x, d - 4))) end
      end
      same(torch.cat(x, x, 2), torch.cat(x, x, -2))
      same(x:index(3, torch.LongTensor { 2 }), x:index(-1, torch.LongTensor { 2 }))
      same(x:clone():indexFill(1, torch.LongTensor { 1 }, 0), x:clone():indexFill(-3, torch.LongTensor { 1 }, 0))
      same(x:gather(2, torch.LongTensor(2, 1, 4):fill(2)), x:gather(-2, torch.LongTensor(2, 1, 4):fill(2)))
      same(torch.fft.rfft(x, nil, 2), torch.fft.rfft(x, nil, -2))
      same((torch.unique(x, 3)), (torch.unique(x, -1)))
   end)
   it('counts from the end in views and questions', function()
      same(x:select(3, 2), x:select(-1, 2))
      same(x:narrow(2, 1, 2), x:narrow(-2, 1, 2))
      same(x:transpose(1, 3), x:transpose(-3, -1))
      same(x:permute(3, 1, 2), x:permute(-1, 1, -2))
      same(x:unfold(3, 2, 1), x:unfold(-1, 2, 1))
      same(x:split(2, 3)[2], x:split(2, -1)[2])
      same(x:chunk(2, 1)[2], x:chunk(2, -3)[2])
      assert.equal(4, x:size(-1))
      assert.equal(12, x:stride(-3))
      same(torch.ones(2, 1, 3):squeeze(2), torch.ones(2, 1, 3):squeeze(-2))
   end)
   it('is refused beyond the first, and 0 is none', function()
      local function refused(f, ...)
         local ok, why = pcall(f, ...)
         assert.is_false(ok)
         assert.matches('must lie in 1%.%.3, got ', why)
      end
      for _, d in ipairs { -4, 0, 4 } do
         refused(x.sum, x, d)
         refused(x.size, x, d)
         refused(x.transpose, x, d, 1)
         refused(x.index, x, d, torch.LongTensor { 1 })
      end
      assert.is_false(pcall(torch.cat, x, x, -4))
      assert.is_false(pcall(torch.unique, x, -4))
   end)
   it('has its gradient in autograd', function()
      local autograd = require 'autograd'
      local f = function(p) return torch.sum(torch.cmul(torch.sum(p, -1), torch.sum(p, -1))) end
      local g = function(p) return torch.sum(torch.cmul(torch.sum(p, 2), torch.sum(p, 2))) end
      local p = torch.range(1, 6):view(2, 3)
      same((autograd(f)(p)), (autograd(g)(p)))
   end)
end)

describe('reshape', function()
   local x = torch.range(1, 6)
   it('computes one size of -1, as view does', function()
      same(x:reshape(2, 3), x:reshape(2, -1))
      same(x:reshape(6), x:reshape(-1))
      same(x:reshape(3, 2), torch.reshape(x, torch.LongStorage { -1, 2 }))
      local sizes = torch.LongStorage { -1, 2 }
      x:reshape(sizes)
      assert.same({ -1, 2 }, sizes:totable())
   end)
   it('gives tensors without elements any shape of none', function()
      for _, shape in ipairs { { 3, 0 }, { 2, 0, 2 }, { 0, 4 } } do
         local none, result = torch.Tensor(unpack(shape)), torch.Tensor()
         assert.same({ 0, 5 }, none:reshape(0, 5):size():totable())
         assert.same({ 0, 5 }, torch.reshape(result, none, 0, 5):size():totable())
      end
   end)
   it('refuses what does not divide, two of -1, and others below 0', function()
      for _, sizes in ipairs { { 4, -1 }, { -1, -1 }, { 0, -1 }, { -2, -3 }, { -2, 3 } } do
         local ok, why = pcall(x.reshape, x, unpack(sizes))
         assert.is_false(ok)
         assert.matches('reshape: ', why)
      end
   end)
end)
