-- examples/lib/digits.lua - handwritten digits for training and test: the project's own, or a folder with MNIST's files.
local torch = require 'torch'
local datasets = require 'examples.lib.datasets'
local idx = require 'examples.lib.idx'

local own = debug.getinfo(1, 'S').source:match '^@(.*)examples/lib/digits%.lua$' .. 'data/'

local digits = {}

--- The options of programs that read digits.
digits.option = { 'data', '', "mnist, fashion-mnist, or a folder with MNIST's IDX files, gzipped "
   .. "or not; empty: the project's own digits" }
digits.download = { 'download', false, 'with -data mnist: fetch its files with curl or wget, into '
   .. '~/.cache/cresset', fresh = true }

-- A set: input N x 1 x H x W, the pixels as they are in the file; target N classes from 1 (digit + 1).
local function set(images, labels, tensorType)
   local n, height, width = images:size(1), images:size(2), images:size(3)
   local input = images:view(n, 1, height, width):type(tensorType)
   return { n = n, input = input, target = labels:long():add(1) }
end

local function pick(images, labels, tensorType, wanted)
   local rows = {}
   for i = 1, images:size(1) do
      if wanted(i) then rows[#rows + 1] = i end
   end
   local index = torch.LongTensor(rows)
   return set(images:index(1, index), labels:index(1, index), tensorType)
end

local function split(images, labels, tensorType, isTest)
   return pick(images, labels, tensorType, function(i) return not isTest(i) end), pick(images, labels, tensorType, isTest)
end

-- The folder of -data, which may be the name of a public set.
local function folder_of(opt)
   if not datasets.sets[opt.data] then
      if opt.download then error('-download needs -data mnist or fashion-mnist', 0) end
      return opt.data
   end
   local folder, line = datasets.find(opt.data, opt.download)
   if opt.download ~= nil then print(line) end        -- programs of many ranks would print it often
   return folder
end

local function read(opt, tensorType)
   local folder = folder_of(opt)
   if folder == '' then
      local images, labels = idx.readPair(own .. 'digits-images-idx3-ubyte', own .. 'digits-labels-idx1-ubyte')
      local train, test = split(images, labels, tensorType, function(i) return i % 5 == 0 end)
      return train, test, 16
   end
   local images, labels = idx.readHalf(folder, 't10k')
   if not images then error(folder .. ' has no t10k-images-idx3-ubyte[.gz]', 0) end
   local trainImages, trainLabels = idx.readHalf(folder, 'train')
   if trainImages then return set(trainImages, trainLabels, tensorType), set(images, labels, tensorType), 255 end
   if images:size(1) < 10 then error(folder .. ' has fewer than 10 images', 0) end
   local n = math.floor(images:size(1) * 0.8) -- only the test half: its first 8,000 images train
   local train, test = split(images, labels, tensorType, function(i) return i > n end)
   return train, test, 255
end

--- The training set, the test set and the value of a white pixel, by the option -data of a run.
function digits.load(run)
   local ok, train, test, white = pcall(read, run.opt, run.tensorType)
   if not ok then run:stop('%s', train) end
   return train, test, white
end

return digits
