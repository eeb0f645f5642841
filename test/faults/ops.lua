-- test/faults/ops.lua - steps of the tour through the ops: every call form of the registry, small and large.
local torch = require 'torch'
local op = require 'torch.op'
local dtype = require 'torch.dtype'
local C = require 'torch.lib'.C
local draw = require 'test.support.draw'

local function supports(form, kind, device) return C.th_op_supports(form.op, device, dtype.id[kind]) ~= 0 end

local RESULT = { out = true, self = true }

-- The arguments in their order. results: nil, 'given' (of another size) or 'in place' (the first input).
local function arrange(form, good, results)
   local args, n, first = {}, 0, nil
   for _, a in ipairs(form.args) do
      if a.word == 'tensor' and torch.isTensor(good[a.name]) then first = first or good[a.name] end
   end
   for _, a in ipairs(form.args) do
      local v, w = good[a.name], a.word
      local skip = w == 'return' or w == 'gen'
      if RESULT[w] then
         if not results and first then skip = true end
         if results == 'given' then v = good[a.name].new(3, 5):fill(1) end
         if results == 'in place' then v = first end
      end
      if not skip then
         n = n + 1
         args[n] = v
      end
   end
   return args, n
end

local function to_device(v)
   if torch.isTensor(v) then return v:type((v:type():gsub('torch%.(%a+)Tensor', function(kind)
      return kind == 'Float' and 'torch.CudaTensor' or 'torch.Cuda' .. kind .. 'Tensor'
   end))) end
   if type(v) ~= 'table' or torch.typename(v) then return v end
   local t = {}
   for k, x in pairs(v) do t[k] = to_device(x) end
   return t
end

-- The results that an op is given have the types of those that it makes.
local function of_its_types(name, form, good)
   local args, n = arrange(form, good)
   local made, k = { op.func(name)(unpack(args, 1, n)) }, 0
   for _, a in ipairs(form.args) do
      if RESULT[a.word] then
         k = k + 1
         if torch.isTensor(made[k]) then good[a.name] = made[k].new() end
      end
   end
end

local function step(name, form, how, results, device)
   local text = ('%s %s (%s) %s %s %dx%d dim %d%s'):format(device == 1 and 'cuda op' or 'op', name, form.text, how.kind,
      how.layout,
      how.rows, how.cols, how.dim, results and ', results ' .. results or '')
   return {
      name = text,
      -- an engine of convolution without memory leaves the call to another one
      rounds = name:find '^conv2d' ~= nil and how.kind ~= 'Long',
      make = function()
         draw.seed(name)
         local good = draw.good(name, form, how)
         if device == 1 then for k, v in pairs(good) do good[k] = to_device(v) end end
         if results == 'given' then of_its_types(name, form, good) end
         local args, n = arrange(form, good, results)
         return { args = args, n = n }
      end,
      run = function(given)
         return op.func(name)(unpack(given.args, 1, given.n))
      end,
      state = function(given)
         local list = {}
         for i = 1, given.n do list[i] = given.args[i] or false end
         return list
      end,
   }
end

local function works_along(form)
   for _, a in ipairs(form.args) do if a.word == 'dim' then return true end end
end
local function has(form, word)
   for _, a in ipairs(form.args) do if a.word == word then return true end end
end

--- Adds the steps of the ops to a list. device: 0 the CPU, 1 a CUDA device.
return function(list, device)
   for _, name in ipairs(op.names()) do
      for _, form in ipairs(op.forms(name)) do
         local kinds = {}
         for _, kind in ipairs { 'Float', 'Double', 'Half', 'Long' } do
            if supports(form, kind, device) then kinds[#kinds + 1] = kind end
         end
         if #kinds == 0 and supports(form, 'Byte', device) then kinds[1] = 'Byte' end
         local changes = has(form, 'inout')
         local first = true
         for _, kind in ipairs(kinds) do
            for dim = 1, works_along(form) and 2 or 1 do
               local function more(layout, rows, cols, results)
                  local how = { kind = kind, layout = layout, rows = rows, cols = cols, dim = dim }
                  list[#list + 1] = step(name, form, how, results, device)
               end
               more('contiguous', 5, 7)
               if kind ~= 'Half' then more('transposed', 40, 61) end
               if first then more('contiguous', 40, 61, not changes and 'given' or nil) end
               if first and has(form, 'self') then more('contiguous', 40, 61, 'in place') end
               if first and device == 0 then more('transposed', 300, 401) end
            end
            first = false
         end
      end
   end
end
