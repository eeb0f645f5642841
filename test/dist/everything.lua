-- test/dist/everything.lua - a script that compares all operations with a reduction in the order of the ranks, bit by bit.
return [[
local types = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double' }
local sizes = { 0, 1, 3, 16, 33, 1023, 2048, 10007 }
local large = { 32768, 200003 }
local me, n, count = dist.rank(), dist.size(), 0
local function made(kind, size, r)
   if size == 0 then return torch.Tensor():type('torch.' .. kind .. 'Tensor') end
   local x = torch.range(1, size):mul(2 * r + 3):fmod(101):mul(1 / 7)        -- from 0 to 14
   if kind ~= 'Byte' then x:add(-7) end
   return x:type('torch.' .. kind .. 'Tensor')
end
local wide = { Half = 'Float', BFloat16 = 'Float' }
local function reduced(kind, size, op)
   local sum
   for r = 0, n - 1 do
      local x = made(kind, size, r):type('torch.' .. (wide[kind] or kind) .. 'Tensor')
      if not sum then sum = x
      elseif op == 'min' then sum:cmin(x)
      elseif op == 'max' then sum:cmax(x)
      elseif op == 'prod' then sum:cmul(x)
      else sum:add(x) end
   end
   if op == 'mean' then
      if kind == 'Float' or wide[kind] or kind == 'Double' then sum:div(n)
      else sum = sum:double():div(n):trunc() end
   end
   return sum:type('torch.' .. kind .. 'Tensor')
end
local function check(kind, size, op)
   local want = reduced(kind, size, op)
   local x = made(kind, size, me)
   assert(dist.allreduce(x, op) == x)
   assert(same(x, want), ('allreduce %s %s %d'):format(op, kind, size))
   local y = made(kind, size, me)
   dist.reduce(y, n - 1, op)
   assert(same(y, me == n - 1 and want or made(kind, size, me)), ('reduce %s %s %d'):format(op, kind, size))
   local whole = made(kind, size * n, me)
   local part = dist.reducescatter(whole, op)
   assert(same(part, size == 0 and part or reduced(kind, size * n, op):narrow(1, me * size + 1, size)), ('reducescatter %s %s %d'):format(op, kind, size))
   count = count + 3
end
local function move(kind, size)
   local all = dist.allgather(made(kind, size, me))
   for r = 0, n - 1 do assert(size == 0 or same(all[r + 1], made(kind, size, r)), ('allgather %s %d'):format(kind, size)) end
   local b = made(kind, size, me)
   dist.broadcast(b, n - 1)
   assert(same(b, made(kind, size, n - 1)), ('broadcast %s %d'):format(kind, size))
   local parts = dist.alltoall(made(kind, size * n, me))
   for r = 0, n - 1 do
      assert(size == 0 or same(parts:narrow(1, r * size + 1, size), made(kind, size * n, r):narrow(1, me * size + 1, size)), ('alltoall %s %d'):format(kind, size))
   end
   count = count + 3
end
for _, kind in ipairs(types) do
   for i, size in ipairs(sizes) do
      for k, op in ipairs { 'sum', 'mean', 'min', 'max', 'prod' } do if size == 33 or (i + k) % 3 == 0 then check(kind, size, op) end end
      move(kind, size)
   end
end
for _, size in ipairs(large) do
   local kind = types[size % 9 + 1]
   check('Float', size, 'sum')
   check(kind, size, 'mean')
   move(kind, size)
end
print('checked ' .. count)
]]
