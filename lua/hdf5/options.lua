-- lua/hdf5/options.lua - storage options of a new data set.
local ffi = require 'ffi'
local torch = require 'torch'
local arg = require 'torch.arg'
local library = require 'hdf5.library'

local home = {}
--- Options of file:write and file:append: chunks and compression. Their functions return the options.
local Options = torch.class('hdf5.DataSetOptions', home)

local CHUNK = 2 ^ 18                         -- bytes of a chunk, if no option sets its sizes

function Options:__init() self._chunk, self._deflate = nil, nil end

--- Stores the data set in chunks of these sizes, one number for each dimension. A chunk is no larger than the data.
function Options:setChunked(...)
   local chunk = { ... }
   if #chunk == 0 then error('hdf5: setChunked: expected the sizes of a chunk', 2) end
   for _, n in ipairs(chunk) do
      if type(n) ~= 'number' or n % 1 ~= 0 or n < 1 or n >= 2 ^ 32 then
         arg.refuse('hdf5: setChunked', 'each size', 'a whole number from 1 on', n, 2)
      end
   end
   self._chunk = chunk
   return self
end

--- Compresses the chunks. @param level  0 to 9, the smallest files (default 6)
function Options:setDeflate(level)
   if level == nil then level = 6 end
   if type(level) ~= 'number' or level % 1 ~= 0 or level < 0 or level > 9 then
      arg.refuse('hdf5: setDeflate', 'level', 'a whole number in 0..9', level, 2)
   end
   self._deflate = level
   return self
end

-- Rows of about CHUNK bytes.
local function rows_of(sizes, bytes)
   local chunk, row = {}, bytes
   for i = 2, #sizes do
      chunk[i] = math.max(sizes[i], 1)
      row = row * chunk[i]
   end
   chunk[1] = math.max(1, math.floor(CHUNK / row))
   for i = 2, #sizes do                                       -- long rows are split
      local over = math.ceil(row / (16 * CHUNK))
      if over <= 1 then break end
      local piece = math.max(1, math.floor(chunk[i] / over))
      row, chunk[i] = row / chunk[i] * piece, piece
   end
   return chunk
end

local function chunk_of(self, sizes, bytes, grows)
   local chunk = self._chunk or rows_of(sizes, bytes)
   if #chunk ~= #sizes then
      error(('chunks of %d dimensions do not fit data of %d'):format(#chunk, #sizes), 0)
   end
   local fitting = {}
   for i, n in ipairs(chunk) do
      fitting[i] = grows and i == 1 and n or math.min(n, math.max(sizes[i], 1))
   end
   return fitting
end

--- Sets the properties of a new data set.
-- @param grows  whether rows are appended later
function Options:_apply(list, sizes, bytes, grows)
   if #sizes == 0 or not (self._chunk or self._deflate or grows) then return end
   local C, chunk = library.open(), chunk_of(self, sizes, bytes, grows)
   library.check(C.H5Pset_chunk(list, #chunk, ffi.new('hsize_t[?]', #chunk, chunk)), 'chunks')
   if self._deflate then library.check(C.H5Pset_deflate(list, self._deflate), 'compression') end
end

return home.DataSetOptions
