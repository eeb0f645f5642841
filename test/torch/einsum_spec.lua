-- test/torch/einsum_spec.lua - einsum against sums written out, tensordot, outer, kron.
local torch = require 'torch'

local refuses = require 'test.support.refuses'

-- The sums of all products, by their places 'i,j,...' in the result.
local function written_out(inputs, output, operands)
   local size, letters, at, sums = {}, {}, {}, {}
   for k, text in ipairs(inputs) do
      for d = 1, #text do
         local c = text:sub(d, d)
         if not size[c] then letters[#letters + 1] = c end
         size[c] = operands[k]:size(d)
      end
   end
   local function go(i)
      if i <= #letters then
         for n = 1, size[letters[i]] do
            at[letters[i]] = n
            go(i + 1)
         end
         return
      end
      local product, key = 1, {}
      for k, text in ipairs(inputs) do
         local x = operands[k]
         for d = 1, #text do x = x[at[text:sub(d, d)]] end
         product = product * x
      end
      for d = 1, #output do key[d] = at[output:sub(d, d)] end
      key = table.concat(key, ',')
      sums[key] = (sums[key] or 0) + product
   end
   go(1)
   return sums
end

local state = 11
local function draw(n)
   state = (state * 48271) % 2147483647
   return state % n + 1
end

describe('torch.einsum', function()
   it('is the sum of products, whatever letters, operands, layouts and types', function()
      for trial = 1, 600 do
         local count, size, inputs, operands, used = draw(5), {}, {}, {}, {}
         for i = 1, count do size[i] = draw(3) end
         local kind = trial % 3 == 0 and 'Long' or trial % 7 == 0 and 'Float' or 'Double'
         for k = 1, draw(4) do
            local text, sizes = '', {}
            for d = 1, draw(3) do
               local i = draw(count)
               text, sizes[d] = text .. string.char(96 + i), size[i]
               used[string.char(96 + i)] = true
            end
            local x = torch[kind .. 'Tensor']():resize(torch.LongStorage(sizes))
            x:apply(function() return draw(7) - 4 end)
            if draw(2) == 1 and x:dim() > 1 then x = x:transpose(1, 2):contiguous():transpose(1, 2) end
            inputs[k], operands[k] = text, x
         end
         local output = ''
         for i = 1, count do
            local c = string.char(96 + i)
            if used[c] and draw(2) == 1 then output = draw(2) == 1 and output .. c or c .. output end
         end
         local equation = table.concat(inputs, ',') .. '->' .. output
         local before = {}
         for k, x in ipairs(operands) do before[k] = x:clone() end
         local y = torch.einsum(equation, unpack(operands))
         for key, sum in pairs(written_out(inputs, output, operands)) do
            local got = y
            for i in key:gmatch '%d+' do got = got[tonumber(i)] end
            assert.equal(sum, got, equation)
         end
         assert.equal(#output, torch.isTensor(y) and y:dim() or 0)
         for k, x in ipairs(operands) do assert.is_true(x:equal(before[k])) end
      end
   end)
   it('leaves out the arrow: letters that stand once, in alphabetical order', function()
      local a, b = torch.range(1, 6):view(2, 3), torch.range(1, 12):view(3, 4)
      assert.same(torch.mm(a, b):totable(), torch.einsum('ij,jk', a, b):totable())
      assert.same(a:t():totable(), torch.einsum('ba', a):totable())
      assert.equal(15, torch.einsum('ii', torch.range(1, 9):view(3, 3)))
      assert.same(torch.mm(a, b):totable(), torch.einsum(' i j , j k ', { a, b }):totable())
   end)
   it('has an ellipsis for the dimensions in front, which broadcast', function()
      local a, b = torch.range(1, 12):view(2, 1, 2, 3), torch.range(1, 12):view(2, 3, 2)
      local y = torch.einsum('...ij,...jk->...ik', a, b)
      assert.same({ 2, 2, 2, 2 }, y:size():totable())
      for p = 1, 2 do
         for q = 1, 2 do assert.same(torch.mm(a[p][1], b[q]):totable(), y[p][q]:totable()) end
      end
      assert.same(torch.einsum('...ij,...jk', a, b):totable(), y:totable())
      assert.same(b:sum(3):select(3, 1):totable(), torch.einsum('...i->...', b):totable())
      assert.equal(78, torch.einsum('...->', b))
      assert.same(b:transpose(1, 3):totable(), torch.einsum('a...c->c...a', b):totable())
   end)
   it('gives a new tensor', function()
      local x = torch.Tensor(2, 2):fill(1)
      torch.einsum('ij->ij', x):fill(5)
      torch.einsum('ii->i', x):fill(5)
      assert.equal(4, x:sum())
   end)
   it('takes no more memory than its operands and results need', function()
      local memory = require 'torch.lib'.C.th_memory_of(0)
      local a, b, v = torch.FloatTensor(400, 500):fill(1), torch.FloatTensor(500, 600):fill(1), torch.FloatTensor(600):fill(1)
      memory.most = memory.bytes + 2 ^ 25
      local ok, y = pcall(torch.einsum, 'ij,jk,k->i', a, b, v)
      memory.most = 0
      assert.is_true(ok, tostring(y))
      assert.equal(3e5, y[400])
   end)
   it('is 0 where there is nothing to sum', function()
      assert.same({ { 0, 0 }, { 0, 0 } }, torch.einsum('ij,jk->ik', torch.Tensor(2, 0), torch.Tensor(0, 2)):totable())
      assert.same({ 0, 2 }, torch.einsum('bi,bij->bj', torch.Tensor(0, 3), torch.Tensor(0, 3, 2)):size():totable())
   end)
   it('says which letter, operand or size is wrong', function()
      local m, v = torch.Tensor(2, 3):zero(), torch.Tensor(4):zero()
      refuses('torch.einsum: "j" has the sizes 3 and 4', torch.einsum, 'ij,j', m, v)
      refuses('torch.einsum: "i" has the sizes 2 and 3', torch.einsum, 'ii', m)
      refuses('torch.einsum: "k" occurs after -> but in no operand', torch.einsum, 'ij->k', m)
      refuses('torch.einsum: "i" occurs twice after ->', torch.einsum, 'ij->ii', m)
      refuses('torch.einsum: operand 1 must have 1 dimensions for "i", got size 2x3', torch.einsum, 'i', m)
      refuses('torch.einsum: operand 1 must have at least 3 dimensions for "...abc", got size 2x3', torch.einsum, '...abc', m)
      refuses('torch.einsum: a label must be a letter or an ellipsis, got "1" in "i1"', torch.einsum, 'i1', m)
      refuses('torch.einsum: "...i..." has two ellipses', torch.einsum, '...i...', m)
      refuses('torch.einsum: "i,j" speaks of 2 operands, got 1', torch.einsum, 'i,j', v)
      refuses('torch.einsum: the dimensions of ellipses do not fit: sizes 3 and 4', torch.einsum, '...,...', m, v)
      refuses('torch.einsum: operand 2 must be a torch.DoubleTensor like the first, got a torch.FloatTensor', torch.einsum, 'i,i',
         v, v:float())
      refuses('torch.einsum: operand 2 must be a tensor, got a number', torch.einsum, 'i,i', v, 3)
      refuses('torch.einsum: equation must be a string, got a torch.DoubleTensor', torch.einsum, m, 'ij')
      refuses('torch.einsum: equation must be a string, got nil', torch.einsum)
      refuses('torch.einsum: at least one operand is needed', torch.einsum, 'i')
      refuses('torch.einsum: operand 2 is empty: a product needs an element of it', torch.einsum, 'i,->i', v, torch.Tensor())
      refuses('einsum_spec.lua', function() local y = torch.einsum('i1', m) return y end)
   end)
end)

describe('torch.tensordot', function()
   it('sums over the last and first dimensions, or over those named', function()
      local a, b = torch.range(1, 24):view(2, 3, 4), torch.range(1, 24):view(3, 4, 2)
      assert.same(torch.mm(a:view(2, 12), b:view(12, 2)):totable(), torch.tensordot(a, b):totable())
      assert.same(torch.tensordot(a, b):totable(), torch.tensordot(a, b, { 3, 2 }, { 2, 1 }):totable())
      assert.equal(a:sum() * 2, torch.tensordot(a, torch.Tensor(1):fill(2), 0):sum())
      assert.equal(torch.sum(torch.cmul(a, a)), torch.tensordot(a, a, 3))
      assert.equal(0, torch.tensordot(torch.zeros(3, 0), torch.zeros(3, 0)))
      local x = torch.tensordot(torch.zeros(3, 2, 0, 2), torch.zeros(2, 0, 2, 0), 3)
      assert.same({ 3, 0 }, x:size():totable())
   end)
   it('refuses what does not fit', function()
      local a, b = torch.Tensor(2, 3), torch.Tensor(4, 5)
      refuses('torch.tensordot: dimension 2 of a has size 3, dimension 1 of b size 4', torch.tensordot, a, b, 1)
      refuses('torch.tensordot: n must lie in 0..2, got 3', torch.tensordot, a, b, 3)
      refuses('torch.tensordot: b must be a tensor with elements, got', torch.tensordot, a, torch.Tensor(), 0)
      refuses('torch.tensordot: dims of a must lie in 1..2, got 3', torch.tensordot, a, b, { 3 }, { 1 })
      refuses('torch.tensordot: dims of b names dimension 1 twice', torch.tensordot, a, b, { 1, 2 }, { 1, 1 })
      refuses('torch.tensordot: as many dimensions of a as of b are needed, got 1 and 0', torch.tensordot, a, b, { 1 }, {})
      refuses('torch.tensordot: dims of b must be a table of dimensions, got nil', torch.tensordot, a, b, { 1 })
      refuses('torch.tensordot: b must be a tensor, got nil', torch.tensordot, a)
      refuses('torch.tensordot: b must be a torch.DoubleTensor', torch.tensordot, a, b:float())
   end)
end)

describe('torch.outer and torch.kron', function()
   it('multiply everything by everything', function()
      assert.same({ { 3, 4, 5 }, { 6, 8, 10 } }, torch.outer(torch.IntTensor { 1, 2 }, torch.IntTensor { 3, 4, 5 }):totable())
      assert.same({ { 1, 2, 2, 4 }, { 0, 1, 0, 2 }, { 3, 6, 0, 0 }, { 0, 3, 0, 0 } },
         torch.kron(torch.Tensor { { 1, 2 }, { 3, 0 } }, torch.Tensor { { 1, 2 }, { 0, 1 } }):totable())
      assert.same({ { 2, 2 } }, torch.Tensor { 1 }:outer(torch.Tensor { 2, 2 }):totable())
   end)
   it('refuse what is no vector or matrix', function()
      refuses('torch.outer: a must be a vector, got a torch.DoubleTensor of size 2x2', torch.outer, torch.Tensor(2, 2), torch.Tensor(2))
      refuses('torch.outer: b must be a tensor, got nil', torch.outer, torch.Tensor(2))
      refuses('torch.outer: b must be a torch.DoubleTensor', torch.outer, torch.Tensor(2), torch.FloatTensor(2))
      refuses('torch.kron: b must be a matrix, got a torch.DoubleTensor of size 2', torch.kron, torch.Tensor(2, 2), torch.Tensor(2))
   end)
end)
