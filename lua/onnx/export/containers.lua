-- lua/onnx/export/containers.lua - rules for modules that hold modules.
local torch = require 'torch'
local rules = require 'onnx.export.rules'
local Value = require 'onnx.export.value'
local container = rules.container

container('nn.Sequential nn.SpatialLPPooling nn.CReLU nn.Maxout', function(c, m, x)
   if #m.modules == 0 and c.depth == 1 then c:refuse 'it holds no module' end
   for i, module in ipairs(m.modules) do x = c:convert(module, x, i) end
   return x
end)

local function outputs(c, m, x)
   local y = {}
   for i, module in ipairs(m.modules) do y[i] = c:convert(module, x, i) end
   return y
end
container('nn.ConcatTable', outputs)

local function need_modules(c, m)
   if #m.modules == 0 then c:refuse 'it holds no module' end
end

-- The tensors of a list joined along a dimension (from 1).
local function joined(c, m, x, list, dim)
   local y = c:run(m, x)
   if #list == 1 then return y:named(list[1].name) end
   return y:named(c:op('Concat', list, { axis = dim - 1 }))
end

container('nn.Concat', function(c, m, x)
   need_modules(c, m)
   return joined(c, m, x, outputs(c, m, x), m.dimension)
end)
container('nn.ModelParallel', function(c, m, x)
   need_modules(c, m)
   return joined(c, m, x, outputs(c, m, x), m.dimension)
end)

container('nn.DepthConcat', function(c, m, x)
   need_modules(c, m)
   local list, y = outputs(c, m, x), c:run(m, x)
   for i, part in ipairs(list) do
      local n, pads, grows = part:dim(), {}, false
      for d = 1, n do
         pads[d], pads[n + d] = 0, 0
         if d ~= m.dimension then
            local room = y.sizes[d] - part.sizes[d]
            if room ~= 0 then
               c:fixed(part, d)
               pads[d], pads[n + d], grows = math.floor(room / 2), room - math.floor(room / 2), true
            end
         end
      end
      if grows then list[i] = part:named(c:op('Pad', { part, c:ints(pads), c:number(0) }, { mode = 'constant' })) end
   end
   return joined(c, m, x, list, m.dimension)
end)

-- The slices of a value along a dimension (from 1), without that dimension.
local function slices(c, x, dim, n)
   local list, function_t = {}, function(t, i) return t:dim() > 1 and t:select(dim, i) or t:narrow(dim, i, 1) end
   for i = 1, n do
      local name = c:slice(x, dim - 1, i - 1, i)
      if x:dim() > 1 then name = c:squeeze(name, { dim - 1 }) end
      list[i] = Value.new(name, function_t(x.t, i):clone(), x.u and function_t(x.u, i):clone(), x.type)
   end
   return list
end

container('nn.ParallelTable', function(c, m, x)
   local y = {}
   if Value.is(x) then x = slices(c, x, 1, math.min(#m.modules, c:fixed(x, 1))) end
   if #x < #m.modules then c:refuse('it holds %d modules, and its input has %d elements', #m.modules, #x) end
   for i, module in ipairs(m.modules) do y[i] = c:convert(module, x[i], i) end
   return y
end)

container('nn.Parallel', function(c, m, x)
   need_modules(c, m)
   local parts, list = slices(c, x, m.inputDimension, c:fixed(x, m.inputDimension)), {}
   for i, part in ipairs(parts) do list[i] = c:convert(m.modules[i], part, i) end
   return joined(c, m, x, list, m.outputDimension)
end)

container('nn.MapTable', function(c, m, x)
   local y = {}
   for i, part in ipairs(x) do y[i] = c:convert(m.modules[i] or m.module, part, m.shared and 1 or i) end
   return y
end)

container('nn.Bottle', function(c, m, x)
   local dims = m.nInputDim
   local lead = x:dim() - dims + 1
   if lead < 2 then return c:convert(m.modules[1], x, 1) end
   local function merged(t)
      if not t then return nil end
      local size = { -1 }
      for d = lead + 1, t:dim() do size[#size + 1] = tonumber(t:size(d)) end
      return t:contiguous():view(torch.LongStorage(size))
   end
   local flat = Value.new(nil, merged(x.t), merged(x.u), x.type)
   local inner = c:convert(m.modules[1], flat:named(c:reshape(x, flat)), 1)
   local y = c:run(m, x)
   local sizes, varying = {}, 0
   for d = 1, y:dim() do
      sizes[d] = y.varies[d] and -1 or y.sizes[d]
      varying = varying + (y.varies[d] and 1 or 0)
   end
   if varying > 1 then c:need_fixed() end
   return y:named(c:reshape_to(inner, sizes))
end)

-- ---- one module ----------------------------------------------------------------------------------------------------

local function first(c, m, x)
   need_modules(c, m)
   return c:convert(m.modules[1], x, 1)
end
container('nn.Decorator nn.NaN nn.Profile nn.WeightNorm nn.GPU nn.DataParallelTable dist.DataParallel', first)

-- Replicas that each take a part of the batch: all have the parameters of the first.
container('nn.DataParallel nn.OneBitDataParallel', first)

local SHORT = { half = 'float16', bfloat16 = 'bfloat16' }

local function cast_all(c, x, type)
   return Value.map(x, function(v)
      local float = v.type == 'float' or v.type == 'double' or v.type == 'float16' or v.type == 'bfloat16'
      if not float or v.type == type then return v end
      return v:named(c:cast(v, type), type)
   end)
end

-- The examples in the type that a module inside takes.
local function retyped(x, kind)
   local function as(t) return t and t:type():find 'Float' or t and t:type():find 'Double' or t and t:type():find 'Half' end
   return Value.map(x, function(v)
      if not as(v.t) or v.t:type() == kind then return v end
      local w = v:named(v.name)
      w.t, w.u = v.t:type(kind), v.u and v.u:type(kind)
      return w
   end)
end

container('nn.MixedPrecision', function(c, m, x)
   local inner, outer = SHORT[m.kind], c.float
   local kind = m.modules[1]:type()
   local y = c:with_float(inner, function()
      return c:convert(m.modules[1], retyped(cast_all(c, x, inner), kind), 1)
   end)
   return retyped(cast_all(c, y, outer), m:type())
end)

container('nn.DontCast', function(c, m, x)
   local inside = m.modules[1]:type()
   local inner = c.float
   if inside:find 'Half' then inner = 'float16' elseif inside ~= m:type() and c.float ~= 'double' then inner = 'float' end
   local outer = c.float
   local y = c:with_float(inner, function()
      local given = m.castin and retyped(cast_all(c, x, inner), inside) or x
      return c:convert(m.modules[1], given, 1)
   end)
   return m.castout and retyped(cast_all(c, y, outer), m:type()) or y
end)
