-- bench/onnx_memory.lua - resident memory of whole networks of ONNX beyond their weights.
--    th bench/onnx_memory.lua -light FOLDER [-threads 2] [-only TEXT]
-- FOLDER is onnx/backend/test/data/light of the Python package onnx; PYTHON names a Python with
-- onnx, onnxruntime and torch. Each network runs in a process that loads its file and calls forward
-- several times. The limit of its resident memory, less that of the process before and the weights,
-- is the largest set of results that are in use at the same time, and 10 MB. Before, the process
-- has computed a product and a convolution, so that its libraries are there.
package.path = './?.lua;' .. package.path
local paths = require 'paths'
local measure = require 'bench.lib.measure'
local peer = require 'bench.lib.peer'

local options = measure.options(arg or {}, { light = '', only = '' })
if options.light == '' then
   error('usage: th bench/onnx_memory.lua -light FOLDER [-threads 2] [-only TEXT]', 0)
end
local MORE = 10e6

local folder = os.tmpname()
os.remove(folder)
assert(paths.mkdir(folder), 'no folder for models')

local command = ("exec '%s' bench/peer/onnx_networks.py %d '%s'"):format(os.getenv 'PYTHON'
   or 'python3', options.threads, folder)
local python, why = peer.program(command)
if not python then
   os.execute(("rm -rf '%s'"):format(folder))
   error('the networks need Python with onnx, onnxruntime and torch: ' .. why, 0)
end

-- Prints the bytes that are resident before the model is loaded, behind loading, behind one and
-- behind five runs, at most, and those of the largest live set.
local PROGRAM = [[
require 'torch'
local onnx = require 'onnx'
torch.setnumthreads(%d)
local function bytes(key)
   for line in io.lines '/proc/self/status' do
      local kb = line:match('^' .. key .. ':%%s*(%%d+)')
      if kb then return kb * 1024 end
   end
end
local x = torch.FloatTensor(1, 3, 224, 224):fill(0.5)
torch.mm(torch.FloatTensor(64, 64):fill(1), torch.FloatTensor(64, 64):fill(1))
torch.conv2d(torch.FloatTensor(1, 32, 32, 32):fill(1), torch.FloatTensor(32, 32, 3, 3):fill(1))
local list = { bytes 'VmRSS' }
local m = onnx.load '%s'
list[2] = bytes 'VmRSS'
m:forward(x)
list[3] = bytes 'VmRSS'
for _ = 1, 4 do m:forward(x) end
list[4], list[5], list[6] = bytes 'VmRSS', bytes 'VmHWM', m:explain(x).live
for i, v in ipairs(list) do list[i] = ('%%.0f'):format(v) end
print(table.concat(list, ' '))
]]

local function run(name)
   local path, program = ('%s/%s.onnx'):format(folder, name), folder .. '/program.lua'
   local weights = python.ask(('filled %s/light_%s.onnx %s'):format(options.light, name, path))
   local f = assert(io.open(program, 'w'))
   f:write(PROGRAM:format(options.threads, path))
   f:close()
   local out = io.popen(("%s '%s' </dev/null"):format(measure.launcher(), program))
   local list = {}
   for word in out:read '*a':gmatch '%S+' do list[#list + 1] = assert(tonumber(word)) end
   out:close()
   os.remove(path)
   assert(#list == 6, 'the process failed')
   local before, limit = list[1] + weights, list[6] + MORE
   local used = list[4] - before
   measure.row(('%s, resident beyond %.1f MB of weights'):format(name, weights / 1e6),
      ('%.1f MB'):format(limit / 1e6), ('%.1f MB'):format(used / 1e6), nil, limit / used,
      used <= limit)
   measure.note('%s: loaded %.1f MB, one run %.1f MB, most %.1f MB, largest live set %.1f MB', name,
      (list[2] - before) / 1e6, (list[3] - before) / 1e6, (list[5] - before) / 1e6, list[6] / 1e6)
end

print(measure.HEADER)
local ok, trouble = pcall(function()
   for _, name in ipairs { 'squeezenet', 'densenet121', 'resnet50', 'vgg19' } do
      if name:find(options.only, 1, true) then run(name) end
   end
end)
python.close()
os.execute(("rm -rf '%s'"):format(folder))
if not ok then error(trouble, 0) end
