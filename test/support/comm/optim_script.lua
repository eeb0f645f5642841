-- test/support/comm/optim_script.lua - the beginning of scripts in the specs of dist.optim.

-- A small problem: the gradient of rank r at x is a x + b_r, and steps with it.
return [[
local r, n = dist.rank(), dist.size()
local function start() return torch.Tensor{ 1, -2, 3, 0.5, 7 } end
local function gradient(x, rank) return (x * 0.5):add(torch.Tensor{ 1, 0, -1, 2, 0.25 } * (rank + 1)) end
local function near(a, b, what)
   local most = (a - b):abs():max()
   assert(most < 1e-12, (what or '') .. ' differs by ' .. most .. ': ' .. tostring(a) .. tostring(b))
end
local function make(o)
   local x, g = start(), torch.zeros(5)
   if r > 0 then x:fill(99) end                           -- all take the parameters of rank 0
   o.parameters, o.gradParameters = x, g
   o.learningRate = o.learningRate or 0.1
   local opt = dist.optim(o)
   return opt, x, g, function() g:copy(gradient(x, r)) opt:step() end
end
-- One rank after the other.
local function in_turns(f)
   for turn = 0, n - 1 do
      if turn == r then f() end
      dist.barrier()
   end
end
]]
