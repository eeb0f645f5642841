-- lua/distributed/pipeline/recompute.lua - recompute for pipeline stages: keep only the inputs of micro-batches, and
-- compute the rest again before backward, with the same random numbers.
local torch = require 'torch'
local replicas = require 'distributed.pipeline.replicas'

local M = {}

--- A copy of x, a tensor or a list of tensors, in the memory of an earlier copy if possible.
function M.copy(own, x)
   if torch.isTensor(x) then
      if not torch.isTensor(own) or own:type() ~= x:type() then own = x.new() end
      return own:resize(x:size()):copy(x)
   end
   local list = {}
   for i, t in ipairs(x) do list[i] = M.copy(type(own) == 'table' and own[i] or nil, t) end
   return list
end

-- The states of the random generators of the CPU and of the device.
local function states()
   local cutorch = package.loaded.cutorch
   return torch.getRNGState(), cutorch and cutorch.getDeviceCount() > 0 and cutorch.getRNGState() or nil
end

local function set_states(cpu, device)
   torch.setRNGState(cpu)
   if device then package.loaded.cutorch.setRNGState(device) end
end

-- Layers may write into their input, which is needed again, so they get a copy.
local function compute(run, module, x)
   run.input = M.copy(run.input, x)
   return module:forward(run.input)
end

--- Forward of the micro-batch in a slot.
function M.forward(run, slot, module, x)
   slot.drawn = { states() }
   run.holds = slot
   return compute(run, module, x)
end

-- Calls f() with the saved random state, and restores the running estimates and the random state
-- afterwards.
local function aside(module, drawn, f, ...)
   local now, kept = { states() }, {}
   for _, inner in ipairs(module:listModules()) do
      for _, name in ipairs(replicas.running) do
         local t = inner[name]
         if torch.isTensor(t) then kept[#kept + 1] = { t, t:clone() } end
      end
   end
   set_states(unpack(drawn, 1, 2))
   local ok, result = pcall(f, ...)
   set_states(unpack(now, 1, 2))
   for _, pair in ipairs(kept) do pair[1]:copy(pair[2]) end
   if not ok then error(result, 0) end
   return result
end

--- The same again, before its backward; returns the output. The results of the last forward are
-- still valid.
function M.again(run, slot, module, x)
   if run.holds == slot then return module.output end
   run.holds = slot
   return aside(module, slot.drawn, compute, run, module, x)
end

return M
