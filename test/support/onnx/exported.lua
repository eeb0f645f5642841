-- test/support/onnx/exported.lua - every case of test/support/nn/cases.lua as a file of ONNX, with what the net gives for inputs.
local torch = require 'torch'
local nn = require 'nn'
require 'nn.recurrent'
local onnx = require 'onnx'
local drawn = require 'test.support.nn.random_cases'

local exported = {}

--- The tensors of nested tables in a list; numbers and other values are left out.
function exported.flat(x, list)
   list = list or {}
   if torch.isTensor(x) then
      list[#list + 1] = x
   elseif type(x) == 'table' and not torch.typename(x) then
      for _, v in ipairs(x) do exported.flat(v, list) end
   end
   return list
end

-- Tensors of floats as FloatTensors, in the same form.
local function floats(x)
   if torch.isTensor(x) then return x:type() == 'torch.DoubleTensor' and x:float() or x:clone() end
   local y = {}
   for i, v in ipairs(x) do y[i] = floats(v) end
   return y
end

-- Numbers of floating point in the type of a net, in the same form. Their values stay those of
-- floats, as a file has them.
local function like(x, kind)
   if torch.isTensor(x) then return x:type() == 'torch.FloatTensor' and x:type(kind) or x end
   local y = {}
   for i, v in ipairs(x) do y[i] = like(v, kind) end
   return y
end

-- The input with one sample more along dimension 1, where the tensors have as many as the first one.
local function larger(x)
   local count = exported.flat(x)[1]:size(1)
   local function grow(v)
      if torch.isTensor(v) then return v:size(1) == count and torch.cat({v, v:narrow(1, 1, 1), v:narrow(1, 1, 1)}, 1) or v end
      local y = {}
      for i, e in ipairs(v) do y[i] = grow(e) end
      return y
   end
   return grow(x)
end

local function silently(f, ...)
   local before = _G.print
   _G.print = function() end
   local results = {pcall(f, ...)}
   _G.print = before
   if not results[1] then error(results[2], 0) end
   return unpack(results, 2)
end

--- Writes form k of a case to `path`. Returns the name of the case, what onnx.save returns or nil and its error, and a list of
-- tries { inputs, outputs, input }: tensors for the example, and for two samples more where the
-- file allows any number. `input` has the form that the net takes.
function exported.write(case, k, path, options, seed)
   local m, inputs = drawn.make(case, seed or 4)
   local x = inputs[k].n and inputs[k] or inputs[k][1]
   local name = ('%s of %s'):format(case.new:gsub('%s+', ' '), case[k])
   local ok, info = pcall(silently, onnx.save, path, m, x, options)
   if not ok then return name, nil, info end
   m:evaluate()
   if not case.new:find 'MixedPrecision' and not case.new:find 'DontCast' and not case.new:find 'HalfPrecision' then m:float() end
   local function try(v)
      local y = exported.flat(silently(m.forward, m, like(floats(v), m:type())))
      local kept = {}
      for i, t in ipairs(y) do kept[i] = t:clone() end
      return {exported.flat(floats(v)), kept, floats(v)}
   end
   local tries = {try(x)}
   if info.batch then tries[2] = try(larger(x)) end
   return name, info, tries
end

--- The largest difference between two tensors, relative to 1 + |want|, or nil where their sizes differ.
function exported.difference(want, got)
   if not want:isSameSizeAs(got) then return nil end
   if want:nElement() == 0 then return 0 end
   want, got = want:double(), got:double()
   local same = torch.eq(want, got)
   local d = torch.abs(want - got):cdiv(torch.abs(want) + 1)
   return d:maskedFill(same, 0):max()
end

exported.nn = nn
return exported
