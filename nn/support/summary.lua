-- nn/support/summary.lua - nn.summary: the layers of a net, the sizes of their outputs, parameters.
local torch = require 'torch'
local nn = require 'nn'
local arg = require 'torch.arg'
local columns = require 'torch.columns'
local dtype = require 'torch.dtype'
local utils = require 'nn.utils'

local WIDEST = 44                             -- characters of a layer in the table
local DEEPEST = 100                           -- of containers in containers

local function refuse(text, ...) utils.fail(('nn.summary: ' .. text):format(...)) end

local function is_plain(x) return type(x) == 'table' and not torch.typename(x) end

-- ---- the input ----------------------------------------------------------------------------------

local WANTED = 'sizes, a LongStorage, a tensor, or a list of these'

-- A list of sizes, checked.
local function sizes_of(list)
   local sizes, total = {}, 1
   for i = 1, #list do
      local n = tonumber(list[i])
      if type(list[i]) == 'string' or not n or not (n >= 1 and n % 1 == 0 and n < math.huge) then
         refuse('size %d of inputSize must be a whole number of at least 1, got %s', i,
            arg.describe(list[i]))
      end
      sizes[i], total = n, total * n
   end
   if total >= 2 ^ 53 then
      refuse('inputSize must have fewer than 2^53 elements, got %s', table.concat(sizes, 'x'))
   end
   return sizes
end

-- How many entries a list has; nil for a table with other keys.
local function length_of(list)
   local n = 0
   for _ in pairs(list) do n = n + 1 end
   return n == #list and n or nil
end

-- inputSize as {sizes = list}, {tensor = t} or {list = of these}.
local function form_of(x, depth)
   if torch.isTensor(x) then return { tensor = x } end
   if torch.isStorage(x) and torch.type(x) == 'torch.LongStorage' and #x > 0 then
      return { sizes = sizes_of(x:totable()) }
   end
   if not is_plain(x) or not length_of(x) or #x == 0 then
      local got = is_plain(x) and 'a table that is no such list' or arg.describe(x)
      refuse('inputSize must be %s, got %s', WANTED, got)
   end
   if depth > DEEPEST then refuse('inputSize must have fewer than %d lists in lists', DEEPEST) end
   if type(x[1]) == 'number' then return { sizes = sizes_of(x) } end
   local list = {}
   for i, part in ipairs(x) do list[i] = form_of(part, depth + 1) end
   return { list = list }
end

local function has_sizes(form)
   if form.sizes then return true end
   for _, part in ipairs(form.list or {}) do
      if has_sizes(part) then return true end
   end
   return false
end

-- The input: ones for sizes, which are valid indices too, behind a batch of one sample if `batch`;
-- copies of tensors, those of floats in the type of the net.
local function make(form, kind, batch)
   if form.list then
      local list = {}
      for i, part in ipairs(form.list) do list[i] = make(part, kind, batch) end
      return list
   elseif form.tensor then
      local t = form.tensor:clone()
      if dtype.is_float(t._dtype) then return t:type(kind) end
      return t:type() == 'torch.LongTensor' and t:type(utils.longType(kind)) or t
   end
   local sizes = batch and { 1, unpack(form.sizes) } or form.sizes
   local ok, x = pcall(function()
      return torch.Tensor():type(kind):resize(torch.LongStorage(sizes)):fill(1)
   end)
   if not ok then
      local text = table.concat(sizes, 'x')
      refuse('inputSize must fit into memory, got %s: %s', text, x:gsub('^%S+:%d+: ', ''))
   end
   return x
end

-- '1x28x28', or '{1x28x28, 5}' of a list.
local function text_of(x)
   if torch.isTensor(x) then return utils.shape(x) end
   if not is_plain(x) then return torch.type(x) end
   local parts = {}
   for k, v in pairs(x) do
      local name = type(k) == 'number' and '' or tostring(k) .. ' = '
      parts[#parts + 1] = name .. text_of(v)
   end
   return '{' .. table.concat(parts, ', ') .. '}'
end

-- {1, 28, 28}, or a table of such lists.
local function sizes_in(x)
   if torch.isTensor(x) then return x:size():totable() end
   local t = {}
   if is_plain(x) then
      for k, v in pairs(x) do t[k] = sizes_in(v) end
   end
   return t
end

-- ---- rows ---------------------------------------------------------------------------------------

-- The first line of a layer's text, at most WIDEST characters.
local function label_of(m)
   local ok, text = pcall(tostring, m)
   text = ok and not text:find '\n' and text or torch.typename(m)
   return #text > WIDEST and text:sub(1, WIDEST - 3) .. '...' or text
end

-- Rows in the order of the containers: { path, name, type, depth, module }.
local function rows_of(net)
   local rows, open = {}, {}
   local function walk(m, path, depth)
      if open[m] then refuse('net must not hold itself, got %s, which does', torch.typename(m)) end
      if depth > DEEPEST then
         refuse('net must have fewer than %d containers in containers', DEEPEST)
      end
      local row = { path = path, type = torch.typename(m), depth = depth, module = m }
      rows[#rows + 1] = row
      row.name = type(m.modules) == 'table' and row.type or label_of(m)
      if type(m.modules) ~= 'table' then return end
      open[m] = true
      for i, child in ipairs(m.modules) do
         walk(child, path == '' and tostring(i) or path .. '.' .. i, depth + 1)
      end
      open[m] = nil
   end
   walk(net, '', 0)
   return rows
end

local function key_of(t)
   local storage = t:storage()
   return storage and ('%s %s %s'):format(torch.pointer(storage), t:storageOffset(), t:nElement())
end

local function parameters_of(m)
   local list = {}
   for _, t in ipairs(m.parameters and m:parameters() or {}) do
      if torch.isTensor(t) and t:nElement() > 0 then list[#list + 1] = t end
   end
   return list
end

-- The type of a net's numbers. A container that was never converted may have another type than its
-- layers.
local function type_of(net)
   for _, p in ipairs(parameters_of(net)) do
      if dtype.is_float(p._dtype) then return p:type() end
   end
   return net:type() or torch.getdefaulttensortype()
end

-- The rows without those inside of a layer that computes by itself: it ran, and nothing inside did.
local function visible(rows, log)
   local list, at = {}, 1
   while at <= #rows do
      local row, last, ran = rows[at], at, false
      while rows[last + 1] and rows[last + 1].depth > row.depth do
         last = last + 1
         ran = ran or #log[rows[last].module] > 0
      end
      list[#list + 1] = row
      local alone = last > at and #log[row.module] > 0 and not ran
      if alone then row.closed = true end
      at = alone and last + 1 or at + 1
   end
   return list
end

-- Counts the parameters that a module has apart from those of the modules inside. In the totals,
-- shared ones count once.
local function count_parameters(rows, totals)
   local known = {}
   for _, row in ipairs(rows) do
      local inside = {}
      for _, child in ipairs(not row.closed and row.module.modules or {}) do
         for _, t in ipairs(parameters_of(child)) do inside[key_of(t)] = true end
      end
      row.parameters = 0
      for _, t in ipairs(parameters_of(row.module)) do
         local key = key_of(t)
         if not inside[key] then
            row.parameters, row.shared = row.parameters + t:nElement(), known[key] or row.shared
            if not known[key] then
               totals.parameters = totals.parameters + t:nElement()
               totals.parameterBytes = totals.parameterBytes + t:nElement() * t:elementSize()
            end
            known[key] = true
         end
      end
   end
end

-- ---- the forward pass ---------------------------------------------------------------------------

-- f(tensor) for each tensor with memory in a nested table.
local function each(x, f)
   if torch.isTensor(x) then
      if x:nElement() > 0 and x:storage() then f(x) end
   elseif is_plain(x) then
      for _, v in pairs(x) do each(v, f) end
   end
end

-- Makes every module record the form of what it returns: log[module] has an entry for each call.
local function watch(rows, log)
   for _, row in ipairs(rows) do
      local m = row.module
      if not log[m] then
         local own, calls = m.updateOutput, {}
         log[m] = calls
         m.updateOutput = function(self, input, ...)
            local ok, y = pcall(own, self, input, ...)
            if not ok then
               log.failure = log.failure or { row = row, input = text_of(input), why = y }
               error(y, 0)
            end
            log.done = log.done + 1
            calls[#calls + 1] = { output = text_of(y), size = sizes_in(y) }
            each(y, function(t)
               local storage = t:storage()
               log.storages[torch.pointer(storage)] = storage   -- a held storage keeps its address
            end)
            return y
         end
      end
   end
end

-- Runs a copy of the net in evaluation mode.
local function try(net, form, kind, batch)
   local copy = net:clone()
   local rows, log = rows_of(copy), { storages = {}, done = 0 }
   copy:evaluate()
   copy:apply(function(m)                     -- the state of a sequence may have another batch
      if m.resetStates then m:resetStates() end
   end)
   local input = make(form, kind, batch)
   watch(rows, log)
   local ok, why = pcall(copy.forward, copy, input)
   if not ok and type(why) == 'string' and why:find 'interrupted' then error(why, 0) end
   return { ok = ok, why = why, rows = rows, log = log, input = text_of(input), given = input }
end

local function keeping_random_numbers(f)
   local cutorch = package.loaded.cutorch
   local devices = cutorch and cutorch.getDeviceCount() > 0
   local state, other = torch.getRNGState(), devices and cutorch.getRNGState()
   local ok, result = pcall(f)
   torch.setRNGState(state)
   if devices then cutorch.setRNGState(other) end
   if not ok then error(result, 0) end
   return result
end

local function fail(run)
   local failure = run.log.failure
   if not failure then refuse('the net fails: %s', tostring(run.why)) end
   local row, why = failure.row, tostring(failure.why):match '^[^\n]*':gsub('^%S+:%d+: ', '')
   local place = row.path == '' and 'the net' or 'layer ' .. row.path
   refuse('%s, %s, refuses an input of %s: %s', place, row.type, failure.input, why)
end

-- ---- the table ----------------------------------------------------------------------------------

local function table_text(t)
   local lines = { { 'layer', 'output', 'parameters' } }
   for i, row in ipairs(t) do
      local number = row.path:match '%d+$'
      local name = ('  '):rep(row.depth) .. (number and number .. ' ' or '') .. row.name
      local count = row.parameters > 0 and columns.grouped(row.parameters) or ''
      if row.shared then count = count .. ' (shared)' end
      lines[i + 1] = { name, row.output or '-', count }
   end
   local out = columns.lines(lines, 3)
   out[#out + 1] = ('input %s; parameters %s (%s, %s); outputs %s'):format(t.input,
      columns.grouped(t.parameters), columns.bytes(t.parameterBytes), t.type,
      columns.bytes(t.outputBytes))
   return table.concat(out, '\n')
end

local Summary = { __tostring = table_text }

-- The object of a run that succeeded.
local function report(run, kind)
   local t = { input = run.input, type = kind, parameters = 0, parameterBytes = 0, outputBytes = 0 }
   local rows = visible(run.rows, run.log)
   count_parameters(rows, t)
   local storages = run.log.storages
   each(run.given, function(x) storages[torch.pointer(x:storage())] = nil end)
   for _, p in ipairs(parameters_of(run.rows[1].module)) do
      storages[torch.pointer(p:storage())] = nil
   end
   for _, storage in pairs(storages) do
      t.outputBytes = t.outputBytes + #storage * storage:elementSize()
   end
   local used = {}
   for i, row in ipairs(rows) do
      local m, calls = row.module, run.log[row.module]
      used[m] = math.min((used[m] or 0) + 1, math.max(1, #calls))
      local call = calls[used[m]] or {}
      t[i] = { path = row.path, name = row.name, type = row.type, depth = row.depth,
         output = call.output, size = call.size, parameters = row.parameters,
         shared = row.shared or false }
   end
   return setmetatable(t, Summary)
end

--- The layers of a net, with the sizes of their outputs for an input, and their parameters, as an
-- object that prints as a table. A copy of the net computes in evaluation mode. The net, its
-- running statistics, its outputs and the state of the random numbers do not change.
-- Entry i of the result is a layer. A container comes before what it holds.
-- An entry has `path` ('2.1': the first layer of the second), `name`, `type` and `depth`.
-- Its `size` is a list, or a table of lists, and `output` the same as text. A layer that did not
-- run has neither. `parameters` of a container do not count those of its layers. `shared` is true
-- where an earlier layer has them too.
-- The result has `parameters`, `parameterBytes`, `outputBytes`, `input` and `type`.
-- Shared parameters count once. `outputBytes` is the memory of all outputs; views and layers that
-- work in place take none.
-- @param net        a module
-- @param inputSize  a tensor, sizes, or a list of these. Sizes may have the dimension of the batch,
--                   such as {1, 28, 28} or a LongStorage. They stand for ones in the net's type.
-- @return the object; errors name the layer that refuses its input
-- net = nn.Sequential():add(nn.Linear(3, 5)):add(nn.Tanh()); nn.summary(net, {3}).parameters --> 20
function nn.summary(net, inputSize)
   if not torch.isTypeOf(net, 'nn.Module') then
      refuse('net must be a module, got %s', arg.describe(net))
   end
   rows_of(net)
   local kind, form = type_of(net), form_of(inputSize, 1)
   local run = keeping_random_numbers(function()
      local first = try(net, form, kind, false)
      if first.ok or not has_sizes(form) then return first end
      local second = try(net, form, kind, true)
      if second.ok or second.log.done > first.log.done then return second end
      return first
   end)
   if not run.ok then fail(run) end
   return report(run, kind)
end
