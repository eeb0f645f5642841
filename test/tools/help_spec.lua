-- test/tools/help_spec.lua - every public name has a help text, and every example in one gives what it says.
local torch = require 'torch'
local doc = require 'torch.doc'
require 'nn.recurrent'
require 'optim'

local function says(topic, ...)
   local text = torch.help(topic)
   for _, part in ipairs { ... } do assert.truthy(text:find(part, 1, true), part .. ' is not in: ' .. text) end
   return text
end

describe('every public name', function()
   local names = doc.names()

   it('is looked at: packages, ops, classes, methods', function()
      local seen = {}
      for _, key in ipairs(names) do seen[key] = true end
      for key in ([[torch.cumsum torch.save torch.FloatTensor torch.Timer:stop torch.File:seek torch.zeros Tensor:narrow Tensor:float
         Storage:fill nn.Linear nn.Linear:noBias nn.Module:forward nn.MSECriterion nn.utils.shape optim.adam optim.Logger:add
         paths.basename sys.toc xlua.progress graph.Graph:todot nngraph.display
         autograd.functionalize autograd.nn.AutoModule]]):gmatch '%S+' do
         assert.is_true(seen[key], key .. ' is missing')
      end
      assert.is_true(#names > 1400)
   end)

   it('has a text: a comment begun by --- above its definition, or the doc of its op (see lua/torch/doc.lua)', function()
      local silent = {}
      for _, key in ipairs(names) do
         local entry = doc.entry(key)
         if not entry or not table.concat(entry.text):match '%a' or not entry.usage[1] then silent[#silent + 1] = key end
      end
      assert.equal('', table.concat(silent, ' '))
   end)

   it('has an example, if it is an op or a class of nn (the gradients of ops may do without)', function()
      local class, without = require 'torch.class', {}
      for _, key in ipairs(names) do
         local mt = class.getmetatable(key)
         local entry = doc.entry(key)
         if (key:match '^nn%.' and mt or entry and entry.op) and not key:match '_grad%w*$' and not key:match '_grad_%w+$'
            and #entry.examples == 0 then without[#without + 1] = key end
      end
      assert.equal('', table.concat(without, ' '))
   end)

   it('has a text whose tags were understood', function()
      local left = {}
      for _, key in ipairs(names) do
         local entry = doc.entry(key)
         if table.concat(entry.text, '\n'):find '%f[%w@]@%l' then left[#left + 1] = key end
      end
      assert.equal('', table.concat(left, ' '))
   end)

   it('is described only if it exists', function()
      local gone = {}
      for _, key in ipairs(doc.described()) do if doc.value(key) == nil then gone[#gone + 1] = key end end
      assert.equal('', table.concat(gone, ' '))
   end)
end)

describe('an example in a text', function()
   it('gives what it says', function()
      local wrong, count, seen = {}, 0, {}
      for _, key in ipairs(doc.names()) do
         for _, e in ipairs((doc.entry(key) or { examples = {} }).examples) do
            if not seen[e.code] then
               seen[e.code] = true
               count = count + 1
               local got, why = doc.run(e.code)
               if got ~= e.result then wrong[#wrong + 1] = ('%s: %s gives %s, not %s'):format(key, e.code, tostring(got or why), e.result) end
            end
         end
      end
      assert.equal('', table.concat(wrong, '\n'))
      assert.is_true(count > 50)
   end)

   it('is written like Lua', function()
      local tensor, empty = torch.Tensor { { 1, 2.5 }, { -0.0, 1 / 3 } }, torch.Tensor()
      assert.equal('{{1, 2.5}, {0, 0.33333}}, {}, {2, 3}, abc, true, nil, {1, x = {2}}', doc.show(tensor, empty,
         torch.LongStorage { 2, 3 }, 'abc', true, nil, { 1, x = { 2 } }))
      assert.equal('nan, inf, 1e+10, 3', doc.show(0 / 0, math.huge, 1e10, torch.tensor(3)))
   end)

   it('may fail only with an error', function()
      local got, why = doc.run 'torch.ones('
      assert.is_nil(got)
      assert.truthy(why)
      got, why = doc.run "error 'so'"
      assert.is_nil(got)
      assert.truthy(why:find 'so')
   end)
end)

describe('torch.help', function()
   it('tells of an op: calls, text, defaults, types, gradients', function()
      says('cumsum', 'torch.cumsum([y], x, [dim])', 'x:cumsum(', 'Running sum along dim', 'Defaults: dim = 1', 'Types: Byte', 'Gradients: x')
      assert.equal(torch.help 'cumsum', torch.help 'torch.cumsum')
      says('torch.FloatTensor.add', 'add')
      says('Tensor:add', 'y:add(')
   end)

   it('tells of functions, classes, methods, packages and what they inherit', function()
      says('torch.save', 'torch.save(filename, object, mode, referenced)', 'Returns' and "'ascii'")
      says('nn.Linear', 'nn.Linear(inputSize, outputSize, bias)', 'bias: false leaves b out', 'Methods: ', 'noBias')
      says('Linear', 'nn.Linear(')
      says('nn.Linear:updateOutput', 'Computes self.output')
      says('nn.Sigmoid', '1 / (1 + exp(-x))')
      says('torch.rand', 'torch.rand([result,] [generator,] sizes..., [type])', 'Numbers of [0, 1)')
      says('torch.random', 'torch.random([generator,] [a], [b])', 'Fills x with')
      says('torch.DiskFile:seek', 'torch.DiskFile:seek(place)')
      says('nn', 'nn: ', 'Linear', 'Sequential')
      says('optim.adam', 'optim.adam(')
      says('', '?  NAME')
      says('torch.cumsum(x)', 'Running sum')
   end)

   it('takes the things themselves', function()
      assert.equal(torch.help 'nn.Linear', torch.help(nn.Linear))
      assert.equal(torch.help 'nn.Linear', torch.help(nn.Linear(2, 3)))
      assert.equal(torch.help 'torch.save', torch.help(torch.save))
      assert.equal(torch.help 'cumsum', torch.help(torch.cumsum))
      assert.equal(torch.help 'optim.sgd', torch.help(optim.sgd))
      assert.equal(torch.help 'torch.Timer', torch.help(torch.Timer))
      assert.equal(torch.help 'optim', torch.help(optim))
   end)

   it('gives near names for one that it does not know', function()
      says('convol', 'no such name', 'nn.SpatialConvolution')
      says('conv2dd', 'no such name', 'torch.conv2d')
      says('cumsun', 'torch.cumsum')
      says('logarithm', 'torch.log')
   end)

   it('refuses what has no name', function()
      assert.has_error(function() torch.help(3) end)
      local ok, why = pcall(torch.help, 3)
      assert.is_false(ok)
      assert.truthy(why:find('torch.help: expected a name or a public function, class or object, got a number (3)', 1, true), why)
      ok, why = pcall(torch.help, 'qqqqqq')
      assert.is_false(ok)
      assert.truthy(why:find('torch.help: nothing is known about "qqqqqq"', 1, true), why)
      assert.is_false((pcall(torch.help, function() end)))
      assert.is_false((pcall(torch.help, {})))
   end)
end)
