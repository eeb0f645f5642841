-- datasets/folder.lua - pictures in folders, one folder a class.
local image = require 'image'
local paths = require 'paths'
local M = {}
local FolderDataset = torch.class('donkey.FolderDataset', M)

function FolderDataset:__init(root)
   self.root = root
   self.classes, self.files, self.labels = {}, {}, {}
   for folder in paths.iterdirs(root) do self.classes[#self.classes + 1] = folder end
   table.sort(self.classes)
   for label, class in ipairs(self.classes) do
      local names = {}
      for name in paths.iterfiles(paths.concat(root, class)) do names[#names + 1] = name end
      table.sort(names)
      for _, name in ipairs(names) do
         self.files[#self.files + 1] = class .. '/' .. name
         self.labels[#self.labels + 1] = label
      end
   end
   self.labels = torch.LongTensor(self.labels)
end

function FolderDataset:size() return #self.files end

function FolderDataset:get(i)
   return { input = image.load(paths.concat(self.root, self.files[i]), 3, 'float'), target = self.labels[i] }
end

-- Scales the shorter side, crops at a random place, and flips every second picture.
function FolderDataset:preprocess(size)
   return function(input)
      local w, h = input:size(3), input:size(2)
      local wide = size + 4
      input = image.scale(input, w < h and wide or math.floor(wide * w / h), w < h and math.floor(wide * h / w) or wide)
      local x, y = torch.random(0, input:size(3) - size), torch.random(0, input:size(2) - size)
      input = image.crop(input, x, y, x + size, y + size)
      if torch.uniform() < 0.5 then input = image.hflip(input) end
      return input
   end
end

return M.FolderDataset
