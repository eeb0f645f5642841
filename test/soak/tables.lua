-- test/soak/tables.lua - tds hashes and vectors that grow and shrink, graphs of modules, gradients of functions.
local torch = require 'torch'
local nn = require 'nn'
local tds = require 'tds'
local autograd = require 'autograd'
require 'nngraph'

return function(soak)
   local hash, vec = tds.Hash(), tds.Vec()
   for k = 1, 2000 do
      hash['key' .. (k * 31 + soak.round) % 700] = k % 3 == 0 and torch.rand(k % 20 + 1) or k
      hash[k] = 'text ' .. k
      if k % 2 == 0 then hash[k - 1] = nil end
      vec:insert(k % 5 == 0 and tds.Vec { k, 'x' } or k)
   end
   for k = 1, 1500 do vec:remove(k % #vec + 1) end
   assert(#vec == 500)
   local back = torch.deserialize(torch.serialize(hash))
   assert(#back == #hash and #hash == 1000 + 700)
   local input = nn.Identity()()
   local model = nn.gModule({ input }, { nn.CAddTable() { nn.Linear(6, 4)(input), nn.Tanh()(nn.Linear(6, 4)(input)) } })
   local x = torch.rand(5, 6)
   model:backward(x, model:forward(x):clone())
   local gradient = autograd(function(p) return torch.sum(torch.tanh(p.w * p.v)) end)
   local g = gradient { w = torch.rand(4, 5), v = torch.rand(5, 3) }
   assert(g.w:size(2) == 5 and g.v:size(1) == 5)
end
