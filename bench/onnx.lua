-- bench/onnx.lua - inference of whole networks of ONNX beside onnxruntime and PyTorch.
--    th bench/onnx.lua -light FOLDER [-minilm FOLDER] [-threads 2] [-rounds 5] [-only TEXT]
--    [-pytorch yes]
-- FOLDER of -light is onnx/backend/test/data/light of the Python package onnx. That of -minilm has
-- model.safetensors of all-MiniLM-L6-v2. PYTHON names a Python with onnx, onnxruntime and torch. A
-- row's limit is 0.95 of onnxruntime's speed, that of the geometric mean 1.1. With -threads 1 all
-- sides count the processor time of their process.
package.path = './?.lua;' .. package.path
local torch = require 'torch'
local onnx = require 'onnx'
local paths = require 'paths'
local measure = require 'bench.lib.measure'
local peer = require 'bench.lib.peer'

local options = measure.options(arg or {}, { light = '', minilm = '', only = '', rounds = 5,
   pytorch = 'no' })
if options.light == '' and options.minilm == '' then
   error('usage: th bench/onnx.lua -light FOLDER [-minilm FOLDER] [-threads 2] [-rounds 5] '
      .. '[-only TEXT] [-pytorch yes]', 0)
end
torch.setnumthreads(options.threads)
local LEAST, MEAN = 0.95, 1.1
local TURN = 0.1                              -- seconds of a side's turn, at least one run
local STARTS = 31                             -- processes that start, at least

local folder = os.tmpname()
os.remove(folder)
assert(paths.mkdir(folder), 'no folder for models')
local function remove() os.execute(("rm -rf '%s'"):format(folder)) end

local command = ("exec '%s' bench/peer/onnx_networks.py %d '%s'"):format(os.getenv 'PYTHON'
   or 'python3', options.threads, folder)
local python, why = peer.program(command)
if not python then
   remove()
   error('the networks need Python with onnx, onnxruntime and torch: ' .. why, 0)
end
print(('%s; %d thread%s, %d rounds'):format(python.version, options.threads, options.threads == 1
   and '' or 's', options.rounds))
print(measure.HEADER)

-- Runs of a model: a function, and what PyTorch calls the network.
local function light(name, batch)
   local path = ('%s/%s-%d.onnx'):format(folder, name, batch)
   python.ask(('light %s/light_%s.onnx %d %s'):format(options.light, name, batch, path))
   local model = onnx.load(path)
   local x = torch.FloatTensor(unpack(model.inputs[1].shape)):uniform()
   return path, function() return model:forward(x) end
end

local function minilm(tokens)
   local path = folder .. '/minilm.onnx'
   if not paths.filep(path) then python.ask(('minilm %s %s'):format(options.minilm, path)) end
   local model = onnx.load(path)
   local x = { ids = torch.LongTensor(1, tokens):random(1000, 20000),
      mask = torch.LongTensor(1, tokens):fill(1) }
   return path, function() return model:forward(x) end
end

local rows = {}
if options.light ~= '' then
   for _, name in ipairs { 'resnet50', 'squeezenet', 'densenet121', 'vgg19' } do
      for _, batch in ipairs { 1, 16 } do
         rows[#rows + 1] = { text = ('%s, batch %d'):format(name, batch),
            make = function() return light(name, batch) end,
            torch = name == 'squeezenet' and 'squeezenet1_1' or name, size = batch }
      end
   end
end
if options.minilm ~= '' then
   for _, tokens in ipairs { 16, 128, 512 } do
      rows[#rows + 1] = { text = ('all-MiniLM-L6-v2, %d tokens'):format(tokens),
         make = function() return minilm(tokens) end,
         torch = 'minilm', size = tokens }
   end
end

local product, count, least = 1, 0, math.huge

local function run(row)
   local path, forward = row.make()
   for _ = 1, 2 do forward() end
   local times = math.ceil(TURN / measure.time(forward))
   local functions = { function() return measure.time(forward, times) end }
   if options.pytorch == 'yes' then
      functions[2] = function()
         return python.ask(('pytorch %s %d %d'):format(row.torch, row.size, times))
      end
   end
   functions[#functions + 1] = function() return python.ask(('onnxruntime %s %d %d'):format(path,
      row.size, times)) end
   local medians, ratio = measure.interleaved(options.rounds, functions)
   local speed = 1 / ratio
   product, count, least = product * speed, count + 1, math.min(least, speed)
   measure.row(row.text, ('%.2f of onnxruntime'):format(LEAST),
      ('%.2f ms'):format(medians[1] * 1000),
      ('%.2f ms'):format(medians[#medians] * 1000), speed, speed >= LEAST)
   if options.pytorch == 'yes' then measure.note('PyTorch: %.2f ms', medians[2] * 1000) end
end

local ok, trouble = pcall(function()
   for _, row in ipairs(rows) do
      if row.text:find(options.only, 1, true) then
         run(row)
         collectgarbage()
         collectgarbage()
      end
   end
end)
if ok and count > 0 then
   local mean = product ^ (1 / count)
   measure.row('geometric mean of the rows', ('%.2f of onnxruntime'):format(MEAN), '', '', mean,
      mean >= MEAN)
   measure.note('the least row has %.2f of the speed of onnxruntime', least)
end

-- Runs a command, and returns what it prints first as a number, and the seconds until then.
local function printed(line)
   local process, text
   local seconds = measure.wall(function()
      process = io.popen('exec ' .. line)
      text = process:read '*l'
   end)
   process:close()
   return assert(tonumber(text), 'no answer'), seconds
end

local th = ('%s -e "require \'torch\' torch.setnumthreads(%d) '):format(measure.launcher(),
   options.threads)

-- From the start of the process to the first answer, which it prints: th, loading, one run.
if ok and options.light ~= '' and ('start'):find(options.only, 1, true) then
   local path = ('%s/squeezenet-1.onnx'):format(folder)
   if not paths.filep(path) then light('squeezenet', 1) end
   local line = ("%slocal m = require 'onnx'.load '%s' "):format(th, path)
      .. 'print(m:forward(torch.FloatTensor(1, 3, 224, 224):fill(0.5)):max()) io.flush()"'
   local times = {}
   for i = 1, math.max(STARTS, options.rounds) do times[i] = select(2, printed(line)) end
   local took = measure.median(times) * 1000
   measure.row('squeezenet, start to first answer', '30 ms', ('%.1f ms'):format(took), nil,
      30 / took, took <= 30)
end

-- Loading ResNet-50 with its weights in the file, and reading that file: in new processes, in turn.
if ok and options.light ~= '' and ('load'):find(options.only, 1, true) then
   local path = ('%s/resnet50-filled.onnx'):format(folder)
   local bytes = python.ask(('filled %s/light_resnet50.onnx %s'):format(options.light, path))
   local load = ("%slocal t = torch.Timer() require 'onnx'.load '%s' print(t:time().real)\"")
      :format(th, path)
   local read = ("'%s' -c \"import time; t = time.perf_counter(); x = open('%s', 'rb').read(); ")
      :format(os.getenv 'PYTHON' or 'python3', path) .. 'print(time.perf_counter() - t)"'
   local medians, ratio = measure.interleaved(math.max(STARTS, options.rounds),
      { function() return (printed(load)) end, function() return (printed(read)) end })
   measure.row(('load of resnet50, %.0f MB'):format(bytes / 1e6), '1.2 of reading by Python',
      ('%.1f ms'):format(medians[1] * 1000), ('%.1f ms'):format(medians[2] * 1000), 1 / ratio,
      ratio <= 1.2)
end

python.close()
remove()
if not ok then error(trouble, 0) end
