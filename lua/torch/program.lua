-- torch.program - what torch.pointwise makes of a function: for each kind of arguments a plan,
-- which runs programs of its ops.
--
-- A plan is a list of stages. A stage is one program, all of whose values have one pattern, or a
-- sum over broadcast dimensions, which only gradients have. Where a program cannot run, the ops
-- of its stage run one by one.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local op = require 'torch.op'
local arg = require 'torch.arg'
local symbol = require 'torch.symbol'
local C, is_tensor = lib.C, arg.is_tensor

local M = {}

local MOST_PLANS = 64                        -- of a function; numbers are part of a plan
local program_t = ffi.typeof 'th_program'

-- ---- from a trace to stages
-- -------------------------------------------------------------------------------------------------

-- The values that results need, in their order.
local function needed_by(trace)
   local needed, list = {}, {}
   for i = 1, trace.n do
      if type(trace.results[i]) == 'table' then needed[trace.results[i]] = true end
   end
   for i = #trace.values, 1, -1 do
      local v = trace.values[i]
      if needed[v] and not v.argument then
         for _, o in ipairs(v.operands) do needed[o] = true end
         table.insert(list, 1, v)
      end
   end
   return list
end

-- Values of one pattern that need no value of another pattern in between are one stage.
local function stages_of(list)
   local level, stages, at = {}, {}, {}
   for _, v in ipairs(list) do
      local mine = 1
      for _, o in ipairs(v.operands) do
         if not o.argument then
            mine = math.max(mine, (o.pattern == v.pattern and not o.sum and not v.sum) and level[o]
               or level[o] + 1)
         end
      end
      level[v] = mine
      local key = v.sum and v or mine .. v.pattern
      if not at[key] then
         at[key] = { level = mine, order = #stages, sum = v.sum and v, values = {} }
         stages[#stages + 1] = at[key]
      end
      table.insert(at[key].values, v)
   end
   table.sort(stages, function(a, b)
      if a.level ~= b.level then return a.level < b.level end
      return a.order < b.order
   end)
   return stages
end

-- The program of a stage, with the lists of values that are its inputs and its results.
-- nil: it is too large.
local function program_of(stage, used_later)
   local p, at, inputs, outputs = program_t(), {}, {}, {}
   local inside = {}
   for _, v in ipairs(stage.values) do inside[v] = true end
   for _, v in ipairs(stage.values) do
      for _, o in ipairs(v.operands) do
         if not inside[o] and not at[o] then
            inputs[#inputs + 1] = o
            at[o] = #inputs - 1
            if #inputs > C.TH_PROGRAM_INPUTS then return nil end
            p.dtype[#inputs - 1] = o.made
         end
      end
   end
   if #stage.values > C.TH_PROGRAM_STEPS then return nil end
   local numbers = 0
   for k, v in ipairs(stage.values) do
      local s = p.step[k - 1]
      at[v] = #inputs + k - 1
      s.op, s.dtype, s.made = v.op, v.dtype, v.made
      for i = 0, 2 do s.value[i] = v.operands[i + 1] and at[v.operands[i + 1]] or -1 end
      for i = 0, 1 do
         s.number[i] = -1
         if v.numbers[i + 1] then
            if numbers == C.TH_PROGRAM_NUMBERS then return nil end
            p.number[numbers], s.number[i] = v.numbers[i + 1], numbers
            numbers = numbers + 1
         end
      end
      if used_later[v] then
         if #outputs == C.TH_PROGRAM_OUTPUTS then return nil end
         p.output[#outputs] = at[v]
         outputs[#outputs + 1] = v
      end
   end
   if #inputs + #outputs > C.TH_MAXARG then return nil end
   p.ninput, p.nstep, p.noutput, p.nnumber = #inputs, #stage.values, #outputs, numbers
   return p, inputs, outputs
end

local function plan_of(trace)
   local list = needed_by(trace)
   local stages, stage_of, used_later = stages_of(list), {}, {}
   for _, stage in ipairs(stages) do for _, v in ipairs(stage.values) do stage_of[v] = stage end end
   for _, v in ipairs(list) do
      for _, o in ipairs(v.operands) do
         if stage_of[o] ~= stage_of[v] then used_later[o] = true end
      end
   end
   for i = 1, trace.n do
      if type(trace.results[i]) == 'table' then used_later[trace.results[i]] = true end
   end
   for _, stage in ipairs(stages) do
      if not stage.sum then
         stage.program, stage.inputs, stage.outputs = program_of(stage, used_later)
      end
   end
   return { stages = stages, mixed = trace.mixed, results = trace.results, n = trace.n,
      variables = trace.variables, given = trace.given }
end

-- ---- running ------------------------------------------------------------------------------------

local done = ffi.new 'int[1]'
local xs, ys = ffi.new 'th_tensor *[12]', ffi.new 'th_tensor *[8]'

-- The ops of a stage, one by one.
local function run_ops(stage, tensors)
   for _, v in ipairs(stage.values) do
      local given, n, numbers = {}, 0, 0
      local operands = 0
      for _, a in ipairs(v.form.args) do
         if a.word == 'number' then
            n, numbers = n + 1, numbers + 1
            given[n] = v.numbers[numbers]
         elseif a.word == 'tensor' then
            n, operands = n + 1, operands + 1
            given[n] = tensors[v.operands[operands]]
         end
      end
      tensors[v] = op.func(v.name)(unpack(given, 1, n))
   end
end

local function start(stage, tensors, made)
   for i, v in ipairs(stage.inputs) do xs[i - 1] = tensors[v] end
   for i = 1, #stage.outputs do ys[i - 1] = made[i] end
   return C.th_program_run(done, stage.program, ys, xs)
end

local function run_stage(stage, tensors)
   if stage.sum then
      tensors[stage.sum] = require('torch.derivative').sum_to_size(tensors[stage.sum.operands[1]],
         M.size_of(stage.sum.pattern))
      return
   end
   if not stage.program then return run_ops(stage, tensors) end
   local made = {}
   for i = 1, #stage.outputs do made[i] = lib.new() end
   local status = start(stage, tensors, made)
   if status == C.TH_ENOMEM then
      collectgarbage()
      collectgarbage()
      status = start(stage, tensors, made)
   end
   lib.check(status, 4)
   if done[0] == 0 then return run_ops(stage, tensors) end
   for i, v in ipairs(stage.outputs) do tensors[v] = made[i] end
end

-- ---- the arguments of a call --------------------------------------------------------------------

-- Of the running call, by dimension from the last one, 1-based; 1 where all are 1.
local sizes = {}

--- The sizes of a pattern in the running call.
function M.size_of(pattern)
   local out = {}
   for d = 1, #pattern do out[d] = pattern:byte(d) == 110 and sizes[#pattern - d + 1] or 1 end
   return out
end

local function count(pattern)
   local n = 1
   for _, size in ipairs(M.size_of(pattern)) do n = n * size end
   return n
end

-- The pattern of a tensor. nil if its sizes do not agree with those of the tensors before it.
local function pattern_of(x)
   local pattern, n = '', x._ndim
   for d = 0, n - 1 do
      local size, from_last = tonumber(x._size[d]), n - d
      if size == 1 then
         pattern = pattern .. '1'
      else
         local other = sizes[from_last]
         if size == 0 or other and other ~= size then return nil end
         sizes[from_last] = size
         pattern = pattern .. 'n'
      end
   end
   return pattern
end

-- What a plan depends on, as text, and the arguments for a trace. nil: f must run as it is.
local function key_of(n, given)
   local key, device = {}, nil
   for d in pairs(sizes) do sizes[d] = nil end
   for i = 1, n do
      local x = given[i]
      if is_tensor(x) then
         local pattern = pattern_of(x)
         if not pattern or x._dtype == 0 or device and device ~= x._device then return nil end
         device = x._device
         key[i] = 'tensor' .. x._dtype .. pattern
      elseif type(x) == 'number' then
         key[i] = ('%.17g'):format(x)
      elseif type(x) == 'string' then
         key[i] = #x .. ':' .. x
      elseif type(x) == 'boolean' or x == nil then
         key[i] = tostring(x)
      else
         arg.refuse('torch.pointwise', 'argument ' .. i,
            'a tensor, a number, a string or a boolean', x, 4)
      end
   end
   if not device then return nil end
   return table.concat(key, ' ')
end

local function arguments_of(n, given)
   local out = {}
   for i = 1, n do
      local x = given[i]
      out[i] = x
      if is_tensor(x) then out[i] = { made = x._dtype, pattern = pattern_of(x), argument = i } end
   end
   return out
end

-- The results of a call. Variables of f that hold one value, as x:clone() does, are separate
-- tensors.
local function results_of(plan, tensors)
   local out, result_of, seen = {}, {}, {}
   for i = 1, plan.n do
      local value, variable = plan.results[i], plan.variables[i]
      if variable and not result_of[variable] then
         local is_copy = variable > plan.given and (seen[value] or value.argument)
         result_of[variable] = is_copy and tensors[value]:clone() or tensors[value]
         seen[value] = true
      end
      if variable then out[i] = result_of[variable] else out[i] = value end
   end
   return unpack(out, 1, plan.n)
end

-- ---- functions ----------------------------------------------------------------------------------

-- The plan for these arguments; nil: f must run as it is.
local function find(self, n, given)
   local key = key_of(n, given)
   local plan = key and self.plans[key]
   if key and plan == nil then
      local trace = symbol.trace(self.f, arguments_of(n, given), n)
      plan = trace and plan_of(trace) or false
      if plan then
         plan.arguments = {}
         for _, v in ipairs(trace.values) do
            if v.argument then plan.arguments[v.argument] = v end
         end
      end
      if self.count == MOST_PLANS then self.plans, self.count = {}, 0 end
      self.plans[key], self.count = plan, self.count + 1
   end
   if not plan then return nil end
   for _, pair in ipairs(plan.mixed) do
      -- Ops do not broadcast tensors of equal count.
      if count(pair[1]) == count(pair[2]) then return nil end
   end
   return plan
end

local function call(self, ...)
   if op.symbols.holds(...) then return self.f(...) end
   if op.taped and op.taped.holds(...) then return op.taped.pointwise(self, ...) end
   local n, given, tensors = select('#', ...), { ... }, {}
   local plan = find(self, n, given)
   if not plan then return self.otherwise(...) end
   for i, v in pairs(plan.arguments) do tensors[v] = given[i] end
   for _, stage in ipairs(plan.stages) do run_stage(stage, tensors) end
   return results_of(plan, tensors)
end

--- @param f          is traced
-- @param otherwise  runs where f cannot be traced (default: f)
function M.new(f, otherwise)
   local self = { f = f, otherwise = otherwise or f, plans = {}, count = 0 }
   self.call = function(...) return call(self, ...) end
   return self
end

return M
