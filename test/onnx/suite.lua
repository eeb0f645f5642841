-- test/onnx/suite.lua - runs ONNX's backend tests: th test/onnx/suite.lua FOLDER [-v] [pattern].
--
-- FOLDER is onnx/backend/test/data/node of the onnx package, or another folder of its kind; each test has a model and folders
-- test_data_set_N with inputs and outputs. A test passes if each output has the type, the shape and, within rtol 1e-3 and atol
-- 1e-7, the values of the file: the rules of ONNX's runner. `light` networks have one file each for the model and its output.
local torch = require 'torch'
local paths = require 'paths'
local onnx = require 'onnx'
local decode = require 'onnx.decode'
local types = require 'onnx.types'

local folder, verbose, pattern = nil, false, nil
for _, a in ipairs(arg) do
   if a == '-v' then verbose = true elseif not folder then folder = a else pattern = a end
end
if not folder then error('usage: th test/onnx/suite.lua FOLDER [-v] [pattern]', 0) end

local RTOL, ATOL = 1e-3, 1e-7

-- ---- comparison ----------------------------------------------------------------------------------------------------

local function differ(text, ...) error(text:format(...), 0) end

local function compare_tensors(got, want, name, where, rtol, atol)
   local a, b = types.shape(got), types.shape(want)
   if not types.same_shape(a, b) then
      differ('%s has the shape %s, not %s', where, types.shape_text(a), types.shape_text(b))
   end
   if name == 'string' then
      for i = 1, #want do if got[i] ~= want[i] then differ("%s: string %d is '%s', not '%s'", where, i, got[i], want[i]) end end
      return
   end
   local x, y = types.numbers(got), types.numbers(want)
   local worst, at = 0, nil
   for i = 1, #y do
      local u, v = x[i], y[i]
      local equal = u == v or u ~= u and v ~= v
      if not equal then
         local off = math.abs(u - v) - (atol + rtol * math.abs(v))
         if (off > 0 or off ~= off) and (at == nil or off > worst) then worst, at = off, i end
      end
   end
   if at then differ('%s: element %d of %d is %.9g, not %.9g', where, at, #y, x[at], y[at]) end
end

local function compare(got, want, got_type, want_type, where, rtol, atol)
   if got == nil and want == nil then return end
   if got == nil or want == nil then differ('%s is %s, not %s', where, tostring(got), tostring(want)) end
   local inner = want_type:match '^optional%((.*)%)$'
   if inner then return compare(got, want, got_type and got_type:match '^optional%((.*)%)$' or got_type, inner, where, rtol,
      atol) end
   inner = want_type:match '^seq%((.*)%)$'
   if inner then
      local mine = got_type and got_type:match '^seq%((.*)%)$'
      if type(got) ~= 'table' or #got ~= #want then differ('%s has %s elements, not %d', where, tostring(#got), #want) end
      for i = 1, #want do compare(got[i], want[i], mine, inner, where .. '[' .. i .. ']', rtol, atol) end
      return
   end
   if got_type ~= want_type then differ('%s has the type %s, not %s', where, tostring(got_type), want_type) end
   compare_tensors(got, want, want_type, where, rtol, atol)
end

-- ---- tests ---------------------------------------------------------------------------------------------------------

local function read(file, kind)
   kind = kind or ''
   local message = kind:sub(1, 4) == 'seq(' and 'SequenceProto' or kind:sub(1, 9) == 'optional(' and 'OptionalProto'
      or 'TensorProto'
   return decode.file(file, message)
end

local function tolerances(dir)
   local rtol, atol, f = RTOL, ATOL, io.open(dir .. '/data.json')
   if f then
      local text = f:read '*a'
      f:close()
      rtol = tonumber(text:match '"rtol"%s*:%s*([%d.eE+-]+)') or rtol
      atol = tonumber(text:match '"atol"%s*:%s*([%d.eE+-]+)') or atol
   end
   return rtol, atol
end

local function data_set(model, dir, rtol, atol)
   local x = {}
   for i, input in ipairs(model.inputs) do
      local file = ('%s/input_%d.pb'):format(dir, i - 1)
      if paths.filep(file) then x[input.name] = read(file, input.type) end
   end
   model:forward(x)                                           -- records the plan of memory, which the second run uses
   local y = model:forward(x)
   for i, output in ipairs(model.outputs) do
      local got = y
      if #model.outputs > 1 then got = y[output.name] end
      local file = ('%s/output_%d.pb'):format(dir, i - 1)
      local want, name = read(file, output.type)
      compare(got, want, output.type, name, 'output ' .. i, rtol, atol)
   end
end

local function run_test(dir)
   local model = onnx.load(dir .. '/model.onnx')
   local rtol, atol = tolerances(dir)
   local k = 0
   while paths.dirp(('%s/test_data_set_%d'):format(dir, k)) do
      data_set(model, ('%s/test_data_set_%d'):format(dir, k), rtol, atol)
      k = k + 1
   end
   if k == 0 then error('it has no data', 0) end
   return model
end

-- The input of a light network: its values do not matter, because the weights are equal numbers.
local function run_light(path)
   local model = onnx.load(path)
   local x = {}
   for _, input in ipairs(model.inputs) do
      local n = types.count(input.shape)
      local t = torch.range(0, n - 1):div(n):float()
      x[input.name] = types.view(t, input.shape)
   end
   model:forward(x)
   local y = model:forward(x)
   local want, name = read((path:gsub('%.onnx$', '_output_0.pb')))
   compare(y, want, model.outputs[1].type, name, 'output 1', RTOL, ATOL)
end

local function op_of(dir, why)
   return why:match '%(([%w_.]+)%):' or why:match 'these ops are not here: ([%w_.]+)' or dir:match 'test_([%w]+)' or '?'
end

local passed, failed, left_out, by_op, ops = 0, 0, 0, {}, {}
local names = {}
for name in paths.files(folder) do
   if name:sub(1, 1) ~= '.' and (not pattern or name:find(pattern)) then names[#names + 1] = name end
end
table.sort(names)
for _, name in ipairs(names) do
   local path = folder .. '/' .. name
   local test = paths.filep(path .. '/model.onnx') and run_test or name:find '%.onnx$' and run_light
   if test then
      local ok, why = xpcall(function() test(path) end, function(e) return verbose and type(e) == 'string'
         and debug.traceback(e) or e end)
      if ok then passed = passed + 1
      else
         failed = failed + 1
         why = tostring(why):gsub('onnx%.load: ' .. path:gsub('%p', '%%%0') .. '/?[%w_.]*: ', '')
         local op = op_of(name, why)
         if not by_op[op] then by_op[op], ops[#ops + 1] = {}, op end
         table.insert(by_op[op], ('  %s: %s'):format(name, why))
      end
      collectgarbage('step', 200)
   elseif paths.dirp(path) and name:sub(1, 1) ~= '.' then
      left_out = left_out + 1
   end
end
table.sort(ops, function(a, b) return #by_op[a] > #by_op[b] or #by_op[a] == #by_op[b] and a < b end)
for _, op in ipairs(ops) do
   print(('%s: %d'):format(op, #by_op[op]))
   for _, line in ipairs(by_op[op]) do print(line) end
end
print(('onnx %s tests: %d passed, %d failed, %d left out of %d'):format(folder:match '([%w_-]+)/*$' or 'node', passed, failed,
   left_out,
   passed + failed + left_out))
