-- test/support/comm/pairwise.lua - the expected result of a reduction: tensors of ranks, reduced in pairs by
-- tensor methods.

--- ((made(0) op made(1)) op (made(2) op made(3))) op ..., of n ranks; `op` is the name of a method such as 'add'.
local function in_pairs(n, made, op, first)
   first = first or 0
   if n == 1 then return made(first) end
   local half = 1
   while 2 * half < n do half = 2 * half end
   local x = in_pairs(half, made, op, first)
   return x[op](x, x, in_pairs(n - half, made, op, first + half))
end

return in_pairs
