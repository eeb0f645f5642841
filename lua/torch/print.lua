-- torch.print - tensors and storages as text, in Torch7's form.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local dtype = require 'torch.dtype'
local C = lib.C
local floor, abs, log10 = math.floor, math.abs, math.log10
local read = dtype.read

local LINE = 80                             -- characters, what a matrix may use before it is cut into columns

-- ---- the format of a number ----------------------------------------

-- Least and largest absolute value of n elements, and whether all are whole. One NaN makes least NaN.
local function survey(d, p, n)
   local least, most, whole = math.huge, 0, true
   for i = 0, n - 1 do
      local v = read(d, p, i)
      if v ~= v then return v, v, false end
      if whole and v ~= floor(v) then whole = false end
      v = abs(v)
      if v < least then least = v end
      if v > most then most = v end
   end
   return least, most, whole
end

-- Digits before the point; 0 and below count the zeros after it.
local function digits(v)
   if v == 0 then return 1 end
   return floor(log10(v)) + 1
end

-- How all n numbers are written: a format, the width it fills, and the factor taken out of them.
local function format_of(d, p, n)
   local least, most, whole = survey(d, p, n)
   if n == 0 then return '%d', 1, 1 end
   if least ~= least then return '%f', 0, 1 end
   least, most = digits(least), digits(most)
   if whole then
      if most > 9 then return '%11.4e', 11, 1 end
      return ('%%%d.0f'):format(most + 1), most + 1, 1
   end
   if most - least > 4 then
      local width = (abs(most) >= 100 or abs(least) >= 100) and 12 or 11
      return ('%%%d.4e'):format(width), width, 1
   end
   if most > 5 or most < 0 then return '%7.4f', 7, 10 ^ (most - 1) end
   local width = most == 0 and 7 or most + 6
   return ('%%%d.4f'):format(width), width, 1
end

-- ---- rows and matrices ----------------------------------------

local function add(out, s) out[#out + 1] = s end

local function add_scale(out, scale)
   if scale ~= 1 then add(out, ('%g *\n'):format(scale)) end
end

-- One number; a whole zero has no sign.
local function text(format, v, scale)
   if v == 0 then v = 0 end
   return format:format(scale == 1 and v or v / scale)
end

local function add_vector(out, d, p, n)
   local format, _, scale = format_of(d, p, n)
   add_scale(out, scale)
   for i = 0, n - 1 do
      add(out, text(format, read(d, p, i), scale))
      add(out, '\n')
   end
end

-- The matrix whose first element lies at place `at`, in the format of the whole tensor.
local function add_matrix(out, d, p, at, rows, columns, indent, format, width, scale)
   local fitting = math.max(1, floor((LINE - #indent) / (width + 1)))
   local margin = scale == 1 and indent or indent .. ' '
   local row = {}
   for first = 0, columns - 1, fitting do
      local last = math.min(first + fitting, columns) - 1
      if fitting < columns then
         add(out, ('%sColumns %d to %d\n'):format(first == 0 and indent or '\n', first + 1, last + 1))
      end
      add_scale(out, scale)
      for i = 0, rows - 1 do
         for j = first, last do row[j - first + 1] = text(format, read(d, p, at + i * columns + j), scale) end
         add(out, margin)
         add(out, table.concat(row, ' ', 1, last - first + 1))
         add(out, '\n')
      end
   end
end

-- Every matrix of the last two dimensions, under its place in the others.
local function add_matrices(out, t, d, p, n)
   local format, width, scale = format_of(d, p, n)
   local outer = t._ndim - 2
   local rows, columns = tonumber(t._size[outer]), tonumber(t._size[outer + 1])
   local place = {}
   for k = 1, outer do place[k] = 1 end
   for at = 0, n - 1, rows * columns do
      if at > 0 then add(out, '\n') end
      add(out, ('(%s,.,.) = \n'):format(table.concat(place, ',')))
      add_matrix(out, d, p, at, rows, columns, ' ', format, width, scale)
      for k = outer, 1, -1 do
         place[k] = place[k] + 1
         if place[k] <= t._size[k - 1] then break end
         place[k] = 1
      end
   end
end

-- ---- what the metatypes call ----------------------------------------

local print = {}

local function size_text(t)
   if t._ndim == 0 then return 'of size ()' end
   if t._ndim == 1 and t._size[0] == 0 then return 'with no dimension' end
   local s = {}
   for k = 0, t._ndim - 1 do s[k + 1] = ('%d'):format(tonumber(t._size[k])) end
   return 'of size ' .. table.concat(s, 'x')
end

--- The text of a tensor: its numbers, all in one format, and a line with its type and size.
function print.tensor(t)
   local out, d = {}, t._dtype
   if d == 0 then return '[torch.UndefinedTensor]\n' end
   local n = tonumber(C.th_tensor_numel(t))
   if n > 0 then
      local packed = t:contiguous()          -- kept alive while p is in use
      local p = ffi.cast('char *', packed._storage.data) + packed._offset * dtype.bytes[d]
      if t._ndim < 2 then
         add_vector(out, d, p, n)
      elseif t._ndim == 2 then
         local format, width, scale = format_of(d, p, n)
         add_matrix(out, d, p, 0, tonumber(t._size[0]), tonumber(t._size[1]), '', format, width, scale)
      else
         add_matrices(out, t, d, p, n)
      end
   end
   add(out, ('[torch.%sTensor %s]\n'):format(dtype.names[d], size_text(t)))
   return table.concat(out)
end

--- The text of a storage: one number a line, and a line with its type and size.
function print.storage(ref)
   local out, n = {}, #ref
   if n > 0 then add_vector(out, ref.s.dtype, ref.s.data, n) end
   add(out, ('[torch.%sStorage of size %d]\n'):format(dtype.names[ref.s.dtype], n))
   return table.concat(out)
end

return print
