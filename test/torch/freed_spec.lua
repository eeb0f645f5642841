-- test/torch/freed_spec.lua - what a program no longer uses is freed, though LuaJIT has compiled
-- code that worked on it. Compiled code keeps the first functions that a line makes, and what their
-- upvalues hold; so each case runs in a new process.
local run = require 'test.support.run_th'

-- What of the values that `body` returns is still there after it.
local function left(body)
   return (run.script(([=[
      local nn = require 'nn'
      local seen = setmetatable({}, { __mode = 'v' })
      coroutine.wrap(function()
         local list = { (function() %s end)() }
         for i = 1, #list do seen[i] = list[i] end
      end)()
      for _ = 1, 3 do collectgarbage() end
      local count = 0
      for _ in pairs(seen) do count = count + 1 end
      io.write(count)
   ]=]):format(body)))
end

describe('memory', function()
   it('of objects is freed after they were written and read', function()
      assert.equal('0', left [=[
         local list = {}
         for i = 1, 2000 do list[i] = { i, { name = 'n' .. i, f = function() return i end } } end
         local again
         for _ = 1, 3 do again = torch.deserialize(torch.serialize(list)) end
         return list, list[7], again, again[7]
      ]=])
   end)

   it('of gModules is freed after training', function()
      assert.equal('0', left [=[
         require 'nngraph'
         local x = nn.Identity()()
         local y = x
         for _ = 1, 60 do y = nn.Tanh()(nn.Linear(4, 4)(y)) end
         local net, from = nn.gModule({ x }, { nn.CAddTable()({ y, x }) }), torch.ones(2, 4)
         for _ = 1, 60 do
            net:zeroGradParameters()
            net:backward(from, net:forward(from))
            net:updateParameters(0.01)
         end
         return net, net.modules[2], net:clone()
      ]=])
   end)

   it('of graphs is freed after walks', function()
      assert.equal('0', left [=[
         require 'graph'
         local g, nodes = graph.Graph(), {}
         for i = 1, 200 do nodes[i] = graph.Node(i) end
         for i = 2, 200 do g:add(graph.Edge(nodes[i - 1], nodes[i])) end
         local count = 0
         local function add() count = count + 1 end
         nodes[1]:bfs(add)
         nodes[1]:dfs(add)
         nodes[1]:visit(add, add)
         g:topsort()
         g:hasCycle()
         return g, nodes[1], nodes[200], g:reverse(), g:clone(), nodes[1]:graph()
      ]=])
   end)
end)
