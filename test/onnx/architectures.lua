-- test/onnx/architectures.lua - loads nets that torch.onnx exports and compares their outputs with
-- PyTorch's: th test/onnx/architectures.lua [options] [pattern].
--
-- architectures.py exports nets of torchvision and those of test/support/onnx/nets, with random
-- weights, by both exporters of torch.onnx. onnx.load reads each file and runs it twice for the
-- inputs of the export, so that the second run reuses memory, and once for other sizes where the
-- file allows them. An output counts as equal if it differs by at most 1e-4 of its largest element.
local torch = require 'torch'
local onnx = require 'onnx'

local usage = [[
usage: th test/onnx/architectures.lua [options] [pattern]
  -python PROGRAM  a Python with torch, torchvision, onnx and onnxscript (default: python3)
  -exporter NAME   one of the exporters: dynamo, or script, the one by TorchScript (default: both)
  -opset N         of the files (default: that of the exporter)
  -keep FOLDER     keeps the files of nets that are not equal
  pattern          of the names of nets, a regular expression of Python
]]
local LIMIT = 1e-4

local options = { python = 'python3', exporter = '', opset = '0', keep = '', pattern = '' }
do
   local i = 1
   while arg[i] do
      local name = arg[i]:match '^%-(%a+)$'
      if name and name ~= 'pattern' and options[name] and arg[i + 1] then
         options[name] = arg[i + 1]
         i = i + 1
      elseif not name and options.pattern == '' then options.pattern = arg[i]
      else
         io.stderr:write(usage)
         os.exit(2)
      end
      i = i + 1
   end
end

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

torch.setnumthreads(1)                       -- the exporter beside it needs a core
local folder = os.tmpname()
os.remove(folder)
assert(os.execute('mkdir -p ' .. folder) == 0)

-- Whether NaNs and infinities of two lists are the same.
local function same_numbers(a, b)
   for i, v in ipairs(a) do
      if v ~= b[i] and not (v ~= v and b[i] ~= b[i]) then return false end
   end
   return true
end

-- The largest difference, relative to the largest element; infinite where sizes, NaNs or infinities
-- differ.
local function apart(want, got)
   if not torch.isTensor(got) then return math.huge end
   local a, b = want:size(), got:size()
   if #a ~= #b then return math.huge end
   for d = 1, #a do if a[d] ~= b[d] then return math.huge end end
   if want:nElement() == 0 then return 0 end
   want, got = want:double(), got:double()
   local finite = torch.abs(want):lt(math.huge)
   if finite:min() == 0 then
      local odd = finite:eq(0)
      if not same_numbers(want[odd]:totable(), got[odd]:totable()) then return math.huge end
      if finite:max() == 0 then return 0 end
      want, got = want[finite], got[finite]
   end
   local difference = (want - got):abs():max()
   if difference ~= difference then return math.huge end
   return difference / math.max(want:abs():max(), 1e-30)
end

-- Runs a model on the inputs of try `number` and returns the largest difference of its outputs.
local function run(model, path, number)
   local given, want = torch.load(('%s_%d_in.npz'):format(path, number)),
      torch.load(('%s_%d_out.npz'):format(path, number))
   local left = {}
   for _, input in ipairs(model.inputs) do left[input.name] = given[input.name] end
   local out = model:forward(left)
   local most = 0
   for i, output in ipairs(model.outputs) do
      local expected = want['out' .. i] or error(('PyTorch has no output %d'):format(i), 0)
      local got = #model.outputs == 1 and torch.isTensor(out) and out or out[output.name]
      local d = apart(expected, got)
      if d > LIMIT then
         local what = number == 1 and 'first sizes' or 'other sizes'
         error(('output %d differs by %.2g of its largest element (%s)'):format(i, d, what), 0)
      end
      most = math.max(most, d)
   end
   return most
end

local count = { equal = 0, different = 0, refused = 0 }
local nets = {}

-- Milliseconds of processor time since a timer began.
local function spent(timer)
   local t = timer:time()
   return (t.user + t.sys) * 1e3
end

local function compare(name, exporter, path, tries)
   local timer = torch.Timer()
   local loaded, ran, nodes
   local ok, why = pcall(function()
      local model = onnx.load(path .. '.onnx')
      loaded, nodes = spent(timer), #model.graph.nodes
      local most = run(model, path, 1)
      timer:reset()
      most = math.max(most, run(model, path, 1))
      ran = spent(timer)
      for k = 2, tries do most = math.max(most, run(model, path, k)) end
      return most
   end)
   if ok then
      count.equal = count.equal + 1
      local form = '%-30s %-7s %5d nodes, load %7.1f ms, run %7.1f ms, %d sizes, difference %.2g'
      print(form:format(name, exporter, nodes, loaded, ran, tries, why))
   else
      count.different = count.different + 1
      print(('%-30s %-7s NOT EQUAL: %s'):format(name, exporter, tostring(why)))
      if options.keep ~= '' then
         os.execute(('mkdir -p %s && cp %s* %s'):format(quoted(options.keep), quoted(path),
            quoted(options.keep)))
      end
   end
   os.execute(('rm -f %s.onnx* %s_*'):format(quoted(path), quoted(path)))
   collectgarbage()
end

local here = debug.getinfo(1, 'S').source:match '^@(.*)%.lua$'
local command = ('%s -W ignore %s.py %s -only %s -exporter %s -opset %s; echo status $?'):format(
   options.python, here, folder, quoted(options.pattern), quoted(options.exporter),
   quoted(options.opset))
local p = io.popen(command)
local status = '?'
for line in p:lines() do
   status = line:match '^status (%d+)$' or status
   local name, exporter, kind, rest, tries =
      line:match '^([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t?(%d*)$'
   if kind == 'file' then
      nets[name] = true
      compare(name, exporter, rest, tonumber(tries))
   elseif kind == 'refused' then
      count.refused = count.refused + 1
      print(('%-30s %-7s could not be exported: %s'):format(name, exporter, rest))
   end
   io.stdout:flush()
end
p:close()
os.execute('rm -r ' .. folder)
local total = 0
for _ in pairs(nets) do total = total + 1 end
if status ~= '0' then print('architectures.py ended with status ' .. status) end
print(('%d nets were exported'):format(total))
print(('architectures: %d equal, %d not, %d that torch.onnx could not export'):format(count.equal,
   count.different, count.refused))
os.exit(count.different == 0 and status == '0' and 0 or 1)
