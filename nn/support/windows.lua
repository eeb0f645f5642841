-- nn/support/windows.lua - paddings, windows and sums over windows, for layers without a dedicated op.
local torch = require 'torch'

local windows = {}

--- x with `before` and `after` elements of `value` around dimension dim; negative numbers cut off.
function windows.pad(x, dim, before, after, value)
   if before == 0 and after == 0 then return x end
   local n = tonumber(x:size(dim))
   local size = x:size()
   size[dim] = n + before + after
   local y = x.new(size):fill(value or 0)
   local from, to = math.max(1, 1 - before), math.min(n, n + after)
   if to >= from then y:narrow(dim, from + before, to - from + 1):copy(x:narrow(dim, from, to - from + 1)) end
   return y
end

--- The gradient of pad: g without the padding, 0 for the cut parts.
function windows.unpad(g, dim, before, after) return windows.pad(g, dim, -before, -after) end

--- Adds `parts` (the shape of y:unfold(dim, k, step) with the window as last dimension) to y, element by element of the
-- window, because for one element nothing overlaps.
function windows.fold(y, dim, k, step, parts)
   local last = parts:dim()
   local view = y:unfold(dim, k, step)
   for i = 1, k do view:select(last, i):add(parts:select(last, i)) end
   return y
end

--- Indices in 1..n for an image of n rows with `before` and `after` rows around it; mode 'edge' repeats the border,
-- 'mirror' reflects without repeating it. A LongTensor.
function windows.places(n, before, after, mode)
   local places = {}
   for i = 1 - before, n + after do
      local at = i
      if mode == 'mirror' then
         if at < 1 then at = 2 - at end
         if at > n then at = 2 * n - at end
      else
         at = math.max(1, math.min(n, at))
      end
      places[#places + 1] = at
   end
   return torch.LongTensor(places)
end

--- Sums of x over windows of `size` elements along dim, `before` of them before the element itself; as large as x.
function windows.sums(x, dim, size, before)
   local n = tonumber(x:size(dim))
   local y = x.new(x:size()):zero()
   for shift = math.max(-before, 1 - n), math.min(size - 1 - before, n - 1) do
      local length = n - math.abs(shift)
      y:narrow(dim, math.max(1, 1 - shift), length):add(x:narrow(dim, math.max(1, 1 + shift), length))
   end
   return y
end

return windows
