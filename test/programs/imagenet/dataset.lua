-- dataset.lua - the class dataLoader: files of folders as rows of a CharTensor, drawn class by class, changed by hooks.
require 'torch'
local ffi = require 'ffi'
local dir = paths

local dataset = torch.class('dataLoader')

function dataset:__init(args)
   for name, value in pairs(args) do self[name] = value end
   self.classes = {}
   for class in dir.iterdirs(self.path) do table.insert(self.classes, class) end
   table.sort(self.classes)
   self.classIndices = {}
   local names, longest = {}, 0
   self.classList, self.imageClass = {}, torch.LongTensor()
   for k, class in ipairs(self.classes) do
      self.classIndices[class] = k
      local pipe = io.popen(("find -L '%s/%s' -iname '*.jpg' | sort"):format(self.path, class))
      local first = #names + 1
      for line in pipe:lines() do
         table.insert(names, line)
         longest = math.max(longest, #line + 1)
      end
      pipe:close()
      self.classList[k] = torch.linspace(first, #names, #names - first + 1):long()
   end
   self.numSamples = #names
   self.imagePath = torch.CharTensor(#names, longest):fill(0)
   local s_data = self.imagePath:data()
   for k, name in ipairs(names) do ffi.copy(s_data + (k - 1) * longest, name) end
   self.imageClass:resize(self.numSamples)
   for k, list in ipairs(self.classList) do
      self.imageClass:indexFill(1, list, k)
      if self.verbose then print(('%s: %d pictures'):format(self.classes[k], list:size(1))) end
   end
   collectgarbage()
end

function dataset:size(class)
   if not class then return self.numSamples end
   return self.classList[self.classIndices[class]]:size(1)
end

function dataset:getByClass(class)
   local index = math.ceil(torch.uniform() * self.classList[class]:nElement())
   local imgpath = ffi.string(torch.data(self.imagePath[self.classList[class][index]]))
   return self:sampleHookTrain(imgpath)
end

local function tableToOutput(dataTable, scalarTable)
   local quantity = #scalarTable
   assert(dataTable[1]:dim() == 3)
   local data = torch.Tensor(quantity, dataTable[1]:size(1), dataTable[1]:size(2), dataTable[1]:size(3))
   local labels = torch.LongTensor(quantity):fill(-1111)
   for i = 1, quantity do
      data[i]:copy(dataTable[i])
      labels[i] = scalarTable[i]
   end
   return data, labels
end

function dataset:sample(quantity)
   local dataTable, scalarTable = {}, {}
   for _ = 1, quantity do
      local class = torch.random(1, #self.classes)
      table.insert(dataTable, self:getByClass(class))
      table.insert(scalarTable, class)
   end
   return tableToOutput(dataTable, scalarTable)
end

function dataset:get(i1, i2)
   local indices = torch.range(i1, i2)
   local dataTable, scalarTable = {}, {}
   for i = 1, indices:nElement() do
      local imgpath = ffi.string(torch.data(self.imagePath[indices[i]]))
      table.insert(dataTable, self:sampleHookTest(imgpath))
      table.insert(scalarTable, self.imageClass[indices[i]])
   end
   return tableToOutput(dataTable, scalarTable)
end

return dataset
