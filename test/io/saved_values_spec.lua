-- test/io/saved_values_spec.lua - what can be saved can be loaded: random values, modules and criterions with random fields.
-- runs once: what a file holds does not depend on the CPU level
local torch = require 'torch'
local nn = require 'nn'
local tds = require 'tds'
local draw = require 'test.support.draw'
local drawn = require 'test.support.nn.random_cases'
require 'cudnn'
require 'nngraph'

local COUNT = tonumber(os.getenv 'TH_SAVED_CASES') or 400            -- random values for each mode

local TURNS = tonumber(os.getenv 'TH_SAVED_TURNS') or 6                -- of each module and criterion
local GOLDEN = os.getenv 'TH_GOLDEN' or '../shared/golden'

local whole, pick = draw.whole, draw.pick
local KINDS = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double' }
local NUMBERS = { 0, -0.0, 1, -1, 0.1, 1 / 3, 2 ^ 31, 2 ^ 53, -2 ^ 63, 1e300, 5e-324, 1 / 0, -1 / 0, 0 / 0 }
local STRINGS = { '', ' ', '\n',
   '\0', '1', ' 1', '1 ', 'V 1', 'nan', 'a\r\nb', 'nn.Linear', 'torch.', '.', 'torch', 'torch.Tensor',
   'torch.FloatTensor', 'torch.Cuda', 'torch.CudaLong',
   'torch.NoTensor', 'no.Class', '\255\254', ('x'):rep(5000), '%s%d', '\27LJ' }
-- What methods that read files look at, besides the fields that a module has.
local NAMES = { '', ' ', 's', '_type', 'type', 'read', 'write', '__read', '__write', 'writtenAs', '__init', '__index', 'output',
   'gradInput', 'modules', 'weight', 'bias', 'running_std', 'running_var', 'eps', 'ceil_mode', 'padT', 'kW', 'kH', 'gpus',
   'gpuAssignments', 'device', 'dropout', 'rememberStates', 'forwardnodes', 'innode', 'nInputs', 'clip', 'ceiling', 'k', 'K',
   'blank', 'losses', 'inputSize', 'train', 'class', 'V 1' }

local value

local function tensor()
   local x = torch[pick(KINDS) .. 'Tensor']()
   local form = whole(6)
   if form == 1 then return x end
   if form == 2 then return x:resize(torch.LongStorage { whole(2) - 1, whole(3) }) end
   if form == 3 then return torch.tensor(3, x:type()) end
   x:resize(whole(4), whole(3)):fill(whole(100))
   if form == 4 then return x:t() end
   if form == 5 then return x:select(1, whole(x:size(1))) end
   return x:narrow(1, 1, 1):expand(3, x:size(2))
end

local function key(seen)
   local kind = whole(8)
   if kind < 4 then return pick(NAMES) end
   if kind == 4 then return pick(STRINGS) end
   if kind == 5 then return whole(9) end
   if kind == 6 then return whole(2) == 1 end
   if kind == 7 then return NUMBERS[whole(#NUMBERS - 1)] end
   return value(3, seen, true)
end

-- Fields besides those that t has.
local function fields(t, depth, seen)
   for _ = 1, whole(4) - 1 do
      local k = key(seen)
      local v = value(depth, seen)
      if rawget(t, k) == nil then t[k] = v end
   end
   return t
end

local makers = {
   function() return pick(NUMBERS) end,
   function() return pick(STRINGS) end,
   function() return whole(2) == 1 end,
   function() return nil end,
   tensor,
   function() return torch[pick(KINDS) .. 'Storage'](whole(4) - 1):fill(whole(9)) end,
   function(depth, seen)
      local t = {}
      seen[#seen + 1] = t
      return depth > 4 and t or fields(t, depth + 1, seen)
   end,
   function(_, seen) return #seen > 0 and pick(seen) or nil end,
   function(depth, seen)
      local h = tds.Hash()
      for _ = 1, whole(4) - 1 do h[pick(STRINGS)] = depth > 3 and 1 or pick(STRINGS) end
      seen[#seen + 1] = h
      return h
   end,
   function() return tds.Vec { 1, '', 'a', torch.ones(2) } end,
   function() return torch.Generator() end,
   function() return torch.Timer() end,
   function()
      local a, f = whole(9), nil
      f = function(n) return n == 0 and a or f(n - 1) end
      return f
   end,
   function(depth, seen)
      local m = pick { nn.Linear, nn.Identity, nn.Max, nn.MSECriterion, nn.Sequential, nn.BatchNormalization, nn.View }(2, 2)
      seen[#seen + 1] = m
      return depth > 3 and m or fields(m, depth + 1, seen)
   end,
}

--- A value of any kind that a file can hold. @param solid  one that can be a key
function value(depth, seen, solid)
   local v = makers[whole(#makers)](depth, seen)
   if solid and (v == nil or v ~= v) then return 1 end
   return v
end

local print_kept
local function quietly(f, ...)
   print_kept, _G.print = print, function() end
   local ok, a = pcall(f, ...)
   _G.print = print_kept
   return ok, a
end

-- Saves and loads x; where its bytes do not hang on the order of tables as keys, loading them again gives these bytes.
local function there_and_back(x, mode, same_bytes)
   local ok, text = quietly(torch.serialize, x, mode)
   if not ok then return false, 'not saved: ' .. tostring(text) end
   local fine, y = quietly(torch.deserialize, text, mode)
   if not fine then return false, 'saved, and not loaded: ' .. tostring(y) end
   if same_bytes then
      local _, again = quietly(torch.serialize, y, mode)
      if again ~= text then return false, 'another value' end
   end
   return true, y
end

for _, mode in ipairs { 'binary', 'ascii' } do
   describe('what can be saved, ' .. mode, function()
      it('can be loaded, whatever it holds', function()
         local faults, saved = {}, 0
         for i = 1, COUNT do
            draw.seed('saved' .. i)
            local ok, why = there_and_back(value(1, {}), mode)
            if ok then saved = saved + 1 else faults[#faults + 1] = ('%d: %s'):format(i, why) end
         end
         assert(#faults == 0, table.concat(faults, '\n', 1, math.min(#faults, 9)))
         assert.is_true(saved == COUNT)
      end)

      local function refuse_faults(faults)
         assert(#faults == 0, ('%d faults: %s'):format(#faults, table.concat(faults, '\n', 1, math.min(#faults, 9))))
      end

      for _, list in ipairs { 'cases', 'criterion_cases' } do
         it(('can be loaded: test/nn/%s.lua with random fields, used before or not'):format(list), function()
            local faults = {}
            for i, case in ipairs(require('test.support.nn.' .. list)) do
               for turn = 1, TURNS do
                  local m, inputs = drawn.make(case, 1)
                  if turn % 2 == 0 then quietly(m.forward, m, unpack(inputs[1], 1, inputs[1].n or #inputs[1])) end
                  draw.seed(list .. i .. ' ' .. turn)
                  if turn > 2 then fields(m, 3, {}) end
                  local ok, why = there_and_back(m, mode, turn < 3)
                  if not ok then faults[#faults + 1] = ('%s, %d: %s'):format(case.new, turn, why) end
               end
            end
            refuse_faults(faults)
         end)
      end

      it('can be loaded: layers of cudnn, graphs and their nodes with random fields', function()
         local faults, made = {}, 0
         local new = { graph = function()
            local x = nn.Identity()()
            return nn.gModule({ x }, { nn.Tanh()(nn.Linear(2, 2)(x)) })
         end, node = function() return nn.Linear(2, 2)(nn.Identity()()) end }
         for name, class in pairs(cudnn) do
            if torch.getmetatable('cudnn.' .. name) then new[name] = function() return class(2, 2, 2, 2, 2, 2) end end
         end
         for name, f in pairs(new) do
            for turn = 1, pcall(f) and 3 * TURNS or 0 do
               draw.seed(name .. turn)
               local ok, why = there_and_back(fields(f(), 3, {}), mode)
               made = made + 1
               if not ok then faults[#faults + 1] = ('%s, %d: %s'):format(name, turn, why) end
            end
         end
         assert.is_true(made > 20 * TURNS, made)
         refuse_faults(faults)
      end)

      it('can be loaded: models that Torch7 wrote, with random fields', function()
         local path = GOLDEN .. '/data/t7_nn.lua'
         local f = io.open(path, 'rb')
         if not f then return pending('no ' .. path) end
         f:close()
         local faults, met = {}, 0
         for _, case in ipairs(dofile(path).cases) do
            for turn = 1, case.use and TURNS or 0 do
               local m = torch.load(GOLDEN .. '/' .. case.file, case.mode, { unsafe = true })
               draw.seed(case.file .. turn)
               if torch.isTypeOf(m, 'nn.Module') then
                  local ok, why = there_and_back(fields(m, 3, {}), mode)
                  met = met + 1
                  if not ok then faults[#faults + 1] = ('%s, %d: %s'):format(case.file, turn, why) end
               end
            end
         end
         assert.is_true(met > 5, met)
         refuse_faults(faults)
      end)

      it('can be loaded: containers that a file holds in the place of others, whatever their fields', function()
         for _, junk in ipairs { '', 'x', 1, true, {}, torch.ones(1) } do
            for _, new in ipairs { function() return nn.DataParallelTable(1):add(nn.Tanh(), 1) end,
               function() return nn.ModelParallel(2):add(nn.Tanh(), 1) end } do
               local m = new()
               m.writtenAs, m.s = junk, junk
               local ok, why = there_and_back(m, mode)
               assert(ok, why)
            end
         end
      end)

      it('keeps a field running_std that is not from an old file', function()
         for _, junk in ipairs { '', 'x', 1, true, {}, torch.ShortTensor { 3 }, torch.Tensor { 2 } } do
            local m = nn.BatchNormalization(1)
            m.running_std = junk
            local ok, why = there_and_back(m, mode, true)
            assert(ok, why)
         end
      end)
   end)
end
