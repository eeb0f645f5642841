-- test/nn/modules_spec.lua - what every module promises: any memory layout, copies, types, files; gradients_spec has the rest.
local torch = require 'torch'
local nn = require 'nn'
local check = require 'test.support.gradcheck'
local drawn = require 'test.support.nn.random_cases'

local cases = {}                           -- {case, form}: each case with each form of its input, at the first shape drawn
for _, case in ipairs(require 'test.support.nn.cases') do
   for k = 1, #case do cases[#cases + 1] = {case = case, form = k} end
end

local function make(it)
   local m, inputs = drawn.make(it.case)
   return m, inputs[it.form][1]
end

local function near(a, b, tol, what)
   if torch.isTensor(a) then
      assert(torch.isTensor(b) and a:isSameSizeAs(b), what .. ': other shape')
      local difference = a:nElement() == 0 and 0 or (a:double() - b:double()):abs():max()
      assert(difference <= tol, ('%s: differs by %g'):format(what, difference))
   elseif type(a) == 'table' then
      assert.equal(#a, #b)
      for k = 1, #a do near(a[k], b[k], tol, what) end
   else
      assert.near(a, b, tol)
   end
end

local function run(m, x)
   torch.manualSeed(11)
   return m:forward(x)
end

-- One backward with a gradient of ones.
local function back(m, x)
   local y = run(m, x)
   return m:backward(x, drawn.ones(y))
end

for _, case in ipairs(cases) do
   local no = case.case.no or {}
   describe(('%s with %s'):format(case.case.new, case.case[case.form]), function()
      if not case.case.none then
         it('adds to the gradient of its parameters, scaled', function()
            local m, x = make(case)
            m:zeroGradParameters()
            back(m, x)
            local _, grads = m:parameters()
            local once = check.copy(grads or {})
            back(m, x)
            for i, g in ipairs(grads or {}) do near(once[i] * 2, g, 1e-9 * (1 + g:norm()), 'twice') end
         end)
      end
      if not no.strided then
         it('does not mind how its input lies in memory', function()
            local m, x = make(case)
            local y = check.copy(run(m, x))
            near(y, run(m, check.strided(x)), 1e-12, 'output')
            if not case.case.none then
               local g = check.copy(back(m, x))
               near(g, back(m, check.strided(x)), 1e-9, 'gradInput')
            end
         end)
      end
      it('is copied by clone, cleared by clearState, and works afterwards', function()
         local m, x = make(case)
         local y = check.copy(run(m, x))
         local c = m:clone()
         near(y, run(c, x), 0, 'output of the clone')
         if not no.clear then
            c:clearState()
            near(y, run(c, x), 0, 'output after clearState')
         end
         near(y, run(m, x), 0, 'output')
      end)
      it('answers an input that makes no sense with an error of ours, or with a result', function()
         for _, wrong in ipairs{false, 3, 'x', {}, torch.Tensor(), torch.Tensor(0, 3), torch.ones(1), torch.ones(1, 1, 1, 1, 1, 1),
            torch.FloatTensor(4, 3):zero(), torch.LongTensor(4, 3):fill(1), {torch.ones(3)}, {1, 2},
            {torch.Tensor(), torch.Tensor()}} do
            local m = make(case)
            local ok, err = pcall(m.forward, m, wrong or nil)
            if ok then ok, err = pcall(m.backward, m, wrong or nil, check.copy(m.output)) end
            err = tostring(err):match '^[^\n]*'
            assert(ok or not (err:find 'attempt to' or err:find 'bad argument'), err)
         end
      end)
      if not no.float then
         it('computes in float', function()
            local m, x = make(case)
            local y = check.copy(run(m, x))
            x = nn.utils.map(x, function(t) return t:type() == 'torch.DoubleTensor' and t:float() or t end)
            m:float()
            near(y, run(m, x), 1e-4, 'output')
            assert.equal('torch.FloatTensor', m:type())
         end)
      end
      if not no.file then
         it('is the same after torch.save and torch.load', function()
            local m, x = make(case)
            local y = check.copy(run(m, x))
            local again = torch.deserialize(torch.serialize(m))
            near(y, run(again, x), 0, 'output')
            assert.equal(tostring(m), tostring(again))
         end)
      end
   end)
end

describe('this spec', function()
   it('has a case for every module of nn', function()
      local missing, named = {}, drawn.named(require 'test.support.nn.cases')
      for _, name in ipairs(check.classes 'nn.Module') do
         if not named[name] then missing[#missing + 1] = name end
      end
      assert.same({}, missing)
   end)
end)
