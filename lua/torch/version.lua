-- torch.version - the version of this library, which compares with texts, and which is also Torch7's function torch.version.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local class = require 'torch.class'
local C = lib.C

local M = {}

local text = ffi.string(C.th_build(C.TH_BUILD_VERSION))

-- The numbers of a version: '0.10' -> { 0, 10 }.
local function numbers_of(v)
   local list = {}
   for n in tostring(v):gmatch '%d+' do list[#list + 1] = tonumber(n) end
   return list
end

-- Negative, 0 or positive, as a is before, equal to or after b. Absent numbers count as 0.
local function compare(a, b)
   for _, v in ipairs { a, b } do
      if type(v) ~= 'string' and type(v) ~= 'cdata' or not tostring(v):find '^%d' then
         error(("torch.version: a version compares with a text such as '%s', got %s"):format(text,
            require 'torch.arg'.describe(v)), 3)
      end
   end
   a, b = numbers_of(a), numbers_of(b)
   for i = 1, math.max(#a, #b) do
      local d = (a[i] or 0) - (b[i] or 0)
      if d ~= 0 then return d end
   end
   return 0
end

-- A struct, because LuaJIT compares one with a string by its metamethods, and a table with another table only.
ffi.cdef 'typedef struct th_version { int numbers[3]; } th_version;'
ffi.metatype('th_version', {
   __tostring = function() return text end,
   __len = function() return #text end,
   __concat = function(a, b) return tostring(a) .. tostring(b) end,
   __eq = function(a, b)
      local fits = (type(a) == 'string' or type(a) == 'cdata') and (type(b) == 'string' or type(b) == 'cdata')
      return fits and tostring(a) == tostring(b)
   end,
   __lt = function(a, b) return compare(a, b) < 0 end,
   __le = function(a, b) return compare(a, b) <= 0 end,
   __index = function(_, name)
      local f = string[name]
      if type(f) ~= 'function' then return nil end
      return function(_, ...) return f(text, ...) end
   end,
   __call = function(_, object) return class.version(object) end,
})

--- torch.version(object): The version of the class of an object, which files carry; nil when the object has no class. torch.version
-- itself is the version of this library: it prints as a text, and compares with one number by number.
-- torch.version >= '0.1', torch.version(torch.Timer()) --> true, 1
M.version = ffi.new('th_version', { numbers_of(text) })

function M.install(torch) torch.version = M.version end

return M
