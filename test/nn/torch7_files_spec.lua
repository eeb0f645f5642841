-- test/nn/torch7_files_spec.lua - models that Torch7 wrote: loaded, used, saved and loaded again.
-- runs once: what the files hold does not depend on the CPU level
local torch = require 'torch'
local nn = require 'nn'
local check = require 'test.support.gradcheck'
local temporary = require 'test.support.temporary'
pcall(require, 'nngraph')

-- The files lie beside the checkout, with what Torch7 computed with each.
local GOLDEN = os.getenv 'TH_GOLDEN' or '../shared/golden'

local function readable(path)
   local f = io.open(path, 'rb')
   return f and f:close()
end

after_each(temporary.remove)

-- Is what came what is recorded? A tensor is { T = type, s = sizes, d = elements }, several values { L = list }.
local function as_recorded(want, got)
   if type(want) ~= 'table' then
      if type(want) == 'number' then return math.abs(want - got) <= 1e-10 * (1 + math.abs(want)) end
      return want == got
   end
   if not want.T then return true end                -- tables: their content is compared between the two loads
   local tol = want.T == 'Float' and 1e-5 or 1e-10
   local flat = got:contiguous():view(-1)
   if got:type() ~= ('torch.%sTensor'):format(want.T) or flat:size(1) ~= #want.d then return false end
   for i = 1, #want.d do
      if math.abs(want.d[i] - flat[i]) > tol * (1 + math.abs(want.d[i])) then return false end
   end
   return true
end

local function same(a, b)
   if torch.isTensor(a) then return torch.isTensor(b) and a:type() == b:type() and a:isSameSizeAs(b) and torch.eq(a, b):all() end
   if type(a) ~= 'table' or torch.typename(a) then return a == b or torch.typename(a) and torch.typename(a) == torch.typename(b) end
   for k, v in pairs(a) do
      if not same(v, b[k]) then return false end
   end
   return true
end

local function results(case, x)
   torch.manualSeed(3)
   return check.copy{setfenv(assert(loadstring(case.use)), setmetatable({torch = torch, nn = nn}, {__index = _G}))(x)}
end

describe('a model of Torch7', function()
   local forwards = 0
   for _, group in ipairs{'t7_nn', 't7_nngraph'} do
      local path = ('%s/data/%s.lua'):format(GOLDEN, group)
      if not readable(path) then
         pending('of ' .. path .. ', which is not here')
      else
         for _, case in ipairs(dofile(path).cases) do
            if case.use then
               it(('%s is loaded, gives what Torch7 gave, is saved and loaded again, and gives the same bits'):format(case.file), function()
                  local function load(name, mode) return torch.load(name, mode, {unsafe = true}) end
                  local file = GOLDEN .. '/' .. case.file
                  local want = results(case, load(file, case.mode))
                  for i, recorded in ipairs(case.r and (case.r.L or {case.r}) or {}) do
                     assert(as_recorded(recorded, want[i]), ('result %d is not what Torch7 gave'):format(i))
                     forwards = forwards + 1
                  end
                  for _, mode in ipairs{'binary', 'ascii'} do
                     local name = temporary.name '.t7'
                     torch.save(name, load(file, case.mode), mode)
                     assert(same(want, results(case, load(name, mode))), 'another result after saving it as ' .. mode)
                     nn.save(name, load(file, case.mode), mode)
                     if not case.use:find 'm%.output' then
                        assert(same(want, results(case, load(name, mode))), 'another result after nn.save as ' .. mode)
                     end
                  end
               end)
            end
         end
         it('of ' .. group .. ' is there', function() assert.is_true(forwards > 2) end)
      end
   end
end)
