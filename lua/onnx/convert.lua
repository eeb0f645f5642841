-- lua/onnx/convert.lua - the program th-convert: a net in a file of Torch7 becomes a file of ONNX, or of its parameters.
local torch = require 'torch'
local nn = require 'nn'
local paths = require 'paths'
local onnx = require 'onnx'
local old = require 'onnx.old'
local guess = require 'onnx.guess'
local context = require 'onnx.export.context'

local M = {}

local USAGE = [[
usage: th-convert [options] OLD.t7 NEW
Converts a net that Torch7 or Cresset has saved. The extension of NEW says to what: .onnx the net;
.safetensors, .npz or .pt its parameters and running means, by the places of their modules.
  -input SIZES     of an example, such as 2x3x224x224; several inputs are separated by commas, and
                   whole numbers are marked, as in 2x10:long. Default: a guess from the first layers
  -field NAME      which entry of the file is the net, such as model or a.b; default: the only net
  -opset N         version of the operators, 13..20 (default 17)
  -type KIND       of weights and inputs: float (default), double or half
  -fixed           fixed sizes; default: any number of samples where the net permits
  -external BYTES  weights of a larger file are in NEW.data (default: just below 2 GiB)
  -ascii           OLD is a text file (default: found out)
  -list            print the layers and what cannot be converted; NEW may be left out
  -q               print nothing but errors
  -h               this help
Code in OLD is never run. The net is converted as in evaluation mode.
]]

local function stop(text, ...) error({ message = select('#', ...) > 0 and text:format(...) or text }, 0) end

-- ---- the command line ----------------------------------------------------------------------------------------------

local WITH_VALUE = { input = true, field = true, opset = true, type = true, external = true }
local ALONE = { fixed = true, ascii = true, list = true, q = true, h = true }

local function read_arguments(args)
   local o, files, i = {}, {}, 1
   while args[i] do
      local name = args[i]:match '^%-%-?(%a+)$'
      if name == 'help' then name = 'h' end
      if name and WITH_VALUE[name] then
         if args[i + 1] == nil then stop('%s needs a value; th-convert -h shows the options', args[i]) end
         o[name] = args[i + 1]
         i = i + 1
      elseif name and ALONE[name] then
         o[name] = true
      elseif args[i]:sub(1, 1) == '-' and #args[i] > 1 then
         stop('%s is no option; th-convert -h shows them', args[i])
      else
         files[#files + 1] = args[i]
      end
      i = i + 1
   end
   o.from, o.to = files[1], files[2]
   if not o.h and (#files > 2 or not o.from or not o.to and not o.list) then
      stop('needs the names of two files, got %d; th-convert -h shows the options', #files)
   end
   for _, name in ipairs { 'opset', 'external' } do
      if o[name] then o[name] = tonumber(o[name]) or stop('-%s must be a number, got %s', name, o[name]) end
   end
   return o
end

-- '2x3x8x8,2x10:long' -> a tensor, or a list of them.
local function read_input(text, float)
   local list = {}
   for part in (text .. ','):gmatch '([^,]*),' do
      local digits, kind = part:match '^([%dx]+)(.*)$'
      if not digits or kind ~= '' and kind ~= ':long' or digits:find 'xx' or digits:find '^x' or digits:find 'x$' then
         stop('-input must be sizes such as 2x3x224x224 or 2x10:long, got %s', text)
      end
      local sizes, count = {}, 1
      for n in digits:gmatch '%d+' do
         sizes[#sizes + 1] = tonumber(n)
         count = count * tonumber(n)
      end
      if count < 1 or count > 2 ^ 31 or #sizes > 8 then stop('-input must have 1 to 2^31 numbers, got %s', text) end
      list[#list + 1] = guess.tensor(sizes, kind == ':long' and 'long' or nil, float)
   end
   return #list == 1 and list[1] or list
end

-- ---- the file ------------------------------------------------------------------------------------------------------

local MOST_CLASSES = 1000

-- What the file holds. Classes that this tree lacks are defined, so that the rest can be listed.
local function load(path, mode)
   for _ = 1, MOST_CLASSES do
      local ok, object = pcall(torch.load, path, mode)
      if ok then return object end
      local why = tostring(object)
      local name, package_name = why:match "unknown class ([%w_.]+): call require '([%w_]+)' first"
      name = name or why:match 'an object of the class ([%w_.]+), which the package'
      if not name then return nil, why end
      if package_name and package_name:match '^%a+$' and (package_name == 'cudnn' or package_name == 'fbnn' or package_name == 'nngraph'
         or package_name == 'fbcunn' or package_name == 'cunn' or package_name == 'dist' or package_name == 'autograd')
         and pcall(require, package_name) and torch.getmetatable(name) then
         name = nil
      end
      if name then old.define(name) end
   end
   return nil, 'it has too many classes that are not in this tree'
end

local function read(o)
   pcall(require, 'nngraph')
   pcall(require, 'nn.recurrent')
   if not paths.filep(o.from) then stop('%s: there is no such file', o.from) end
   local object, why = load(o.from, o.ascii and 'ascii' or nil)
   if object == nil and not o.ascii then
      local text = load(o.from, 'ascii')
      if text ~= nil then return text end
   end
   if object == nil then stop('%s', tostring(why or o.from .. ': the file holds nil'):gsub('^torch%.load: ', '')) end
   return object
end

local function is_net(x) return type(x) == 'table' and torch.isTypeOf(x, 'nn.Module') end

local function is_table(x) return type(x) == 'table' and not torch.typename(x) end

-- The net in what a file holds: itself, the named entry, or the only one in a table.
local function find_net(o, object)
   if o.field then
      for part in o.field:gmatch '[^.]+' do
         object = type(object) == 'table' and (object[part] or object[tonumber(part)]) or nil
         if object == nil then stop('%s: the file has no field %s', o.from, o.field) end
      end
      if not is_net(object) and not torch.isTensor(object) and not is_table(object) then
         stop('%s: the field %s must be a net, got a %s', o.from, o.field, torch.type(object))
      end
      return object
   end
   if is_net(object) or not is_table(object) then return object end
   local found, names, seen = {}, {}, {}
   for k, v in pairs(object) do
      if is_net(v) and not seen[v] then
         seen[v] = true
         found[#found + 1], names[#names + 1] = v, tostring(k)
      end
   end
   if #found == 1 then return found[1] end
   if #found > 1 then
      table.sort(names)
      stop('%s: the file has %d nets: give one of %s by -field', o.from, #found, table.concat(names, ', '))
   end
   return object
end

-- ---- parameters ----------------------------------------------------------------------------------------------------

-- Tensors that belong to a net and are no parameters.
local STATE = { 'running_mean', 'running_var' }

local function joined(where, part) return where == '' and tostring(part) or where .. '.' .. tostring(part) end

--- The parameters of a net by the places of their modules, '3.weight', and a list of the names; of a table its tensors by their keys.
function M.parameters(object)
   local state, seen = {}, {}
   local function keep(name, t)
      t = t:host()
      state[name] = t:contiguous()
   end
   local function visit(m, where)
      if seen[m] then return end
      seen[m] = true
      if is_net(m) then
         for _, list in ipairs { m.parameterNames or {}, STATE, { 'weight', 'bias' } } do
            for _, name in ipairs(list) do
               if torch.isTensor(m[name]) and m[name]:nElement() > 0 then keep(joined(where, name), m[name]) end
            end
         end
         for i, child in ipairs(type(m.modules) == 'table' and m.modules or {}) do visit(child, joined(where, i)) end
         return
      end
      for k, v in pairs(m) do
         if torch.isTensor(v) then keep(joined(where, k), v)
         elseif is_net(v) or is_table(v) then visit(v, joined(where, k)) end
      end
   end
   if torch.isTensor(object) then keep('tensor', object) elseif type(object) == 'table' then visit(object, '') end
   return state
end

local function save_parameters(o, object, extension)
   if extension == 'pt' and not pcall(require, 'torch.pytorch') then stop 'this build writes no .pt files; use .safetensors' end
   local state = M.parameters(object)
   if extension == 'pt' and nn.exportState and is_net(object) then state = nn.exportState(object) end
   if next(state) == nil then stop('%s: the file has no tensors to convert', o.from) end
   if extension == 'npz' then
      for name, t in pairs(state) do
         if t:type() == 'torch.BFloat16Tensor' then state[name] = t:float() end
      end
   end
   local ok, why = pcall(torch.save, o.to, state)
   if not ok then stop('%s', tostring(why):gsub('^.-torch%.save: ', '')) end
   local names = {}
   for name in pairs(state) do names[#names + 1] = name end
   table.sort(names)
   for _, name in ipairs(names) do
      local t = state[name]
      if not o.q and torch.isTensor(t) then
         print(('%-40s %s %s'):format(name, t:type():match '%.(%a+%d*)Tensor', table.concat(t:size():totable(), 'x')))
      end
   end
   if not o.q then print(('%s: %d tensors'):format(o.to, #names)) end
end

-- ---- tables of layers ----------------------------------------------------------------------------------------------

local function cut(text, n) return #text <= n and text or text:sub(1, n - 3) .. '...' end

local function print_rows(info)
   print(('%-18s %-46s %-22s %s'):format('place', 'module', 'output', 'nodes'))
   for _, row in ipairs(info.rows) do
      local text = row.container and row.name or (row.text or row.name):match '^[^\n]*'
      print(('%-18s %-46s %-22s %s'):format(cut(row.place == '' and 'net' or row.place, 18), cut(text, 46), row.output,
         row.container and '' or row.nodes))
   end
end

local function print_list(net)
   local refused, count = {}, 0
   for _, r in ipairs(context.without_rule(net)) do refused[r.place] = r.reason end
   local function visit(m, where)
      local shown, text = pcall(tostring, m)
      if m.modules or not shown then text = torch.typename(m) end
      text = text:match '^[^\n]*'
      print(('%-18s %-46s %s'):format(cut(where == '' and 'net' or where, 18), cut(text, 46),
         refused[where] and 'cannot be converted: ' .. refused[where] or ''))
      count = count + 1
      for i, child in ipairs(type(m.modules) == 'table' and m.modules or {}) do
         local own = rawget(child, 'name')
         if count < 10000 then visit(child, joined(where, type(own) == 'string' and own:match '^[%w_/:-]+$' and own or i)) end
      end
   end
   visit(net, '')
   local n = 0
   for _ in pairs(refused) do n = n + 1 end
   print(n == 0 and 'all modules have a rule' or ('%d of the modules cannot be converted'):format(n))
end

-- ---- ONNX ----------------------------------------------------------------------------------------------------------

-- The largest difference between the net and the file, as onnx.load runs it; nil where it cannot.
local function difference(path, info, net, input)
   local copy = net:clone()
   copy:evaluate()
   local function flat(x, list)
      if torch.isTensor(x) then list[#list + 1] = x else for _, v in ipairs(x) do flat(v, list) end end
      return list
   end
   local wanted = flat(copy:forward(input), {})
   local ok, found = pcall(function()
      local given = {}
      for i, t in ipairs(flat(input, {})) do given[info.inputs[i]] = t:type():find 'Long' and t or t:float() end
      return onnx.load(path):forward(given)
   end)
   if not ok then return nil, found end
   local worst = 0
   for i, want in ipairs(wanted) do
      local got = torch.isTensor(found) and found or found[info.outputs[i]] or found[i]
      if not torch.isTensor(got) or not got:isSameSizeAs(want) then return nil, 'onnx.load gives other sizes' end
      want, got = want:double(), got:double()
      local d = torch.abs(want - got):cdiv(torch.abs(want) + 1)
      worst = math.max(worst, d:maskedFill(torch.eq(want, got), 0):max())
   end
   return worst
end

local function to_onnx(o, net)
   if not is_net(net) then stop('%s: the file must hold a net for a .onnx file, got a %s', o.from, torch.type(net)) end
   local kind = net:type() or 'torch.FloatTensor'
   if kind:find 'Cuda' then net:float() kind = 'torch.FloatTensor' end
   local input = o.input and read_input(o.input, kind)
   if not input then
      local sizes
      input, sizes = guess.input(net)
      if not input then
         local lines = {}
         for i, r in ipairs(context.without_rule(net)) do
            lines[i] = ('  %s: %s: %s'):format(r.place == '' and 'net' or r.place, r.name, r.reason)
         end
         if #lines > 0 then stop('%s: the net has %d modules that cannot be converted:\n%s', o.from, #lines, table.concat(lines, '\n')) end
         stop('%s: the layers do not say which input the net takes: give its sizes, as in -input 2x3x224x224', o.from)
      end
      if not o.q then print(('input %s, a guess: -input gives another one'):format(table.concat(sizes, 'x'))) end
   end
   local options = { opset = o.opset, type = o.type, external = o.external, batch = not o.fixed }
   local ok, info = pcall(onnx.save, o.to, net, input, options)
   if not ok then stop('%s: %s', o.from, tostring(info):gsub('^[^\n]-%.lua:%d+: ', ''):gsub('^onnx%.save: ', '')) end
   if o.q then return end
   print_rows(info)
   print(('%s: %d nodes, opset %d, %.0f bytes, %s'):format(o.to, info.nodes, info.opset, info.bytes,
      info.batch and 'any number of samples' or 'fixed sizes'))
   local worst, why = difference(o.to, info, net, input)
   if worst then
      print(('onnx.load computes the same within %.2g'):format(worst))
   else
      print('not checked by onnx.load: ' .. tostring(why):gsub('\n.*', ''))
   end
end

--- Runs the program with the words of a command line. Returns its exit status.
function M.main(args)
   local ok, why = pcall(function()
      local o = read_arguments(args)
      if o.h then
         io.write(USAGE)
         return
      end
      local extension = o.to and o.to:match '%.(%w+)$'
      if o.to and not (extension == 'onnx' or extension == 'safetensors' or extension == 'npz' or extension == 'pt') then
         stop('the name of the new file must end in .onnx, .safetensors, .npz or .pt, got %s', o.to)
      end
      local object = find_net(o, read(o))
      if o.list then
         if not is_net(object) then stop('%s: the file must hold a net for -list, got a %s', o.from, torch.type(object)) end
         print_list(object)
      end
      if extension == 'onnx' then to_onnx(o, object) elseif extension then save_parameters(o, object, extension) end
   end)
   if ok then return 0 end
   io.stdout:flush()
   io.stderr:write('th-convert: ', type(why) == 'table' and why.message or tostring(why), '\n')
   return type(why) == 'table' and 1 or 2
end

return M
