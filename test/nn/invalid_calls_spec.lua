-- test/nn/invalid_calls_spec.lua - modules and criterions that are created and called with arguments that make no sense.
-- runs once: what modules refuse does not depend on the CPU level
local torch = require 'torch'
local ffi = require 'ffi'
local nn = require 'nn'
local check = require 'test.support.gradcheck'
local drawn = require 'test.support.nn.random_cases'
local junk = require 'test.support.invalid_calls'

local CALLS = tonumber(os.getenv 'TH_BAD_INPUT_CALLS') or 40         -- for each constructor

local cases = require 'test.support.nn.cases'

-- A module and its last form of input; constructors come from `from`.
local function make(case, from)
   local m, inputs = drawn.make(case, 1, from)
   return m, inputs[#inputs][1]
end

-- What stands in the place of one argument of a constructor.
local wrong = {nil, true, 'x', 0, -1, 1.5, 0 / 0, 1 / 0, 2 ^ 31, 2 ^ 53, {}, print, torch.ones(2), torch.Tensor(), torch.tensor(1),
   torch.LongStorage{2, -3}, {torch.ones(2), 'x'}, 5LL, ffi.cast('void *', 0)}
local WRONG = 19

-- Inputs made of a good one: other sizes, other types, nothing.
local function inputs(x)
   local list = {false, true, 3, 0 / 0, 'x', {}, print, {1, 2}, {x}, {x, x, x}, {x, 'y'}, {{x}, {}}, torch.LongStorage{2, 3},
      torch.Tensor(), torch.Tensor(0, 3), torch.tensor(2), torch.ones(1), torch.ones(7), torch.ones(2, 7), torch.ones(3, 1, 7),
      torch.ones(1, 1, 1, 1), torch.ones(1, 1, 1, 1, 1, 1), ffi.cast('void *', 0), torch.LongTensor(4, 3):fill(9), torch.FloatTensor(4, 3):zero(),
      {torch.Tensor(), torch.Tensor()}, {torch.ones(2), torch.ones(3, 4)}, nn.Identity()}
   local function add(v) list[#list + 1] = v end
   for _, kind in ipairs{'Float', 'Long', 'Byte'} do
      add(nn.utils.map(x, function(t) return t:type(('torch.%sTensor'):format(kind)) end))
   end
   local function map(f) add(nn.utils.map(x, f)) end
   map(function(t) return torch.cat(t, t, t:dim()) end)
   map(function(t) return torch.cat(t, t, 1) end)
   map(function(t) return t:narrow(t:dim(), 1, 1) end)
   map(function(t) return t:view(1, 1, 1, t:nElement()) end)
   map(function(t) return t:view(t:nElement()) end)
   map(function(t) return t.new() end)
   if type(x) == 'table' then
      add{x[1]}
      add{x[2], x[1]}
      add{x[1], x[2] and x[2].new and x[2].new()}
   end
   return list
end

local memory = require 'torch.lib'.C.th_memory_of(0)
local calls, refused, kept = 0, 0, nil

-- What is wrong with the message of a refusal; modules inside may speak for those around them.
local function fault_of(why)
   local first = type(why) == 'string' and why:match '^[^\n]*' or why
   return junk.fault('nn', first) or (not first:find 'nn%.%u' and 'the message does not name the module'), first
end

local function faults_in(faults)
   if #faults > 0 then error(('%d faults; the first: %s'):format(#faults, table.concat(faults, '\n', 1, math.min(#faults, 20))), 0) end
end

local function same(a, b)
   if torch.isTensor(a) then return torch.isTensor(b) and a:isSameSizeAs(b) and (a:nElement() == 0 or torch.eq(a, b):all()
      or a:ne(a):equal(b:ne(b))) end
   if type(a) ~= 'table' or torch.typename(a) then return a == b or a ~= a end
   for k, v in pairs(a) do if not same(v, b[k]) then return false end end
   return true
end

describe('junk for nn', function()
   setup(function()
      kept = {print = print, write = io.write, most = memory.most}
      _G.print, io.write = function() end, function() return true end
      memory.most = memory.bytes + 2 ^ 28
   end)
   teardown(function()
      _G.print, io.write = kept.print, kept.write
      memory.most = kept.most
   end)

   it('is refused by constructors', function()
      local faults = {}
      for _, base in ipairs{'nn.Module', 'nn.Criterion'} do
         for _, name in ipairs(check.classes(base)) do
            junk.seed(name)
            for _ = 1, CALLS do
               local no, fault = junk.call('nn', nn[name], 8, {})
               calls, refused = calls + 1, refused + (no and 1 or 0)
               faults[#faults + 1] = fault
            end
         end
      end
      faults_in(faults)
   end)

   it('is refused by constructors in the place of one argument', function()
      local faults = {}
      for _, case in ipairs(cases) do
         local made = {}
         make(case, setmetatable({}, {__index = function(_, name)
            if type(nn[name]) ~= 'table' or not torch.getmetatable('nn.' .. name) then return nn[name] end
            return function(...)
               made[#made + 1] = {name, n = select('#', ...), ...}
               return nn[name](...)
            end
         end}))
         for _, call in ipairs(made) do
            for at = 1, call.n do
               for i = 1, WRONG do
                  local args = {unpack(call, 2, call.n + 1)}
                  args[at] = wrong[i]
                  local ok, why = pcall(nn[call[1]], unpack(args, 1, call.n))
                  local fault = not ok and fault_of(why)
                  calls, refused = calls + 1, refused + (ok and 0 or 1)
                  if fault then faults[#faults + 1] = ('nn.%s, argument %d = %s: %s: %s'):format(call[1], at, tostring(wrong[i]), fault, why) end
               end
            end
         end
      end
      faults_in(faults)
   end)

   it('is refused by forward and backward, which continue as before', function()
      local faults = {}
      for _, case in ipairs(cases) do
         local m, x = make(case)
         local function good()
            torch.manualSeed(11)
            return m:forward(x)
         end
         local y = check.copy(good())
         local function try(what, f, ...)
            local ok, why = pcall(f, m, ...)
            calls, refused = calls + 1, refused + (ok and 0 or 1)
            if not ok then
               local fault, first = fault_of(why)
               if not fault and not same(y, good()) then fault = 'the next output is another' end
               if fault then faults[#faults + 1] = ('%s: %s(%s): %s: %s'):format(case.new, what, nn.utils.shape((...)), fault, first) end
            end
         end
         for _, w in ipairs(inputs(x)) do
            m = make(case)
            try('updateOutput', m.updateOutput, w or nil)
            good()
            try('forward', m.forward, w or nil)
            good()
            try('backward', m.backward, x, w or nil)
            good()
            try('gradInput', m.backward, w or nil, check.copy(m.output))
         end
      end
      faults_in(faults)
   end)

   it('leaves gradInput as it was, where it is refused for a gradient of parts', function()
      local x = torch.range(1, 12):view(3, 4)
      for name, case in pairs{JoinTable = {nn.JoinTable(1), {x, x + 1}}, SplitTable = {nn.SplitTable(1), x},
         Padding = {nn.Padding(1, 2), x}, Narrow = {nn.Narrow(1, 1, 2), x}, Select = {nn.Select(1, 2), x}} do
         local m, input = case[1], case[2]
         local y = m:forward(input)
         m:backward(input, check.copy(y))
         local before, small = check.copy(m.gradInput), nn.utils.map(input, function(t) return t:narrow(1, 1, 2):narrow(2, 1, 2):clone() end)
         m:forward(small)
         for _, g in ipairs{false, 3, 'x', {torch.ones(7), torch.ones(7)}, torch.ones(1, 7), torch.ones(9, 9), torch.Tensor(),
            ffi.cast('void *', 0)} do
            local ok, why = pcall(m.backward, m, small, g or nil)
            assert(not ok and why:find('nn.' .. name, 1, true), ('%s takes %s: %s'):format(name, nn.utils.shape(g), tostring(why)))
            assert(same(before, m.gradInput), name .. ' changed gradInput')
         end
      end
   end)

   it('is no missing target where a criterion has none', function()
      local cost = nn.L1Cost()
      cost.updateOutput = function() error 'abs: out of memory' end
      local _, why = pcall(cost.forward, cost, torch.ones(2))
      assert.matches('out of memory', why)
      assert.not_matches('target', why)
      _, why = pcall(nn.MSECriterion().forward, nn.MSECriterion(), torch.ones(2))
      assert.matches('target must be a tensor, got nil', why)
   end)

   it('is refused by criterions, which continue as before', function()
      local faults, made = {}, 0
      local with = {ClassSimplexCriterion = {3}, WeightedMSECriterion = {torch.ones(2, 3)}, CriterionTable = {nn.MSECriterion()},
         HSM = {{{1, 1}, {2, 1}, {1, 2}}, 3}}
      for _, name in ipairs(check.classes 'nn.Criterion') do
         local ok, c = pcall(nn[name], unpack(with[name] or {}))
         made = made + (ok and 1 or 0)
         local list = inputs(torch.rand(2, 3))
         for i = 1, ok and #list or 0 do
            for _, pair in ipairs{{list[i], list[i]}, {list[i], torch.ones(2, 3)}, {torch.ones(2, 3), list[i]}, {{list[i], list[i]}, 1}} do
               for _, pass in ipairs{'forward', 'backward'} do
                  local fine, why = pcall(c[pass], c, pair[1] or nil, pair[2] or nil)
                  local fault = not fine and fault_of(why)
                  calls, refused = calls + 1, refused + (fine and 0 or 1)
                  if fault then
                     faults[#faults + 1] = ('nn.%s: %s(%s, %s): %s: %s'):format(name, pass, nn.utils.shape(pair[1]),
                        nn.utils.shape(pair[2]), fault, why)
                  end
               end
            end
         end
      end
      assert.is_true(made > 20)
      faults_in(faults)
      local c, x = nn.MSECriterion(), torch.ones(2, 3)
      local loss = c:forward(x, x:clone():zero())
      assert.is_false(pcall(c.forward, c, x, 'x'))
      assert.equal(loss, c:forward(x, x:clone():zero()))
   end)

   it('is refused in the name of the layer when it is a 64-bit number or a struct', function()
      local struct = require 'ffi'.new 'struct { int x; }'
      for name, value in pairs { Dropout = 0.5, PReLU = 1, Reshape = 3, Squeeze = 1, VolumetricDropout = 0.5 } do
         for _, junk_value in ipairs { 5LL, struct } do
            local m = nn[name](value)
            for _, pass in ipairs { 'forward', 'backward', 'updateGradInput' } do
               local ok, why = pcall(m[pass], m, torch.rand(1, 3), junk_value)
               assert.is_true(ok or why:find('nn.' .. name, 1, true) ~= nil, tostring(why))
               assert.is_true(ok or not why:find 'has no member', tostring(why))
            end
         end
      end
   end)

   it('is refused in the same words wherever nn is installed, in folders with long names too', function()
      local base = os.tmpname()
      os.remove(base)
      local th = os.getenv 'TH' or 'build/bin/th'
      local program = "package.path = '%s/?.lua;%s/?/init.lua;' .. package.path; require 'nn'; local c = nn.ClassNLLCriterion(); "
         .. "io.write(debug.getinfo(c.updateOutput).source, ' ', select(2, pcall(c.updateGradInput, c, 5LL, 1)))"
      for length = 1, 45 do
         local folder = base .. '/' .. ('d'):rep(length)
         os.execute(("mkdir -p '%s' && ln -s \"$PWD/nn\" '%s/nn'"):format(folder, folder))
         local f = io.popen(("'%s' -e \"%s\" 2>&1"):format(th, program:format(folder, folder)))
         local said = f:read '*a'
         f:close()
         assert.is_not_nil(said:find('@' .. folder .. '/nn', 1, true), said)
         assert.is_not_nil(said:find('nn.ClassNLLCriterion: input and target must have types and sizes that it accepts', 1, true), said)
      end
      os.execute(("rm -rf '%s'"):format(base))
   end)

   it('is thousands of calls, of which many are refused', function()
      assert.is_true(refused > calls / 4, refused)
      kept.print(('%d calls of nn, %d refused'):format(calls, refused))
   end)
end)
