-- test/comm/lbfgs_spec.lua - dist.lbfgs: the iterates of optim.lbfgs, for any number of ranks.
-- runs once
local dist = require 'dist'
local ranks = require 'test.support.comm.ranks'
local temporary = require 'test.support.temporary'
local refuses = require 'test.support.refuses'

-- Logistic regression of 60 points with 7 features: `loss(first, n)` is the sum over some points;
-- the first rank adds a penalty.
local head = [[
local optim = require 'optim'
local r, n = dist.rank(), dist.size()
torch.manualSeed(5)
local X, truth = torch.randn(60, 7), torch.randn(7)
local Y = torch.sign(torch.mv(X, truth) + torch.randn(60))
local function loss(first, count, penalty)
   local A, b = X:narrow(1, first, count), Y:narrow(1, first, count)
   return function(w)
      local m = torch.mv(A, w):cmul(b)                     -- margins
      local e = torch.exp(-m)
      local g = torch.mv(A:t(), torch.cdiv(torch.cmul(e, b), e + 1)):mul(-1):add(penalty, w)
      return torch.log1p(e):sum() + penalty * w:dot(w) / 2, g
   end
end
local function mine()
   local first = math.floor(60 * r / n) + 1
   return loss(first, math.floor(60 * (r + 1) / n) - first + 1, r == 0 and 0.1 or 0)
end
local all = loss(1, 60, 0.1)
local function near(a, b) return (a - b):abs():max() < 1e-6 end
local function alike(values, others)
   assert(#values == #others, #values .. ' ' .. #others)
   for i, v in ipairs(values) do assert(math.abs(v - others[i]) < 1e-6 * (1 + math.abs(v)), i) end
end
]]

describe('dist.lbfgs', function()
   for n = 1, 4 do
      it(('goes through the places of optim.lbfgs on %d ranks, with and without line search'):format(n), function()
         ranks.ok(n, head .. [[
            for _, config in ipairs { { learningRate = 0.5 }, { lineSearch = optim.lswolfe },
               { lineSearch = optim.lswolfe, lineSearchOptions = { maxIter = 5 }, nCorrection = 3 }, { maxIter = 7, tolX = 0 },
               { lineSearch = function(...) return optim.lswolfe(...) end } } do
               config.maxIter = config.maxIter or 30
               local want, got, one, many = torch.zeros(7), torch.zeros(7):fill(r), {}, {}
               local _, values, evaluations = optim.lbfgs(all, want, config, one)
               config.op = 'sum'
               local x, its, count = dist.lbfgs(mine(), got, config, many)
               assert(x == got and count == evaluations and near(got, want))
               alike(values, its)
               for _, v in ipairs { got, torch.Tensor(its) } do assert(same(dist.broadcast(v:clone()), v)) end
               assert(many.nIter == one.nIter and many.funcEval == one.funcEval)
               local rows = math.ceil(7 / n)
               for _, s in ipairs(many.old_dirs) do assert(s:nElement() == rows) end
            end
            -- the gradient vanishes at the minimum
            local x = torch.zeros(7)
            dist.lbfgs(mine(), x, { lineSearch = optim.lswolfe, maxIter = 100, tolFun = 1e-9, tolX = 1e-16, op = 'sum' })
            local _, g = all(x)
            assert(g:abs():max() < 1e-6, g:abs():max())]])
      end)
   end

   it('has the bits of optim.lbfgs on one rank', function()
      ranks.ok(1, head .. [[
         for _, search in ipairs { false, optim.lswolfe } do
            local a, b = torch.zeros(7), torch.zeros(7)
            local _, values = optim.lbfgs(all, a, { lineSearch = search or nil })
            local _, its = dist.lbfgs(all, b, { lineSearch = search or nil })
            assert(same(a, b) and same(torch.Tensor(values), torch.Tensor(its)))
         end]])
   end)

   it('takes the mean over the ranks, continues from its state, and takes matrices of floats', function()
      ranks.ok(3, head .. [[
         local function bowl(shift) return function(x) return (x - shift):pow(2):sum(), (x - shift) * 2 end end
         local x, state = torch.zeros(2, 5):float(), {}
         for _ = 1, 4 do dist.lbfgs(bowl(r), x, { maxIter = 3, lineSearch = optim.lswolfe }, state) end
         assert(near(x, x:clone():fill(1)) and state.nIter > 1 and x:size(2) == 5)
         local y, all_ = torch.zeros(7), {}
         local z, one = torch.zeros(7), {}
         for _ = 1, 5 do
            dist.lbfgs(mine(), y, { maxIter = 3, op = 'sum', lineSearch = optim.lswolfe }, all_)
            optim.lbfgs(all, z, { maxIter = 3, lineSearch = optim.lswolfe }, one)
            assert(near(y, z))
         end]])
   end)

   for n = 2, 4 do
      it(('minimises over a vector of which each of %d ranks has a part'):format(n), function()
         ranks.ok(n, head .. [[
            -- Rank r has columns of X and the weights for them; margins are summed.
            local cut = { { 1, 1 }, { 2, 3 }, { 5, 2 }, { 7, 1 } }
            local first, count = cut[r + 1][1], cut[r + 1][2]
            if r == n - 1 then count = 8 - first end
            local A = X:narrow(2, first, count)
            local function f(w)
               local m = dist.allreduce(torch.mv(A, w)):cmul(Y)
               local e = torch.exp(-m)
               local g = torch.mv(A:t(), torch.cdiv(torch.cmul(e, Y), e + 1)):mul(-1):add(0.1, w)
               return (r == 0 and torch.log1p(e):sum() or 0) + 0.05 * w:dot(w), g
            end
            for _, search in ipairs { false, optim.lswolfe } do
               local want, w = torch.zeros(7), torch.zeros(count)
               local config = { maxIter = 25, lineSearch = search or nil, learningRate = search and 1 or 0.5 }
               local _, values = optim.lbfgs(all, want, config, {})
               config.sharded = true
               local _, its = dist.lbfgs(f, w, config, {})
               alike(values, its)
               assert(near(w, want:narrow(1, first, count)))
            end]])
      end)
   end

   it('works in groups', function()
      ranks.ok(4, head .. [[
         local even, odd = dist.group { 0, 2 }, dist.group { 3, 1 }
         local group, shift = r % 2 == 0 and even or odd, r
         local x = torch.zeros(3)
         dist.lbfgs(function(y) return (y - shift):pow(2):sum(), (y - shift) * 2 end, x,
            { group = group, lineSearch = optim.lswolfe, tolFun = 1e-9 })
         assert(near(x, torch.ones(3):mul(r % 2 == 0 and 1 or 2)))]])
   end)

   it('makes what fails on one rank an error of all', function()
      ranks.ok(3, head .. [[
         local bad, calls = 0, 0
         local f = mine()
         local function odd(x)
            calls = calls + 1
            if r == 1 and calls == bad then error 'no data' end
            return f(x)
         end
         for _, search in ipairs { false, optim.lswolfe, function(...) return optim.lswolfe(...) end } do
            for at = 1, 3 do
               bad, calls = at, 0
               says(r == 1 and 'no data' or 'dist.lbfgs: rank 1: ', dist.lbfgs, odd, torch.zeros(7),
                  { lineSearch = search or nil }, {})
            end
         end
         bad = 0
         says(r == 2 and 'my search' or 'rank 2: ', dist.lbfgs, odd, torch.zeros(7), { lineSearch = function(g, x, t, d, ...)
            if r == 2 then error 'my search' end
            return optim.lswolfe(g, x, t, d, ...)
         end }, {})
         local none = { lineSearch = function() end }
         says('lineSearch must return value, gradient, place', dist.lbfgs, odd, torch.zeros(7), none, {})
         says('opfunc must return the value and the gradient', dist.lbfgs, function() return 1 end, torch.zeros(7))
         says('the value of opfunc must be a number, got nil', dist.lbfgs, function(x) return nil, x end, torch.zeros(7))
         local function short(x) return 1, x:float() end
         says('the gradient of opfunc must be a torch.DoubleTensor', dist.lbfgs, short, torch.zeros(7))
         says('the ranks differ in maxIter: rank 0 has 5, rank 1 6', dist.lbfgs, f, torch.zeros(7), { maxIter = 5 + r })
         says('the ranks differ in the size of x: rank 0 has 7, rank 2 8', dist.lbfgs, f, torch.zeros(r == 2 and 8 or 7))
         says('the ranks differ in lineSearchOptions', dist.lbfgs, f, torch.zeros(7), { lineSearchOptions = { c1 = r } })
         local state = {}
         dist.lbfgs(f, torch.zeros(7), { maxIter = 2 }, state)
         says('state is of 7 elements, rank ' .. r .. ' of 3, wanted 9 elements', dist.lbfgs, f, torch.zeros(9), {}, state)
         says(r == 2 and 'x must be contiguous floats' or 'rank 2: ', dist.lbfgs, f, r == 2 and torch.Tensor() or torch.zeros(7))]])
      dist.init()
      local function f(x) return 1, x end
      local x = require 'torch'.ones(2)
      refuses('dist.lbfgs: opfunc must be a function, got nil', dist.lbfgs)
      refuses('dist.lbfgs: x must be a tensor, got nil', dist.lbfgs, f)
      refuses('dist.lbfgs: config must be a table, got a number (3)', dist.lbfgs, f, x, 3)
      refuses('dist.lbfgs: config.maxIter must be a number', dist.lbfgs, f, x, { maxIter = 'x' })
      refuses('dist.lbfgs: config.lineSearch must be a function, got a number (1)', dist.lbfgs, f, x, { lineSearch = 1 })
      refuses('dist.lbfgs: config.lineSearchOptions must be a table', dist.lbfgs, f, x, { lineSearchOptions = 1 })
      refuses("dist.lbfgs: config.op must be 'mean' or 'sum', got max", dist.lbfgs, f, x, { op = 'max' })
      refuses('dist.lbfgs: config.sharded must be true or false', dist.lbfgs, f, x, { sharded = 1 })
      refuses('dist.lbfgs: with sharded = true the line search must be optim.lswolfe', dist.lbfgs, f, x,
         { sharded = true, lineSearch = function() end })
      refuses("dist.lbfgs: with sharded = true values are summed: op is 'sum'", dist.lbfgs, f, x, { sharded = true, op = 'mean' })
      refuses('dist.lbfgs: group must be a group made by dist.group', dist.lbfgs, f, x, { group = 1 })
   end)
end)

teardown(temporary.remove)
