-- test/attack/callbacks.lua - functions that resize, free, replace or save what calls them while it works: a result or a clear
-- error, and tensors that can still be read.
package.path = './?.lua;' .. package.path
local child = require 'test.attack.child'
local torch = require 'torch'
local nn = require 'nn'
local optim = require 'optim'
local tds = require 'tds'
local judge = require 'test.fuzz.judge'
local junk = require 'test.support.invalid_calls'

local draw, pick = child.draw, child.pick
local memory = require 'torch.lib'.C.th_memory_of(0)
local N = 40

-- What a callback does to the tensor x that its caller works on. y is another tensor of the same call.
local harms = {
   function(x) x:resize(draw(2000)) end,
   function(x) x:resize(0) end,
   function(x) x:set() end,
   function(x, y) x:set(y) end,
   function(x) if x:storage() then x:storage():resize(draw(3) - 1) end end,
   function(x) x:fill(draw(9)) end,
   function(x) x:set(torch.Tensor(draw(300)):fill(3)) end,
   function(x) x:transpose(1, 1):resize(3, 7, 2) end,
   function() collectgarbage() end,
   function(x, y) y:set(x) end,
   function(x, y) x:resizeAs(y):copy(y) end,
   function() error 'the callback fails' end,
   function(x) torch.setnumthreads(draw(2)) x:apply(function(v) return v end) end,
   function(x) x:cat(x) x:sort() end,
   function(x) torch.deserialize(torch.serialize(x)) end,
   function() coroutine.yield() end,
   function() return {} end,
   function(x) x.harm = nil end,
   function() memory.most = memory.bytes + 1 end,
}

local harm
-- Counts its calls and does harm at a drawn one.
local function callback(x, y, result)
   local when, calls = draw(3) == 1 and 1 or draw(N), 0
   return function()
      calls = calls + 1
      if calls == when then
         local r = harm(x, y)
         if r ~= nil then return r end
      end
      return result
   end
end

local function class_with(methods)
   local Own = torch.class('attack.Own' .. draw(2 ^ 30), {})
   for name, f in pairs(methods) do Own[name] = f end
   return setmetatable({}, Own)
end

local function net_of(x)
   local layer = nn.Module()
   local f = callback(x, x:clone(), nil)
   function layer.updateOutput(self, input)
      f()
      self.output = input
      return input
   end
   function layer.updateGradInput(self, _, g)
      f()
      self.gradInput = g
      return g
   end
   local inner = nn.Linear(N, N)
   if draw(2) == 1 then
      return nn.Sequential():add(inner):add(layer):add(nn.Tanh()), inner
   end
   return nn.Sequential():add(layer):add(inner), inner
end

local scenes = {
   function(x, y) x:apply(callback(x, y, 1)) end,
   function(x, y) x:map(y, callback(x, y, 1)) end,
   function(x, y) x:map2(y, y:clone(), callback(x, y, 1)) end,
   function(x, y) x:apply(callback(y, x, 1)) end,
   function(x, y)
      local net, inner = net_of(x)
      local input = draw(2) == 1 and inner.weight or torch.rand(N)
      net:forward(input)
      net:backward(input, y)
   end,
   function(_, y)
      local inner = nn.Linear(N, N)
      local net = nn.Sequential():add(inner)
      net:apply(callback(inner.weight, y))
      net:forward(y)
   end,
   function(_, y)
      local net = nn.Sequential():add(nn.Linear(N, N))
      local f = callback({ set = function() net:remove() end, resize = function() net:insert(nn.Tanh(), 1) end, fill = function() end,
         storage = function() end, transpose = function() return net end, cat = function() end, sort = function() end }, y, nil)
      net:get(1).updateOutput = function(self, input) f() return nn.Linear.updateOutput(self, input) end
      net:forward(y)
      net:backward(y, y)
   end,
   function(x, y)
      local f = callback(x, y)
      local method = pick { 'sgd', 'adam', 'adagrad', 'lbfgs', 'rprop', 'cg', 'adadelta', 'rmsprop', 'adamax', 'asgd', 'nag' }
      for _ = 1, 3 do
         optim[method](function(p)
            f()
            return p:sum(), p == x and p:clone() or y
         end, x, {})
      end
   end,
   function(x, y)
      local f = callback(x, y)
      local object = class_with { write = function(_, file) f() file:writeObject(x) end, read = function() end }
      pcall(torch.serialize, { x, object, x, y })
   end,
   function(x, y)
      local file = torch.MemoryFile()
      local f = callback({ set = function() file:close() end, resize = function() file:seek(1) end, storage = function() end,
         fill = function() file:writeObject(x) end, transpose = function() return x end, cat = function() end, sort = function() end }, y)
      file:writeObject { class_with { write = function(_, to) f() to:writeInt(1) end, read = function() end }, x }
   end,
   function(x, y)
      local hash, f = tds.Hash { a = 1, b = 2, c = x:float() }, callback(x, y)
      for k in pairs(hash) do
         f()
         hash[k], hash[k .. k] = nil, draw(9)
         if #hash > 300 then break end
      end
   end,
   function(x, y)
      local vec, f = tds.Vec(), callback(x, y)
      for i = 1, N do vec[i] = draw(100) end
      vec:sort(function(a, b)
         f()
         if draw(9) == 1 then vec:resize(draw(60)) end
         return a < b
      end)
   end,
   function(x, y)
      local f = callback(x, y)
      x:narrow(1, 1, 3).__gc = f
      table.sort(x:totable(), function(a, b)
         f()
         return a < b
      end)
   end,
   function(x, y)
      local proxy = newproxy(true)
      getmetatable(proxy).__gc = callback(x, y)
      proxy = nil                                          -- luacheck: ignore
      collectgarbage()
      x:add(y)
   end,
}

child.run(function()
   local x, y = torch.rand(N), torch.rand(N)
   if child.has(1) and draw(3) == 1 then x = torch.rand(N, 2):select(2, 1) end
   if child.has(2) and draw(3) == 1 then y = x:narrow(1, 1, N) end
   harm = pick(harms)
   local scene = pick(scenes)
   local thread = coroutine.create(function() return pcall(scene, x, y) end)
   local alive, ok, why = coroutine.resume(thread)
   memory.most = 0
   judge.touch(x)
   judge.touch(y)
   x:resize(5):fill(1):add(1)
   if not alive then return 'the coroutine failed: ' .. tostring(ok) end
   if coroutine.status(thread) == 'suspended' or ok then return nil end
   why = tostring(why)
   if why:find('the callback fails', 1, true) or why:find('yield across', 1, true) then return nil end
   local fault = junk.of_lua(why)
   if fault and not why:find 'attack/callbacks%.lua:%d+: attempt' then return fault .. ': ' .. why end
end)
