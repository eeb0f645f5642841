-- donkey.lua - what each thread of data.lua runs: a loader that draws random samples.
local FolderDataset = require 'datasets/folder'

local dataset = FolderDataset(opt.data)
local preprocess = dataset:preprocess(opt.imageSize)

trainLoader = {}

function trainLoader:size() return dataset:size() end
function trainLoader:classes() return dataset.classes end

function trainLoader:sample(quantity)
   local data = torch.FloatTensor(quantity, 3, opt.imageSize, opt.imageSize)
   local labels = torch.LongTensor(quantity)
   for i = 1, quantity do
      local s = dataset:get(torch.random(dataset:size()))
      data[i]:copy(preprocess(s.input))
      labels[i] = s.target
   end
   return data, labels
end
