-- test/onnx/export.lua - writes every module of nn as ONNX and compares what runtimes compute: th test/onnx/export.lua [options].
--
-- Each case of test/support/nn/cases.lua is written by onnx.save and run by onnx.load, for the input of the case and, where the
-- file allows any number of samples, for two more. With a Python that has onnxruntime, that runs the same files. A result
-- counts as equal if it differs by at most 1e-5, relative to 1 + |value|. The closing lines have
-- the counts, and how many outputs have the same bits: of the net that net() returns, and of
-- forward.
local torch = require 'torch'
local onnx = require 'onnx'
local exported = require 'test.support.onnx.exported'
local cases = require 'test.support.nn.cases'

local usage = [[
usage: th test/onnx/export.lua [-python PROGRAM] [-opset N] [-seed N] [-v] [pattern]
  -python PROGRAM  a Python with onnxruntime and numpy; 'none' leaves it out (default: python3)
  -opset N         of the files (default: 17)
  -seed N          of the sizes and weights (default: 4)
  -v               print each case that is refused, and why
]]
local options, pattern, verbose = {python = 'python3', opset = 17, seed = 4}, nil, false
do
   local i = 1
   while arg[i] do
      local name = arg[i]:match '^%-(%a+)$'
      if name == 'v' then verbose = true
      elseif name and options[name] and arg[i + 1] then
         options[name] = tonumber(arg[i + 1]) or arg[i + 1]
         i = i + 1
      elseif not name and not pattern then pattern = arg[i]
      else
         io.stderr:write(usage)
         os.exit(2)
      end
      i = i + 1
   end
end

local TOLERANCE = 1e-5
local folder = os.tmpname()
os.remove(folder)
assert(os.execute('mkdir -p ' .. folder) == 0)
local list = assert(io.open(folder .. '/list.txt', 'w'))
local count = {written = 0, refused = 0, batch = 0, equal = 0, bits = 0, net = 0, outputs = 0,
   different = 0}

-- Whether tensors have the same bits, but for rounding to the type of the file.
local function is_same(want, got) return exported.difference(want:type(got:type()), got) == 0 end

-- Runs a file with onnx.load; returns the number of outputs that have the same bits by forward, of
-- those that net() gives so, and of all.
local function run_own(path, info, tries)
   local model, bits, same, all = onnx.load(path), 0, 0, 0
   local net = model:net()
   for _, try in ipairs(tries) do
      local given = {}
      for i, t in ipairs(try[1]) do given[info.inputs[i]] = t end
      local out, of_net = model:forward(given), exported.flat(net:forward(try[3]))
      for i, want in ipairs(try[2]) do
         local got = torch.isTensor(out) and out or out[info.outputs[i]] or out[i]
         local d = exported.difference(want, got)
         if not d then error(('output %d has other sizes'):format(i), 0) end
         if d ~= d or d > TOLERANCE then error(('output %d differs by %g'):format(i, d), 0) end
         all = all + 1
         if is_same(want, got) then bits = bits + 1 end
         if is_same(want, of_net[i]) then same = same + 1 end
      end
   end
   return bits, same, all
end

local function named(names, tensors)
   local t = {}
   for i, v in ipairs(tensors) do t[names[i]] = v end
   return t
end

for number, case in ipairs(cases) do
   for k = 1, #case do
      if not pattern or case.new:find(pattern) then
         local path = ('%s/%d_%d'):format(folder, number, k)
         local name, info, tries = exported.write(case, k, path .. '.onnx', {opset = options.opset}, options.seed)
         if not info then
            count.refused = count.refused + 1
            if verbose then print(('refused: %s: %s'):format(name, tostring(tries))) end
         else
            count.written = count.written + 1
            if info.batch then count.batch = count.batch + 1 end
            local ok, bits, same, all = pcall(run_own, path .. '.onnx', info, tries)
            if ok then
               count.equal, count.bits = count.equal + 1, count.bits + bits
               count.net = count.net + same
               count.outputs = count.outputs + all
            else
               count.different = count.different + 1
               print(('onnx.load: %s: %s'):format(name, tostring(bits)))
            end
            for i, try in ipairs(tries) do
               torch.save(('%s_%d_in.npz'):format(path, i), named(info.inputs, try[1]))
               torch.save(('%s_%d_out.npz'):format(path, i), named(info.outputs, try[2]))
            end
            list:write(path, '\t', #tries, '\t', name, '\n')
         end
      end
   end
end
list:close()
print(('onnx.save: %d forms of modules written, %d of them for any number of samples; %d refused'):format(count.written, count.batch,
   count.refused))
print(('onnx.load: %d equal, %d not; bit by bit: %d of %d outputs by net(), %d by forward')
   :format(count.equal, count.different, count.net, count.outputs, count.bits))
io.stdout:flush()
local failed = count.different > 0 or count.net < count.outputs
if options.python ~= 'none' then
   local here = debug.getinfo(1, 'S').source:match '^@(.*)%.lua$'
   local status = os.execute(('%s %s.py %s'):format(options.python, here, folder))
   failed = failed or status ~= 0
end
os.execute('rm -r ' .. folder)
os.exit(failed and 1 or 0)
