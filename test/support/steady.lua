-- test/support/steady.lua - decides whether a series of measurements stays level; test/soak.lua uses it for memory and threads.
local steady = {}

local POINTS = 200                          -- a longer series is judged by the medians of so many groups

local function median(values)
   local sorted = {}
   for i, v in ipairs(values) do sorted[i] = v end
   table.sort(sorted)
   local n = #sorted
   return n % 2 == 1 and sorted[(n + 1) / 2] or (sorted[n / 2] + sorted[n / 2 + 1]) / 2
end
steady.median = median

local function groups(values)
   local n = #values
   if n <= POINTS then return values end
   local list = {}
   for k = 1, POINTS do
      local group = {}
      for i = math.floor((k - 1) * n / POINTS) + 1, math.floor(k * n / POINTS) do group[#group + 1] = values[i] end
      list[k] = median(group)
   end
   return list
end

--- How much a series grows from its first value to its last: the median slope between all pairs (Theil and Sen) times the
-- length. One outlier in four does not move it. 0 for fewer than two values.
function steady.growth(values)
   local list = groups(values)
   local n, slopes = #list, {}
   if n < 2 then return 0 end
   for i = 1, n - 1 do
      for k = i + 1, n do slopes[#slopes + 1] = (list[k] - list[i]) / (k - i) end
   end
   return median(slopes) * (n - 1)
end

--- Whether a count has grown: the least of the last third is above the least of the first third. Peaks that pass do not count.
function steady.climbs(values)
   local n = #values
   local third = math.max(1, math.floor(n / 3))
   local first, last = math.huge, math.huge
   for i = 1, third do first, last = math.min(first, values[i]), math.min(last, values[n - third + i]) end
   return n > 1 and last > first
end

return steady
