-- test/attack/calls.lua - public functions, methods and modules with wrong arguments: a clear error, after which every tensor
-- that was an argument is as before; or a result that can be read.
package.path = './?.lua;' .. package.path
local child = require 'test.attack.child'
local ffi = require 'ffi'
local torch = require 'torch'
local nn = require 'nn'
for _, name in ipairs { 'paths', 'sys', 'xlua', 'optim', 'image', 'tds' } do require(name) end
local junk = require 'test.support.invalid_calls'
local judge = require 'test.fuzz.judge'

local draw, pick = child.draw, child.pick
local memory = require 'torch.lib'.C.th_memory_of(0)

junk.draw_from(draw)
ffi.cdef 'int chdir(const char *path);'
local place = child.folder .. '/calls'
paths.mkdir(place)
ffi.C.chdir(place)
rawset(os, 'exit', junk.exit)
local write = io.write
_G.print, io.write = function() end, function() return true end

-- ---- what is called ------------------------------------------------------------------------------------------------------

-- { name, f, the first arguments or nil }
local targets = {}
local function add(prefix, functions, self)
   local names = {}
   for name, f in pairs(functions) do
      if type(name) == 'string' and not name:find '^_' and junk.callable(f) and not junk.left_out[prefix .. name] then
         names[#names + 1] = name
      end
   end
   table.sort(names)
   for _, name in ipairs(names) do targets[#targets + 1] = { prefix .. name, functions[name], self } end
end

for _, name in ipairs { 'torch', 'paths', 'sys', 'xlua', 'optim', 'image' } do add(name .. '.', _G[name]) end

local tensors = {
   function() return torch.FloatTensor(2, 3):fill(1) end, function() return torch.FloatTensor() end, function() return torch.ones(4) end,
   function() return torch.tensor(3) end, function() return torch.ones(1):expand(3) end, function() return torch.ByteTensor(3, 2, 2):fill(1) end,
   function() return torch.ones(3, 4):t() end, function() return torch.LongTensor { 2, 1 } end, function() return torch.HalfTensor(3):fill(1) end,
   function() return torch.rand(2, 3, 5, 5) end,
}
local base = getmetatable(torch.getmetatable 'torch.FloatTensor').__index
add('Tensor:', base, function() return pick(tensors)() end)
add('Storage:', getmetatable(torch.getmetatable 'torch.FloatStorage').__index, function() return torch.FloatStorage { 1, 2, 3 } end)
for name, make in pairs { Timer = torch.Timer, Tester = torch.Tester, CmdLine = torch.CmdLine, MemoryFile = torch.MemoryFile } do
   add('torch.' .. name .. ':', torch.getmetatable('torch.' .. name), make)
end
add('optim.ConfusionMatrix:', torch.getmetatable 'optim.ConfusionMatrix', function() return optim.ConfusionMatrix(3) end)
table.sort(targets, function(a, b) return a[1] < b[1] end)

local modules = {}
for name, class in pairs(nn) do
   if type(name) == 'string' and junk.callable(class) and torch.getmetatable('nn.' .. name) then modules[#modules + 1] = name end
end
table.sort(modules)

-- ---- the state of arguments ----------------------------------------------------------------------------------------------

local function bits(t)
   local s = t:storage()
   local size = s and #s or 0
   local shape = table.concat(t:size():totable(), 'x') .. '/' .. table.concat(t:stride():totable(), ',')
   return t:type() .. shape .. (size > 0 and size < 4096 and ffi.string(s:data(), size * s:elementSize()) or '')
end

local function snapshot(args, n)
   local kept = {}
   for i = 1, n do if torch.isTensor(args[i]) then kept[i] = bits(args[i]) end end
   return kept
end

local function changed(args, kept)
   for i, before in pairs(kept) do
      local ok, after = pcall(bits, args[i])
      if not ok or after ~= before then return i end
   end
end

-- What is wrong with an error, or nil. One that speaks in the name of an inner function does: 'nn.HardTanh: ...'.
local function fault_of(name, why)
   local fault = junk.fault(name, why)
   if fault ~= junk.UNNAMED then return fault end
   return not why:gsub('^[^%s:]+%.lua:%d+: ', ''):find '^[%a][%w_.:]*: ' and fault or nil
end

local function list(args, n)
   local words = {}
   for i = 1, n do words[i] = junk.shown(args[i]) end
   return table.concat(words, ', ')
end

local function read(ok, ...)
   if ok then
      for i = 1, select('#', ...) do
         local v = select(i, ...)
         if torch.isTensor(v) and v:nElement() < 10000 then judge.touch(v) end
      end
   end
   return ok, ...
end

-- Calls f; what is wrong, or nil.
local function attempt(name, f, args, n)
   local kept = snapshot(args, n)
   local ok, why = read(pcall(f, unpack(args, 1, n)))
   if ok then return nil end
   local fault = fault_of(name, why)
   if not fault then
      local i = changed(args, kept)
      fault = i and ('argument %d was changed'):format(i)
   end
   return fault and ('%s(%s): %s: %s'):format(name, list(args, n), fault, tostring(why))
end

local NULL = ffi.cast('void *', 0)
local function strided(t, first, sizes, strides)
   return t.new(t:storage(), first, torch.LongStorage(sizes), torch.LongStorage(strides))
end
local views = {
   function(t) return t end, function(t) return t end,
   function(t) return t:t() end, function(t) return t:narrow(1, 1, 1) end,
   function(t) return t:select(1, 1) end,
   function(t) return t:unfold(1, 2, 1) end, function(t) return t:view(-1) end,
   function(t) return t.new(t) end,
   function(t) return t:narrow(1, 2, t:size(1) - 1) end,
   function(t) return strided(t, 1, { 2, 3 }, { 1, 1 }) end,
   function(t) return strided(t, 2, { 2, 2 }, { 0, 1 }) end,
   function(t) return t:narrow(1, 1, 0) end,
}

-- A tensor that was given before or a view of it, or nil: results that are arguments, too, or that
-- share their memory.
local function related(args, n)
   local given = {}
   for i = 1, n do if torch.isTensor(args[i]) then given[#given + 1] = args[i] end end
   if #given == 0 then return nil end
   local ok, view = pcall(pick(views), pick(given))
   return ok and view or nil
end

local shapes = { { 3, 0 }, { 0 }, { 3, 4 }, { 4 }, { 2, 3, 4 }, { 1, 3 }, { 0, 2, 2 } }
local types = { 'Float', 'Double', 'Long', 'Byte' }
local kind
local small = {
   function() return draw(9) - 5 end, function() return draw(2) == 1 end,
   function() return torch[kind .. 'Tensor'](unpack(pick(shapes))):fill(1) end,
   function() return torch.LongTensor(unpack(pick(shapes))):fill(1) end,
   function() return pick(tensors)() end,
}

-- One case in eight is about NULL pointers, which equal nil and are not false. Two are about
-- tensors that share memory, of few types and shapes, with dimensions from either end:
-- these often fit each other, so that the call comes as far as its kernel.
local function arguments(args, most)
   local n, about = #args, draw(8)
   kind = pick(types)
   if about > 6 and n == 1 and torch.isTensor(args[1]) then args[1] = small[3]() end
   for part = 1, draw(most + 1) - 1 do
      local v = junk.value()
      if about == 1 then
         v = draw(2) == 1 and NULL or pick(tensors)()
      elseif about > 6 then
         v = draw(2) == 1 and related(args, n) or pick(small)()
      end
      n = n + 1
      if child.has(part) then args[n] = v end
   end
   return args, n
end

local function call()
   local target = pick(targets)
   return attempt(target[1], target[2], arguments(target[3] and { target[3]() } or {}, 5))
end

-- A module with drawn arguments; then each of its passes with drawn tensors.
local function module()
   local name = pick(modules)
   local args, n = arguments({}, 5)
   local made, m = pcall(nn[name], unpack(args, 1, n))
   if not made then
      local fault = fault_of('nn.' .. name, m)
      return fault and ('nn.%s(%s): %s: %s'):format(name, list(args, n), fault, tostring(m))
   end
   if type(m) ~= 'table' then return nil end
   for _, pass in ipairs { 'forward', 'backward', 'updateGradInput', 'clearState', 'evaluate', 'forward', '__tostring' } do
      local given, count = { m }, 3
      given[2], given[3] = draw(2) == 1 and pick(tensors)() or junk.value(), draw(2) == 1 and pick(tensors)() or junk.value()
      if type(m[pass]) == 'function' then
         local ok, why = read(pcall(m[pass], unpack(given, 1, count)))
         if not ok then
            local fault = fault_of(name, why)
            if fault and fault ~= junk.UNNAMED then
               return ('nn.%s(%s):%s(%s): %s: %s'):format(name, list(args, n), pass, list({ given[2], given[3] }, 2), fault, tostring(why))
            end
         end
      end
   end
end

child.run(function()
   memory.most = memory.bytes + 2 ^ 28
   local why
   if draw(3) == 1 then why = module() else why = call() end
   memory.most = 0
   return why
end)
io.write = write
