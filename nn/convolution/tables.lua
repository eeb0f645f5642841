-- nn/convolution/tables.lua - nn.tables: tables of connections for SpatialConvolutionMap.
local torch = require 'torch'
local nn = require 'nn'

--- nn.tables: Tables of connections for nn.SpatialConvolutionMap: full, oneToOne, random.
-- nn.tables.oneToOne(2) --> {{1, 1}, {2, 2}}
nn.tables = {}

--- All connections between nin and nout planes.
function nn.tables.full(nin, nout)
   local t = torch.Tensor(nin * nout, 2)
   local k = 0
   for o = 1, nout do
      for i = 1, nin do
         k = k + 1
         t[k][1], t[k][2] = i, o
      end
   end
   return t
end

--- Plane i to plane i.
function nn.tables.oneToOne(nfeat)
   local t = torch.Tensor(nfeat, 2)
   for i = 1, nfeat do t[i][1], t[i][2] = i, i end
   return t
end

--- nto random input planes for every output plane, each input as often as any other.
function nn.tables.random(nin, nout, nto)
   local t = torch.Tensor(nto * nout, 2)
   local order, at = torch.randperm(nin), 0
   for k = 1, nto * nout do
      at = at + 1
      if at > nin then order, at = torch.randperm(nin), 1 end
      t[k][1], t[k][2] = order[at], math.floor((k - 1) / nto) + 1
   end
   return t
end
