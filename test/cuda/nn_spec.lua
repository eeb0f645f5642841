-- test/cuda/nn_spec.lua - every module and criterion of nn on the device gives what it gives on the CPU, gradients too.
-- runs once: the device does not depend on the level
local torch = require 'torch'
require 'nn'
local check = require 'test.support.gradcheck'
local drawn = require 'test.support.nn.random_cases'
local device = require 'test.support.cuda.device'

if device.missing('nn on a CUDA device', describe, pending) then return end

local TOLERANCE, SMALL = 2e-4, 1e-3                  -- of floats, as a part of the largest one, or of SMALL

-- Tensors, also in nested tables, brought somewhere.
local function moved(x, how)
   if torch.isTensor(x) then return how(x) end
   if type(x) ~= 'table' or torch.typename(x) then return x end
   local y = {}
   for k, v in pairs(x) do y[k] = moved(v, how) end
   return y
end
local function single(x) return x:type() == 'torch.DoubleTensor' and x:float() or x:clone() end
local names = { ['torch.FloatTensor'] = 'cuda', ['torch.LongTensor'] = 'cudaLong', ['torch.ByteTensor'] = 'cudaByte' }
local function there(x) return x[names[x:type()]](x) end

local function near(want, got, what)
   if torch.isTensor(want) then
      assert(torch.isTensor(got) and got:type():find '^torch%.Cuda', what .. ' is not on the device')
      assert(want:isSameSizeAs(got), what .. ' has another size')
      if want:nElement() == 0 then return end
      local a, b = want:double():contiguous():view(-1), got:host():double():contiguous():view(-1)
      local largest = SMALL
      for i = 1, a:size(1) do if math.abs(a[i]) < math.huge then largest = math.max(largest, math.abs(a[i])) end end
      for i = 1, a:size(1) do
         local same = a[i] == b[i] or a[i] ~= a[i] and b[i] ~= b[i]
         assert(same or math.abs(a[i] - b[i]) <= TOLERANCE * largest,
            ('%s: element %d is %.9g on the CPU, %.9g on the device'):format(what, i, a[i], b[i]))
      end
   elseif type(want) == 'table' then
      assert(type(got) == 'table', what)
      for k, v in pairs(want) do near(v, got[k], what) end
      for k in pairs(got) do assert(want[k] ~= nil, what .. ' has something more') end
   elseif type(want) == 'number' then
      assert(math.abs(want - got) <= TOLERANCE * math.max(1, math.abs(want)),
         ('%s: %.9g on the CPU, %.9g on the device'):format(what, want, got))
   end
end

-- The gradient of a result: numbers that depend on their places alone.
local function gradient(y)
   return moved(y, function(t)
      local g = torch.FloatTensor(t:size()):fill(1)
      local flat = g:view(-1)
      for i = 1, flat:size(1) do flat[i] = 1 + 0.25 * ((i * 7) % 5) end
      return g
   end)
end

local function parameters(m)
   local _, grads = m:parameters()
   return grads or {}
end

local function module(case, form)
   local m, inputs = drawn.make(case)
   m:float()
   local other, x = m:clone(), moved(inputs[form][1], single)
   other:cuda()
   local function run(net, input, bring)
      torch.manualSeed(11, 'philox')                 -- so both draw the same numbers
      device.cutorch.manualSeed(11)
      net:zeroGradParameters()
      local y = check.copy(net:forward(input))
      if case.none then return y, nil, parameters(net) end
      local g = moved(gradient(moved(y, function(t) return t:float() end)), bring)
      return y, check.copy(net:backward(input, g)), parameters(net)
   end
   local y, gx, grads = run(m, x, function(t) return t end)
   local cy, cgx, cgrads = run(other, moved(x, there), there)
   near(y, cy, 'output')
   near(gx, cgx, 'gradInput')
   if case.name == 'DontCast' then cgrads = moved(cgrads, function(t) return t:cuda() end) end      -- stays on the CPU
   near(grads, cgrads, 'the gradient of the parameters')
end

local function criterion(case, form)
   local c, inputs = drawn.make(case)
   c:float()
   local other = c:clone()
   local x, target = moved(inputs[form][1], single), moved(inputs[form][2], single)
   other:cuda()
   local cx, ctarget = moved(x, there), moved(target, there)
   if c.zeroGradParameters then
      c:zeroGradParameters()
      other:zeroGradParameters()
   end
   near(c:forward(x, target), other:forward(cx, ctarget), 'loss')
   near(c:backward(x, target), other:backward(cx, ctarget), 'gradInput')
   if c.parameters then near(parameters(c), parameters(other), 'the gradient of the parameters') end
end

describe('on a CUDA device, as on the CPU:', function()
   local seen, kept, all, run = {}, nil, 0, 0
   setup(function()
      kept = print
      _G.print = function() end                      -- nn.PrintSize and nn.Profile speak
   end)
   teardown(function()
      _G.print = kept
      torch.manualSeed(11, 'mt19937')
   end)

   local function try(case, how)
      for form = 1, #case do
         local what = ('%s with %s'):format(case.new, case[form])
         local ok, why = xpcall(function() how(case, form) end, debug.traceback)
         local class = seen[case.name] or {}
         seen[case.name] = class
         if ok then class.runs = true
         else
            local op = tostring(why):match '([%w_]+): there is no kernel of this op for CUDA device'
            if not op then error(what .. ': ' .. tostring(why), 0) end
            class.lacks = class.lacks or op
         end
      end
   end
   local on_two = device.on_two(it, pending)
   for _, case in ipairs(require 'test.support.nn.cases') do
      (case.devices and on_two or it)(case.new, function() try(case, module) end)
   end
   for _, case in ipairs(require 'test.support.nn.criterion_cases') do
      if not case.none then it(case.new, function() try(case, criterion) end) end
   end

   it('was tried for all of them, and none lacks an op', function()
      local lacking = {}
      for name, class in pairs(seen) do
         all = all + 1
         lacking[name] = class.lacks
         if not class.lacks then run = run + 1 end
      end
      kept(('%d of %d modules and criterions of nn run on cuda'):format(run, all))
      assert.same({}, lacking)
   end)
end)
