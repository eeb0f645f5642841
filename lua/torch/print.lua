-- torch.print - tensors and storages as text, in Torch7's form or in the plain one of the prompt; of large ones, only the edges.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local arg = require 'torch.arg'
local dtype = require 'torch.dtype'
local C = lib.C
local floor, abs, log10 = math.floor, math.abs, math.log10
local read = dtype.read
local LONG = dtype.id.Long

-- The options of torch.setprintoptions. linewidth: characters in a line; wider matrices are cut into columns.
local defaults = { full = false, threshold = 1000, edgeitems = 3, precision = 4, linewidth = 80, style = 'torch7',
   suppress = false }
local option = {}
for k, v in pairs(defaults) do option[k] = v end

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

-- Like survey, of the finite numbers that are not 0; also whether others exist.
local function survey_finite(d, p, n)
   local least, most, whole, special = math.huge, 0, true, false
   for i = 0, n - 1 do
      local v = abs(read(d, p, i))
      if v ~= v or v == math.huge then
         special = true
      elseif v > 0 then
         if whole and v ~= floor(v) then whole = false end
         if v < least then least = v end
         if v > most then most = v end
      end
   end
   return least, most, whole, special
end

-- Whole numbers below 2^53 have all their digits, and those of a LongTensor always. Fractions have exponents only where
-- fixed-point digits would not show them.
local function plain_format_of(d, p, n)
   local least, most, whole, special = survey_finite(d, p, n)
   local places = option.precision
   local least_width = special and 5 or 1                      -- ' -inf'
   if whole and (most < 2 ^ 53 or d == LONG) then
      local width = math.max(digits(most) + 1, least_width)
      if d == LONG and most >= 2 ^ 53 then return '%d', math.max(width, 20), 1 end
      return ('%%%d.0f'):format(width), width, 1
   end
   local tiny = option.suppress and most or least
   if most >= 1e8 or tiny < 10 ^ -places then
      local width = (most >= 1e100 or least < 1e-99) and places + 8 or places + 7
      return ('%%%d.%de'):format(width, places), width, 1
   end
   local width = math.max(math.max(digits(most), 1) + places + 2, least_width)
   return ('%%%d.%df'):format(width, places), width, 1
end

-- The common format of n numbers: a format, its width, and the factor taken out of them.
local function format_of(d, p, n)
   if option.style == 'plain' and n > 0 then return plain_format_of(d, p, n) end
   local least, most, whole = survey(d, p, n)
   local places = option.precision
   if n == 0 then return '%d', 1, 1 end
   if least ~= least then return '%f', 0, 1 end
   least, most = digits(least), digits(most)
   if whole then
      if most > 9 then return ('%%%d.%de'):format(places + 7, places), places + 7, 1 end
      return ('%%%d.0f'):format(most + 1), most + 1, 1
   end
   if most - least > 4 then
      local width = (abs(most) >= 100 or abs(least) >= 100) and places + 8 or places + 7
      return ('%%%d.%de'):format(width, places), width, 1
   end
   local width = (most > 5 or most <= 0) and places + 3 or most + places + 2
   return ('%%%d.%df'):format(width, places), width, (most > 5 or most < 0) and 10 ^ (most - 1) or 1
end

-- ---- rows and matrices ----------------------------------------

local function add(out, s) out[#out + 1] = s end

local function add_scale(out, scale)
   if scale ~= 1 then add(out, ('%g *\n'):format(scale)) end
end

-- Number i in a format; a whole zero is written without a sign.
local function text(format, d, p, i, scale, width)
   if format == '%d' and d == LONG then
      return ('%' .. width .. 's'):format((tostring(ffi.cast('int64_t *', p)[i]):gsub('LL$', '')))
   end
   local v = read(d, p, i)
   if option.style == 'plain' and (v ~= v or abs(v) == math.huge) then
      return ('%' .. width .. 's'):format(v ~= v and 'nan' or v > 0 and 'inf' or '-inf')
   end
   if v == 0 then v = 0 end
   return format:format(scale == 1 and v or v / scale)
end

-- `gap`: the count of numbers before those left out.
local function add_vector(out, d, p, n, gap)
   local format, width, scale = format_of(d, p, n)
   add_scale(out, scale)
   for i = 0, n - 1 do
      if i == gap then add(out, ('%' .. width .. 's\n'):format('...')) end
      add(out, text(format, d, p, i, scale, width))
      add(out, '\n')
   end
end

-- The matrix whose first element has index `at`, in the format of the whole tensor. Rows and columns may have gaps.
local function add_matrix(out, d, p, at, rows, columns, indent, format, width, scale, row_gap, column_gap)
   local fitting = column_gap and columns or math.max(1, floor((option.linewidth - #indent) / (width + 1)))
   local margin = scale == 1 and indent or indent .. ' '
   local dots = ('%' .. width .. 's'):format('...')
   local row = {}
   for first = 0, columns - 1, fitting do
      local last = math.min(first + fitting, columns) - 1
      if fitting < columns then
         add(out, ('%sColumns %d to %d\n'):format(first == 0 and indent or '\n', first + 1, last + 1))
      end
      add_scale(out, scale)
      for i = 0, rows - 1 do
         if i == row_gap then add(out, margin .. dots .. '\n') end
         local n = 0
         for j = first, last do
            if j == column_gap then
               n = n + 1
               row[n] = '...'
            end
            n = n + 1
            row[n] = text(format, d, p, at + i * columns + j, scale, width)
         end
         add(out, margin)
         add(out, table.concat(row, ' ', 1, n))
         add(out, '\n')
      end
   end
end

-- Every matrix of the last two dimensions, under its indices in the others. `size` is how many indices of each dimension
-- are shown, `gap` how many before those left out, `skip` how many are left out.
local function add_matrices(out, d, p, n, ndim, size, gap, skip)
   local format, width, scale = format_of(d, p, n)
   local outer = ndim - 2
   local rows, columns = size[outer], size[outer + 1]
   local place, shown = {}, {}
   for k = 1, outer do place[k] = 0 end
   for at = 0, n - 1, rows * columns do
      if at > 0 then add(out, '\n') end
      for k = 1, outer do
         local passed = gap[k - 1] and place[k] >= gap[k - 1]
         shown[k] = place[k] + 1 + (passed and skip[k - 1] or 0)
      end
      add(out, ('(%s,.,.) = \n'):format(table.concat(shown, ',')))
      add_matrix(out, d, p, at, rows, columns, ' ', format, width, scale, gap[outer], gap[outer + 1])
      for k = outer, 1, -1 do
         place[k] = place[k] + 1
         if place[k] == gap[k - 1] then add(out, '\n...\n') end
         if place[k] < size[k - 1] then break end
         place[k] = 0
      end
   end
end

-- ---- the shown part of large tensors --------------

-- How many indices at either end of each dimension are shown. There are fewer than the option says if they would be too
-- many. Of tensors with many dimensions the first ones show only their first index.
local function edges(t)
   local most = math.max(option.threshold, 1)
   local edge, front = option.edgeitems, 0
   local function count()
      local n = 1
      for k = 0, t._ndim - 1 do n = n * (k < front and 1 or math.min(tonumber(t._size[k]), 2 * edge)) end
      return n
   end
   while edge > 1 and count() > most do edge = edge - 1 end
   while front < t._ndim and count() > most do front = front + 1 end
   return edge, front
end

-- The shown numbers of a large tensor, contiguous: numbers, how many, and size, gap and skip as add_matrices takes them.
local function gather(t)
   local edge, front = edges(t)
   local size, gap, skip, n = {}, {}, {}, 1
   for k = 0, t._ndim - 1 do
      local whole = tonumber(t._size[k])
      local ends = k < front and 1 or 2 * edge
      size[k] = math.min(whole, ends)
      if whole > ends then gap[k], skip[k] = k < front and 1 or edge, whole - ends end
      n = n * size[k]
   end
   local numbers = ffi.new('double[?]', n)
   local p, bytes = ffi.cast('char *', t._storage.data), dtype.bytes[t._dtype]
   for i = 0, n - 1 do
      local rest, at = i, tonumber(t._offset)
      for k = t._ndim - 1, 0, -1 do
         local index = rest % size[k]
         rest = (rest - index) / size[k]
         if gap[k] and index >= gap[k] then index = index + skip[k] end
         at = at + index * tonumber(t._stride[k])
      end
      numbers[i] = read(t._dtype, p + at * bytes, 0)
   end
   return numbers, n, size, gap, skip
end

-- ---- entry points for the metatypes ---------------

local print = {}

local function size_text(t)
   if t._ndim == 0 then return 'of size ()' end
   if t._ndim == 1 and t._size[0] == 0 then return 'with no dimension' end
   local s = {}
   for k = 0, t._ndim - 1 do s[k + 1] = ('%d'):format(tonumber(t._size[k])) end
   return 'of size ' .. table.concat(s, 'x')
end

local function is_large(n) return not option.full and n > option.threshold end

--- The text of a tensor: its numbers, all in one format, and a line with its type and size.
function print.tensor(t)
   local out, d, word = {}, t._dtype, dtype.words[dtype.of(t)]
   if d == 0 then return '[torch.UndefinedTensor]\n' end
   local n = tonumber(C.th_tensor_numel(t))
   t = t:host()
   if n > 0 then
      local p, packed, size, gap, skip
      if is_large(n) then
         p, n, size, gap, skip = gather(t)
         d = dtype.id.Double
      else
         packed = t:contiguous()             -- keeps the memory of p alive
         p = ffi.cast('char *', packed._storage.data) + packed._offset * dtype.bytes[d]
         size, gap = {}, {}
         for k = 0, t._ndim - 1 do size[k] = tonumber(t._size[k]) end
      end
      if t._ndim < 2 then
         add_vector(out, d, p, n, gap[0])
      elseif t._ndim == 2 then
         local format, width, scale = format_of(d, p, n)
         add_matrix(out, d, p, 0, size[0], size[1], '', format, width, scale, gap[0], gap[1])
      else
         add_matrices(out, d, p, n, t._ndim, size, gap, skip)
      end
      local last = t._ndim - 1
      if gap[last] and gap[last] == size[last] then add(out, ' ...\n') end
   end
   add(out, ('[torch.%sTensor %s]\n'):format(word, size_text(t)))
   return table.concat(out)
end

-- The sizes in a LongStorage, '2x3', in the plain style; nil if it holds anything else.
local function sizes_text(host, n)
   if option.style ~= 'plain' or host.s.dtype ~= LONG or n < 1 or n > C.TH_MAXDIM then return nil end
   local sizes = {}
   for i = 0, n - 1 do
      sizes[i + 1] = read(LONG, host.s.data, i)
      if sizes[i + 1] < 0 then return nil end
   end
   return table.concat(sizes, 'x')
end

--- The text of a storage: one number a line, and a line with its type and size.
-- @param host  the storage, or on a device a copy on the CPU
function print.storage(ref, host)
   local out, n, word = {}, #ref, dtype.words[dtype.of_storage(ref.s)]
   local sizes = sizes_text(host, n)
   if sizes then
      add(out, ' ' .. sizes .. '\n')
   elseif is_large(n) then
      local edge, d = option.edgeitems, host.s.dtype
      local numbers = ffi.new('double[?]', 2 * edge)
      for i = 0, 2 * edge - 1 do numbers[i] = read(d, host.s.data, i < edge and i or n - 2 * edge + i) end
      add_vector(out, dtype.id.Double, numbers, 2 * edge, edge)
   elseif n > 0 then
      add_vector(out, host.s.dtype, host.s.data, n)
   end
   add(out, ('[torch.%sStorage of size %d]\n'):format(word, n))
   return table.concat(out)
end

-- ---- options ----------------------------------------

local limits = { threshold = { 0, 2 ^ 53 }, edgeitems = { 1, 1000 }, precision = { 0, 17 }, linewidth = { 1, 2 ^ 20 } }

local function checked(name, v)
   if defaults[name] == nil then
      error(("torch.setprintoptions: there is no option '%s'; there are full, threshold, edgeitems, precision, linewidth, "
         .. 'style and suppress')
         :format(tostring(name)), 3)
   end
   if name == 'style' then
      if v ~= 'torch7' and v ~= 'plain' then arg.refuse('torch.setprintoptions', name, "'torch7' or 'plain'", v, 3) end
      return v
   end
   if name == 'full' or name == 'suppress' then
      if type(v) ~= 'boolean' then arg.refuse('torch.setprintoptions', name, 'true or false', v, 3) end
      return v
   end
   local least, most = unpack(limits[name])
   if type(v) ~= 'number' or v % 1 ~= 0 or v < least or v > most then
      arg.refuse('torch.setprintoptions', name, ('a whole number of %d..%d'):format(least, most), v, 3)
   end
   return v
end

--- How tensors and storages are printed: torch.setprintoptions{full = true, threshold = 1000, edgeitems = 3, precision = 4,
-- linewidth = 80, style = 'torch7', suppress = false}. One of more than `threshold` elements shows
-- `edgeitems` numbers at either end of each dimension. When `full` is true, it shows all of them,
-- as Torch7 did. Numbers have `precision` digits behind the point; a matrix wider than `linewidth`
-- characters is cut into columns. The style 'plain', that of the prompt on a terminal, writes all
-- digits of whole numbers and no common factors. It keeps NaN and infinity in their columns.
-- `suppress` then writes small numbers as 0.0000 where the style has exponents. Options not given
-- stay; without any argument all become their defaults.
-- @return the options before
function print.setprintoptions(options)
   if options == nil then options = defaults end
   if type(options) ~= 'table' then arg.refuse('torch.setprintoptions', 'options', 'a table', options) end
   local before = {}
   for name, v in pairs(options) do checked(name, v) end
   for name, v in pairs(option) do before[name] = v end
   for name, v in pairs(options) do option[name] = v end
   return before
end

function print.install(torch) torch.setprintoptions = print.setprintoptions end

return print
