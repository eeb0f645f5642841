-- test/torch/invalid_calls_spec.lua - the public functions that are no ops, called with arguments that make no sense.
-- runs once: most of them know no CPU level
local torch = require 'torch'
require 'paths'
require 'sys'
require 'xlua'
require 'optim'
local ffi = require 'ffi'
local op = require 'torch.op'
local junk = require 'test.support.invalid_calls'

ffi.cdef 'int chdir(const char *path);'

local function walk(prefix, functions, before, most) return junk.walk(prefix, functions, before, most) end

local function without_ops(functions)
   local rest = {}
   for name, f in pairs(functions) do
      if type(name) ~= 'string' or not op.forms(name) then rest[name] = f end
   end
   return rest
end

-- What is public of a class: not the constructor, which every class has as `new`.
local function methods(name)
   local own = {}
   for k, f in pairs(torch.getmetatable(name)) do if k ~= 'new' then own[k] = f end end
   return own
end

local turn = 0
local function in_turn(...)
   turn = turn + 1
   return { (select(turn % select('#', ...) + 1, ...)) }
end

describe('junk', function()
   local memory = require 'torch.lib'.C.th_memory_of(0)
   local kept, folder, here = {}, nil, nil

   setup(function()
      here, folder = paths.cwd(), os.tmpname()
      os.remove(folder)
      paths.mkdir(folder)
      ffi.C.chdir(folder)                                    -- files that are written lie here
      kept.print, kept.write, kept.exit = print, io.write, os.exit
      _G.print, io.write = function() end, function() return true end
      rawset(os, 'exit', junk.exit)
      memory.most = memory.bytes + 2 ^ 28
   end)
   teardown(function()
      _G.print, io.write = kept.print, kept.write
      rawset(os, 'exit', kept.exit)
      memory.most = 0
      ffi.C.chdir(here)
      paths.rmall(folder, 'yes')
   end)

   it('never harms the functions of torch', function() assert.is_true(walk('torch.', without_ops(torch)) > 80) end)
   for _, name in ipairs { 'paths', 'sys', 'xlua', 'optim' } do
      it('never harms the functions of ' .. name, function() walk(name .. '.', _G[name]) end)
   end

   it('never harms the methods of tensors, called with a tensor or with anything', function()
      local base = without_ops(getmetatable(torch.getmetatable 'torch.FloatTensor').__index)
      local n = walk('Tensor:', base, function()
         return in_turn(torch.FloatTensor(2, 3):fill(1), torch.FloatTensor(), torch.ones(4), torch.tensor(3), torch.ones(1):expand(3))
      end)
      assert.is_true(n > 60)
      base.new = nil                                         -- x.new(...) makes a tensor: it needs no self
      walk('Tensor.', base, nil, 2)
   end)

   it('never harms the operators of tensors', function()
      walk('tensor ', {
         tostring = function(x) return tostring(x) end,
         len = function(x) return #x end,
         eq = function(x, v) return x == v end,
      }, function() return in_turn(torch.FloatTensor(2, 3):fill(1), torch.Tensor(), torch.ones(4), torch.tensor(3)) end, 2)
      local function named(name, f)                          -- they have no name, or speak in that of the op
         return function(...)
            local ok, why = pcall(f, ...)
            if not ok then error(name .. ': ' .. tostring(why), 0) end
         end
      end
      walk('operator ', {
         add = named('add', function(x, v) return x + v, v + x end),
         sub = named('sub', function(x, v) return x - v, v - x end),
         mul = named('mul', function(x, v) return x * v, v * x end),
         div = named('div', function(x, v) return x / v, v / x end),
         mod = named('mod', function(x, v) return x % v, v % x end),
         index = named('index', function(x, k) return x[k] end),
         newindex = named('newindex', function(x, k, v) x[k] = v end),
         unm = named('unm', function(x) return -x end),
      }, function() return in_turn(torch.FloatTensor(2, 3):fill(1), torch.Tensor(), torch.ones(4), torch.tensor(3)) end, 2)
   end)

   it('never harms storages', function()
      local base = getmetatable(torch.getmetatable 'torch.FloatStorage').__index
      walk('Storage:', base, function() return in_turn(torch.FloatStorage { 1, 2, 3 }, torch.LongStorage(), torch.CharStorage(2)) end, 3)
      local with_dot = {}
      for name, f in pairs(base) do if name ~= 'new' then with_dot[name] = f end end
      walk('Storage.', with_dot, nil, 3)
   end)

   it('never harms files', function()
      local function files()
         local text = torch.MemoryFile():ascii()
         text:writeString '1 2 3 abc\n4 5'
         text:seek(1)
         local disk = torch.DiskFile('a file', 'rw'):binary()
         disk:writeString 'abcdefghijklmnopqrstuvwxyz'
         return in_turn(torch.MemoryFile(), text, disk:seek(1), torch.DiskFile('another', 'w'))
      end
      walk('torch.File:', methods 'torch.File', files, 3)
      walk('torch.DiskFile:', methods 'torch.DiskFile', function() return { torch.DiskFile('a file', 'rw') } end, 3)
      walk('torch.MemoryFile:', methods 'torch.MemoryFile', function() return { torch.MemoryFile() } end, 3)
      for _, name in ipairs { 'torch.File', 'torch.DiskFile', 'torch.MemoryFile' } do walk(name .. '.', methods(name), nil, 2) end
   end)

   it('never harms __tostring__ of tensors, storages, files and timers', function()
      for _, name in ipairs { 'FloatTensor', 'FloatStorage', 'DiskFile', 'MemoryFile', 'Timer' } do
         local f = torch[name].__tostring__
         for _, v in ipairs { false, 3, 'x', {}, print, ffi.cast('void *', 0) } do
            local ok, why = pcall(f, v or nil)
            assert(not ok and why:find('__tostring__: argument 1 must be a ', 1, true), ('%s: %s'):format(name, tostring(why)))
         end
      end
      assert.error_matches(function() torch.Tensor.__tostring__() end, '__tostring__: argument 1 must be a tensor, got nil')
   end)

   it('never harms timers, testers, command lines, matrices and loggers', function()
      for name, make in pairs { Timer = torch.Timer, Tester = torch.Tester, CmdLine = torch.CmdLine } do
         walk(('torch.%s:'):format(name), methods('torch.' .. name), function() return { make() } end)
         walk(('torch.%s.'):format(name), methods('torch.' .. name), nil, 2)
      end
      walk('optim.ConfusionMatrix:', methods 'optim.ConfusionMatrix', function() return { optim.ConfusionMatrix(3) } end)
      walk('optim.Logger:', methods 'optim.Logger', function() return in_turn(optim.Logger(), optim.Logger 'log') end)
   end)

   it('is thousands of calls, of which many are refused', function()
      assert.is_true(junk.refused > junk.calls / 4, junk.refused)
      kept.print(('%d calls of functions that are no ops, %d refused'):format(junk.calls, junk.refused))
   end)
end)
