-- test/programs/cifar/provider.lua - colour images of four kinds with noise; a class of a script, as data providers were.
require 'torch'

local Provider = torch.class 'Provider'

Provider.classes = {'rows', 'columns', 'chequers', 'disc'}

function Provider:__init(n, seed)
   torch.manualSeed(seed)
   local size = 16
   self.data = torch.randn(n, 3, size, size):mul(40):add(100):float()
   self.labels = torch.ByteTensor(n)
   local y = torch.range(1, size):view(size, 1):expand(size, size)
   local x = y:t()
   local far = (torch.add(y, -8.5):pow(2) + torch.add(x, -8.5):pow(2)):lt(25):float()
   for i = 1, n do
      local class = (i - 1) % #Provider.classes + 1
      local shift = torch.random(0, 3)
      local picture
      if class == 1 then
         picture = torch.add(y, shift):fmod(4):lt(2):float()
      elseif class == 2 then
         picture = torch.add(x, shift):fmod(4):lt(2):float()
      elseif class == 3 then
         picture = (torch.floor((x + shift) / 2) + torch.floor(y / 2)):fmod(2):float()
      else
         picture = far
      end
      self.labels[i] = class
      self.data[i][torch.random(3)]:add(80, picture)
   end
end

-- Brightness and colours around 0; returns what was taken off, for other sets.
function Provider:normalize(mean, std)
   mean, std = mean or {}, std or {}
   for c = 1, 3 do
      local plane = self.data:select(2, c)
      mean[c] = mean[c] or plane:mean()
      std[c] = std[c] or plane:std()
      self.data[{{}, c, {}, {}}]:add(-mean[c])
      self.data[{{}, {c}, {}, {}}]:div(std[c])
   end
   return mean, std
end

function Provider:size() return self.data:size(1) end
