-- lua/gnuplot/histc.lua - counts of values in equal bins, and their histogram in letters.
local torch = require 'torch'

local BINS = 72                             -- fit a line of 80 letters behind the scale
local ROWS = 10

local text = {}

-- Half is rounded up; %.2f would round it to even.
local function decimals(format, x) return format:format(math.floor(x * 100 + 0.5) / 100) end

local function bin_text(h, i)
   return ('(bin:%d/#%d/cntr:%s)'):format(i, h[i].nb, decimals('%.2f', h[i].val))
end

-- A bar is cut into thirds of a row; the least count has a dot.
local MARKS = { '.', ':', '|' }

local function mark(count, greatest, row)
   if count == 0 then return ' ' end
   local thirds = math.floor(count / greatest * (ROWS - 1) * #MARKS + 1e-9) + 1 - (row - 1) * #MARKS
   return thirds <= 0 and ' ' or MARKS[math.min(thirds, #MARKS)]
end

local function five(x)
   local shown = decimals('%+.2f', x)
   if #shown > 5 then shown = ('%+.0f'):format(x) end
   return #shown > 5 and ('%+.0e'):format(x):gsub('e([+-])0?', 'e%1') or shown
end

--- The histogram as lines of letters, with the centers of some bins below.
function text.__tostring(h)
   local greatest = math.max(h[h.max].nb, 1)
   local lines = { ('nsamples:  min:%s  max:%s'):format(bin_text(h, h.min), bin_text(h, h.max)),
                   '--------:' .. ('-'):rep(h.bins) }
   for row = ROWS, 1, -1 do
      local marks = {}
      for i = 1, h.bins do marks[i] = mark(h[i].nb, greatest, row) end
      lines[#lines + 1] = ('%.2e:'):format(row * greatest / (ROWS + 1)) .. table.concat(marks)
   end
   local arrows, centers = {}, {}
   for i = 1, h.bins do arrows[i] = i % 6 == 2 and '^' or '-' end
   for i = 2, h.bins, 6 do centers[#centers + 1] = ('%-5s '):format(five(h[i].val)) end
   lines[#lines + 1] = '--------:' .. table.concat(arrows)
   lines[#lines + 1] = 'centers ' .. table.concat(centers)
   return table.concat(lines, '\n')
end

--- Counts the elements of `tensor` in `bins` equal bins from `min` to `max`.
-- Returns a list of {val = center, nb = count} with the fields raw (counts), bins, binwidth, min and max
-- (the bins with the least and the greatest count).
return function(tensor, bins, min, max)
   bins = bins or BINS
   local x = tensor:double():view(-1)
   min, max = min or x:min(), max or x:max()
   local raw = torch.histc(x, bins, min, max)
   local h = { raw = raw, bins = bins, binwidth = (max - min) / bins }
   h.min, h.max = 1, 1
   for i = 1, bins do
      h[i] = { val = min + (i - 0.5) * h.binwidth, nb = raw[i] }
      if raw[i] < h[h.min].nb then h.min = i end
      if raw[i] > h[h.max].nb then h.max = i end
   end
   return setmetatable(h, text)
end
