-- bench/onnx.lua FOLDER [threads] - time of whole networks beside onnxruntime's; FOLDER has onnx's test networks (data/light).
--
-- For each network and batch it prints the best of several runs, in milliseconds, here and by onnxruntime where Python has it
-- (PYTHON names the program). On a machine with other work, compare CPU times: the last two columns.
local torch = require 'torch'
local ffi = require 'ffi'
local lib = require 'torch.lib'
local onnx = require 'onnx'

local folder, threads = arg[1], tonumber(arg[2] or 2)
if not folder then error('usage: th bench/onnx.lua FOLDER [threads]', 0) end
torch.setnumthreads(threads)

local python = os.getenv 'PYTHON' or 'python3'
local peer = [[
import sys, time
try:
    import numpy as np, onnx, onnxruntime as ort
except ImportError as e:
    sys.exit("missing: " + str(e))
path, batch, threads, runs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
m = onnx.load(path)
weights = {i.name for i in m.graph.initializer}
for v in [i for i in m.graph.input if i.name not in weights] + list(m.graph.output):
    v.type.tensor_type.shape.dim[0].dim_value = batch
options = ort.SessionOptions()
options.intra_op_num_threads, options.log_severity_level = threads, 3
s = ort.InferenceSession(m.SerializeToString(), options, providers=["CPUExecutionProvider"])
i = s.get_inputs()[0]
x = np.random.rand(*([batch] + i.shape[1:])).astype("float32")
wall = cpu = 1e9
for _ in range(runs + 1):
    t, c = time.perf_counter(), time.process_time()
    s.run(None, {i.name: x})
    wall, cpu = min(wall, time.perf_counter() - t), min(cpu, time.process_time() - c)
print(wall * 1000, cpu * 1000)
]]

local clock = ffi.new 'double[3]'
local function now()
   lib.C.th_clock(clock)
   return clock[0], clock[1] + clock[2]
end

local function measure(path, batch, runs)
   local model = onnx.load(path)
   local input = model.inputs[1]
   input.shape[1] = batch                                     -- the list of the model's graph is the same table
   local x = torch.FloatTensor(unpack(input.shape)):uniform()
   local wall, cpu = math.huge, math.huge
   for _ = 1, runs + 1 do
      local t, c = now()
      model:forward(x)
      local t2, c2 = now()
      wall, cpu = math.min(wall, t2 - t), math.min(cpu, c2 - c)
   end
   return wall * 1000, cpu * 1000
end

local function measure_peer(path, batch, runs)
   local script = os.tmpname()
   local f = assert(io.open(script, 'w'))
   f:write(peer)
   f:close()
   local p = io.popen(("'%s' '%s' '%s' %d %d %d 2>&1"):format(python, script, path, batch, threads, runs))
   local text = p:read '*a'
   p:close()
   os.remove(script)
   local wall, cpu = text:match '([%d.e+-]+) ([%d.e+-]+)%s*$'
   return tonumber(wall), tonumber(cpu), text
end

print(('%-14s %5s %10s %12s %8s %10s %10s'):format('network', 'batch', 'ms', 'onnxruntime', 'ratio', 'CPU ms', 'its CPU'))
for _, name in ipairs { 'resnet50', 'squeezenet', 'densenet121', 'vgg19' } do
   for _, batch in ipairs { 1, 16 } do
      local path, runs = ('%s/light_%s.onnx'):format(folder, name), batch == 1 and 10 or 3
      local wall, cpu = measure(path, batch, runs)
      collectgarbage()
      local other, other_cpu = measure_peer(path, batch, runs)
      print(('%-14s %5d %10.1f %12s %8s %10.1f %10s'):format(name, batch, wall, other and ('%.1f'):format(other) or '-',
         other and ('%.2f'):format(other / wall) or '-', cpu, other and ('%.1f'):format(other_cpu) or '-'))
   end
end
