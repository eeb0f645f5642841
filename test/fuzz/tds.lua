-- test/fuzz/tds.lua - takes a .t7 file, or behind the byte 255 operations on containers: four bytes for each.
local torch = require 'torch'
package.path = package.path .. ';./?.lua'
local judge = require 'test.fuzz.judge'
local value = require 'tds.value'
local new = value.new

-- Objects in a reference cycle are never freed, so each run empties all its containers.
local made = {}
function value.new(...)
   local o = new(...)
   made[#made + 1] = o
   return o
end
local tds = require 'tds'

function _G.load() return function() end end     -- no bytecode from a file may run

local function empty()
   for _, o in ipairs(made) do
      if torch.type(o) == 'tds.Vec' then o:resize(0) end
      if torch.type(o) == 'tds.Hash' then
         local keys = {}
         for k in pairs(o) do keys[#keys + 1] = k end
         for _, k in ipairs(keys) do o[k] = nil end
         assert(#o == 0, 'a hash is not empty')
      end
   end
   made = {}
end

-- ---- files ---------------------------------------------------------------------------------------------------------

local function touch(x, seen)
   if not value.is_object(x) then return judge.touch(x) end
   local address = tonumber(torch.pointer(x))
   if seen[address] then return end
   seen[address] = true
   if torch.type(x) == 'tds.AtomicCounter' then return x:get() end
   local n = 0
   for k, v in pairs(x) do
      n = n + 1
      touch(k, seen)
      touch(v, seen)
   end
   assert(n <= #x, 'more elements than its size')
end

local function read(text)
   local ok, x = pcall(torch.deserialize, text)
   if not ok then return judge.refusal('torch.deserialize', x) end
   touch(x, {})
   local again
   ok, again = pcall(torch.serialize, x)
   if not ok then return judge.refusal('torch.serialize', again) end
   touch(torch.deserialize(again), {})
end

-- ---- operations ----------------------------------------------------------------------------------------------------

-- Four containers, each with a Lua table that must hold the same. A container holds earlier ones only: no circles.
local function element(byte, list, slot)
   local kind, n = byte % 8, math.floor(byte / 8)
   if kind == 0 then return nil end
   if kind <= 2 then return n - 8 end
   if kind == 3 then return n / 4 end
   if kind <= 5 then return ('text'):rep(n * n) .. n end
   if kind == 6 then return n % 2 == 0 end
   return list[n % slot] or n
end

local function same(a, b) return a == b end

-- Calls f, which must refuse with an error of tds when `bad`, and only then.
local function must(bad, f, ...)
   local ok, why = pcall(f, ...)
   assert(ok == not bad, ok and 'a strange argument was taken' or why)
   if not ok then assert(type(why) == 'string' and why:find 'tds', why) end
   return ok
end

local function set(o, k, v) o[k] = v end

local function of_hash(o, model, op, key, x)
   if op % 4 < 3 then
      if must(key == nil, set, o, key, x) then model[key] = x end
   elseif key ~= nil then
      assert(same(o[key], model[key]), 'a key has another value')
   end
end

local function of_vec(o, model, op, key, x, place)
   place = place - 4
   local n = model.n
   if op % 8 < 3 then
      if must(place < 1, set, o, place, x) then
         model[place] = x
         model.n = math.max(n, place)
      end
   elseif op % 8 == 3 then
      if must(place < 1, o.insert, o, place, x) then
         for i = n, place, -1 do model[i + 1] = model[i] end
         model[place] = x
         model.n = math.max(n + 1, place)
      end
   elseif op % 8 == 4 then
      if must(place < 1 or place > n, o.remove, o, place) then
         for i = place, n do model[i] = model[i + 1] end
         model.n = n - 1
      end
   elseif op % 8 == 5 then
      if must(place < 0, o.resize, o, place) then
         for i = place + 1, n do model[i] = nil end
         model.n = place
      end
   elseif op % 8 == 6 then
      local ok = pcall(o.sort, o, function(a, b) return type(a) == 'number' and type(b) == 'number' and a < b end)
      if ok then for i = 1, n do model[i] = o[i] end end
   else
      must(type(key) ~= 'number' or key < 1, function() return o[key] end)
   end
end

-- The same container comes back as another cdata, which no Lua table finds.
local function as_key(k, list)
   for i = 1, value.is_object(k) and #list or 0 do if k == list[i] then return list[i] end end
   return k
end

local function agree(o, model, list)
   local n = 0
   for key, v in pairs(o) do
      local k = as_key(key, list)
      assert(same(v, model[k]), 'another value')
      n = n + 1
   end
   if torch.type(o) == 'tds.Vec' then
      assert(#o == model.n, 'another size')
      for i = 1, model.n do assert(same(o[i], model[i]), 'another element') end
   else
      assert(n == #o, 'another number of keys')
      for k, v in pairs(model) do assert(same(o[k], v), 'a key is lost') end
   end
   assert(#tostring(o) > 0)
end

local function operate(text)
   local list = { [0] = nil, tds.Hash(), tds.Vec(), tds.Hash(), tds.Vec() }
   local models = { {}, { n = 0 }, {}, { n = 0 } }
   for at = 2, #text - 3, 4 do
      local op, a, b, place = text:byte(at, at + 3)
      local slot = op % 4 + 1
      local act = slot % 2 == 1 and of_hash or of_vec
      act(list[slot], models[slot], math.floor(op / 4), element(a, list, slot), element(b, list, slot), place)
   end
   for i, o in ipairs(list) do agree(o, models[i], list) end
end

return function(text)
   if text:byte(1) == 255 then operate(text) else read(text) end
   empty()
end
