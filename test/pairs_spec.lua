-- Loops over the entries of a table: Debian's LuaJIT of March 2022 loses entries in compiled ones. torch.pairs keeps that away.
local plain = require 'test.plain'

-- Many loops, as each is compiled in its own way. Prints how many answers are wrong.
local counts = [[
local wrong = 0
for variant = 1, 300 do
   local count = assert(loadstring('-- ' .. ('x'):rep(7 * variant) .. '\n' .. [=[
      return function(list)
         local n = 0
         for k in pairs(list) do
            if type(k) == 'number' and k > n and k % 1 == 0 then n = k end
         end
         return n
      end]=]))()
   local lists = { [0] = {}, { 1 }, { {}, 'a' }, [5] = { 1, 2, 'x', {}, 5 } }
   local named = { x = 1, y = 2 }
   for _ = 1, 200 do
      for n, list in pairs(lists) do
         if count(list) ~= n then wrong = wrong + 1 end
      end
      count(named)
   end
end
print(wrong)
]]

describe('a compiled loop over the entries of a table', function()
   it('meets each of them in th', function()
      assert.equal('0\n', (plain.th(counts)))
   end)

   it('meets each of them in th, where it calls next', function()
      assert.equal('0\n', (plain.th((counts:gsub('in pairs%(list%)', 'in next, list')))))
   end)

   it('meets each of them in a LuaJIT that requires torch', function()
      local out = plain.luajit("require 'torch'\n" .. counts)
      if not out then return pending(plain.PENDING) end
      assert.equal('0\n', out)
   end)

   it('meets each of them in a thread', function()
      assert.equal('0\n', (plain.th(([[
local threads = require 'threads'
local pool = threads.Threads(1)
pool:addjob(function() return loadstring(%q)() end)
pool:synchronize()
pool:terminate()]]):format(counts))))
   end)
end)

describe("LuaJIT's option fuse", function()
   it('is set in th, and in its threads', function()
      assert.equal('true true\n', (plain.th [[
local function fuses() return (' ' .. table.concat({ select(2, jit.status()) }, ' ') .. ' '):find(' fuse ', 1, true) ~= nil end
local pool, inside = require 'threads'.Threads(1), nil
pool:addjob(fuses, function(it) inside = it end)
pool:synchronize()
pool:terminate()
print(tostring(fuses()) .. ' ' .. tostring(inside))]]))
   end)
end)
