-- nn/recurrent/init.lua - puts the recurrent layers and the CTC loss of Cresset into nn, under names that Torch7's nn leaves free.
local nn = require 'nn'
local class = require 'torch.class'

for _, name in ipairs(class.free_until 'nn.recurrent') do class.publish(name, nn) end

return nn
