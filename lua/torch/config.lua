-- torch.config - facts about this build: torch.config() and torch.memory(), tables that print nicely.
local ffi = require 'ffi'
local columns = require 'torch.columns'
local lib = require 'torch.lib'
local C = lib.C

local config = {}

-- '1,234,567 bytes (1.2 MiB)'
local function bytes_text(n)
   local digits = columns.grouped(n)
   local units, i, v = { 'bytes', 'KiB', 'MiB', 'GiB', 'TiB' }, 1, n
   while v >= 1024 and i < #units do v, i = v / 1024, i + 1 end
   return i == 1 and digits .. ' bytes' or ('%s bytes (%.1f %s)'):format(digits, v, units[i])
end

-- A table whose text has one line for every { key, write } of `rows`; keys that it lacks get no line.
local function printable(name, rows)
   local widest = 0
   for _, row in ipairs(rows) do widest = math.max(widest, #row[1]) end
   local line = '   %-' .. widest .. 's  %s'
   return { __tostring = function(self)
      local lines = { name }
      for _, row in ipairs(rows) do
         local v = self[row[1]]
         if v ~= nil then lines[#lines + 1] = line:format(row[1], (row[2] or tostring)(v)) end
      end
      return table.concat(lines, '\n')
   end }
end

local function limit_text(n) return n == 0 and 'none' or bytes_text(n) end

local memory_mt = printable('torch.memory', { { 'bytes', bytes_text }, { 'peak', bytes_text }, { 'storages' },
   { 'limit', limit_text } })

--- Memory of tensors, as a table that prints nicely: `bytes` in use now, `peak`, the most so far,
-- and the number of `storages`. `limit` is the most bytes allowed (0: what the machine has).
-- torch.memory().bytes >= 0 --> true
function config.memory()
   lib.sweep()
   local m = C.th_memory_of(C.TH_CPU)
   return setmetatable({ bytes = tonumber(m.bytes), peak = tonumber(m.peak), storages = tonumber(m.storages),
      limit = tonumber(m.most) }, memory_mt)
end

local config_mt = printable('torch.config', { { 'version' }, { 'compiler' }, { 'levels' }, { 'level' }, { 'blas' },
   { 'lapack' }, { 'onednn' }, { 'threads' }, { 'cores' }, { 'memory', limit_text }, { 'library' }, { 'include' }, { 'lua' } })

--- Facts about this build, as a table that prints nicely. It has the version and compiler, the
-- instruction-set `levels`, and the `level` in use. It has the BLAS found with its version, whether
-- it has LAPACK, oneDNN, `threads` and `cores`, and LuaJIT's version. It has the limit of tensor
-- `memory` (0: what the machine has), and where the library and th_op.h are.
-- torch.config().threads == torch.getnumthreads() --> true
function config.config()
   local blas, onednn = C.th_blas_name(), C.th_onednn_name()
   return setmetatable({
      version = ffi.string(C.th_build(C.TH_BUILD_VERSION)), compiler = ffi.string(C.th_build(C.TH_BUILD_COMPILER)),
      levels = ffi.string(C.th_build(C.TH_BUILD_LEVELS)),
      level = ffi.string(C.th_cpu_level()), blas = blas ~= nil and ffi.string(blas) or 'none',
      lapack = C.th_has_lapack() ~= 0 and 'found' or 'none', onednn = onednn ~= nil and ffi.string(onednn) or 'none',
      threads = C.th_threads(), cores = C.th_cores(), memory = tonumber(C.th_memory_of(C.TH_CPU).most),
      library = lib.path, include = lib.include, lua = jit.version,
   }, config_mt)
end

function config.install(torch) torch.config, torch.memory = config.config, config.memory end

return config
